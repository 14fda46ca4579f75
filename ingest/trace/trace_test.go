package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/internal/ingesttest"
	"occudiff/ingest/note"
)

func read(t testing.TB, r io.Reader, opt ingest.ReadOptions) (*ingest.File, error) {
	t.Helper()
	return Format{}.Read(context.Background(), &ingest.Source{Path: "f", Size: -1, R: r}, opt)
}

// unitrace is what unitrace --chrome-kernel-logging writes; names and order are as in a trace of a user (issue 52 of
// intel/pti-gpu), the times are not.
const unitrace = `{"traceEvents":[
{"ph": "X", "tid": 4294950910, "pid": 4294950911, "name": "gemm[SIMD32 {1568; 1; 1} {512; 1; 1}]", "cat": "gpu_op", "ts": 1703105438709308, "dur": 9, "args": {"id": "3418"}},
{"ph": "X", "tid": 7, "pid": 12, "name": "zeCommandListAppendLaunchKernel", "cat": "cpu_op", "ts": 1703105438709300, "dur": 3, "id": 4},
{"ph": "s", "tid": 7, "pid": 12, "name": "dep", "cat": "Flow_H2D_3418_0", "ts": 1703105438709300, "id": 3418},
{"ph": "X", "tid": 4294950910, "pid": 4294950911, "name": "gemm[SIMD32 {1568; 1; 1} {512; 1; 1}]", "cat": "gpu_op", "ts": 1703105438709328, "dur": 11, "args": {"id": "3419"}},
{"ph": "X", "tid": 4294950909, "pid": 4294950911, "name": "zeCommandListAppendMemoryCopy(M2D)[4096]", "cat": "gpu_op", "ts": 1703105438709310, "dur": 2, "args": {"id": "3420"}},
{"ph": "M", "name": "process_name", "pid": 12, "ts": 1, "args": {"name": "RANK 1 HOST<node>"}},
{"ph": "M", "name": "process_name", "pid": 4294950911, "ts": 1, "args": {"name": "RANK 1 DEVICE<node>0:3a:0:0 #0"}}
]
}
`

// pytorch is in the form of PyTorch's profiler for XPU, put together from its source.
const pytorch = `{
  "schemaVersion": 1,
  "deviceProperties": [
  ],
  "record_shapes": 1,
  "baseTimeNanoseconds": 1759300074000000000,
  "traceEvents": [
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 20, "tid": 20,
    "ts": 2493828094901.425, "dur": 2.415,
    "args": {
      "External id": 1,"Record function id": 0, "Ev Idx": 0
    }
  },
  {
    "ph": "X", "cat": "kernel", "name": "gemm_kernel<float, \"a\\b\">", "pid": 0, "tid": 3,
    "ts": 2493828094910.125, "dur": 20.5,
    "args": {
      "device": 0, "context": "0x00", "sycl queue": 3, "kernel_id": 1
    }
  },
  {
    "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy M2D (HOST -> DEVICE)", "pid": 0, "tid": 3,
    "ts": 2493828094940, "dur": 1e1, "args": {}
  },
  {
    "ph": "X", "cat": "gpu_memset", "name": "Memset (0 -> DEVICE)", "pid": 0, "tid": 3,
    "ts": 2493828094960.0004, "dur": 0.9996, "args": {}
  },
  {
    "ph": "i", "s": "t", "name": "Iteration Start", "pid": "Traces", "tid": "Trace", "ts": 1
  }
  ],
  "traceName": "trace.json"
}
`

func TestRead(t *testing.T) {
	for _, c := range []struct{ reason, text, want, launches string }{
		{"a row for a task; host functions are none; the launch shape is in the name", unitrace, `rows 3 bad 0
kernel "gemm" at f:2
   global 802816x1x1 local 512x1x1 SIMD 32 instances 2 seconds 2e-05
   from 9e-06 median 1e-05 to 1.1e-05
kernel "zeCommandListAppendMemoryCopy" at f:6
   direction host-to-device instances 1 seconds 2e-06
`, "DEVICE<node>0:3a:0:0 #0: gemm 0+9000, zeCommandListAppendMemoryCopy 2000+2000, gemm 20000+11000; step 1000"},
		{"events of several lines; times to the nanosecond; copies and fills are no kernels", pytorch, `rows 3 bad 0
kernel "gemm_kernel<float, \"a\\b\">" at f:15
   instances 1 seconds 2.05e-05
kernel "Memcpy M2D (HOST -> DEVICE)" at f:22
   direction host-to-device instances 1 seconds 1e-05
kernel "Memset (0 -> DEVICE)" at f:26
   instances 1 seconds 1e-06
note no-occupancy f: no counters in the trace: occupancy was not measured in it (` + askFor + `)
`, `0: gemm_kernel<float, "a\b"> 0+20500, Memcpy M2D (HOST -> DEVICE) 29875+10000, Memset (0 -> DEVICE) 49875+1000; step 1`},
		{"an array alone, without its end, as a program leaves it that was killed", "[\n" + launch("f", 5, 1) + ",\n" + launch("f", 9, 1) + ",", `rows 2 bad 0
kernel "f" at f:2
   instances 2 seconds 2e-06
   from 1e-06 median 1e-06 to 1e-06
note trace-cut-off f:3: warning: the trace is cut off: the 2 launches before this line are used, the rest is lost (let the program end by itself)
`, "1: f 0+1000, f 4000+1000; step 1000"},
		{"all events on one line, three of them bad", "[" + launch("good", 1, 1) + strings.Repeat(","+launch("late", -1, -1), 3) + "]", `rows 1 bad 3
kernel "good" at f:1
   instances 1 seconds 1e-06
note bad-row f:1: error: the launch has no duration: dur "-1" is not a number of microseconds
note bad-row f:1: error: the launch has no duration: dur "-1" is not a number of microseconds
note bad-row f:1: error: the launch has no duration: dur "-1" is not a number of microseconds
`, "1: good 0+1000; step 1000"},
		{"cut off within an event", unitrace[:600], `rows 1 bad 0
kernel "gemm" at f:2
   global 802816x1x1 local 512x1x1 SIMD 32 instances 1 seconds 9e-06
note trace-cut-off f:5: warning: the trace is cut off: the 1 launches before this line are used, the rest is lost (let the program end by itself)
`, "4294950911: gemm 0+9000; step 1000"},
		{"what cannot be used is left out, and the rest is read", `{"traceEvents":[
` + launch(`bad "name`, 1, 1) + `,
{"ph": "X", "cat": "gpu_op", "name": "f", "pid": 1, "tid": 1, "ts": "soon", "dur": 1},
{"ph": "X", "cat": "gpu_op", "name": "f", "pid": 1, "tid": 1, "ts": 1, "dur": -1},
{"ph": "X", "cat": "gpu_op", "name": "", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
{"ph": "X", "cat": "gpu_op", "name": f, "pid": 1, "tid": 1, "ts": 1, "dur": 1},
{"ph": "X", "cat": "gpu_op", "name" "f", "pid": 1},
{"ph": "X", "cat": "gpu_op", "name": "f[SIMD99 {1; 1; 1} {1; 1; 1}]", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
{"ph": "X", "cat": "gpu_op", "name": "` + strings.Repeat("x", 3*maxValue) + `", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
` + launch("good", 1, 1) + `]}`, `rows 1 bad 8
kernel "good" at f:10
   instances 1 seconds 1e-06
note bad-row f:2: error: a quote in it is not escaped
note bad-row f:3: error: the launch has no start: ts "\"soon\"" is not a number of microseconds
note bad-row f:4: error: the launch has no duration: dur "-1" is not a number of microseconds
note bad-row f:5: error: the row names no kernel
note bad-row f:6: error: the name is not a string
note bad-row f:7: error: the event is not JSON
note bad-row f:8: error: SIMD width "99" is not a number from 1 to 64
note bad-row f:9: error: the event is longer than 1 MB
`, "1: good 0+1000; step 1000"},
	} {
		if !(Format{}).Sniff([]byte(c.text)[:min(len(c.text), 64<<10)]) {
			t.Errorf("%s: not recognized", c.reason)
		}
		for name, r := range map[string]io.Reader{"": strings.NewReader(c.text), ", byte by byte": iotest.OneByteReader(strings.NewReader(c.text))} {
			f, err := read(t, r, ingest.ReadOptions{})
			if err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
			if d := cmp.Diff(c.want, ingesttest.Describe(f)); d != "" {
				t.Errorf("%s%s (-want +got):\n%s", c.reason, name, d)
			}
			if d := cmp.Diff(c.launches, launches(f.Trace)); d != "" {
				t.Errorf("%s%s (-want +got):\n%s", c.reason, name, d)
			}
		}
	}
}

func launch(name string, ts, dur int) string {
	return fmt.Sprintf(`{"ph": "X", "cat": "gpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %d, "dur": %d}`, name, ts, dur)
}

// launches prints a trace.
func launches(tr *ingest.Trace) string {
	tr.Finish()
	var list []string
	for l := range tr.All() {
		list = append(list, fmt.Sprintf("%s %d+%d", tr.Tasks[l.Task].Task, l.Start-tr.First, l.End-l.Start))
	}
	return fmt.Sprintf("%s: %s; step %d", strings.Join(tr.Devices, " "), strings.Join(list, ", "), tr.Step)
}

// TestInstances checks that every launch is kept when it is asked for.
func TestInstances(t *testing.T) {
	f, err := read(t, strings.NewReader(unitrace), ingest.ReadOptions{Instances: true})
	if err != nil || f.Launches.Len() != 3 || f.Launches.At(1).Time.Or(0) != 11e-6 || f.Launches.At(1).Line != 5 {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"host functions alone", `{"traceEvents":[{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1}]}`,
			"f: the trace has 1 events, none of which is a launch on a GPU (" + hint + ", or profile with ProfilerActivity.XPU)"},
		{"cut off before anything", `{"traceEvents":[`, "f:1: the trace is cut off before any launch on a GPU: the text ends here (" + hint + ")"},
		{"no launch that can be used", "[" + launch("", 1, 1) + "]", "f:1: none of the launches can be used; the first: the row names no kernel (" + hint + ")"},
		{"something else", `{"traceEvents": 1, x`, "f:1: the trace is cut off before any launch on a GPU: the event is not JSON (" + hint + ")"},
	} {
		_, err := read(t, strings.NewReader(c.text), ingest.ReadOptions{})
		var fault *note.Fault
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
	broken := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader(unitrace[:600]), iotest.ErrReader(broken))
	if _, err := read(t, r, ingest.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// events gives a trace of any number of launches.
type events struct {
	n, at int
	rest  []byte
}

func (e *events) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		switch e.at++; {
		case e.at == 1:
			e.rest = []byte("[")
		case e.at <= e.n+1:
			e.rest = fmt.Appendf(nil, `{"ph": "X", "cat": "gpu_op", "name": "kernel<%d>[SIMD32 {8; 1; 1} {64; 1; 1}]", "pid": 1, "tid": %d, "ts": %d, "dur": 5},`+"\n",
				e.at%50, e.at%4, 1703105438709308+10*e.at)
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestMemory holds what a trace takes to 24 bytes a launch, whatever its length.
func TestMemory(t *testing.T) {
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 300_000
	before := used()
	f, err := read(t, &events{n: n}, ingest.ReadOptions{})
	after := used()
	if err != nil || f.Trace.Len() != n {
		t.Fatalf("%v, %d launches", err, f.Trace.Len())
	}
	if got := int64(after) - int64(before); got > 24*n+2<<20 {
		t.Errorf("%d bytes for %d launches", got, n)
	}
	runtime.KeepAlive(f)
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"\ufeff \n" + unitrace: true, `{"schema": "occudiff/validate/1"}`: false, `[1, 2]`: false, "": false, "Kernel,Calls\n": false,
	} {
		if got := (Format{}).Sniff([]byte(text)); got != want {
			t.Errorf("Sniff(%.40q) = %v", text, got)
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for text, want := range map[string]int64{"1703105438709308": 1703105438709308000, "2493828094901.425": 2493828094901425,
		"0.0004": 0, "0.0005": 1, "1.99949": 1999, "1.9996": 2000, "-1.5": -1500, "1e3": 1_000_000, "3.": 3000, "3.1": 3100} {
		if got, ok := nanoseconds([]byte(text)); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "1.x", "1e99", "99999999999999999999", "NaN", `"1"`, "9e18"} {
		if got, ok := nanoseconds([]byte(text)); ok {
			t.Errorf("%s: %d, want no time", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{unitrace, pytorch, unitrace[:600], "[" + launch("f", 1, 1)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		(Format{}).Sniff(data)
		file, err := read(t, strings.NewReader(string(data)), ingest.ReadOptions{})
		if err != nil {
			var fault *note.Fault
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("an error that is no fault: %v", err)
			}
			return
		}
		file.Trace.Finish()
		last := file.Trace.First
		for l := range file.Trace.All() {
			if l.Start < last || l.End < l.Start || int(l.Task) >= len(file.Trace.Tasks) || int(l.Lane) >= len(file.Trace.Lanes) {
				t.Fatalf("launch %+v after %d", l, last)
			}
			last = l.Start
		}
		if file.Trace.Len() != int(file.Rows) || len(file.Kernels) == 0 {
			t.Fatalf("%d launches, %d rows, %d kernels", file.Trace.Len(), file.Rows, len(file.Kernels))
		}
	})
}
