package report

import (
	"fmt"
	"occudiff/ingest/note"
	"strings"
	"time"

	"occudiff/compare"
)

// The keys of the sections that only FromDiff makes.
const (
	SectionChanges = "changes"
	SectionRule    = "rule"
)

// FromDiff builds the report of two sides: what changed, how many regressions, why, all kernels, the rule, notes,
// provenance. It keeps d: rows are read when a renderer asks for them.
func FromDiff(d *compare.DiffResult, prov Provenance) *Document {
	doc := &Document{
		Title:    "GPU occupancy of two runs",
		Subject:  "Old and new occupancy, kernel by kernel",
		Date:     diffDate(d),
		Headline: diffHeadline(d),
		Closing:  diffClosing(d),
		Version:  prov.Version,
	}
	doc.Sections = []Section{diffSummarySection(d, doc), changeSection(d), movedSection(d), diffKernelSection(d), ruleSection(d),
		NoteSection(runNotes(d.Notes)), diffProvenanceSection(d, prov)}
	return doc
}

// runNotes are notes about no task.
func runNotes(notes []note.Note) []TaskNote {
	list := make([]TaskNote, len(notes))
	for i, n := range notes {
		list[i].Note = n
	}
	return list
}

// diffDate is when the new side was collected.
func diffDate(d *compare.DiffResult) (latest time.Time) {
	for _, r := range d.New.Runs {
		if t := r.Platform.Collected; t.After(latest) {
			latest = t
		}
	}
	return latest
}

// diffHeadline says what is compared with what, and what is not the same.
func diffHeadline(d *compare.DiffResult) []string {
	return []string{"Old: " + sideText(&d.Old), "New: " + sideText(&d.New), "Changed: " + changedText(d.Changes)}
}

func sideText(s *compare.DiffSide) string {
	text := Counted(len(s.Runs), "run", "runs")
	if s.Name != "" {
		text = OneLine(s.Name) + ", " + text
	}
	var names []string
	for _, r := range s.Runs {
		if r.Device != nil && !containsText(names, r.Device.Name) {
			names = append(names, r.Device.Name)
		}
	}
	if len(names) == 0 {
		return text + " on a device that nobody names"
	}
	return text + " on " + OneLine(strings.Join(names, ", "))
}

func containsText(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// mostTasks is how many kernels a headline names for one change.
const mostTasks = 3

// changedText lists the changes, equal ones of several kernels as one.
func changedText(changes []compare.Change) string {
	type bundle struct {
		text  string
		tasks []string
	}
	var list []*bundle
	index := map[string]*bundle{}
	for _, c := range changes {
		b := index[c.String()]
		if b == nil {
			b = &bundle{text: OneLine(c.String())}
			index[c.String()] = b
			list = append(list, b)
		}
		if c.Task != "" {
			b.tasks = append(b.tasks, CutMiddle(OneLine(c.Task), labelWidth))
		}
	}
	words := make([]string, 0, len(list))
	for _, b := range list {
		if n := len(b.tasks); n > mostTasks {
			b.tasks = append(b.tasks[:mostTasks:mostTasks], Thousands(int64(n-mostTasks))+" more")
		}
		if len(b.tasks) > 0 {
			b.text += " (" + strings.Join(b.tasks, ", ") + ")"
		}
		words = append(words, b.text)
	}
	if len(words) == 0 {
		return "nothing that the inputs name"
	}
	return strings.Join(words, "; ")
}

// diffClosing says in one or two sentences what came of it.
func diffClosing(d *compare.DiffResult) string {
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
		{s.ChangedDevice, "on another device", "on another device"}, {s.OnlyOld, "only old", "only old"}, {s.OnlyNew, "only new", "only new"},
		{s.NotComparable, "not comparable", "not comparable"}, {s.Unchanged, "unchanged", "unchanged"},
	} {
		if p.n > 0 {
			parts = append(parts, Counted(p.n, p.one, p.many))
		}
	}
	found := Counted(s.Regressions, "regression", "regressions")
	if s.Regressions == 0 {
		found = "No regression"
	}
	text := found + " in " + Counted(s.Kernels, "kernel", "kernels") +
		" at a threshold of " + plain(float64(d.Options.Threshold)) + " points"
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, ", ")
	}
	text += "."
	if x, ok := s.TimeRatio.Value(); ok {
		text += fmt.Sprintf(" A launch takes %s times as long (geometric mean over %s).", Decimal(x, 2), Counted(s.TimePairs, "kernel", "kernels"))
	}
	if a, b := len(d.Old.Runs), len(d.New.Runs); s.Tested == 0 {
		text += fmt.Sprintf(" No test is possible with %d + %d runs: give 4 repeats a side.", a, b)
	}
	return text
}

func diffStatus(v compare.DiffVerdict) Status {
	switch v {
	case compare.DiffRegression:
		return Bad
	case compare.DiffImprovement:
		return Good
	case compare.DiffUnchanged:
		return Plain
	case compare.DiffNotAKernel:
		return Muted
	}
	return Unsure
}

func diffSummarySection(d *compare.DiffResult, doc *Document) Section {
	s := Section{Key: SectionSummary, Title: "Summary", Sheet: "Summary"}
	s.Text = append(append(s.Text, doc.Headline...), doc.Closing)
	counts := []struct {
		verdict compare.DiffVerdict
		n       int
		meaning string
	}{
		{compare.DiffRegression, d.Summary.Regressions, "measured occupancy fell; where the launch or device changed, the residual too"},
		{compare.DiffChangedLaunch, d.Summary.ChangedLaunch, "the launch is not the same and does what is predicted, or nobody can say"},
		{compare.DiffChangedDevice, d.Summary.ChangedDevice, "the device is not the same and the kernel does what is predicted, or nobody can say"},
		{compare.DiffImprovement, d.Summary.Improvements, "measured occupancy rose; where the launch or device changed, the residual too"},
		{compare.DiffOnlyOld, d.Summary.OnlyOld, "the new side does not have it"},
		{compare.DiffOnlyNew, d.Summary.OnlyNew, "the old side does not have it"},
		{compare.DiffNotComparable, d.Summary.NotComparable, "no measured occupancy on a side, or the kernel is too short for one"},
		{compare.DiffUnchanged, d.Summary.Unchanged, "within the threshold, or not significant"},
		{compare.DiffNotAKernel, d.Summary.NotKernels, "copies, fills, barriers, outside any task"},
	}
	var rows [][]Cell
	for _, c := range counts {
		rows = append(rows, []Cell{StatusCell(string(c.verdict), diffStatus(c.verdict)), IntCell(c.n), TextCell(c.meaning)})
	}
	s.Tables = []*Table{Fixed("verdicts", "Verdicts", []Column{
		{Key: "verdict", Title: "Verdict", Kind: Text, In: Page | Sheet, Words: diffWords()},
		{Key: "rows", Title: "Tasks", Kind: Integer, In: Page | Sheet},
		{Key: "meaning", Title: "Meaning", Kind: Text, In: Page},
	}, rows)}
	if n := d.Summary.Kernels; n > 0 {
		p := Plot{Key: "occupancy", Title: "Measured occupancy by kernel", Table: SectionKernels, Label: "label",
			Series: []string{"measured_old_percent", "measured_new_percent"}, Rows: min(n, plotRows), Unit: "%", Max: 100}
		if n > plotRows {
			p.Title += ", the first " + Thousands(plotRows) + " of " + Thousands(int64(n))
		}
		s.Plots = []Plot{p}
	}
	return s
}

func diffWords() []Word {
	var words []Word
	for _, v := range compare.DiffVerdicts() {
		words = append(words, Word{string(v), diffStatus(v)})
	}
	return words
}

// changeSection lists what is not the same, before any regression.
func changeSection(d *compare.DiffResult) Section {
	s := Section{Key: SectionChanges, Title: "What changed", Sheet: "Summary"}
	if len(d.Changes) == 0 {
		s.Text = []string{"Nothing that the inputs name. What only one side says (a driver, a VTune version) is unknown on the other, which is no change."}
		return s
	}
	rows := make([][]Cell, 0, len(d.Changes))
	for _, c := range d.Changes {
		task := c.Task
		if task == "" {
			task = "the whole run"
		}
		rows = append(rows, []Cell{TextCell(c.What), TextCell(task), TextCell(c.Old), TextCell(c.New)})
	}
	s.Tables = []*Table{Fixed("changes", "", []Column{
		{Key: "what", Title: "What", Kind: Text, In: Page | Sheet},
		{Key: "task", Title: "Of", Kind: Text, In: Page | Sheet},
		{Key: "old", Title: "Old", Kind: Text, In: Page | Sheet},
		{Key: "new", Title: "New", Kind: Text, In: Page | Sheet},
	}, rows)}
	return s
}

// movedSection says of each kernel that is not simply unchanged what happened.
func movedSection(d *compare.DiffResult) Section {
	s := Section{Key: SectionAttention, Title: "Kernels that are not the same", Sheet: "Summary", ItemsIn: Glance | Page | Sheet}
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.NotAKernel || !diffAttention(r, d) {
			continue
		}
		status := diffStatus(r.Verdict)
		if r.Verdict == compare.DiffUnchanged {
			status = Unsure
		}
		s.Items = append(s.Items, Item{Lead: OneLine(r.Task), Detail: diffShape(r), Text: string(r.Verdict) + ". " + OneLine(r.Because), Status: status})
	}
	if len(s.Items) == 0 {
		s.Text = []string{"None."}
	}
	return s
}

// diffAttention says whether a row needs a sentence: all but what is unchanged, and of that what moved with much noise.
func diffAttention(r *compare.DiffRow, d *compare.DiffResult) bool {
	if r.Verdict != compare.DiffUnchanged {
		return true
	}
	c := r.Measured.Change.Or(0)
	floor := float64(d.Options.Threshold)
	return r.Measured.Insignificant() && (c > floor || c < -floor)
}

// diffShape tells kernels of one name apart: "2048x2048 in 1024x1, SIMD 16 -> 32".
func diffShape(r *compare.DiffRow) string {
	text := bothSizes(r, compare.ChangeGlobal, globalOf)
	if l := bothSizes(r, compare.ChangeLocal, localOf); l != "" {
		if text != "" {
			text += " in "
		}
		text += l
	}
	if n := bothSizes(r, compare.ChangeSIMD, simdOf); n != "" {
		if text != "" {
			text += ", "
		}
		text += "SIMD " + n
	}
	return text
}

// ruleSection documents how verdicts come about.
func ruleSection(d *compare.DiffResult) Section {
	o := &d.Options
	floor := plain(float64(o.Threshold))
	return Section{Key: SectionRule, Title: "How this is judged", Sheet: "Sources", In: Page | Sheet, Text: []string{
		"Every run of a side is one sample of each kernel; what is compared are the medians. A kernel is a regression when its measured occupancy fell by more than " +
			floor + " percentage points (not per cent of per cent) and, from 4 runs a side on, a two-sided Mann-Whitney test gives p below " + plain(o.Alpha) +
			"; below 4 no test can find anything, and the threshold alone decides. An improvement is the mirror image.",
		"Where the launch shape, the SIMD width, the GRF mode, SLM or the device is not the same, lower occupancy may be intended: then the residual, measured minus predicted average, " +
			"has to have fallen in the same way for a regression. A launch that does what is predicted of it is a changed launch; so is one without a prediction on both sides, since nobody can say.",
		"A change that is not significant is shown as ~. Intervals hold the median with at least " + plain(100*o.Confidence) +
			" % confidence from 6 runs on; those of 4 and 5 runs reach from the smallest to the largest value (87.5 and 93.8 %). " +
			"What was not measured is not zero, and the counter of a kernel that is too short for the sampling interval is not a measurement: neither is compared. " +
			"A driver or version that a side does not name is unknown and never a change.",
	}}
}

// diffProvenanceSection says what was compared and how, so that it can be done again.
func diffProvenanceSection(d *compare.DiffResult, prov Provenance) Section {
	s := Section{Key: SectionProvenance, Title: "Provenance", Sheet: "Sources"}
	var rows pairs
	rows.text("Made by", strings.TrimSpace("occudiff "+prov.Version))
	rows.text("Command line", commandLine(prov.CommandLine))
	rows.text("Label", prov.Label)
	rows.text("Threshold", plain(float64(d.Options.Threshold))+" points")
	s.Tables = append(s.Tables, nameValue("provenance", "", rows))
	var runs, inputs [][]Cell
	for _, side := range []struct {
		name string
		side *compare.DiffSide
	}{{"old", &d.Old}, {"new", &d.New}} {
		for i, r := range side.side.Runs {
			device, collected := "", ""
			if r.Device != nil {
				device = r.Device.Name + " (" + r.Device.Key + ")"
			}
			if !r.Platform.Collected.IsZero() {
				collected = r.Platform.Collected.Format("2006-01-02 15:04:05 MST")
			}
			runs = append(runs, []Cell{TextCell(side.name), IntCell(i + 1), IntCell(r.Summary.Kernels), TextCell(device), TextCell(r.ChosenBy),
				TextCell(r.Platform.Driver), TextCell(r.Platform.VTune), TextCell(collected)})
			for _, in := range r.Inputs {
				inputs = append(inputs, []Cell{TextCell(side.name), IntCell(i + 1), TextCell(in.Path), TextCell(in.Kind), IntCell(in.Rows), IntCell(in.BadRows), TextCell(in.Digest)})
			}
		}
	}
	all := Page | Sheet
	s.Tables = append(s.Tables, Fixed("runs", "Runs", []Column{
		{Key: "side", Title: "Side", Kind: Text, In: all}, {Key: "run", Title: "Run", Kind: Integer, In: all},
		{Key: "kernels", Title: "Kernels", Kind: Integer, In: all}, {Key: "device", Title: "Device", Kind: Text, In: all},
		{Key: "chosen_by", Title: "Named by", Kind: Text, In: all}, {Key: "driver", Title: "Driver", Kind: Text, In: all},
		{Key: "vtune", Title: "VTune", Kind: Text, In: all}, {Key: "collected", Title: "Collected", Kind: Text, In: all},
	}, runs), Fixed("inputs", "Inputs", []Column{
		{Key: "side", Title: "Side", Kind: Text, In: all}, {Key: "run", Title: "Run", Kind: Integer, In: all},
		{Key: "path", Title: "File", Kind: Text, In: all}, {Key: "kind", Title: "Kind", Kind: Text, In: all},
		{Key: "rows", Title: "Rows", Kind: Integer, In: all}, {Key: "bad_rows", Title: "Bad rows", Kind: Integer, In: all},
		{Key: "digest", Title: "Digest", Kind: Text, In: all},
	}, inputs))
	return s
}
