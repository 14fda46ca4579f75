package summary

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"

	"github.com/google/go-cmp/cmp"
)

func read(t testing.TB, text string) (*ingest.File, error) {
	t.Helper()
	return Format.Read(context.Background(), &ingest.Source{Path: "f", Size: int64(len(text)), R: strings.NewReader(text)}, ingest.ReadOptions{})
}

// platform is the shortest useful report.
const platform = `Collection and Platform Info
    Application Command Line: ./a.out -s: "1"
    Computer Name: node7
    Collection start time: 12:44:38 02/06/2026 UTC
    CPU
        Name: Intel(R) microarchitecture code named Meteorlake-P
    GPU
        Name: HD Graphics P630
        EU Count: 24
        Max EU Thread Count: 7
        Max Core Frequency: 1,200 MHz
        GPU OpenCL Info
            Max Work Group Size: 1,024
`

// item returns a metric in the HTML report. VTune nests them in one list each.
func item(name, value, below string) string {
	span := `<span class="metric-value">` + value + `</span>`
	if value == "" {
		span = `<span class="metric-value"/>`
	}
	return `<ul><li><span class="metric-name">` + name + ":\n        </span>" + span + below + "</li></ul>"
}

func page1(body string) string {
	return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<html><style>.metric-name { color: red }</style><body><div class="brand">Intel<sup>&reg;</sup> VTune<sup>&trade;</sup> Profiler 2024.0.0</div>
<div class="recommendation-placeholder"><span class="recommendation-metric">Occupancy: 1%</span></div>` + body + `</body></html>`
}

// TestCutHTML checks that a report that is truncated anywhere returns the part
// before the cut or a clear error.
func TestCutHTML(t *testing.T) {
	text := testenv.Made(t, "html")
	for cut := range text {
		var fault *note.InputError
		if _, err := read(t, text[:cut]); err != nil && !errors.As(err, &fault) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// TestByHand compares with values that were read manually from real reports.
func TestByHand(t *testing.T) {
	corpus := testenv.Shared(t, "corpus", "vtune-summary")
	for _, c := range []struct {
		file, device              string
		xves, threads             int
		adapters, stacks          int // 0 if absent
		megahertz                 float64
		host, vtune, collected    string
		percent                   float64 // -1 if absent
		tasks                     int
		task                      string
		seconds, peak, measuredAt float64
	}{
		{"bench_gaussian.hotspots.txt", "Meteor Lake-P [Intel Arc Graphics]", 112, 8, 0, 0, 2200, "host", "", "2026-06-02T12:44:38Z", 47, 2, "Fan2", 1.071, 100, 62.7},
		{"bench_gaussian.offload.txt", "Meteor Lake-P [Intel Arc Graphics]", 112, 8, 0, 0, 2200, "host", "", "2026-06-02T12:44:02Z", -1, 5, "Fan2", 1.077, 100, 48.6},
		{"ze_gemm.hotspots.txt", "Meteor Lake-P [Intel Arc Graphics]", 112, 8, 0, 0, 2200, "host", "", "2026-06-02T12:42:58Z", 62.1, 0, "", 0, 0, 0},
		{"ze_gemm.offload.txt", "Meteor Lake-P [Intel Arc Graphics]", 112, 8, 0, 0, 2200, "host", "", "2026-06-02T12:42:40Z", -1, 5, "GEMM", 0.251, 100, 90.8},
		{"tigerlake_eu_naming.offload_excerpt.txt", "TigerLake-LP GT2 [Iris Xe Graphics]", 96, 7, 0, 0, 1350, "debian", "", "2025-11-17T12:44:17Z", -1, 0, "", 0, 0, 0},
		{"aurora_6gpu.excerpt.txt", "Intel Corporation Device 0x0bd6", 0, 0, 6, 2, 0, "x4418c7s1b0n0", "", "2025-02-07T06:22:29Z", 6.1, 1, "Comp_Geo$omp$offloading:29", 0.003, -1, 6.2},
		{"mm_basic_hotspots_vtune2022.0_gen9_1024.html", "HD Graphics P630", 24, 7, 0, 0, 1200, "s001-n157", "2022.0.0", "2022-01-13T03:50:27Z", -1, 1, "mm_kernel(", 0.1, -1, -1},
		{"mm_basic_hotspots_vtune2022.0_dg1_1024.html", "DG1 [Iris Xe MAX Graphics]", 0, 0, 2, 0, 0, "s011-n005", "2022.0.0", "2022-01-13T04:50:00Z", 81.3, 0, "", 0, 0, 0},
		{"iso3dfd02_basic_hotspots_vtune2024.0_pvc.html", "Intel Corporation Device 0x0bda", 448, 8, 4, 1, 1550, "idc-beta-batch-pvc-node-06", "2024.0.0", "2024-03-14T23:44:22Z", 22.1, 1, "iso3dfd(", 14.744, -1, 23.7},
		{"iso3dfd02_basic_offload_vtune2024.0_pvc.html", "Intel Corporation Device 0x0bda", 448, 8, 4, 0, 1550, "idc-beta-batch-pvc-node-06", "2024.0.0", "2024-03-14T23:42:59Z", -1, 1, "iso3dfd(", 14.766, -1, -1},
	} {
		text, err := os.ReadFile(filepath.Join(corpus, c.file))
		if err != nil {
			t.Fatal(err)
		}
		f, err := read(t, string(text))
		if err != nil {
			t.Fatal(err)
		}
		p := f.Platform
		type facts struct {
			device                    string
			xves, threads, ad, stacks int
			hz                        float64
			host, vtune, collected    string
			percent                   float64
			tasks                     int
		}
		got := facts{p.Device, p.XVEs.Or(0), p.ThreadsPerXVE.Or(0), p.Adapters.Or(0), p.Stacks.Or(0), p.MaxFrequency.Or(0),
			p.Host, p.VTune, p.Collected.Format(time.RFC3339), percent(p.Occupancy), len(f.Summary)}
		want := facts{c.device, c.xves, c.threads, c.adapters, c.stacks, c.megahertz * 1e6, c.host, c.vtune, c.collected, c.percent, c.tasks}
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.file, got, want)
		}
		if c.tasks == 0 || len(f.Summary) == 0 {
			continue
		}
		k := f.Summary[0]
		if !strings.HasPrefix(k.Task, c.task) || float64(k.Total.Or(-1)) != c.seconds || percent(k.Peak) != c.peak || percent(k.Measured) != c.measuredAt || k.Global.Present() {
			t.Errorf("%s: task %+v", c.file, k)
		}
	}
}

func percent(r unit.Opt[unit.Ratio]) float64 {
	if v, ok := r.Value(); ok {
		return v.Percent()
	}
	return -1
}

// TestStateOfRun reads the hpc-performance summary, which contains the whole
// run's XVE state, and other names for the GPU's time. The numbers come from a
// published run (kazukiminemura/vtune_101).
func TestStateOfRun(t *testing.T) {
	const text = `Elapsed Time: 4.427s
    GPU
        GPU Stack Utilization: 46.1% (0.461 out of 1 GPU Stacks)
        GPU Accumulated Time: 2.041s
GPU Stack Utilization: 46.1%
    XVE State: 6.5%
        Active: 6.5%
        Stalled: 36.1%
        Idle: 57.4%
    Occupancy: 36.5% of peak value
Collection and Platform Info
    GPU
        XVE Count: 128
`
	f, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Platform
	for name, v := range map[string][2]float64{"active": {p.Active.Or(0).Percent(), 6.5},
		"stalled": {p.Stalled.Or(0).Percent(), 36.1}, "idle": {p.Idle.Or(0).Percent(), 57.4},
		"busy": {p.GPUBusy.Or(0).Percent(), 46.1}, "time": {float64(p.GPUTime.Or(0)), 2.041},
		"occupancy": {p.Occupancy.Or(0).Percent(), 36.5}} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s is %v; want %v", name, v[0], v[1])
		}
	}
}

// TestReadCSV checks that the report as CSV is read like the report as text.
func TestReadCSV(t *testing.T) {
	const text = `Elapsed Time: 69.411s
    GPU Time, % of Elapsed time: 96.7%
    Occupancy: 47.0% of peak value
        Hottest GPU Computing Tasks
        Computing Task        Total Time  Execution Time  SIMD Width  Peak XVE Threads Occupancy(%)  XVE Threads Occupancy(%)
        --------------------  ----------  --------------  ----------  -----------------------------  ------------------------
        f<(int)12, float>(a)     65.881s         65.580s          32                         100.0%                     62.0%
        [Outside any task]        0.023s              0s
Collection and Platform Info
    Application Command Line: ./a.out -n 1,2
    Computer Name: node7
    Collection start time: 13:14:39 24/03/2025 UTC
    CPU
        Name: Intel(R) Xeon
    GPU
        Name: Meteor Lake-P [Intel Arc Graphics]
        XVE Count: 128
        Max XVE Thread Count: 8
        Max Core Frequency: 2.250 GHz
        GPU OpenCL Info
            Max Work Group Size: 1,024
Recommendations:
    Occupancy: 1.0%
`
	const report = `Hierarchy Level,Metric Name,Metric Value
0,Elapsed Time,69.411000
1,"GPU Time, % of Elapsed time(%)",96.7
1,GPU Engine,GPU Time,"GPU Time, % of Elapsed time(%)"
1,Render and GPGPU,67.139000,96.7
1,Occupancy(%),47.0
2,Hottest GPU Computing Tasks,
2,Computing Task,Total Time,Execution Time,SIMD Width,Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%)
2,"f<(int)12, float>(a)",65.881000,65.580000,32,100.0,62.0
2,[Outside any task],0.023000,0.0,,,
0,Collection and Platform Info,
1,Application Command Line,"./a.out -n 1,2"
1,Computer Name,node7
1,Collection start time,13:14:39 24/03/2025 UTC
1,CPU,
2,Name,Intel(R) Xeon
1,GPU,
2,Name,Meteor Lake-P [Intel Arc Graphics]
2,XVE Count,128
2,Max XVE Thread Count,8
2,Max Core Frequency,2250000000.000000
2,GPU OpenCL Info,
3,Max Work Group Size,1024
0,Recommendations:,
1,Occupancy(%),1.0
`
	const tasks = "Hierarchy Level\tMetric Name\tMetric Value\n0\tHottest GPU Computing Tasks\t\n0\tComputing Task\tTotal Time\tXVE Threads Occupancy(%)\n"
	plain := func(text string) string {
		f, err := read(t, text)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, k := range f.Summary {
			fmt.Fprintln(&b, k.Task, k.Total, k.SIMD, k.Peak, k.Measured)
		}
		p := f.Platform
		p.Pos, p.OccupancyPos = note.Pos{}, note.Pos{}
		return b.String() + fmt.Sprintf("%+v %d bad", p, f.BadRows)
	}
	want := plain(text)
	for _, c := range []struct{ reason, text, want string }{
		{"commas, and names that contain them in quotes", report, want},
		{"a byte order mark, carriage returns, and messages before and after the report", "\ufeffvtune: Using result path x\r\n" + strings.ReplaceAll(report, "\n", "\r\n") + "vtune: Executing actions 100% done\r\n", want},
		{"a message glued to the header", "vtune: Executing actions 75% Generating a report   " + report, want},
		{"all in quotes", quoted(report), want},
		{"tabs; a heading ends the table", tasks + "0\tk\t1.5\t62.0\n0\tHottest Host Tasks\t\n0\tl\t2.5\t3.5\n", plain("Hottest GPU Computing Tasks\nComputing Task  Total Time  XVE Threads Occupancy(%)\n--------------  ----------  ------------------------\nk                     1.5s                     62.0%\n\n")},
		{"an invalid value", tasks + "0\tk\tsoon\t62.0\n", `f:4:1: none of the 1 rows can be used; the first: task "k": time "soon" has no unit, s or ms (` + hint + ")"},
		{"only a header", "Hierarchy Level\tMetric Name\tMetric Value\n", "f: the summary names neither a GPU nor a computing task; " + expected + " (" + hint + ")"},
	} {
		if !Format.Sniff([]byte(c.text)) {
			t.Errorf("%s: not sniffed", c.reason)
		}
		if got := plain(c.text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
	if Format.Sniff([]byte("a program, Hierarchy Level,Metric Name\n")) {
		t.Error("the header in the middle of a line is sniffed")
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		reason, line string
		want         []string
	}{
		{"plain", "0,a,b", []string{"0", "a", "b"}},
		{"the delimiter in quotes", `0,"a, b",c`, []string{"0", "a, b", "c"}},
		{"quotes in quotes", `0,"say ""a""",c`, []string{"0", `say "a"`, "c"}},
		{"only a quote", `"""",b`, []string{`"`, "b"}},
		{"quotes within a cell are part of it", `0,a "b",c`, []string{"0", `a "b"`, "c"}},
		{"quotes that are never closed", `0,"a,b`, []string{"0", "a,b"}},
		{"empty cells", `,"",`, []string{"", "", ""}},
		{"nothing", "", []string{""}},
	} {
		if got := split(c.line, ','); !cmp.Equal(got, c.want) {
			t.Errorf("%s: split(%q) = %q, want %q", c.reason, c.line, got, c.want)
		}
	}
}

// quoted returns a comma-separated report with all cells in quotes.
func quoted(text string) string {
	cells := csv.NewReader(strings.NewReader(text))
	cells.FieldsPerRecord = -1
	rows, err := cells.ReadAll()
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(`"` + strings.Join(row, `","`) + "\"\n")
	}
	return b.String()
}

func TestErrors(t *testing.T) {
	const do = " (make one with: vtune -report summary -report-output summary.txt -r RESULT_DIR)"
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", "f: the file is empty; " + expected + " (the collection or the report failed: run it again and look at what vtune printed)"},
		{"a report without anything", "Elapsed Time: 4s\n    GPU Time: 1s\n", "f: the summary names neither a GPU nor a computing task; " + expected + do},
		{"an empty page", "<html><body></body></html>", "f: the summary names neither a GPU nor a computing task; " + expected + do},
		{"bad rows only", "Hottest GPU Computing Tasks\nComputing Task  Total Time\n--------------  ----------\nA                     soon\n",
			`f:4:1: none of the 1 rows can be used; the first: task "A": time "soon" has no unit, s or ms` + do},
	} {
		_, err := read(t, c.text)
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
		{"a platform section", "x\nCollection and Platform Info\n", true},
		{"glued progress", "vtune: Executing actions 75% Elapsed Time: 7.0s\n    GPU Time: 0.014s\n", true},
		{"a program that prints its own elapsed time", "Elapsed Time: 4 s\nVectorAdd<1> completed on device - 1 seconds\n", false},
		{"an export", "Computing Task,Total Time\nGEMM,1\n", false},
		{"another page", "<html><body>Collection and Platform Info</body></html>", false},
		{"a page of VTune", `<html><div>VTune</div><span class="metric-name">`, true},
		{"nothing", "", false},
	} {
		if got := Format.Sniff([]byte(c.head)); got != c.want {
			t.Errorf("%s: Sniff = %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	f, err := read(t, strings.Repeat("x", 3*table.MaxLine)+"\n"+platform)
	if err != nil || f.BadRows != 1 || f.Platform.Device != "HD Graphics P630" {
		t.Errorf("long line: %v, %+v", err, f)
	}
	f, err = read(t, page1(item(platformHead, "", item("Computer Name", "node7", ""))+"<p "+strings.Repeat("x", 3*maxToken)))
	if err != nil || f.Platform.Host != "node7" || len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Text, "the rest of the file is not read") {
		t.Errorf("long markup: %v, %+v", err, f)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{platform, page1("")} {
		_, err := Format.Read(ctx, &ingest.Source{Path: "f", R: strings.NewReader(text)}, ingest.ReadOptions{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(platform))
	f.Add([]byte(testenv.Made(f, "html")))
	f.Add([]byte("Computing Task  Total Time  SIMD Width  Occupancy(%)\n--------------  ----------  ----------  ------------\nA  1s  32  10.0%\n"))
	f.Add([]byte("Hierarchy Level,Metric Name,Metric Value\n0,Occupancy(%),47.0\n1,Computing Task,Total Time,SIMD Width\n1,\"f(a, \"\"b\"\")\",1.5,32\n0,Collection and Platform Info,\n1,GPU,\n2,XVE Count,128\n"))
	paths, _ := filepath.Glob(filepath.FromSlash("../../../shared/corpus/vtune-summary/*"))
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Format.Sniff(data)
		file, err := read(t, string(data))
		if err != nil {
			var fault *note.InputError
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("not an InputError: %v", err)
			}
			return
		}
		for _, k := range file.Summary {
			m, p := k.Measured.Or(0), k.Peak.Or(1)
			if k.Task == "" || k.Pos.Line < 1 || !(m >= 0 && m <= 1.0051) || !(p > 0 && p <= 1.0051) || !(k.Total.Or(0) >= 0) || k.Instances.Or(0) < 0 {
				t.Fatalf("task %+v", k)
			}
		}
		if p := file.Platform; p.XVEs.Or(1) < 1 || p.ThreadsPerXVE.Or(1) < 1 || p.Adapters.Or(1) < 1 || p.Stacks.Or(1) < 1 {
			t.Fatalf("platform %+v", p)
		}
	})
}
