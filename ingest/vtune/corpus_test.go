package vtune

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

// readText returns the content of an export in a string, read as a stream.
func readText(text string, opt ingest.ReadOptions) (*ingest.File, error) {
	return Format.Read(context.Background(), &ingest.Source{Path: "run.csv", Size: -1, R: strings.NewReader(text)}, opt)
}

// readCorpus returns the content of a file in the shared corpus, read with
// random access.
func readCorpus(t *testing.T, name string) *ingest.File {
	t.Helper()
	f, err := openCorpus(t, name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func openCorpus(t *testing.T, name string) (*ingest.File, error) {
	t.Helper()
	text, err := os.ReadFile(testenv.Shared(t, "corpus", "vtune-csv", name))
	if err != nil {
		t.Fatal(err)
	}
	if !Format.Sniff(text[:min(len(text), 64<<10)]) {
		t.Errorf("%s is not sniffed as an export", name)
	}
	r := strings.NewReader(string(text))
	return Format.Read(context.Background(), &ingest.Source{Path: name, Size: r.Size(), At: r, R: io.Reader(r)}, ingest.ReadOptions{})
}

// line returns all values of a kernel as text, with - for absent ones. Shares
// are in percent, as an export prints them.
func line(k *ingest.Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d|%s|%v|%v|%v|%s|n %v|t %v", k.Pos.Line, k.Task, k.Global, k.Local, opt(k.SIMD), k.Direction, opt(k.Instances), opt(k.Total))
	if k.Mean.Present() || k.Uneven {
		fmt.Fprintf(&b, "|a launch %v %v", opt(k.Mean), k.Uneven)
	}
	pct := func(name string, o unit.Opt[unit.Ratio]) {
		if v, ok := o.Value(); ok {
			fmt.Fprintf(&b, "|%s %v", name, v.Percent())
		}
	}
	pct("measured", k.Measured)
	pct("peak", k.Peak)
	pct("work", k.PeakWork)
	pct("slm", k.PeakSLM)
	pct("barrier", k.PeakBarrier)
	pct("active", k.Active)
	pct("stalled", k.Stalled)
	pct("idle", k.Idle)
	pct("barrierstall", k.BarrierStall)
	fmt.Fprintf(&b, "|threads %v|barriers %v|spill %v", opt(k.Threads), opt(k.Barriers), opt(k.Spill))
	if k.Device != "" {
		fmt.Fprintf(&b, "|device %s", k.Device)
	}
	if s := k.Launches; s != nil {
		fmt.Fprintf(&b, "|spread %v %v %v", s.MinSeconds, s.MedianSeconds, s.MaxSeconds)
		if s.MinMeasured.Present() {
			fmt.Fprintf(&b, " %.4v %.4v %.4v", s.MinMeasured.Or(0).Percent(), s.MedianMeasured.Or(0).Percent(), s.MaxMeasured.Or(0).Percent())
			if s.UpperMeasured != s.MaxMeasured {
				fmt.Fprintf(&b, " upper %.4v", s.UpperMeasured.Or(0).Percent())
			}
		}
	}
	return b.String()
}

func opt[T any](o unit.Opt[T]) any {
	if v, ok := o.Value(); ok {
		return v
	}
	return "-"
}

func noteLines(notes []note.Note) (s []string) {
	for _, n := range notes {
		s = append(s, n.String())
	}
	return s
}

// TestCorpus compares kernels with expected lines, which were checked by hand
// against the file cells.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file, reason string
		want         []string
	}{
		{"bench_gaussian.hotspots.csv", "39 columns of gpu-hotspots; Fan1 has its peak (14.3) different from its measured occupancy (19.9)", []string{
			"2|Fan2|2048x2048|1024x1|32||n 2047|t 1.070996|measured 62.7|peak 100|work 100|slm 100|barrier 100|active 6.5|stalled 72.8|idle 20.7|threads 90462838|barriers 0|spill 0",
			"3|Fan1|2048|16|32||n 2047|t 0.037689|measured 19.9|peak 14.3|work 14.3|slm 100|barrier 100|active 1.5|stalled 27.6|idle 70.8|threads 969161|barriers 0|spill 0",
			"4|clEnqueueReadBuffer|||-|device-to-host|n 3|t 0.001908|measured 90.1|peak 0|work 0|slm 100|barrier 100|active 1|stalled 97.4|idle 1.6|threads 17652|barriers 0|spill -",
			"5|clEnqueueWriteBuffer|||-|host-to-device|n 3|t 0.001455|measured 79.7|peak 0|work 0|slm 100|barrier 100|active 5.2|stalled 89|idle 5.8|threads 14208|barriers 0|spill -",
			"6|[Outside any task]|||-||n 0|t 0|measured 20.9|peak 0|work 0|slm 100|barrier 100|active 1.7|stalled 24.2|idle 74.1|threads 42885419|barriers 0|spill -",
		}},
		{"ze_gemm.offload.csv", "41 columns in another order, two names twice; two copies of one name differ in direction", []string{
			"2|GEMM|512x512|512x2|32||n 128|t 0.251456|measured 90.8|peak 100|work 100|slm 100|barrier 100|active 47.9|stalled 44.5|idle 7.6|threads 636303|barriers 0|spill 0",
			"3|zeCommandListAppendMemoryCopy|||-|host-to-device|n 256|t 0.031675|measured 59.9|peak 0|work 0|slm 100|barrier 100|active 0.6|stalled 61.9|idle 37.5|threads 48583|barriers 0|spill 0",
			"4|zeCommandListAppendMemoryCopy|||-|device-to-host|n 128|t 0.01711|measured 74.8|peak 0|work 0|slm 100|barrier 100|active 40.2|stalled 41.4|idle 18.4|threads 133460|barriers 0|spill 0",
			"5|zeCommandListAppendBarrier|||-||n 256|t 0.000794|measured 56.5|peak 0|work 0|slm 100|barrier 100|active 2.2|stalled 57.2|idle 40.6|threads 2496|barriers 0|spill 0",
			"6|[Outside any task]|||-||n 0|t 0|measured 3.6|peak 0|work 0|slm 100|barrier 100|active 1.7|stalled 2.4|idle 95.9|threads 96918|barriers 0|spill -",
		}},
		{"gemm_selection.semicolon.csv", "a user's selection of columns: nothing measured", []string{
			"2|gemm_kernel|128x8|64x8|16||n 50|t 0.026427|peak 40|work 40|slm 100|barrier 100|threads -|barriers -|spill 0",
		}},
	} {
		f := readCorpus(t, c.file)
		var lines []string
		for i := range f.Kernels {
			k := &f.Kernels[i]
			lines = append(lines, line(k))
		}
		if d := cmp.Diff(c.want, lines); d != "" {
			t.Errorf("%s (%s), -want +got:\n%s", c.file, c.reason, d)
		}
		if f.BadRows != 0 || len(f.Notes) != 0 || f.Rows != int64(len(c.want)) {
			t.Errorf("%s: %d rows, %d bad, notes %q", c.file, f.Rows, f.BadRows, noteLines(f.Notes))
		}
	}
}

// TestCorpusAgainstEncodingCSV compares every cell in every computing-task file
// with the results from encoding/csv and strconv.
func TestCorpusAgainstEncodingCSV(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(testenv.Shared(t, "corpus", "vtune-csv"), "*.csv"))
	for _, path := range files {
		name := filepath.Base(path)
		if strings.Contains(name, ".task.") {
			continue
		}
		f := readCorpus(t, name)
		text, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		r := csv.NewReader(text)
		if strings.Contains(name, "semicolon") {
			r.Comma = ';'
		}
		records, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Kernels) != len(records)-1 || f.BadRows != 0 {
			t.Fatalf("%s: %d kernels and %d bad rows of %d records", name, len(f.Kernels), f.BadRows, len(records)-1)
		}
		for i, rec := range records[1:] {
			k := f.Kernels[i]
			for j, cell := range rec {
				want := cell
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					want = fmt.Sprint(v)
				}
				if got := byName(&k, records[0][j]); got != nil && fmt.Sprint(got) != strings.ReplaceAll(want, " x ", "x") && (cell != "" || fmt.Sprint(got) != "-") {
					t.Errorf("%s:%d: %s is %v, want %s", name, i+2, records[0][j], got, want)
				}
			}
		}
	}
}

// byName returns the value that was read from a column, or nil for a column
// that is not read.
func byName(k *ingest.Kernel, column string) any {
	pct := func(o unit.Opt[unit.Ratio]) any {
		if v, ok := o.Value(); ok {
			return v.Percent()
		}
		return "-"
	}
	num := func(o unit.Opt[int64]) any {
		if v, ok := o.Value(); ok {
			return float64(v)
		}
		return "-"
	}
	switch column {
	case "Computing Task":
		return k.Task
	case "Work Size:Global":
		return k.Global
	case "Work Size:Local":
		return k.Local
	case "Computing Task:Total Time":
		return opt(k.Total)
	case "Computing Task:Instance Count":
		return num(k.Instances)
	case "Computing Task:SIMD Width":
		return opt(k.SIMD)
	case "Computing Task:Spill Memory Size":
		return opt(k.Spill)
	case "XVE Array:Active(%)":
		return pct(k.Active)
	case "XVE Array:Stalled(%)":
		return pct(k.Stalled)
	case "XVE Array:Idle(%)":
		return pct(k.Idle)
	case "Peak XVE Threads Occupancy(%)":
		return pct(k.Peak)
	case "Peak XVE Threads Occupancy:Work Size Limit(%)":
		return pct(k.PeakWork)
	case "Peak XVE Threads Occupancy:SLM Use Limit(%)":
		return pct(k.PeakSLM)
	case "Peak XVE Threads Occupancy:Barriers Use Limit(%)":
		return pct(k.PeakBarrier)
	case "XVE Threads Occupancy(%)":
		return pct(k.Measured)
	case "Computing Threads Started":
		return num(k.Threads)
	case "GPU Barriers":
		return num(k.Barriers)
	}
	return nil
}

func TestCorpusByHostTask(t *testing.T) {
	_, err := openCorpus(t, "bench_gaussian.task.csv")
	want := "bench_gaussian.task.csv:1: this export is grouped by host task, not per kernel: it has no launch size and no occupancy; " +
		"expected one grouped by computing-task or computing-instance (export it with: vtune -report hotspots -group-by computing-task " +
		"-format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
