package unitrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/internal/ingesttest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

func read(t testing.TB, text string, opt ingest.ReadOptions) (*ingest.File, error) {
	t.Helper()
	return Format{}.Read(context.Background(), &ingest.Source{Path: "f", Size: int64(len(text)), R: strings.NewReader(text)}, opt)
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, reason, text, want string }{
		{"oneprof query", "old names, a header before each row, a trailing comma; occupancy is weighted by time: (90 x 1 + 100 x 3) / 4", oneprofQuery, `rows 2 bad 0
kernel "GEMM" at f:4:1
   global 1024x1024x1 local 256x1x1 SIMD 32 instances 2 seconds 4e-06
   measured 97.5% active 75% stalled 21.25% idle 3.75%
   threads 65536 barriers 24
   from 1e-06 median 2e-06 to 3e-06 measured from 90% median 95% to 100%
`},
		{"oneprof samples", "samples of one launch are averaged by time and are one launch, whose time the intervals know better; raw counters are of no kernel", oneprofSamples, `rows 3 bad 0
kernel "GEMM" at f:9:1
   global 512x512x1 local 256x1x1 SIMD 32 instances 1 seconds 4.8e-06
   measured 95% active 50% stalled 30% idle 20%
`},
		{"oneprof aggregated", "the rows of two tiles are one launch, as long as the longer; SIMD_ANY says no width", oneprofAggregated, `rows 2 bad 0
kernel "GEMM" at f:4:1
   global 1024x1024x1 local 256x1x1 instances 1 seconds 4.4e-06
   measured 98.5%
`},
		{"onetrace OpenCL", "OpenCL prints global sizes in work-items and zeros where the driver chose; host functions and CPU kernels are left out; SLM and spill go to the kernel", onetraceCL, `rows 5 bad 0
kernel "GEMM" at f:13:1
   global 1024x1024x1 SIMD 32 instances 4 seconds 0.172101915
kernel "ADD" at f:14:3
   global 1024x2x1 local 64x2x1 SIMD 16 instances 1 seconds 1e-06
kernel "clEnqueueWriteBuffer" at f:15:6
   direction host-to-device instances 8 seconds 0.003217914
kernel "clEnqueueReadBuffer" at f:16:7
   direction device-to-host instances 4 seconds 0.002225152
properties "ADD" global 1024x2x1 local 64x2x1 simd 16 slm 64 spill 128 at f:26:2
`},
		{"unitrace query", "instances are told apart by number, two tiles are one launch, adapters are kept apart; microseconds are scaled", unitraceQuery, `rows 4 bad 0
kernel "f(int, float)" at f:5:1
   global 64x1x1 local 32x1x1 SIMD 16 device Device #0 instances 2 seconds 4e-05
   measured 66%
   threads 6
   from 1e-05 median 2e-05 to 3e-05 measured from 50% median 60% to 70%
kernel "f(int, float)" at f:13:1
   global 64x1x1 local 32x1x1 SIMD 16 device Device #1 instances 1 seconds 1e-05
   measured 60%
   threads 2
`},
		{"unitrace samples", "count and time come from the timing table although it names no shape; idle samples are of no kernel; tiles are devices", unitraceSampled, `rows 6 bad 0
kernel "g(int)" at f:7:1
   device Tile #1 instances 5 seconds 1e-06
kernel "f(int)" at f:10:1
   global 1048576x1x1 local 128x1x1 SIMD 32 instances 10 seconds 7e-05
   measured 50% active 10% stalled 20% idle 70%
   from 1e-06 median 1.5e-06 to 2e-06 measured from 40% median 55% to 70%
`},
		{"stall sampling", "events of the instructions of a kernel are added up; a kernel that never stalled tells nothing; a row that is wrong is left out", stallSampling, `rows 5 bad 1
stalls "GEMM" Control 0 % Send 25 % Dist 75 % Sbid 0 % at f:4:35
stalls "at::Kernel<4, at::Pow<float> >" Control 0 % Send 0 % Dist 0 % Sbid 100 % at f:6:5
note bad-row f:8:83: error: column SbidStall[Events]: "x" is not a number of events
`},
		{"stall sampling of 2023", "kernel and instruction are one field", stallSampling2023, `rows 3 bad 0
stalls "main::{lambda(auto:1)#4}" Control 1 % Sbid 99 % at f:4:1
stalls "GEMM" Control 0 % Sbid 100 % at f:6:18
`},
		{"timeline", "a line for a launch; the timing table that names no shape tells of the same launches; unquoted names do not say what the first braces hold", timelines, `rows 7 bad 1
kernel "zeCommandListAppendMemoryCopy" at f:2:32
   direction host-to-device instances 1 seconds 2.5e-07
kernel "f(int, int)" at f:3:32
   global 1024x1024x1 local 1024x1x1 SIMD 32 instances 2 seconds 6e-06
   from 2e-06 median 3e-06 to 4e-06
kernel "GEMM" at f:6:32
   local 64x1x1 SIMD 16 instances 1 seconds 5e-09
kernel "ADD" at f:7:42
   instances 1 seconds 1e-08
note bad-row f:5:85: error: the line has no start and end in nanoseconds: "42 (append) 50 (submit) 9000 (start) 8000 (end)"
`},
		{"submission", "without a timing table the execute times are used; a copy that is neither to nor from the device keeps its direction in the name", submission, `rows 2 bad 0
kernel "GEMM" at f:4:31
   instances 4 seconds 0.169770832
kernel "zeCommandListAppendMemoryCopy(D2D)" at f:5:1
   instances 2 seconds 5e-07
`},
		{"two reports", "ranks of one job print one each into one log, and so do two runs, which nothing tells apart", strings.Repeat("=== Device Timing Summary ===\n\n== L0 Backend ==\n\nKernel, Calls, Time (ns)\nf, 2, 1000\n\n", 2), `rows 2 bad 0
kernel "f" at f:6:1
   instances 4 seconds 2e-06
note several-reports f:8:1: warning: the file holds 2 device timing reports, which are added up: right for the processes of one run, wrong for several runs (give each run a file of its own)
`},
		{"windows", "BOM, CRLF, colors and text before the table", "\ufeffprogram output\r\n\x1b[1m== L0 Backend ==\x1b[0m\r\n\r\nKernel, Calls, Time (ns)\r\nf(int, int), 2, 1e3\r\n", `rows 1 bad 0
kernel "f(int, int)" at f:5:1
   instances 2 seconds 1e-06
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !(Format{}).Sniff([]byte(c.text)) {
				t.Error("not recognized")
			}
			f, err := read(t, c.text, ingest.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, ingesttest.Describe(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, d)
			}
		})
	}
}

func TestInstances(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         []string // line, kernel, seconds, measured
	}{
		{"a launch for a row", oneprofQuery, []string{"4 of 0 1e-06 0.9", "7 of 0 3e-06 1"}},
		{"samples of a launch are one", unitraceSampled, []string{"10 of 1 2e-06 0.4", "15 of 1 1e-06 0.7"}},
		{"tiles of a launch are one", oneprofAggregated, []string{"4 of 0 4.4e-06 0.985"}},
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
		`bad-row f:6:42: error: column XVE_THREADS_OCCUPANCY_ALL[%]: 101 % is more than the whole`,
		`bad-row f:7:35: error: column GpuTime[ns]: -100 is below 0`,
		`bad-row f:8:39: error: column XVE_ACTIVE[%]: "nan" is not a number`,
		`bad-row f:9:45: error: column XVE_COMPUTE_THREAD_COUNT[threads]: "4.5" is not a whole number`,
		`bad-row f:10:1: error: the launch shape at the end of the name does not parse; expected [SIMD16 {56; 1; 1} {64; 8; 1}]`,
		`bad-row f:11:1: error: SIMD width "99" is not a number from 1 to 64`,
		`bad-row f:12:1: error: the launch has more work-items than 63 bits hold: 9000000000 work-groups of 9000000000`,
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

func TestFaults(t *testing.T) {
	const do = " (make one with: unitrace -d -v -q -o report.txt ./program)"
	for _, c := range []struct{ reason, text, want string }{
		{"an empty file", "", "f: the file is empty; " + expected + do},
		{"a report of a program whose kernels were lost", "=== Device Timing Summary ===\n\n  Total Execution Time (ns): 1008344251\n",
			"f: the report holds no kernel; " + expected + " (ask for device timings (-d) or metrics (-q), and let the program wait for its queue or events before it ends: unitrace loses kernels that are pending then)"},
		{"stall sampling", "Kernel, IP, Active, ControlStall\nf, 0x10, 1, 2\n",
			"f:1:1: this table of kernels holds neither times nor occupancies; expected columns such as GpuTime[ns] and XVE_THREADS_OCCUPANCY_ALL[%] (collect the group ComputeBasic, or give the device timing report)"},
		{"only bad rows", "Kernel, Calls, Time (ns)\nf, x, 5\ng, y, 5\n",
			`f:2:4: none of the 2 rows can be used; the first: column Calls: "x" is not a number` + do},
		{"another file", "hello\n", "f: no table of kernels found; " + expected + do},
	} {
		_, err := read(t, c.text, ingest.ReadOptions{})
		var fault *note.Fault
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
		{"a report behind the program's own output", "Running on device: Arc\nVectorAdd<1> completed on device - 1 seconds\n\n=== Device Timing Summary ===\n", true},
		{"host timings: the answer says what to ask for", "=== API Timing Summary ===\n", true},
		{"a VTune export", "Computing Task,Work Size:Global\nGEMM,512\n", false},
		{"a VTune summary", "Elapsed Time: 4.5s\n", false},
		{"a heading of somebody else", "=== Results ===\nKernel,Speed\n", false},
		{"nothing", "", false},
	} {
		if got := (Format{}).Sniff([]byte(c.head)); got != c.want {
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
		{"compiled twice: what needs more", "f, 16, 64, 0, 0, 128\nf, 16, 32, 0, 0, 256\n", 256, 64},
		{"of another kernel", "g, 16, 64, 0, 0, 256\n", 0, -1},
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

// TestCounts: a count that no run has makes its row bad; counts of threads that add up to none are an error.
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
	var b strings.Builder
	b.WriteString("Kernel, Calls, Time (ns)\n")
	for i := range maxKernels + 30 {
		fmt.Fprintf(&b, "f%d, 1, 5\n", i)
	}
	f, err = read(t, b.String(), ingest.ReadOptions{})
	if err != nil || len(f.Kernels) != maxKernels || f.BadRows != 30 || len(f.Notes) != table.MaxShown+1 {
		t.Errorf("many kernels: %v, %d kernels, %d bad rows, %d notes", err, len(f.Kernels), f.BadRows, len(f.Notes))
	}
}

// TestNames holds the memory for names: many long ones are no report.
func TestNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("Kernel, Calls, Time (ns)\n")
	const size = 100 << 10
	for i := range 2*maxNameBytes/size + 1 {
		fmt.Fprintf(&b, "f%d%s, 1, 5\n", i, strings.Repeat("x", size))
	}
	f, err := read(t, b.String(), ingest.ReadOptions{})
	if err != nil || f.BadRows == 0 || f.Rows > maxNameBytes/size {
		t.Fatalf("%v, %d rows, %d bad", err, f.Rows, f.BadRows)
	}
	if got, want := f.Notes[0].Text, "more than 65536 different kernels, or 32 MB of their names, in one report"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSpread holds the median of many launches to that of all: launch i takes i ns.
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

// TestValidity checks that rows which say that their counters are not to be used are obeyed, and that exact counts are held
// against the launch shape.
func TestValidity(t *testing.T) {
	const head = "Kernel,Device,SubDeviceId,GpuTime[ns],XVE_THREADS_OCCUPANCY_ALL[%],ASYNC_GPGPU_THREADGROUP_COUNT[events],ASYNC_GPGPU_THREAD_EXIT_COUNT[messages]," +
		"ResultUncertainty[%],QuerySplitOccurred,ReportId,ReportsCount,OverrunOccured,MidQueryC6,ReportLost,ReportCtxSwitchLost,\n"
	const name = "f[SIMD16 {4; 2; 1} {24; 1; 1}],0,0,"
	for _, c := range []struct{ reason, rows, want string }{
		{"what says nothing of its counters, or what real rows have, is used", name + "1000,50,8,16,0,0,1,1,0,0,0,8,\n", `rows 1 bad 0
kernel "f" at f:2:1
   global 96x2x1 local 24x1x1 SIMD 16 device Device #0 instances 1 seconds 1e-06
   measured 50%
`},
		{"the others count as launches and not in the mean", name + "1000,50,8,16,0,0,1,1,0,0,0,8,\n\n" + name + "1000,90,8,16,0,0,1,1,1,0,0,8,\n\n" +
			name + "1000,95,8,16,2.5,0,1,1,0,0,0,8,\n", `rows 3 bad 0
kernel "f" at f:2:1
   global 96x2x1 local 24x1x1 SIMD 16 device Device #0 instances 3 seconds 3e-06
   measured 50%
   from 1e-06 median 1e-06 to 1e-06 measured from 50% median 50% to 50%
note invalid-counters f:4:1: warning: 2 rows mark their counters as invalid (OverrunOccured, ResultUncertainty[%]): these counters are left out, here and in the rest of the file (collect again, with fewer metrics or alone on the GPU)
`},
		{"work-groups and threads are counted one by one", name + "1000,50,16,32,0,0,1,1,0,0,0,0,\n", `rows 1 bad 0
kernel "f" at f:2:1
   global 96x2x1 local 24x1x1 SIMD 16 device Device #0 instances 1 seconds 1e-06
   measured 50%
note launch-shape f:2:1: warning: task "f": the GPU counted 16 work-groups a launch and 32 threads, where its launch shape makes 8 and 16 (the launch shape or the SIMD width of the name is not that of these launches: do not rely on its prediction)
`},
	} {
		f, err := read(t, head+c.rows, ingest.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.ReplaceAll(c.want, " device Device #0", ""), ingesttest.Describe(f)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{stallSampling, stallSampling2023, oneprofQuery, oneprofSamples, oneprofAggregated, onetraceCL, unitraceQuery, unitraceSampled, timelines, submission,
		"== Raw Metrics ==\n\nSubDeviceId,GpuTime[ns],EuThreadOccupancy[%],QueryBeginTime[ns],StreamMarker,\n0,665083,82.9,66413568000,1,\n"} {
		f.Add([]byte(s), false)
	}
	paths, _ := filepath.Glob(filepath.FromSlash("../../../shared/corpus/unitrace/*"))
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil {
			f.Add(data, true)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, instances bool) {
		(Format{}).Sniff(data)
		file, err := read(t, string(data), ingest.ReadOptions{Instances: instances, Samples: !instances})
		if err != nil {
			var fault *note.Fault
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("an error that is no fault: %v", err)
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
