package trace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// deviceSaid is what PyTorch says of a device.
type deviceSaid struct {
	ID     int
	Name   string
	Units  int     `json:"maxComputeUnits"`   // XVEs
	Clock  float64 `json:"maxClockFrequency"` // MHz
	Driver string  `json:"driverVersion"`
	line   int
}

// head takes a member of the trace beside its events.
func (r *reader) head(name string, value []byte, line int) {
	switch name {
	case `"baseTimeNanoseconds"`:
		// Behind the events it would shift those that were read already; PyTorch writes it before them.
		if n, err := strconv.ParseInt(string(unquoted(value)), 10, 64); err == nil && n >= 0 && n < 1<<62 && r.events == 0 {
			r.base = n
		}
	case `"deviceProperties"`: // which PyTorch alone writes
		r.pytorch = true
		var list []deviceSaid
		if json.Unmarshal(value, &list) == nil && len(list) < maxTasks {
			for i := range list {
				list[i].line = line
			}
			r.platform = list
		}
	}
}

// devices says on which device the launches ran, where PyTorch names it: processes of launches are numbers of devices.
func (r *reader) devices(f *ingest.File) {
	// A trace of counters alone does not say on which of several they were read.
	alone := len(r.trace.Devices) == 0 && len(r.platform) == 1
	of := slices.DeleteFunc(r.platform, func(d deviceSaid) bool {
		return !alone && !slices.Contains(r.trace.Devices, strconv.Itoa(d.ID)) || !strings.Contains(d.Name, "Intel")
	})
	if len(of) == 0 {
		return
	}
	first := of[0]
	pos := note.Pos{File: r.path, Line: first.line}
	for _, d := range of[1:] {
		if d.Name != first.Name || d.Units != first.Units {
			f.Notes = append(f.Notes, note.Note{Severity: note.Warning, Code: "several-devices", Pos: pos,
				Text: fmt.Sprintf("the launches ran on different devices: %s with %d XVEs and %s with %d",
					first.Name, first.Units, d.Name, d.Units), Hint: "give each device a trace of its own"})
			return
		}
	}
	p := &f.Platform
	p.Device, p.DeviceFrom, p.Pos, p.Driver = first.Name, "the trace", pos, first.Driver
	if first.Units > 0 && first.Units < 1<<20 {
		p.XVEs = unit.Some(first.Units)
	}
	if len(of) > 1 {
		p.Adapters = unit.Some(len(of))
	}
	if first.Clock > 0 && first.Clock < 1e6 {
		p.MaxFrequency = unit.Some(first.Clock * 1e6)
	}
}
