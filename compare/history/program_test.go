package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// seriesList returns every series of measured occupancy, as "program:number of
// points".
func seriesList(t *testing.T, d *DB) string {
	t.Helper()
	var list []string
	p, err := d.Panel(bg, 0, 0, Measured)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Kernels {
		list = append(list, fmt.Sprintf("%s:%d", p.Kernels[i].Key.Program, len(p.Kernels[i].Points(Measured))))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestPrograms checks the series of a kernel with one name, through runs of
// several programs and runs without a program.
func TestPrograms(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		for i, c := range []struct {
			reason, program, want string
			unclear               []string
		}{
			{"a run without a program", "", ":1", nil},
			{"the first program adopts the series without a program", "cl_gemm", "cl_gemm:2", nil},
			{"a run without a program joins the only known program", "", "cl_gemm:3", nil},
			{"another program is another series", "ze_gemm", "cl_gemm:3 ze_gemm:1", nil},
			{"and goes on", "ze_gemm", "cl_gemm:3 ze_gemm:2", nil},
			{"the run may belong to two programs", "", ":1 cl_gemm:3 ze_gemm:2", []string{"cl_gemm", "ze_gemm"}},
			{"a third program does not adopt an ambiguous series", "c", ":1 c:1 cl_gemm:3 ze_gemm:2", nil},
		} {
			run := sample(i, 1)
			run.Program = c.program
			added, err := d.Add(bg, run)
			if err != nil || !added.Stored || !slices.Equal(added.Programs, c.unclear) {
				t.Fatalf("%s: Add = %+v, %v; want the programs %v", c.reason, added, err, c.unclear)
			}
			if got := seriesList(t, d); got != c.want {
				t.Errorf("%s: the series are %s, want %s", c.reason, got, c.want)
			}
			if got, err := d.Get(bg, added.ID); err != nil || got.Program != c.program {
				t.Errorf("%s: the run is stored with the program %q, %v", c.reason, got.Program, err)
			}
		}
		whole(t, d)
	})
}

// TestProgramOfRun checks that all kernels in a run belong to the same program,
// including kernels that only this run has.
func TestProgramOfRun(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		named := sample(0, 1)
		named.Program = "a"
		add(t, d, named)
		add(t, d, sample(1, 2))
		if got := seriesList(t, d); got != "a:1 a:2" {
			t.Errorf("the series are %s, want both of program a", got)
		}
	})
}
