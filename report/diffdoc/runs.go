package diffdoc

import (
	"math"
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

// runsDocument is what stands out, and the kernels with a column for each run. A run by itself is 'occudiff validate RUN'.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	kernels, left := report.Select(prov.Show, s.Kernels, "kernels", func(k *diff.KernelOfMany) report.Candidate {
		nan := unit.Ratio(math.NaN()) // of kernels without a value, which come last in any order
		off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
		return report.Candidate{Task: k.Task, Value: prov.Show.Value(-off*time, time, off)}
	})
	findings := findingRows(s)
	d := &report.Document{Title: "GPU occupancy of " + unit.Counted(len(s.Runs), "run", "runs"),
		Subject: "Measured occupancy, kernel by run", Version: prov.Version, Date: latest(resultsOf(s)), Screen: runsScreen(s, findings, kernels)}
	d.Screen.Notes = append(d.Screen.Notes, report.NotWhole(left)...)
	var notes []report.TaskNote
	// All runs were read with the flags of one command line, so the options of the first are those of all.
	pairs := prov.Pairs()
	pairs.Text("Tolerance", report.Shortest(float64(s.Runs[0].Options.Tolerance))+" points")
	for i := range s.Runs {
		r := &s.Runs[i]
		for _, n := range report.RunNotes(r.Notes) {
			if n.Pos.File == "" { // a note with a file names its run by that
				n.Text = report.OneLine(r.Name) + ": " + n.Text
			}
			notes = append(notes, n)
		}
		pairs.Text(report.OneLine(r.Name), origin(r.Result))
	}
	if len(findings) > report.ScreenRows { // a screen has the first ones
		d.Sections = append(d.Sections, report.Section{Key: "runs", Title: "Runs that stand out", Sheet: "Runs", In: report.Files,
			Tables: []*report.Table{findingTable(findings)}})
	}
	d.Sections = append(d.Sections, report.Section{Key: report.SectionKernels, Title: "Kernels over all runs", Sheet: "Kernels",
		Tables: []*report.Table{report.NewTable(report.SectionKernels, "", kernels, append(manyColumns, byRun(s)...)).Show()}},
		report.NoteSection(notes), provenance(pairs))
	return d
}

// runsScreen is what every form of several runs begins with: which of them stand out, the worst first, or else the first
// kernels.
func runsScreen(s *diff.Runs, findings []findingRow, kernels []diff.KernelOfMany) *report.Screen {
	sc := &report.Screen{Line: runsLine(s, findings), Hint: hint}
	for i := range s.Runs {
		sc.Notes = append(sc.Notes, report.NotWhole(s.Runs[i].Notes)...)
	}
	if len(findings) == 0 {
		n := min(len(kernels), report.ScreenRows)
		sc.More = andMore(len(kernels)-n, "kernel")
		sc.Rows = report.NewTable("screen", "", kernels[:n], manyColumns).Show()
		sc.Rows.Only([]string{"task", "predicted_average_percent", "median_percent", "lowest", "highest", "runs"})
		return sc
	}
	n := min(len(findings), report.ScreenRows)
	sc.More, sc.Rows = andMore(len(findings)-n, "run"), findingTable(findings[:n])
	for _, r := range findings[:n] {
		if number := r.number.Or(""); len(sc.Sure) < mostChecks && number != "" && len(r.run.Inputs) > 0 {
			sc.Ask = "What such a run measures, alone"
			sc.Sure = append(sc.Sure, report.Check{Rows: number, Command: report.CommandLine(validateArgs(r.run.Result))})
		}
	}
	return sc
}

// andMore says how many rows a screen leaves out, nothing for none.
func andMore(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + unit.Counted(n, "more "+what, "more "+what+"s")
}

// runsLine says in one sentence which runs stand out.
func runsLine(s *diff.Runs, findings []findingRow) string {
	devices := devicesOf(resultsOf(s))
	text := unit.Counted(len(s.Runs), "run", "runs") + " of " + unit.Counted(len(s.Kernels), "kernel", "kernels") + " on " +
		strings.Join(devices, ", ")
	if len(devices) > 1 {
		text += " (which may be why they differ)"
	}
	switch {
	case len(findings) == 0 && len(s.Runs) < 3:
		return text + ". With two nobody can say which one is off: compare them with 'occudiff diff'"
	case len(findings) == 0:
		return text + ". All are alike: none is off by more than chance makes it"
	}
	names := report.ListOf(findings, func(f findingRow) string {
		text := report.OneLine(f.run.Name) + " (" + f.ways()
		if points, ok := f.Off.Value(); ok {
			text += ": "
			if f.kernel != nil {
				text += report.KernelName(f.kernel.Task) + " "
			}
			text += report.Signed(float64(points), 1) + " points"
		}
		return text + ")"
	})
	return text + ". " + unit.Counted(len(findings), "stands out: ", "stand out: ") + strings.Join(report.Few(names, 3), ", ")
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

// ways are those in which the run stands out.
func (f *findingRow) ways() string { return strings.Join(report.Words(f.run.Findings), ", ") }

// status is bad where a run loses as a whole. One that is higher or faster than the rest is odd and no loss, and kernels
// that are off in part are named.
func (f *findingRow) status() report.Status {
	for _, w := range f.run.Findings {
		if w != diff.RunHigh && w != diff.RunFast && w != diff.RunDips && w != diff.RunPeaks {
			return report.Bad
		}
	}
	return report.Unsure
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
		if f.run.CopyOf == "" && (f.status() == report.Bad || f.What == diff.RunDips) {
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
		if s.Runs[i].CopyOf == "" {
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
