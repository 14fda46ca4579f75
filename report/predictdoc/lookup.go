package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/collect"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
)

// columnKind is the kind that a terminal leaves out of the list, and whose sign
// is a formula.
const columnKind = "column"

const fieldKind = "field"

// FlagKind is the kind of flags, whose texts are their help.
const FlagKind = "flag"

// glossary is the JSON output of `explain`.
type glossary struct {
	Schema string        `json:"schema"`
	Words  *report.Table `json:"words"`
}

var termColumns = []report.Col[report.Term]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Word", Kind: report.Text, In: all}, func(t *report.Term) cell { return text(t.Name) }),
	report.Define(column{Key: "kind", Path: "kind", Always: true, Title: "Kind", Kind: report.Text, Drop: 1, In: all}, func(t *report.Term) cell { return text(t.Kind) }),
	report.Define(column{Key: "means", Path: "means", Always: true, Title: "Meaning", Kind: report.Text, Wrap: true, In: all}, func(t *report.Term) cell { return text(t.Meaning) }),
	report.Define(column{Key: "detected_by", Path: "detected_by", Title: "Detected by", Kind: report.Text, Wrap: true, In: files, Doc: "with its thresholds"}, func(t *report.Term) cell { return report.TextCell(t.DetectedBy) }),
	report.Define(column{Key: "action", Path: "action", Title: "What to do", Kind: report.Text, Wrap: true, In: files}, func(t *report.Term) cell { return report.TextCell(t.Action) }),
	report.Define(column{Key: "from", Path: "from", Title: "From", Kind: report.Text, Wrap: true, In: files, Doc: "where that is from"}, func(t *report.Term) cell { return report.TextCell(t.Source) }),
	report.Define(column{Key: "found_with", Path: "found_with", Title: "Found with", Kind: report.Text, In: files, Doc: "verdicts, or parts of a thread-slot breakdown"}, func(t *report.Term) cell { return report.TextCell(t.With) }),
}

// Words lists the terms of the outputs that have a text.
func Words() (list []report.Term) {
	for _, k := range report.Terms() {
		list = append(list, k.Terms...)
	}
	return list
}

// Names lists the words, for completion: each an argument of its own.
func Names() []string {
	list := report.ListOf(Words(), func(t report.Term) string { return strings.ToLower(strings.ReplaceAll(t.Name, " ", "-")) })
	slices.Sort(list)
	return slices.Compact(list)
}

// Explain answers what a word means: a word of the outputs, a flag, or a field
// of JSON; several may be spelled alike. others are the flags and fields. A key
// is looked for as it is, then without its unit, and at last without the side,
// the end of an interval or the number of a value: it is explained as that
// value.
func Explain(name string, others ...report.Term) (*report.Output, error) {
	all, whole := Words(), written(name)
	found, more := called(all, whole, written), called(others, whole, written)
	ofWords := len(found) > 0 // they say more of a field than its schema does
	for _, t := range more {
		if t.Kind == FlagKind || !ofWords {
			found = append(found, t)
		}
	}
	word := spelled(name)
	for _, end := range []string{"", "_n", "_p", "_low", "_high", ",_at_least", ",_at_most", "_change", "_significant", "_old", "_new"} {
		if word = strings.TrimSuffix(word, end); len(found) == 0 {
			found = called(all, word, spelled)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no output has the term %q", name)
	}
	t := report.NewTable("words", "", found, termColumns)
	d := &report.Document{Whole: true, Titled: true, Title: report.UpperFirst(found[0].Name)}
	for i := range found {
		d.Sections = append(d.Sections, section(&found[i], fmt.Sprintf("word-%d", i+1)))
	}
	return &report.Output{Doc: d, Value: glossary{explainSchema, t}, Table: t}, nil
}

// called finds the terms of a name.
func called(terms []report.Term, name string, spell func(string) string) (found []report.Term) {
	for _, w := range terms {
		if slices.ContainsFunc(append(w.Aliases, w.Name), func(n string) bool { return spell(n) == name }) {
			found = append(found, w)
		}
	}
	return found
}

// section is the page of a word: its kind, what it is found with, and what is
// known of it.
func section(w *report.Term, key string) report.Section {
	title := w.Name + " (" + w.Kind + ")"
	if w.With != "" {
		title = w.Name + " (" + w.Kind + ", found with " + w.With + ")"
		if w.Kind == FlagKind {
			title = w.Name + " (flag of " + w.With + ")"
		}
	}
	sign := "Detected by"
	if w.Kind == columnKind {
		sign = "Formula"
	}
	s := report.Section{Key: key, Title: title, Sheet: "Words", ItemsIn: report.Everywhere}
	for _, i := range []report.Item{{Lead: "What it means", Text: w.Meaning}, {Lead: sign, Text: w.DetectedBy},
		{Lead: "What to do", Text: w.Action}, {Lead: "From", Text: w.Source}} {
		if i.Text != "" {
			s.Items = append(s.Items, i)
		}
	}
	return s
}

// written is a name without case, the unit of a heading and what stands between
// words.
func written(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), " [")
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimLeft(strings.TrimSpace(name), "-"))
}

// spelled is a name without what the outputs spell in different ways: case,
// units, and what stands between words.
func spelled(name string) string {
	name = written(name)
	for _, unit := range []string{"_percent", "_points", "_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return name
}

// Glossary answers what all words mean. A terminal has their names by group.
func Glossary() *report.Output {
	pg := page{title: "What the terms mean", key: "words", heading: "Words", headline: []string{
		"'occudiff explain WORD' says what one means, how it is recognized and what to do. WORD is one of these, a heading of " +
			"a report, a flag, a key of JSON or CSV, or a device."}, table: report.NewTable("words", "", Words(), termColumns), brief: &report.Section{}}
	for _, k := range report.Terms() {
		if k.Kind != columnKind && k.Kind != fieldKind {
			title, _, _ := strings.Cut(k.Title, ",")
			names := report.ListOf(k.Terms, func(t report.Term) string { return t.Name })
			pg.brief.Items = append(pg.brief.Items, report.Item{Lead: title, Text: strings.Join(names, ", ")})
		}
	}
	return pg.output(glossary{explainSchema, pg.table})
}

// deviceList is the JSON output of `devices`.
type deviceList struct {
	Schema  string        `json:"schema"`
	Devices *report.Table `json:"devices"`
}

// tableColumns are of a row of the device table: memory in bytes, counts per
// what the name says. JSON has every figure that the models take; people see
// those by which they choose a device.
var tableColumns = []report.Col[arch.Device]{
	report.Define(column{Key: "key", Path: "key", Always: true, Title: "Key", Kind: report.Text, In: all}, func(d *arch.Device) cell { return text(d.Key) }),
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Name", Kind: report.Text, Cut: true, In: all}, func(d *arch.Device) cell { return text(d.Name) }),
	report.Define(column{Path: "aliases", Always: true, Title: "Also called", Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.Aliases) }),
	report.Define(column{Key: "architecture", Path: "architecture", Always: true, Title: "Architecture", Brief: "Arch", Kind: report.Text, Drop: 3, In: all}, func(d *arch.Device) cell { return text(d.Architecture) }),
	report.Define(column{Path: "codename", Always: true, Title: "Code name", Kind: report.Text}, func(d *arch.Device) cell { return text(d.Codename) }),
	report.Define(column{Path: "stacks", Always: true, Title: "Stacks", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.Tiles) }),
	report.Define(column{Key: "xe_cores", Path: "xe_cores", Title: "Xe-cores", Kind: report.Integer, In: all, Doc: "null where the count is not public: --xve gives it"}, func(d *arch.Device) cell { return count(d.XeCores) }),
	report.Define(column{Path: "xve_per_xe_core", Always: true, Title: "XVEs per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.XVEPerXeCore) }),
	report.Define(column{Key: "xves", Path: "xves", Title: "XVEs", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.XVEs()) }),
	report.Define(column{Key: "threads_per_xve", Path: "threads_per_xve", Always: true, Title: "Threads per XVE", Brief: "Threads/XVE", Kind: report.Integer, Drop: 4, In: all}, func(d *arch.Device) cell { return report.IntCell(d.ThreadsPerXVE) }),
	report.Define(column{Key: "thread_slots", Path: "thread_slots", Title: "Thread slots", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.Slots()) }),
	report.Define(column{Title: "Thread slots per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return count(d.SlotsPerXeCore()) }),
	report.Define(column{Title: `Lanes ("total operations")`, Kind: report.Text}, func(d *arch.Device) cell {
		if len(d.SIMDWidths) == 0 {
			return cell{}
		}
		least := slices.Min(d.SIMDWidths)
		lanes := func(slots int) string { return report.Thousands(int64(least * slots)) }
		return report.TextCell(fmt.Sprintf("%s; of an Xe-core %s, of an XVE %s; at sub-group size %d", lanes(d.Slots()),
			lanes(d.SlotsPerXeCore()), lanes(d.ThreadsPerXVE), least))
	}),
	rows(column{Path: "grf_modes", Title: "Register modes"}, func(d *arch.Device) []arch.GRFMode { return d.GRFModes }, grfColumns),
	report.Define(column{Path: "simd_widths", Always: true, Kind: report.Size}, func(d *arch.Device) cell { return integers(d.SIMDWidths) }),
	report.Define(column{Key: "simd_widths", Title: "SIMD", Kind: report.Text, Drop: 1, In: all}, func(d *arch.Device) cell {
		return report.TextCell(strings.ReplaceAll(integers(d.SIMDWidths).Text, "x", ", "))
	}),
	report.Define(column{Path: "slm_bytes_per_xe_core", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore) }),
	rows(column{Path: "slm_kb_by_source", Title: "SLM per Xe-core by source", Unit: "KB", Doc: "of an Xe-core, where sources disagree; the first is used"}, func(d *arch.Device) []arch.SourcedCount { return d.SLMBySource }, sourcedColumns),
	report.Define(column{Path: "slm_bytes_per_work_group_max", Always: true, Title: "Largest SLM per work-group", Unit: "bytes", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerGroupMax) }),
	report.Define(column{Path: "slm_steps_bytes", Always: true, Kind: report.Size, Doc: "SLM per work-group is rounded up to one of these"}, func(d *arch.Device) cell { return integers(d.SLMSteps) }),
	report.Define(column{Key: "max_group_size", Path: "work_group_max_items", Always: true, Title: "Largest work-group", Brief: "Work-group", Kind: report.Integer, Drop: 5, In: all}, func(d *arch.Device) cell { return report.IntCell(d.MaxGroupSize) }),
	report.Define(column{Key: "slm_kb", Title: "SLM per Xe-core", Unit: "KB", Brief: "SLM [KB]", Kind: report.Integer, Drop: 6, In: all}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore >> 10) }),
	report.Define(column{Path: "work_group_slots_per_xe_core", Always: true, Title: "Work-group slots per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.GroupSlots) }),
	rows(column{Path: "barrier_slots_per_xe_core", Title: "Barriers per Xe-core", Doc: "sources disagree; the first is the default"}, func(d *arch.Device) []arch.SourcedCount { return d.BarrierSlots }, sourcedColumns),
	report.Define(column{Title: "Registers of an XVE", Unit: "KB", Kind: report.Integer}, func(d *arch.Device) cell {
		most := 0 // of the mode that leaves the least of them unused
		for _, m := range d.GRFModes {
			most = max(most, m.Registers*m.ThreadsPerXVE*d.RegisterBytes)
		}
		return count(most >> 10)
	}),
	report.Define(column{Path: "register_bytes", Always: true, Title: "Width of a register", Unit: "bytes", Kind: report.Integer, Doc: "width of one register"}, func(d *arch.Device) cell { return report.IntCell(d.RegisterBytes) }),
	report.Define(column{Path: "clock_mhz", Title: "Clock of the counters", Unit: "MHz", Kind: report.Number, Doc: "of the counters: an interval is 2^n of its ticks; null when not known"}, func(d *arch.Device) cell { return report.OptNum(report.Number, unit.NonZero(d.Clock.Hz/1e6)) }),
	report.Define(column{Path: "clock_source", Title: "Source of the clock", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Clock.Source) }),
	report.Define(column{Title: "Memory bandwidth", Kind: report.Text}, func(d *arch.Device) cell {
		if len(d.Memory) == 0 {
			return report.TextCell("not known; --memory-bandwidth gives it")
		}
		return report.TextCell(d.Memory[0].String())
	}),
	rows(column{Path: "memory_gb_per_second", Doc: "the most that memory moves; the first is used; empty when not known"}, func(d *arch.Device) []arch.Bandwidth { return d.Memory }, bandwidthColumns),
	rows(column{Path: "l3_gb_per_second", Title: "L3 bandwidth", Unit: "GB/s"}, func(d *arch.Device) []arch.Bandwidth { return d.L3 }, bandwidthColumns),
	report.Define(column{Path: "pci_ids", Always: true, Title: "PCI ids", Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.PCIIDs) }),
	report.Define(column{Key: "confidence", Path: "confidence", Always: true, Title: "Confidence", Kind: report.Text, Drop: 2, In: all}, func(d *arch.Device) cell { return text(d.Confidence) }),
	report.Define(column{Key: "source", Path: "source", Always: true, Title: "Source", Kind: report.Text, In: files}, func(d *arch.Device) cell { return text(d.Source) }),
	report.Define(column{Path: "notes", Title: "Notes", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Notes) }),
}

// What is behind a value on the page of a device is its title.
var grfColumns = []report.Col[arch.GRFMode]{
	report.Define(column{Path: "registers_per_thread", Always: true, Title: "registers:", Kind: report.Integer}, func(m *arch.GRFMode) cell { return report.IntCell(m.Registers) }),
	report.Define(column{Path: "threads_per_xve", Always: true, Title: "threads per XVE", Kind: report.Integer}, func(m *arch.GRFMode) cell { return report.IntCell(m.ThreadsPerXVE) }),
}

var sourcedColumns = []report.Col[arch.SourcedCount]{
	report.Define(column{Path: "source", Always: true, Kind: report.Text}, func(c *arch.SourcedCount) cell { return text(c.Source) }),
	report.Define(column{Path: "count", Always: true, Kind: report.Integer}, func(c *arch.SourcedCount) cell { return report.IntCell(c.Count) }),
}

var bandwidthColumns = []report.Col[arch.Bandwidth]{
	report.Define(column{Path: "source", Always: true, Kind: report.Text}, func(b *arch.Bandwidth) cell { return text(b.Source) }),
	report.Define(column{Path: "gb_per_second", Always: true, Kind: report.Number, Doc: "decimal"}, func(b *arch.Bandwidth) cell { return report.NumCell(report.Number, b.GBPerSecond) }),
	report.Define(column{Path: "fastest_memory", Optional: true, Title: "(at most, with the fastest memory that it takes)", Kind: report.Text, Doc: "of which the figure is; what is installed may be slower"}, func(b *arch.Bandwidth) cell { return report.TextCell(b.Fastest) }),
	report.Define(column{Path: "assumed", Optional: true, Title: "assumed", Kind: report.Bool, Doc: "no source has the figure; it is that of a similar GPU"}, func(b *arch.Bandwidth) cell {
		if b.Assumed {
			return report.BoolCell(true)
		}
		return cell{}
	}),
}

// mostDevices is how many a terminal shows with their figures.
const mostDevices = 15

// byArchitecture lists the keys of devices.
func byArchitecture(devices []arch.Device) (items []report.Item) {
	for i := range devices {
		d := &devices[i]
		at := slices.IndexFunc(items, func(i report.Item) bool { return i.Lead == d.Architecture })
		if at < 0 {
			items = append(items, report.Item{Lead: d.Architecture, Text: d.Key})
			continue
		}
		items[at].Text += ", " + d.Key
	}
	return items
}

// Devices answers what the device table has: all devices side by side.
func Devices(devices []arch.Device) *report.Output {
	// Sources stand with one device: where they disagree a table has no room
	// for both.
	head := unit.FormatCount(len(devices), "device", "devices") + "; 'occudiff devices KEY' shows one with its sources"
	pg := page{title: "Devices", key: "devices", heading: "Devices", table: report.NewTable("devices", "", devices, tableColumns)}
	if len(devices) > mostDevices { // then a terminal has their keys by architecture, unless asked for all
		pg.brief = &report.Section{Items: byArchitecture(devices)}
		head += ", -v all with their figures"
	}
	pg.headline = []string{head}
	return pg.output(deviceList{devicesSchema, pg.table})
}

// Device answers with every figure that the model takes from one device, and
// its source.
func Device(d *arch.Device) *report.Output {
	pg := page{title: d.Name, key: report.SectionDevice, heading: "Device", table: facts("device", d, tableColumns),
		headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)}}
	// JSON and CSV have one form for one device and for all; only the document
	// differs.
	ans := Devices([]arch.Device{*d})
	ans.Doc = pg.output(nil).Doc
	return ans
}

// settingsValue is the JSON output of `occudiff config`.
type settingsValue struct {
	Schema   string           `json:"schema"`
	File     unit.Opt[string] `json:"file" jsonschema:"of the settings; null when there is none"`
	Settings *report.Table    `json:"settings"`
	Unknown  []string         `json:"unknown" jsonschema:"keys of the file that are no settings, with their place"`
}

// Setting is a setting that applies, and who said so.
type Setting struct{ Name, Value, From string }

var givenColumns = []report.Col[Setting]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Setting", Kind: report.Text, In: all}, func(s *Setting) cell { return text(s.Name) }),
	report.Define(column{Key: "value", Path: "value", Always: true, Title: "Value", Kind: report.Text, Fold: true, In: all, Doc: "as a flag takes it; empty where nothing is set"}, func(s *Setting) cell { return text(s.Value) }),
	report.Define(column{Key: "from", Path: "from", Always: true, Title: "From", Kind: report.Text, In: all, Doc: "default, the environment variable, or the place in the file"}, func(s *Setting) cell { return text(s.From) }),
}

// Settings returns the settings in every form.
func Settings(file string, list []Setting, unknown []string) *report.Output {
	pg := page{title: "Settings", key: "settings", heading: "Settings",
		headline: []string{"No settings file (occudiff.yaml) was found here or in a parent folder."},
		table:    report.NewTable("settings", "", list, givenColumns)}
	if file != "" {
		pg.headline[0] = "Settings file: " + report.OneLine(file)
	}
	for _, line := range unknown {
		pg.items = append(pg.items, report.Item{Text: line, Status: report.Unsure})
	}
	return pg.output(settingsValue{settingsSchema, unit.NonZero(file), pg.table, unknown})
}

// toolsValue is the JSON output of `occudiff collect --check`.
type toolsValue struct {
	Schema         string        `json:"schema"`
	Checks         *report.Table `json:"checks"`
	CommonMistakes []string      `json:"common_mistakes" jsonschema:"what makes the data of a collection incomplete"`
}

var checkColumns = []report.Col[collect.Check]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "What", Kind: report.Text, In: all}, func(c *collect.Check) cell { return text(c.Name) }),
	report.Define(column{Path: "ok", Always: true, Kind: report.Bool}, func(c *collect.Check) cell { return report.BoolCell(c.OK) }),
	report.Define(column{Key: "state", Title: "State", Kind: report.Text, In: all}, func(c *collect.Check) cell {
		if c.OK {
			return report.StatusCell("ok", report.Good)
		}
		return report.StatusCell("missing", report.Bad)
	}),
	report.Define(column{Key: "found", Path: "found", Title: "Found", Kind: report.Text, Fold: true, In: all}, func(c *collect.Check) cell { return report.TextCell(c.Found) }),
	report.Define(column{Key: "impact", Path: "impact", Title: "Impact", Kind: report.Text, Wrap: true, In: files}, func(c *collect.Check) cell { return report.TextCell(c.Impact) }),
	report.Define(column{Key: "install", Path: "install", Title: "Install", Kind: report.Text, Wrap: true, In: files}, func(c *collect.Check) cell { return report.TextCell(c.Install) }),
}

// ToolChecks returns what is installed for collecting in every form.
func ToolChecks(checks []collect.Check, traps []string) *report.Output {
	pg := page{title: "What is installed for collecting", key: "checks", heading: "What is installed",
		table: report.NewTable("checks", "", checks, checkColumns)}
	for _, c := range checks {
		if !c.OK {
			pg.items = append(pg.items, report.Item{Lead: c.Name, Status: report.Bad,
				Text: report.UpperFirst(c.Impact) + ". To get it: " + c.Install + "."})
		}
	}
	line := "Everything that collecting needs is here."
	if missing := len(pg.items); missing > 0 {
		line = unit.FormatCount(missing, "thing is", "things are") +
			" missing. Predictions and reports of files need none of them."
	}
	pg.headline = []string{line}
	for _, t := range traps {
		pg.items = append(pg.items, report.Item{Lead: "trap", Text: t})
	}
	return pg.output(toolsValue{toolsSchema, pg.table, traps})
}
