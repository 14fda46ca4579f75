package arch

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

const (
	confidenceUser = "user" // entries in device files
	confidenceLow  = "low"  // entries with an assumed value
)

// maxXVEs is larger than the XVE count of any GPU. A larger count is a typo and
// is rejected.
const maxXVEs = 1 << 14

// sameShape reports whether the predictions for all of the devices are equal.
// It ignores barrier slots and the part of an Xe-core's SLM that the driver
// programs, because their sources differ more than the devices do. A note
// reports such differences.
func sameShape(ds []*Device) bool {
	for _, d := range ds[1:] {
		if !d.sameShape(ds[0]) {
			return false
		}
	}
	return true
}

func (d *Device) sameShape(e *Device) bool {
	return d.XeCores == e.XeCores && d.XVEPerXeCore == e.XVEPerXeCore && d.RegisterBytes == e.RegisterBytes &&
		d.mostSLM() == e.mostSLM() && d.SLMPerGroupMax == e.SLMPerGroupMax &&
		d.MaxGroupSize == e.MaxGroupSize && d.GroupSlots == e.GroupSlots &&
		slices.Equal(d.GroupLimits, e.GroupLimits) && slices.Equal(d.GRFModes, e.GRFModes) &&
		slices.Equal(d.SIMDWidths, e.SIMDWidths) && slices.Equal(d.SLMSteps, e.SLMSteps)
}

// mostSLM returns the largest SLM of an Xe-core according to any source.
func (d *Device) mostSLM() unit.Bytes {
	most := d.SLMPerXeCore
	for _, s := range d.SLMBySource {
		most = max(most, kib(s.Count))
	}
	return most
}

// bin returns the part of the device with the given number of enabled XVEs. It
// returns nil unless the number is a smaller number of whole Xe-cores. If the
// Xe-core count of the full part is not public, any whole number of Xe-cores is
// accepted.
func (d *Device) bin(xves int) *Device {
	if xves < 1 || d.XeCores > 0 && xves >= d.XVEs() || xves%d.XVEPerXeCore != 0 || xves > maxXVEs {
		return nil
	}
	b := *d
	b.XeCores = xves / d.XVEPerXeCore
	if b.XeCores%b.Tiles != 0 {
		b.Tiles = 1
	}
	b.Key = fmt.Sprintf("%s-%d", d.Key, xves)
	if d.XeCores == 0 {
		b.Name = fmt.Sprintf("%s, %d Xe-cores", d.Name, b.XeCores)
		return &b
	}
	b.Name = fmt.Sprintf("%s, %d of %d Xe-cores", d.Name, b.XeCores, d.XeCores)
	b.Notes = strings.TrimSuffix(fmt.Sprintf("binned part of %s, derived from the XVE count; %s", d.Key, d.Notes), "; ")
	return &b
}

// alsoNote returns a note about other devices with the same name and shape, or
// nil if there are none.
func alsoNote(d *Device, all []*Device) []note.Note {
	others := slices.DeleteFunc(slices.Clone(all), func(e *Device) bool { return e == d })
	if len(others) == 0 {
		return nil
	}
	n := note.Newf(note.Info, "device-same-shape", note.Pos{}, "",
		"%s has the same shape as %s: predictions are equal", d.Key, list(others))
	differs := func(format string, figures ...any) []note.Note {
		n.Severity, n.Hint = note.Warning, "give the key of your device"
		n.Text = fmt.Sprintf("%s has the shape of %s but ", d.Key, list(others)) + fmt.Sprintf(format, figures...)
		return []note.Note{n}
	}
	for _, e := range others {
		if d.SLMPerXeCore != e.SLMPerXeCore {
			return differs("another SLM per Xe-core (%d KB; %s has %d KB)",
				d.SLMPerXeCore>>10, e.Key, e.SLMPerXeCore>>10)
		}
		if a, b := d.BarrierSlots[0], e.BarrierSlots[0]; a.Count != b.Count {
			return differs("other barrier slots (%d by %s; %s has %d by %s)",
				a.Count, a.Source, e.Key, b.Count, b.Source)
		}
	}
	return []note.Note{n}
}

// list formats devices with their XVE counts: mtl-128 (128 XVE), mtl-64 (64
// XVE).
func list(ds []*Device) string {
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = fmt.Sprintf("%s (%d XVE)", d.Key, d.XVEs())
	}
	return strings.Join(parts, ", ")
}
