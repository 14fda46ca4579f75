package history

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// large returns the size of the benchmarks' history. The default is a million
// rows. With OCCUDIFF_HISTORY_ROWS=small, it has 10% as many runs.
func large() (series, runs int) {
	if os.Getenv("OCCUDIFF_HISTORY_ROWS") == "small" {
		return 1000, 100
	}
	return 1000, 1000
}

// fill creates the rows with SQL statements inside the database, because a
// thousand separate adds would take long and are not measured.
func fill(b *testing.B, dsn string) *DB {
	b.Helper()
	d := open(b, dsn)
	series, runs := large()
	add(b, d, sample(0, series))
	span := func(n int) string { // the numbers 1 to n-1, in both dialects
		return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, n-1)
	}
	hour := time.Hour.Microseconds()
	// The statements insert the rows in the same order as in a history that
	// grew run by run.
	for _, statement := range []string{
		span(runs) + fmt.Sprintf(` INSERT INTO occudiff_run (time, label, host, job, device, driver, vtune, commit_id, kernels, branch, program)
			SELECT r.time + i * %d, 'filled', r.host, r.job, r.device, r.driver, r.vtune, r.commit_id, r.kernels, r.branch, r.program FROM n CROSS JOIN occudiff_run r ORDER BY i`, hour),
		`INSERT INTO occudiff_kernel (series_id, time, run_id, measured, residual, busy, seconds, total, peak, verdict, cause, position)
			SELECT k.series_id, r.time, r.id, k.measured + (r.id * 7919 + k.series_id * 104729) % 1000 / 1000.0, k.residual, k.busy,
			k.seconds, k.total, k.peak, k.verdict, k.cause, k.position
			FROM occudiff_run r CROSS JOIN occudiff_kernel k WHERE r.id > 1 AND k.run_id = 1`,
	} {
		if _, err := d.sql.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	if d.engine.server {
		if _, err := d.sql.Exec("ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
	if n := count(b, d, "occudiff_kernel"); n != series*runs {
		b.Fatalf("%d rows, want %d", n, series*runs)
	}
	return d
}

// BenchmarkLoad measures operations on a large history: adding a run with 1,000
// kernels (goal: less than 0.5 s), reading the series that the gate needs for
// the newest run (less than 1 s including the gate), and reading every series
// for a report (less than 10 s including change points). All need less than 300
// MB.
func BenchmarkLoad(b *testing.B) {
	engines := map[string]func() string{
		"SQLite":     func() string { return filepath.Join(b.TempDir(), "history.db") },
		"PostgreSQL": func() string { return server.Fresh(b) },
	}
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		b.Run(name, func(b *testing.B) {
			d := fill(b, engines[name]())
			series, runs := large()
			next, newest := runs+1, int64(runs)
			b.Run("add", func(b *testing.B) {
				for b.Loop() {
					newest = add(b, d, sample(next, series))
					next++
				}
				peak(b)
			})
			b.Run("check", func(b *testing.B) {
				for b.Loop() {
					p, err := d.Panel(bg, newest, 400, append(Parts(), Measured, Total)...)
					if err != nil || len(p.Kernels) != series {
						b.Fatalf("%d series, %v", len(p.Kernels), err)
					}
				}
				peak(b)
			})
			b.Run("report", func(b *testing.B) {
				for b.Loop() {
					p, err := d.Panel(bg, 0, 0, Measured)
					if err != nil || len(p.Kernels) != series || len(p.Kernels[0].In) < runs {
						b.Fatalf("%d kernels, %v", len(p.Kernels), err)
					}
				}
				peak(b)
			})
		})
	}
}

// peak reports the process's peak memory, if the system provides it.
func peak(b *testing.B) {
	if runtime.GOOS != "linux" {
		return
	}
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if kb, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
				b.ReportMetric(float64(kb)/1024, "peak-MB")
			}
		}
	}
}
