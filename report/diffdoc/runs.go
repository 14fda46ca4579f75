package diffdoc

import (
	"fmt"
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
	mostChecks = 3 // runs that a screen gives the command of
	runsSchema = "occudiff/validate-runs/1"
)

// Runs returns several runs in every form: what stands out first, then the
// kernels over all runs.
func Runs(s *diff.Runs, prov report.Provenance) *report.Output {
	return &report.Output{
		Make:         func() *report.Document { return runsDocument(s, prov) },
		AgentSummary: func() *report.AgentSummary { return runsAgentSummary(s) },
		Value:        runsValue(s), Table: rundoc.Rows(prov.Show, resultsOf(s)...), Tests: func() *report.TestSuite {
			names := report.ListOf(s.Runs, func(r diff.RunAcrossKernels) string { return r.Name })
			return joined("validate", names, prov, func(i int, prov report.Provenance) *report.TestSuite {
				return rundoc.TestSuiteFrom(s.Runs[i].Result, prov)
			})
		},
	}
}

func resultsOf(s *diff.Runs) []*compare.Result {
	return report.ListOf(s.Runs, func(r diff.RunAcrossKernels) *compare.Result { return r.Result })
}

// runsDocument is what stands out, and the kernels with a column for each run.
// A run by itself is 'occudiff validate RUN'.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	kernels, left := report.Select(prov.Show, s.Kernels, "kernels", func(k *diff.KernelAcrossRuns) report.Candidate {
		nan := unit.Ratio(math.NaN()) // of kernels without a value, which come last in any order
		off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
		return report.Candidate{Task: k.Task, Value: prov.Show.Value(-off*time, time, off)}
	})
	findings := findingRows(s)
	d := &report.Document{Title: "GPU occupancy of " + unit.FormatCount(len(s.Runs), "run", "runs"),
		Subject: "Measured occupancy, kernel by run", Version: prov.Version, Date: latest(resultsOf(s)), Summary: runsSummary(s, findings, kernels)}
	d.Summary.Notes = append(d.Summary.Notes, report.IncompleteNotes(left)...)
	var notes []report.TaskNote
	// All runs were read with the flags of one command line, so the options of
	// the first are those of all.
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
	if len(findings) > report.SummaryRows { // a screen has the first ones
		d.Sections = append(d.Sections, report.Section{Key: "runs", Title: "Runs that stand out", Sheet: "Runs", In: report.Files,
			Tables: []*report.Table{findingTable(findings)}})
	}
	d.Sections = append(d.Sections, report.Section{Key: report.SectionKernels, Title: "Kernels over all runs", Sheet: "Kernels",
		Tables: []*report.Table{report.NewTable(report.SectionKernels, "", kernels, append(manyColumns, byRun(s)...)).Show()}},
		report.NoteSection(notes), provenance(pairs))
	return d
}

// runsSummary is what every form of several runs begins with: which of them
// stand out, the worst first, or else the first kernels.
func runsSummary(s *diff.Runs, findings []findingRow, kernels []diff.KernelAcrossRuns) *report.Summary {
	sc := &report.Summary{Headline: runsLine(s, findings), Hint: hint}
	for i := range s.Runs {
		sc.Notes = append(sc.Notes, report.IncompleteNotes(s.Runs[i].Notes)...)
	}
	if len(findings) == 0 {
		n := min(len(kernels), report.SummaryRows)
		sc.More = andMore(len(kernels)-n, "kernel")
		sc.Rows = report.NewTable("screen", "", kernels[:n], manyColumns).Show()
		sc.Rows.Only([]string{"task", "predicted_average_percent", "median_percent", "lowest", "highest", "runs"})
		return sc
	}
	n := min(len(findings), report.SummaryRows)
	sc.More, sc.Rows = andMore(len(findings)-n, "run"), findingTable(findings[:n])
	for _, r := range findings[:n] {
		if number := r.number.Or(""); len(sc.Confirm) < mostChecks && number != "" && len(r.Run.Inputs) > 0 {
			sc.ConfirmReason = "What such a run measures, alone"
			sc.Confirm = append(sc.Confirm, report.NextCommand{Rows: number, Command: report.CommandLine(validateArgs(r.Run.Result))})
		}
	}
	return sc
}

// andMore describes how many rows a screen leaves out, nothing for none.
func andMore(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + unit.FormatCount(n, "more "+what, "more "+what+"s")
}

// runsLine says in one sentence which runs stand out.
func runsLine(s *diff.Runs, findings []findingRow) string {
	devices := devicesOf(resultsOf(s))
	text := unit.FormatCount(len(s.Runs), "run", "runs") + " of " + unit.FormatCount(len(s.Kernels), "kernel", "kernels") + " on " +
		strings.Join(devices, ", ")
	if len(devices) > 1 {
		text += " (which may be why they differ)"
	}
	if len(findings) == 0 {
		return text + ". " + notFound(s)
	}
	names := report.ListOf(findings, func(f findingRow) string {
		text := report.OneLine(f.Run.Name) + " (" + f.ways()
		if points, ok := f.Off.Value(); ok {
			text += ": "
			if f.Kernel != nil {
				text += report.KernelName(f.Kernel.Task) + " "
			}
			text += report.Signed(float64(points)) + " points"
		}
		return text + ")"
	})
	text += ". " + unit.FormatCount(len(findings), "stands out: ", "stand out: ") + strings.Join(report.FirstFew(names, 3), ", ")
	if s.Few() {
		text += fmt.Sprintf(". A single kernel needs %d runs for a test", diff.LeastRuns)
	}
	return text
}

// notFound states that no outlier was found, or that the runs are too few for
// the test, and the largest range: a range is not evidence that runs are alike.
func notFound(s *diff.Runs) string {
	text := "No outlier was found"
	if s.Few() {
		text = fmt.Sprintf("%s too few to identify an outlier (at least %d are needed)",
			unit.FormatCount(s.Compared, "run is", "runs are"), diff.LeastRuns)
	}
	if k, points := s.MostVaried(); k != nil {
		text += fmt.Sprintf("; %s varies by %.1f points", report.KernelName(k.Task), float64(points))
	} else {
		text += "; no kernel was measured in two runs"
	}
	if s.Compared == 2 {
		text += ". Compare two runs with 'occudiff diff'"
	}
	return text
}

// findingRow is what stands out, with what its columns are read from. People
// have one of each run, which counts the others.
type findingRow struct {
	diff.Finding
	number unit.Opt[string] // absent where no row has one
	more   int              // kernels of the run that are off as well
}

// ways are those in which the run stands out.
func (f *findingRow) ways() string { return strings.Join(report.Strings(f.Run.Findings), ", ") }

// status is bad where a run loses as a whole. One that is higher or faster than
// the rest is odd and no loss, and kernels that are off in part are named.
func (f *findingRow) status() report.Status {
	for _, w := range f.Run.Findings {
		if w != diff.RunHigh && w != diff.RunFast && w != diff.RunDips && w != diff.RunPeaks {
			return report.Bad
		}
	}
	return report.Unsure
}

func allFindings(s *diff.Runs) []findingRow {
	return report.ListOf(s.Findings, func(f diff.Finding) findingRow { return findingRow{Finding: f} })
}

// findingRows returns one finding of each run, with numbers for those to look
// at: a run that is off as a whole, or in several kernels, would fill the list.
func findingRows(s *diff.Runs) (rows []findingRow) {
	at, number := map[*diff.RunAcrossKernels]int{}, 0
	for _, f := range allFindings(s) {
		if i, known := at[f.Run]; known {
			if f.Kernel != nil {
				rows[i].more++
			}
			continue
		}
		f.number = unit.Some("")
		if f.Run.CopyOf == "" && (f.status() == report.Bad || f.What == diff.RunDips) {
			number++
			f.number = unit.Some(strconv.Itoa(number))
		}
		at[f.Run] = len(rows)
		rows = append(rows, f)
	}
	return rows
}

// runsAgentSummary answers which runs stand out in few words.
func runsAgentSummary(s *diff.Runs) *report.AgentSummary {
	var notes []note.Note
	judged := 0
	for i := range s.Runs {
		notes = append(notes, s.Runs[i].Notes...)
	}
	for i := range s.Kernels {
		if s.Kernels[i].N >= diff.LeastRuns {
			judged++
		}
	}
	c := newAgentSummary(resultsOf(s), notes, judged, len(s.Kernels)-judged)
	switch {
	case !c.Usable:
		return c
	case s.Few() && len(s.Findings) == 0:
		return report.Unusable(notFound(s), 0, len(s.Kernels))
	}
	for _, f := range s.Findings {
		finding := report.Finding{Run: f.Run.Name, Verdict: string(f.What), Points: f.Off}
		if k := f.Kernel; k != nil {
			finding.Kernel, finding.Predicted, finding.Measured = k.Task, k.Predicted, k.Measured[f.Run.Place]
		}
		if f.What != diff.RunCopy {
			finding.Next = unit.Some(report.CommandLine(validateArgs(f.Run.Result)))
		}
		if !c.Add(finding) {
			break
		}
	}
	return c
}

// manyColumns are a kernel over all runs.
var manyColumns = func() []report.Col[diff.KernelAcrossRuns] {
	const in = report.Everywhere
	measured := report.ListColumns(report.Percent, func(o *unit.Opt[unit.Ratio]) cell { return report.OptPercent(*o) })
	return []report.Col[diff.KernelAcrossRuns]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, Role: report.Code, In: in, Doc: "as printed, line ends included"}, func(k *diff.KernelAcrossRuns) cell { return report.NameCell(k.Task) }),
		report.Define(column{Key: "launch_size", Title: "Launch", Kind: report.Text, Drop: 2, Cut: true, Role: report.Code, In: in}, func(k *diff.KernelAcrossRuns) cell { return report.TextCell(rundoc.LaunchSize(&k.Kernel)) }),
		report.Define(column{Path: "global", Always: true, Kind: report.Size}, func(k *diff.KernelAcrossRuns) cell { return report.SizeCell(k.Global) }),
		report.Define(column{Path: "local", Always: true, Kind: report.Size}, func(k *diff.KernelAcrossRuns) cell { return report.SizeCell(k.Local) }),
		report.Define(column{Path: "simd", Kind: report.Integer}, func(k *diff.KernelAcrossRuns) cell { return report.OptInt(k.SIMD) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(k *diff.KernelAcrossRuns) cell { return report.OptText(unit.NonZero(string(k.Direction))) }),
		report.Define(column{Key: "runs", Path: "runs", Always: true, Title: "Runs", Kind: report.Integer, Drop: 6, In: in, Doc: "with a measured value"}, func(k *diff.KernelAcrossRuns) cell { return report.IntCell(k.N) }),
		report.Define(column{Key: "predicted_average_percent", Path: "predicted_average_percent", Title: "Predicted average", Kind: report.Percent, Drop: 5, In: in}, func(k *diff.KernelAcrossRuns) cell { return report.OptPercent(k.Predicted) }),
		report.Define(column{Key: "median_percent", Path: "median_percent", Group: "Measured", Title: "median", Kind: report.Percent, In: in}, func(k *diff.KernelAcrossRuns) cell { return report.OptPercent(k.Median) }),
		report.Define(column{Key: "lowest", Group: "Measured", Title: "lowest", Kind: report.Percent, In: in}, func(k *diff.KernelAcrossRuns) cell { return report.OptPercent(k.Lowest) }),
		report.Define(column{Key: "highest", Group: "Measured", Title: "highest", Kind: report.Percent, Drop: 8, In: in}, func(k *diff.KernelAcrossRuns) cell { return report.OptPercent(k.Highest) }),
		report.Define(column{Path: "measured_percent", Always: true, Kind: report.Array, Of: report.ColumnsOf(measured), Doc: "of each run, in their order"},
			func(k *diff.KernelAcrossRuns) cell {
				return report.RowsCell(report.NewTable("", "", k.Measured, measured))
			}),
	}
}()

// byRun says in which runs a kernel is off and how far, and has a column for
// each run, for files.
func byRun(s *diff.Runs) []report.Col[diff.KernelAcrossRuns] {
	list := []report.Col[diff.KernelAcrossRuns]{report.Define(column{Key: "off", Title: "Off in", Kind: report.Text, Fold: true, In: report.Everywhere}, func(k *diff.KernelAcrossRuns) cell {
		return report.ListCell(report.ListOf(k.Findings, func(f diff.Finding) string {
			return report.OneLine(f.Run.Name) + " " + report.Signed(float64(f.Off.Or(0)))
		}))
	})}
	for i := range s.Runs {
		list = append(list, report.Define(column{Key: "run_" + strconv.Itoa(i+1), Title: report.OneLine(s.Runs[i].Name), Kind: report.Percent, In: report.Files, Role: report.Heat},
			func(k *diff.KernelAcrossRuns) cell { return report.OptPercent(k.Measured[i]) }))
	}
	return list
}

// ValidateRuns is the value of `validate` over several runs, schema
// occudiff/validate-runs/1. Each run has the value that validate gives of it
// alone, so that a script reads both with the same code.
type ValidateRuns struct {
	Schema   string        `json:"schema"`
	Findings *report.Table `json:"findings" jsonschema:"what stands out, the worst first"`
	Runs     []ValidateRun `json:"runs"`
	Kernels  *report.Table `json:"kernels" jsonschema:"each over all runs, by time"`
}

// ValidateRun is one of several runs. Counts of its verdicts are in the summary
// of the run.
type ValidateRun struct {
	Name      string                 `json:"name"`
	Lacks     int                    `json:"kernels_missing"`
	GPUTime   unit.Opt[unit.Seconds] `json:"gpu_seconds"`
	Off       unit.Opt[unit.Points]  `json:"off_points"`
	TimeRatio unit.Opt[float64]      `json:"time_ratio"`
	Findings  []string               `json:"findings" jsonschema:"in which ways the run stands out"`
	Run       *rundoc.Validate       `json:"run"`
}

func runsValue(s *diff.Runs) ValidateRuns {
	runs := report.ListOf(s.Runs, func(r diff.RunAcrossKernels) ValidateRun {
		return ValidateRun{r.Name, r.MissingKernels, r.Summary.GPUTime, r.Off, r.TimeRatio, report.Strings(r.Findings), rundoc.Value(r.Result)}
	})
	return ValidateRuns{runsSchema, report.NewTable("findings", "", allFindings(s), findingColumns), runs,
		report.NewTable("kernels", "", s.Kernels, manyColumns)}
}

// findingTable is what stands out, for people.
func findingTable(rows []findingRow) *report.Table {
	return report.NewTable("findings", "", rows, findingColumns).Show("n", "run", "kernel", "measured", "points", "time", "finding")
}

var findingColumns = slices.Concat([]report.Col[findingRow]{
	report.Define(column{Key: "n", Title: "#", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell { return report.OptText(f.number) }),
	report.Define(column{Key: "run", Path: "run", Always: true, Title: "Run", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere},
		func(f *findingRow) cell { return report.TextCell(f.Run.Name) }),
	report.Define(column{Path: "finding", Always: true, Kind: report.Text}, func(f *findingRow) cell { return report.TextCell(string(f.What)) }),
	report.Define(column{Key: "finding", Title: "Stands out", Kind: report.Text, Fold: true, In: report.Everywhere}, func(f *findingRow) cell {
		text := f.ways()
		switch {
		case f.Run.CopyOf != "":
			text += " of " + report.OneLine(f.Run.CopyOf) + ", left out"
		case f.more > 0:
			text += "; " + unit.FormatCount(f.more, "more kernel is off", "more kernels are off")
		}
		return report.StatusCell(text, f.status())
	}),
	report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere}, func(f *findingRow) cell {
		if f.Kernel == nil {
			return report.TextCell("all")
		}
		return report.TextCell(report.KernelName(f.Kernel.Task))
	}),
	report.Define(column{Key: "points", Path: "points", Title: "Off", Kind: report.Points, In: report.Everywhere, Doc: "off the other runs; of a whole run the median over its kernels"},
		func(f *findingRow) cell { return report.OptPoints(f.Off) }),
	report.Define(column{Key: "time", Path: "time_ratio", Title: "Time / others", Brief: "Time", Kind: report.Number, Decimals: 2, In: report.Everywhere, Doc: "of a launch, against the other runs"},
		func(f *findingRow) cell { return report.OptNum(report.Number, f.Run.TimeRatio) }),
}, report.Within("", "", func(f *findingRow) *findingRow {
	if f.Kernel == nil {
		return nil
	}
	return f
}, []report.Col[findingRow]{ // of a finding that is not of the whole run
	report.Define(column{Path: "kernel", Kind: report.Name, Doc: "null where it is the whole run"}, func(f *findingRow) cell { return report.NameCell(f.Kernel.Task) }),
	report.Define(column{Path: "measured_percent", Kind: report.Percent, Doc: "of the kernel in this run"}, func(f *findingRow) cell { return report.OptPercent(f.Kernel.Measured[f.Run.Place]) }),
	report.Define(column{Path: "median_percent", Kind: report.Percent, Doc: "of the kernel over all runs"}, func(f *findingRow) cell { return report.OptPercent(f.Kernel.Median) }),
	report.Define(column{Key: "measured", Title: "Measured", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell {
		return report.TextCell(report.Decimal(f.Kernel.Measured[f.Run.Place].Or(0).Percent(), 1) + " of " + report.PercentText(f.Kernel.Median.Or(0)))
	}),
}))
