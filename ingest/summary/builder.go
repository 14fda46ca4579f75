package summary

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// builder makes sense of metrics and tables, whichever way they were printed.
type builder struct {
	path     string
	bad      table.BadRows
	rows     int64
	platform ingest.Platform
	elapsed  unit.Opt[unit.Seconds]
	stack    []entry // the metrics above the current one
	gpus     []gpu   // of the platform info
	sections []gpu   // device headings over the metrics
	shares   []share
	adapters map[string]bool
	stacks   map[string]bool
	// stateRows counts the stacks whose array state was printed, busyStacks
	// those of them that were not idle throughout.
	stateRows, busyStacks int
	table                 printedTable
	tasks                 []ingest.Kernel
	byName                map[string][]int // into tasks
	notes                 []note.Note
}

// An entry is a metric on the way down to the current one. Depth is of the form
// that is read: blanks of text, open lists of HTML, the level of CSV; only
// which is deeper counts.
type entry struct {
	depth int
	name  string
}

// gpu is what the report says of one adapter.
type gpu struct {
	name      string
	xves      unit.Opt[int]
	threads   unit.Opt[int]
	frequency unit.Opt[float64]
	pos       note.Pos
}

// share is an occupancy of the whole run; there is one for each group of equal
// GPUs.
type share struct {
	value unit.Ratio
	pos   note.Pos
}

// lines reads a form that is lines.
func (b *builder) lines(ctx context.Context, r io.Reader, line func(in *table.Lines, text string)) error {
	in := table.NewLines(ctx, &ingest.Source{Path: b.path, Size: -1, R: r}, ingest.ReadOptions{})
	for in.Next() {
		if in.Cut {
			b.bad.Add(in.Pos(table.MaxLine), "", "the line is longer than %d bytes", table.MaxLine)
			continue
		}
		line(in, string(table.Plain(in.Text)))
	}
	return in.Err()
}

func (b *builder) at(line, column int) note.Pos {
	return note.Pos{File: b.path, Line: line, Column: column}
}

// metric takes a line `name: value`; what stands deeper belongs to it.
func (b *builder) metric(depth int, name, value string, pos note.Pos) {
	for len(b.stack) > 0 && b.stack[len(b.stack)-1].depth >= depth {
		b.stack = b.stack[:len(b.stack)-1]
	}
	head := name
	if value != "" {
		head = name + ": " + value
	}
	switch {
	// The order matters: names repeat. "GPU Time" stands over the tasks, among
	// the recommendations and in the platform info, and each place means
	// something else.
	case b.under(platformHead):
		b.info(name, value, head, pos)
	case name == busyMark || name == "GPU Stack Utilization":
		// It also stands among the recommendations; of several GPUs the first
		// is the busiest.
		take(b, &b.platform.GPUBusy, name, value, parsePercent, pos)
	case b.under("Recommendations"):
	case len(b.stack) == 0 && b.section(head, pos):
	case name == "Elapsed Time":
		take(b, &b.elapsed, name, value, parseTime, pos)
	case name == "GPU Time" || name == "GPU Accumulated Time":
		take(b, &b.platform.GPUTime, name, value, parseTime, pos)
	case b.under("XVE State") || b.under("EU State"): // of hpc-performance
		p := &b.platform
		states := map[string]*unit.Opt[unit.Ratio]{"Active": &p.Active, "Stalled": &p.Stalled, "Idle": &p.Idle}
		if to := states[name]; to != nil {
			take(b, to, name, value, parsePercent, pos)
		}
	case name == "Occupancy":
		b.occupancy(value, pos)
	}
	b.stack = append(b.stack, entry{depth, strings.Clone(name)})
}

// under reports whether the current metric belongs to another.
func (b *builder) under(name string) bool {
	return slices.ContainsFunc(b.stack, func(e entry) bool { return e.name == name })
}

// section takes the heading over the metrics of a device: `0:28:0.0 : DG1 [Iris
// Xe MAX Graphics]`, or of equal ones: `Display controller: Intel Corporation
// Device 0x0bd6 Device Group`.
func (b *builder) section(head string, pos note.Pos) bool {
	name, group := strings.CutSuffix(head, " Device Group")
	bare := withoutAddress(name)
	if !group && bare == name {
		return false
	}
	b.sections = append(b.sections, gpu{name: strings.Clone(deviceName(bare)), pos: pos})
	return true
}

// withoutAddress takes a PCI address off the front: `0:41:0.0 : NAME`.
func withoutAddress(text string) string {
	address, name, ok := strings.Cut(text, " : ")
	if ok && strings.Count(address, ":") >= 2 && strings.Trim(address, "0123456789abcdefABCDEF:.") == "" {
		return strings.TrimSpace(name)
	}
	return text
}

// deviceName takes the class of a PCI device off.
func deviceName(text string) string {
	for _, class := range []string{"Display controller: ", "VGA compatible controller: ", "3D controller: "} {
		text = strings.TrimPrefix(text, class)
	}
	return strings.TrimSpace(text)
}

// take takes a quantity of the whole run where none was taken yet.
func take[T comparable](b *builder, to *unit.Opt[T], name, value string, parse func(string) (unit.Opt[T], error),
	pos note.Pos) {
	o, err := parse(value)
	if err != nil {
		b.bad.Add(pos, "", "%s: %v", name, err)
		return
	}
	// The first one counts: the report goes from the whole run to its parts,
	// which repeat the names.
	*to = cmp.Or(*to, o)
}

func (b *builder) occupancy(value string, pos note.Pos) {
	var r unit.Opt[unit.Ratio]
	take(b, &r, "Occupancy", value, parsePercent, pos)
	if x, ok := r.Value(); ok {
		b.shares = append(b.shares, share{x, pos})
	}
}

// info takes a line of the collection and platform info.
func (b *builder) info(name, value, head string, pos note.Pos) {
	p := &b.platform
	switch {
	case b.under("GPU"):
		b.gpu(name, value, head, pos)
	case b.under("CPU") || value == "":
	case name == "Application Command Line":
		p.Command = value
	case name == "Operating System":
		p.OS = value
	case name == "Computer Name":
		p.Host = value
	case name == "Collection start time":
		t, err := time.Parse("15:04:05 02/01/2006 UTC", value) // the day is before the month: 14/03/2024
		if err != nil {
			b.bad.Add(pos, "", "collection start time %s is not of the form 23:44:22 14/03/2024 UTC",
				table.Quote(value))
			return
		}
		p.Collected = t
	}
}

// gpu takes a line about a GPU: of the only one, or of `GPU 1: 0:58:0.0 :
// Display controller: ...`.
func (b *builder) gpu(name, value, head string, pos note.Pos) {
	number, rest, _ := strings.Cut(head, ": ")
	if digits, ok := strings.CutPrefix(number, "GPU "); ok && strings.Trim(digits, "0123456789") == "" {
		b.addGPU(deviceName(withoutAddress(rest)), pos)
		return
	}
	if name == "Name" {
		value = deviceName(value)
		// Counts may come first: then the GPU is there and has no name yet.
		if last := len(b.gpus) - 1; last >= 0 && b.gpus[last].name == "" {
			b.gpus[last].name = value
		} else {
			b.addGPU(value, pos)
		}
		return
	}
	if value == "" {
		return
	}
	g := gpu{pos: pos}
	if last := len(b.gpus) - 1; last >= 0 {
		g = b.gpus[last]
	}
	var err error
	switch name {
	case "XVE Count", "EU Count":
		err = set(&g.xves, value)
	case "Max XVE Thread Count", "Max EU Thread Count":
		err = set(&g.threads, value)
	case "Max Core Frequency":
		g.frequency, err = parseFrequency(value)
	default:
		return
	}
	if err != nil {
		b.bad.Add(pos, "", "%s: %v", name, err)
	}
	b.gpus = append(b.gpus[:max(len(b.gpus)-1, 0)], g)
}

func (b *builder) addGPU(name string, pos note.Pos) {
	b.gpus = append(b.gpus, gpu{name: strings.Clone(name), pos: pos})
}

func set(to *unit.Opt[int], text string) error {
	n, err := parseCount(text)
	// A GPU without XVEs is none: such a 0 is not known.
	if v, ok := n.Value(); ok && v > 0 && v < 1<<31 {
		*to = unit.Some(int(v))
	} else if err == nil {
		err = fmt.Errorf("%s is not a number above 0", table.Quote(text))
	}
	return err
}

// finish returns the file, or says why nothing of it can be used.
func (b *builder) finish(empty bool) (*ingest.File, error) {
	b.devices()
	b.whole()
	// GPUBusy is a share of the elapsed time; a report may have it without the
	// time itself.
	if busy, said := b.platform.GPUBusy.Value(); said && b.elapsed.Present() && !b.platform.GPUTime.Present() {
		b.platform.GPUTime = unit.Some(b.elapsed.Or(0) * unit.Seconds(busy))
	}
	f := &ingest.File{Input: ingest.Input{Rows: b.rows, BadRows: b.bad.Count}, Summary: b.tasks, Platform: b.platform}
	f.Notes = append(b.bad.Notes(), b.notes...)
	// A version and times alone say nothing of a GPU.
	if len(f.Summary) == 0 && f.Platform == (ingest.Platform{VTune: f.Platform.VTune, GPUTime: f.Platform.GPUTime,
		GPUBusy: f.Platform.GPUBusy}) {
		return nil, b.inputError(empty)
	}
	return f, nil
}

// devices takes what all GPUs of the report have in common. The platform info
// lists them; where it does not, the headings over the metrics do.
func (b *builder) devices() {
	p := &b.platform
	list := b.gpus
	if len(list) == 0 {
		list = b.sections
	}
	if len(list) > 0 {
		b.device(list)
	}
	if n := len(b.adapters); n > 0 {
		p.Adapters = unit.Some(n)
		// Said only where every adapter can have as many; a remainder is a row
		// that was lost.
		if len(b.stacks)%n == 0 {
			p.Stacks = unit.Some(len(b.stacks) / n)
		}
		// A stack whose state was not printed may have been busy.
		if b.stateRows == len(b.stacks) {
			p.BusyStacks = unit.Some(b.busyStacks)
		}
	} else if len(list) > 1 && p.Device != "" {
		p.Adapters = unit.Some(len(list))
	}
}

func (b *builder) device(list []gpu) {
	p := &b.platform
	first := list[0]
	for _, g := range list[1:] {
		// An integrated GPU next to a discrete one is the usual case; the
		// frequency follows from the device, so it is not compared.
		if g.name != first.name || g.xves != first.xves {
			b.notes = append(b.notes, note.Note{Severity: note.Warning, Code: "several-gpus", Pos: first.pos,
				Text: fmt.Sprintf("the machine has different GPUs, %s and %s, and the summary does not say which one "+
					"ran the tasks", described(first), described(g)),
				Hint: "name it with --device"})
			p.Listed = [2]ingest.ListedGPU{{Name: first.name, XVEs: first.xves}, {Name: g.name, XVEs: g.xves}}
			p.DeviceFrom, p.Pos = "the summary", first.pos
			return
		}
	}
	p.Device, p.Pos = first.name, first.pos
	if first.name != "" {
		p.DeviceFrom = "the summary"
	}
	p.XVEs, p.ThreadsPerXVE, p.MaxFrequency = first.xves, first.threads, first.frequency
}

func described(g gpu) string {
	name := cmp.Or(g.name, "a GPU without a name")
	if n, ok := g.xves.Value(); ok {
		name += fmt.Sprintf(" (%d XVE)", n)
	}
	return name
}

// whole takes the occupancy of the run. With several groups of GPUs it is that
// of the busiest: the tasks ran there.
func (b *builder) whole() {
	if len(b.shares) == 0 {
		return
	}
	busiest := slices.MaxFunc(b.shares, func(x, y share) int { return cmp.Compare(x.value, y.value) })
	b.platform.Occupancy, b.platform.OccupancyPos = unit.Some(busiest.value), busiest.pos
	if len(b.shares) > 1 {
		var all []string
		for _, s := range b.shares[:min(len(b.shares), 8)] {
			all = append(all, fmt.Sprintf("%.1f%%", s.value.Percent()))
		}
		b.notes = append(b.notes, note.Note{Severity: note.Info, Code: "occupancy-per-gpu", Pos: busiest.pos,
			Text: fmt.Sprintf("the summary has an occupancy for each GPU (%s); that of the busiest is taken for the "+
				"run", strings.Join(all, ", "))})
	}
}
