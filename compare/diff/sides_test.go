package diff

import (
	"testing"

	"occudiff/compare"
)

func TestCompareSides(t *testing.T) {
	size, local := []int64{4096}, []int64{256}
	run := func(rows ...k) Side {
		for i := range rows {
			rows[i].global, rows[i].local, rows[i].simd, rows[i].predicted = size, local, 32, 100
			rows[i].idle, rows[i].seconds = 1, 0.01
		}
		return Side{Name: rows[0].task, Runs: []*compare.Result{diffRun(rows...)}}
	}
	s := CompareSides(run(k{task: "a", measured: 90}, k{task: "b", measured: 80}),
		[]Side{run(k{task: "a", measured: 90}, k{task: "b", measured: 80}),
			run(k{task: "b", measured: 60}, k{task: "new", measured: 50})}, DefaultOptions())
	want := []struct {
		task  string
		worst Verdict
		rows  [2]Verdict
	}{
		{"a", OnlyOld, [2]Verdict{CannotTell, OnlyOld}}, // half of the time is missing on one side
		{"new", OnlyNew, [2]Verdict{"", OnlyNew}},
		{"b", Regression, [2]Verdict{CannotTell, Regression}},
	}
	if len(s.Kernels) != len(want) {
		t.Fatalf("%d kernels, want %d", len(s.Kernels), len(want))
	}
	for i, w := range want {
		kernel := &s.Kernels[i]
		worst := kernel.Worst()
		if worst.Task != w.task || worst.Verdict != w.worst {
			t.Errorf("%d: %s %s, want %s %s", i, worst.Task, worst.Verdict, w.task, w.worst)
		}
		for side, r := range kernel.Rows {
			if got := w.rows[side]; r == nil && got != "" || r != nil && r.Verdict != got {
				t.Errorf("%s on side %d: %v, want %q", w.task, side, r, got)
			}
		}
		if known := kernel.First() != nil; known != (w.task != "new") {
			t.Errorf("%s: the first side has it: %v", w.task, known)
		}
	}
}
