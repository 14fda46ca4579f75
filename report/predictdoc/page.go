package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

func deviceValue(on *arch.Choice) *report.Table { return report.One(on, deviceColumns) }

func launchValue(l *predict.Launch) *report.Table { return report.One(l, launchColumns) }

func predictedValue(p *predict.Prediction) *report.Table { return report.One(p, predictionColumns) }

// deviceLine words what the model takes from a device.
func deviceLine(on *arch.Choice) string {
	d := on.Device
	return fmt.Sprintf("%s (%s), %d Xe-cores x %d XVE x %d threads = %s thread slots",
		d.Name, d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, report.Thousands(int64(d.Slots())))
}

// page is what the documents of this package have in common: what was asked, a sentence of what came out, and a table.
// A report of a prediction is one section, which a terminal shows whole; a workbook has the same words on its first
// sheet.
type page struct {
	title    string // of the document
	key      string // of its first section
	heading  string // of its first section
	headline []string
	closing  string
	table    *report.Table // as CSV has it
	brief    *report.Table // that a terminal has in its place, unless asked for all; nil where it has the table
	items    []report.Item
	more     []report.Item // that a terminal has when asked for all
}

func (p *page) document() *report.Document {
	s := report.Section{Key: p.key, Title: p.heading, Text: slices.Clone(p.headline), Items: p.items,
		ItemsIn: report.Terminal | report.Page}
	if p.closing != "" {
		s.Text = append(s.Text, p.closing)
	}
	if p.table != nil {
		s.Tables = []*report.Table{p.table.Show()}
	}
	brief := report.Section{Key: p.key + "-brief", Title: p.heading, In: report.Terminal}
	if p.brief != nil {
		s.Tables[0].In = report.Files
		brief.Tables = []*report.Table{p.brief.Show()}
	}
	more := report.Section{Key: p.key + "-more", Title: "More", In: report.Page, Items: p.more, ItemsIn: report.Page}
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", In: report.Sheet,
		Text: s.Text, Items: slices.Concat(p.items, p.more), ItemsIn: report.Sheet} // the sheet of the table has room for nothing else
	return &report.Document{Whole: true, Title: p.title, Headline: p.headline, Closing: p.closing,
		Sections: slices.DeleteFunc([]report.Section{summary, brief, s, more}, func(s report.Section) bool {
			return len(s.Tables) == 0 && len(s.Items) == 0 && s.Text == nil
		})}
}

// answer is the page with its JSON value.
func (p *page) answer(value any) *report.Answer {
	return &report.Answer{Doc: p.document(), Value: value, Table: p.table}
}

// launchLine words a launch: "81920 work-items in work-groups of 320, SIMD32, 16 KB SLM".
func launchLine(l *predict.Launch) string {
	var parts []string
	switch {
	case l.Global.Present() && l.Local.Present():
		parts = append(parts, workItems(l)+" in work-groups of "+l.Local.String())
	case l.Global.Present():
		parts = append(parts, workItems(l))
	case l.Local.Present():
		parts = append(parts, "work-groups of "+l.Local.String()+", no global size: one Xe-core only")
	}
	if l.SIMD > 0 {
		parts = append(parts, fmt.Sprintf("SIMD%d", l.SIMD))
	}
	if l.SLM > 0 {
		parts = append(parts, unit.Memory(l.SLM)+" SLM per work-group")
	}
	if l.Barriers > 0 {
		parts = append(parts, unit.Counted(l.Barriers, "barrier", "barriers"))
	}
	if l.GRF > 0 {
		parts = append(parts, fmt.Sprintf("%d registers per thread", l.GRF))
	}
	return strings.Join(parts, ", ")
}

func workItems(l *predict.Launch) string {
	if l.Global.String() == "1" {
		return "1 work-item"
	}
	if n, ok := l.Global.Items(); ok && l.Global.Rank() > 1 {
		return fmt.Sprintf("%s (%s) work-items", l.Global, report.Thousands(n))
	}
	return l.Global.String() + " work-items"
}

// reached words what a launch reaches on the GPU, or on an Xe-core without a global size, and what limits it.
func reached(p *predict.Prediction) string {
	limits := unit.Listed(p.Limits.Names(), "and")
	if p.HasGrid() {
		average := percent(p.Average)
		if p.Ranges() {
			average = report.Decimal(p.Average.Percent(), 1) + " to " + percent(p.AverageHigh)
		}
		return fmt.Sprintf("peak %s, average %s, limited by %s (policy %s)", percent(p.Peak), average, limits, p.Policy)
	}
	return fmt.Sprintf("Xe-core occupancy %s, limited by %s", percent(p.XeCore), limits)
}

// figure is what launches are ranked by, with its name: the average, or the Xe-core's occupancy where there is no grid.
// The average counts the tail, which the peak hides; that is why launches are ranked by it.
func figure(p *predict.Prediction) (unit.Ratio, string) {
	if p.HasGrid() {
		return p.Average, "average"
	}
	return p.XeCore, "Xe-core occupancy"
}

// partialText says what happens to a local size that does not divide the global size.
// It is a sentence and no refusal, since OpenCL 2.0 runs such launches (non-uniform work-groups).
func partialText(l *predict.Launch, p *predict.Prediction) string {
	if p == nil || !p.Partial {
		return ""
	}
	return fmt.Sprintf("local size %s does not divide %s: the last work-groups are smaller and count as whole ones",
		l.Local, l.Global)
}

// partialSentence is partialText as a sentence that follows another one.
func partialSentence(l *predict.Launch, p *predict.Prediction) string {
	if text := partialText(l, p); text != "" {
		return " " + report.UpperFirst(text) + "."
	}
	return ""
}

func percent(r unit.Ratio) string { return report.PercentText(r.Percent()) }

// number words a number with no more decimals than it has.
func number(x float64) string {
	text := report.Decimal(x, 3)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
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
