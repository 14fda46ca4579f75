package unitrace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// voids are the columns that say that the counters of their row are not to be used, where they are not 0.
// ReportCtxSwitchLost is none of them: it is 8 in a real report whose occupancies are right.
// So is each that begins with MidQuery.
var voids = []string{"ResultUncertainty", "QuerySplitOccurred", "OverrunOccured", "OverrunOccurred", "ReportError",
	"ReportLost", "ReportInconsistent", "ReportWithoutWorkload", "ReportContextMismatch"}

// void gives the name of a column that says that the counters of a row are not to be used; empty when none does.
func (f *fields) void() string {
	for _, i := range f.voids {
		if x, err := strconv.ParseFloat(f.parts[i], 64); err == nil && x != 0 {
			return f.names[i]
		}
	}
	return ""
}

// invalid counts the rows whose counters are left out.
type invalid struct {
	rows    int64
	columns []string
	first   note.Pos
}

// drop takes the counters out of a row that says so itself. Its launch still counts.
func (v *invalid) drop(s *sample, column string, pos note.Pos) {
	if column == "" {
		return
	}
	if v.rows++; v.rows == 1 {
		v.first = pos
	}
	if !slices.Contains(v.columns, column) {
		v.columns = append(v.columns, column)
	}
	// What is left is what finds the launch and how long it took.
	*s = sample{seconds: s.seconds, gpu: s.gpu, instance: s.instance, tile: s.tile}
}

func (v *invalid) notes() []note.Note {
	if v.rows == 0 {
		return nil
	}
	return []note.Note{{Severity: note.Warning, Code: "invalid-counters", Pos: v.first,
		Text: fmt.Sprintf("%d rows mark their counters as invalid (%s): these counters are left out, here and in the "+
			"rest of the file", v.rows, strings.Join(v.columns, ", ")),
		Hint: "collect again, with fewer metrics or alone on the GPU"}}
}

// counted holds the work-groups and threads that the GPU counted one by one against the launch shape.
// They are counted and not sampled, so one work-group more or less is a fault of the shape and no noise.
func (s *sum) counted(k *ingest.Kernel) (n note.Note, differs bool) {
	items, sized := k.Global.Items()
	local, _ := k.Local.Items()
	counted, known := s.counts[groups-threads].Value()
	if !sized || !known || local <= 0 || items > unit.MaxCount || s.exact == 0 {
		return n, false
	}
	shape := int64(1) // work-groups
	for i := range 3 {
		l := k.Local.Dim(i)
		shape *= (k.Global.Dim(i) + l - 1) / l
	}
	text := fmt.Sprintf("task %q: the GPU counted %s a launch", k.Task, perLaunch(counted, s.exact, "work-group"))
	want := fmt.Sprintf("where its launch shape makes %d", shape)
	differs = counted != shape*s.exact
	ended, known := s.counts[exits-threads].Value()
	if simd := int64(k.SIMD.Or(0)); known && simd > 0 {
		// A work-group whose size is no multiple of the SIMD width has one thread that is not full; so has a grid at
		// its edge.
		each := (local + simd - 1) / simd
		text += " and " + perLaunch(ended, s.exact, "thread")
		want += fmt.Sprintf(" and %d", shape*each)
		differs = differs || ended != shape*each*s.exact
	}
	return note.Note{Severity: note.Warning, Code: "launch-shape", Pos: k.Pos, Text: text + ", " + want,
		Hint: "the launch shape or the SIMD width of the name is not that of these launches: do not rely on its " +
			"prediction"}, differs
}

func perLaunch(n, launches int64, what string) string {
	if n != launches {
		what += "s"
	}
	return strconv.FormatFloat(float64(n)/float64(launches), 'f', -1, 64) + " " + what
}

// counts are the columns of a metric table that tell how many XVEs the counters are of: a counter of events and the
// part of all clocks of all XVEs that it says this is, `X[events]` and `X_UTILIZATION[%]`, and the clocks.
// No table says which GPU it is of; this number tells devices apart that names do not.
type counts struct {
	clocks int // index behind the name, -1 without
	pairs  [][2]int
}

func countsOf(names []string) counts {
	c := counts{clocks: slices.Index(names, "GpuSliceClocksCount[events]")}
	for i, name := range names {
		metric, ok := strings.CutSuffix(name, "_UTILIZATION[%]")
		if events := slices.Index(names, metric+"[events]"); ok && events >= 0 {
			c.pairs = append(c.pairs, [2]int{events, i})
		}
	}
	return c
}

// xves is how many XVEs a row's counters are of: events / (clocks x utilization), where all pairs of columns say the
// same whole number; 0 where they do not. In real reports each pair gives 448.00.
func (f *fields) xves() (found int) {
	// Utilizations are printed with few digits: of a small one the quotient is any number.
	const enough, exact = 1, 1e-3 // percent of all clocks, of the number
	number := func(i int) float64 {
		x, _ := strconv.ParseFloat(f.parts[i], 64) // 0 is of no use, either
		return x
	}
	if f.counts.clocks < 0 {
		return 0
	}
	clocks := number(f.counts.clocks)
	for _, p := range f.counts.pairs {
		share := number(p[1])
		if !(share >= enough && share <= 100) {
			continue
		}
		n := number(p[0]) / (clocks * share / 100)
		whole := math.Round(n)
		if !(whole >= 1 && whole <= 1<<16 && math.Abs(n-whole) <= exact*whole) || found != 0 && found != int(whole) {
			return 0
		}
		found = int(whole)
	}
	return found
}
