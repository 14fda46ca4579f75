package history

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// seriesList is every series of measured occupancy as program:number of points.
func seriesList(t *testing.T, d *DB) string {
	t.Helper()
	var list []string
	err := d.EachSeries(bg, Measured, func(s Series) error {
		list = append(list, fmt.Sprintf("%s:%d", s.Key.Program, len(s.Points)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestPrograms follows a kernel of one name through runs of several programs and of none.
func TestPrograms(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		for i, c := range []struct {
			reason, program, want string
			unclear               []string
		}{
			{"a run that does not say", "", ":1", nil},
			{"the first program takes over what named none", "cl_gemm", "cl_gemm:2", nil},
			{"a run that does not say joins the only known program", "", "cl_gemm:3", nil},
			{"another program is another series", "ze_gemm", "cl_gemm:3 ze_gemm:1", nil},
			{"and goes on", "ze_gemm", "cl_gemm:3 ze_gemm:2", nil},
			{"nobody can tell which of two it is of", "", ":1 cl_gemm:3 ze_gemm:2", []string{"cl_gemm", "ze_gemm"}},
			{"what nobody could tell is not taken over", "c", ":1 c:1 cl_gemm:3 ze_gemm:2", nil},
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

// TestProgramOfRun: the kernels of a run are of one program, those that only this run has included.
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

// TestMigration opens a history that an earlier release made: everything is there, and what it did not know is absent.
func TestMigration(t *testing.T) {
	for _, version := range []int{1, 4} { // the first, and the last whose digests are of files alone
		t.Run(fmt.Sprint(version), func(t *testing.T) { testMigration(t, version) })
	}
}

func testMigration(t *testing.T, version int) {
	onBoth(t, func(t *testing.T, dsn string) {
		old := open(t, dsn)
		if _, err := old.sql.Exec(`DROP TABLE occudiff_kernel; DROP TABLE occudiff_series; DROP TABLE occudiff_content;
			DROP TABLE occudiff_input; DROP TABLE occudiff_run; DROP TABLE occudiff_accept; DROP TABLE occudiff_rename; UPDATE occudiff_meta SET value = 0`); err != nil {
			t.Fatal(err)
		}
		if err := old.migrate(bg, migrations()[:version], false); err != nil {
			t.Fatal(err)
		}
		want := sample(0, 3)
		for i := range want.Rows {
			want.Rows[i].Spill = unit.Opt[float64]{}
			r := &want.Rows[i]
			r.Underfilled, r.Empty, r.Shortfall = unit.Opt[unit.Points]{}, unit.Opt[unit.Points]{}, unit.Opt[unit.Points]{}
		}
		want.Rows[2].Task = "main::{lambda(int)#1}"
		storeOld(t, old, 1, want)
		if version > 1 {
			if _, err := old.sql.Exec(`UPDATE occudiff_series SET kernel_identity = identity`); err != nil {
				t.Fatal(err)
			}
		}
		d := open(t, dsn)
		got, err := d.Get(bg, 1)
		if err != nil {
			t.Fatal(err)
		}
		want.ID, want.Kernels = 1, 3
		for i := range want.Rows {
			want.Rows[i].Device, want.Rows[i].Driver = want.Device, want.Driver
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Get = %+v\nwant  %+v", got, want)
		}
		if got.Program != "" || got.Frequency.Present() {
			t.Errorf("the old run has the program %q and the frequency %v; it did not say", got.Program, got.Frequency)
		}
		// The same content is known, and what comes later goes on from it.
		if added, err := d.Add(bg, sample(0, 3)); err != nil || added.Stored || added.ID != 1 {
			t.Errorf("the same run again: %+v, %v", added, err)
		}
		reverted := sample(0, 3)
		reverted.Commit = "another"
		if added, err := d.Add(bg, reverted); err != nil || !added.Stored || d.Remove(bg, added.ID) != nil {
			t.Errorf("the same content of another commit: %+v, %v; want another run", added, err)
		}
		next := sample(1, 3)
		next.Rows[2].Task = "main::{lambda(int)#2}"
		next.Program, next.Frequency = "gemm", unit.Some(1.55e9)
		id := add(t, d, next)
		if got := seriesList(t, d); got != "gemm:2 gemm:2 gemm:2" {
			t.Errorf("the series are %s, want three of two points", got)
		}
		if got, err := d.Get(bg, id); err != nil || got.Program != "gemm" || got.Frequency != next.Frequency {
			t.Errorf("the new run came back with %q, %v, %v", got.Program, got.Frequency, err)
		}
		whole(t, d)
	})
}

// storeOld stores a run by the statements of the first release.
func storeOld(t *testing.T, d *DB, id int64, run Run) {
	t.Helper()
	run, err := clean(run)
	if err != nil {
		t.Fatal(err)
	}
	err = d.write(bg, "storing", func(tx *sql.Tx) error {
		put := func(table string, values ...any) {
			if err == nil {
				err = d.insert(context.Background(), tx, table, [][]any{values}, "")
			}
		}
		at := run.Time.UnixMicro()
		put("occudiff_run (id, time, label, host, job, device, driver, vtune, commit_id, kernels)", id, at, run.Label, run.Host,
			run.JobID, run.Device, run.Driver, run.VTune, run.Commit, len(run.Rows))
		for i, in := range run.Inputs {
			carries := map[bool]int{true: 1}[in.Carries]
			put("occudiff_input", id, i, in.Path, in.Kind, in.Digest, in.Rows, in.BadRows, carries)
		}
		for _, in := range carrying(run) { // of its bytes, and of its text
			put("occudiff_content", in.Digest, id)
			put("occudiff_content", "text of "+in.Digest, id)
		}
		for i := range run.Rows {
			r := &run.Rows[i]
			put("occudiff_series (id, identity, task_identity, task, global_size, local_size, simd, direction, device, driver)",
				i+1, r.identity(), r.taskIdentity(), r.Task, r.Global.String(), r.Local.String(), r.SIMD, r.Direction, r.Device,
				r.Driver)
			put(`occudiff_kernel (series_id, time, run_id, measured, residual, loaded, average_seconds, total_seconds, instances,
				predicted_peak, predicted_average, profiler_peak, model_residual, verdict, basis, cause, confidence, position)`,
				i+1, at, id, absent(r.Measured), absent(r.Residual), absent(r.Loaded), absent(r.Average), absent(r.Total),
				orNil(r.Instances), absent(r.PredictedPeak), absent(r.PredictedAverage), absent(r.ProfilerPeak),
				absent(r.ModelResidual), r.Verdict, r.Basis, r.Cause, r.Confidence, i)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.engine.dollar { // its counters do not know of numbers that were given
		for _, table := range []string{"occudiff_run", "occudiff_series"} {
			text := `SELECT setval(pg_get_serial_sequence('` + table + `', 'id'), (SELECT MAX(id) FROM ` + table + `))`
			if _, err := d.sql.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
	}
}
