package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// finish gives the file, or says why nothing of it can be used.
func (b *builder) finish(empty bool) (*ingest.File, error) {
	b.devices()
	b.whole()
	// GPUBusy is a share of the elapsed time; a report may have it without the time itself.
	if busy, said := b.platform.GPUBusy.Value(); said && b.elapsed.Present() && !b.platform.GPUTime.Present() {
		b.platform.GPUTime = unit.Some(b.elapsed.Or(0) * unit.Seconds(busy))
	}
	f := &ingest.File{Input: ingest.Input{Rows: b.rows, BadRows: b.bad.Count}, Summary: b.tasks, Platform: b.platform}
	f.Notes = append(b.bad.Notes(), b.notes...)
	// A version and times alone say nothing of a GPU.
	if len(f.Summary) == 0 && f.Platform == (ingest.Platform{VTune: f.Platform.VTune, GPUTime: f.Platform.GPUTime,
		GPUBusy: f.Platform.GPUBusy}) {
		return nil, b.fault(empty)
	}
	return f, nil
}

// devices takes what all GPUs of the report have in common. The platform info lists them; where it does not, the
// headings over the metrics do.
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
		// Said only where every adapter can have as many; a remainder is a row that was lost.
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
		// An integrated GPU beside a discrete one is the usual case; frequency and work-group limits follow from the
		// device, so they are not compared.
		if g.name != first.name || g.xves != first.xves {
			b.notes = append(b.notes, note.Note{Severity: note.Warning, Code: "several-gpus", Pos: first.pos,
				Text: fmt.Sprintf("the machine has different GPUs, %s and %s, and the summary does not say which one "+
					"ran the tasks", described(first), described(g)),
				Hint: "name it with --device"})
			return
		}
	}
	p.Device, p.Pos = first.name, first.pos
	if first.name != "" {
		p.DeviceFrom = "the summary"
	}
	p.XVEs, p.ThreadsPerXVE, p.MaxFrequency, p.MaxWorkGroup = first.xves, first.threads, first.frequency, first.group
}

func described(g gpu) string {
	name := cmp.Or(g.name, "a GPU without a name")
	if n, ok := g.xves.Value(); ok {
		name += fmt.Sprintf(" (%d XVE)", n)
	}
	return name
}

// whole takes the occupancy of the run. With several groups of GPUs it is that of the busiest: the tasks ran there.
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
