package vtune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// A result combines all workers' entries.
type result struct {
	h         *header
	adders    []*adder
	sum       *adder   // one of them, with all counts and notes
	entries   []*entry // by their first row's line
	index     map[ingest.Key]*entry
	percent   [quantities]bool
	perLaunch bool // the file has a row per launch
	notes     []note.Note
}

func newResult(h *header, adders []*adder) *result {
	r := &result{h: h, adders: adders, sum: adders[0], index: make(map[ingest.Key]*entry, len(adders[0].entries))}
	for i, a := range adders {
		if i > 0 {
			r.sum.merge(a)
		}
		for _, e := range a.entries {
			e.settle()
			if known := r.index[e.Key]; known != nil {
				known.merge(e)
				continue
			}
			r.index[e.Key] = e
			r.entries = append(r.entries, e)
		}
		a.table = nil
	}
	r.entries = slices.DeleteFunc(r.entries, func(e *entry) bool { return e.good == 0 })
	slices.SortFunc(r.entries, func(a, b *entry) int { return cmp.Compare(a.line, b.line) })
	for i, e := range r.entries {
		e.number = i
	}
	r.scales()
	r.perLaunch = r.rowPerLaunch()
	return r
}

// scales decides whether a column contains percentages or fractions. A column
// without a value above 1 also contains percentages if another column in the
// file clearly does.
func (r *result) scales() {
	largest, signs := &r.sum.largest, r.sum.signs
	for q := range quantities {
		r.percent[q] = r.h.col[q].percent
	}
	plainly := slices.ContainsFunc(r.h.bare, func(q quantity) bool { return largest[q] > noFraction })
	for _, q := range r.h.bare {
		if largest[q] <= one+one/1000 && !plainly && signs>>q&1 == 0 {
			continue
		}
		if r.percent[q] = true; signs>>q&1 != 0 { // the cells have a % sign
			continue
		}
		text := fmt.Sprintf("but contains %v: read as percent", float64(largest[q])/one)
		if largest[q] <= one+one/1000 {
			text = "but other columns of the file contain percentages: read as percent"
		}
		r.notes = append(r.notes, note.Warningf("percent-without-sign", r.h.pos, "check it against the profiler",
			"the column %q has no (%%) in its name, so it should contain fractions, %s", r.h.col[q].name, text))
	}
}

// noFraction is larger than any fraction that a counter can have.
const noFraction = 2 * one

// rowPerLaunch reports whether the file is grouped by computing instance: no
// kernel row counts several launches, and at least one kernel has several rows.
// Copies are ignored, because without the transfer columns both directions have
// the same key. Kernels without counts and without launch sizes are ignored,
// too, because their rows may have different launch sizes.
func (r *result) rowPerLaunch() bool {
	repeated := false
	for _, e := range r.entries {
		shaped := e.Global.Present()
		if !shaped && !e.IsKernel() {
			continue
		}
		if e.single < e.rows {
			return false
		}
		repeated = repeated || e.rows > 1 && (shaped || r.h.col[count].there)
	}
	return repeated
}

const codeHeaderOnly = "header-only"

func (r *result) file(keep bool) (*ingest.File, error) {
	f := &ingest.File{Input: ingest.Input{Rows: r.sum.rows, BadRows: r.sum.bad,
		Traits: ingest.Traits{ColumnsVary: true, XVEColumns: r.h.xves}}}
	if n, joined := r.sum.firsts[codeJoined]; joined {
		return nil, &note.InputError{Note: n}
	}
	bad := r.sum.badNotes
	slices.SortFunc(bad, func(a, b note.Note) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	switch {
	case f.Rows == 0 && f.BadRows == 0:
		return nil, note.Errorf(codeHeaderOnly, r.h.pos, collectHint,
			"the export has a header but no rows; expected a row per computing task")
	case f.Rows == 0:
		return nil, note.Errorf("no-usable-row", bad[0].Pos, bad[0].Hint,
			"none of the %d rows can be used; the first: %s", f.BadRows, bad[0].Text)
	}
	if err := r.checkGuesses(); err != nil {
		return nil, err
	}
	if f.BadRows > 0 && !slices.ContainsFunc(r.entries, func(e *entry) bool { return e.IsKernel() }) {
		return nil, note.Errorf("no-usable-kernel", bad[0].Pos, bad[0].Hint,
			"no kernel is left: %d of %d rows cannot be used; the first: %s", f.BadRows, f.BadRows+f.Rows, bad[0].Text)
	}
	f.Instructions = r.instructions()
	f.Notes = append(r.notes, r.remarks()...)
	f.Notes = append(f.Notes, bad[:min(len(bad), shown)]...)
	if partial := r.sum.partial; partial > 0 {
		f.Notes = append(f.Notes, note.Newf(note.Info, "partial-rows", note.InFile(r.h.pos.File), "",
			"%d of the bad rows are wrong only in a percentage out of range: if their kernel has "+
				"other rows, the time and counts of the bad rows are added to it", partial))
	}
	if rest := f.BadRows - shown; rest > 0 {
		f.Notes = append(f.Notes, note.Newf(note.Error, "bad-rows", note.InFile(r.h.pos.File),
			"export the file again", "%d more rows were not used; %d of %d rows were bad", rest, f.BadRows,
			f.BadRows+f.Rows))
	}
	f.Notes = append(f.Notes, r.unweighted()...)
	f.Notes = append(f.Notes, r.repeated()...)
	if n, unended := r.sum.firsts[codeUnended]; unended {
		f.Notes = append(f.Notes, n)
	}
	if keep && r.perLaunch {
		f.Launches = r.launches()
	}
	r.index = nil
	for _, a := range r.adders {
		a.entries = nil
	}
	f.Kernels = make([]ingest.Kernel, 0, len(r.entries))
	for i, e := range r.entries {
		k := r.kernel(e)
		if err := ingest.CheckCounts(&k); err != nil {
			return nil, err
		}
		f.Kernels = append(f.Kernels, k)
		r.entries[i] = nil // free the memory, because there may be millions
	}
	return f, nil
}

// instructions returns the instruction counts, or zero if a count could not be
// read.
func (r *result) instructions() (sum ingest.Instructions) {
	if r.sum.unread {
		return sum
	}
	for _, e := range r.entries {
		sum.All += float64(e.instructions)
		if e.IsKernel() {
			sum.Kernels += float64(e.instructions)
		}
	}
	return sum
}

// remarks returns the notes about columns that are missing or disagree, and
// about names that are not valid text.
func (r *result) remarks() []note.Note {
	notes := r.h.missing()
	subjects := []any{codeUnreadable}
	for i := range r.h.twice {
		subjects = append(subjects, i)
	}
	for _, about := range append(subjects, codeInvalid) {
		n, found := r.sum.firsts[about]
		if !found {
			continue
		}
		if about == codeUnreadable {
			n.Text += "; the row is used without this cell"
			if more := r.sum.cells - 1; more > 0 {
				n.Text += ", and " + unit.FormatCount(more, "more cell is left out", "more cells are left out")
			}
		}
		notes = append(notes, n)
	}
	return notes
}

// firstOf returns the first task that fits, or nil if there is none, and how
// many further tasks fit.
func (r *result) firstOf(fits func(*entry) bool) (first *entry, more int) {
	for _, e := range r.entries {
		switch {
		case !fits(e):
		case first == nil:
			first = e
		default:
			more++
		}
	}
	return first, more
}

// unweighted returns a note about kernels whose shares are unweighted means
// over launches, because no launch has a time. A time from another file is not
// available when the rows are added.
func (r *result) unweighted() []note.Note {
	first, more := r.firstOf(func(e *entry) bool {
		return e.rows != 1 && e.timed <= 0 && e.Global.Present() && e.varies()
	})
	if first == nil {
		return nil
	}
	text := fmt.Sprintf("task %q: the mean over its %d rows is not weighted by time, because the rows have no time",
		first.Task, first.rows)
	if more > 0 {
		text += ", also for " + unit.FormatCount(more, "more task", "more tasks")
	}
	return []note.Note{note.Warningf("unweighted", note.Pos{File: r.h.pos.File, Line: first.line},
		"export the total time and the counters in one file, or use --instances", "%s", text)}
}

// repeated returns a note about tasks whose rows all have the same values.
// Launches may be equal, but rows that sum several launches are not.
func (r *result) repeated() []note.Note {
	if r.perLaunch {
		return nil
	}
	first, more := r.firstOf((*entry).repeated)
	if first == nil {
		return nil
	}
	text := fmt.Sprintf("task %q: the row on line %d repeats the values of the row on line %d; both are added up",
		first.Task, first.second, first.line)
	if more > 0 {
		text += ", as are the rows of " + unit.FormatCount(more, "more task", "more tasks")
	}
	return []note.Note{note.Warningf("repeated-rows", note.Pos{File: r.h.pos.File, Line: first.second},
		"if the file has its rows twice, export it again", "%s", text)}
}

// kernel returns a key's row.
func (r *result) kernel(e *entry) ingest.Kernel {
	k := ingest.Kernel{Task: e.Task, Global: e.Global, Local: e.Local, Direction: e.Direction, Device: e.Device,
		OneStack: e.oneStack, Pos: note.Pos{File: r.h.pos.File, Line: e.line},
		SIMD: unit.NonZero(e.SIMD), Spill: unit.Maybe(unit.Bytes(e.spill), e.spill != none),
		Counters: r.countersOf(e)}
	r.times(e, &k)
	for i, to := range counts(&k) {
		*to = e.counts[i].value()
	}
	for i, to := range shares(&k) {
		q := firstShare + quantity(i)
		if v, ok := e.means[i].value(e.weighted[i], e.time); ok && r.h.col[q].there {
			*to = unit.Some(r.ratio(q, v))
		}
	}
	if r.perLaunch && e.single == e.rows && e.times.len() > 0 {
		k.Launches = r.spread(e)
	}
	return k
}

// times sets a kernel's launch count and time. In a file with a row per launch,
// a row without a count is one launch. Otherwise, its launch count is unknown,
// and an average without a count contributes no total.
func (r *result) times(e *entry, k *ingest.Kernel) {
	p := &e.partial
	launches, timed, time := e.launches, e.timed, e.time
	// Count and time in rows that have both.
	paired, pairedTime := e.launches.sum-p.untimed.sum, e.time.minus(p.time).minus(p.average)
	uneven := p.untimed.any
	if r.perLaunch && e.Task != outside {
		if n := p.nothing + p.loose + p.averages; n > 0 {
			launches.add(n)
		}
		paired, pairedTime = paired+p.loose+p.averages, e.time
		uneven = uneven || p.nothing > 0
	} else {
		timed, time = timed-p.averages, time.minus(p.average)
		uneven = uneven || p.loose+p.averages > 0
	}
	k.Instances = launches.value()
	k.Total = unit.Maybe(unit.Seconds(time.over(wide{0, 1})), timed > 0)
	switch {
	case !uneven:
		return
	case paired > 0:
		k.Mean = unit.Some(unit.Seconds(pairedTime.over(wide{0, uint64(paired)})))
	case p.divided > 0 && p.divided == p.loose && p.averages == 0:
		k.Mean = unit.Some(unit.Seconds(p.time.over(wide{0, uint64(p.launches)})))
	case p.averages == 1:
		k.Mean = unit.Some(unit.Seconds(p.average.over(wide{0, 1})))
	}
	k.Uneven = k.Instances.Present() && k.Total.Present()
}

// ratio returns a column's value as a ratio.
func (r *result) ratio(q quantity, v float64) unit.Ratio {
	if r.percent[q] {
		return unit.FromPercent(v)
	}
	p := v * 100
	if short := math.Round(p*1e7) / 1e7; math.Abs(p-short) < 1e-11 {
		p = short // a printed 0.627 is 62.7%, not 62.699999999999996%
	}
	return unit.FromPercent(p)
}

func (r *result) spread(e *entry) *ingest.LaunchSpread {
	sec := func(v nano) unit.Seconds { return unit.Seconds(float64(v) / one) }
	shortest, longest := e.times.ends(timeBuckets)
	s := &ingest.LaunchSpread{MinSeconds: sec(shortest), MedianSeconds: sec(e.times.median(timeBuckets)),
		MaxSeconds: sec(longest), P10Seconds: unit.Some(sec(e.times.quantile(0.1, timeBuckets))),
		P90Seconds: unit.Some(sec(e.times.quantile(0.9, timeBuckets)))}
	if e.occupied.len() > 0 {
		rat := func(v nano) unit.Opt[unit.Ratio] { return unit.Some(r.ratio(measured, float64(v)/one)) }
		low, high := e.occupied.ends(shareBuckets)
		s.MinMeasured, s.MedianMeasured, s.MaxMeasured = rat(low), rat(e.occupied.median(shareBuckets)), rat(high)
		s.UpperMeasured = rat(e.occupied.ranked(e.occupied.len()-e.occupied.len()/4, shareBuckets))
	}
	return s
}

// launches returns all rows in the file's order.
func (r *result) launches() *ingest.Launches {
	list := &ingest.Launches{}
	for _, a := range r.adders {
		// Several workers' entries for one key were merged into one entry.
		to := make([]int, len(a.entries))
		for i, e := range a.entries {
			to[i] = r.index[e.Key].number
		}
		list = list.MergeByLine(a.launches.Renumber(to))
	}
	// Only now is it known whether these columns contain percentages.
	if len(r.h.bare) > 0 {
		for i, l := range list.All() {
			for at, share := range sharesOf(&l) {
				if v, ok := share.Value(); ok {
					*share = unit.Some(r.ratio(launchShares[at], v.Percent()))
				}
			}
			list.Set(i, &l)
		}
	}
	return list
}

// launch returns a row as a launch. It treats shares as percentages.
func (v *values) launch(kernel, line int) *ingest.LaunchRecord {
	t := v.seconds()
	to := &ingest.LaunchRecord{Kernel: kernel, Line: line, Threads: unit.Maybe(v[threads], v[threads] != none),
		Time: unit.Maybe(unit.Seconds(float64(t)/one), t != none)}
	for at, share := range sharesOf(to) {
		if x := v[launchShares[at]]; x != none {
			*share = unit.Some(unit.FromPercent(float64(x) / one))
		}
	}
	return to
}

// launchShares are the shares that are kept per launch, in sharesOf's order.
var launchShares = [...]quantity{measured, active, stalled, idle}

func sharesOf(l *ingest.LaunchRecord) [len(launchShares)]*unit.Opt[unit.Ratio] {
	return [...]*unit.Opt[unit.Ratio]{&l.Measured, &l.Active, &l.Stalled, &l.Idle}
}
