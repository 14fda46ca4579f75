package vtune

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// FuzzRead reads any text twice, in one block and in many, and checks
// properties that every result must have.
func FuzzRead(f *testing.F) {
	// empty if the corpus is missing
	files, _ := filepath.Glob(filepath.FromSlash("../../../shared/corpus/vtune-csv/*.csv"))
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(string(text))
			f.Add(strings.ReplaceAll(string(text), "\n", "\r\n"))
		}
	}
	f.Add("vtune: xComputing Task\tTotal Time\tActive\n\"a\n\"\"b\"\"\"\t1e-5\t0.5\nx\t\t\n")
	f.Add("Computing Task;Global;Local;Instance Count;Idle(%);Idle(%)\nK;1x2;3;4;5;6\nK;1x2;3;-4;5;6\n\"")
	f.Add("Computing Task;Global;Local;a;b;c\nK;1x2;3;4;5;6\nK;1x2;3;-4;a;" + strings.Repeat("x", 40) + "\nK\n\"")
	f.Add("vtune: Computing Task  Total Time  Active(%)\n--------------  ----------  ---------\na,\"b\"  1.5ms  5.0%\nx\n")
	f.Add("Computing Task,Total Time,Idle(%)\nK,1.0,5.0\nvtune: done\n\"Computing Task\";Total Time\nL;1,234;\nM;1,25")
	f.Add("Computing Task,Computing Task:Total Time,XVE Pipelines:(%),XVE Stall Reasons:(%)\nK,1,2,3\n") // no names
	f.Add("vtu\x00\n\"x\tComputing Task\tTotal Time\tAc\na\"b\"\"\"\t1e-5\t++.\na")                      // no task column
	f.Add("vtu\x00\n\"x\tComputing Task\tTotal Time\tcc\na\"b\"\"\"\t1e-5\n++.\ta")                      // no task column
	for _, text := range doubledColumns() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			t.Skip()
		}
		Format.Sniff([]byte(text))
		if Text.Sniff([]byte(text)) {
			src := &ingest.Source{Path: "run.txt", Size: -1, R: strings.NewReader(text)}
			if f, err := Text.Read(context.Background(), src, ingest.ReadOptions{}); err == nil {
				check(t, text, f)
			}
		}
		one, err := readText(text, ingest.ReadOptions{Threads: 1})
		block := 1 + len(text)%200
		if at, _, ok := findHeader([]byte(text)); !ok || at > min(block, len(text)) || !strings.Contains(text[at:min(block, len(text))], "\n") {
			block = 0 // the header must be in the first block
		}
		many, err2 := read(context.Background(), "run.csv", scan.New(scan.Input{R: strings.NewReader(text)}, scan.Options{Threads: 3, Block: block}), ingest.ReadOptions{})
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("in one block: %v\nin many: %v", err, err2)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "run.csv") {
				t.Errorf("no position: %v", err)
			}
			return
		}
		check(t, text, one)
		if a, b := describe(one), describe(many); a != b {
			t.Errorf("in one block:\n%s\nin many:\n%s", a, b)
		}
	})
}

// doubledColumns returns an export for each quantity in which its column occurs
// twice, with and without the other columns for a launch's time. They end
// without a newline, so the last row is read byte by byte.
func doubledColumns() (texts []string) {
	cell := func(name string) string {
		switch q, _, _ := find(name); {
		case q == task || q == device:
			return "K"
		case q == global || q == local:
			return "64"
		}
		return "1"
	}
	for _, columns := range [][]string{{"computing task", "total time", "instance count"}, {"computing task", "global"}} {
		for _, names := range spellings {
			header := append(slices.Clone(columns), names[0], names[0])
			row := make([]string, len(header))
			for i, name := range header {
				row[i] = cell(name)
			}
			header[0] = "Computing Task"
			texts = append(texts, strings.Join(header, ",")+"\n"+strings.Join(row, ","))
		}
	}
	return texts
}

// TestDoubledColumns reads every quantity twice. A second Average Time column
// next to a total and a count caused a panic: the first column was dropped, and
// the second was compared with it.
func TestDoubledColumns(t *testing.T) {
	for _, text := range doubledColumns() {
		f, err := readText(text, ingest.ReadOptions{})
		if err != nil || f.Rows != 1 || f.BadRows != 0 {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
}

// describe returns a file's whole content as text.
func describe(f *ingest.File) string {
	s := []string{fmt.Sprintf("%d rows, %d bad", f.Rows, f.BadRows)}
	for i := range f.Kernels {
		k := &f.Kernels[i]
		s = append(s, line(k))
	}
	for _, p := range f.Further {
		s = append(s, describe(p))
	}
	return strings.Join(append(s, noteLines(f.Notes)...), "\n")
}

func check(t *testing.T, text string, f *ingest.File) {
	t.Helper()
	if f.Rows <= 0 || f.BadRows < 0 || len(f.Kernels) == 0 || int64(len(f.Kernels)) > f.Rows {
		t.Errorf("%d rows, %d bad, %d kernels", f.Rows, f.BadRows, len(f.Kernels))
	}
	total := strings.Count(text, "\n") + 1
	keys := map[ingest.Key]bool{}
	for i := range f.Kernels {
		k := &f.Kernels[i]
		if k.Pos.Line < 1 || k.Pos.Line > total || k.Task == "" {
			t.Errorf("kernel %q at %v of %d lines", k.Task, k.Pos, total)
		}
		if keys[k.Key()] {
			t.Errorf("key twice: %+v", k.Key())
		}
		keys[k.Key()] = true
		for _, o := range []unit.Opt[unit.Ratio]{k.Measured, k.Peak, k.PeakWork, k.PeakSLM, k.PeakBarrier, k.Active, k.Stalled, k.Idle, k.BarrierStall} {
			if v, ok := o.Value(); ok && (math.IsNaN(float64(v)) || v < 0 || v > 1.0051) {
				t.Errorf("%s: a share of %v", k.Task, v)
			}
		}
		if v, ok := k.Total.Value(); ok && (math.IsNaN(float64(v)) || v < 0) {
			t.Errorf("%s: a time of %v", k.Task, v)
		}
		if s := k.Launches; s != nil && (s.MinSeconds > s.MedianSeconds || s.MedianSeconds > s.MaxSeconds) {
			t.Errorf("%s: %+v", k.Task, s)
		}
	}
	for _, n := range f.Notes {
		if n.Code == "" || n.Text == "" || n.Pos.File == "" || n.Pos.Line > total {
			t.Errorf("note %+v", n)
		}
	}
}
