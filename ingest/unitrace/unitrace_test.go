package unitrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"

	"github.com/google/go-cmp/cmp"
)

func read(t testing.TB, text string, opt ingest.ReadOptions) (*ingest.File, error) {
	t.Helper()
	return Format.Read(context.Background(), &ingest.Source{Path: "f", Size: int64(len(text)), R: strings.NewReader(text)}, opt)
}

func TestInstances(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         []string // line, kernel, seconds, measured
	}{
		{"one launch per row", testenv.Made(t, "oneprof_query"), []string{"4 of 0 1e-06 0.9", "7 of 0 3e-06 1"}},
		{"samples of a launch are one launch", testenv.Made(t, "unitrace_samples"), []string{"10 of 1 2e-06 0.4", "15 of 1 1e-06 0.7"}},
		{"tiles of a launch are one launch", testenv.Made(t, "oneprof_aggregated"), []string{"4 of 0 4.4e-06 0.985"}},
	} {
		f, err := read(t, c.text, ingest.ReadOptions{Instances: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range f.Launches.All() {
			got = append(got, fmt.Sprintf("%d of %d %g %.6g", l.Line, l.Kernel, float64(l.Time.Or(-1)), float64(l.Measured.Or(-1))))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

func TestBadRows(t *testing.T) {
	text := `Kernel,Device,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%],XVE_THREADS_OCCUPANCY_ALL[%],XVE_COMPUTE_THREAD_COUNT[threads],
good[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,50,50,4,

f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100
f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,50,50,4,9,
f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,50,101,4,
f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,-100,50,50,4,
f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,nan,50,4,
f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,50,50,4.5,
f[SIMD16 {1; x; 1} {4; 2; 1}],0,0,100,50,50,4,
f[SIMD99 {1; 1; 1} {4; 2; 1}],0,0,100,50,50,4,
f[SIMD16 {9000000000; 1; 1} {9000000000; 2; 1}],0,0,100,50,50,4,
"f[SIMD16 {1; 1; 1} {4; 2; 1}],0,0,100,50,50,4,
   ,0,0,100,50,50,4,
"f(int, int, int, int, int)",0,0,
`
	f, err := read(t, text, ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range f.Notes {
		got = append(got, n.Code+" "+n.String())
	}
	want := []string{
		`bad-row f:4:38: error: the row has 4 of 7 fields`,
		`bad-row f:5:30: error: the row has more than 7 fields`,
		`bad-row f:6:42: error: column XVE_THREADS_OCCUPANCY_ALL[%]: 101% is above 100%`,
		`bad-row f:7:35: error: column GpuTime[ns]: -100 is below 0`,
		`bad-row f:8:39: error: column XVE_ACTIVE[%]: "nan" is not a number`,
		`bad-row f:9:45: error: column XVE_COMPUTE_THREAD_COUNT[threads]: "4.5" is not a whole number`,
		`bad-row f:10:1: error: the launch size at the end of the name does not parse; expected [SIMD16 {56; 1; 1} {64; 8; 1}]`,
		`bad-row f:11:1: error: SIMD width "99" is not a number from 1 to 64`,
		`bad-row f:12:1: error: the launch has more work-items than fit in 63 bits: 9000000000 work-groups of 9000000000`,
		`bad-row f:13:1: error: the quote of the kernel's name is not closed`,
		`bad-row f:14:4: error: the row names no kernel`,
		`bad-row f:15:34: error: the row has 3 of 7 fields`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if f.Rows != 1 || f.BadRows != 12 || len(f.Kernels) != 1 {
		t.Errorf("%d rows, %d bad, %d kernels; want 1, 12, 1", f.Rows, f.BadRows, len(f.Kernels))
	}
}

func TestErrors(t *testing.T) {
	const do = " (make one with: unitrace -d -v -q -o report.txt ./program)"
	for _, c := range []struct{ reason, text, want string }{
		{"an empty file", "", "f: the file is empty; " + expected + do},
		{"a report of a program whose kernels were lost", "=== Device Timing Summary ===\n\n  Total Execution Time (ns): 1008344251\n",
			"f: the report contains no kernel; " + expected + " (ask for device timings (-d) or metrics (-q), and let the program wait for its queue or events before it ends: unitrace loses kernels that are pending then)"},
		{"stall sampling", "Kernel, IP, Active, ControlStall\nf, 0x10, 1, 2\n",
			"f:1:1: this table of kernels contains neither times nor occupancies; expected columns such as GpuTime[ns] and XVE_THREADS_OCCUPANCY_ALL[%] (collect the group ComputeBasic, or give the device timing report)"},
		{"only bad rows", "Kernel, Calls, Time (ns)\nf, x, 5\ng, y, 5\n",
			`f:2:4: none of the 2 rows can be used; the first: column Calls: "x" is not a number` + do},
		{"another file", "hello\n", "f: no table of kernels found; " + expected + do},
	} {
		_, err := read(t, c.text, ingest.ReadOptions{})
		var fault *note.InputError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		reason, head string
		want         bool
	}{
		{"a metric file without a heading", "\nKernel,GlobalInstanceId,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%]\n", true},
		{"a report after the program's own output", "Running on device: Arc\nVectorAdd<1> completed on device - 1 seconds\n\n=== Device Timing Summary ===\n", true},
		{"host timings: the error explains what to request", "=== API Timing Summary ===\n", true},
		{"a VTune export", "Computing Task,Work Size:Global\nGEMM,512\n", false},
		{"a VTune summary", "Elapsed Time: 4.5s\n", false},
		{"a heading of another tool", "=== Results ===\nKernel,Speed\n", false},
		{"nothing", "", false},
	} {
		if got := Format.Sniff([]byte(c.head)); got != c.want {
			t.Errorf("%s: Sniff = %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestProperties(t *testing.T) {
	const head = "=== Kernel Properties ===\n\n Kernel, SIMD, SLM Per Work Group, Private Memory Per Thread, Spill Memory Per Thread, Register File Size Per Thread\n"
	const times = "== L0 Backend ==\n Kernel, Calls, Time (ns)\n f, 1, 5\n\n"
	for _, c := range []struct {
		reason, rows string
		registers    int
		slm          int64
	}{
		{"one row", "f, 16, 64, 0, 0, 256\n", 256, 64},
		{"two widths that need the same", "f, 16, 64, 0, 0, 256\nf, 32, 64, 0, 0, 256\n", 256, 64},
		{"compiled twice: the larger requirement is kept", "f, 16, 64, 0, 0, 128\nf, 16, 32, 0, 0, 256\n", 256, 64},
		{"properties of another kernel", "g, 16, 64, 0, 0, 256\n", 0, -1},
		{"unknown registers", "f, ANY, 64, 0, 0, unknown\n", 0, 64},
	} {
		f, err := read(t, times+head+c.rows, ingest.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		run, err := ingest.Join([]ingest.File{*f})
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		k := run.Kernels[0]
		if k.Registers.Or(0) != c.registers || int64(k.SLM.Or(-1)) != c.slm {
			t.Errorf("%s: registers %d, SLM %d; want %d and %d", c.reason, k.Registers.Or(0), k.SLM.Or(-1), c.registers, c.slm)
		}
	}
	f, err := read(t, head+"f, 16, 64, 0, 0, 256\n", ingest.ReadOptions{})
	if err != nil || len(f.Props) != 1 || len(f.Kernels) != 0 {
		t.Errorf("properties alone: %v, %+v", err, f)
	}
}

// TestCounts checks that an impossible count makes its row bad, and that an
// impossible total thread count is an error.
func TestCounts(t *testing.T) {
	const head = "== L0 Backend ==\n\nKernel, Calls, Time (ns)\n"
	for _, rows := range []string{"f, 9007199254740994, 5\n", "f, 1, 1e300\n", "f, 1, 5\nf, 9007199254740992, 5\n"} {
		f, err := read(t, head+"g, 1, 5\n"+rows, ingest.ReadOptions{})
		if err != nil || f.BadRows != 1 {
			t.Errorf("%q: %v, %+v", rows, err, f)
		}
	}
	const metrics = "Kernel, SubDeviceId, GpuTime[ns], XVE_THREADS_OCCUPANCY_ALL[%], XVE_COMPUTE_THREAD_COUNT[threads]\n"
	f, err := read(t, metrics+strings.Repeat("f, 0, 10, 50, 9007199254740992\n", 2000), ingest.ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "the threads of task \"f\" add up to more than") {
		t.Errorf("threads: %v, %+v", err, f)
	}
}

func TestBounds(t *testing.T) {
	long := "Kernel, Calls, Time (ns)\nf, 1, 5\n" + strings.Repeat("x", 2*table.MaxLine) + ", 1, 5\n"
	f, err := read(t, long, ingest.ReadOptions{})
	if err != nil || f.BadRows != 1 {
		t.Fatalf("long line: %v, %+v", err, f)
	}
	if got, want := f.Notes[0].String(), fmt.Sprintf("f:3:%d: error: the line is longer than %d bytes", table.MaxLine, table.MaxLine); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNumberedLaunches has timelines whose names end in a number. It is a
// command number only if several kernels' numbers ascend together.
func TestNumberedLaunches(t *testing.T) {
	for _, c := range []struct {
		reason string
		names  []string
		want   []string
	}{
		{"onetrace numbers all OpenCL commands", []string{"Fan2<287>", "Fan1<288>", "Fan2<291>"}, []string{"Fan2 2", "Fan1 1"}},
		{"a number that occurs again is a template argument", []string{"fill<4>", "scale<8>", "fill<4>"}, []string{"fill<4> 2", "scale<8> 1"}},
		{"numbers that descend are template arguments", []string{"fill<8>", "scale<4>"}, []string{"fill<8> 1", "scale<4> 1"}},
		{"so are the numbers of a single kernel", []string{"fill<4>", "fill<8>"}, []string{"fill<4> 1", "fill<8> 1"}},
		{"a quoted name is from Level Zero, which numbers with a point", []string{`"fill<4>"`, `"scale<8>"`}, []string{"fill<4> 1", "scale<8> 1"}},
	} {
		var b strings.Builder
		for i, name := range c.names {
			fmt.Fprintf(&b, "Device Timeline (queue: 0x64d2): %s [ns] = 1 (queued) 2 (submit) %d (start) %d (end)\n", name, 10+10*i, 15+10*i)
		}
		f, err := read(t, b.String(), ingest.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range f.Kernels {
			got = append(got, fmt.Sprintf("%s %d", k.Task, k.Instances.Or(0)))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestSpread compares the median over many launches with the exact median:
// launch i takes i ns.
func TestSpread(t *testing.T) {
	var b strings.Builder
	b.WriteString("Kernel,GpuTime[ns],XVE_THREADS_OCCUPANCY_ALL[%]\n")
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&b, "f,%d,%g\n", i+1, float64(i)*100/n)
	}
	f, err := read(t, b.String(), ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := f.Kernels[0].Launches
	if s.MinSeconds != 1e-9 || s.MaxSeconds != n/1e9 || f.Kernels[0].Instances.Or(0) != n {
		t.Errorf("from %v to %v", s.MinSeconds, s.MaxSeconds)
	}
	if m := float64(s.MedianSeconds) * 1e9; m < n*0.49 || m > n*0.51 {
		t.Errorf("median %v ns, want about %v", m, n/2)
	}
	if m, _ := s.MedianMeasured.Value(); m < 0.49 || m > 0.51 {
		t.Errorf("median occupancy %v, want about 0.5", m)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("== Raw Metrics ==\n\nSubDeviceId,GpuTime[ns],EuThreadOccupancy[%],QueryBeginTime[ns],StreamMarker,\n0,665083,82.9,66413568000,1,\n"), false)
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, p := range archives {
		f.Add([]byte(testenv.Made(f, strings.TrimSuffix(filepath.Base(p), ".txtar"))), false)
	}
	paths, _ := filepath.Glob(filepath.FromSlash("../../../shared/corpus/unitrace/*"))
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil {
			f.Add(data, true)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, instances bool) {
		Format.Sniff(data)
		file, err := read(t, string(data), ingest.ReadOptions{Instances: instances, Samples: !instances})
		if err != nil {
			var fault *note.InputError
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("not an InputError: %v", err)
			}
			return
		}
		for _, x := range file.Stalls {
			sum := unit.Ratio(0)
			for _, r := range x.Stalls {
				sum += r.Share
			}
			if !(sum > 0.999 && sum < 1.001) {
				t.Fatalf("shares of %q add up to %v", x.Task, sum)
			}
		}
		file.Trace.Finish()
		for l := range file.Trace.All() {
			if l.End < l.Start || int(l.Task) >= len(file.Trace.Tasks) || int(l.Lane) >= len(file.Trace.Lanes) {
				t.Fatalf("launch %+v", l)
			}
		}
		for _, s := range file.Samples {
			for _, x := range s.List {
				if x.At < 0 || x.Length < 0 || !(x.Measured >= 0 && x.Measured <= 1.0051) {
					t.Fatalf("sample %+v", x)
				}
			}
		}
		for i := range file.Kernels {
			k := &file.Kernels[i]
			m := k.Measured.Or(0)
			if k.Task == "" || k.Pos.Line < 1 || !(m >= 0 && m <= 1.0051) || !(k.Total.Or(0) >= 0) || k.Instances.Or(0) < 0 {
				t.Fatalf("kernel %+v", k)
			}
			if _, ok := k.Global.Items(); k.Global.Present() && !ok && k.Global.Dim(0) < 1 {
				t.Fatalf("size %v", k.Global)
			}
		}
	})
}
