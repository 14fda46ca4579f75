package vtune

import (
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// none marks an absent number. Numbers in a file are never negative.
const none = -1

// values are a row's numbers, starting with firstNumber. A value is none if the
// cell is empty or the column is missing. Times and shares are nano. It is an
// array instead of a map, because it stays on the stack and a file with
// gigabytes has millions of rows.
type values [quantities]int64

// seconds returns the row's launch time: the total, or otherwise the printed
// average times the count. Without a count, it returns the average, which is
// the time for at least one launch.
func (v *values) seconds() nano {
	switch n := v[count]; {
	case v[total] != none:
		return v[total]
	case v[average] != none && n == none:
		return v[average]
	// Divide instead of multiplying, because the product could overflow.
	case v[average] != none && n > 0 && v[average] <= maxSeconds*one/n:
		return v[average] * n
	}
	return none
}

// An entry collects the rows with one key. All sums are integers, so the row
// order does not matter.
type entry struct {
	ingest.Key
	oneStack bool
	line     int // first good row
	number   int // index among the worker's entries, later among all entries

	good         int64 // rows without an error
	rows         int64 // good rows, and rows in which only a share is out of range
	single       int64 // rows that count one launch, or have no count
	instructions uint64
	steady       steady
	counters     counted // see header.counters
	times        sketch
	occupied     sketch
	*sums

	second int    // line of the second good row, or 0
	values uint64 // the first row's values, as a digest
	differ bool   // another row has other values
}

// sums are an entry's sums, in a struct without pointers, which the garbage
// collector does not scan.
type sums struct {
	launches tally
	timed    int64 // rows with a time
	time     wide
	counts   [firstShare - firstCount]tally
	spill    int64                         // the largest value; none if no row has one
	weighted [quantities - firstShare]wide // share x time
	means    [quantities - firstShare]mean
	partial  partial
}

// A tally is a sum that may be absent.
type tally struct {
	// sum saturates at the largest int64, which ingest.CheckCounts rejects.
	sum int64
	any bool
}

func (t *tally) add(v int64) {
	if v != none {
		t.merge(tally{v, true})
	}
}

// Sums saturate if counts are impossible. They are rejected later, with the
// task's name.
func (t *tally) merge(o tally) {
	if t.sum += o.sum; t.sum < 0 {
		t.sum = math.MaxInt64
	}
	t.any = t.any || o.any
}

func (t tally) value() unit.Opt[int64] { return unit.Maybe(t.sum, t.any) }

// partial collects the rows without a count or a time. A mean uses the rows
// that have both.
type partial struct {
	untimed  tally // launches in rows without a time
	nothing  int64 // rows with neither
	loose    int64 // rows with a total, but no count
	time     wide  // time in the loose rows
	averages int64 // rows with an average, but neither total nor count
	average  wide  // total of these averages
	// Among the loose rows, divided counts the rows that also have an average,
	// and launches counts the launches computed from both.
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

// add adds a row with time t. shares are the file's share columns.
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
	for i := range e.counts {
		e.counts[i].add(v[firstCount+quantity(i)])
	}
	e.spill = max(e.spill, v[spill])
}

// mostRepeats is the largest number of equal rows that is reported as one
// repeated row.
const mostRepeats = 8

// remember records whether a row repeats the first row with its key.
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

// steady collects rows whose peak and limits are equal to the first row's. All
// launches of a kernel have the same peak and limits. While their bytes are
// equal, only the time is added. This saves four 128-bit products per row in a
// per-launch export.
type steady struct {
	// raw contains the four cells as in the file, or "" if they are not
	// adjacent.
	raw    string
	values [4]nano
	time   wide
	rows   uint64 // rows without time
}

// add adds a row with an equal peak and equal limits.
func (s *steady) add(t nano) {
	if t > 0 {
		s.time.add(uint64(t))
	} else {
		s.rows++
	}
}

// settle adds the deferred values to the sums.
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

// varies reports whether a sampled share's mean would combine several values
// without a time. The profiler's peak and its limits are excluded, because all
// launches have the same.
func (e *entry) varies() bool {
	return slices.ContainsFunc(sampledShares, func(q quantity) bool { return e.means[q-firstShare].n > 1 })
}

// repeated reports whether a task's rows all have the same values, so that they
// are probably one repeated row instead of several launches.
func (e *entry) repeated() bool {
	return e.good > 1 && e.good <= mostRepeats && !e.differ && !e.time.zero()
}

// merge adds another worker's entry with the same key.
func (e *entry) merge(o *entry) {
	// Workers receive the rows in any order. Use the first row's line in the
	// file, so that the result is always the same.
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
	e.rows += o.rows
	e.single += o.single
	e.instructions += o.instructions
	e.counters.merge(&o.counters)
	e.launches.merge(o.launches)
	e.timed += o.timed
	e.time.addWide(o.time)
	e.partial.merge(&o.partial)
	for i := range e.counts {
		e.counts[i].merge(o.counts[i])
	}
	e.spill = max(e.spill, o.spill)
	for i := range e.weighted {
		e.weighted[i].addWide(o.weighted[i])
		e.means[i].merge(&o.means[i])
	}
	e.times.merge(&o.times, timeBuckets)
	e.occupied.merge(&o.occupied, shareBuckets)
}
