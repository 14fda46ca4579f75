package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPartialExports joins exports of one run in several passes, some without
// the launch columns.
func TestPartialExports(t *testing.T) {
	const hint = " (export both with the columns Work Size:Global, Work Size:Local and SIMD Width)"
	for _, c := range []struct {
		reason string
		files  []string
		want   []string
	}{
		{"only the first pass has the launch columns",
			[]string{"vtune\ntask A global 64 local 8 simd 16 n 2 t 1\ntask clEnqueueReadBuffer n 5 t 3", "vtune\ntask A measured 50 idle 10\ntask clEnqueueReadBuffer measured 5"},
			[]string{"task A global 64 local 8 simd 16 n 2 t 1 measured 50 idle 10", "task clEnqueueReadBuffer n 5 t 3 measured 5"}},
		{"only the second pass has them: nothing is counted twice",
			[]string{"vtune\ntask A t 1 measured 50\ntask B t 7", "vtune\ntask A global 64 local 8 simd 16 n 2 t 1\ntask B global 1 local 1 simd 16 t 7"},
			[]string{"task A global 64 local 8 simd 16 n 2 t 1 measured 50", "task B global 1 local 1 simd 16 t 7"}},
		{"several launch sizes of a name cannot be distinguished",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\ntask A global 32 local 8 simd 16 t 2\ntask B global 1 local 1 simd 16", "vtune\ntask A t 3 measured 50\ntask B measured 7"},
			[]string{"task A global 64 local 8 simd 16 t 1", "task A global 32 local 8 simd 16 t 2", "task B global 1 local 1 simd 16 measured 7",
				`f2: warning: task "A" has several launch sizes or SIMD widths in another export, but this one lacks the columns that distinguish them: its values are not used` + hint}},
		{"the SIMD width may distinguish them",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\ntask A global 64 local 8 simd 32 t 2", "vtune\ntask A simd 32 t 2 measured 50\ntask A simd 16 t 1 measured 40"},
			[]string{"task A global 64 local 8 simd 16 t 1 measured 40", "task A global 64 local 8 simd 32 t 2 measured 50"}},
		{"each pass lacks other columns",
			[]string{"vtune\ntask A global 64 local 8 t 1", "vtune\ntask A simd 32 measured 50"},
			[]string{"task A global 64 local 8 simd 32 t 1 measured 50"}},
		{"the first pass lacks only the SIMD width",
			[]string{"vtune\ntask A global 64 local 8 t 1", "vtune\ntask A global 64 local 8 simd 32 measured 50"},
			[]string{"task A global 64 local 8 simd 32 t 1 measured 50"}},
		{"the first pass lacks only the work-group size",
			[]string{"vtune\ntask A global 64 simd 32 t 1", "vtune\ntask A global 64 local 8 simd 32 measured 50"},
			[]string{"task A global 64 local 8 simd 32 t 1 measured 50"}},
		{"three passes",
			[]string{"vtune\ntask A measured 50", "vtune\ntask A global 64 local 8 simd 16 t 1", "vtune\ntask A idle 10"},
			[]string{"task A global 64 local 8 simd 16 t 1 measured 50 idle 10"}},
		{"a task that only one pass has is a separate row",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1", "vtune\ntask A measured 50\ntask B measured 7"},
			[]string{"task A global 64 local 8 simd 16 t 1 measured 50", "task B measured 7"}},
		{"different measured values are two runs",
			[]string{"vtune\ntask A global 64 local 8 simd 16 measured 50", "vtune\ntask A measured 51"},
			[]string{`error: f2:2: task "A" was measured at 51.0% here and at 50.0% in f1:2: these are two runs (give one export per run; to compare two runs, use 'occudiff diff OLD NEW'; to report several runs, give one folder per run)`}},
		{"passes that lack the same columns are joined by the others, and the first file has priority",
			[]string{"vtune\ntask A t 1 peak 40", "vtune\ntask A peak 50 idle 10"},
			[]string{"task A t 1 peak 40 idle 10",
				`f2:2: warning: task "A": peak occupancy differs from the value at f1:2; the first file's value is used (give the exports of one run only)`}},
		{"a total that the other pass computes from a rounded average is the same",
			[]string{"vtune\ntask A global 64 t 0.267795", "vtune\ntask A global 64 n 128 t 0.267776"},
			[]string{"task A global 64 n 128 t 0.267795"}},
		{"a larger difference means other launches",
			[]string{"vtune\ntask A global 64 t 0.267795", "vtune\ntask A global 64 n 128 t 0.256"},
			[]string{"task A global 64 n 128 t 0.267795 mean 0.002 uneven 1",
				`f2:2: warning: task "A": total time differs from the value at f1:2; the first file's value is used (give the exports of one run only)`}},
		{"one export and a trace keep their order",
			[]string{"vtune\ntask A t 1 measured 50", "unitrace\ntask A n 3 t 2"},
			[]string{"task A n 3 t 1 measured 50"}},
		{"a binary determines work-group size and SIMD width of a kernel without a launch size if all with its name agree",
			[]string{"trace\ntask A n 3 t 2\ntask B n 1 t 1", "zebin\nprops A local 8 simd 16 slm 512\nprops B local 8 simd 16 slm 1\nprops B local 16 simd 16 slm 1"},
			[]string{"task A local 8 simd 16 n 3 t 2 slm 512", "task B simd 16 n 1 t 1 slm 1"}},
		{"the work-group size in a tracer's properties belongs only to that launch",
			[]string{"trace\ntask A n 3 t 2", "unitrace\nprops A global 64 local 8 simd 16 slm 512"},
			[]string{"task A simd 16 n 3 t 2 slm 512"}},
		{"a trace without launch sizes is joined with the export's kernels, in any order",
			[]string{"trace\ntask A n 3 t 2 measured 51 idle 7 around 1\ntask B t 9", "vtune\ntask A global 64 local 8 simd 16 n 3 t 2 measured 50"},
			[]string{"task A global 64 local 8 simd 16 n 3 t 2 measured 51 idle 7 around 1", "task B t 9",
				"f2: occupancy and the state of the XVEs come from f1, which read the counters around each launch, " +
					"and not from the samples in this file"}},
		{"values read around each launch are kept when samples follow, and nothing is filled from the samples",
			[]string{"unitrace\ntask A global 64 local 8 simd 16 n 3 t 2 measured 51 around 1", "vtune\ntask A global 64 local 8 simd 16 n 3 t 2 measured 50 idle 20 peak 100"},
			[]string{"task A global 64 local 8 simd 16 n 3 t 2 measured 51 peak 100 around 1",
				"f2: occupancy and the state of the XVEs come from f1, which read the counters around each launch, " +
					"and not from the samples in this file"}},
		{"launches that match two launch sizes are not counted twice",
			[]string{"vtune\ntask A global 64 local 8 simd 16 t 1\ntask A global 32 local 8 simd 16 t 2", "trace\ntask A n 3 t 3 measured 51 around 1"},
			[]string{"task A global 64 local 8 simd 16 t 1", "task A global 32 local 8 simd 16 t 2",
				`f2: warning: task "A" has several launch sizes or SIMD widths in another export, but this one lacks the columns that distinguish them: its values are not used` + hint}},
		{"the properties of a tracer reach the launch",
			[]string{"vtune\ntask A measured 50", "unitrace\nprops A global 64 local 8 simd 16 slm 512", "vtune\ntask A global 64 local 8 simd 16 t 1"},
			[]string{"task A global 64 local 8 simd 16 t 1 measured 50 slm 512"}},
	} {
		if d := cmp.Diff(c.want, join(c.files)); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}
