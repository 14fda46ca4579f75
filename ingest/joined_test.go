package ingest

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// TestTracesOfSeveralFiles checks which launches a run has if several files
// have a trace. The files' own traces do not change.
func TestTracesOfSeveralFiles(t *testing.T) {
	trace := func(from int64, n int, whole bool) *Trace {
		tr := &Trace{Whole: whole}
		tr.AddLane("")
		task := tr.Task(Key{Task: "k"})
		for i := range int64(n) {
			tr.Add(Launch{Start: from + 10*i, End: from + 10*i + 5, Task: task})
		}
		return tr
	}
	for _, c := range []struct {
		reason string
		traces []*Trace
		kinds  string
		want   string // number of launches, and note or error
	}{
		{"one trace", []*Trace{trace(0, 4, false)}, "a", "4 "},
		{"an empty trace first", []*Trace{{}, trace(0, 4, false)}, "ab", "4 "},
		{"the same trace in two files", []*Trace{trace(0, 4, true), trace(0, 4, true)}, "aa", "4 "},
		{"three parts of a run", []*Trace{trace(0, 4, false), trace(3, 2, false), trace(7, 3, false)}, "abc", "9 "},
		{"parts of one tracer", []*Trace{trace(0, 4, false), trace(3, 2, false)}, "aa", "6 "},
		{"two processes", []*Trace{trace(0, 4, true), trace(3, 2, true)}, "aa",
			"error: f2: both this file and f1 are traces: they are from two runs, or from two processes of one run"},
		{"another time", []*Trace{trace(0, 4, false), trace(1e6, 2, false)}, "ab",
			"4 f2: warning: its launches ran at a different time than the launches of the previous trace"},
	} {
		var files []File
		var before []int
		for i, tr := range c.traces {
			files = append(files, File{Input: Input{Path: fmt.Sprint("f", i+1), Kind: c.kinds[i : i+1]}, Trace: tr})
			before = append(before, tr.Len())
		}
		run, err := Join(files)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = fmt.Sprint(run.Trace.Len(), " ")
			lanes := map[uint32]bool{}
			for l := range run.Trace.All() {
				lanes[l.Lane] = true
			}
			if _, last := lanes[uint32(len(run.Trace.Lanes)-1)]; !last || len(lanes) != len(run.Trace.Lanes) {
				t.Errorf("%s: launches on the lanes %v, and %d lanes", c.reason, lanes, len(run.Trace.Lanes))
			}
			for _, n := range run.Notes {
				got += n.String()
			}
		}
		if !strings.HasPrefix(got, c.want) || len(c.want) == 2 && got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
		for i, tr := range c.traces {
			if tr.Len() != before[i] {
				t.Errorf("%s: the trace of file %d has %d launches, and had %d", c.reason, i+1, tr.Len(), before[i])
			}
		}
	}
}

// TestTraceFind checks which task of a trace has the launches of a kernel.
func TestTraceFind(t *testing.T) {
	tr := &Trace{}
	tr.AddLane("")
	for i, key := range []Key{{Task: "a"}, {Task: "b", Global: unit.Size(64)}, {Task: "b", Global: unit.Size(128)}} {
		tr.Add(Launch{Start: int64(10 * i), End: int64(10*i + 5), Task: tr.Task(key)})
	}
	tr.Finish()
	for _, c := range []struct {
		reason string
		trace  *Trace
		kernel Kernel
		task   int
		ok     bool
	}{
		{"by its name", tr, Kernel{Task: "a", Global: unit.Size(64)}, 0, true},
		{"by its size", tr, Kernel{Task: "b", Global: unit.Size(128)}, 2, true},
		{"two sizes of a name", tr, Kernel{Task: "b"}, 0, false},
		{"another name", tr, Kernel{Task: "c"}, 0, false},
		{"no trace", nil, Kernel{Task: "a"}, 0, false},
	} {
		if task, ok := c.trace.Find(&c.kernel); ok != c.ok || ok && task != c.task {
			t.Errorf("%s: %d, %v; want %d, %v", c.reason, task, ok, c.task, c.ok)
		}
	}
}

// TestDuring checks which launch ran at a time, from one task or from any task.
func TestDuring(t *testing.T) {
	tr := &Trace{}
	tr.AddLane("")
	tr.AddLane("")
	a, b := tr.Task(Key{Task: "a"}), tr.Task(Key{Task: "b"})
	tr.Add(Launch{Start: 0, End: 100, Task: a})
	tr.Add(Launch{Start: 50, End: 60, Task: b, Lane: 1})
	tr.Add(Launch{Start: 200, End: 210, Task: b})
	for _, c := range []struct {
		reason string
		task   int
		at     int64
		start  int64 // -1 if none ran
	}{
		{"any task: the last to start", -1, 55, 50},
		{"the first task", 0, 55, 0},
		{"the second task", 1, 55, 50},
		{"after the second task's launch", 1, 61, -1},
		{"at a start", -1, 200, 200},
		{"at an end", -1, 210, 200},
		{"the first task does not run", 0, 205, -1},
		{"between the launches", -1, 150, -1},
		{"before all", -1, -5, -1},
	} {
		l, ok := tr.During(c.task, c.at)
		if ok != (c.start >= 0) || ok && l.Start != c.start {
			t.Errorf("%s: %+v, %v; want a start at %d", c.reason, l, ok, c.start)
		}
	}
}

// TestParts checks the rows of a file with several exports: the file is listed
// once, with all of its rows.
func TestParts(t *testing.T) {
	f := &File{Input: Input{Path: "f", Kind: "vtune", Rows: 1, BadRows: 2}, Further: []*File{
		{Input: Input{Rows: 10, BadRows: 20}}, {Input: Input{Rows: 100, BadRows: 200}}}}
	list := f.parts()
	if len(list) != 3 || list[0].Rows != 111 || list[0].BadRows != 222 || list[2].Path != "f" || list[2].Kind != "vtune" ||
		list[0].part || !list[1].part {
		t.Errorf("the parts are %+v", list)
	}
}

// TestSummaryOfAnotherRun checks whether a summary and an export can belong to
// one run.
func TestSummaryOfAnotherRun(t *testing.T) {
	for _, c := range []struct{ reason, export, summary, want string }{
		{"the same occupancy", "task A global 64 measured 50", "task A measured 50", ""},
		{"another occupancy", "task A global 64 measured 50", "task A measured 60",
			`f2:2: the summary has task "A" at 60.0%, but f1:2 has 50.0%: these are two runs`},
		{"one of two launch sizes", "task A global 64 measured 50\ntask A global 128 measured 70", "task A measured 60", ""},
		{"another task", "task A global 64 measured 50", "task B measured 50",
			`f2:2: warning: the summary names task "B", which the export does not have: the summary may belong to another run`},
		{"a name that VTune cut off", "task A global 64 measured 50", "task B... measured 50", ""},
	} {
		export := File{Input: Input{Kind: "vtune", Traits: traits["vtune"], Path: "f1"}}
		export.Kernels, _, _ = kernels("f1", c.export)
		summary := File{Input: Input{Kind: "summary", Path: "f2"}}
		summary.Summary, _, _ = kernels("f2", c.summary)
		run, err := Join([]File{export, summary})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			for _, n := range run.Notes {
				got += n.String()
			}
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestLeastBarriers checks the number of barriers that counted messages prove.
func TestLeastBarriers(t *testing.T) {
	for _, c := range []struct {
		barriers unit.Opt[int64]
		want     int
	}{{unit.Opt[int64]{}, 0}, {unit.Some[int64](0), 0}, {unit.Some[int64](1), 1}, {unit.Some[int64](999), 1}} {
		if got := (&Kernel{Barriers: c.barriers}).LeastBarriers(); got != c.want {
			t.Errorf("%v: %d, want %d", c.barriers, got, c.want)
		}
	}
}
