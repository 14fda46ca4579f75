package diffdoc

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

const (
	manyRuns   = 8 // above this many a terminal lists only those that stand out
	mostChecks = 3 // runs that a screen gives the command of
	runsSchema = "occudiff/validate-runs/1"
)

// Runs gives several runs in every form: what stands out first, then the kernels over all runs.
func Runs(s *diff.Runs, prov report.Provenance) *report.Answer {
	return &report.Answer{
		Make:  func() *report.Document { return runsDocument(s, prov) },
		Card:  func() *report.Card { return runsCard(s) },
		Value: runsValue(s), Table: rundoc.Rows(prov.Show, resultsOf(s)...), Tests: func() *report.TestSuite {
			names := report.ListOf(s.Runs, func(r diff.RunOfMany) string { return r.Name })
			return joined("validate", names, prov, func(i int, prov report.Provenance) *report.TestSuite {
				return rundoc.TestSuiteFrom(s.Runs[i].Result, prov)
			})
		},
	}
}

func resultsOf(s *diff.Runs) []*compare.Result {
	return report.ListOf(s.Runs, func(r diff.RunOfMany) *compare.Result { return r.Result })
}

// runsDocument is what stands out, the runs, and the kernels over all of them. A run by itself is 'occudiff validate RUN'.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	kernels, left := report.Select(prov.Show, s.Kernels, "kernels", func(k *diff.KernelOfMany) report.Candidate {
		nan := unit.Ratio(math.NaN()) // of kernels without a value, which come last in any order
		off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
		return report.Candidate{Task: k.Task, Value: prov.Show.Value(-off*time, time, off)}
	})
	table := report.NewTable(report.SectionKernels, "", kernelsOfMany(s, kernels), slices.Concat(manyColumns, byRun(s))).Show()
	d := &report.Document{Title: "GPU occupancy of " + unit.Counted(len(s.Runs), "run", "runs"),
		Subject: "Measured occupancy, kernel by run", Version: prov.Version, Screen: runsScreen(s, kernels)}
	d.Screen.Notes = append(d.Screen.Notes, report.NotWhole(left)...)
	var notes []report.TaskNote
	var files []source
	for i := range s.Runs {
		r := &s.Runs[i]
		if t := r.Platform.Collected; t.After(d.Date) {
			d.Date = t
		}
		for _, n := range report.RunNotes(r.Notes) {
			if n.Pos.File == "" { // a note with a file names its run by that
				n.Text = report.OneLine(r.Name) + ": " + n.Text
			}
			notes = append(notes, n)
		}
		files = append(files, sourcesOf("", report.OneLine(r.Name), r.Result)...)
	}
	// All runs were read with the flags of one command line, so the options of the first are those of all.
	from := rundoc.ProvenanceSection(&compare.Result{Options: s.Runs[0].Options}, prov)
	from.Sheet, from.Tables = "Sources", append(from.Tables, sourceTable(files))
	d.Sections = []report.Section{{Key: "runs", Title: "Runs", Sheet: "Summary", Tables: []*report.Table{runTable(s)}, Plots: heatMap(s, kernels)},
		{Key: report.SectionKernels, Title: "Kernels over all runs", Sheet: "Kernels", Tables: []*report.Table{table}},
		report.NoteSection(notes), from}
	return d
}

// heatMap shows what the first kernels measure, run by run; there is none where nothing is measured.
func heatMap(s *diff.Runs, kernels []diff.KernelOfMany) []report.Plot {
	var rows []report.HeatRow
	for i := range kernels {
		if k := &kernels[i]; k.N > 0 && len(rows) < report.PlotRows {
			rows = append(rows, report.HeatRow{Name: report.KernelName(k.Task), Values: report.ListOf(k.Measured, func(o unit.Opt[unit.Ratio]) float64 {
				return o.Or(unit.Ratio(math.NaN())).Percent()
			})})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	report.CutNames(len(rows), func(i int) *string { return &rows[i].Name })
	return []report.Plot{{Key: "heat-map", Title: "Measured occupancy by kernel and run", Unit: "%", Max: 100,
		Text:    "A row for each of the first kernels, a column for each run; an empty frame means no measurement.",
		HeatMap: &report.HeatMap{Rows: rows, Columns: report.ListOf(s.Runs, func(r diff.RunOfMany) string { return report.OneLine(r.Name) })}}}
}

// runTable lists the runs, those that stand out first, the worst before the others; the rest is in the order of the command
// line, which people know. With many a terminal shows only those that stand out.
func runTable(s *diff.Runs) *report.Table {
	list := report.ListOf(findingRows(s), func(f findingRow) diff.RunOfMany { return *f.run })
	out := len(list)
	for _, r := range s.Runs {
		if len(r.Findings) == 0 {
			list = append(list, r)
		}
	}
	t := report.NewTable("runs", "", list, runColumns).Show()
	if len(list) > manyRuns {
		t.Main = out
	}
	return t
}

// runsScreen is what every form of several runs begins with: which of them stand out, the worst first, or else the first
// kernels.
func runsScreen(s *diff.Runs, kernels []diff.KernelOfMany) *report.Screen {
	sc := &report.Screen{Line: runsLine(s), Hint: hint}
	for i := range s.Runs {
		sc.Notes = append(sc.Notes, report.NotWhole(s.Runs[i].Notes)...)
	}
	if len(s.Findings) == 0 {
		n := min(len(kernels), report.ScreenRows)
		if left := len(kernels) - n; left > 0 {
			sc.More = "and " + unit.Counted(left, "more kernel", "more kernels")
		}
		sc.Rows = report.NewTable("screen", "", kernelsOfMany(s, kernels[:n]), manyColumns).Show()
		sc.Rows.Only([]string{"task", "predicted_average_percent", "median_percent", "lowest", "highest", "runs"})
		return sc
	}
	rows := findingRows(s)
	if n := len(rows); n > report.ScreenRows {
		sc.More = "and " + unit.Counted(n-report.ScreenRows, "more run", "more runs")
		rows = rows[:report.ScreenRows]
	}
	for i := range rows {
		if r := &rows[i]; len(sc.Sure) < mostChecks && r.number.Or("") != "" && len(r.run.Inputs) > 0 {
			sc.Ask = "What such a run measures, alone"
			sc.Sure = append(sc.Sure, report.Check{Rows: r.number.Or(""), Command: report.CommandLine(validateArgs(r.run.Result))})
		}
	}
	sc.Rows = report.NewTable("screen", "", rows, findingColumns).Show(findingShown...)
	return sc
}

// runsLine says in one sentence which runs stand out.
func runsLine(s *diff.Runs) string {
	devices := devicesOf(resultsOf(s))
	text := unit.Counted(len(s.Runs), "run", "runs") + " of " + unit.Counted(len(s.Kernels), "kernel", "kernels") + " on " +
		strings.Join(devices, ", ")
	if len(devices) > 1 {
		text += " (which may be why they differ)"
	}
	rows := findingRows(s)
	switch {
	case len(rows) == 0 && len(s.Runs) < 3:
		return text + ". With two nobody can say which one is off: compare them with 'occudiff diff'"
	case len(rows) == 0:
		return text + ". All are alike: none is off by more than chance makes it"
	}
	names := report.ListOf(rows, func(f findingRow) string {
		off := ""
		if points, ok := f.Off.Value(); ok {
			off = report.Signed(float64(points), 1) + " points"
			if f.kernel != nil {
				off = report.KernelName(f.kernel.Task) + " " + off
			}
			off = ": " + off
		}
		return report.OneLine(f.run.Name) + " (" + findings(f.run) + off + ")"
	})
	return text + ". " + unit.Counted(len(rows), "stands out: ", "stand out: ") + strings.Join(report.Few(names, 3), ", ")
}

// findings are the ways in which a run stands out.
func findings(r *diff.RunOfMany) string { return strings.Join(report.Words(r.Findings), ", ") }

// findingStatus is bad where a run loses as a whole. One that is higher or faster than the rest is odd and no loss, and the
// items of kernels say what is off in part.
func findingStatus(r *diff.RunOfMany) report.Status {
	for _, f := range r.Findings {
		if f != diff.RunHigh && f != diff.RunFast && f != diff.RunDips && f != diff.RunPeaks {
			return report.Bad
		}
	}
	return report.Unsure
}

// findingRow is what stands out, with what its columns are read from. People have one of each run, which counts the
// others.
type findingRow struct {
	diff.Finding
	run    *diff.RunOfMany
	kernel *diff.KernelOfMany // nil for the whole run
	number unit.Opt[string]   // absent where no row has one
	more   int                // kernels of the run that are off as well
}

func allFindings(s *diff.Runs) []findingRow {
	return report.ListOf(s.Findings, func(f diff.Finding) findingRow {
		row := findingRow{Finding: f, run: &s.Runs[f.Run]}
		if f.Kernel >= 0 {
			row.kernel = &s.Kernels[f.Kernel]
		}
		return row
	})
}

// findingRows gives one finding of each run, with numbers for those to look at: a run that is off as a whole, or in
// several kernels, would fill the list.
func findingRows(s *diff.Runs) (rows []findingRow) {
	at, number := map[int]int{}, 0
	for _, f := range allFindings(s) {
		if i, known := at[f.Run]; known {
			rows[i].more += min(f.Kernel+1, 1)
			continue
		}
		f.number = unit.Some("")
		if f.run.CopyOf == "" && (findingStatus(f.run) == report.Bad || f.What == diff.RunDips) {
			number++
			f.number = unit.Some(strconv.Itoa(number))
		}
		at[f.Run] = len(rows)
		rows = append(rows, f)
	}
	return rows
}

// runsCard answers which runs stand out in few words.
func runsCard(s *diff.Runs) *report.Card {
	var notes []note.Note
	runs, judged := 0, 0
	for i := range s.Runs {
		if r := &s.Runs[i]; r.CopyOf == "" {
			runs++
		}
		notes = append(notes, s.Runs[i].Notes...)
	}
	for i := range s.Kernels {
		if s.Kernels[i].N >= 3 {
			judged++
		}
	}
	c := newCard(resultsOf(s), notes, judged, len(s.Kernels)-judged)
	switch {
	case !c.Usable:
		return c
	case runs < 3:
		return report.Unusable("of two runs nobody can say which one is off: compare them with 'occudiff diff'", 0, len(s.Kernels))
	}
	for _, f := range allFindings(s) {
		finding := report.Finding{Run: f.run.Name, Verdict: string(f.What), Points: f.Off}
		if k := f.kernel; k != nil {
			finding.Kernel, finding.Predicted, finding.Measured = k.Task, k.Predicted, k.Measured[f.Run]
		}
		if f.What != diff.RunCopy {
			finding.Next = unit.Some(report.CommandLine(validateArgs(f.run.Result)))
		}
		if !c.Add(finding) {
			break
		}
	}
	return c
}
