package rundoc

import (
	"math"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// rowSet is what the sections that show rows need to know of all of them.
type rowSet struct {
	result    *compare.Result
	kernels   int      // the first ones; what follows are tasks that are no kernels
	attention int      // the first ones, which need it
	labels    []string // of the first rows, which plots show
	decimals  int      // of times in seconds
	ranges    bool     // the predicted average of any is a range
	tails     int      // those whose partial last wave keeps the prediction low
	measured  bool     // any kernel
	shapes    bool     // are needed to tell kernels apart
	// How many have an account, and how many of those have empty and underfilled XVEs as two parts.
	accounts, split int
	hostTimes       map[int]unit.Seconds // of a log alone, when it has one of each row; else nil
	accounted       []int                // the first of those, which a plot shows
	explained       []int                // those that need attention
}

func newRowSet(r *compare.Result) *rowSet {
	s := &rowSet{result: r, hostTimes: hostTimes(r)}
	shortest := math.Inf(1)
	var shown []compare.Row
	seen := make(map[string]bool, len(r.Rows)) // growing a map of many takes longer than filling it
	for i := range r.Rows {
		row := &r.Rows[i]
		if i < report.PlotRows {
			shown = append(shown, *row)
		}
		if row.Verdict == compare.NotAKernel { // the last ones
			continue
		}
		s.kernels = i + 1
		if !s.shapes {
			s.shapes = seen[row.Task]
			seen[row.Task] = true
		}
		if r.Accounted(row) {
			s.accounts++
			if len(s.accounted) < report.PlotRows {
				s.accounted = append(s.accounted, i)
			}
			if row.Predicted != nil && row.BusyOccupancy.Present() {
				s.split++
			}
		}
		if needsAttention(row) {
			if s.attention == i {
				s.attention++
			}
			s.explained = append(s.explained, i)
		}
		s.ranges = s.ranges || ranged(row)
		if tailed(row) {
			s.tails++
		}
		s.measured = s.measured || row.Measured.Present()
		if t, ok := row.Total.Value(); ok && t > 0 {
			shortest = math.Min(shortest, float64(t))
		}
	}
	s.decimals = secondsDecimals(shortest)
	s.labels = plotLabels(shown[:min(s.kernels, len(shown))])
	return s
}

// secondsDecimals gives the decimals that show the shortest time with three significant digits: at least 2, and at most
// the microsecond that profilers resolve.
func secondsDecimals(shortest float64) int {
	if math.IsInf(shortest, 1) {
		return 4
	}
	return min(max(2-int(math.Floor(math.Log10(shortest))), 2), 6)
}

// needsAttention says whether somebody should look at a row.
func needsAttention(r *compare.Row) bool {
	switch r.Verdict {
	case compare.Below, compare.Above, compare.Unmeasurable, compare.NoPrediction, compare.Idle:
		return true
	case compare.NotAKernel:
		return false
	}
	return r.Cause != nil
}

// finding is the verdict with its cause: "below: dispatch".
func finding(r *compare.Row) report.Cell {
	text := string(r.Verdict)
	if r.Cause != nil {
		text += ": " + r.Cause.Name
	}
	return report.StatusCell(text, statusOf(r.Verdict))
}

// plotLabels names rows briefly; rows of one name are told apart by their shape.
func plotLabels(rows []compare.Row) []string {
	names := make([]string, len(rows))
	count := map[string]int{}
	for i := range rows {
		names[i] = report.KernelName(rows[i].Task)
		count[names[i]]++
	}
	labels := report.CutApart(names, report.LabelWidth)
	for i := range labels {
		if count[names[i]] > 1 {
			labels[i] += " " + Shape(&rows[i].Kernel)
		}
	}
	return labels
}

func kernelSection(r *compare.Result, rows *rowSet) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(r.Rows) == 0 {
		s.Text = []string{"The inputs contain no kernel."}
		return s
	}
	text := "Kernels that need attention come first; within that, by slot time below the prediction."
	if rows.kernels < len(r.Rows) {
		text += " Tasks that are not kernels come last."
	}
	s.Text = []string{text}
	s.Tables = []*report.Table{rows.kernelTable()}
	return s
}
