package track_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

// A chapter is a sequence of similar runs.
type chapter struct {
	runs   int
	change func(r *history.Run)
}

// TestCheckScenarios compares the checks of a history's last runs, and the report
// on all runs, with a golden file. Both list the new series, the open findings
// (with their first run and the series that share them), the missing kernels,
// and the wrong clocks.
func TestCheckScenarios(t *testing.T) {
	same := func(*history.Run) {}
	of := func(k int, change func(r *history.Row)) func(*history.Run) {
		return func(r *history.Run) { change(&r.Rows[k]) }
	}
	lower := func(by float64) func(*history.Row) {
		return func(r *history.Row) {
			r.Set(history.Measured, unit.Some(r.Of(history.Measured).Or(0)-by))
		}
	}
	slower := func(times float64) func(*history.Row) {
		return func(r *history.Row) { r.Set(history.Seconds, unit.Some(r.Of(history.Seconds).Or(0)*times)) }
	}
	shaped := func(global int64, by float64) func(*history.Row) {
		return func(r *history.Row) { r.Global = unit.Size(global); lower(by)(r) }
	}
	all := func(changes ...func(*history.Run)) func(*history.Run) {
		return func(r *history.Run) {
			for _, c := range changes {
				c(r)
			}
		}
	}
	each := func(change func(*history.Row)) func(*history.Run) {
		return func(r *history.Run) {
			for k := range r.Rows {
				change(&r.Rows[k])
			}
		}
	}
	without := func(k int) func(*history.Run) {
		return func(r *history.Run) { r.Rows = append(r.Rows[:k:k], r.Rows[k+1:]...) }
	}
	host := func(name string) func(*history.Run) { return func(r *history.Run) { r.Host = name } }
	clock := func(hz float64) func(*history.Run) {
		return func(r *history.Run) { r.Frequency = unit.Some(hz) }
	}
	driver := func(name string) func(*history.Run) {
		return func(r *history.Run) { r.Driver = name; each(func(k *history.Row) { k.Driver = name })(r) }
	}
	device := func(name string) func(*history.Run) {
		return func(r *history.Run) { r.Device = name; each(func(k *history.Row) { k.Device = name })(r) }
	}
	program := func(name string) func(*history.Run) { return func(r *history.Run) { r.Program = name } }
	later := func(by time.Duration) func(*history.Run) {
		return func(r *history.Run) { r.Time = r.Time.Add(by) }
	}
	twice := func(global int64, by float64) func(*history.Run) { // adds the first kernel with another launch size
		return func(r *history.Run) {
			row := kernelRow("k0", r.Rows[0].Of(history.Measured).Or(0)-by)
			row.Global, row.Driver = unit.Size(global), r.Rows[0].Driver
			r.Rows = append(r.Rows, row)
		}
	}
	var got strings.Builder
	for _, s := range []struct {
		reason   string
		chapters []chapter
		accept   int64
	}{
		{"nothing happens", []chapter{{20, same}}, 0},
		{"a kernel falls for good", []chapter{{20, same}, {4, of(0, lower(10))}}, 0},
		{"once", []chapter{{20, same}, {1, of(0, lower(10))}, {3, same}}, 0},
		{"and somebody accepts that", []chapter{{20, same}, {6, of(0, lower(10))}}, 23},
		{"it falls in the second run", []chapter{{1, same}, {20, of(0, lower(30))}}, 0},
		{"a little every run", []chapter{{20, same}, {3, of(0, lower(1))}, {3, of(0, lower(2))}, {3, of(0, lower(3))}}, 0},
		{"all fall with a lower clock", []chapter{{20, clock(1.5e9)}, {3, all(clock(1.4e9), each(lower(10)))}}, 0},
		{"all fall on another host", []chapter{{20, host("a")}, {3, all(host("b"), each(lower(10)))}}, 0},
		{"all go on elsewhere with another driver", []chapter{{20, driver("1")}, {3, all(driver("2"), each(lower(10)))}}, 0},
		{"on another device", []chapter{{20, device("A")}, {3, device("B")}}, 0},
		{"another driver and another shape", []chapter{{20, driver("1")}, {3, all(driver("2"), of(0, shaped(8192, 25)))}}, 0},
		{"another shape, far lower", []chapter{{20, same}, {3, of(0, shaped(8192, 25))}}, 0},
		{"another shape, as high", []chapter{{20, same}, {12, of(0, shaped(8192, 0))}}, 0},
		{"of two shapes the nearer one is gone on from", []chapter{{20, twice(65536, 5)}, {3, all(of(0, shaped(8192, 0)), twice(131072, 5))}}, 0},
		{"a second shape next to the first", []chapter{{12, same}, {10, twice(65536, 5)}}, 0},
		{"a shape that was there before comes back", []chapter{{10, same}, {10, of(0, shaped(8192, 0))}, {4, same}}, 0},
		{"a kernel is missing", []chapter{{20, same}, {3, without(1)}}, 0},
		{"and is there again", []chapter{{20, same}, {3, without(1)}, {2, same}}, 0},
		{"one that few runs had stops", []chapter{{4, same}, {40, without(1)}}, 0},
		{"its counters are not its own", []chapter{{20, same}, {3, of(0, func(r *history.Row) { r.Verdict = "unmeasurable"; lower(30)(r) })}}, 0},
		{"nor were they before", []chapter{{10, of(0, func(r *history.Row) { r.Verdict = "unmeasurable" })}, {15, same}, {2, of(0, lower(10))}}, 0},
		{"runs name their program from some run on", []chapter{{10, same}, {12, program("p")}, {2, all(program("p"), of(0, lower(10)))}}, 0},
		{"another program of the same kernels", []chapter{{20, program("p")}, {3, all(program("q"), each(lower(10)))}}, 0},
		{"a kernel takes longer", []chapter{{20, same}, {3, of(0, slower(1.5))}}, 0},
		{"lower, and in half of the time", []chapter{{20, same}, {4, of(0, func(r *history.Row) { lower(10)(r); slower(.5)(r) })}}, 0},
		{"lower, and in 0.92 of it", []chapter{{20, same}, {4, of(0, func(r *history.Row) { lower(10)(r); slower(.92)(r) })}}, 0},
		{"runs of a week ago are added late", []chapter{{20, same}, {2, later(-5 * time.Hour)}}, 0},
		{"a run is dated a year ahead", []chapter{{20, same}, {1, later(9000 * time.Hour)}, {1, same}}, 0},
		{"another driver's runs are dated later, which is no error", []chapter{{20, all(driver("1"), later(100*time.Hour))}, {12, driver("2")}}, 0},
	} {
		db, err := history.Open(bg, filepath.Join(t.TempDir(), "h.db"), history.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range s.chapters {
			for range c.runs {
				run := history.Run{Device: "A", Driver: "1", Host: "h", Time: time.Date(2026, 1, 1, n, 0, 0, 0, time.UTC), Commit: fmt.Sprint("c", n),
					Inputs: []history.Input{{Path: fmt.Sprintf("%d.csv", n), Digest: fmt.Sprint(n), Contains: true}}}
				for k := range 3 {
					row := kernelRow(fmt.Sprint("k", k), 60+float64(k)+0.1*float64((n+k)%4))
					row.Driver = "1"
					row.Set(history.Total, unit.Some(1+float64(k)))
					run.Rows = append(run.Rows, row)
				}
				c.change(&run)
				if _, err := db.Add(bg, run); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
		if s.accept > 0 {
			if _, err := db.Accept(bg, history.Accept{Run: s.accept, Time: now}, nil); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&got, "# %s\n", s.reason)
		for run := max(1, n-3); run <= n; run++ {
			for _, name := range []string{"measured", "seconds"} {
				c := check(t, db, run, metric(t, name, 0))
				fmt.Fprintf(&got, "%s of run %d: %d not measured, clock %v %v %v\n", name, run, c.NotMeasured, refs(c.Clock.Future...), ref(c.Clock.Earlier), ref(c.Clock.Before))
				if len(c.Changed) > 0 {
					fmt.Fprintf(&got, "  changed %v, by %.4g\n", c.Changed, c.Shift.Or(0))
				}
				judgment(&got, &c.Judgment)
			}
		}
		r, err := track.ReadReport(bg, db, metric(t, "measured", 0), trend.DefaultParams(), now)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "report: clock %v\n", refs(r.Clock.Future...))
		judgment(&got, &r.Judgment)
		db.Close()
	}
	testenv.Golden(t, "testdata/checks.txt", []byte(got.String()))
}

func ref(r *track.Ref) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprint(r.Run)
}

func refs(list ...track.Ref) (runs []int64) {
	for _, r := range list {
		runs = append(runs, r.Run)
	}
	return runs
}

// judgment prints the series that have something to report, and their shared
// findings.
func judgment(b *strings.Builder, j *track.Judgment) {
	for _, s := range j.Series {
		g := &s.Gate
		fmt.Fprintf(b, "  %s %v %s %s: %s, %d points, %d left out, median %.4g, n %d, in a row %d", s.Key.Task, s.Key.Global, s.Key.Device, s.Key.Driver, s.Outcome(),
			len(s.Points), len(s.LeftOut), g.Median.Or(0), g.N, g.Consecutive)
		for _, mark := range []struct {
			what string
			is   bool
		}{{"ended", s.Ended}, {"absent", s.Absent}, {"unmeasurable", s.Unmeasurable}, {"by adding", s.ByAdding}} {
			if mark.is {
				fmt.Fprintf(b, ", %s", mark.what)
			}
		}
		if s.FirstBad != nil || s.LastGood != nil {
			fmt.Fprintf(b, ", bad %s after %s", ref(s.FirstBad), ref(s.LastGood))
		}
		if s.Restart != nil {
			fmt.Fprintf(b, ", begins by %v", *s.Restart)
		}
		for _, o := range s.Found {
			fmt.Fprintf(b, ", change at %d from %.4g to %.4g", o.Index, o.MeanBefore, o.MeanAfter)
		}
		b.WriteByte('\n')
	}
	for _, s := range j.Shared {
		fmt.Fprintf(b, "  shared by %d of %d on %s: %d after %d by %.4g, %v\n", len(s.Series), s.Of, s.Device, s.First.Run, s.Before.Run, s.Median, s.Changed)
	}
	for _, g := range j.MissingKernels {
		fmt.Fprintf(b, "  gone: %s %v after %d, %.4g, matters %v\n", g.Key.Task, g.Key.Global, g.Last.Run, float64(g.Share.Or(-1)), g.IsSignificant())
	}
}
