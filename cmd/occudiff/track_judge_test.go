package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/report/trackdoc"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// measuredRow is a kernel with its measured occupancy in percent and a time per launch.
func measuredRow(value float64, verdict string) history.Row {
	return history.Row{Key: history.Key{Task: "k", Global: unit.Size(4096), Local: unit.Size(256), SIMD: 32}, Measured: unit.Some(unit.FromPercent(value)),
		Average: unit.Some(unit.Seconds(value / 1000)), Verdict: verdict}
}

// storeRuns stores runs, an hour apart, and gives the history's name. Their numbers are 1, 2, 3 ...
func storeRuns(t *testing.T, runs ...history.Run) string {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "h.db")
	db, err := history.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, run := range runs {
		run.Time = time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		run.Inputs = []history.Input{{Path: fmt.Sprintf("%d.csv", i), Digest: fmt.Sprint(i), Carries: true}}
		if added, err := db.Add(context.Background(), run); err != nil || added.ID != int64(i+1) {
			t.Fatalf("run %d is stored as %+v, %v", i+1, added, err)
		}
	}
	return dsn
}

// inJSON runs a command and reads its JSON.
func inJSON[T any](t *testing.T, want int, args ...string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(inTrack(t, want, append(args, "--format", "json")...)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// checkRun gives the first series of a check and fails the test when the exit status is not that of the verdict.
func checkRun(t *testing.T, dsn string, run int, flags ...string) trackdoc.TrackCheckSeries {
	t.Helper()
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	status := a.run(context.Background(), append([]string{"track", "check", "--db", dsn, "--run", fmt.Sprint(run), "--format", "json"}, flags...))
	var v trackdoc.TrackCheckOutput
	if err := json.Unmarshal([]byte(out.String()), &v); err != nil {
		t.Fatalf("run %d: exit %d, %s: %v", run, status, errs.String(), err)
	}
	if (status == exitGate) != (v.Verdict == "regression") {
		t.Errorf("run %d: exit %d with the verdict %s", run, status, v.Verdict)
	}
	return v.Series[0]
}

// TestUnmeasurableIsNotJudged stores runs whose counter is not the kernel's between others.
func TestUnmeasurableIsNotJudged(t *testing.T) {
	row := func(value float64, short bool) history.Run {
		verdict := "match"
		if short {
			verdict = "unmeasurable"
		}
		return history.Run{Rows: []history.Row{measuredRow(value, verdict)}}
	}
	var steady, short []history.Run
	for i := range 10 {
		steady = append(steady, row(97+0.1*float64(i%3), false))
		short = append(short, row(99, true))
	}
	cases := []struct {
		reason string
		runs   []history.Run
		flags  []string
		want   string // verdict, n, in a row, left out
	}{
		{"a low run that is not the kernel's does not confirm the next one", append(slices.Clone(steady), row(40, true), row(90, false)), nil, "alarm 10 1 1"},
		{"nor does it part two that confirm each other", append(slices.Clone(steady), row(90, false), row(40, true), row(90, false)), nil, "regression 11 2 1"},
		{"they are no baseline", append(slices.Clone(short), row(60, false), row(60, false)), nil, "learning 1 0 10"},
		{"the newest is shown, with the figures of the judged ones", append(slices.Clone(steady), row(40, true), row(50, true)), nil, "unmeasurable 10 0 1"},
		{"outside of the window nobody needs them", append(append(slices.Clone(short), steady...), steady...), []string{"--window", "10"}, "ok 10 0 0"},
		{"time is no sampled counter: all are judged", append(slices.Clone(short), row(110, true), row(110, true)), []string{"--metric", "seconds"}, "regression 11 2 0"},
	}
	for _, c := range cases {
		dsn := storeRuns(t, c.runs...)
		s := checkRun(t, dsn, len(c.runs), c.flags...)
		if got := fmt.Sprintf("%s %d %d %d", s.Gate.Verdict, s.Gate.N, s.Gate.InARow, s.LeftOut); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
		if *s.Gate.Run != int64(len(c.runs)) {
			t.Errorf("%s: the newest run is %d, want the one that was checked", c.reason, *s.Gate.Run)
		}
	}

	// A level that changed stays in the report when only the newest value is not the kernel's own; and that value is of no level.
	var moved []history.Run
	for i := range 30 {
		moved = append(moved, row(90-10*float64(i/15)+0.1*float64(i%3), false))
	}
	moved = append(slices.Insert(moved, 5, row(10, true)), row(10, true))
	dsn := storeRuns(t, moved...)
	v := inJSON[trackdoc.TrackOutput](t, exitDone, "track", "report", "--db", dsn).Series[0]
	if len(v.Changes) != 1 || v.Changes[0].Run != 17 || v.Changes[0].Index != 15 || v.Gate.Verdict != "unmeasurable" || v.Points != 31 || v.LeftOut != 1 {
		t.Errorf("the report has %+v", v)
	}
	text := inTrack(t, exitDone, "track", "report", "--db", dsn)
	for _, want := range []string{"1 change point: run 17 of", "1 series in 32 runs", "1 value was left out: too short for the sampling"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	// A series of such runs alone is none that was replayed.
	b := inJSON[trackdoc.TrackBacktestOutput](t, exitDone, "track", "backtest", "--db", storeRuns(t, short...))
	if len(b.Series) != 0 || b.LeftOut != 10 {
		t.Errorf("the replay of runs that are not judged is %+v", b)
	}
}

// TestBacktestIsTheCheck checks every run of a history as the newest and holds the replay against it: verdict, figures, length
// of the streak; over runs that are not judged, long streaks and windows narrower than what a series learns from.
func TestBacktestIsTheCheck(t *testing.T) {
	for _, window := range []int{2, 5, 20} {
		rng := rand.New(rand.NewPCG(11, uint64(window)))
		var runs []history.Run
		level, sink := 95.0, 0.0
		for i := range 110 {
			if i%25 == 0 { // now and then it sinks for long, faster than the window follows
				sink = []float64{0.1, 1.6}[i/25%2]
			}
			level -= sink
			value, verdict := level+0.3*rng.Float64(), "match"
			switch rng.IntN(8) {
			case 0:
				value, verdict = 100*rng.Float64(), "unmeasurable"
			case 1:
				value -= 6
			}
			runs = append(runs, history.Run{Rows: []history.Row{measuredRow(max(value, 0), verdict)}})
		}
		dsn := storeRuns(t, runs...)
		flag := []string{"--window", fmt.Sprint(window)}
		b := inJSON[trackdoc.TrackBacktestOutput](t, exitDone, append([]string{"track", "backtest", "--db", dsn}, flag...)...).Series[0]
		longest, alarms := 0, slices.Clone(b.Alarms)
		for run := 1; run <= len(runs); run++ {
			s := checkRun(t, dsn, run, flag...)
			longest = max(longest, s.Gate.InARow)
			if s.Gate.Verdict != "alarm" {
				continue
			}
			if len(alarms) == 0 {
				t.Fatalf("window %d: run %d is an alarm that the replay does not have", window, run)
			}
			a := alarms[0]
			if a.Run != int64(run) || *a.Threshold != *s.Gate.Threshold || a.N != s.Gate.N || a.Value != *s.Gate.Value {
				t.Errorf("window %d: the check of run %d says %+v, the replay %+v", window, run, s.Gate, a)
			}
			// Its streak, run by run.
			for next, row := run+1, 2; row <= a.Runs; next++ {
				s := checkRun(t, dsn, next, flag...)
				if s.Gate.Verdict == "unmeasurable" {
					continue
				}
				if s.Gate.Verdict != "regression" || s.Gate.InARow != row || row == 2 && *a.ConfirmedBy != int64(next) {
					t.Errorf("window %d: run %d is %s, %d in a row; the replay has it as number %d of the alarm of run %d", window, next, s.Gate.Verdict, s.Gate.InARow, row, run)
				}
				row++
			}
			alarms = alarms[1:]
		}
		if len(alarms) > 0 {
			t.Errorf("window %d: the replay has alarms that no check had: %+v", window, alarms)
		}
		t.Logf("window %d: %d alarms, the longest streak has %d runs", window, len(b.Alarms), longest)
	}
}

// A streak that is longer than what one reading brings is counted to its end.
func TestLongStreak(t *testing.T) {
	var runs []history.Run
	for i := range 60 {
		runs = append(runs, history.Run{Rows: []history.Row{measuredRow(99-2.2*float64(max(i-9, 0)/2), "match")}})
	}
	dsn := storeRuns(t, runs...)
	b := inJSON[trackdoc.TrackBacktestOutput](t, exitDone, "track", "backtest", "--db", dsn, "--window", "3").Series[0]
	s := checkRun(t, dsn, len(runs), "--window", "3")
	if len(b.Alarms) != 1 || b.Alarms[0].Runs < 40 || s.Gate.InARow != b.Alarms[0].Runs {
		t.Errorf("the check counts %d runs in a row, the replay %+v", s.Gate.InARow, b.Alarms)
	}
}

// TestBegins says where a series begins anew, and where it only stands beside another one. A run is written as
// "device driver local", several kernels of one run with a comma.
func TestBegins(t *testing.T) {
	const a, b = "A 1 16", "B 1 16"
	cases := []struct {
		reason string
		runs   []string
		check  string // findings of the newest run
		report string // of all series
	}{
		{"another driver", []string{a, a, "A 2 16"}, "A/2/16: driver, run 2", "A/1/16, ended; A/2/16: driver, run 2"},
		{"two runs later", []string{a, a, "A 2 16", "A 2 16"}, "A/2/16: driver, run 2", "A/1/16, ended; A/2/16: driver, run 2"},
		{"two devices in every run", []string{a + "," + b, a + "," + b}, "A/1/16; B/1/16", "A/1/16; B/1/16"},
		{"two machines that take turns", []string{a, b, a, b}, "B/1/16", "A/1/16; B/1/16"},
		{"each of them with its own predecessor", []string{a, b, a, b, "A 2 16", "B 2 16"}, "B/2/16: driver, run 4",
			"A/1/16, ended; A/2/16: driver, run 3; B/1/16, ended; B/2/16: driver, run 4"},
		{"the other one has not followed yet", []string{a, b, a, b, "A 2 16"}, "A/2/16: driver, run 3", "A/1/16, ended; A/2/16: driver, run 3; B/1/16"},
		{"a device comes and goes", []string{a, b, a}, "A/1/16", "A/1/16; B/1/16: device, run 1"},
		{"a second device beside the first", []string{a, a + "," + b}, "A/1/16; B/1/16", "A/1/16; B/1/16"},
		{"another launch shape", []string{a, "A 1 32"}, "A/1/32: launch shape, run 1", "A/1/16, ended; A/1/32: launch shape, run 1"},
		{"two runs later", []string{a, a, "A 1 32", "A 1 32"}, "A/1/32: launch shape, run 2", "A/1/16, ended; A/1/32: launch shape, run 2"},
		{"one after another", []string{a, "A 1 32", "A 1 64"}, "A/1/64: launch shape, run 2",
			"A/1/16, ended; A/1/32: launch shape, run 1, ended; A/1/64: launch shape, run 2"},
		{"a driver in between is nearer", []string{"A 1 32", a, "A 2 16", "A 2 32"}, "A/2/32: launch shape, run 3",
			"A/1/16: launch shape, run 1, ended; A/1/32, ended; A/2/16: driver, run 2, ended; A/2/32: launch shape, run 3"},
		{"two at a time: nobody can tell which of them went on", []string{a + ",A 1 32", "A 1 64"}, "A/1/64", "A/1/16; A/1/32; A/1/64"},
		{"one became two", []string{a, "A 1 32,A 1 64"}, "A/1/32; A/1/64", "A/1/16; A/1/32; A/1/64"},
		{"a shape that comes and goes", []string{a, "A 1 32", a}, "A/1/16", "A/1/16; A/1/32"},
		{"shape and driver: no series tells one from the other", []string{a, "A 2 32"}, "A/2/32", "A/1/16; A/2/32"},
		{"a new launch shape on machines that take turns", []string{a, b, a, b, "A 1 32", "B 1 32"}, "B/1/32: launch shape, run 4",
			"A/1/16, ended; A/1/32: launch shape, run 3; B/1/16, ended; B/1/32: launch shape, run 4"},
		{"a run before that did not name its driver is the one before", []string{b, "A - 16", "A 2 16"}, "A/2/16", "A//16: device, run 1; A/2/16; B/1/16, ended"},
		{"a driver that is not known is no change", []string{"A - 16", "A 2 16"}, "A/2/16", "A//16; A/2/16"},
	}
	for _, c := range cases {
		var runs []history.Run
		for _, kernels := range c.runs {
			var run history.Run
			for _, k := range strings.Split(kernels, ",") {
				row := measuredRow(50, "match")
				var local int64
				if _, err := fmt.Sscan(k, &row.Device, &row.Driver, &local); err != nil {
					t.Fatal(err)
				}
				row.Driver, row.Local = strings.Trim(row.Driver, "-"), unit.Size(local)
				run.Rows = append(run.Rows, row)
			}
			runs = append(runs, run)
		}
		dsn := storeRuns(t, runs...)
		var got []string
		for _, s := range inJSON[trackdoc.TrackCheckOutput](t, exitDone, "track", "check", "--db", dsn).Series {
			got = append(got, begun(s.Name, s.Device, s.Driver, s.Begins, false))
		}
		if slices.Sort(got); strings.Join(got, "; ") != c.check {
			t.Errorf("%s: the check says %q, want %q", c.reason, strings.Join(got, "; "), c.check)
		}
		got = nil
		for _, s := range inJSON[trackdoc.TrackOutput](t, exitDone, "track", "report", "--db", dsn).Series {
			got = append(got, begun(s.Name, s.Device, s.Driver, s.Begins, s.Ended))
		}
		if slices.Sort(got); strings.Join(got, "; ") != c.report {
			t.Errorf("%s: the report says %q, want %q", c.reason, strings.Join(got, "; "), c.report)
		}
	}
}

// TestStopped holds the gate of the report against series that are over: a regression that nobody can repair any more must not
// fail it for ever.
func TestStopped(t *testing.T) {
	row := func(task string, value float64) history.Row {
		r := measuredRow(value, "match")
		r.Task = task
		return r
	}
	for _, c := range []struct {
		reason string
		device string // of the later runs
		later  int
		exit   int
	}{
		{"the newest run has it", "A", 0, exitGate},
		{"it may come back", "A", 7, exitGate},
		{"none of the last eight runs has it", "A", 8, exitDone},
		{"runs on another device say nothing of it", "B", 20, exitGate},
	} {
		var runs []history.Run
		for i := range 12 + c.later {
			run := history.Run{Device: "A", Rows: []history.Row{row("other", 80)}}
			if i < 12 {
				run.Rows = append(run.Rows, row("gone", 90-20*float64(i/10)))
			} else {
				run.Device = c.device
			}
			runs = append(runs, run)
		}
		text := inTrack(t, c.exit, "track", "report", "--db", storeRuns(t, runs...), "--fail-on", "regression")
		if over := strings.Contains(text, "regression, ended"); over != (c.exit == exitDone) {
			t.Errorf("%s:\n%s", c.reason, text)
		}
	}
}

// begun is a series in a few characters: device/driver/local size, what changed and the last run before.
func begun(name string, device, driver *string, b *trackdoc.TrackBegin, ended bool) string {
	text := *device + "/"
	if driver != nil {
		text += *driver
	}
	text += "/" + history.ParseName(name).Local.String()
	if b != nil {
		text += ": " + strings.Join(b.Changed, " and ") + fmt.Sprintf(", run %d", b.Run)
	}
	if ended {
		text += ", ended"
	}
	return text
}
