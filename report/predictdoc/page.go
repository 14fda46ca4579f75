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

// DeviceOf returns the device of predictions for JSON, or null if d is nil.
func DeviceOf(d *arch.Device, by arch.Source) *report.Table {
	if d == nil {
		return report.One(nil, deviceColumns)
	}
	return deviceValue(&arch.Choice{Device: d, By: by})
}

func deviceValue(on *arch.Choice) *report.Table {
	return report.One(on, deviceColumns)
}

func launchValue(l *predict.Launch) *report.Table {
	return report.One(l, launchColumns)
}

func predictedValue(p *predict.Prediction) *report.Table {
	return report.One(p, predictionColumns)
}

// DeviceLine returns one line with the device values that the model uses.
func DeviceLine(d *arch.Device) string {
	if d.XeCores == 0 {
		return fmt.Sprintf("%s (%s), %d XVE x %d threads = %d thread slots per Xe-core; the number of Xe-cores is not "+
			"public", d.Name, d.Key, d.XVEPerXeCore, d.ThreadsPerXVE, d.SlotsPerXeCore())
	}
	return fmt.Sprintf("%s (%s), %d Xe-cores x %d XVE x %d threads = %s thread slots",
		d.Name, d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, report.Thousands(d.Slots()))
}

// page contains the common parts of this package's documents: the question, the
// result, one table, and other remarks. A terminal shows the whole page, except
// for parts that have a shorter form for the terminal. A workbook has the text
// on its first sheet and the table on the second.
type page struct {
	title    string // title of the document
	key      string // of its section
	heading  string // of its section
	headline []string
	closing  string
	table    *report.Table // also the table for CSV
	more     *report.Table // a second table below; nil without one
	items    []report.Item
	brief    *report.Section // shown by a terminal without -v instead of the table; nil to show the table
}

// setSteps sets the steps of the calculation. Without -v, a terminal leaves out
// the supporting steps.
func (p *page) setSteps(steps []predict.Step) {
	brief := slices.DeleteFunc(slices.Clone(steps), func(s predict.Step) bool { return s.Supporting })
	p.table = report.NewTable("steps", "", steps, stepColumns)
	p.brief = &report.Section{Tables: []*report.Table{report.NewTable("steps", "", brief, stepColumns).Show()}}
}

// output returns the output with the page as its document and the given JSON
// value.
func (p *page) output(value any) *report.Output {
	text := slices.Clone(p.headline)
	if p.closing != "" {
		text = append(text, p.closing)
	}
	whole := report.Section{
		Key:     p.key,
		Title:   p.heading,
		Text:    text,
		Tables:  []*report.Table{p.table.Show()},
		Items:   p.items,
		ItemsIn: report.Terminal | report.Page,
	}
	if p.more != nil {
		whole.Tables = append(whole.Tables, p.more)
	}
	summary := report.Section{
		Key:     report.SectionSummary,
		Title:   "Summary",
		Sheet:   "Summary",
		In:      report.Sheet,
		Text:    text,
		Items:   p.items,
		ItemsIn: report.Sheet,
	} // the table's sheet has no room for text
	d := &report.Document{
		Whole:    true,
		Title:    p.title,
		Headline: p.headline,
		Closing:  p.closing,
	}
	if p.brief != nil {
		p.brief.Key, p.brief.In, p.brief.ItemsIn = p.key+"-brief", report.Terminal, report.Terminal
		p.brief.Items = append(p.brief.Items, p.items...)
		whole.In, whole.ItemsIn, whole.Tables[0].In = report.Files, report.Page, report.Files
		d.Sections = append(d.Sections, *p.brief)
	}
	d.Sections = append(d.Sections, summary, whole)
	return &report.Output{Doc: d, Value: value, Table: p.table}
}

// facts returns a table with the title and the value of each column of a row,
// one per line. If a value is itself a list of rows, each of its values is
// followed by the title of its column.
func facts[R any](key string, row *R, cols []report.Col[R]) *report.Table {
	var list report.Pairs
	for _, c := range cols {
		if c.Kind == report.Percent { // the value has the unit
			c.Unit = ""
		}
		if c.Title != "" {
			list.Text(c.Heading(), fact(c.Of(row)))
		}
	}
	t := report.NameValue(key, list)
	t.In |= report.Terminal
	return t
}

// fact returns the text of a cell for the table of facts.
func fact(c report.Cell) string {
	switch c.Kind {
	case report.Bool:
		return " " // the title already says what is true
	case report.Integer:
		return report.Thousands(c.Int)
	case report.Number:
		return number(c.Num)
	case report.Percent:
		return number(c.Num) + "%"
	}
	if c.Rows == nil {
		return c.String()
	}
	var words []string
	for row := range c.Rows.All() {
		var parts []string
		for i, v := range row {
			if text := fact(v); text != "" {
				parts = append(parts, strings.TrimSpace(text+" "+c.Rows.Columns[i].Title))
			}
		}
		words = append(words, strings.Join(parts, " "))
	}
	return strings.Join(words, "; ")
}

// launchLine returns a launch in words: "81920 work-items in work-groups of
// 320, SIMD32, 16 KB SLM".
func launchLine(l *predict.Launch) string {
	switch {
	case l.Global.Present() && l.Local.Present():
		return settingsLine(l, workItems(l)+" in work-groups of "+l.Local.String())
	case l.Global.Present():
		return settingsLine(l, workItems(l))
	}
	return groupLine(l, ", no global size: one Xe-core only")
}

// groupLine returns a launch in words, without its global size.
func groupLine(l *predict.Launch, note string) string {
	if l.Local.Present() {
		return settingsLine(l, "work-groups of "+l.Local.String()+note)
	}
	return settingsLine(l)
}

// settingsLine returns the parts of a launch's description, followed by its
// other settings.
func settingsLine(l *predict.Launch, parts ...string) string {
	if l.SIMD > 0 {
		parts = append(parts, fmt.Sprintf("SIMD%d", l.SIMD))
	}
	if l.SLM > 0 {
		parts = append(parts, unit.FormatBytes(l.SLM)+" SLM per work-group")
	}
	if l.Barriers > 0 {
		parts = append(parts, unit.Plural(l.Barriers, "barrier"))
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

// reached returns a text with the occupancy of a launch and its limits. The
// occupancy is for the whole GPU if the global size is given, otherwise for one
// Xe-core.
func reached(p *predict.Prediction) string {
	limits := unit.JoinWords(p.Limits.Names(), "and")
	if p.HasGrid() {
		average := p.Average.String()
		if p.Ranges() {
			average = report.Decimal(p.Average.Percent(), 1) + " to " + p.AverageHigh.String()
		}
		return fmt.Sprintf("peak %s, average %s, limited by %s (policy %s)", p.Peak, average,
			limits, p.Policy)
	}
	return fmt.Sprintf("Xe-core occupancy %s, limited by %s", p.XeCore, limits)
}

// peakText returns a text with the peak and the average occupancy of the GPU.
func peakText(p *predict.Prediction) string {
	return "peak " + p.Peak.String() + ", average " + p.Average.String()
}

// figure returns the value by which launches are ranked, and its name. The
// value is the average, or the Xe-core occupancy if there is no global size.
// Launches are ranked by the average and not by the peak, because only the
// average includes the partial last wave.
func figure(p *predict.Prediction) (unit.Ratio, string) {
	if p.HasGrid() {
		return p.Average, "average"
	}
	return p.XeCore, "Xe-core occupancy"
}

// number returns a number without trailing zeros.
func number(x float64) string {
	text := report.Decimal(x, 3)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// addOnce appends an item unless the list already has an item with the same
// lead.
func addOnce(items []report.Item, item report.Item) []report.Item {
	if slices.ContainsFunc(items, func(i report.Item) bool { return i.Lead == item.Lead }) {
		return items
	}
	return append(items, item)
}

// noteItems returns notes as items of a document.
func noteItems(notes []note.Note) []report.Item {
	return report.NoteSection(report.RunNotes(notes)).Items
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
