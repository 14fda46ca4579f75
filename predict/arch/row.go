package arch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// A deviceRow is a row in devices.csv or in a user's device file. Its fields
// are the columns in the order of the file. In addition to the columns that the
// tags require, either threads_by_registers or threads_per_xve is required.
type deviceRow struct {
	Key            table.Name   `csv:"key" table:"required"`
	Name           table.Name   `csv:"name" table:"required"`
	Aliases        table.Names  `csv:"aliases"`
	Architecture   table.Name   `csv:"architecture"`
	Codename       table.Name   `csv:"codename"`
	Tiles          table.Count  `csv:"tiles"`
	XeCores        coreCount    `csv:"xe_cores" table:"required"`
	XVEPerXeCore   table.Count  `csv:"xve_per_xe_core" table:"required"`
	XVEs           table.Count  `csv:"xves"`
	ThreadsPerXVE  table.Count  `csv:"threads_per_xve"`
	Modes          modes        `csv:"threads_by_registers"`
	Slots          table.Count  `csv:"thread_slots"`
	RegisterBytes  table.Count  `csv:"register_bytes"`
	SIMDWidths     table.Counts `csv:"simd_widths" table:"required"`
	SLMPerXeCore   table.Count  `csv:"slm_kb_per_xe_core" table:"required"`
	SLMBySource    sourced      `csv:"slm_kb_by_source"`
	SLMPerGroupMax table.Count  `csv:"slm_kb_per_work_group_max" table:"required"`
	SLMSteps       table.Counts `csv:"slm_steps_kb" table:"required"`
	MaxGroupSize   table.Count  `csv:"work_group_max_items" table:"required"`
	GroupSlots     table.Count  `csv:"work_group_slots_per_xe_core"`
	BarrierSlots   sourced      `csv:"barrier_slots_per_xe_core"`
	DispatchPorts  sourced      `csv:"dispatch_ports"`
	GroupLimits    groupLimits  `csv:"work_group_extra_limits"`
	Clock          Clock        `csv:"timestamp_clock_mhz"`
	Memory         bandwidths   `csv:"memory_gb_per_second"`
	L3             bandwidths   `csv:"l3_gb_per_second"`
	PCIIDs         table.Words  `csv:"pci_ids"`
	Confidence     table.Name   `csv:"confidence"`
	Source         table.Name   `csv:"source"`
	Notes          table.Name   `csv:"notes"`
}

// device converts a row to a device. An empty cell gets the default that
// docs/devices.md describes.
func (r *deviceRow) device() (Device, *problem) {
	if len(r.Modes) == 0 && !r.ThreadsPerXVE.Present() {
		return Device{}, &problem{"threads_by_registers", "the cell is empty, and so is threads_per_xve",
			"give threads_by_registers as in 128:8 256:4, or threads_per_xve for a GPU with one mode"}
	}
	d := Device{
		Key: string(r.Key), Name: string(r.Name), Aliases: r.Aliases,
		Architecture: string(r.Architecture), Codename: string(r.Codename),
		Tiles: r.Tiles.Or(1), XeCores: max(int(r.XeCores), 0), XVEPerXeCore: r.XVEPerXeCore.Or(0),
		GRFModes: r.Modes, SIMDWidths: r.SIMDWidths,
		SLMPerXeCore: kib(r.SLMPerXeCore.Or(0)), SLMPerGroupMax: kib(r.SLMPerGroupMax.Or(0)),
		SLMBySource:  r.SLMBySource,
		MaxGroupSize: r.MaxGroupSize.Or(0), BarrierSlots: r.BarrierSlots,
		DispatchPorts: r.DispatchPorts,
		GroupLimits:   r.GroupLimits, Clock: r.Clock,
		Memory: r.Memory, L3: r.L3,
		PCIIDs:     upper(r.PCIIDs),
		Confidence: string(r.Confidence), Source: string(r.Source), Notes: string(r.Notes),
	}
	if len(d.GRFModes) == 0 {
		d.GRFModes = []GRFMode{{Registers: defaultRegisters, ThreadsPerXVE: r.ThreadsPerXVE.Or(0)}}
	}
	for _, m := range d.GRFModes {
		d.ThreadsPerXVE = max(d.ThreadsPerXVE, m.ThreadsPerXVE)
	}
	for _, s := range r.SLMSteps {
		d.SLMSteps = append(d.SLMSteps, kib(s))
	}
	d.RegisterBytes = r.RegisterBytes.Or(4 * slices.Min(r.SIMDWidths))
	d.GroupSlots = r.GroupSlots.Or(d.SlotsPerXeCore())
	if len(d.BarrierSlots) == 0 {
		d.BarrierSlots = []SourcedCount{{Source: "neo", Count: driverBarrierSlots}}
	}
	return d, nil
}

// checked converts a row to a device and checks that its values are consistent.
func (r *deviceRow) checked() (Device, *problem) {
	d, p := r.device()
	if p == nil && r.XeCores == 0 {
		p = problemf("xe_cores", "write \"not public\" for a family whose number of XVEs the user gives",
			"0 is not a positive number")
	}
	if p == nil {
		p = r.disagrees(&d)
	}
	if p == nil {
		p = d.check()
	}
	return d, p
}

const (
	defaultRegisters   = 128 // registers per thread in a kernel that is compiled with default options
	driverBarrierSlots = 32  // the driver's formula uses this number for every GPU
)

func kib(n int) unit.Bytes { return unit.Bytes(n) << 10 }

func upper(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strings.TrimPrefix(strings.ToUpper(id), "0X")
	}
	return out
}

// disagrees returns the problem if redundant values in a row contradict each
// other. Redundant values are only compared, and not used otherwise.
func (r *deviceRow) disagrees(d *Device) *problem {
	for _, c := range []struct {
		column string
		given  table.Count
		is     int
		how    string
	}{
		{"xves", r.XVEs, d.XVEs(), "xe_cores x xve_per_xe_core"},
		{"threads_per_xve", r.ThreadsPerXVE, d.ThreadsPerXVE, "the most threads of threads_by_registers"},
		{"thread_slots", r.Slots, d.Slots(), "xe_cores x xve_per_xe_core x threads_per_xve"},
	} {
		if n, ok := c.given.Value(); ok && n != c.is {
			return problemf(c.column, "correct one of the values, or leave this cell empty",
				"%d does not match %d, which is %s", n, c.is, c.how)
		}
	}
	return nil
}

// modes is a list of registers:threads pairs, such as "128:8 256:4".
type modes []GRFMode

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (m *modes) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		left, right, ok := strings.Cut(part, ":")
		if !ok {
			return fmt.Errorf("%s is not a pair; expected registers:threads as in 128:8 256:4", quoted(part))
		}
		registers, err := table.ParseCount(left)
		if err != nil {
			return err
		}
		threads, err := table.ParseCount(right)
		if err != nil {
			return err
		}
		*m = append(*m, GRFMode{Registers: registers, ThreadsPerXVE: threads})
	}
	return nil
}

// coreCount is an Xe-core count. It is negative if the number is not public.
type coreCount int

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *coreCount) UnmarshalCSV(cell string) error {
	if strings.TrimSpace(cell) == "not public" {
		*c = -1
		return nil
	}
	n, err := table.ParseCount(strings.TrimSpace(cell))
	*c = coreCount(n)
	return err
}

// splitSource splits source:value into its parts. If there is only a value, the
// source is the user.
func splitSource(text string) (source, figure string) {
	source, figure, named := strings.Cut(text, ":")
	if !named {
		return "user", text
	}
	return source, figure
}

// decimal parses a number such as 19.2. It rejects all other forms.
func decimal(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && strings.Trim(text, "0123456789.") == ""
}

// sourced is a list of source:count pairs, such as "calculator:64 neo:32".
type sourced []SourcedCount

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (s *sourced) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		source, number := splitSource(part)
		if source == "" {
			return fmt.Errorf("%s names no source; expected source:count as in calculator:64 neo:32", quoted(part))
		}
		n, err := table.ParseCount(number)
		if err != nil {
			return err
		}
		*s = append(*s, SourcedCount{Source: source, Count: n})
	}
	return nil
}

// bandwidths is a list of source:GB/s pairs, such as "intel:1229". The source
// "assumed" stands for a value without a source. "at-most-LPDDR5X-8533" names
// the fastest memory of a GPU that shares the memory of the CPU.
type bandwidths []Bandwidth

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (b *bandwidths) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		source, number := splitSource(part)
		x, ok := decimal(number)
		if source == "" || !ok || x == 0 || x > math.MaxInt32 {
			return fmt.Errorf("%s is not a bandwidth; expected source:GB/s as in intel:1229", quoted(part))
		}
		w := Bandwidth{Source: source, GBPerSecond: x, Assumed: source == "assumed"}
		if memory, is := strings.CutPrefix(source, "at-most-"); is && memory != "" {
			w.Source, w.Fastest = "rated", memory
		}
		*b = append(*b, w)
	}
	return nil
}

// A problem is an error in a row, with its column.
type problem struct{ column, text, hint string }

// These limits bound the work for a file that is not a device file. The
// built-in table stays far below them.
const (
	maxName   = 256 // largest length of a key, name, or alias, in bytes
	maxPCIIDs = 256 // largest number per device
)

func problemf(column, hint, format string, args ...any) *problem {
	return &problem{column: column, text: fmt.Sprintf(format, args...), hint: hint}
}

// at returns the error for a row in a file, or nil if there is no problem.
func (p *problem) at(s *table.Sheet, row int) error {
	if p == nil {
		return nil
	}
	return note.Errorf("device-file", s.Pos(row, p.column), p.hint, "column %s: %s", p.column, p.text)
}

// check returns the first inconsistency of a device, or nil. The model divides
// by these values and rounds up to these steps, so an error here would make
// every occupancy wrong.
func (d *Device) check() *problem {
	for _, c := range []func() *problem{
		d.checkNames, d.checkCounts, d.checkModes, d.checkSIMD, d.checkSLM, d.checkGroups, d.checkLists,
	} {
		if p := c(); p != nil {
			return p
		}
	}
	return nil
}

func (d *Device) checkNames() *problem {
	if !plainKey(d.Key) || len(d.Key) > maxName {
		return problemf("key", "a key is lower-case letters, digits, -, _ and ., as in my-gpu",
			"%s is not a key", quoted(d.Key))
	}
	for i, a := range append([]string{d.Name}, d.Aliases...) {
		if squash(a) != "" && len(a) <= maxName {
			continue
		}
		column := "aliases"
		if i == 0 {
			column = "name"
		}
		return problemf(column, "choose a name that distinguishes the GPU from others",
			"%s is not a name that can be looked up", quoted(a))
	}
	return nil
}

func plainKey(k string) bool {
	for i, r := range k {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return k != ""
}

func (d *Device) checkCounts() *problem {
	for _, c := range []struct {
		column string
		n      int
	}{
		{"tiles", d.Tiles}, {"xve_per_xe_core", d.XVEPerXeCore},
		{"register_bytes", d.RegisterBytes}, {"work_group_max_items", d.MaxGroupSize},
		{"work_group_slots_per_xe_core", d.GroupSlots},
		{"slm_kb_per_xe_core", int(d.SLMPerXeCore)}, {"slm_kb_per_work_group_max", int(d.SLMPerGroupMax)},
	} {
		if c.n < 1 {
			return problemf(c.column, "leave an optional cell empty to take its default",
				"%d is not a positive number", c.n)
		}
	}
	if d.XeCores%d.Tiles != 0 {
		return problemf("tiles", "xe_cores counts the Xe-cores of all tiles",
			"%d Xe-cores do not divide over %d tiles", d.XeCores, d.Tiles)
	}
	return nil
}

func (d *Device) checkModes() *problem {
	const column = "threads_by_registers"
	for i, m := range d.GRFModes {
		switch {
		case m.Registers < 1 || m.ThreadsPerXVE < 1:
			return problemf(column, "", "%d:%d is not a pair of positive numbers", m.Registers, m.ThreadsPerXVE)
		case i > 0 && m.Registers <= d.GRFModes[i-1].Registers:
			return problemf(column, "list the modes by rising register count",
				"%d registers follow %d", m.Registers, d.GRFModes[i-1].Registers)
		case i > 0 && m.ThreadsPerXVE > d.GRFModes[i-1].ThreadsPerXVE:
			return problemf(column, "more registers per thread leave fewer threads",
				"%d registers leave %d threads, more than the %d threads of %d registers",
				m.Registers, m.ThreadsPerXVE, d.GRFModes[i-1].ThreadsPerXVE, d.GRFModes[i-1].Registers)
		}
	}
	if last := d.GRFModes[len(d.GRFModes)-1]; last.Registers < defaultRegisters {
		return problemf(column, "add the mode that kernels are compiled for by default",
			"no mode has %d registers or more", defaultRegisters)
	}
	return nil
}

func (d *Device) checkSIMD() *problem {
	for i, w := range d.SIMDWidths {
		switch {
		case w != 8 && w != 16 && w != 32:
			return problemf("simd_widths", "",
				"%d is not a sub-group size that Intel GPUs have; expected 8, 16 or 32", w)
		case i > 0 && w <= d.SIMDWidths[i-1]:
			return problemf("simd_widths", "list the widths from the smallest, each once",
				"%d follows %d", w, d.SIMDWidths[i-1])
		}
	}
	return nil
}

func (d *Device) checkSLM() *problem {
	kb := func(b unit.Bytes) int { return int(b >> 10) }
	if len(d.SLMBySource) > 0 && d.SLMBySource[0].Count != kb(d.SLMPerXeCore) {
		return problemf("slm_kb_by_source", "the first value is the one that is used",
			"%d KB (%s) does not match slm_kb_per_xe_core, %d KB", d.SLMBySource[0].Count, d.SLMBySource[0].Source,
			kb(d.SLMPerXeCore))
	}
	if d.SLMPerGroupMax > d.SLMPerXeCore {
		return problemf("slm_kb_per_work_group_max", "a work-group runs on one Xe-core",
			"%d KB per work-group are more than the %d KB of an Xe-core", kb(d.SLMPerGroupMax), kb(d.SLMPerXeCore))
	}
	if d.SLMSteps[0] != 0 {
		return problemf("slm_steps_kb", "begin the list with 0, for a work-group without SLM",
			"the first step is %d KB", kb(d.SLMSteps[0]))
	}
	for i := 1; i < len(d.SLMSteps); i++ {
		if d.SLMSteps[i] <= d.SLMSteps[i-1] {
			return problemf("slm_steps_kb", "list the steps from the smallest, each once",
				"%d KB follow %d KB", kb(d.SLMSteps[i]), kb(d.SLMSteps[i-1]))
		}
	}
	if last := d.SLMSteps[len(d.SLMSteps)-1]; last != d.SLMPerGroupMax {
		return problemf("slm_steps_kb", "the largest step is what one work-group may have at most",
			"the largest step is %d KB, but slm_kb_per_work_group_max is %d KB", kb(last), kb(d.SLMPerGroupMax))
	}
	return nil
}

// checkGroups checks that a work-group of the largest size can run.
func (d *Device) checkGroups() *problem {
	if most := d.SlotsPerXeCore() * slices.Max(d.SIMDWidths); d.MaxGroupSize > most {
		return problemf("work_group_max_items", "a work-group runs on one Xe-core",
			"%d work-items do not fit the %d thread slots of an Xe-core at SIMD%d (at most %d)",
			d.MaxGroupSize, d.SlotsPerXeCore(), slices.Max(d.SIMDWidths), most)
	}
	for _, p := range d.DispatchPorts {
		if p.Source != portsWithout && p.Source != portsWith {
			return problemf("dispatch_ports", "write no-barrier:2 barrier:3", "%s is not a kind of launch",
				quoted(p.Source))
		}
	}
	return cmp.Or(checkSourced("barrier_slots_per_xe_core", d.BarrierSlots),
		checkSourced("dispatch_ports", d.DispatchPorts))
}

// checkSourced checks that the counts are positive and the sources distinct.
func checkSourced(column string, list []SourcedCount) *problem {
	seen := map[string]bool{}
	for _, b := range list {
		if b.Count < 1 {
			return problemf(column, "", "%s:%d is not a positive number", b.Source, b.Count)
		}
		if seen[b.Source] {
			return problemf(column, "list one value per source, the default first", "source %s is listed twice",
				quoted(b.Source))
		}
		seen[b.Source] = true
	}
	return nil
}

func (d *Device) checkLists() *problem {
	if len(d.PCIIDs) > maxPCIIDs {
		return problemf("pci_ids", "", "the list has %d PCI ids, more than any device has", len(d.PCIIDs))
	}
	for i, id := range d.PCIIDs {
		if !isPCIID(id) {
			return problemf("pci_ids", "write the four hexadecimal digits of the device id, as in 0BDA",
				"%s is not a PCI device id", quoted(id))
		}
		if slices.Contains(d.PCIIDs[:i], id) {
			return problemf("pci_ids", "", "PCI id %s is listed twice", id)
		}
	}
	return nil
}

// isPCIID reports whether id has the form used in the table: four hexadecimal
// digits in upper case.
func isPCIID(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return len(id) == 4
}
