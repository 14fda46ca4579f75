package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// kernels returns the kernels in lines with pairs `name value`, with values as
// an export prints them. A line that begins with launch instead of task is the
// previous kernel's launch.
func kernels(path, text string) (list []Kernel, props []Kernel, launches *Launches) {
	for i, l := range strings.Split(text, "\n") {
		k := Kernel{Pos: note.Pos{File: path, Line: i + 2}}
		w := strings.Fields(l)
		ratio := func(o *unit.Opt[unit.Ratio], v float64) { *o = unit.Some(unit.FromPercent(v)) }
		for j := 0; j+1 < len(w); j += 2 {
			var v float64
			fmt.Sscan(w[j+1], &v)
			switch w[j] {
			case "task", "props", "launch":
				k.Task = w[j+1]
			case "global":
				k.Global, _ = unit.ParseSize(w[j+1])
			case "local":
				k.Local, _ = unit.ParseSize(w[j+1])
			case "simd":
				k.SIMD = unit.Some(int(v))
			case "n":
				k.Instances = unit.Some(int64(v))
			case "t":
				k.Total = unit.Some(unit.Seconds(v))
			case "mean":
				k.Mean = unit.Some(unit.Seconds(v))
			case "uneven":
				k.Uneven = v > 0
			case "spread": // shortest, median, and longest are equal
				s := spreadOf(&k)
				s.MinSeconds, s.MedianSeconds, s.MaxSeconds = unit.Seconds(v), unit.Seconds(v), unit.Seconds(v)
			case "of":
				s := spreadOf(&k)
				ratio(&s.MinMeasured, v)
				s.MedianMeasured, s.MaxMeasured = s.MinMeasured, s.MinMeasured
			case "measured":
				ratio(&k.Measured, v)
			case "peak":
				ratio(&k.Peak, v)
			case "idle":
				ratio(&k.Idle, v)
			case "around":
				k.Reading = AroundLaunch
			case "slm":
				k.SLM = unit.Some(unit.Bytes(v))
			case "registers":
				k.Registers = unit.Some(int(v))
			case "spill":
				k.Spill = unit.Some(unit.Bytes(v))
			default:
				panic(w[j])
			}
		}
		if w[0] == "props" {
			props = append(props, Kernel{Task: k.Task, Global: k.Global, Local: k.Local, SIMD: k.SIMD, SLM: k.SLM, Spill: k.Spill, Registers: k.Registers, Pos: k.Pos})
			continue
		}
		if w[0] == "launch" {
			if launches == nil {
				launches = &Launches{}
			}
			launches.Add(&LaunchRecord{Kernel: len(list) - 1, Line: k.Pos.Line, Time: k.Total, Measured: k.Measured, Idle: k.Idle})
			continue
		}
		list = append(list, k)
	}
	return list, props, launches
}

func spreadOf(k *Kernel) *LaunchSpread {
	if k.Launches == nil {
		k.Launches = &LaunchSpread{}
	}
	return k.Launches
}

// formatKernel returns a kernel in the form that kernels parses.
func formatKernel(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "task %s", k.Task)
	if k.Global.Present() {
		fmt.Fprintf(&b, " global %v", k.Global)
	}
	if k.Local.Present() {
		fmt.Fprintf(&b, " local %v", k.Local)
	}
	add(&b, "simd", k.SIMD, func(v int) any { return v })
	add(&b, "n", k.Instances, func(v int64) any { return v })
	add(&b, "t", k.Total, func(v unit.Seconds) any { return float64(v) })
	add(&b, "mean", k.Mean, func(v unit.Seconds) any { return float64(v) })
	if k.Uneven {
		b.WriteString(" uneven 1")
	}
	percent := func(v unit.Ratio) any { return v.Percent() }
	add(&b, "measured", k.Measured, percent)
	add(&b, "peak", k.Peak, percent)
	add(&b, "idle", k.Idle, percent)
	if k.Reading == AroundLaunch {
		b.WriteString(" around 1")
	}
	bytes := func(v unit.Bytes) any { return int64(v) }
	add(&b, "slm", k.SLM, bytes)
	add(&b, "spill", k.Spill, bytes)
	add(&b, "registers", k.Registers, func(v int) any { return v })
	if s := k.Launches; s != nil {
		fmt.Fprintf(&b, " spread %v", float64(s.MaxSeconds))
		add(&b, "of", s.MaxMeasured, percent)
	}
	return b.String()
}

func add[T any](b *strings.Builder, name string, o unit.Opt[T], text func(T) any) {
	if v, ok := o.Value(); ok {
		fmt.Fprintf(b, " %s %v", name, text(v))
	}
}

// traits are the file kinds' traits in these tests.
var traits = map[string]Traits{"vtune": {ColumnsVary: true}, "unitrace": {NoLaunchSize: true}, "trace": {NoLaunchSize: true}}

// join returns the joined files as text. A file is its kind and its kernels.
func join(files []string) []string {
	var list []File
	for i, text := range files {
		kind, text, _ := strings.Cut(text, "\n")
		f := File{Input: Input{Kind: kind, Traits: traits[kind], Path: fmt.Sprint("f", i+1)}}
		f.Kernels, f.Props, f.Launches = kernels(f.Input.Path, text)
		list = append(list, f)
	}
	run, err := Join(list)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var got []string
	for i := range run.Kernels {
		got = append(got, formatKernel(&run.Kernels[i]))
	}
	for _, l := range run.Launches.All() {
		k := Kernel{Task: run.Kernels[l.Kernel].Task, Global: run.Kernels[l.Kernel].Global, Total: l.Time, Measured: l.Measured, Idle: l.Idle}
		got = append(got, fmt.Sprintf("line %d: %s", l.Line, formatKernel(&k)))
	}
	for _, n := range run.Notes {
		got = append(got, n.String())
	}
	return got
}

func TestKernelsOfSeveralFiles(t *testing.T) {
	for _, c := range []struct {
		reason string
		files  []string
		want   []string
	}{
		{"a file with a row per kernel is joined by keys",
			[]string{"vtune\ntask A global 64 t 3\ntask B global 64 t 4", "unitrace\ntask A global 64 slm 5\ntask B global 64 slm 15"},
			[]string{"task A global 64 t 3 slm 5", "task B global 64 t 4 slm 15"}},
		{"a printed average is rounded: total and count of another file are more precise, a total alone is not",
			[]string{"vtune\ntask A global 64 mean 1\ntask B global 64 mean 1\ntask C global 64 n 2 t 3\ntask D global 64", "vtune\ntask A global 64 n 2 t 3\ntask B global 64 t 3\ntask C global 64 mean 1\ntask D global 64 n 4 t 3 mean 1 uneven 1"},
			[]string{"task A global 64 n 2 t 3", "task B global 64 t 3 mean 1", "task C global 64 n 2 t 3", "task D global 64 n 4 t 3 mean 1 uneven 1"}},
		{"a count of other launches does not divide the time, in either order: the mean comes from the file with both",
			[]string{"vtune\ntask A global 64 n 2\ntask B global 64 t 8\ntask C global 64 n 2", "vtune\ntask A global 64 n 3 t 6\ntask B global 64 n 3 t 6\ntask C global 64 n 3 t 6 uneven 1"},
			[]string{"task A global 64 n 2 t 6 mean 2 uneven 1", "task B global 64 n 3 t 8 mean 2 uneven 1", "task C global 64 n 2 t 6 uneven 1",
				`f2:2: warning: task "A": instance count differs from the value at f1:2; the first file's value is used (give the exports of one run only)`,
				`f2:3: warning: task "B": total time differs from the value at f1:3; the first file's value is used (give the exports of one run only)`,
				`f2:4: warning: task "C": instance count differs from the value at f1:4; the first file's value is used (give the exports of one run only)`}},
		{"the first file with both keeps its mean, and so do equal counts",
			[]string{"vtune\ntask A global 64 n 3 t 6\ntask B global 64 n 3", "vtune\ntask A global 64 n 2\ntask B global 64 n 3 t 6"},
			[]string{"task A global 64 n 3 t 6", "task B global 64 n 3 t 6",
				`f2:2: warning: task "A": instance count differs from the value at f1:2; the first file's value is used (give the exports of one run only)`}},
		{"times of tracers never agree exactly: the count of the tracer is joined with the time of the export",
			[]string{"vtune\ntask A global 64 t 6", "unitrace\ntask A global 64 n 3 t 6.3"},
			[]string{"task A global 64 n 3 t 6"}},
		{"spreads over launches: from the file that has one, and the measured one from the file that has that",
			[]string{"vtune\ntask A global 64\ntask B global 64 spread 1\ntask C global 64 spread 1\ntask D global 64 spread 1 of 40\ntask E global 64 spread 1 of 40\ntask F global 64",
				"vtune\ntask A global 64 spread 2 of 50\ntask B global 64 spread 2 of 50\ntask C global 64 spread 2\ntask D global 64 spread 2 of 50\ntask E global 64\ntask F global 64"},
			[]string{"task A global 64 spread 2 of 50", "task B global 64 spread 1 of 50", "task C global 64 spread 1", "task D global 64 spread 1 of 40", "task E global 64 spread 1 of 40",
				"task F global 64"}},
		{"properties belong to their launch size",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\ntask A global 128 local 8 simd 16 t 3",
				"unitrace\nprops A global 64x1x1 local 8x1x1 simd 16 slm 64 registers 256\nprops A global 128x1x1 local 8x1x1 simd 16 slm 64 registers 128"},
			[]string{"task A global 64 local 8 simd 16 t 1 slm 64 registers 256", "task A global 128 local 8 simd 16 t 3 slm 64 registers 128"}},
		{"a launch size without properties gets the values on which the others agree; the SIMD width distinguishes some",
			[]string{"vtune\ntask A global 256 local 8 simd 16 t 1\ntask A global 256 local 8 simd 32 t 2",
				"unitrace\nprops A global 64 local 8 simd 16 slm 64 registers 256\nprops A global 128 local 8 simd 16 slm 64 registers 128\nprops A global 64 local 8 simd 32 slm 32 registers 128"},
			[]string{"task A global 256 local 8 simd 16 t 1 slm 64", "task A global 256 local 8 simd 32 t 2 slm 32 registers 128",
				`f1:2: warning: task "A": no kernel properties match this launch size and SIMD width, and the entries with this name differ in registers per thread: these values are left out (trace a run with the same launch sizes)`}},
		{"a width is not guessed",
			[]string{"vtune\ntask A global 64 local 8 t 1", "unitrace\nprops A simd 16 slm 64\nprops A simd 32 slm 64"},
			[]string{"task A global 64 local 8 t 1 slm 64",
				`f1:2: warning: task "A": no kernel properties match this launch size and SIMD width, and the entries with this name differ in SIMD width: these values are left out (trace a run with the same launch sizes)`}},
		{"properties without a launch size have priority over other launch sizes; a single width is copied",
			[]string{"vtune\ntask A global 64 local 8 t 1", "unitrace\nprops A global 128 local 8 simd 16 slm 64\nprops A simd 16 slm 32"},
			[]string{"task A global 64 local 8 simd 16 t 1 slm 32"}},
	} {
		if d := cmp.Diff(c.want, join(c.files)); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestLaunchesOfSeveralFiles checks that launches from two files are joined
// only if their times agree in the same order.
func TestLaunchesOfSeveralFiles(t *testing.T) {
	const first = "vtune\ntask A global 64 n 2 t 3 measured 50\nlaunch A t 1 measured 40\nlaunch A t 2 measured 55"
	apart := func(more string) string {
		return `f2: warning: the launches of task "A" and the launches at f1:2 have different times or another order: they cannot be matched, so the values of single launches are not used` +
			more + " (give two exports of one run by computing-instance, with the total time and the same rows in the same order)"
	}
	known := []string{"task A global 64 n 2 t 3 measured 50 idle 7", "line 3: task A global 64 t 1 measured 40", "line 4: task A global 64 t 2 measured 55"}
	for _, c := range []struct {
		reason string
		files  []string
		want   []string
	}{
		{"two passes of one run, with kernels in any order; a kernel that the first lacks adds its launches",
			[]string{first + "\ntask B global 8 t 7\nlaunch B t 7", "vtune\ntask B global 8x1 t 7 idle 9\nlaunch B t 7 idle 9\ntask C global 1 t 5 idle 1\nlaunch C t 5 idle 1\ntask A global 64x1 n 2 t 3 idle 7\nlaunch A t 1 idle 1\nlaunch A t 2 idle 10"},
			[]string{"task A global 64 n 2 t 3 measured 50 idle 7", "task B global 8 t 7 idle 9", "task C global 1 t 5 idle 1",
				"line 3: task A global 64 t 1 measured 40 idle 1", "line 4: task A global 64 t 2 measured 55 idle 10", "line 6: task B global 8 t 7 idle 9", "line 5: task C global 1 t 5 idle 1"}},
		{"the first file has priority if both measured a launch",
			[]string{first, "unitrace\ntask A global 64 n 2 t 3 measured 50\nlaunch A t 1 measured 41\nlaunch A t 2 measured 56"},
			[]string{"task A global 64 n 2 t 3 measured 50", "line 3: task A global 64 t 1 measured 40", "line 4: task A global 64 t 2 measured 55"}},
		{"kernels that were measured differently are two runs, even if their launches agree",
			[]string{first, "vtune\ntask A global 64 n 2 t 3 measured 51\nlaunch A t 1 measured 41\nlaunch A t 2 measured 56"},
			[]string{"error: f2:2: task \"A\" was measured at 51.0% here and at 50.0% in f1:2: these are two runs " +
				"(give one export per run; to compare two runs, use 'occudiff diff OLD NEW'; to report several runs, " +
				"give one folder per run)"}},
		{"another order: values of the kernel are used, and values of launches are not",
			[]string{first, "vtune\ntask A global 64 n 2 t 3 idle 7\nlaunch A t 2 idle 10\nlaunch A t 1 idle 1"}, append(known, apart(""))},
		{"fewer launches, for example after bad rows",
			[]string{first, "vtune\ntask A global 64 n 2 t 3 idle 7\nlaunch A t 2 idle 10"}, append(known, apart(""))},
		{"no times: the launches cannot be matched",
			[]string{first, "vtune\ntask A global 64 idle 7\nlaunch A idle 1\nlaunch A idle 10"}, append(known, apart(""))},
		{"one note for all kernels of a file",
			[]string{first + "\ntask B global 8 t 7\nlaunch B t 7", "vtune\ntask A global 64 idle 7\nlaunch A idle 1\ntask B global 8 t 7\nlaunch B t 8"},
			[]string{"task A global 64 n 2 t 3 measured 50 idle 7", "task B global 8 t 7", "line 3: task A global 64 t 1 measured 40", "line 4: task A global 64 t 2 measured 55",
				"line 6: task B global 8 t 7", apart(", also for 1 more kernel")}},
		{"a tracer's row for all launches has no single launches",
			[]string{first, "unitrace\ntask A global 64x1x1 n 2 t 9 slm 64"},
			[]string{"task A global 64 n 2 t 3 measured 50 slm 64", "line 3: task A global 64 t 1 measured 40", "line 4: task A global 64 t 2 measured 55"}},
		{"rows that match several launch sizes lose their launches, too",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\nlaunch A t 1\ntask A global 32 local 8 simd 16 t 2\nlaunch A t 2", "vtune\ntask A t 3 measured 50\nlaunch A t 1 measured 50"},
			[]string{"task A global 64 local 8 simd 16 t 1", "task A global 32 local 8 simd 16 t 2", "line 3: task A global 64 t 1", "line 5: task A global 32 t 2",
				`f2: warning: task "A" has several launch sizes or SIMD widths in another export, but this one lacks the columns that distinguish them: its values are not used (export both with the columns Work Size:Global, Work Size:Local and SIMD Width)`}},
	} {
		if d := cmp.Diff(c.want, join(c.files)); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestLaunchColumns checks present and absent launch values over several
// blocks.
func TestLaunchColumns(t *testing.T) {
	var l Launches
	const n = 2*launchBlock + 5
	record := func(i int) LaunchRecord {
		r := LaunchRecord{Kernel: i % 7, Line: i + 2}
		if i%2 == 0 {
			r.Time, r.Measured = unit.Some(unit.Seconds(float64(i)/1e9)), unit.Some(unit.FromPercent(float64(i%1000)/10))
		}
		if i%3 == 0 {
			r.Threads, r.Idle = unit.Some(int64(i)), unit.Some(unit.FromPercent(0))
		}
		return r
	}
	for i := range n {
		r := record(i)
		l.Add(&r)
	}
	for i, r := range l.All() {
		if r != record(i) {
			t.Fatalf("launch %d is %+v, want %+v", i, r, record(i))
		}
	}
	kept := l.Renumber([]int{0, -1, 1, -1, -1, -1, 2})
	lists := kept.byKernel(3)
	if got := kept.Len(); got != len(lists[0])+len(lists[1])+len(lists[2]) || got < n*3/7 || got > n*3/7+3 {
		t.Errorf("%d launches of three kernels of seven are left of %d", got, n)
	}
	for k, of := range []int{0, 2, 6} {
		for at, i := range lists[k] {
			want := record(of + 7*at)
			want.Kernel = k
			if got := kept.At(int(i)); got != want {
				t.Fatalf("launch %d of kernel %d is %+v, want %+v", at, k, got, want)
			}
		}
	}
}
