package rundoc

import (
	"iter"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

type (
	percent = unit.Opt[unit.Ratio]
	seconds = unit.Opt[unit.Seconds]
	text    = unit.Opt[string]
)

// set takes over a row.
func (k *kernel) set(of *compare.Result, row *compare.Row) {
	*k = kernel{Row: row, of: of, account: row.Account, worth: row.Worth}
}

// kernelsOf gives the rows of runs for programs one by one: the launches where there are any, else the kernels. A row is
// good until the next one.
func kernelsOf(results ...*compare.Result) iter.Seq[*kernel] {
	return func(yield func(*kernel) bool) {
		var k kernel
		for _, r := range results {
			if r.LaunchCount() > 0 {
				for row := range r.Launches() {
					if k.set(r, row); !yield(&k) {
						return
					}
				}
				continue
			}
			for i := range r.Rows {
				if k.set(r, &r.Rows[i]); !yield(&k) {
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
	return report.NewStream("rows", kernelsOf(results...), kernelColumns)
}

// kernelTable is the table of all rows for people.
func (s *rowSet) kernelTable() *report.Table {
	list := make([]kernel, len(s.result.Rows))
	for i := range list {
		k := &list[i]
		k.set(s.result, &s.result.Rows[i])
		if i < len(s.labels) {
			k.label = s.labels[i]
		}
		if t, timed := s.hostTimes[i]; timed {
			k.host = unit.Some(t)
		}
	}
	t := report.NewTable(report.SectionKernels, "", list, kernelColumns).Show(firstKernels...)
	t.Main, t.Attention, t.Form = s.kernels, s.attention, report.Browser
	if i := t.Column("total_seconds"); i >= 0 {
		t.Columns[i].Decimals = s.decimals
	}
	// A terminal shows the launch shape where names alone do not tell kernels apart, and sets what was seen against the
	// prediction by the parts of the account where there is one.
	if s.accounts == 0 {
		t.Hide(report.Terminal, "verdict")
	} else {
		t.Hide(report.Terminal, "difference_points", "finding")
		if !s.shapes {
			t.Hide(report.Terminal, "global", "local", "simd")
		}
	}
	if !s.ranges {
		t.Hide(report.Everywhere, "predicted_average_high_percent")
	}
	return t
}

// rowNotes are the notes of a row; the reason why a kernel has no prediction is one of them.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPrediction == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	for _, n := range r.Notes {
		if n.Text == r.NoPrediction {
			return r.Notes
		}
	}
	// A full slice expression below: the notes of the row are shared, and appending must not write into them.
	why := note.Note{Severity: note.Info, Code: "no-prediction", Pos: r.Pos, Text: r.NoPrediction}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}
