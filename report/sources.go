package report

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// timingSection lists what logs printed. A glance shows it when that is all there is: nothing came from an export.
func timingSection(r *compare.Result) Section {
	s := Section{Key: SectionTimings, Title: "Timings of logs", Sheet: "Timings"}
	if len(r.Timings) == 0 {
		s.In, s.Text = Sheet, []string{"No log was among the inputs."}
		return s
	}
	rows := make([][]Cell, 0, len(r.Timings))
	for i := range r.Timings {
		t := &r.Timings[i]
		task := Cell{}
		if t.Row >= 0 && t.Row < r.Len() {
			task = TextCell(r.Row(t.Row, nil).Task)
		}
		rows = append(rows, []Cell{
			TextCell(t.Kernel), optInt(t.Groups), optSeconds(unit.Some(t.Seconds), 1), TextCell(strings.TrimSpace(t.Printed + " " + t.UnitAsPrinted)),
			task, TextCell(t.Pos.File), place(t.Pos.Line),
		})
	}
	all := Glance | Page | Sheet
	t := Fixed(SectionTimings, "", []Column{
		{Key: "kernel", Title: "As printed", Kind: Text, In: all, Cut: true},
		{Key: "groups", Title: "Work-groups", Kind: Integer, In: all},
		{Key: "seconds", Title: "Host time", Unit: "s", Kind: Number, Decimals: 6, In: all},
		{Key: "printed", Title: "Printed", Kind: Text, In: Sheet},
		{Key: "task", Title: "Kernel", Kind: Text, In: all, Cut: true},
		{Key: "file", Title: "File", Kind: Text, In: Page | Sheet},
		{Key: "line", Title: "Line", Kind: Integer, In: Page | Sheet},
	}, rows)
	if onlyLogs(r) {
		t.In = all
	}
	s.Text = []string{"Host time of submitting and waiting: never equal to a kernel's time on the GPU."}
	s.Tables = []*Table{t}
	return s
}

func onlyLogs(r *compare.Result) bool {
	for _, row := range r.Skim() {
		if !row.FromLog {
			return false
		}
	}
	return true
}

// nameValue is the heading of a table of names and values.
func nameValue(key, title string, rows [][]Cell) *Table {
	return Fixed(key, title, []Column{
		{Key: "name", Title: "Property", Kind: Text, In: Page | Sheet},
		{Key: "value", Title: "Value", Kind: Text, In: Page | Sheet},
	}, rows)
}

func deviceSection(r *compare.Result) Section {
	s := Section{Key: SectionDevice, Title: "Device", Sheet: "Device"}
	if r.Device == nil {
		s.Text = []string{"No device is known. Name it with --device, or give the run's summary or log beside the export."}
	} else {
		s.Tables = append(s.Tables, nameValue("device", "", deviceRows(r.Device, r.ChosenBy)))
	}
	if rows := platformRows(r); len(rows) > 0 {
		s.Tables = append(s.Tables, nameValue("platform", "What the inputs say of the machine", rows))
	}
	return s
}

func deviceRows(d *arch.Device, chosenBy string) [][]Cell {
	var rows pairs
	rows.text("Name", d.Name)
	rows.text("Key", d.Key)
	rows.text("Chosen by", chosenBy)
	rows.text("Architecture", d.Architecture)
	rows.text("Code name", d.Codename)
	rows.count("Stacks", int64(d.Tiles))
	rows.count("Xe-cores", int64(d.XeCores))
	rows.count("XVEs per Xe-core", int64(d.XVEPerXeCore))
	rows.count("Threads per XVE", int64(d.ThreadsPerXVE))
	rows.count("Thread slots per Xe-core", int64(d.SlotsPerXeCore()))
	rows.count("Thread slots", int64(d.Slots()))
	rows.text("SIMD widths", numbers(d.SIMDWidths))
	rows.text("Register modes", grfModes(d.GRFModes))
	rows.count("Shared local memory per Xe-core [bytes]", int64(d.SLMPerXeCore))
	rows.count("Shared local memory per work-group, most [bytes]", int64(d.SLMPerGroupMax))
	rows.count("Work-items per work-group, most", int64(d.MaxGroupSize))
	rows.count("Work-groups per Xe-core, most", int64(d.GroupSlots))
	rows.text("Barriers per Xe-core", barriers(d.BarrierSlots))
	rows.text("PCI ids", strings.Join(d.PCIIDs, ", "))
	rows.text("Confidence", d.Confidence)
	rows.text("Source of this row", d.Source)
	rows.text("Notes", d.Notes)
	return rows
}

func platformRows(r *compare.Result) [][]Cell {
	p := &r.Platform
	var rows pairs
	rows.text("Device as printed", p.Device)
	rows.text("Named by", p.DeviceFrom)
	rows.text("Node property", p.NodeProperty)
	rows.count("XVEs", int64(p.XVEs.Or(0)))
	rows.count("Threads per XVE", int64(p.ThreadsPerXVE.Or(0)))
	rows.count("Adapters", int64(p.Adapters.Or(0)))
	rows.count("Stacks per adapter", int64(p.Stacks.Or(0)))
	if f, ok := p.MaxFrequency.Value(); ok {
		rows.number("Maximum frequency [MHz]", f/1e6)
	}
	if o, ok := p.Occupancy.Value(); ok {
		rows = append(rows, []Cell{TextCell("Occupancy of the whole run [%]"), ratioCell(o)})
	}
	if !p.Collected.IsZero() {
		rows.text("Collected", p.Collected.Format("2006-01-02 15:04:05 MST"))
	}
	rows.text("Host", p.Host)
	rows.text("Command", p.Command)
	rows.text("Operating system", p.OS)
	rows.text("VTune", p.VTune)
	rows.text("Driver", p.Driver)
	rows.text("Job", p.JobID)
	rows.count("Vector size", p.VectorSize.Or(0))
	return rows
}

// pairs are rows of a name and a value; what is empty or not said is left out.
type pairs [][]Cell

func (p *pairs) text(name, value string) {
	if value != "" {
		*p = append(*p, []Cell{TextCell(name), TextCell(value)})
	}
}

func (p *pairs) count(name string, n int64) {
	if n > 0 {
		*p = append(*p, []Cell{TextCell(name), IntCell(n)})
	}
}

func (p *pairs) number(name string, x float64) {
	*p = append(*p, []Cell{TextCell(name), NumCell(Number, x)})
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

func grfModes(modes []arch.GRFMode) string {
	words := make([]string, len(modes))
	for i, m := range modes {
		words[i] = fmt.Sprintf("%d registers: %d threads per XVE", m.Registers, m.ThreadsPerXVE)
	}
	return strings.Join(words, "; ")
}

func barriers(counts []arch.SourcedCount) string {
	words := make([]string, len(counts))
	for i, c := range counts {
		words[i] = fmt.Sprintf("%d (%s)", c.Count, c.Source)
	}
	return strings.Join(words, ", ")
}

// provenanceSection says what the report was made from and how, so that it can be made again.
func provenanceSection(r *compare.Result, prov Provenance) Section {
	s := Section{Key: SectionProvenance, Title: "Provenance", Sheet: "Device"}
	var rows pairs
	rows.text("Made by", strings.TrimSpace("occudiff "+prov.Version))
	rows.text("Command line", commandLine(prov.CommandLine))
	rows.text("Label", prov.Label)
	rows.text("Tolerance", plain(float64(r.Options.Tolerance))+" points; of VTune's peak "+plain(float64(r.Options.ModelTolerance))+" points")
	if d := r.Device; d != nil {
		rows.text("Device row", d.Key)
		rows.text("Source of the device row", d.Source)
		rows.text("Device chosen by", r.ChosenBy)
	}
	s.Tables = append(s.Tables, nameValue("provenance", "", rows))
	inputs := make([][]Cell, 0, len(r.Inputs))
	for _, in := range r.Inputs {
		inputs = append(inputs, []Cell{TextCell(in.Path), TextCell(in.Kind), IntCell(in.Rows), IntCell(in.BadRows), TextCell(in.Digest)})
	}
	if len(inputs) > 0 {
		s.Tables = append(s.Tables, Fixed("inputs", "Inputs", []Column{
			{Key: "path", Title: "File", Kind: Text, In: Page | Sheet},
			{Key: "kind", Title: "Kind", Kind: Text, In: Page | Sheet},
			{Key: "rows", Title: "Rows", Kind: Integer, In: Page | Sheet},
			{Key: "bad_rows", Title: "Bad rows", Kind: Integer, In: Page | Sheet},
			{Key: "digest", Title: "Digest", Kind: Text, In: Page | Sheet},
		}, inputs))
	}
	return s
}

// commandLine prints arguments so that a shell reads them back as they were.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, needsQuotes) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 || strings.ContainsRune("-_./,:=@%+", r))
}
