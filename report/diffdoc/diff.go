package diffdoc

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// document builds the report of two sides: what changed, how many regressions, why, all kernels, the rule, notes,
// provenance. It keeps d: rows are read when a renderer asks for them.
func document(d *diff.Result, prov report.Provenance) *report.Document {
	// From here on the rows are those that --kernel, --top and --sort leave; counts stay those of all.
	d = shown(d, prov.Show)
	doc := &report.Document{
		Title:    "GPU occupancy of two runs",
		Subject:  "Old and new occupancy, kernel by kernel",
		Date:     dateOf(d),
		Headline: headline(d),
		Closing:  closing(d),
		Version:  prov.Version,
	}
	doc.Sections = slices.Concat(
		[]report.Section{summarySection(d, doc), changeSection(d), movedSection(d)},
		sensitivitySections(sensitivitiesOf(d)),
		[]report.Section{kernelSection(d), ruleSection(d), report.NoteSection(report.RunNotes(d.Notes)),
			provenanceSection(d, prov)})
	return doc
}

// dateOf is when the new side was collected.
func dateOf(d *diff.Result) (latest time.Time) {
	for _, r := range d.New.Runs {
		if t := r.Platform.Collected; t.After(latest) {
			latest = t
		}
	}
	return latest
}

// headline says what is compared with what, and what is not the same.
// What changed beside the kernels stands before any verdict: with another driver or clock a regression may be of that.
func headline(d *diff.Result) []string {
	lines := []string{"Old: " + sideText(&d.Old), "New: " + sideText(&d.New), "Changed: " + changedText(d.Changes)}
	return append(lines, report.NotWhole(d.Notes)...)
}

func sideText(s *diff.Side) string {
	text := unit.Counted(len(s.Runs), "run", "runs")
	if s.Name != "" {
		text = report.OneLine(s.Name) + ", " + text
	}
	var names []string
	for _, r := range s.Runs {
		if r.Device != nil && !slices.Contains(names, r.Device.Name) {
			names = append(names, r.Device.Name)
		}
	}
	if len(names) == 0 {
		return text + " on an unknown device"
	}
	return text + " on " + report.OneLine(strings.Join(names, ", "))
}

// changedText lists the changes, equal ones of several kernels as one.
// A recompilation may change the SIMD width of every kernel, and that is one sentence.
func changedText(changes []diff.Change) string {
	type bundle struct {
		text  string
		tasks []string
	}
	var list []*bundle
	index := map[string]*bundle{}
	for _, c := range changes {
		b := index[c.String()]
		if b == nil {
			b = &bundle{text: report.OneLine(c.String())}
			index[c.String()] = b
			list = append(list, b)
		}
		if task, ok := c.Task.Value(); ok {
			b.tasks = append(b.tasks, report.CutMiddle(report.KernelName(task), report.LabelWidth))
		}
	}
	words := make([]string, 0, len(list))
	for _, b := range list {
		if len(b.tasks) > 0 {
			b.text += " (" + strings.Join(report.Few(b.tasks, report.MostTasks), ", ") + ")"
		}
		words = append(words, b.text)
	}
	if len(words) == 0 {
		return "nothing, as far as the inputs say"
	}
	return strings.Join(words, "; ")
}

// closing says in one or two sentences what came of it.
func closing(d *diff.Result) string {
	s := &d.Summary
	if s.Kernels == 0 {
		return "No kernel on either side: there is nothing to compare."
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{s.Improvements, "improvement", "improvements"}, {s.ChangedLaunch, "changed launch", "changed launches"},
		{s.ChangedDevice, "on another device", "on another device"},
		{s.Faster, "faster at lower occupancy", "faster at lower occupancy"}, {s.OnlyOld, "only old", "only old"},
		{s.OnlyNew, "only new", "only new"},
		{s.NotComparable, "not comparable", "not comparable"}, {s.Unchanged, "unchanged", "unchanged"},
	} {
		if p.n > 0 {
			parts = append(parts, unit.Counted(p.n, p.one, p.many))
		}
	}
	// "No regression" is only said of what could be judged.
	found := unit.Counted(s.Regressions, "regression", "regressions")
	among := unit.Counted(s.Kernels, "kernel", "kernels")
	if s.Regressions == 0 {
		found = "No regression"
		if judged := s.Kernels - s.NotComparable - s.OnlyOld - s.OnlyNew; judged < s.Kernels {
			among = fmt.Sprintf("%s of %s that could be judged", report.Thousands(int64(judged)), among)
		}
	}
	text := found + " in " + among + " at a threshold of " + report.Shortest(float64(d.Options.Threshold)) + " points"
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, ", ")
	}
	text += "."
	if x, ok := s.TimeRatio.Value(); ok {
		times := report.Decimal(x, 2) + " times as long"
		if diff.SameTime(x) {
			times = "as long as before"
		}
		text += fmt.Sprintf(" A launch takes %s (geometric mean over %s).", times,
			unit.Counted(s.TimePairs, "kernel", "kernels"))
	}
	if a, b := len(d.Old.Runs), len(d.New.Runs); s.Tested == 0 && d.Options.Noise == nil {
		text += fmt.Sprintf(" No test is possible with %d + %d runs: give 4 repeats per side.", a, b)
	}
	return text
}

// Unchanged has no color, as most kernels of most diffs are: green would hide what improved.
func statusOf(v diff.Verdict) report.Status {
	switch v {
	case diff.Regression:
		return report.Bad
	case diff.Improvement, diff.Faster:
		return report.Good
	case diff.Unchanged:
		return report.Plain
	case diff.NotAKernel:
		return report.Muted
	}
	return report.Unsure
}

func summarySection(d *diff.Result, doc *report.Document) report.Section {
	s := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary"}
	s.Text = append(append(s.Text, doc.Headline...), doc.Closing)
	count := func(v diff.Verdict, n int, meaning string) report.VerdictCount {
		return report.VerdictCount{Verdict: verdictCell(v), Rows: n, Meaning: meaning}
	}
	s.Tables = []*report.Table{report.VerdictTable([]report.VerdictCount{
		count(diff.Regression, d.Summary.Regressions, "XVEs that ran held less, or measured occupancy fell where "+
			"it is comparable; where the launch or device changed, the residual fell too"),
		count(diff.ChangedLaunch, d.Summary.ChangedLaunch,
			"the launch changed and does what is predicted of it, or there is no prediction"),
		count(diff.ChangedDevice, d.Summary.ChangedDevice,
			"the device changed and the kernel does what is predicted of it, or there is no prediction"),
		count(diff.Faster, d.Summary.Faster, "launches take less time, and time between launches weighs more, or "+
			"a test says that launches are faster while XVEs that ran hold less"),
		count(diff.Improvement, d.Summary.Improvements, "the opposite of a regression, or launches that are faster "+
			"and hold more"),
		count(diff.OnlyOld, d.Summary.OnlyOld, "the new side does not have it"),
		count(diff.OnlyNew, d.Summary.OnlyNew, "the old side does not have it"),
		count(diff.NotComparable, d.Summary.NotComparable,
			"one side is unmeasurable, or launches take a different time"),
		count(diff.Unchanged, d.Summary.Unchanged, "within the threshold, or not significant"),
		count(diff.NotAKernel, d.Summary.NotKernels, "copies, fills, barriers, outside any task"),
	})}
	if n := kernelsOf(d); n > 0 {
		p := report.Plot{Key: "occupancy", Title: "Measured occupancy by kernel", Table: report.SectionKernels,
			Label:  "label",
			Series: []string{"measured_old_percent", "measured_new_percent"}, Rows: min(n, report.PlotRows), Unit: "%",
			Max: 100}
		if n > report.PlotRows {
			p.Title += ", the first " + report.Thousands(report.PlotRows) + " of " + report.Thousands(int64(n))
		}
		s.Plots = []report.Plot{p}
	}
	return s
}

// changeSection lists what is not the same, before any regression.
func changeSection(d *diff.Result) report.Section {
	s := report.Section{Key: report.SectionChanges, Title: "What changed", Sheet: "Summary"}
	if len(d.Changes) == 0 {
		s.Text = []string{"Nothing, as far as the inputs say. What only one side states (a driver, a VTune version) " +
			"is unknown on the other and does not count as a change."}
		return s
	}
	t := report.NewTable("changes", "", d.Changes, changeColumns).Show()
	t.In = report.Files
	s.Tables = []*report.Table{t}
	return s
}

// mostItems is how many kernels have a sentence.
const mostItems = 1000

// movedSection says of each kernel that is not simply unchanged what happened.
func movedSection(d *diff.Result) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: "Kernels that differ", Sheet: "Summary",
		ItemsIn: report.Everywhere}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !r.IsKernel || !needsAttention(r, d) {
			continue
		}
		if len(s.Items) == mostItems {
			s.Items = append(s.Items, report.Item{Status: report.Unsure,
				Text: "The table of kernels lists the others."})
			break
		}
		status := statusOf(r.Verdict)
		// It moved by more than the threshold, and a test does not tell that from chance.
		if r.Verdict == diff.Unchanged {
			status = report.Unsure
		}
		s.Items = append(s.Items, report.Item{Lead: report.KernelName(r.Task), Detail: shapeText(r),
			Text: string(r.Verdict) + ". " + report.OneLine(r.Because.Or("")), Status: status})
	}
	if len(s.Items) == 0 {
		s.Text = []string{"None."}
	}
	return s
}

// needsAttention says whether a row needs a sentence: all but what is unchanged, and of that what moved with much
// noise.
func needsAttention(r *diff.Row, d *diff.Result) bool {
	if r.Verdict != diff.Unchanged {
		return true
	}
	c := r.Measured().Change.Or(0)
	floor := float64(d.Options.Threshold)
	return r.Measured().Insignificant() && (c > floor || c < -floor)
}

//go:embed rule.txt
var ruleText string

// ruleSection documents how verdicts come about.
func ruleSection(d *diff.Result) report.Section {
	o := &d.Options
	text := strings.NewReplacer("{threshold}", report.Shortest(float64(o.Threshold)), "{alpha}",
		report.Shortest(o.Alpha), "{confidence}", report.Shortest(100*o.Confidence)).Replace(ruleText)
	s := report.Section{Key: report.SectionRule, Title: "How this is judged", Sheet: "Sources", In: report.Files}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		s.Text = append(s.Text, strings.ReplaceAll(paragraph, "\n", " "))
	}
	return s
}

// provenanceSection says what was compared and how, so that it can be done again.
func provenanceSection(d *diff.Result, prov report.Provenance) report.Section {
	s := report.Section{Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources"}
	rows := prov.Pairs()
	rows.Text("Threshold", report.Shortest(float64(d.Options.Threshold))+" points")
	s.Tables = append(s.Tables, report.NameValue("provenance", "", rows))
	var runs []comparedRun
	var inputs []comparedInput
	for _, side := range sides(d) {
		for i, r := range side.Runs {
			run := comparedRun{Side: side.name, Run: i + 1, Kernels: r.Summary.Kernels, ChosenBy: r.ChosenBy,
				Driver: r.Platform.Driver, VTune: r.Platform.VTune}
			if r.Device != nil {
				run.Device = r.Device.Name + " (" + r.Device.Key + ")"
			}
			if !r.Platform.Collected.IsZero() {
				run.Collected = r.Platform.Collected.Format("2006-01-02 15:04:05 MST")
			}
			runs = append(runs, run)
			for _, in := range report.InputValues(r) {
				inputs = append(inputs, comparedInput{side.name, i + 1, in})
			}
		}
	}
	s.Tables = append(s.Tables, report.List("runs", "Runs", runs),
		report.List("inputs", "Inputs", inputs, append([]string{"side", "run"}, report.InputColumns()...)...))
	return s
}

// comparedRun is a run in the table of those that were compared.
// It names the driver that was compared, which may be from a flag: no export records it.
type comparedRun struct {
	Side      string `col:"Side"`
	Run       int    `col:"Run"`
	Kernels   int    `col:"Kernels"`
	Device    string `col:"Device"`
	ChosenBy  string `json:"chosen_by" col:"Named by"`
	Driver    string `col:"Driver"`
	VTune     string `col:"VTune"`
	Collected string `col:"Collected"`
}

// comparedInput is a file in the table of inputs.
type comparedInput struct {
	Side string `col:"Side"`
	Run  int    `col:"Run"`
	report.InputValue
}
