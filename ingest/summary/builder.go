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

// A builder interprets metrics and tables, independent of the report's form.
type builder struct {
	path     string
	bad      table.BadRows
	rows     int64
	platform ingest.Platform
	elapsed  unit.Opt[unit.Seconds]
	stack    []entry // metrics above the current one
	gpus     []gpu   // from the platform info
	sections []gpu   // device headings above the metrics
	shares   []share
	adapters map[string]bool
	stacks   map[string]bool
	// stateRows counts the stacks with a printed array state, and busyStacks
	// counts those that were ever busy.
	stateRows, busyStacks int
	table                 printedTable
	tasks                 []ingest.Kernel
	byName                map[string][]int // indexes in tasks
	notes                 []note.Note
}

// An entry is a metric on the path to the current one. depth depends on the
// form: spaces in text, open lists in HTML, and the level in CSV. Only depth
// comparisons matter.
type entry struct {
	depth int
	name  string
}

// A gpu is the report's description for one adapter.
type gpu struct {
	name      string
	xves      unit.Opt[int]
	threads   unit.Opt[int]
	frequency unit.Opt[float64]
	pos       note.Pos
}

// A share is a whole-run occupancy. There is one per group of equal GPUs.
type share struct {
	value unit.Ratio
	pos   note.Pos
}

// lines reads a form made up of lines.
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

// metric adds a line `name: value`. Deeper lines that follow belong to it.
func (b *builder) metric(depth int, name, value string, pos note.Pos) {
	for len(b.stack) > 0 && b.stack[len(b.stack)-1].depth >= depth {
		b.stack = b.stack[:len(b.stack)-1]
	}
	head := name
	if value != "" {
		head = name + ": " + value
	}
	switch {
	// The order is important, because names repeat. For example, "GPU Time"
	// occurs above the tasks, among the recommendations, and in the platform
	// info, each with a different meaning.
	case b.under(platformHead):
		b.info(name, value, head, pos)
	case name == busyMark || name == "GPU Stack Utilization":
		// This also occurs among the recommendations. If there are several
		// GPUs, the first is the busiest.
		take(b, &b.platform.GPUBusy, name, value, parsePercent, pos)
	case b.under("Recommendations"):
	case len(b.stack) == 0 && b.section(head, pos):
	case name == "Elapsed Time":
		take(b, &b.elapsed, name, value, parseTime, pos)
	case name == "GPU Time" || name == "GPU Accumulated Time":
		take(b, &b.platform.GPUTime, name, value, parseTime, pos)
	case b.under("XVE State") || b.under("EU State"): // in hpc-performance
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

// under reports whether the current metric belongs to another metric.
func (b *builder) under(name string) bool {
	return slices.ContainsFunc(b.stack, func(e entry) bool { return e.name == name })
}

// section adds the heading above a device's metrics, `0:28:0.0 : DG1 [Iris Xe
// MAX Graphics]`, or above equal devices, `Display controller: Intel
// Corporation Device 0x0bd6 Device Group`. It reports whether head is such a
// heading.
func (b *builder) section(head string, pos note.Pos) bool {
	name, group := strings.CutSuffix(head, " Device Group")
	bare := withoutAddress(name)
	if !group && bare == name {
		return false
	}
	b.sections = append(b.sections, gpu{name: strings.Clone(deviceName(bare)), pos: pos})
	return true
}

// withoutAddress returns a text without the PCI address at its beginning:
// `0:41:0.0 : NAME`.
func withoutAddress(text string) string {
	address, name, ok := strings.Cut(text, " : ")
	if ok && strings.Count(address, ":") >= 2 && strings.Trim(address, "0123456789abcdefABCDEF:.") == "" {
		return strings.TrimSpace(name)
	}
	return text
}

// deviceName returns a PCI device's name without its class.
func deviceName(text string) string {
	for _, class := range []string{"Display controller: ", "VGA compatible controller: ", "3D controller: "} {
		text = strings.TrimPrefix(text, class)
	}
	return strings.TrimSpace(text)
}

// take sets a whole-run quantity if it is not set yet.
func take[T comparable](b *builder, to *unit.Opt[T], name, value string, parse func(string) (unit.Opt[T], error),
	pos note.Pos) {
	o, err := parse(value)
	if err != nil {
		b.bad.Add(pos, "", "%s: %v", name, err)
		return
	}
	// The first value has priority, because the report continues from the whole
	// run to its parts, which repeat the names.
	*to = cmp.Or(*to, o)
}

func (b *builder) occupancy(value string, pos note.Pos) {
	var r unit.Opt[unit.Ratio]
	take(b, &r, "Occupancy", value, parsePercent, pos)
	if x, ok := r.Value(); ok {
		b.shares = append(b.shares, share{x, pos})
	}
}

// info adds a line in the collection and platform info.
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
		t, err := time.Parse("15:04:05 02/01/2006 UTC", value) // the day precedes the month: 14/03/2024
		if err != nil {
			b.bad.Add(pos, "", "collection start time %s is not of the form 23:44:22 14/03/2024 UTC",
				table.Quote(value))
			return
		}
		p.Collected = t
	}
}

// gpu adds a line about a GPU: the only one, or one with a number, `GPU 1:
// 0:58:0.0 : Display controller: ...`.
func (b *builder) gpu(name, value, head string, pos note.Pos) {
	number, rest, _ := strings.Cut(head, ": ")
	if digits, ok := strings.CutPrefix(number, "GPU "); ok && strings.Trim(digits, "0123456789") == "" {
		b.addGPU(deviceName(withoutAddress(rest)), pos)
		return
	}
	if name == "Name" {
		value = deviceName(value)
		// Counts may come first. The GPU then exists, but has no name yet.
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
	// A GPU has at least one XVE, so 0 means unknown.
	if v, ok := n.Value(); ok && v > 0 && v < 1<<31 {
		*to = unit.Some(int(v))
	} else if err == nil {
		err = fmt.Errorf("%s is not a number above 0", table.Quote(text))
	}
	return err
}

// finish returns the file, or an error if nothing in it can be used.
func (b *builder) finish(empty bool) (*ingest.File, error) {
	b.devices()
	b.whole()
	// GPUBusy is a share of elapsed time. A report may contain it without the
	// GPU time itself.
	if busy, said := b.platform.GPUBusy.Value(); said && b.elapsed.Present() && !b.platform.GPUTime.Present() {
		b.platform.GPUTime = unit.Some(b.elapsed.Or(0) * unit.Seconds(busy))
	}
	f := &ingest.File{Input: ingest.Input{Rows: b.rows, BadRows: b.bad.Count}, Summary: b.tasks, Platform: b.platform}
	f.Notes = append(b.bad.Notes(), b.notes...)
	// A version and times alone do not describe a GPU.
	if len(f.Summary) == 0 && f.Platform == (ingest.Platform{VTune: f.Platform.VTune, GPUTime: f.Platform.GPUTime,
		GPUBusy: f.Platform.GPUBusy}) {
		return nil, b.inputError(empty)
	}
	return f, nil
}

// devices sets the properties that all GPUs in the report share. The platform
// info lists the GPUs. If it is missing, the headings above the metrics are
// used.
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
		// Set the stacks only if every adapter can have the same number. A
		// remainder means that a row was lost.
		if len(b.stacks)%n == 0 {
			p.Stacks = unit.Some(len(b.stacks) / n)
		}
		// A stack without a printed state may have been busy.
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
		// A common case is an integrated GPU next to a discrete one. The
		// frequency is not compared, because it follows from the device.
		if g.name != first.name || g.xves != first.xves {
			b.notes = append(b.notes, note.Warningf("several-gpus", first.pos, "name it with --device",
				"the machine has different GPUs, %s and %s, but the summary does not identify the "+
					"one that ran the tasks", described(first), described(g)))
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

// whole sets the run's occupancy. If there are several GPU groups, it uses the
// busiest, on which the tasks ran.
func (b *builder) whole() {
	if len(b.shares) == 0 {
		return
	}
	busiest := slices.MaxFunc(b.shares, func(x, y share) int { return cmp.Compare(x.value, y.value) })
	b.platform.Occupancy, b.platform.OccupancyPos = unit.Some(busiest.value), busiest.pos
	if len(b.shares) > 1 {
		var all []string
		for _, s := range b.shares[:min(len(b.shares), 8)] {
			all = append(all, s.value.String())
		}
		b.notes = append(b.notes, note.Newf(note.Info, "occupancy-per-gpu", busiest.pos, "",
			"the summary has an occupancy for each GPU (%s); the occupancy of the busiest GPU is "+
				"used for the run", strings.Join(all, ", ")))
	}
}
