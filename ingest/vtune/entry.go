package vtune

import (
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// none marks an absent number; no number that is read is negative.
const none = -1

// values are the numbers of a row, those from firstNumber on, none where the
// cell is empty or the column is missing. Times and shares are nano. It is an
// array and no map, for a file of gigabytes has millions of rows, and lies on
// the stack of its reader.
type values [quantities]int64

// seconds returns the time of the row's launches: the total, or else the
// printed average times the count. Where there is no count either, it is the
// average: the time of one launch at least.
func (v *values) seconds() nano {
	switch n := v[count]; {
	case v[total] != none:
		return v[total]
	case v[average] != none && n == none:
		return v[average]
	// Divided instead of multiplied, for the product could overflow.
	case v[average] != none && n > 0 && v[average] <= maxSeconds*one/n:
		return v[average] * n
	}
	return none
}

// entry is what was read of one key. All that is added up in it is integers, so
// rows may come in any order.
type entry struct {
	ingest.Key
	hasSIMD  bool
	oneStack bool
	line     int // of the first good row
	number   int // of the worker's entries, then of all

	good         int64 // rows without an error
	rows         int64 // good ones, and those of which only a share is out of range
	single       int64 // rows that count one launch, or have no count
	instructions uint64
	steady       steady
	counters     counted // of header.counters
	times        sketch
	occupied     sketch
	*sums

	second int    // line of the second good row, 0 if there is none
	values uint64 // a digest of the first row's
	differ bool   // another row has others
}

// sums are those without pointers, which the collector need not look at.
type sums struct {
	launches tally
	timed    int64 // rows with a time
	time     wide
	threads  tally
	barriers tally
	spill    int64                         // the largest, none when no row has one
	weighted [quantities - firstShare]wide // of share x time
	means    [quantities - firstShare]mean
	partial  partial
}

// tally is a sum that may be absent.
type tally struct {
	sum int64 // at most the largest int64, which is beyond what is believed: see ingest.CheckCounts
	any bool
}

func (t *tally) add(v int64) {
	if v != none {
		t.merge(tally{v, true})
	}
}

// Sums of counts that nobody can have run stop at the largest number and are
// refused later, with the task's name.
func (t *tally) merge(o tally) {
	if t.sum += o.sum; t.sum < 0 {
		t.sum = math.MaxInt64
	}
	t.any = t.any || o.any
}

func (t tally) value() unit.Opt[int64] { return unit.Maybe(t.sum, t.any) }

// partial gathers the rows that have no count or no time. A mean is taken over
// those that have both.
type partial struct {
	untimed  tally // launches of rows without a time
	nothing  int64 // rows with neither
	loose    int64 // rows with a total, but no count
	time     wide  // of those
	averages int64 // rows with an average, but neither total nor count
	average  wide  // of those
	// Of the rows with a total, but no count: how many have an average as well,
	// and the launches that follow from both.
	divided  int64
	launches int64
}

func (p *partial) add(v *values, t nano) {
	switch {
	case v[count] != none:
		p.untimed.add(v[count])
	case t == none:
		p.nothing++
	case v[total] != none:
		p.loose++
		p.time.add(uint64(t))
		if a := v[average]; a > 0 {
			p.divided++
			p.launches += max((t+a/2)/a, 1)
		}
	default:
		p.averages++
		p.average.add(uint64(t))
	}
}

func (p *partial) merge(o *partial) {
	p.untimed.merge(o.untimed)
	p.nothing += o.nothing
	p.loose += o.loose
	p.time.addWide(o.time)
	p.averages += o.averages
	p.average.addWide(o.average)
	p.divided += o.divided
	p.launches += o.launches
}

// add adds a row that takes a time; shares are those that the file has columns
// of.
func (e *entry) add(v *values, shares []field, t nano) {
	e.rows++
	if v[count] == none || v[count] == 1 {
		e.single++
	}
	if e.single == e.rows {
		if t != none {
			e.times.add(t, timeBuckets)
		}
		if x := v[measured]; x != none {
			e.occupied.add(x, shareBuckets)
		}
	}
	e.launches.add(v[count])
	weight := uint64(0)
	if t == none || v[count] == none {
		e.partial.add(v, t)
	}
	if t != none {
		weight = uint64(t)
		e.timed++
		e.time.add(weight)
	}
	for _, f := range shares {
		x, m := v[f.q], &e.means[f.q-firstShare]
		switch {
		case x != none && weight > 0:
			e.weighted[f.q-firstShare].addProduct(uint64(x), weight)
		case x == none:
			m.absent.add(weight)
		default:
			m.plain.add(uint64(x))
			m.n++
		}
	}
	e.threads.add(v[threads])
	e.barriers.add(v[barriers])
	e.spill = max(e.spill, v[spill])
}

// mostRepeats bounds how many equal rows are taken for one that is repeated.
const mostRepeats = 8

// remember notes whether a row repeats the first one of its key.
func (e *entry) remember(v *values, r *scan.Row) {
	digest := uint64(0)
	for q := firstNumber; q < quantities; q++ {
		x := v[q]
		if q >= peak && q <= peakBarrier {
			continue // steady cells are not read
		}
		digest = (digest ^ uint64(x)) * 0x9e3779b97f4a7c15
		digest ^= digest >> 32
	}
	switch e.good {
	case 1:
		e.values = digest
		return
	case 2:
		e.second = r.Line()
	}
	e.differ = e.differ || digest != e.values
}

// steady is the profiler's peak and its limits, which are the same in all
// launches of a kernel: as long as their bytes are those of the first row, only
// the time is added up. It saves four products of 128 bits in each row of a
// per-launch export.
type steady struct {
	raw    string // the cells of the four as they are in the file; "" when they are not side by side
	values [4]nano
	time   wide
	rows   uint64 // without time
}

// add adds a row of a time that has the four as they were.
func (s *steady) add(t nano) {
	if t > 0 {
		s.time.add(uint64(t))
	} else {
		s.rows++
	}
}

// settle brings what was put off into the sums.
func (e *entry) settle() {
	s := &e.steady
	for i, x := range s.values {
		m, sum := &e.means[peak-firstShare+quantity(i)], &e.weighted[peak-firstShare+quantity(i)]
		if x == none {
			m.absent.addWide(s.time)
			continue
		}
		sum.addWide(s.time.times(uint64(x)))
		m.plain.addProduct(uint64(x), s.rows)
		m.n += s.rows
	}
	e.steady = steady{}
}

// varies reports whether a share without time that is not the same in all
// launches, as the profiler's peak is, has several values to take a mean of.
func (e *entry) varies() bool {
	return slices.ContainsFunc(sampledShares, func(q quantity) bool { return e.means[q-firstShare].n > 1 })
}

// repeated reports whether all rows of a task have the same values: the same
// row several times, and not several launches.
func (e *entry) repeated() bool {
	return e.good > 1 && e.good <= mostRepeats && !e.differ && !e.time.zero()
}

// merge adds what another worker gathered of the same key.
func (e *entry) merge(o *entry) {
	// Workers get the rows in any order; the line is that of the first one in
	// the file, so that every run of the program gives the same.
	switch {
	case o.good == 0:
	case e.good == 0:
		e.line, e.second, e.values = o.line, o.second, o.values
	default:
		lines := slices.DeleteFunc([]int{e.line, e.second, o.line, o.second}, func(l int) bool { return l == 0 })
		slices.Sort(lines)
		e.line, e.second = lines[0], lines[1]
		e.differ = e.differ || e.values != o.values
	}
	e.differ = e.differ || o.differ
	e.good += o.good
	e.hasSIMD = e.hasSIMD || o.hasSIMD
	e.rows += o.rows
	e.single += o.single
	e.instructions += o.instructions
	e.counters.merge(&o.counters)
	e.launches.merge(o.launches)
	e.timed += o.timed
	e.time.addWide(o.time)
	e.partial.merge(&o.partial)
	e.threads.merge(o.threads)
	e.barriers.merge(o.barriers)
	e.spill = max(e.spill, o.spill)
	for i := range e.weighted {
		e.weighted[i].addWide(o.weighted[i])
		e.means[i].merge(&o.means[i])
	}
	e.times.merge(&o.times, timeBuckets)
	e.occupied.merge(&o.occupied, shareBuckets)
}
