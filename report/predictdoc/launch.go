package predictdoc

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

func deviceValue(on *arch.Choice) *report.DeviceValue { return report.NewDeviceValue(on.Device, on.By) }

// deviceLine words what the model takes from a device.
func deviceLine(on *arch.Choice) string {
	d := on.Device
	return fmt.Sprintf("%s (%s), %d Xe-cores x %d XVE x %d threads = %s thread slots",
		d.Name, d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, report.Thousands(int64(d.Slots())))
}

// launch is a launch as it was asked about.
type launch struct {
	Global         unit.Size3 `json:"global" col:"Global; in=sheet"`
	Local          unit.Size3 `json:"local" col:"Local; in=sheet"`
	SIMD           *int       `json:"simd" col:"SIMD; in=sheet"`
	SLMBytes       unit.Bytes `json:"slm_bytes" csv:"slm" col:"SLM per work-group [bytes]; in=sheet"`
	Barriers       int        `json:"barriers" col:"Barriers; in=sheet"`
	Registers      *int       `json:"registers_per_thread" csv:"registers" col:"Registers per thread; in=sheet" jsonschema:"GRF mode; null is the device's default"`
	Policy         string     `json:"policy"`
	BarrierSlots   *int       `json:"barrier_slots"`
	WorkGroupSlots *int       `json:"work_group_slots"`
}

// newLaunch gives null for what is at its default, and 0 for SLM and barriers, which is an amount.
func newLaunch(l *predict.Launch) launch {
	return launch{Global: l.Global, Local: l.Local, SIMD: report.Positive(l.SIMD), SLMBytes: l.SLM,
		Barriers: l.Barriers, Registers: report.Positive(l.GRF), Policy: l.Policy.String(),
		BarrierSlots: report.Positive(l.BarrierSlots), WorkGroupSlots: report.Positive(l.GroupSlots)}
}

// predicted is a prediction with all its figures; the first are those of `validate`.
type predicted struct {
	report.PredictionValue
	WorkGroupSize       int64      `json:"work_group_size"`
	ByThreads           *int64     `json:"by_threads" col:"by threads; group=Work-groups per Xe-core; in=page+sheet" jsonschema:"work-groups per Xe-core that thread slots admit"`
	BySLM               *int64     `json:"by_slm" col:"by SLM; group=Work-groups per Xe-core; in=page+sheet" jsonschema:"work-groups per Xe-core that SLM admits; null without a limit"`
	BySlots             *int64     `json:"by_slots" col:"by slots; group=Work-groups per Xe-core; in=page+sheet" jsonschema:"work-groups per Xe-core that work-group slots admit"`
	ByBarriers          *int64     `json:"by_barriers" col:"by barriers; group=Work-groups per Xe-core; in=page+sheet" jsonschema:"work-groups per Xe-core that barriers admit; null without a limit"`
	SLMBytesAllocated   unit.Bytes `json:"slm_bytes_allocated"`
	XeCoreLimits        []string   `json:"xe_core_limits"`
	XeCoreOfModePercent unit.Ratio `json:"xe_core_of_grf_mode_percent" col:"Xe-core of the GRF mode [%]; in=page+sheet" jsonschema:"of the slots that the GRF mode leaves"`
	IdleLanes           int64      `json:"idle_lanes_per_work_group"`
	Partial             bool       `json:"partial_work_groups"`
}

// newPredicted gives a prediction as JSON has it, nil for none.
func newPredicted(p *predict.Prediction) *predicted {
	if p == nil {
		return nil
	}
	return &predicted{*report.NewPredictionValue(p), p.GroupSize, limited(p.ByThreads), limited(p.BySLM),
		limited(p.BySlots), limited(p.ByBarriers),
		p.SLMAllocated, p.XeCoreLimits.Names(), p.XeCoreOfMode, p.IdleLanes, p.Partial}
}

//go:embed outcome.txt
var outcomeColumns string

// outcome are the columns of a prediction where it is one of several: of a sweep, or of devices, whose driver may have
// been asked as well.
func outcome(sweep, driver bool) []string {
	return report.ColumnKeys(outcomeColumns, map[string]bool{"sweep": sweep, "devices": !sweep, "driver": driver})
}

// limited is the work-groups that a resource admits, nil where it sets no limit.
func limited(n int64) *int64 {
	if n == predict.Unlimited {
		return nil
	}
	return &n
}

// step is one line of a reasoning, worded for people.
type step struct {
	Step        string      `json:"step" col:"Step"`
	Calculation string      `json:"calculation" col:"Calculation; fold; drop=1"`
	Value       string      `json:"value" col:"Value"`
	Binds       bool        `json:"binds"`
	Mark        report.Cell `json:"-" csv:"binds" col:"Limit"`
}

func newStep(label, calculation, value string, binds bool) step {
	s := step{label, calculation, value, binds, report.TextCell(" ")}
	if binds {
		s.Mark = report.StatusCell("binds", report.Unsure)
	}
	return s
}

// rowsOf makes a table of rows that are there.
func rowsOf[T any](key string, rows []T, keys ...string) *report.Table {
	return report.Rows(key, len(rows), func(i int) T { return rows[i] }, keys...)
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
	table    *report.Table
	items    []report.Item
}

func (p *page) document() *report.Document {
	s := report.Section{Key: p.key, Title: p.heading, Text: slices.Clone(p.headline), Items: p.items,
		ItemsIn: report.Terminal | report.Page}
	if p.closing != "" {
		s.Text = append(s.Text, p.closing)
	}
	if p.table != nil {
		s.Tables = []*report.Table{p.table}
	}
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", In: report.Sheet,
		Text: s.Text, Items: p.items, ItemsIn: report.Sheet} // the sheet of the table has room for nothing else
	return &report.Document{Whole: true, Title: p.title, Headline: p.headline, Closing: p.closing,
		Sections: []report.Section{summary, s}}
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
	if !p.Partial {
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
