package diff

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/note"
)

// addNotes says what holds for all kernels, and then what was noted of the runs.
func (d *Result) addNotes(copied []note.Note) {
	add := func(severity note.Severity, code, hint, format string, args ...any) {
		d.Notes = append(d.Notes, note.Note{Severity: severity, Code: code, Text: fmt.Sprintf(format, args...),
			Hint: hint})
	}
	if a, b := len(d.Old.Runs), len(d.New.Runs); min(a, b) < stat.MinPerSide {
		add(note.Info, "no-test", "give each side a folder of 4 repeats or more",
			"no test is possible with %d + %d runs, 4 per side are needed: changes of occupancy are compared with a "+
				"floor of %g points, and times are not judged",
			a, b, float64(d.Options.Threshold))
	}
	for _, f := range runFacts() {
		for _, s := range []struct {
			side string
			runs []*compare.Result
		}{{"old", d.Old.Runs}, {"new", d.New.Runs}} {
			if said := f.said(s.runs); len(said) > 1 {
				add(note.Warning, "mixed-side", "compare runs of one "+f.what+" per side",
					"the runs of the %s side are not of one %s: %q", s.side, f.what, said)
			}
		}
	}
	d.Notes = append(d.Notes, copied...)
	for _, runs := range [][]*compare.Result{d.Old.Runs, d.New.Runs} {
		for _, r := range runs {
			for _, n := range r.Notes {
				if !slices.Contains(d.Notes, n) {
					d.Notes = append(d.Notes, n)
				}
			}
		}
	}
}

// contentOf tells files of one text by, whatever their line ends and their compression are.
func contentOf(in ingest.Input) string { return cmp.Or(in.Content, in.Digest) }

// contents are the files that a run's rows are of. A summary may belong to all runs.
func contents(r *compare.Result) []ingest.Input {
	files := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if files[row.Pos.File] = true; len(files) == len(r.Inputs) {
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Inputs), func(in ingest.Input) bool {
		return contentOf(in) == "" || !files[in.Path]
	})
}

// take takes the runs of both sides, without those that are copies of another on their side: a copy is no second
// sample.
func (d *Result) take(older, newer []*compare.Result) (copied []note.Note) {
	type place struct {
		path string
		side *Side
		run  *compare.Result
	}
	seen := map[string]place{}
	take := func(side *Side, r *compare.Result) {
		files, copies, said := contents(r), 0, len(copied)
		for _, in := range files {
			first, known := seen[contentOf(in)]
			if !known {
				seen[contentOf(in)] = place{in.Path, side, r}
			}
			if !known || first.run == r {
				continue
			}
			text := "the same content as " + first.path + ": a copy is not a second run"
			if first.path == in.Path {
				text = "the same file is compared with itself"
			}
			if first.side == side {
				copies++
			}
			copied = append(copied, note.Note{Severity: note.Warning, Code: "same-content",
				Pos: note.Pos{File: in.Path}, Text: text, Hint: "give each run once"})
		}
		// A run of which one file is a copy may still be a run of its own: only where all are, it is left out.
		if copies > 0 && copies == len(files) {
			copied[said].Text += ", and this one is left out"
		} else {
			side.Runs = append(side.Runs, r)
		}
	}
	for _, r := range older {
		take(&d.Old, r)
	}
	for _, r := range newer {
		take(&d.New, r)
	}
	return copied
}
