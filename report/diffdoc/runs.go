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
	mostChecks = 3 // maximum number of runs for which a summary lists the command
	runsSchema = "occudiff/validate-runs/1"
)

// Runs returns the output for several runs: first the runs that differ from the
// others, then the kernels over all runs.
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

// runsDocument returns a document with the runs that differ, and the kernels
// with a column for each run. For the details of a single run, users run
// 'occudiff validate RUN'.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	kernels, left := report.Select(prov.Show, s.Kernels, "kernels", func(k *acrossRuns) report.Candidate {
		nan := unit.Ratio(math.NaN()) // sort value of kernels without a value, which come last in any order
		off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
		return report.Candidate{Task: k.Task, Value: prov.Show.Value(-off*time, time, off)}
	})
	findings := findingRows(s)
	d := &report.Document{
		Title:   rundoc.Title("GPU occupancy of "+unit.Plural(len(s.Runs), "run"), resultsOf(s)...),
		Origin:  report.UpperFirst(rundoc.Origin(resultsOf(s)...)),
		Subject: "Measured occupancy, kernel by run",
		Version: prov.Version,
		Date:    rundoc.Collected(resultsOf(s)...),
		Summary: runsSummary(s, findings, kernels),
	}
	d.Summary.Notes = append(d.Summary.Notes, report.IncompleteNotes(left)...)
	var notes []report.TaskNote
	// All runs were read with the flags of one command line, so the options of
	// the first run apply to all runs.
	pairs := prov.Pairs()
	pairs.Text("Tolerance", report.Shortest(s.Runs[0].Options.Tolerance)+" points")
	for i := range s.Runs {
		r := &s.Runs[i]
		for _, n := range report.RunNotes(r.Notes) {
			if n.Pos.File == "" { // a note with a file already identifies its run
				n.Text = report.OneLine(r.Name) + ": " + n.Text
			}
			notes = append(notes, n)
		}
		pairs.Text(report.OneLine(r.Name), origin(r.Result))
	}
	if len(findings) > report.SummaryRows { // the summary already has the first ones
		d.Sections = append(d.Sections, report.Section{
			Key:    "runs",
			Title:  "Runs that differ from the others",
			Sheet:  "Runs",
			In:     report.Files,
			Tables: []*report.Table{findingTable(findings)},
		})
	}
	table := report.NewTable(report.SectionKernels, "", kernels, slices.Concat(manyColumns, byRun(s)))
	d.Sections = append(d.Sections, report.Section{
		Key:    report.SectionKernels,
		Title:  "Kernels over all runs",
		Sheet:  "Kernels",
		Tables: []*report.Table{table.Show()},
	}, report.NoteSection(notes),
		report.TermSection(d.Summary), report.InputsSection(pairs))
	return d
}

// runsSummary returns the summary of several runs. It lists the runs that
// differ, worst first. If no run differs, it lists the first kernels.
func runsSummary(s *diff.Runs, findings []findingRow, kernels []diff.KernelAcrossRuns) *report.Summary {
	sc := &report.Summary{Headline: runsLine(s, findings), Hint: report.SummaryHint}
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
		number, command := r.number.Or(""), validateCommand(r.Run.Result)
		if len(sc.Confirm) < mostChecks && number != "" && command != "" {
			sc.ConfirmReason = "Validate such a run alone"
			sc.Confirm = append(sc.Confirm, report.NextCommand{
				Rows:    number,
				Command: command,
				Reads:   true,
			})
		}
	}
	return sc
}

// andMore returns a text with the number of rows that a summary leaves out, or
// "" if it leaves out none.
func andMore(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + unit.Plural(n, "more "+what)
}

// runsLine returns a sentence about the runs that differ.
func runsLine(s *diff.Runs, findings []findingRow) string {
	devices := devicesOf(resultsOf(s))
	text := unit.Plural(len(s.Runs), "run") + " of " +
		unit.Plural(len(s.Kernels), "kernel") + " on " + strings.Join(devices, ", ")
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
			text += report.Signed(points) + " points"
		}
		return text + ")"
	})
	text += ". " + unit.FormatCount(len(findings), "differs: ", "differ: ") +
		strings.Join(report.FirstFew(names, 3), ", ")
	// An occupancy that no finding is about is a fact of its own, for example
	// if the only finding is a run without some kernels.
	about := func(k *diff.KernelAcrossRuns) bool {
		return len(k.Findings) > 0 || slices.ContainsFunc(s.Findings, func(f diff.Finding) bool {
			return f.Kernel == nil && f.Off.Present()
		})
	}
	if k, points := s.MostVaried(); k != nil && points > 0 && !about(k) {
		text += "; " + variesText(k, points)
	}
	if s.Few() {
		text += fmt.Sprintf(". A single kernel needs %d runs for a test", diff.LeastRuns)
	}
	return text
}

// notFound returns a sentence for the case that no run differs: either no
// outlier was found, or the runs are too few for the test. It also contains the
// largest range of a value over the runs and the smallest outlier that would be
// found, because the absence of an outlier does not prove that the runs are
// alike.
func notFound(s *diff.Runs) string {
	text := "No outlier was found"
	if s.Few() {
		text = fmt.Sprintf("%s too few to identify an outlier (at least %d are needed)",
			unit.FormatCount(s.Compared, "run is", "runs are"), diff.LeastRuns)
	}
	if k, points := s.MostVaried(); k != nil {
		text += "; " + variesText(k, points)
	} else {
		text += "; no kernel was measured in two runs"
	}
	switch least := float64(s.Smallest); {
	case math.IsInf(least, 0) || least > 100:
		text += ". The runs are too few or too noisy to find an outlier in a single kernel"
	case least > 0 && !s.Few():
		text += fmt.Sprintf(". In a single kernel of one run, a drop of less than %.1f points would probably be missed",
			least)
	}
	if s.Compared == 2 {
		text += ". Compare two runs with 'occudiff diff'"
	}
	return text
}

func variesText(k *diff.KernelAcrossRuns, points unit.Points) string {
	return fmt.Sprintf("%s varies by %.1f points", report.KernelName(k.Task), float64(points))
}

// findingRow is a finding with the data for its columns. People see only one
// finding per run, together with the number of the run's other findings.
type findingRow struct {
	diff.Finding
	number unit.Opt[string] // absent if no row has a number
	more   int              // number of other kernels of the run that differ
}

// ways returns the ways in which the run of a finding differs, and the names of
// missing kernels.
func (f *findingRow) ways() string {
	return strings.Join(report.ListOf(f.Run.Findings, func(w diff.RunFinding) string {
		if w != diff.RunMissingKernels {
			return string(w)
		}
		names := report.ListOf(f.Run.MissingKernels, func(task string) string { return report.ShortName(task, 40) })
		return string(w) + ": " + strings.Join(report.FirstFew(names, report.MaxListedTasks), ", ")
	}), ", ")
}

// status returns Bad if a run is worse as a whole. A run that is higher or
// faster than the others is unusual but not worse. If a run differs only in
// some kernels, the finding names these kernels.
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

// findingRows returns one finding per run, with row numbers for the runs that
// need attention. If it returned all findings, a single run that differs as a
// whole or in many kernels would fill the list.
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

// runsAgentSummary returns a short summary, for agents, that lists the runs
// that differ.
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
	none := ""
	if s.Few() && len(s.Findings) == 0 {
		none, judged = notFound(s), 0
	}
	c := newAgentSummary(resultsOf(s), notes, none, judged, len(s.Kernels)-judged)
	if !c.Usable {
		return c
	}
	for _, f := range s.Findings {
		finding := report.Finding{
			Run:     f.Run.Name,
			Verdict: string(f.What),
			Points:  f.Off,
		}
		if k := f.Kernel; k != nil {
			finding.Kernel, finding.Predicted, finding.Measured = k.Task, k.Predicted, k.Measured[f.Run.Place]
		}
		if command := validateCommand(f.Run.Result); f.What != diff.RunCopy {
			finding.Next = unit.Maybe(command, command != "")
		}
		if !c.Add(finding) {
			break
		}
	}
	return c
}

// acrossRuns is a kernel with its values over all runs.
type acrossRuns = diff.KernelAcrossRuns

// manyColumns are the columns for a kernel over all runs.
var manyColumns = []report.Col[acrossRuns]{
	report.Define("task", "Kernel",
		func(k *acrossRuns) string { return k.Task },
		report.Name,
		report.Cut,
		report.Code),
	report.Shown("launch_size", "Launch",
		func(k *acrossRuns) string { return rundoc.LaunchSize(k.Kernel) },
		report.Drop(2),
		report.Cut,
		report.Code,
		report.NonZero),
	report.JSON("global",
		func(k *acrossRuns) unit.Size3 { return k.Global }),
	report.JSON("local",
		func(k *acrossRuns) unit.Size3 { return k.Local }),
	report.JSON("simd",
		func(k *acrossRuns) unit.Opt[int] { return k.SIMD }),
	report.JSON("direction",
		func(k *acrossRuns) string { return string(k.Direction) },
		report.NonZero),
	report.Define("runs", "Runs",
		func(k *acrossRuns) int { return k.N },
		report.Drop(6)),
	report.Define("predicted_average_percent", "Predicted average",
		func(k *acrossRuns) percent { return k.Predicted },
		report.Drop(5)),
	report.Define("median_percent", "median",
		func(k *acrossRuns) percent { return k.Median },
		report.Group("Measured")),
	report.Shown("lowest", "lowest",
		func(k *acrossRuns) percent { return k.Lowest },
		report.Group("Measured")),
	report.Shown("highest", "highest",
		func(k *acrossRuns) percent { return k.Highest },
		report.Group("Measured"), report.Drop(8)),
	report.List("measured_percent",
		func(k *acrossRuns) []percent { return k.Measured },
		report.Element[percent]()),
}

// byRun returns a column with the runs in which a kernel differs, and by how
// much. For files, it also returns a column for each run.
func byRun(s *diff.Runs) []report.Col[acrossRuns] {
	list := []report.Col[acrossRuns]{report.Shown("off", "Off in", func(k *acrossRuns) []string {
		return report.ListOf(k.Findings, func(f diff.Finding) string {
			return report.OneLine(f.Run.Name) + " " + report.Signed(f.Off.Or(0))
		})
	}, report.Fold)}
	for i := range s.Runs {
		list = append(list, report.Shown("run_"+strconv.Itoa(i+1), report.OneLine(s.Runs[i].Name),
			func(k *acrossRuns) percent { return k.Measured[i] }, report.Files, report.Heat))
	}
	return list
}

// ValidateRuns is the value of `validate` over several runs, schema
// occudiff/validate-runs/1. Each run has the same fields as in the output of
// validate for that run alone, so that a script can read both with the same
// code.
type ValidateRuns struct {
	Schema   string        `json:"schema"`
	Findings *report.Table `json:"findings"`
	Runs     []ValidateRun `json:"runs"`
	Kernels  *report.Table `json:"kernels"`
}

// ValidateRun is one of several runs. Its summary contains the number of
// kernels per verdict.
type ValidateRun struct {
	Name      string                 `json:"name"`
	Lacks     int                    `json:"kernels_missing"`
	GPUTime   unit.Opt[unit.Seconds] `json:"gpu_seconds"`
	Off       unit.Opt[unit.Points]  `json:"off_points"`
	TimeRatio number                 `json:"time_ratio"`
	Findings  []string               `json:"findings"`
	Run       *rundoc.Validate       `json:"run"`
}

func runsValue(s *diff.Runs) ValidateRuns {
	runs := report.ListOf(s.Runs, func(r diff.RunAcrossKernels) ValidateRun {
		return ValidateRun{r.Name, len(r.MissingKernels), r.Summary.GPUTime, r.Off, r.TimeRatio,
			report.Strings(r.Findings), rundoc.Value(r.Result)}
	})
	return ValidateRuns{runsSchema, report.NewTable("findings", "", allFindings(s), findingColumns), runs,
		report.NewTable("kernels", "", s.Kernels, manyColumns)}
}

// findingTable returns the table of findings for people.
func findingTable(rows []findingRow) *report.Table {
	return report.NewTable("findings", "", rows, findingColumns).
		Show("n", "run", "kernel", "measured", "points", "time", "finding")
}

var findingColumns = slices.Concat([]report.Col[findingRow]{
	report.Shown("n", "#",
		func(f *findingRow) unit.Opt[string] { return f.number }),
	report.Define("run", "Run",
		func(f *findingRow) string { return f.Run.Name },
		report.Cut,
		report.Code),
	report.JSON("finding",
		func(f *findingRow) string { return string(f.What) }),
	report.Shown("finding", "Finding", func(f *findingRow) report.Word {
		text := f.ways()
		switch {
		case f.Run.CopyOf != "":
			text += " of " + report.OneLine(f.Run.CopyOf) + ", left out"
		case f.more > 0:
			text += "; " + unit.FormatCount(f.more, "more kernel differs", "more kernels differ")
		}
		return f.status().Word(text)
	}, report.Fold),
	report.Shown("kernel", "Kernel", func(f *findingRow) string {
		if f.Kernel == nil {
			return "all"
		}
		return report.KernelName(f.Kernel.Task)
	}, report.Cut, report.Code),
	report.Define("points", "Off",
		func(f *findingRow) unit.Opt[unit.Points] { return f.Off }),
	report.Define("time", "Time / others",
		func(f *findingRow) number { return f.Run.TimeRatio },
		report.Brief("Time"), report.Decimals(2), report.Path("time_ratio")),
}, report.Within("", "", func(f *findingRow) *findingRow {
	if f.Kernel == nil {
		return nil
	}
	return f
}, []report.Col[findingRow]{ // columns for a finding about a single kernel
	report.JSON("kernel",
		func(f *findingRow) unit.Opt[string] { return unit.Some(f.Kernel.Task) },
		report.Name),
	report.JSON("measured_percent",
		func(f *findingRow) percent { return f.Kernel.Measured[f.Run.Place] }),
	report.JSON("median_percent",
		func(f *findingRow) percent { return f.Kernel.Median }),
	report.Shown("measured", "Measured",
		func(f *findingRow) string {
			return report.Decimal(f.Kernel.Measured[f.Run.Place].Or(0).Percent(), 1) + " of " +
				f.Kernel.Median.Or(0).String()
		},
		report.NonZero),
}))
