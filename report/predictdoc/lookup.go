package predictdoc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"occudiff/ingest/collect"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// The kinds of terms that need special treatment. A terminal does not list
// columns and fields. For a column, DetectedBy is a formula.
const (
	columnKind = "column"
	fieldKind  = "field"
	FlagKind   = "flag" // a flag, whose meaning is its help text
)

// glossary is the JSON output of `explain`.
type glossary struct {
	Schema string        `json:"schema"`
	Words  *report.Table `json:"words"`
}

var termColumns = []report.Col[report.Term]{
	report.Define("name", "Term",
		func(t *report.Term) string { return t.Name }),
	report.Define("kind", "Kind",
		func(t *report.Term) string { return t.Kind },
		report.Drop(1)),
	report.Define("means", "Meaning",
		func(t *report.Term) string { return t.Meaning },
		report.Wrap),
	report.Define("detected_by", "Detected by",
		func(t *report.Term) string { return t.DetectedBy },
		report.Kept,
		report.Wrap, report.NonZero),
	report.Define("action", "What to do",
		func(t *report.Term) string { return t.Action },
		report.Kept, report.Wrap,
		report.NonZero),
	report.Define("from", "From",
		func(t *report.Term) string { return t.Source },
		report.Kept, report.Wrap,
		report.NonZero),
	report.Define("found_with", "Found with",
		func(t *report.Term) string { return t.With },
		report.Kept,
		report.NonZero),
}

// Words returns the terms of the glossary.
func Words() (list []report.Term) {
	for _, k := range report.Terms() {
		list = append(list, k.Terms...)
	}
	return list
}

// Names returns the names of the terms for completion, each as one argument.
// Keys that include their object, such as findings.run, are left out.
func Names() []string {
	list := report.ListOf(Words(), func(t report.Term) string {
		return strings.ToLower(strings.ReplaceAll(t.Name, " ", "-"))
	})
	list = slices.DeleteFunc(list, func(name string) bool { return strings.Contains(name, ".") })
	slices.Sort(list)
	return slices.Compact(list)
}

// Explain returns the meanings of a name: all terms and flags with that name.
// If the glossary lacks a key, Explain searches for the key without its unit,
// and then without other suffixes, such as _old, _new, _low, or _high. For
// example, predicted_low is explained as predicted.
func Explain(name string, flags ...report.Term) (*report.Output, error) {
	all := Words()
	found := slices.Concat(called(all, written(name), written), called(flags, written(name), written))
	word := spelled(name)
	for _, end := range []string{"", "_n", "_p", "_low", "_high", ",_at_least", ",_at_most", "_change", "_significant",
		"_old", "_new"} {
		if word = strings.TrimSuffix(word, end); len(found) == 0 {
			found = called(all, word, spelled)
		}
	}
	if group, _, of := strings.Cut(name, ":"); of && len(found) == 0 { // a counter, such as XVE Stall Reasons:Send
		found = called(all, written(group), written)
	}
	if len(found) == 0 { // a cell, such as "none: slots are full" or "256 registers (GRF)?"
		for part := range strings.SplitSeq(decoration.ReplaceAllString(name, ""), ": ") {
			found = append(found, called(all, written(part), written)...)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no output has the term %q", name)
	}
	t := report.NewTable("words", "", found, termColumns)
	d := &report.Document{
		Whole:  true,
		Titled: true,
		Title:  report.UpperFirst(found[0].Name),
	}
	for i := range found {
		d.Sections = append(d.Sections, section(&found[i], fmt.Sprintf("word-%d", i+1)))
	}
	return &report.Output{
		Doc:   d,
		Value: glossary{explainSchema, t},
		Table: t,
	}, nil
}

// decoration matches the parts of a cell that do not belong to its terms: a
// number in front, and brackets, a question mark, or a value at the end.
var decoration = regexp.MustCompile(`^\d[\d,.]* | \(.*\)|\?$| \d[\d,.]* ?\S*$`)

// called returns the terms with the given name. A key that includes its object,
// such as findings.run, is also found by the key alone (run).
func called(terms []report.Term, name string, spell func(string) string) (found []report.Term) {
	for _, w := range terms {
		if slices.ContainsFunc(append(w.Aliases, w.Name), func(n string) bool {
			return spell(n) == name || strings.HasSuffix(spell(n), "."+name)
		}) {
			found = append(found, w)
		}
	}
	return found
}

// section returns the section that explains a term.
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
	s := report.Section{
		Key:     key,
		Title:   title,
		Sheet:   "Terms",
		ItemsIn: report.Everywhere,
	}
	for _, i := range []report.Item{{Lead: "Meaning", Text: w.Meaning}, {Lead: sign, Text: w.DetectedBy},
		{Lead: "What to do", Text: w.Action}, {Lead: "Source", Text: w.Source}} {
		if i.Text != "" {
			s.Items = append(s.Items, i)
		}
	}
	return s
}

// written returns a name in lower case, with "_" between words, and without the
// unit that a heading has in brackets.
func written(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), " [")
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimLeft(strings.TrimSpace(name), "-"))
}

// spelled returns a name in the form of written, without the suffix for its
// unit.
func spelled(name string) string {
	name = written(name)
	for _, unit := range []string{"_percent", "_points", "_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return name
}

// Glossary returns all terms. A terminal shows only their names, by group.
func Glossary() *report.Output {
	pg := page{
		title:   "Glossary",
		key:     "words",
		heading: "Terms",
		headline: []string{
			"'occudiff explain TERM' prints the meaning of a term, how it is detected, and what to do. TERM is one of " +
				"these, a heading of a report, a flag, a key of JSON or CSV, or a device."},
		table: report.NewTable("words", "", Words(), termColumns),
		brief: &report.Section{},
	}
	for _, k := range report.Terms() {
		if k.Kind != columnKind && k.Kind != fieldKind {
			names := report.ListOf(k.Terms, func(t report.Term) string { return t.Name })
			pg.brief.Items = append(pg.brief.Items, report.Item{Lead: k.Title, Text: strings.Join(names, ", ")})
		}
	}
	return pg.output(glossary{explainSchema, pg.table})
}

// deviceList is the JSON output of `devices`.
type deviceList struct {
	Schema  string        `json:"schema"`
	Devices *report.Table `json:"devices"`
}

// The columns of the device table that a prediction has, too.
var (
	deviceKey = report.Define("key", "Key",
		func(d *arch.Device) string { return d.Key })
	deviceName = report.Define("name", "Name",
		func(d *arch.Device) string { return d.Name },
		report.Cut)
	architecture = report.Define("architecture", "Architecture",
		func(d *arch.Device) string { return d.Architecture },
		report.Brief("Arch"), report.Drop(3))
	xeCores = report.Define("xe_cores", "Xe-cores",
		func(d *arch.Device) int { return d.XeCores },
		report.NonZero)
	xvesPerXeCore = report.Define("xve_per_xe_core", "XVEs per Xe-core",
		func(d *arch.Device) int { return d.XVEPerXeCore },
		report.Detail)
	threadsPerXVE = report.Define("threads_per_xve", "Threads per XVE",
		func(d *arch.Device) int { return d.ThreadsPerXVE },
		report.Brief("Threads/XVE"), report.Drop(4))
	threadSlots = report.Define("thread_slots", "Thread slots", (*arch.Device).Slots, report.NonZero)
)

// tableColumns are the columns of the device table: memory in bytes, and counts
// per unit in the name. JSON has every value that the models use. For people,
// the table has only the values that help to choose a device.
var tableColumns = []report.Col[arch.Device]{
	deviceKey,
	deviceName,
	report.Define("aliases", "Also called",
		func(d *arch.Device) []string { return d.Aliases },
		report.Detail),
	architecture,
	report.Define("codename", "Code name",
		func(d *arch.Device) string { return d.Codename },
		report.Detail),
	report.Define("stacks", "Stacks",
		func(d *arch.Device) int { return d.Tiles },
		report.Detail),
	xeCores,
	xvesPerXeCore,
	report.Define("xves", "XVEs", (*arch.Device).XVEs, report.NonZero),
	threadsPerXVE,
	threadSlots,
	report.Define("", "Thread slots per Xe-core", (*arch.Device).SlotsPerXeCore, report.Detail, report.NonZero),
	report.Define("", `Lanes ("total operations")`, func(d *arch.Device) string {
		if len(d.SIMDWidths) == 0 {
			return ""
		}
		least := slices.Min(d.SIMDWidths)
		lanes := func(slots int) string { return report.Thousands(least * slots) }
		return fmt.Sprintf("%s; of an Xe-core %s, of an XVE %s; at sub-group size %d", lanes(d.Slots()),
			lanes(d.SlotsPerXeCore()), lanes(d.ThreadsPerXVE), least)
	}, report.Detail),
	report.List("grf_modes",
		func(d *arch.Device) []arch.GRFMode { return d.GRFModes },
		grfColumns,
		report.Title("Register modes"), report.Detail),
	report.Define("simd_widths", "SIMD",
		func(d *arch.Device) []int { return d.SIMDWidths },
		report.Drop(1)),
	report.JSON("slm_bytes_per_xe_core",
		func(d *arch.Device) unit.Bytes { return d.SLMPerXeCore }),
	report.List("slm_kb_by_source",
		func(d *arch.Device) []arch.SourcedCount { return d.SLMBySource },
		sourcedColumns, report.Title("SLM per Xe-core by source"), report.Detail, report.Unit("KB")),
	report.Define("slm_bytes_per_work_group_max", "Largest SLM per work-group",
		func(d *arch.Device) unit.Bytes { return d.SLMPerGroupMax },
		report.Detail),
	report.JSON("slm_steps_bytes",
		func(d *arch.Device) []unit.Bytes { return d.SLMSteps }),
	report.Define("max_group_size", "Largest work-group",
		func(d *arch.Device) int { return d.MaxGroupSize },
		report.Brief("Work-group"), report.Drop(5), report.Path("work_group_max_items")),
	report.Shown("slm_kb", "SLM per Xe-core",
		func(d *arch.Device) unit.Bytes { return d.SLMPerXeCore >> 10 },
		report.Unit("KB"), report.Brief("SLM [KB]"), report.Drop(6)),
	report.Define("work_group_slots_per_xe_core", "Work-group slots per Xe-core",
		func(d *arch.Device) int { return d.GroupSlots },
		report.Detail),
	report.List("barrier_slots_per_xe_core",
		func(d *arch.Device) []arch.SourcedCount { return d.BarrierSlots },
		sourcedColumns, report.Title("Barriers per Xe-core"), report.Detail),
	report.List("dispatch_ports",
		func(d *arch.Device) []arch.SourcedCount { return d.DispatchPorts },
		sourcedColumns,
		report.Title("Dispatch ports"), report.Detail),
	report.Define("", "Registers of an XVE", func(d *arch.Device) int {
		most := 0 // registers of the mode that leaves the fewest registers unused
		for _, m := range d.GRFModes {
			most = max(most, m.Registers*m.ThreadsPerXVE*d.RegisterBytes)
		}
		return most >> 10
	}, report.Detail, report.Unit("KB"), report.NonZero),
	report.Define("register_bytes", "Width of a register",
		func(d *arch.Device) int { return d.RegisterBytes },
		report.Detail, report.Unit("bytes")),
	report.Define("clock_mhz", "Clock of the counters",
		func(d *arch.Device) float64 { return d.Clock.Hz / 1e6 },
		report.Detail, report.Unit("MHz"), report.NonZero),
	report.Define("clock_source", "Source of the clock",
		func(d *arch.Device) string { return d.Clock.Source },
		report.Detail, report.NonZero),
	report.Define("", "Memory bandwidth", func(d *arch.Device) string {
		if len(d.Memory) == 0 {
			return "unknown; --memory-bandwidth sets it"
		}
		return d.Memory[0].String()
	}, report.Detail),
	report.List("memory_gb_per_second",
		func(d *arch.Device) []arch.Bandwidth { return d.Memory },
		bandwidthColumns),
	report.List("l3_gb_per_second",
		func(d *arch.Device) []arch.Bandwidth { return d.L3 },
		bandwidthColumns,
		report.Title("L3 bandwidth"), report.Detail, report.Unit("GB/s")),
	report.Define("pci_ids", "PCI ids",
		func(d *arch.Device) []string { return d.PCIIDs },
		report.Detail),
	report.Define("confidence", "Confidence",
		func(d *arch.Device) string { return d.Confidence },
		report.Drop(2)),
	report.Define("source", "Source",
		func(d *arch.Device) string { return d.Source },
		report.Kept),
	report.Define("notes", "Notes",
		func(d *arch.Device) string { return d.Notes },
		report.Detail, report.NonZero),
	report.List("full_occupancy", func(d *arch.Device) []predict.FullRange {
		ranges, _ := predict.FullRanges(d)
		return ranges
	}, fullColumns),
}

// fullColumns are the columns of the table of full occupancy, which Intel's
// guides also have.
var fullColumns = report.EachAs([]report.Col[predict.FullRange]{
	report.Define("sub_group_size", "Full occupancy at sub-group size",
		func(r *predict.FullRange) int { return r.SIMD }),
	report.Define("threads_least", "Threads, at least",
		func(r *predict.FullRange) int64 { return r.LeastThreads }),
	report.Define("threads_most", "Threads, at most",
		func(r *predict.FullRange) int64 { return r.MostThreads }),
	report.Define("work_group_least", "Work-group, at least",
		func(r *predict.FullRange) int64 { return r.LeastSize }),
	report.Define("work_group_most", "Work-group, at most",
		func(r *predict.FullRange) int64 { return r.MostSize }),
}, report.Everywhere)

// addFull adds the table of work-group sizes with full occupancy to a device's
// page.
func (p *page) addFull(d *arch.Device) {
	ranges, limit := predict.FullRanges(d)
	if len(ranges) == 0 {
		return
	}
	p.more = report.NewTable("full", "Full occupancy", ranges, fullColumns)
	p.items = append(p.items, report.Item{Lead: "full occupancy", Text: fullText(d, ranges[0].LeastThreads, limit)})
}

// fullText returns the rule of Intel's guides for the number of threads per
// work-group.
func fullText(d *arch.Device, least int64, limit arch.SourcedCount) string {
	return fmt.Sprintf("a work-group has at most the %d threads of an Xe-core, and needs %d to fill it with %d "+
		"work-groups, the smallest published limit (%s).", d.SlotsPerXeCore(), least, limit.Count, limit.Source)
}

// grfColumns are the columns for a GRF mode. The page of a device prints the
// title of a column after the value.
var grfColumns = []report.Col[arch.GRFMode]{
	report.Define("registers_per_thread", "registers:",
		func(m *arch.GRFMode) int { return m.Registers },
		report.Detail),
	report.Define("threads_per_xve", "threads per XVE",
		func(m *arch.GRFMode) int { return m.ThreadsPerXVE },
		report.Detail),
}

var sourcedColumns = []report.Col[arch.SourcedCount]{
	report.JSON("source",
		func(c *arch.SourcedCount) string { return c.Source }),
	report.JSON("count",
		func(c *arch.SourcedCount) int { return c.Count }),
}

var bandwidthColumns = []report.Col[arch.Bandwidth]{
	report.JSON("source",
		func(b *arch.Bandwidth) string { return b.Source }),
	report.JSON("gb_per_second",
		func(b *arch.Bandwidth) float64 { return b.GBPerSecond }),
	report.Define("fastest_memory", "(at most, with the fastest memory that it supports)",
		func(b *arch.Bandwidth) string { return b.Fastest },
		report.Detail, report.Optional, report.NonZero),
	report.Define("assumed", "assumed",
		func(b *arch.Bandwidth) bool { return b.Assumed },
		report.Detail,
		report.Optional, report.NonZero),
}

// mostDevices is the maximum number of devices for which a terminal shows a
// table with values. For more devices, it shows only the keys.
const mostDevices = 15

// byArchitecture returns the device keys by architecture.
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

// Devices returns the device table with all devices.
func Devices(devices []arch.Device) *report.Output {
	// Only the page of a single device names the sources of its values. If two
	// sources disagree, a table has no room for both values.
	head := unit.Plural(len(devices), "device") + "; 'occudiff devices KEY' shows one with its sources"
	pg := page{title: "Devices", key: "devices", heading: "Devices",
		table: report.NewTable("devices", "", devices, tableColumns)}
	if len(devices) > mostDevices { // without -v, a terminal shows only the keys by architecture
		pg.brief = &report.Section{Items: byArchitecture(devices)}
		head += ", -v shows all with their values"
	}
	pg.headline = []string{head}
	return pg.output(deviceList{devicesSchema, pg.table})
}

// Device returns every value of a device that the model uses, and its source.
func Device(d *arch.Device) *report.Output {
	pg := page{
		title:    d.Name,
		key:      report.SectionDevice,
		heading:  "Device",
		table:    facts("device", d, tableColumns),
		headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)},
	}
	pg.addFull(d)
	// JSON and CSV have the same form for one device as for all devices. Only
	// the document differs.
	ans := Devices([]arch.Device{*d})
	ans.Doc = pg.output(nil).Doc
	return ans
}

// settingsValue is the JSON output of `occudiff config`.
type settingsValue struct {
	Schema   string           `json:"schema"`
	File     unit.Opt[string] `json:"file"`
	Settings *report.Table    `json:"settings"`
	Unknown  []string         `json:"unknown"`
}

// Setting is a setting that is in effect, with its value and its origin.
type Setting struct{ Name, Value, From string }

var givenColumns = []report.Col[Setting]{
	report.Define("name", "Setting",
		func(s *Setting) string { return s.Name }),
	report.Define("value", "Value",
		func(s *Setting) string { return s.Value },
		report.Fold),
	report.Define("from", "From",
		func(s *Setting) string { return s.From }),
}

// Settings returns the output with the settings that are in effect.
func Settings(file string, list []Setting, unknown []string) *report.Output {
	pg := page{
		title:    "Settings",
		key:      "settings",
		heading:  "Settings",
		headline: []string{"No settings file (occudiff.yaml) was found here or in a parent folder."},
		table:    report.NewTable("settings", "", list, givenColumns),
	}
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
	CommonMistakes []string      `json:"common_mistakes"`
}

var checkColumns = []report.Col[collect.Check]{
	report.Define("name", "What",
		func(c *collect.Check) string { return c.Name }),
	report.JSON("ok", func(c *collect.Check) bool { return c.OK }),
	report.Shown("state", "State", func(c *collect.Check) report.Word {
		if c.OK {
			return report.Good.Word("ok")
		}
		return report.Bad.Word("missing")
	}),
	report.Define("found", "Found",
		func(c *collect.Check) string { return c.Found },
		report.Fold, report.NonZero),
	report.Define("impact", "Impact",
		func(c *collect.Check) string { return c.Impact },
		report.Kept, report.Wrap,
		report.NonZero),
	report.Define("install", "Install",
		func(c *collect.Check) string { return c.Install },
		report.Kept, report.Wrap,
		report.NonZero),
}

// ToolChecks returns the output of the checks whether the tools for collecting
// are installed.
func ToolChecks(checks []collect.Check, mistakes []string) *report.Output {
	pg := page{
		title:   "What is installed for collecting",
		key:     "checks",
		heading: "What is installed",
		table:   report.NewTable("checks", "", checks, checkColumns),
	}
	for _, c := range checks {
		if !c.OK {
			pg.items = append(pg.items, report.Item{
				Lead:   c.Name,
				Status: report.Bad,
				Text:   report.UpperFirst(c.Impact) + ". To install it: " + c.Install + ".",
			})
		}
	}
	line := "Everything needed for collecting is installed."
	if missing := len(pg.items); missing > 0 {
		line = unit.FormatCount(missing, "thing is", "things are") +
			" missing. Predictions and reports of files need none of them."
	}
	pg.headline = []string{line}
	for _, t := range mistakes {
		pg.items = append(pg.items, report.Item{Lead: "common mistake", Text: t})
	}
	return pg.output(toolsValue{toolsSchema, pg.table, mistakes})
}
