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

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/internal/testenv"
)

func read(t testing.TB, r io.Reader, opt ingest.ReadOptions) (*ingest.File, error) {
	t.Helper()
	return Format.Read(context.Background(), &ingest.Source{Path: "f", Size: -1, R: r}, opt)
}

// TestLongEvent checks that an event that is too long for a launch is skipped,
// and that the others are read.
func TestLongEvent(t *testing.T) {
	f, err := read(t, strings.NewReader("["+launch(strings.Repeat("x", 3*maxValue), 1, 1)+",\n"+launch("good", 1, 1)+"]"), ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f.BadRows != 1 || f.Trace.Len() != 1 || f.Kernels[0].Task != "good" || f.Notes[0].String() != "f:1: error: the event is longer than 1 MB" {
		t.Errorf("%d bad rows, %d launches, notes %v", f.BadRows, f.Trace.Len(), f.Notes)
	}
}

func launch(name string, ts, dur int) string {
	return fmt.Sprintf(`{"ph": "X", "cat": "gpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %d, "dur": %d}`, name, ts, dur)
}

// TestInstances checks that every launch is kept if this is requested.
func TestInstances(t *testing.T) {
	f, err := read(t, strings.NewReader(testenv.Made(t, "unitrace")), ingest.ReadOptions{Instances: true})
	if err != nil || f.Launches.Len() != 3 || f.Launches.At(1).Time.Or(0) != 11e-6 || f.Launches.At(1).Line != 5 {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"only host functions", `{"traceEvents":[{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1}]}`,
			"f: the trace has 1 events, none of which is a launch on a GPU (" + hint + ", or profile with ProfilerActivity.XPU)"},
		{"cut off before anything", `{"traceEvents":[`, "f:1: the trace is cut off before any launch on a GPU: the text ends here (" + hint + ")"},
		{"no launch that can be used", "[" + launch("", 1, 1) + "]", "f:1: none of the launches can be used; the first: the row names no kernel (" + hint + ")"},
		{"another JSON file", `{"traceEvents": 1, x, `, "f:1: the trace is cut off before any launch on a GPU: the event is not JSON (" + hint + ")"},
	} {
		_, err := read(t, strings.NewReader(c.text), ingest.ReadOptions{})
		var fault *note.InputError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
	broken := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader(testenv.Made(t, "cut_off")), iotest.ErrReader(broken))
	if _, err := read(t, r, ingest.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("a failing reader: %v", err)
	}
}

// events is a trace with arbitrarily many launches.
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

// TestMemory checks that a trace needs 24 bytes per launch, regardless of its
// length.
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
		"\ufeff \n" + testenv.Made(t, "unitrace"): true, `{"schema": "occudiff/validate/1"}`: false, `[1, 2]`: false, "": false, "Kernel,Calls\n": false,
	} {
		if got := Format.Sniff([]byte(text)); got != want {
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
	for _, s := range []string{testenv.Made(f, "unitrace"), testenv.Made(f, "pytorch"), testenv.Made(f, "cut_off"), "[" + launch("f", 1, 1)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Format.Sniff(data)
		file, err := read(t, strings.NewReader(string(data)), ingest.ReadOptions{})
		if err != nil {
			var fault *note.InputError
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("not an InputError: %v", err)
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
