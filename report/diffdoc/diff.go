package diffdoc

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// document builds the report of two sides: what every form begins with, what changed, why, all kernels, the rule, notes,
// provenance.
func document(d *diff.Result, prov report.Provenance) *report.Document {
	top := screen(&diff.Sides{Against: []*diff.Result{d}}, nil, prov.Show)
	// From here on the rows are those that --kernel, --top and --sort leave; counts stay those of all.
	d = shown(d, prov.Show)
	return &report.Document{Screen: top, Title: "GPU occupancy of two runs", Subject: "Old and new occupancy, kernel by kernel",
		Date: dateOf(d), Version: prov.Version,
		Sections: slices.Concat([]report.Section{plotSection(d), changeSection(d), movedSection(d)},
			sensitivitySections(sensitivitiesOf(d)),
			[]report.Section{kernelSection(d), ruleSection(d), report.NoteSection(report.RunNotes(d.Notes)),
				provenanceSection(d, prov)})}
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

// plotSection shows what the first kernels measure on both sides.
func plotSection(d *diff.Result) report.Section {
	s := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary"}
	if n := kernelsOf(d); n > 0 {
		p := report.Plot{Key: "occupancy", Title: "Measured occupancy by kernel", Table: report.SectionKernels,
			Label: "label", Series: []string{"measured_old_percent", "measured_new_percent"}, Rows: min(n, report.PlotRows),
			Unit: "%", Max: 100}
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
			runs = append(runs, comparedRun{side.name, i + 1, r})
			for _, in := range report.InputValues(r) {
				inputs = append(inputs, comparedInput{side.name, i + 1, in})
			}
		}
	}
	t := report.NewTable("runs", "Runs", runs, comparedColumns).Show()
	t.In = report.Files
	of := report.NewTable("inputs", "Inputs", inputs, comparedInputs)
	of.In = report.Files
	s.Tables = append(s.Tables, t, of)
	return s
}

// comparedRun is a run in the table of those that were compared.
type comparedRun struct {
	side string
	run  int
	*compare.Result
}

var comparedColumns = []report.Col[comparedRun]{
	report.Define(column{Key: "side", Title: "Side", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell { return report.TextCell(r.side) }),
	report.Define(column{Key: "run", Title: "Run", Kind: report.Integer, In: report.Files}, func(r *comparedRun) cell { return report.IntCell(r.run) }),
	report.Define(column{Key: "kernels", Title: "Kernels", Kind: report.Integer, In: report.Files}, func(r *comparedRun) cell { return report.IntCell(r.Summary.Kernels) }),
	report.Define(column{Key: "device", Title: "Device", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell {
		if r.Device == nil {
			return cell{}
		}
		return report.TextCell(r.Device.Name + " (" + r.Device.Key + ")")
	}),
	report.Define(column{Key: "chosen_by", Title: "Named by", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell { return report.TextCell(r.ChosenBy) }),
	report.Define(column{Key: "driver", Title: "Driver", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell { return report.TextCell(r.Platform.Driver) }),
	report.Define(column{Key: "vtune", Title: "VTune", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell { return report.TextCell(r.Platform.VTune) }),
	report.Define(column{Key: "collected", Title: "Collected", Kind: report.Text, In: report.Files}, func(r *comparedRun) cell {
		if r.Platform.Collected.IsZero() {
			return cell{}
		}
		return report.TextCell(r.Platform.Collected.Format("2006-01-02 15:04:05 MST"))
	}),
}

// comparedInput is a file in the table of inputs.
type comparedInput struct {
	side string
	run  int
	report.InputValue
}

// comparedInputs are the columns of files of several sides.
var comparedInputs = append([]report.Col[comparedInput]{
	report.Define(column{Key: "side", Title: "Side", Kind: report.Text, In: report.Files}, func(i *comparedInput) cell { return report.TextCell(i.side) }),
	report.Define(column{Key: "run", Title: "Run", Kind: report.Integer, In: report.Files}, func(i *comparedInput) cell { return report.IntCell(i.run) }),
}, report.Within("", "", func(i *comparedInput) *report.InputValue { return &i.InputValue }, report.InputColumns())...)
