package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// kernels makes kernels of lines of pairs `name value`, values as an export prints them.
func kernels(path, text string) (list []Kernel, props []Props) {
	for i, l := range strings.Split(text, "\n") {
		k := Kernel{Pos: note.Pos{File: path, Line: i + 2}}
		w := strings.Fields(l)
		ratio := func(o *unit.Opt[unit.Ratio], v float64) { *o = unit.Some(unit.FromPercent(v)) }
		for j := 0; j+1 < len(w); j += 2 {
			var v float64
			fmt.Sscan(w[j+1], &v)
			switch w[j] {
			case "task", "props":
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
			case "spread": // shortest, median and longest are one
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
			props = append(props, Props{Task: k.Task, Global: k.Global, Local: k.Local, SIMD: k.SIMD, SLM: k.SLM, Spill: k.Spill, Registers: k.Registers, Pos: k.Pos})
			continue
		}
		list = append(list, k)
	}
	return list, props
}

func spreadOf(k *Kernel) *Spread {
	if k.Launches == nil {
		k.Launches = &Spread{}
	}
	return k.Launches
}

// said prints a kernel in the form that kernels reads.
func said(k *Kernel) string {
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

// traits are those of the kinds that the files of these tests have.
var traits = map[string]Traits{"vtune": {ColumnsVary: true}, "unitrace": {NoLaunchShape: true}, "trace": {NoLaunchShape: true}}

// merges adds files to a run; a file is its kind, "bad" where rows are left out of it, and its kernels.
func merges(files []string) []string {
	run, m := newRun(Options{})
	for i, text := range files {
		kind, text, _ := strings.Cut(text, "\n")
		kind, bad := strings.CutSuffix(kind, " bad")
		f := &File{}
		if bad {
			f.BadRows = 1
		}
		list, props := kernels(fmt.Sprint("f", i+1), text)
		f.Props = props
		f.Kernels = NewKernels(list...)
		if err := m.add(Input{Kind: kind, Traits: traits[kind], Path: fmt.Sprint("f", i+1)}, f); err != nil {
			return []string{"fault: " + err.Error()}
		}
	}
	if err := m.finish(); err != nil {
		return []string{"fault: " + err.Error()}
	}
	var got []string
	for _, k := range run.Kernels.All() {
		got = append(got, said(k))
	}
	for _, n := range run.Notes {
		got = append(got, n.String())
	}
	return got
}

func TestLaunchesOfSeveralFiles(t *testing.T) {
	const match = " (give two exports of one run by computing-instance, with the same rows in the same order)"
	const holes = " (correct the bad rows, or export both with the total time, which tells launches apart)"
	for _, c := range []struct {
		reason string
		files  []string
		want   []string
	}{
		{"two passes of one run: the second launch goes with the second, whatever stands between",
			[]string{"vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 60\ntask B global 64 t 7\ntask A global 64 t 3 measured 70",
				"vtune\ntask A global 64x1 t 1 idle 1 peak 100\ntask B global 64 t 7 idle 9\ntask A global 64 t 2 idle 2 peak 100\ntask A global 64 t 3 idle 3 peak 100\ntask C global 8 idle 5"},
			[]string{"task A global 64 t 1 measured 50 peak 100 idle 1", "task A global 64 t 2 measured 60 peak 100 idle 2", "task B global 64 t 7 idle 9",
				"task A global 64 t 3 measured 70 peak 100 idle 3", "task C global 8 idle 5"}},
		{"a third pass goes with the same launches",
			[]string{"vtune\ntask A global 64 t 1\ntask A global 64 t 2", "vtune\ntask A global 64 idle 1\ntask A global 64 idle 2", "vtune\ntask A global 64 measured 10\ntask A global 64 measured 20"},
			[]string{"task A global 64 t 1 measured 10 idle 1", "task A global 64 t 2 measured 20 idle 2"}},
		{"the same launches measured twice alike are one run",
			[]string{"vtune\ntask A global 64 measured 50\ntask A global 64 measured 60", "vtune\ntask A global 64 measured 50\ntask A global 64 measured 60"},
			[]string{"task A global 64 measured 50", "task A global 64 measured 60"}},
		{"measured differently they are two",
			[]string{"vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 60", "vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 3 measured 61"},
			[]string{"fault: f2:3: task \"A\" was measured at 61.0 % here and at 60.0 % in f1:3: these are two runs (give one export per run, or compare runs with: occudiff diff OLD NEW; a folder per run is reported per run)"}},
		{"measured alike in another order they are one run",
			[]string{"vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 60", "vtune\ntask A global 64 t 2 measured 60 idle 2\ntask A global 64 t 1 measured 50 idle 1"},
			[]string{"task A global 64 t 1 measured 50", "task A global 64 t 2 measured 60",
				`f2:2: warning: the launches of task "A" take different times here (f2:2) than at f1:2: it is not known which row belongs to which launch, so that the columns idle of this file are not used` + match}},
		{"the same times in another order, measured differently, are two runs",
			[]string{"vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 60", "vtune\ntask A global 64 t 2 measured 61\ntask A global 64 t 1 measured 50"},
			[]string{"fault: f2:2: task \"A\" was measured at 61.0 % here and at 50.0 % in f1:2: these are two runs (give one export per run, or compare runs with: occudiff diff OLD NEW; a folder per run is reported per run)"}},
		{"more launches than there are rows: nothing of a launch is taken, what all launches share is",
			[]string{"vtune\ntask A global 64 t 1\ntask A global 64 t 2\ntask A global 64 t 3", "vtune\ntask A global 64 t 1 idle 1 peak 40 spill 8\ntask A global 64 t 3 idle 3 peak 40 spill 8"},
			[]string{"task A global 64 t 1 peak 40 spill 8", "task A global 64 t 2 peak 40 spill 8", "task A global 64 t 3 peak 40 spill 8",
				`f2:2: warning: task "A" has 3 rows at f1:2 and 2 rows here: it is not known which row belongs to which launch, so that the columns idle of this file are not used` + match}},
		{"and nothing at all where the rows do not agree on it",
			[]string{"vtune\ntask A global 64 t 1\ntask A global 64 t 2\ntask A global 64 t 3", "vtune\ntask A global 64 t 1 peak 40\ntask A global 64 t 3 peak 50"},
			[]string{"task A global 64 t 1", "task A global 64 t 2", "task A global 64 t 3",
				`f2:2: warning: task "A" has 3 rows at f1:2 and 2 rows here: it is not known which row belongs to which launch` + match}},
		{"more rows than there are launches: measured values of other launches do not make two runs",
			[]string{"vtune\ntask A global 64 t 6 n 3 measured 60", "vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 55"},
			[]string{"task A global 64 n 3 t 6 measured 60",
				`f2:2: warning: task "A" has 1 row at f1:2 and 2 rows here: it is not known which row belongs to which launch` + match}},
		{"as many, but in another order: their times say so",
			[]string{"vtune\ntask A global 64 t 1 measured 50\ntask A global 64 t 2 measured 60", "vtune\ntask A global 64 t 2 idle 2 peak 40\ntask A global 64 t 1 idle 1 peak 40"},
			[]string{"task A global 64 t 1 measured 50 peak 40", "task A global 64 t 2 measured 60 peak 40",
				`f2:2: warning: the launches of task "A" take different times here (f2:2) than at f1:2: it is not known which row belongs to which launch, so that the columns idle of this file are not used` + match}},
		{"bad rows, one in each file: as many are left, but not of the same launches",
			[]string{"vtune bad\ntask A global 64 t 3 measured 80\ntask A global 64 t 4 measured 70", "vtune bad\ntask A global 64 idle 5 peak 40\ntask A global 64 idle 15 peak 40"},
			[]string{"task A global 64 t 3 measured 80 peak 40", "task A global 64 t 4 measured 70 peak 40",
				`f2:2: warning: task "A" has 2 rows at f1:2 and 2 rows here, and bad rows are left out of f1 and f2: it is not known which row belongs to which launch, so that the columns idle of this file are not used` + holes}},
		{"nor do different measured values say that these are two runs then; a launch that is left of a file with many is no better, and where it adds nothing there is nothing to say",
			[]string{"vtune\ntask A global 64 measured 80\ntask A global 64 measured 70\ntask B global 64 measured 70", "vtune bad\ntask A global 64 measured 70\ntask A global 64 measured 60\ntask B global 64 measured 75"},
			[]string{"task A global 64 measured 80", "task A global 64 measured 70", "task B global 64 measured 70",
				`f2:2: warning: task "A" has 2 rows at f1:2 and 2 rows here, and bad rows are left out of f2: it is not known which row belongs to which launch` + holes}},
		{"times that agree in all rows say it all the same",
			[]string{"vtune bad\ntask A global 64 t 3\ntask A global 64 t 4", "vtune bad\ntask A global 64 t 3 idle 5\ntask A global 64 t 4 idle 15"},
			[]string{"task A global 64 t 3 idle 5", "task A global 64 t 4 idle 15"}},
		{"one time that is missing does not",
			[]string{"vtune bad\ntask A global 64 t 3\ntask A global 64", "vtune\ntask A global 64 t 3 idle 5\ntask A global 64 t 4 idle 15"},
			[]string{"task A global 64 t 3", "task A global 64",
				`f2:2: warning: task "A" has 2 rows at f1:2 and 2 rows here, and bad rows are left out of f1: it is not known which row belongs to which launch, so that the columns idle of this file are not used` + holes}},
		{"a file with a row per kernel goes by keys, whatever row of it is bad",
			[]string{"vtune bad\ntask A global 64 t 3\ntask B global 64 t 4", "unitrace bad\ntask A global 64 slm 5\ntask B global 64 slm 15"},
			[]string{"task A global 64 t 3 slm 5", "task B global 64 t 4 slm 15"}},
		{"a tracer's one row for all launches: what they share, and no time of all for one of them",
			[]string{"vtune\ntask A global 64 simd 16 measured 50\ntask A global 64 simd 16 measured 60", "unitrace\ntask A global 64x1x1 simd 16 n 2 t 9 slm 64 registers 256"},
			[]string{"task A global 64 simd 16 measured 50 slm 64 registers 256", "task A global 64 simd 16 measured 60 slm 64 registers 256",
				`f2:2: warning: task "A" has 2 rows at f1:2 and 1 row here: it is not known which row belongs to which launch, so that the columns instance count, total time of this file are not used` + match}},
		{"and silence where nothing is lost",
			[]string{"vtune\ntask A global 64 n 1 t 4 measured 50\ntask A global 64 n 1 t 5 measured 60", "unitrace\ntask A n 2 t 9 slm 64"},
			[]string{"task A global 64 n 1 t 4 measured 50 slm 64", "task A global 64 n 1 t 5 measured 60 slm 64"}},
		{"a value that differs in many launches is one note",
			[]string{"vtune\ntask A global 64 t 1 spill 0\ntask A global 64 t 2 spill 0\ntask A global 64 t 3 spill 0", "vtune\ntask A global 64 t 1 spill 8\ntask A global 64 t 2 spill 8\ntask A global 64 t 3 spill 8"},
			[]string{"task A global 64 t 1 spill 0", "task A global 64 t 2 spill 0", "task A global 64 t 3 spill 0",
				`f2:2: warning: task "A": spill differs from the value at f1:2; the first file's value is used, in 2 more of its launches as well (give the exports of one run only)`}},
		{"a printed average is rounded: total and count of another file say it better, a total alone does not",
			[]string{"vtune\ntask A global 64 mean 1\ntask B global 64 mean 1\ntask C global 64 n 2 t 3\ntask D global 64", "vtune\ntask A global 64 n 2 t 3\ntask B global 64 t 3\ntask C global 64 mean 1\ntask D global 64 n 4 t 3 mean 1 uneven 1"},
			[]string{"task A global 64 n 2 t 3", "task B global 64 t 3 mean 1", "task C global 64 n 2 t 3", "task D global 64 n 4 t 3 mean 1 uneven 1"}},
		{"a count of other launches than those of the time does not divide it, in whatever order: the mean is of the file with both",
			[]string{"vtune\ntask A global 64 n 2\ntask B global 64 t 8\ntask C global 64 n 2", "vtune\ntask A global 64 n 3 t 6\ntask B global 64 n 3 t 6\ntask C global 64 n 3 t 6 uneven 1"},
			[]string{"task A global 64 n 2 t 6 mean 2 uneven 1", "task B global 64 n 3 t 8 mean 2 uneven 1", "task C global 64 n 2 t 6 uneven 1",
				`f2:2: warning: task "A": instance count differs from the value at f1:2; the first file's value is used (give the exports of one run only)`,
				`f2:3: warning: task "B": total time differs from the value at f1:3; the first file's value is used (give the exports of one run only)`,
				`f2:4: warning: task "C": instance count differs from the value at f1:4; the first file's value is used (give the exports of one run only)`}},
		{"the first file with both keeps its mean, and so do equal counts",
			[]string{"vtune\ntask A global 64 n 3 t 6\ntask B global 64 n 3", "vtune\ntask A global 64 n 2\ntask B global 64 n 3 t 6"},
			[]string{"task A global 64 n 3 t 6", "task B global 64 n 3 t 6",
				`f2:2: warning: task "A": instance count differs from the value at f1:2; the first file's value is used (give the exports of one run only)`}},
		{"tracers never take the same time to the digit: theirs counts the launches of the other",
			[]string{"vtune\ntask A global 64 t 6", "unitrace\ntask A global 64 n 3 t 6.3"},
			[]string{"task A global 64 n 3 t 6"}},
		{"spreads over launches: of the file that has one, and the measured one of the file that has that",
			[]string{"vtune\ntask A global 64\ntask B global 64 spread 1\ntask C global 64 spread 1\ntask D global 64 spread 1 of 40\ntask E global 64 spread 1 of 40\ntask F global 64",
				"vtune\ntask A global 64 spread 2 of 50\ntask B global 64 spread 2 of 50\ntask C global 64 spread 2\ntask D global 64 spread 2 of 50\ntask E global 64\ntask F global 64"},
			[]string{"task A global 64 spread 2 of 50", "task B global 64 spread 1 of 50", "task C global 64 spread 1", "task D global 64 spread 1 of 40", "task E global 64 spread 1 of 40",
				"task F global 64"}},
		{"properties of a launch shape are those of all its launches",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\ntask A global 64 local 8 simd 16 t 2\ntask A global 128 local 8 simd 16 t 3\ntask A global 128 local 8 simd 16 t 4",
				"unitrace\nprops A global 64x1x1 local 8x1x1 simd 16 slm 64 registers 256\nprops A global 128x1x1 local 8x1x1 simd 16 slm 64 registers 128"},
			[]string{"task A global 64 local 8 simd 16 t 1 slm 64 registers 256", "task A global 64 local 8 simd 16 t 2 slm 64 registers 256",
				"task A global 128 local 8 simd 16 t 3 slm 64 registers 128", "task A global 128 local 8 simd 16 t 4 slm 64 registers 128"}},
		{"a launch shape that no property has takes what the others agree on, and no guess; the width tells some apart",
			[]string{"vtune\ntask A global 256 local 8 simd 16 t 1\ntask A global 256 local 8 simd 32 t 2",
				"unitrace\nprops A global 64 local 8 simd 16 slm 64 registers 256\nprops A global 128 local 8 simd 16 slm 64 registers 128\nprops A global 64 local 8 simd 32 slm 32 registers 128"},
			[]string{"task A global 256 local 8 simd 16 t 1 slm 64", "task A global 256 local 8 simd 32 t 2 slm 32 registers 128",
				`f1:2: warning: task "A": of the kernel properties of its name none says which is of this launch shape and SIMD width, and they differ in registers per thread, which is left out (trace a run with the same launch shapes)`}},
		{"nor is a width guessed",
			[]string{"vtune\ntask A global 64 local 8 t 1", "unitrace\nprops A simd 16 slm 64\nprops A simd 32 slm 64"},
			[]string{"task A global 64 local 8 t 1 slm 64",
				`f1:2: warning: task "A": of the kernel properties of its name none says which is of this launch shape and SIMD width, and they differ in SIMD width, which is left out (trace a run with the same launch shapes)`}},
		{"properties without a shape go before those of other shapes; one width is taken over",
			[]string{"vtune\ntask A global 64 local 8 t 1", "unitrace\nprops A global 128 local 8 simd 16 slm 64\nprops A simd 16 slm 32"},
			[]string{"task A global 64 local 8 simd 16 t 1 slm 32"}},
	} {
		if d := cmp.Diff(c.want, merges(c.files)); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}
