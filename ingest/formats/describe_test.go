package formats_test

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// describe returns the content that was read from a file, with one fact per
// line. It omits absent values. Its goldens show each field that a changed
// format reads differently. A new field of ingest.File must be added here by
// hand, because otherwise the goldens do not contain it.
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
	// The note includes its position, severity, and hint, because a format
	// guarantees the wording, too.
	for _, n := range f.Notes {
		b.line("note", n.Code, "", n)
	}
	return b.String()
}

// trace prints the lanes' devices and the first launches: the start in
// nanoseconds since the first start, and the duration.
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

// A printer collects lines. It omits absent values, so a 0 in a golden was read
// from the file.
type printer struct{ strings.Builder }

// line prints pairs of a name and a value and omits absent values.
func (b *printer) line(pairs ...any) {
	text := b.pairs(pairs)
	if text != "" {
		b.WriteString(text + "\n")
	}
}

// indented prints a line below a kernel. It omits the line if all values are
// absent.
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

// value returns a value's text and reports whether the value is present. It
// prints twelve digits of seconds and nine digits of a percentage, fewer than a
// float64 has, so that rounding does not change the goldens.
func value(v any) (text string, there bool) {
	there = true
	if of := reflect.ValueOf(v).MethodByName("Value"); of.IsValid() { // method of unit.Opt
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

// kernel prints a row in an export or a summary: the kernel, the launch, the
// occupancy, and the other values, each on one line.
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
