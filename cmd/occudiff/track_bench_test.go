package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// trackLoad is the size of the history for the numbers below: 1,000 series with
// 1,000 runs.
const trackLoad = 1000

// BenchmarkTrack measures the commands on a history with a million rows. The
// targets are 15 s to import all of it, 0.5 s to add a run with 1,000 kernels,
// 1 s for check, and 10 s for report. On a shared machine with two cores, add,
// check, and report took 0.10, 0.14, and 1.4 s, with at most 112 MB.
func BenchmarkTrack(b *testing.B) {
	if testing.Short() {
		b.Skip("a million rows take too long for -short")
	}
	points := filepath.Join(b.TempDir(), "points.csv")
	writePoints(b, points)
	db := filepath.Join(b.TempDir(), "load.db")
	benchTrack(b, "track", "import", "--db", db, points)
	b.Run("import", func(b *testing.B) {
		for b.Loop() {
			benchTrack(b, "track", "import", "--db", filepath.Join(b.TempDir(), "new.db"), points)
		}
	})
	b.Run("add", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			export := writeExport(b, "kernel", trackLoad, i)
			b.StartTimer()
			benchTrack(b, "track", "add", "--db", db, "--device", "mtl-112", "--driver", "24.1", "--time", fmt.Sprint(1700000000+3600*trackLoad+i), export)
		}
	})
	b.Run("check", func(b *testing.B) {
		for range b.N {
			benchTrack(b, "track", "check", "--db", db)
		}
	})
	b.Run("report", func(b *testing.B) {
		for range b.N {
			benchTrack(b, "track", "report", "--db", db)
		}
	})
}

// BenchmarkTrackServer measures a check of 200 series in a history on a server.
// The environment variable POINTS is the number of points in the history (a
// million by default). The history contains the runs of ten programs, which
// alternate. The target is 1 s for 10 million points.
func BenchmarkTrackServer(b *testing.B) {
	url := server.Fresh(b)
	points, _ := strconv.Atoi(cmp.Or(os.Getenv("POINTS"), "1000000"))
	add := func(program, at int) {
		export := writeExport(b, fmt.Sprintf("k%d", program), 200, at)
		benchTrack(b, "track", "add", "--db", url, "--device", "mtl-112", "--driver", "24.1", "--program", fmt.Sprint("p", program), "--time", fmt.Sprint(at), export)
	}
	for program := range 10 {
		add(program, 1500000000)
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`ALTER TABLE occudiff_kernel DROP CONSTRAINT occudiff_kernel_pkey`, `DROP INDEX occudiff_kernel_run`,
		`INSERT INTO occudiff_run (time, label, host, job, device, driver, vtune, commit_id, branch, kernels, program)
			SELECT 1500000000000000 + r::bigint * 60000000, '', '', '', 'mtl-112', '24.1', '', md5(r::text), '', 200, 'p' || r % 10 FROM generate_series(1, $1 / 200) r`,
		`INSERT INTO occudiff_content (digest, run_id) SELECT md5(r::text), 10 + r FROM generate_series(1, $1 / 200) r`,
		`INSERT INTO occudiff_kernel (series_id, time, run_id, measured, busy, seconds, verdict, cause, position)
			SELECT s, 1500000000000000 + r::bigint * 60000000, 10 + r, 20 + s % 70 + (s * 31 + r * 17) % 13 / 10.0,
			22 + s % 70 + (s * 31 + r * 17) % 13 / 10.0, 0.01, 'below', 'imbalance', s % 200
			FROM generate_series(1, $1 / 200) r, LATERAL generate_series(r % 10 * 200 + 1, r % 10 * 200 + 200) s`,
		`ALTER TABLE occudiff_kernel ADD PRIMARY KEY (series_id, time, run_id)`,
		`CREATE INDEX occudiff_kernel_run ON occudiff_kernel (run_id, time)`, `VACUUM ANALYZE`,
	} {
		var args []any
		if strings.Contains(statement, "$1") {
			args = []any{points}
		}
		if _, err := db.Exec(statement, args...); err != nil {
			b.Fatal(err)
		}
	}
	add(0, 1600000000)
	for b.Loop() {
		benchTrack(b, "track", "check", "--db", url)
	}
}

func benchTrack(b *testing.B, args ...string) {
	b.Helper()
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, args); status != exitDone || out.Len() == 0 {
		b.Fatalf("occudiff %s: exit %d\n%s", strings.Join(args, " "), status, errs.String())
	}
}

// loadValue returns the occupancy of a kernel in a run: a level with a little
// noise that is the same every time.
func loadValue(kernel, run int) float64 {
	return 20 + float64(kernel%70) + float64((kernel*31+run*17)%13)/10
}

func loadValues(kernel, run int) (v history.Values) {
	v.Set(history.Measured, unit.Some(loadValue(kernel, run)))
	return v
}

// writePoints writes a file for `track import` with the points of all series
// and runs.
func writePoints(b *testing.B, path string) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := history.NewRecordWriter(f)
	for run := range trackLoad {
		at := time.Unix(1700000000+int64(run)*3600, 0)
		for k := range trackLoad {
			err := w.Write(history.Record{Series: fmt.Sprintf("kernel_%d [1048576 / 256, SIMD32]", k), Time: at, Values: loadValues(k, run), Device: "mtl-112",
				Driver: "24.1"})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}

// writeExport writes an export with n kernels, whose names begin with a prefix.
func writeExport(b *testing.B, prefix string, n, run int) string {
	b.Helper()
	var text strings.Builder
	text.WriteString("Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width," +
		"XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%)\n")
	for k := range n {
		fmt.Fprintf(&text, prefix+"_%d,1048576,256,2.%06d,200,32,44.5,54.3,1.2,100.0,%.1f\n", k, run, loadValue(k, trackLoad+run))
	}
	path := filepath.Join(b.TempDir(), "run.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	return path
}
