package formats_test

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// describe prints what was understood of a file, a fact per line; what is
// absent is not printed. A golden of it shows what a change of a format reads
// otherwise, field by field. A new field of ingest.File has to be added here by
// hand, or goldens do not see it.
func describe(f *ingest.File) string {
	var b printer
	b.line("rows", f.Rows, "bad", f.BadRows)
	b.platform(&f.Platform)
	for i := range f.Kernels {
		b.kernel("kernel", &f.Kernels[i])
	}
	for i := range f.Summary {
		b.kernel("summary", &f.Summary[i])
	}
	for _, t := range f.Timings {
		b.line("timing", t.Kernel, "groups", t.Groups, "seconds", t.Seconds, "printed", t.Printed, "unit",
			t.UnitAsPrinted, "at", t.Pos)
	}
	for _, p := range f.Props {
		b.line("properties", fmt.Sprintf("%q", p.Task), "global", p.Global, "local", p.Local, "simd", p.SIMD, "slm",
			p.SLM, "spill", p.Spill, "private", p.Private, "spilled registers",
			p.SpilledRegisters, "registers", p.Registers, "at", p.Pos)
	}
	for _, s := range f.Stalls {
		list := fmt.Sprintf("%q", s.Task)
		for _, x := range s.Stalls {
			list += fmt.Sprintf(" %s %.4g%%", x.Reason, x.Share.Percent())
		}
		b.line("stalls", list, "at", s.Pos)
	}
	b.trace(f.Trace)
	// The note prints its own place, severity and hint: wording is part of what
	// a format promises.
	for _, n := range f.Notes {
		b.line("note", n.Code, "", n)
	}
	return b.String()
}

// trace prints the lanes' devices and the first launches: nanoseconds since the
// first start, and how long each took.
func (b *printer) trace(tr *ingest.Trace) {
	if tr == nil || tr.Len() == 0 {
		return
	}
	tr.Finish()
	fmt.Fprintf(b, "trace of %q: %d launches, step %d ns:", tr.Devices, tr.Len(), tr.Step)
	n := 0
	for l := range tr.All() {
		if n++; n > 8 {
			break
		}
		fmt.Fprintf(b, " %q %d+%d", tr.Tasks[l.Task].Task, l.Start-tr.First, l.End-l.Start)
	}
	b.WriteByte('\n')
}

// printer collects lines. A value that is absent leaves no trace, so a 0 in a
// golden is one that was read.
type printer struct{ strings.Builder }

// line prints pairs of a name and a value, leaving out what is absent.
func (b *printer) line(pairs ...any) {
	text := b.pairs(pairs)
	if text != "" {
		b.WriteString(text + "\n")
	}
}

// indented prints a line below a kernel, which is left out when all of its
// values are absent.
func (b *printer) indented(pairs ...any) {
	if text := b.pairs(pairs); text != "" {
		b.WriteString("   " + text + "\n")
	}
}

func (b *printer) pairs(pairs []any) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		text, ok := value(pairs[i+1])
		if !ok {
			continue
		}
		if name := pairs[i].(string); name != "" {
			text = name + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// value prints a value and says whether it is there. Twelve digits of seconds
// and nine of a percentage are fewer than a float64 has: its rounding stays out
// of goldens.
func value(v any) (text string, there bool) {
	there = true
	if of := reflect.ValueOf(v).MethodByName("Value"); of.IsValid() { // of a unit.Opt
		results := of.Call(nil)
		v, there = results[0].Interface(), results[1].Bool()
	}
	switch v := v.(type) {
	case string:
		return v, v != ""
	case unit.Size3:
		return v.String(), v.Present()
	case unit.Seconds, float64:
		return fmt.Sprintf("%.12g", v), there
	case unit.Ratio:
		return fmt.Sprintf("%.9g%%", v.Percent()), there
	case unit.Bytes:
		return fmt.Sprint(int64(v)), there
	case time.Time:
		return v.Format(time.RFC3339), !v.IsZero()
	}
	return fmt.Sprint(v), there
}

func (b *printer) platform(p *ingest.Platform) {
	for _, f := range []struct {
		name  string
		value any
	}{
		{"device", p.Device}, {"device from", p.DeviceFrom}, {"node property", p.NodeProperty}, {"XVEs", p.XVEs},
		{"threads per XVE", p.ThreadsPerXVE}, {"adapters", p.Adapters}, {"stacks", p.Stacks},
		{"busy stacks", p.BusyStacks}, {"max frequency", p.MaxFrequency},
		{"collected", p.Collected}, {"host", p.Host}, {"command", p.Command},
		{"OS", p.OS},
		{"VTune", p.VTune}, {"driver", p.Driver}, {"job", p.JobID}, {"occupancy", p.Occupancy},
		{"vector size", p.VectorSize},
		{"at", p.Pos.String()},
	} {
		if text, ok := value(f.value); ok {
			fmt.Fprintf(b, "platform %s: %s\n", f.name, text)
		}
	}
}

// kernel prints a row of an export or of a summary: first whose it is, then the
// launch, the occupancy and the rest, a line each.
func (b *printer) kernel(what string, k *ingest.Kernel) {
	b.line(what, fmt.Sprintf("%q", k.Task), "at", k.Pos)
	b.indented("global", k.Global, "local", k.Local, "SIMD", k.SIMD, "direction", string(k.Direction), "device",
		k.Device, "instances", k.Instances, "seconds", k.Total, "a launch", k.Mean)
	b.indented("measured", k.Measured, "peak", k.Peak, "work", k.PeakWork, "SLM", k.PeakSLM, "barrier", k.PeakBarrier,
		"active", k.Active, "stalled", k.Stalled, "idle", k.Idle)
	b.indented("barrier stall", k.BarrierStall, "threads", k.Threads, "barriers", k.Barriers, "spill", k.Spill,
		"SLM bytes", k.SLM, "registers", k.Registers)
	if s := k.Launches; s != nil {
		b.indented("from", s.MinSeconds, "median", s.MedianSeconds, "to", s.MaxSeconds, "measured from", s.MinMeasured,
			"median", s.MedianMeasured, "to", s.MaxMeasured)
	}
}
