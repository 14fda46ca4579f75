package rundoc

import (
	"iter"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

type percent = unit.Opt[unit.Ratio]

// kernelsOf gives the rows of runs for programs one by one: the launches where there are any, else the kernels. A row is
// good until the next one.
func kernelsOf(results ...*compare.Result) iter.Seq[*kernel] {
	return func(yield func(*kernel) bool) {
		var k kernel
		for _, r := range results {
			if r.LaunchCount() > 0 {
				for row := range r.Launches() {
					if k.Row = row; !yield(&k) {
						return
					}
				}
				continue
			}
			for i := range r.Rows {
				if k.Row = &r.Rows[i]; !yield(&k) {
					return
				}
			}
		}
	}
}

// Rows is the table of kernels for programs, of one run or of several below each other.
func Rows(show report.Selection, results ...*compare.Result) *report.Table {
	results = slices.Clone(results)
	for i, r := range results {
		results[i] = shown(r, show)
	}
	return report.NewStream(kernelsOf(results...), kernelColumns)
}

// kernelTable is the table of all rows for people.
func kernelTable(r *compare.Result) *report.Table {
	times, kernels := hostTimes(r), 0
	list := make([]kernel, len(r.Rows))
	for i := range list {
		list[i].Row = &r.Rows[i]
		if t, timed := times[i]; timed {
			list[i].host = unit.Some(t)
		}
		if r.Rows[i].Verdict != compare.NotAKernel { // these are the last ones
			kernels = i + 1
		}
	}
	t := report.NewTable(report.SectionKernels, "", list, kernelColumns).Show(firstKernels...)
	t.Main, t.Form = kernels, report.Browser
	return t
}

// rowNotes are the notes of a row; the reason why a kernel has no prediction is one of them.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPrediction == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	if slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Text == r.NoPrediction }) {
		return r.Notes
	}
	// A full slice expression below: the notes of the row are shared, and appending must not write into them.
	why := note.Note{Severity: note.Info, Code: "no-prediction", Pos: r.Pos, Text: r.NoPrediction}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}
