package trace

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// plain returns a launch's event as PyTorch writes it, with ts and dur in
// microseconds.
func plain(name string, id int, ts, dur float64) string {
	return fmt.Sprintf(`{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 8, "ts": %.3f, "dur": %.3f, "args": {"correlation": %d, "device": 0, "sycl queue": 8, "kernel_id": %d}}`,
		name, ts, dur, 900+id, id)
}

// scoped returns the event with a launch's counters, and its two events with
// phase C, which repeat them.
func scoped(name string, id int, ts, dur float64, args string) string {
	return fmt.Sprintf(`{"ph": "X", "cat": "kernel", "name": "metrics: %s", "pid": 0, "tid": 8, "ts": %.3f, "dur": %.3f, "args": {"kernel_id": %d, "queue": "0x7", %s}},
{"ph": "C", "cat": "xpu_scope_profiler", "name": "xpu", "pid": 0, "tid": 8, "ts": %.3f, "args": {%s}},
{"ph": "C", "cat": "xpu_scope_profiler", "name": "xpu", "pid": 0, "tid": 8, "ts": %.3f, "args": {"XVE_ACTIVE": 0}}`,
		name, ts-0.001, dur+0.002, id, args, ts-0.001, args, ts+dur+0.001)
}

// lost returns the event with counters for a launch that the profiler did not
// record.
func lost(name string, id int, args string) string {
	return fmt.Sprintf(`{"ph": "X", "cat": "kernel", "name": "metrics: %s", "pid": 0, "tid": 0, "ts": 7.000, "dur": 0.001, "args": {"kernel_id": %d, "queue": "0x7", %s}}`, name, id, args)
}

// values returns counters in one of the three spellings. ns is the time during
// which they ran.
func values(spelling string, ns int, active, stalled, occupancy float64) string {
	return strings.NewReplacer("(", map[string]string{"::": "::", " [": " [", "": "@"}[spelling], ")", map[string]string{" [": "]"}[spelling]).
		Replace(strings.ReplaceAll(fmt.Sprintf(`"GpuTime(ns)": %d, "XVE_ACTIVE(percent)": %g, "XVE_STALL(percent)": %g, "XVE_THREADS_OCCUPANCY_ALL(percent)": %g`,
			ns, active, stalled, occupancy), "@", ""))
}

func inTrace(events ...string) string {
	text := `{"deviceProperties": [{"id": 0, "name": "Intel(R) Data Center GPU Max 1100", "maxComputeUnits": 448, "maxClockFrequency": 1550}], "baseTimeNanoseconds": 1790857026000000000,
"traceEvents": [
` + strings.Join(events, ",\n") + "\n]}"
	// Without a unit: remove the text after the sign.
	for {
		i := strings.IndexByte(text, '@')
		if i < 0 {
			return text
		}
		text = text[:i] + text[i+strings.IndexByte(text[i:], '"'):]
	}
}

// rows returns kernels with their counters as text.
func rows(f *ingest.File) string {
	var b strings.Builder
	for i := range f.Kernels {
		k := &f.Kernels[i]
		fmt.Fprintf(&b, "%s: %d in %.4g us", k.Task, k.Instances.Or(0), float64(k.Total.Or(0))*1e6)
		ratio := func(name string, o unit.Opt[unit.Ratio]) {
			if v, ok := o.Value(); ok {
				fmt.Fprintf(&b, " %s %.6g", name, v.Percent())
			}
		}
		ratio("measured", k.Measured)
		ratio("active", k.Active)
		ratio("stalled", k.Stalled)
		ratio("idle", k.Idle)
		if w, ok := k.CounterTimeRatio.Value(); ok {
			fmt.Fprintf(&b, " window %.4g", w)
		}
		if n, ok := k.Threads.Value(); ok {
			fmt.Fprintf(&b, " threads %d", n)
		}
		if c := k.Counters; c != nil {
			fmt.Fprintf(&b, " GB/s %.4g %.4g %.4g %.4g", c.MemoryRead.Or(-1), c.MemoryWrite.Or(-1), c.L3Read.Or(-1), c.L3Write.Or(-1))
		}
		if k.Measured.Present() && k.Reading != ingest.AroundLaunch {
			b.WriteString(" sampled")
		}
		b.WriteString("\n")
	}
	for _, n := range f.Notes {
		text, _, _ := strings.Cut(n.String(), " (ask")
		text, _, _ = strings.Cut(text, " (profile")
		text, _, _ = strings.Cut(text, " (another")
		b.WriteString(n.Code + " " + text + "\n")
	}
	return b.String()
}

func TestCounters(t *testing.T) {
	a1, a2, b1 := plain("a", 1, 10, 30), plain("a", 2, 50, 10), plain("b", 3, 60, 5)
	all := func(spelling string) []string {
		return []string{a1, a2, b1, scoped("a", 1, 10, 30, values(spelling, 30000, 30, 50, 60)), scoped("a", 2, 50, 10, values(spelling, 10000, 10, 85, 90)),
			scoped("b", 3, 60, 5, values(spelling, 5000, 20, 30, 25))}
	}
	// By hand: (30 x 60 + 10 x 90) / 40, (30 x 30 + 10 x 10) / 40, (30 x 50 +
	// 10 x 85) / 40.
	const want = "a: 2 in 40 us measured 67.5 active 25 stalled 58.75 idle 16.25 window 1\nb: 1 in 5 us measured 25 active 20 stalled 30 idle 50 window 1\n"
	const times = "a 0+30000, a 40000+10000, b 50000+5000"
	for _, c := range []struct {
		reason         string
		events         []string
		want, launches string
	}{
		{"units after two colons, as in the merged version", all("::"), want, times},
		{"units in brackets, as in the drafts", all(" ["), want, times},
		{"no units, as from some drivers", all(""), want, times},
		{"counters before their launches", append(all("::")[3:], a1, a2, b1), want, times},
		{"launches in another order than their numbers", append([]string{b1, a2, a1}, all("::")[3:]...),
			"b: 1 in 5 us measured 25 active 20 stalled 30 idle 50 window 1\na: 2 in 40 us measured 67.5 active 25 stalled 58.75 idle 16.25 window 1\n", times},
		{"a user's kernel with such a name is a launch", []string{plain("metrics: a", 1, 10, 30)},
			"metrics: a: 1 in 30 us\nno-occupancy f: no counters in the trace: occupancy was not measured in it\n", "metrics: a 0+30000"},
		{"a launch without a name is found by its number", []string{a1, scoped("kernel_1", 1, 10, 30, values("::", 30000, 30, 50, 60))},
			"a: 1 in 30 us measured 60 active 30 stalled 50 idle 20 window 1\n", "a 0+30000"},
		{"a query that ran longer than its launch", []string{a1, scoped("a", 1, 10, 30, values("::", 45000, 30, 50, 60))},
			"a: 1 in 30 us measured 60 active 30 stalled 50 idle 20 window 1.5\n", "a 0+30000"},
		{"bytes become bandwidths over the time of the launches, threads add up; the two directions of L3", []string{a1, a2,
			scoped("a", 1, 10, 30, `"GPU_MEMORY_BYTE_READ::bytes": 3000000, "GPU_MEMORY_BYTE_WRITE": "30000", "L3_BYTE_READ::bytes": 6000000, "XVE_COMPUTE_THREAD_COUNT::threads": 5`),
			scoped("a", 2, 50, 10, `"GPU_MEMORY_BYTE_READ::bytes": 5000000, "XVE_COMPUTE_THREAD_COUNT::threads": 7`)},
			"a: 2 in 40 us threads 12 GB/s 200 1 200 -1\nno-occupancy f: warning: the counters of the trace do not include XVE_THREADS_OCCUPANCY_ALL, so no occupancy was measured\n",
			"a 0+30000, a 40000+10000"},
		{"a count that not all launches have is not used", []string{a1, a2, scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60)+`, "XVE_COMPUTE_THREAD_COUNT": 5`),
			scoped("a", 2, 50, 10, values("::", 10000, 10, 85, 90))},
			"a: 2 in 40 us measured 67.5 active 25 stalled 58.75 idle 16.25 window 1\n", "a 0+30000, a 40000+10000"},
		{"a truncated trace loses counters first", all("::")[:4],
			"a: 2 in 40 us measured 60 active 30 stalled 50 idle 20 window 1\nb: 1 in 5 us\n" +
				"counters-missing f: warning: counters are missing for 2 of 3 launches\n", times},
		{"two GPUs, one of whose counters another process uses", []string{a1, strings.Replace(b1, `"pid": 0`, `"pid": 1`, 1), scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60))},
			"a: 1 in 30 us measured 60 active 30 stalled 50 idle 20 window 1\nb: 1 in 5 us\n" +
				"counters-missing f: warning: counters are missing for 1 of 2 launches; device 1 has none\n", "a 0+30000, b 50000+5000"},
		{"two ranks with the same launch numbers: the launch is unknown", []string{a1, plain("a", 1, 200, 10), scoped("a", 1, 200, 10, values("::", 10000, 10, 85, 90)),
			scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60))},
			"a: 2 in 40 us\nbad-row f:5: error: kernel_id 1 of \"a\" belongs to several launches\nbad-row f:8: error: kernel_id 1 of \"a\" belongs to several launches\n" +
				"counters-missing f: warning: counters are missing for 2 of 2 launches\n", "a 0+30000, a 190000+10000"},
		{"a number that belongs to a launch of another kernel", []string{a1, scoped("b", 1, 10, 5, values("::", 5000, 20, 30, 25))},
			"a: 1 in 30 us\nbad-row f:4: error: kernel_id 1 of \"b\" belongs to a launch of \"a\"\ncounters-missing f: warning: counters are missing for 1 of 1 launch\n", "a 0+30000"},
		{"counters of one launch twice", []string{a1, scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60)), scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 90))},
			"a: 1 in 30 us measured 60 active 30 stalled 50 idle 20 window 1\nbad-row f:7: error: the counters of \"a\" belong to no launch of the trace, or to one that already has counters\n", "a 0+30000"},
		{"a launch that was not recorded: its values are used, and its time is GpuTime", []string{a1, scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60)), lost("c", 9, values("::", 7000, 1, 2, 3))},
			"a: 1 in 30 us measured 60 active 30 stalled 50 idle 20 window 1\nc: 1 in 7 us measured 3 active 1 stalled 2 idle 97 window 1\n" +
				"counters-without-launch f:7: warning: the counters of 1 launch belong to no launch of the trace: " +
				"they are used with GpuTime as the duration, but are not part of gaps and overlaps\n",
			"a 0+30000"},
		{"without GpuTime its weight is unknown", []string{a1, lost("c", 9, `"XVE_THREADS_OCCUPANCY_ALL::percent": 3`)},
			"a: 1 in 30 us\nbad-row f:4: error: the counters of \"c\" belong to no launch of the trace, and do not include GpuTime, the duration of the launch\n" +
				"counters-missing f: warning: counters are missing for 1 of 1 launch\n", "a 0+30000"},
		{"counters of a recorded launch with an unknown number may belong to a counted launch", []string{a1, scoped("a", 5, 10, 30, values("::", 30000, 30, 50, 60))},
			"a: 1 in 30 us\nbad-row f:4: error: the counters of \"a\" belong to no launch of the trace, or to one that already has counters\n" +
				"counters-missing f: warning: counters are missing for 1 of 1 launch\n", "a 0+30000"},
		{"only counters, as the profiler writes them if nothing else is requested", []string{lost("c", 1, values("::", 7000, 1, 2, 3)), lost("c", 2, values("::", 21000, 1, 2, 7))},
			"c: 2 in 28 us measured 6 active 1 stalled 2 idle 97 window 1\ncounters-without-launch f:3: warning: the counters of 2 launches belong to no launch of the trace: " +
				"they are used with GpuTime as the duration, but are not part of gaps and overlaps\n", ""},
		{"unknown names and units are reported, and the others are used", []string{a1, scoped("a", 1, 10, 30, `"GpuTime::ns": 30000, "XVE_ACTIVE::furlongs": 30, "NEW_COUNTER::percent": 5, "XVE_THREADS_OCCUPANCY_ALL::%": 60`)},
			"a: 1 in 30 us measured 60 window 1\ncounters-unused f: counters with an unknown name or unit are not used: XVE_ACTIVE::furlongs, NEW_COUNTER::percent\n", "a 0+30000"},
		{"impossible values", []string{a1, a2, b1, scoped("a", 1, 10, 30, `"XVE_THREADS_OCCUPANCY_ALL::percent": 160`), scoped("a", 2, 50, 10, `"XVE_THREADS_OCCUPANCY_ALL::percent": -1`),
			scoped("b", 3, 60, 5, `"XVE_ACTIVE::percent": "much"`)},
			"a: 2 in 40 us\nb: 1 in 5 us\n" +
				"bad-row f:6: error: the counters of \"a\": XVE_THREADS_OCCUPANCY_ALL::percent is 160; expected at " +
				"most 100%\n" +
				"bad-row f:9: error: the counters of \"a\": XVE_THREADS_OCCUPANCY_ALL::percent is \"-1\"; expected a number of at least 0\n" +
				"bad-row f:12: error: the counters of \"b\": XVE_ACTIVE::percent is \"\\\"much\\\"\"; expected a number of at least 0\n" +
				"counters-missing f: warning: counters are missing for 3 of 3 launches\n", times},
	} {
		f, err := read(t, strings.NewReader(inTrace(c.events...)), ingest.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if d := cmp.Diff(c.want, rows(f)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
		if got := launches(f.Trace); got != c.launches {
			t.Errorf("%s: launches %s, want %s", c.reason, got, c.launches)
		}
	}
}

// TestCountersOfLaunches checks that each single launch has its own counters.
func TestCountersOfLaunches(t *testing.T) {
	f, err := read(t, strings.NewReader(inTrace(plain("a", 1, 10, 30), plain("b", 2, 42, 1), plain("a", 3, 50, 10),
		scoped("a", 1, 10, 30, values("::", 30000, 30, 50, 60)+`, "GPU_MEMORY_BYTE_READ": 3000000`),
		scoped("a", 3, 50, 10, values("::", 10000, 10, 85, 90)+`, "GPU_MEMORY_BYTE_READ": 5000000`))), ingest.ReadOptions{Instances: true})
	if err != nil {
		t.Fatal(err)
	}
	const want = "0 in 30 us: 60 30 50 20\n1 in 1 us: -100 -100 -100 -100\n0 in 10 us: 90 10 85 5\n"
	got := ""
	for _, l := range f.Launches.All() {
		got += fmt.Sprintf("%d in %.3g us: %.3g %.3g %.3g %.3g\n", l.Kernel, float64(l.Time.Or(-1))*1e6, l.Measured.Or(-1).Percent(), l.Active.Or(-1).Percent(),
			l.Stalled.Or(-1).Percent(), l.Idle.Or(-1).Percent())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDevice checks that the device comes from PyTorch's metadata, and that all
// launches' times have the same base.
func TestDevice(t *testing.T) {
	f, err := read(t, strings.NewReader(inTrace(plain("a", 1, 10, 30))), ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p := f.Platform; p.Device != "Intel(R) Data Center GPU Max 1100" || p.DeviceFrom != "the trace" || p.XVEs.Or(0) != 448 || p.MaxFrequency.Or(0) != 1.55e9 || p.Pos.Line != 1 {
		t.Errorf("%+v", p)
	}
	if f.Trace.First != 1790857026000010000 || !f.Trace.Whole {
		t.Errorf("the first launch began at %d", f.Trace.First)
	}
	// Older versions write no kernel_id, but a rank's trace is still a separate
	// run.
	old := strings.Replace(inTrace(plain("a", 1, 10, 30)), `"kernel_id"`, `"other_id"`, 1)
	if f, err := read(t, strings.NewReader(old), ingest.ReadOptions{}); err != nil || !f.Trace.Whole {
		t.Errorf("without kernel_id: %v", err)
	}
	two := strings.Replace(inTrace(plain("a", 1, 10, 30), strings.Replace(plain("a", 2, 50, 10), `"pid": 0`, `"pid": 1`, 1)), "}],",
		`}, {"id": 1, "name": "Intel(R) Arc(TM) B580 Graphics", "maxComputeUnits": 160}],`, 1)
	if f, err = read(t, strings.NewReader(two), ingest.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if f.Platform.Device != "" || len(f.Notes) == 0 || f.Notes[1].Code != "several-devices" {
		t.Errorf("%+v, %v", f.Platform, f.Notes)
	}
}

// TestManyCounters checks that launches in another order than their numbers are
// found without sorting each time, and that the memory per launch stays small.
func TestManyCounters(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString("[")
	want := 0.0
	for i := range n {
		id := (i*7919)%n + 1
		fmt.Fprintf(&b, "%s,\n%s,\n", plain("a", id, float64(10*i), 5), scoped("a", id, float64(10*i), 5, values("::", 5000, 1, 2, float64(i%100))))
		want += float64(i%100) / n
	}
	f, err := read(t, strings.NewReader(b.String()), ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := f.Kernels[0]
	if m, _ := k.Measured.Value(); f.BadRows > 0 || math.Abs(m.Percent()-want) > 1e-9 || k.Instances.Or(0) != n {
		t.Errorf("%d bad, measured %v, want %v", f.BadRows, m.Percent(), want)
	}
}

// launches returns a trace as text.
func launches(tr *ingest.Trace) string {
	tr.Finish()
	var list []string
	for l := range tr.All() {
		list = append(list, fmt.Sprintf("%s %d+%d", tr.Tasks[l.Task].Task, l.Start-tr.First, l.End-l.Start))
	}
	return strings.Join(list, ", ")
}
