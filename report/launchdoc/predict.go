package launchdoc

import (
	"fmt"
	"strings"

	"occudiff/report"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// The keys of what documents of predictions hold.
const (
	SectionPrediction = "prediction"
	SectionDriver     = "driver"
	TablePredictions  = "predictions"
)

// LaunchCase is a launch on one device and what the model says of it.
type LaunchCase struct {
	Device     *arch.Device
	ChosenBy   string
	Launch     predict.Launch
	Prediction *predict.Prediction // nil when the launch cannot run
	Refusal    error               // why not
	Steps      []predict.Step
	Other      *predict.Prediction  // under the policy that was not taken; nil where it gives the same
	Driver     *predict.DriverLimit // the second opinion; nil unless it was asked for
	Notes      []note.Note
}

// everywhere is the view of what is always shown.
const everywhere = report.Terminal | report.Page | report.Sheet

// FromPrediction builds the document of one launch on one device, with every step of the reasoning.
func FromPrediction(c *LaunchCase, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Predicted occupancy", Version: version, Headline: []string{deviceLine(c.Device), launchLine(&c.Launch)}}
	s := report.Section{Key: SectionPrediction, Title: "Prediction", Text: d.Headline, ItemsIn: report.Terminal | report.Page}
	rows := make([][]report.Cell, 0, len(c.Steps)+1)
	for _, st := range c.Steps {
		rows = append(rows, stepRow(st))
	}
	if c.Other != nil {
		rows = append(rows, stepRow(predict.Step{Label: "GPU under policy " + c.Other.Policy.String(), Formula: "the policy that was not taken",
			Value: fmt.Sprintf("peak %s, average %s", ratioText(c.Other.Peak), ratioText(c.Other.Average))}))
	}
	s.Tables = []*report.Table{inTerminal(report.Fixed("steps", "", stepColumns(), rows))}
	for _, n := range c.Notes {
		s.Items = append(s.Items, report.Item{Lead: n.Severity.String(), Text: noteText(n)})
	}
	d.Closing = verdictOf(c)
	s.Text = append(s.Text[:len(s.Text):len(s.Text)], d.Closing)
	d.Sections = append(d.Sections, s)
	if c.Driver != nil {
		d.Sections = append(d.Sections, driverSection(c))
	}
	return d
}

func stepColumns() []report.Column {
	return []report.Column{
		{Key: "step", Title: "Step", Kind: report.Text, In: everywhere},
		{Key: "calculation", Title: "Calculation", Kind: report.Text, In: everywhere, Cut: true, Drop: 1},
		{Key: "value", Title: "Value", Kind: report.Text, In: everywhere},
		{Key: "binds", Title: "Limit", Kind: report.Text, In: everywhere},
	}
}

func stepRow(s predict.Step) []report.Cell {
	row := []report.Cell{report.TextCell(s.Label), report.TextCell(s.Formula), report.TextCell(s.Value), report.TextCell(" ")}
	if s.Binds {
		row[3] = report.StatusCell("binds", report.Unsure)
	}
	return row
}

// driverSection holds the driver's formula against the model, resource by resource.
func driverSection(c *LaunchCase) report.Section {
	r, p := c.Driver, c.Prediction
	cores := int64(c.Device.XeCores)
	whole := func(n int64) report.Cell {
		if n == predict.Unlimited {
			return report.TextCell("no limit")
		}
		return report.TextCell(report.Thousands(n * cores))
	}
	formula := func(n int64) report.Cell {
		if n == predict.Unlimited {
			return report.TextCell("no limit")
		}
		return report.TextCell(report.Thousands(n))
	}
	rows := [][]report.Cell{
		{report.TextCell("by threads"), formula(r.ByThreads), whole(p.ByThreads)},
		{report.TextCell("by SLM"), formula(r.BySLM), whole(p.BySLM)},
		{report.TextCell("by barriers"), formula(r.ByBarriers), whole(p.ByBarriers)},
		{report.TextCell("by work-group slots"), report.TextCell("no limit"), whole(p.BySlots)},
		{report.TextCell("resident at once"), report.TextCell(report.Thousands(r.Groups)), report.TextCell(report.Thousands(r.Model))},
	}
	s := report.Section{Key: SectionDriver, Title: "Second opinion: the driver's formula", ItemsIn: report.Terminal | report.Page,
		Text: []string{"What the compute driver admits for a cooperative kernel, on the whole GPU."},
		Tables: []*report.Table{inTerminal(report.Fixed(SectionDriver, "", []report.Column{
			{Key: "resource", Title: "Work-groups on the GPU", Kind: report.Text, In: everywhere},
			{Key: "driver", Title: "Driver's formula", Kind: report.Text, In: everywhere},
			{Key: "model", Title: "Model", Kind: report.Text, In: everywhere},
		}, rows))}}
	if !r.Differs {
		s.Items = []report.Item{{Lead: "driver", Text: "The driver's formula and the model agree."}}
	}
	for _, reason := range r.Reasons {
		s.Items = append(s.Items, report.Item{Lead: "driver", Text: reason})
	}
	return s
}

// inTerminal shows a whole table in a terminal too.
func inTerminal(t *report.Table) *report.Table {
	t.In |= report.Terminal
	return t
}

// deviceLine words what the model takes from a device.
func deviceLine(d *arch.Device) string {
	return fmt.Sprintf("%s (%s), %d Xe-cores x %d XVE x %d threads = %s thread slots", d.Name, d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE,
		report.Thousands(int64(d.Slots())))
}

// launchLine words a launch: "81920 work-items in work-groups of 320, SIMD32, 16 KB SLM".
func launchLine(l *predict.Launch) string {
	var parts []string
	switch {
	case l.Global.Present() && l.Local.Present():
		parts = append(parts, fmt.Sprintf("%s work-items in work-groups of %s", l.Global, l.Local))
	case l.Global.Present():
		parts = append(parts, l.Global.String()+" work-items")
	case l.Local.Present():
		parts = append(parts, "work-groups of "+l.Local.String()+", no global size: one Xe-core only")
	}
	if l.SIMD > 0 {
		parts = append(parts, fmt.Sprintf("SIMD%d", l.SIMD))
	}
	if l.SLM > 0 {
		parts = append(parts, slmText(l.SLM)+" SLM per work-group")
	}
	if l.Barriers > 0 {
		parts = append(parts, report.Counted(l.Barriers, "barrier", "barriers"))
	}
	if l.GRF > 0 {
		parts = append(parts, fmt.Sprintf("%d registers per thread", l.GRF))
	}
	return strings.Join(parts, ", ")
}

// verdictOf sums a prediction up in one sentence or two.
func verdictOf(c *LaunchCase) string {
	p := c.Prediction
	if p == nil {
		return "The launch cannot run: " + errorText(c.Refusal) + "."
	}
	text := "Xe-core occupancy " + ratioText(p.XeCore)
	if p.HasGrid() {
		text = fmt.Sprintf("Peak %s, average %s, limited by %s (policy %s)", ratioText(p.Peak), ratioText(p.Average),
			strings.Join(p.Limits.Names(), " and "), p.Policy)
	} else {
		text += ", limited by " + strings.Join(p.Limits.Names(), " and ")
	}
	text += "."
	if p.XeCoreOfMode != p.XeCore {
		text += fmt.Sprintf(" VTune divides by all thread slots; of those that the GRF mode leaves, an Xe-core fills %s.", ratioText(p.XeCoreOfMode))
	}
	if part := partialText(&c.Launch, p); part != "" {
		text += " " + capital(part) + "."
	}
	return text
}

// capital begins a sentence.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// partialText says what happens to a local size that does not divide the global size.
func partialText(l *predict.Launch, p *predict.Prediction) string {
	if !p.Partial {
		return ""
	}
	return fmt.Sprintf("local size %s does not divide %s: the last work-groups are smaller and count as whole ones", l.Local, l.Global)
}

func ratioText(r unit.Ratio) string { return report.Decimal(r.Percent(), 1) + " %" }

// memoryText words an amount: whole KB where it is, else bytes.
func slmText(b unit.Bytes) string {
	if b != 0 && b%1024 == 0 {
		return report.Thousands(int64(b)/1024) + " KB"
	}
	return report.Thousands(int64(b)) + " bytes"
}

func noteText(n note.Note) string {
	if n.Hint == "" {
		return n.Text
	}
	return n.Text + "; " + n.Hint
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
