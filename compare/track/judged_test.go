package track_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
)

// near reports whether two numbers are equal except for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// kernelRow returns the row of a named kernel on device A.
func kernelRow(task string, value float64) history.Row {
	r := measuredRow(value, "match")
	r.Task, r.Device = task, "A"
	return r
}

func TestNewMetric(t *testing.T) {
	for _, c := range []struct {
		name string
		s    track.Settings
		want string // expected gate: direction, floor, relative, exact, window, from; or an error
	}{
		{"measured", track.Settings{}, "down 1 false false 40 "},
		{"seconds", track.Settings{}, "up 0.02 true false 40 "},
		{"peak", track.Settings{}, "down 0.1 false true 40 "},
		{"spill", track.Settings{}, "up 0.1 false true 40 "},
		{"underfilled", track.Settings{}, "up 1 false false 40 "},
		{"seconds", track.Settings{Threshold: unit.Some(5.0), Window: unit.Some(20)}, "up 0.05 true false 20 "},
		{"seconds", track.Settings{Thresholds: map[string]float64{"seconds": 3}, File: "f.yaml"}, "up 0.03 true false 40 f.yaml"},
		{"measured", track.Settings{Threshold: unit.Some(2.5), Thresholds: map[string]float64{"measured": 9}, File: "f.yaml"}, "down 2.5 false false 40 "},
		{"busy", track.Settings{Thresholds: map[string]float64{"measured": 3.4}, File: "f.yaml"}, "down 1 false false 40 "},
		{"measured", track.Settings{Direction: "up"}, "up 1 false false 40 "},
		{"seconds,seconds", track.Settings{}, "two metrics are an occupancy and seconds"},
		{"peak,seconds", track.Settings{}, "two metrics are an occupancy and seconds"},
		{"speed", track.Settings{}, `metric "speed" is not known`},
		{"measured", track.Settings{Direction: "left"}, `direction "left" is not known`},
		{"measured", track.Settings{Window: unit.Some(2)}, "a gate over the last 2 runs"},
	} {
		m, err := track.NewMetric(c.name, c.s)
		g := m.Gate
		got := fmt.Sprintf("%s %v %v %v %d %s", g.Direction, g.Floor, g.Relative, g.Exact, g.Window, m.From)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && !(err != nil && strings.Contains(got, c.want)) {
			t.Errorf("%s, %+v: %s, want %s", c.name, c.s, got, c.want)
		}
	}
	both, err := track.NewMetric("measured,seconds", track.Settings{})
	if one := metric(t, "measured", 0); err != nil || !both.Times || one.Times || both.Gate.Budget != one.Gate.Budget/2 {
		t.Errorf("two metrics share one budget: %+v, %v", both, err)
	}
	points, seconds := metric(t, "measured", 0), metric(t, "seconds", 0)
	for _, c := range []struct {
		m          track.Metric
		floor, out float64
	}{{points, 3.40001, 3.4001}, {points, 3.4, 3.4}, {points, 12.345678, 12.3457}, {points, 0, 0}, {seconds, 0.025, 2.5}} {
		if got := c.m.Threshold(c.floor); got != c.out {
			t.Errorf("a floor of %v is a threshold of %v, want %v", c.floor, got, c.out)
		}
	}
}

// TestShared checks shared findings: the series that share them, their first
// run, the other change that is named, and the size of the shift.
func TestShared(t *testing.T) {
	shift := func(kernels, fall int, change func(*history.Run)) []history.Run {
		var runs []history.Run
		for i := range 22 {
			run := history.Run{Device: "A", Host: "node1", Commit: fmt.Sprint("c", i)}
			for k := range kernels {
				v := 60 + float64(k) + 0.1*float64((i+k)%4)
				if i >= 20 && k < fall {
					v -= 10
				}
				run.Rows = append(run.Rows, kernelRow(fmt.Sprint("k", k), v))
			}
			if i >= 20 {
				change(&run)
			}
			runs = append(runs, run)
		}
		return runs
	}
	same := func(*history.Run) {}
	adapters := func(runs []history.Run) []history.Run {
		for i := range runs {
			for k := range runs[i].Rows {
				runs[i].Rows[k].Device = map[bool]string{true: "A GPU 0", false: "A GPU 1"}[k < 3]
			}
		}
		return runs
	}
	early := func(runs []history.Run, by float64) []history.Run { // the first kernel falls in run 20
		for i := range runs[19:] {
			runs[19+i].Rows[0] = kernelRow("k0", 60-by+0.1*float64(i%4))
		}
		return runs
	}
	for _, c := range []struct {
		reason string
		runs   []history.Run
		want   string
	}{
		{"all fell on another host", shift(4, 4, func(r *history.Run) { r.Host = "node2" }), "4 of 4 since 21 after 20 by -10: host node1 -> node2"},
		{"half did", shift(6, 3, same), "3 of 6 since 21 after 20 by -10: "},
		{"fewer than half", shift(7, 3, same), ""},
		{"one fell in the run before, as much", early(shift(6, 6, same), 10), "6 of 6 since 21 after 20 by -10: "},
		{"one fell in the run before, by less than half", early(shift(6, 6, same), 4), "5 of 6 since 21 after 20 by -10: "},
		{"one fell in the run before, by more than twice", early(shift(6, 6, same), 25), "5 of 6 since 21 after 20 by -10: "},
		{"an adapter fell in the run before", func() []history.Run {
			runs := adapters(shift(6, 6, same))
			for k := range 3 {
				runs[19].Rows[k] = runs[20].Rows[k]
			}
			return runs
		}(), "3 of 3 since 20 after 19 by -10: ; 3 of 3 since 21 after 20 by -10: "},
		{"two kernels are not many", shift(2, 2, same), ""},
		{"one fell by much more, so its drop is a finding of its own", shift(6, 6, func(r *history.Run) { r.Rows[2] = kernelRow("k2", 20) }), "5 of 6 since 21 after 20 by -10: "},
		{"one of three fell by much more", shift(3, 3, func(r *history.Run) { r.Rows[2] = kernelRow("k2", 20) }), ""},
		{"another clock", shift(3, 3, func(r *history.Run) { r.Frequency = unit.Some(1.5e9) }), "3 of 3 since 21 after 20 by -10: "}, // unknown before
		{"the adapter with more of them comes first", adapters(shift(7, 7, same)), "4 of 4 since 21 after 20 by -10: ; 3 of 3 since 21 after 20 by -10: "},
		{"of as many the first device", adapters(shift(6, 6, same)), "3 of 3 since 21 after 20 by -10: ; 3 of 3 since 21 after 20 by -10: "},
	} {
		var got []string
		shared := check(t, storeRuns(t, c.runs...), 0, metric(t, "measured", 0)).Shared
		if !slices.IsSortedFunc(shared, func(a, b track.Shared) int {
			return cmp.Or(len(b.Series)-len(a.Series), strings.Compare(a.Device, b.Device))
		}) {
			t.Errorf("%s: the order is %+v", c.reason, shared)
		}
		for _, s := range shared {
			text := fmt.Sprintf("%d of %d since %d after %d by %+.0f: ", len(s.Series), s.Of, s.First.Run, s.Before.Run, s.Median)
			for _, change := range s.Changed {
				text += change.What + " " + change.From + " -> " + change.To
			}
			got = append(got, strings.ReplaceAll(text, "-0:", "+0:"))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	// A change of the machine is reported once, with the shift of the kernels.
	for _, c := range []struct {
		reason string
		runs   []history.Run
		want   string
	}{
		{"another host", shift(3, 0, func(r *history.Run) { r.Host = "node2" })[:21], "[{host node1 node2}] by +0"},
		{"a host and a driver, and a drop", shift(3, 3, func(r *history.Run) { r.Host, r.Driver = "node2", "25.2" })[:21], "[{host node1 node2}] by -10"},
		{"another driver", shift(2, 0, func(r *history.Run) { r.Driver = map[bool]string{true: "2", false: "1"}[r.Commit == "c21"] }), "[{driver 1 2}] by +0"},
		{"the next run on the new host", shift(3, 0, func(r *history.Run) { r.Host = "node2" }), "[] by +0"},
		{"a host of one of the last runs", shift(3, 0, func(r *history.Run) { r.Host = map[bool]string{true: "node1", false: "node2"}[r.Commit == "c21"] }), "[] by +0"},
	} {
		got := check(t, storeRuns(t, c.runs...), 0, metric(t, "measured", 0))
		text := strings.ReplaceAll(fmt.Sprintf("%v by %+.0f", got.Changed, got.Shift.Or(99)), "-0", "+0")
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.reason, text, c.want)
		}
	}
	// A report has the same shared finding for the newest runs.
	r, err := track.ReadReport(bg, storeRuns(t, shift(4, 4, same)...), metric(t, "measured", 0), trend.DefaultParams(), now)
	if err != nil || r.Newest.Commit != "c21" || len(r.Shared) != 1 || len(r.Shared[0].Series) != 4 || r.Series[0].Shared != &r.Shared[0] {
		t.Errorf("the report has %+v, %v", r.Shared, err)
	}
}

// TestMissingKernels checks which kernels are reported as missing, with their
// share of the time: the kernels that more than half of the earlier runs had.
func TestMissingKernels(t *testing.T) {
	run := func(total float64, tasks ...string) history.Run {
		r := history.Run{Device: "A"}
		for _, task := range append([]string{"always"}, tasks...) {
			row := kernelRow(task, 60)
			row.Set(history.Total, unit.Some(100.0))
			if task == "k" {
				row.Set(history.Total, unit.Some(total))
			}
			r.Rows = append(r.Rows, row)
		}
		return r
	}
	untimed := func(tasks ...string) history.Run {
		r := run(0, tasks...)
		for i := range r.Rows {
			r.Rows[i].Set(history.Total, unit.Opt[float64]{})
		}
		return r
	}
	with, without := run(300, "k"), run(0)
	repeat := func(n int, r history.Run) []history.Run { return slices.Repeat([]history.Run{r}, n) }
	for _, c := range []struct {
		reason string
		runs   []history.Run
		accept int64
		want   string
	}{
		{"the last run lacks it", slices.Concat(repeat(10, with), repeat(1, without)), 0, "k after 10, 75.0% true"},
		{"the only earlier run had it", slices.Concat(repeat(1, with), repeat(1, without)), 0, "k after 1, 75.0% true"},
		{"and more do", slices.Concat(repeat(10, with), repeat(5, without)), 0, "k after 10, 75.0% true"},
		{"it is there", repeat(10, with), 0, ""},
		{"half of the runs had it", slices.Concat(repeat(3, without), repeat(3, with), repeat(1, without)), 0, ""},
		{"more than half", slices.Concat(repeat(3, without), repeat(4, with), repeat(1, without)), 0, "k after 7, 75.0% true"},
		{"of the last twenty", slices.Concat(repeat(30, without), repeat(11, with), repeat(1, without)), 0, "k after 41, 75.0% true"},
		{"runs before the last twenty do not count", slices.Concat(repeat(30, without), repeat(1, with), repeat(10, without), repeat(10, with), repeat(1, without)), 0, ""},
		{"ten of twenty are no more than half", slices.Concat(repeat(30, without), repeat(10, with), repeat(1, without)), 0, ""},
		{"one percent of the time does not matter", slices.Concat(repeat(10, run(1, "k")), repeat(1, without)), 0, "k after 10, 1.0% false"},
		{"two do", slices.Concat(repeat(10, run(2.1, "k")), repeat(1, without)), 0, "k after 10, 2.1% true"},
		{"without times, the share is unknown", slices.Concat(repeat(10, untimed("k")), repeat(1, untimed())), 0,
			"k after 10, -1.0% true"},
		{"accepted with a run that lacks it", slices.Concat(repeat(10, with), repeat(2, without)), 11, ""},
		{"accepted with the checked run", slices.Concat(repeat(10, with), repeat(1, without)), 11, ""},
		{"accepted before the kernel was missing", slices.Concat(repeat(10, with), repeat(2, without)), 10, "k after 10, 75.0% true"},
	} {
		for i := range c.runs {
			c.runs[i].Commit = fmt.Sprint("c", i)
		}
		db := storeRuns(t, c.runs...)
		if c.accept > 0 {
			if _, err := db.Accept(bg, history.Accept{Run: c.accept, Time: now}, nil); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		for _, g := range check(t, db, 0, metric(t, "measured", 0)).MissingKernels {
			got += fmt.Sprintf("%s after %d, %.1f%% %v", g.Key.Task, g.Last.Run, 100*float64(g.Share.Or(-0.01)), g.IsSignificant())
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	// Only k is accepted: in run 11, which lacks it, and in run 10, its last run.
	for run, want := range map[int64]int{11: 0, 10: 1} {
		db := storeRuns(t, slices.Concat(repeat(10, with), repeat(1, without), repeat(1, without))...)
		if _, err := db.Accept(bg, history.Accept{Run: run, Time: now}, func(k history.Key) bool { return k.Task == "k" }); err != nil {
			t.Fatal(err)
		}
		if got := check(t, db, 0, metric(t, "measured", 0)).MissingKernels; len(got) != want {
			t.Errorf("k was accepted with run %d: gone are %+v", run, got)
		}
	}
	other := storeRuns(t, slices.Concat(repeat(10, with), repeat(2, without))...)
	if _, err := other.Accept(bg, history.Accept{Run: 11, Time: now}, func(k history.Key) bool { return k.Task == "always" }); err != nil {
		t.Fatal(err)
	}
	if got := check(t, other, 0, metric(t, "measured", 0)).MissingKernels; len(got) != 1 {
		t.Errorf("another kernel was accepted: gone are %+v", got)
	}
	if g := (track.MissingKernel{}); !g.IsSignificant() {
		t.Error("a kernel of which nobody knows the time does not matter")
	}
}

// TestClocks checks the notes about dates, and that a run is judged regardless
// of its date.
func TestClocks(t *testing.T) {
	db, err := history.Open(bg, t.TempDir()+"/h.db", history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	add := func(i int, at time.Time, value float64) *track.Added {
		run := history.Run{Device: "A", Time: at, Rows: []history.Row{kernelRow("k", value+0.1*float64(i%3))},
			Inputs: []history.Input{{Path: "x", Digest: fmt.Sprint(i), Contains: true}}}
		added, err := db.Add(bg, run)
		if err != nil {
			t.Fatal(err)
		}
		run.ID = added.ID
		one := &track.Added{Run: run}
		if err := one.CheckClock(bg, db, now); err != nil {
			t.Fatal(err)
		}
		return one
	}
	for i := range 12 {
		if one := add(i, now.AddDate(0, 0, i-40), 60); one.Clock.Earlier != nil || len(one.Clock.Future) > 0 {
			t.Errorf("a run of its day: %+v", one.Clock)
		}
	}
	if one := add(12, now.AddDate(0, 0, -90), 40); one.Clock.Earlier == nil || one.Clock.Earlier.Run != 13 || one.Clock.Before.Run != 12 {
		t.Errorf("a run of long ago: %+v", one.Clock)
	}
	c := check(t, db, 0, metric(t, "measured", 0))
	if s := c.Series[0]; s.Outcome() != trend.Alarm || !s.ByAdding || c.Clock.Earlier == nil || c.Clock.Earlier.Run != 13 || c.Clock.Before.Run != 12 {
		t.Errorf("it is %s, by adding: %v, %+v; want an alarm", s.Outcome(), s.ByAdding, c.Clock)
	}
	if one := add(13, now.Add(23*time.Hour), 40); len(one.Clock.Future) > 0 || one.Clock.Earlier != nil {
		t.Errorf("a run of tomorrow may be of another time zone: %+v", one.Clock)
	}
	if one := add(14, now.Add(25*time.Hour), 40); len(one.Clock.Future) != 1 || one.Clock.Future[0].Run != 15 {
		t.Errorf("a run of the day after: %+v", one.Clock)
	}
	c = check(t, db, 0, metric(t, "measured", 0))
	if s := c.Series[0]; s.Outcome() != trend.Regression || s.FirstBad.Run != 13 || len(c.Clock.Future) != 1 {
		t.Errorf("three runs 20 points low: %s since %+v, %+v", s.Outcome(), s.FirstBad, c.Clock)
	}
	r, err := track.ReadReport(bg, db, metric(t, "measured", 0), trend.DefaultParams(), now)
	if err != nil || len(r.Clock.Future) != 1 || r.Clock.Future[0].Run != 15 || r.Series[0].Outcome() != trend.Regression {
		t.Errorf("the report: %+v, %v", r.Clock.Future, err)
	}
}

// TestSelectedRuns checks which runs --last and --since select.
func TestSelectedRuns(t *testing.T) {
	var runs []history.Run
	for i, commit := range []string{"aaaa1111", "bbbb2222", "", "bbbb2222", "cccc3333", "dddd4444"} {
		runs = append(runs, history.Run{Device: "A", Commit: commit, Rows: []history.Row{kernelRow("k", 60+float64(i))}})
	}
	db := storeRuns(t, runs...)
	if got, err := track.Newest(bg, db, 2, ""); err != nil || !slices.Equal(got, []int64{5, 6}) {
		t.Errorf("the last two: %v, %v", got, err)
	}
	for commit, want := range map[string]string{"bbbb": "[5 6]", "aaaa1111ffff": "[2 3 4 5 6]", "cccc3333": "[6]",
		"dddd4444": "no run was added after run 6, the last one of that commit", "eeee": "has no run of this commit"} {
		got, err := track.Newest(bg, db, 1, commit)
		text := fmt.Sprint(got)
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, want) {
			t.Errorf("since %q: %s, want %s", commit, text, want)
		}
	}
	if _, err := track.Newest(bg, storeRuns(t), 1, ""); err == nil || !strings.Contains(err.Error(), "has no run to check") {
		t.Errorf("an empty history: %v", err)
	}
	// If several runs are checked, the worst verdict of a kernel counts. Of two
	// equally bad verdicts, the later counts.
	var many []history.Run
	for i := range 24 {
		v := 60 + 0.1*float64(i%3)
		if i == 20 {
			v = 40
		}
		many = append(many, history.Run{Device: "A", Rows: []history.Row{kernelRow("k", v)}})
	}
	db = storeRuns(t, many...)
	for want, ids := range map[string][]int64{"alarm 21": {20, 21, 22}, "ok 24": {22, 23, 24}} {
		c, err := track.CheckRuns(bg, db, ids, metric(t, "measured", 0), now)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Series[0].Newest()
		if got := fmt.Sprintf("%s %d", c.Series[0].Outcome(), p.Run); got != want || len(c.Checked) != 3 || c.Run.ID != ids[2] {
			t.Errorf("runs %v: %s, want %s", ids, got, want)
		}
	}
	for name, want := range map[string]string{"busy": "no kernel of run 24 has a value of busy, so nothing can be checked; choose the metric measured or seconds"} {
		if _, err := track.CheckRuns(bg, db, []int64{24}, metric(t, name, 0), now); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	bare := history.Run{Device: "A", Rows: []history.Row{{Key: history.Key{Task: "k", Device: "A"}}}}
	if _, err := track.CheckRuns(bg, storeRuns(t, bare), []int64{1}, metric(t, "busy", 0), now); err == nil || !strings.HasPrefix(err.Error(), "run 1 has no value of any metric") {
		t.Errorf("a run without values: %v", err)
	}
}

// TestNoise checks the variances that a diff reads from a history. For each
// kernel on its device, they come from the series with the most runs, which
// must have at least 8 runs.
func TestNoise(t *testing.T) {
	var runs []history.Run
	for i := range 60 {
		run := history.Run{Device: "A"}
		a := kernelRow("a", 60+2*float64(i%2))
		if i >= 50 {
			a.Driver = "2" // fewer runs, because they have another driver
			a.Set(history.Measured, unit.Some(20*float64(i%2)))
		}
		run.Rows = append(run.Rows, a)
		if i < 7 {
			run.Rows = append(run.Rows, kernelRow("few", 50))
		}
		short := kernelRow("short", float64(i+1))
		if i >= 8 {
			short.Verdict = "unmeasurable"
		} else {
			short.Set(history.Measured, unit.Some(70+2*float64(i%2)))
		}
		runs = append(runs, run)
		runs[i].Rows = append(runs[i].Rows, short)
	}
	noise, err := track.Noise(bg, storeRuns(t, runs...), history.Measured)
	if err != nil || len(noise) != 2 {
		t.Fatalf("%v, %v; want that of a and short", noise, err)
	}
	for key, v := range noise { // values change in steps of 2, which is a standard deviation of about 1
		if sd := math.Sqrt(v.Value); sd < 0.8 || sd > 1.3 || v.Freedom < 5 {
			t.Errorf("%s: %+v", key.Task, v)
		}
	}
	// The result does not depend on the order of a map.
	var many []history.Run
	for i := range 8 {
		run := history.Run{Device: "A"}
		for k := range 20 {
			run.Rows = append(run.Rows, kernelRow(fmt.Sprint("k", k), 50+math.Sin(float64(1+k*i*i))*math.Exp(float64(k%7)/3)))
		}
		many = append(many, run)
	}
	db := storeRuns(t, many...)
	first, err := track.Noise(bg, db, history.Measured)
	for range 8 {
		if again, _ := track.Noise(bg, db, history.Measured); err != nil || !maps.Equal(first, again) {
			t.Fatalf("noise is %v, then %v, %v", first, again, err)
		}
	}
	m := metric(t, "measured", 0)
	b, err := track.ReadBacktest(bg, storeRuns(t, runs[:3]...), m, unit.Opt[float64]{}, nil, now)
	if err != nil || b.Total.Checks != 0 {
		t.Errorf("three runs are judged: %+v, %v", b, err)
	}
	if math.Abs(b.Target-m.Gate.Budget) > 1e-12 {
		t.Errorf("the target is %v red checks, want the gate's %v", b.Target, m.Gate.Budget)
	}
	if b, err = track.ReadBacktest(bg, storeRuns(t, runs[:40]...), m, unit.Opt[float64]{}, nil, now); err != nil || b.Total.Checks == 0 ||
		m.Threshold(b.Kept.Floor) != 1 {
		t.Errorf("a quiet history proposes %+v, %v; want the 1 that is there", b, err)
	}
}

// TestFromResult checks which values of a compared run are stored.
func TestFromResult(t *testing.T) {
	kernel := func(task, file string) compare.Row {
		return compare.Row{Kernel: &ingest.Kernel{Task: task, Pos: note.Pos{File: file}, Global: unit.Size(4096), Local: unit.Size(256), SIMD: unit.Some(16),
			Instances: unit.Some(int64(4)), Total: unit.Some(unit.Seconds(2)), Measured: unit.Some(unit.Ratio(0.6)), Spill: unit.Some(unit.Bytes(64))},
			BusyOccupancy: unit.Some(unit.Ratio(0.75)), Verdict: compare.Below, Basis: compare.BasisMeasured, Cause: &compare.Cause{Name: "dispatch"},
			Predicted: &predict.Prediction{Groups: 16, Peak: 1, Average: 0.9},
			Breakdown: &compare.SlotBreakdown{Parts: compare.ByPart[unit.Opt[unit.Points]]{1: unit.Some(unit.Points(20)), 2: unit.Some(unit.Points(10))}}}
	}
	plain := kernel("plain", "a.csv")
	plain.SIMD = unit.Opt[int]{} // a row without sub-group size, as in a log
	plain.Basis, plain.Predicted, plain.Breakdown, plain.Cause = compare.BasisMeasuredPeak, nil, nil, nil
	copied := kernel("copy", "b.csv")
	copied.Verdict = compare.NotAKernel
	other := kernel("other", "a.csv")
	other.Device = "GPU 1"
	r := &compare.Result{Device: &arch.Device{Key: "max1100"}, Rows: []compare.Row{kernel("k", "a.csv"), plain, copied, kernel("k", "c.csv"), other},
		Inputs:   []ingest.Input{{Path: "a.csv", Rows: 4, BadRows: 1, Digest: "d", Content: "c"}, {Path: "b.csv"}, {Path: "c.csv"}},
		Platform: ingest.Platform{Driver: "24.1", VTune: "2025.1", Command: `"/opt/my app/run it" --fast`, MaxFrequency: unit.Some(1.5e9)}}
	run := track.FromResult(r)
	var got []string
	for i := range run.Rows {
		row := &run.Rows[i]
		text := row.Task + " " + row.Device + " " + row.Verdict + " " + row.Cause
		for _, m := range append(history.Metrics(), history.Total) {
			if v, ok := row.Of(m).Value(); ok {
				text += fmt.Sprintf(" %s=%.6g", m, v)
			}
		}
		got = append(got, text)
	}
	want := []string{
		"k max1100 below dispatch measured=60 residual=-30 busy=75 seconds=0.5 underfilled=20 idle=10 peak=100 spill=64 total=2",
		"plain max1100 below  measured=60 busy=75 seconds=0.5 spill=64 total=2",
		"other max1100 GPU 1 below dispatch measured=60 residual=-30 busy=75 seconds=0.5 underfilled=20 idle=10 peak=100 spill=64 total=2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("stored are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if run.Rows[1].SIMD != 0 {
		t.Errorf("a width that nobody knows is stored as %d", run.Rows[1].SIMD)
	}
	if run.Device != "max1100" || run.Driver != "24.1" || run.VTune != "2025.1" || run.Program != "run it" || run.Frequency.Or(0) != 1.5e9 || run.Rows[0].SIMD != 16 {
		t.Errorf("the run is %+v", run)
	}
	in := run.Inputs
	if len(in) != 3 || !in[0].Contains || in[1].Contains || in[2].Contains || in[0].Rows != 4 || in[0].BadRows != 1 || in[0].Digest != "d" || in[0].Content != "c" {
		t.Errorf("the inputs are %+v", in)
	}
	for command, want := range map[string]string{"./a.out -n 3": "a.out", `C:\bin\app.exe x`: "app.exe", "": "", `"app"`: "app", "app": "app"} {
		r.Platform.Command = command
		if got := track.FromResult(r).Program; got != want {
			t.Errorf("the program of %q is %q, want %q", command, got, want)
		}
	}
	added := &track.Added{Run: history.Run{Rows: []history.Row{measuredRow(60, "match"), measuredRow(60, "unmeasurable"), {}, {}, measuredRow(60, "unmeasurable"), measuredRow(50, "unmeasurable")}}}
	if a, b := added.Unjudged(); a != 2 || b != 3 {
		t.Errorf("%d without a value and %d unmeasurable, want 2 and 3", a, b)
	}
}

// TestAlsoChanged checks which metrics are reported as changed together with a
// drop. It compares the medians before and during the bad runs. The largest
// change is first.
func TestAlsoChanged(t *testing.T) {
	var runs []history.Run
	for i := range 23 {
		row := kernelRow("k", 90+0.1*float64(i%3))
		row.Set(history.Seconds, unit.Some(1.0+0.01*float64(i%3)))
		row.Set(history.Underfilled, unit.Some(5.0))
		row.Set(history.Busy, unit.Some(95.0))
		row.Verdict, row.Cause = "match", "none"
		if i >= 20 {
			row.Set(history.Measured, unit.Some(70+0.1*float64(i%3)))
			row.Set(history.Seconds, unit.Some(1.3))
			row.Set(history.Underfilled, unit.Some(25.0))
			row.Set(history.IdleXVEs, unit.Some(3.0)) // the value before the drop is unknown
			row.Set(history.Busy, unit.Some(90.0))
			row.Verdict, row.Cause = "below", "dispatch"
		}
		runs = append(runs, history.Run{Device: "A", Rows: []history.Row{row}})
	}
	s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
	text := ""
	for _, m := range s.AlsoChanged {
		text += fmt.Sprintf("%s %s %.2f -> %.2f; ", m.Metric, m.Metric.Unit(), m.Before, m.After)
	}
	if want := "underfilled points 5.00 -> 25.00; busy % 95.00 -> 90.00; seconds s 1.01 -> 1.30; "; text != want {
		t.Errorf("moved %s, want %s", text, want)
	}
	if len(s.Open) != 1 || s.Open[0].FirstBad.Run != 21 || s.Open[0].LastGood.Run != 20 || s.FirstBad.Run != 21 || s.LastGood.Run != 20 || !s.Bad() || s.Age != 22 {
		t.Errorf("open is %+v since %+v", s.Open, s.FirstBad)
	}
	if off := s.Off(); math.Abs(off+20) > 0.3 || s.Severity() != track.SeverityRegression || !s.NeedsAttention() {
		t.Errorf("off by %v, severity %v", off, s.Severity())
	}
	if first := check(t, storeRuns(t, runs[22:]...), 0, metric(t, "measured", 0)).Series[0]; first.Outcome() != trend.Learning {
		t.Errorf("a first run: %s", first.Outcome())
	}
	s = check(t, storeRuns(t, runs[:20]...), 0, metric(t, "measured", 0)).Series[0]
	if len(s.AlsoChanged) > 0 || s.Severity() != track.SeverityOK || s.NeedsAttention() || s.Bad() {
		t.Errorf("a kernel at rest: moved %+v", s.AlsoChanged)
	}
}

// TestRestarts checks how long a change of the launch size is reported, and with
// which shift.
func TestRestarts(t *testing.T) {
	for later, want := range map[int]bool{1: true, 8: true, 9: false} {
		var runs []history.Run
		for i := range 20 + later {
			row := kernelRow("k", 60+0.1*float64(i%3))
			if row.Local = unit.Size(16); i >= 20 {
				row.Local = unit.Size(32)
				row.Set(history.Measured, unit.Some(63.0))
			}
			runs = append(runs, history.Run{Device: "A", Rows: []history.Row{row}})
		}
		s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
		if s.Restarted() != want || (s.Restart != nil) != want || s.Age != later-1 || !near(s.Since(), 2.9) {
			t.Errorf("%d runs with another launch size: again %v, age %d, since %v", later, s.Restarted(), s.Age, s.Since())
		}
		if (len(s.AlsoChanged) > 0) != want {
			t.Errorf("%d runs with another launch size: moved %+v", later, s.AlsoChanged)
		}
		if (s.Severity() == track.SeverityRestarted) != want {
			t.Errorf("%d runs with another launch size: severity %v", later, s.Severity())
		}
	}
}

// TestChanges checks the changes that are named next to a finding: properties
// of the machine and of the kernel that differ between the last good run and
// the first bad run.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(run *history.Run, row *history.Row)
		want   string
	}{
		{"nothing else changed", func(*history.Run, *history.Row) {}, "[]"},
		{"more spills", func(_ *history.Run, row *history.Row) { row.Set(history.Spill, unit.Some(128.0)) },
			"[{spill 64 bytes 128 bytes}]"},
		{"a lower limit", func(_ *history.Run, row *history.Row) { row.Set(history.Peak, unit.Some(50.0)) },
			"[{predicted peak 100.0% 50.0%}]"},
		{"another launch size", func(_ *history.Run, row *history.Row) { row.Local = unit.Size(64) },
			"[{launch size 4096 / 256, SIMD32 4096 / 64, SIMD32}]"},
		{"the machine first, then the kernel", func(run *history.Run, row *history.Row) {
			run.Host, run.VTune = "node2", "2025.2"
			row.Set(history.Peak, unit.Some(75.0))
		}, "[{host node1 node2} {VTune 2025.1 2025.2} {predicted peak 100.0% 75.0%}]"},
	} {
		var runs []history.Run
		for i := range 22 {
			row := kernelRow("k", 60+0.1*float64(i%3))
			row.Set(history.Spill, unit.Some(64.0))
			row.Set(history.Peak, unit.Some(100.0))
			run := history.Run{Device: "A", Host: "node1", VTune: "2025.1"}
			if i >= 20 {
				row.Set(history.Measured, unit.Some(40+0.1*float64(i%3)))
				c.change(&run, &row)
			}
			run.Rows = append(run.Rows, row)
			runs = append(runs, run)
		}
		s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
		if got := fmt.Sprint(s.Changed); got != c.want || fmt.Sprint(s.Open[0].Changed) != c.want {
			t.Errorf("%s: %s and %v, want %s", c.reason, got, s.Open[0].Changed, c.want)
		}
	}
}

// TestFaster checks which drops of the occupancy pass because the launches take
// at least 10% less time, and less by more than their noise.
func TestFaster(t *testing.T) {
	for _, c := range []struct {
		reason      string
		noise, time float64 // scatter of the times before the drop, and the time after it
		want        trend.Outcome
	}{
		{"much less time", 0.01, 0.7, track.Faster},
		{"less than 10% less", 0.01, 0.92, trend.Regression},
		{"15% less, with a scatter of 5%", 0.05, 0.85, track.Faster},
		{"15% less, with a scatter of 10%", 0.1, 0.85, trend.Regression},
		{"more time", 0.01, 1.3, trend.Regression},
	} {
		var runs []history.Run
		for i := range 24 {
			row, seconds := kernelRow("k", 90+0.1*float64(i%3)), 1-c.noise+2*c.noise*float64(i%2)
			if i >= 20 {
				row, seconds = kernelRow("k", 70+0.1*float64(i%3)), c.time
			}
			row.Set(history.Seconds, unit.Some(seconds))
			row.Set(history.Peak, unit.Some(100.0))
			runs = append(runs, history.Run{Device: "A", Rows: []history.Row{row}})
		}
		db := storeRuns(t, runs...)
		if s := check(t, db, 0, metric(t, "measured", 0)).Series[0]; s.Outcome() != c.want || s.Timing == nil {
			t.Errorf("%s: %s, want %s", c.reason, s.Outcome(), c.want)
		}
		for _, name := range []string{"seconds", "peak"} { // a metric without a second judgment by time
			if s := check(t, db, 0, metric(t, name, 0)).Series[0]; s.Timing != nil {
				t.Errorf("%s: %s is judged by its time, too", c.reason, name)
			}
		}
	}
}

// TestLost checks the reasons that explain a drop of the measured occupancy:
// each explains at least 25%.
func TestLost(t *testing.T) {
	for _, c := range []struct {
		reason string
		metric string
		change map[history.Metric]float64 // added from the first bad run on, when measured occupancy drops by 20
		want   string
	}{
		{"idle XVEs", "measured", map[history.Metric]float64{history.IdleXVEs: 18}, "idle 18"},
		{"too little to explain it", "measured", map[history.Metric]float64{history.IdleXVEs: 4}, ""},
		{"a quarter", "measured", map[history.Metric]float64{history.Shortfall: 5}, "shortfall 5"},
		{"two reasons", "measured", map[history.Metric]float64{history.Underfilled: 10, history.IdleXVEs: 9},
			"idle 9, underfilled 10"},
		{"half of the loss was predicted", "measured", map[history.Metric]float64{history.Residual: -10}, "peak 10"},
		{"nothing was predicted", "measured", map[history.Metric]float64{history.Residual: -20}, ""},
		{"another metric", "busy", map[history.Metric]float64{history.IdleXVEs: 18}, ""},
	} {
		var runs []history.Run
		for i := range 22 {
			row := kernelRow("k", 60)
			for _, m := range []history.Metric{history.Busy, history.Residual, history.IdleXVEs, history.Underfilled, history.Shortfall} {
				row.Set(m, unit.Some(30.0))
			}
			if i >= 20 {
				row.Set(history.Measured, unit.Some(40.0))
				row.Set(history.Busy, unit.Some(10.0))
				row.Set(history.Residual, unit.Some(10.0))
				for m, by := range c.change {
					row.Set(m, unit.Some(30+by))
				}
			}
			runs = append(runs, history.Run{Device: "A", Rows: []history.Row{row}})
		}
		var got []string
		for _, l := range check(t, storeRuns(t, runs...), 0, metric(t, c.metric, 0)).Series[0].Lost() {
			got = append(got, fmt.Sprintf("%s %.4g", l.Metric, l.After))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", c.reason, text, c.want)
		}
	}
}

// TestAccepted checks which points of a series an accepted run restarts, closes,
// or excludes as noise. The kernel has values from run 3 on and is 20 points
// lower from run 23 on.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		reason string
		accept history.Accept
		want   string // verdict, first bad run, and number of earlier runs
	}{
		{"nothing", history.Accept{}, "regression since 23, 20"},
		{"a run before its first", history.Accept{Run: 2}, "regression since 23, 20"},
		{"its first run", history.Accept{Run: 3}, "regression since 23, 20"},
		{"its last good run", history.Accept{Run: 22}, "regression since 23, 1"},
		{"its first bad run", history.Accept{Run: 23}, "ok, 1"},
		{"the newest run", history.Accept{Run: 24}, "ok, 0"},
		{"noise before its first run", history.Accept{Run: 2, Noise: true}, "regression since 23, 20"},
		{"noise in a good run", history.Accept{Run: 10, Noise: true}, "regression since 23, 20"},
		{"noise in the first bad run", history.Accept{Run: 23, Noise: true}, "ok, 21"},
		{"noise in the newest run", history.Accept{Run: 24, Noise: true}, "ok, 21"},
	} {
		var runs []history.Run
		for i := range 24 {
			short := kernelRow("short", 50)
			short.Verdict = "unmeasurable"
			run := history.Run{Device: "A", Rows: []history.Row{kernelRow("other", 80+0.1*float64(i%3))}}
			if i >= 2 {
				run.Rows = append(run.Rows, kernelRow("k", 60-20*float64(i/22)+0.1*float64(i%3)))
			}
			if i == 23 {
				run.Rows = append(run.Rows, short)
			}
			runs = append(runs, run)
		}
		db := storeRuns(t, runs...)
		if c.accept.Time = now; c.accept.Run > 0 {
			if _, err := db.Accept(bg, c.accept, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range check(t, db, 0, metric(t, "measured", 0)).Series {
			if s.Key.Task != "k" {
				continue
			}
			got := string(s.Outcome())
			if s.FirstBad != nil {
				got += fmt.Sprintf(" since %d", s.FirstBad.Run)
			}
			if got += fmt.Sprintf(", %d", s.Gate.N); got != c.want {
				t.Errorf("%s: %s, want %s", c.reason, got, c.want)
			}
		}
	}
}

// TestUnknownIsNoChange checks that a value that one of two runs lacks is not
// reported as a change, and that only values of the metric continue a series.
func TestUnknownIsNoChange(t *testing.T) {
	var runs []history.Run
	for i := range 23 {
		row := kernelRow("k", 60+0.1*float64(i%3))
		if row.Set(history.Spill, unit.Some(64.0)); i >= 20 {
			row.Set(history.Measured, unit.Some(40.0))
			row.Set(history.Spill, unit.Opt[float64]{})
		}
		runs = append(runs, history.Run{Device: "A", Rows: []history.Row{row}})
	}
	s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
	if len(s.Open) != 1 || len(s.Open[0].Changed) != 0 {
		t.Errorf("open %+v; want one finding without a change", s.Open)
	}
	old := kernelRow("k", 60)
	old.Set(history.Measured, unit.Opt[float64]{})
	old.Set(history.Seconds, unit.Some(1.0))
	db := storeRuns(t, history.Run{Device: "A", Rows: []history.Row{old}}, history.Run{Device: "A", Rows: []history.Row{func() history.Row {
		row := kernelRow("k", 60)
		row.Local = unit.Size(7)
		return row
	}()}})
	if s := check(t, db, 0, metric(t, "measured", 0)).Series[0]; s.Restart != nil {
		t.Errorf("the first value with another launch size continues %+v", s.Restart)
	}
	if _, err := track.CheckRuns(bg, db, []int64{1}, metric(t, "measured", 0), now); err == nil || !strings.Contains(err.Error(), "no run has XVE Threads Occupancy") {
		t.Errorf("a run without the counter: %v", err)
	}
	for share, want := range map[unit.Ratio]bool{0.01: false, 0.011: true} {
		if g := (track.MissingKernel{Share: unit.Some(share)}); g.IsSignificant() != want {
			t.Errorf("a missing kernel with %v of the time matters: %v", share, !want)
		}
	}
}

// TestSupplement checks which run of the same commit is treated as a second
// measurement of some kernels.
func TestSupplement(t *testing.T) {
	run := func(commit string, tasks ...string) history.Run {
		r := history.Run{Device: "A", Commit: commit}
		for _, task := range tasks {
			r.Rows = append(r.Rows, kernelRow(task, 60))
		}
		return r
	}
	for _, c := range []struct {
		reason  string
		last    history.Run
		missing int
	}{
		{"some of the kernels", run("c1", "a"), 0},
		{"a kernel that began with the other run", run("c1", "new"), 0},
		{"of another commit", run("c2", "a"), 2},
		{"with one that the other run has not", run("c1", "a", "newer"), 2},
		{"of another branch", func() history.Run { r := run("c1", "a"); r.Branch = "main"; return r }(), 2},
		{"of another driver", func() history.Run { r := run("c1", "a"); r.Driver = "2"; return r }(), 2},
	} {
		got := check(t, storeRuns(t, run("c0", "a", "b", "c"), run("c1", "a", "b", "c", "new"), c.last), 0, metric(t, "measured", 0))
		if len(got.MissingKernels) != c.missing {
			t.Errorf("%s: missing %v, want %d", c.reason, got.MissingKernels, c.missing)
		}
	}
}

// TestMissingWithAnotherLaunchSize checks that a missing kernel is named with
// its last launch size.
func TestMissingWithAnotherLaunchSize(t *testing.T) {
	var runs []history.Run
	for i := range 12 {
		run := history.Run{Device: "A", Commit: fmt.Sprint("c", i), Rows: []history.Row{kernelRow("always", 60)}}
		if k := kernelRow("k", 60); i < 10 {
			if i >= 6 {
				k.Local = unit.Size(64)
			}
			run.Rows = append(run.Rows, k)
		}
		runs = append(runs, run)
	}
	gone := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).MissingKernels
	if len(gone) != 1 || gone[0].Key.Local != unit.Size(64) || gone[0].Last.Run != 10 || gone[0].Last.Commit != "c9" {
		t.Errorf("gone are %+v", gone)
	}
}

// TestFromBinaries checks which values of a compilation are stored: the peak,
// and the spills. For older compilers, the scratch size is stored instead of
// the spills.
func TestFromBinaries(t *testing.T) {
	device := &arch.Device{Key: "max1100"}
	kernel := func(name string, simd int, spill unit.Opt[unit.Bytes], predicted bool) batch.Kernel {
		k := batch.Kernel{Kernel: zebin.Kernel{Name: name, SIMD: simd, Spill: spill, Scratch: unit.Some(unit.Bytes(256))}, Device: device}
		if predicted {
			k.Prediction = &predict.BinaryPrediction{Prediction: predict.Prediction{Peak: 0.5}}
		}
		return k
	}
	run := track.FromBinaries([]batch.Kernel{kernel("a", 16, unit.Some(unit.Bytes(64)), true), kernel("old", 32, unit.Opt[unit.Bytes]{}, false),
		kernel("both", 16, unit.Some(unit.Bytes(0)), true), kernel("both", 32, unit.Some(unit.Bytes(8)), true), kernel("both", 32, unit.Some(unit.Bytes(9)), true)})
	var got []string
	for i := range run.Rows {
		r := &run.Rows[i]
		got = append(got, fmt.Sprintf("%s %d %v %v", r.Task, r.SIMD, r.Of(history.Spill).Or(-1), r.Of(history.Peak).Or(-1)))
	}
	if want := []string{"a 0 64 50", "old 0 256 -1", "both 16 0 50", "both 32 8 50"}; !slices.Equal(got, want) || run.Device != "max1100" {
		t.Errorf("stored are %v on %s, want %v", got, run.Device, want)
	}
}

// TestPrograms checks that runs without a program belong to the only program
// that other runs name. If other runs name two programs, they belong to none.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		programs []string // programs of the later runs
		want     int      // number of earlier runs in the newest series
	}{{[]string{"app"}, 12}, {[]string{"app", "app"}, 13}, {[]string{"app", "other"}, 0}} {
		var runs []history.Run
		for i := range 12 + len(c.programs) {
			row := kernelRow("k", 60+0.1*float64(i%3))
			row.Driver = "1"
			run := history.Run{Device: "A"}
			if i >= 12 {
				run.Program = c.programs[i-12]
				row.Program, row.Driver = run.Program, "2"
			}
			run.Rows = append(run.Rows, row)
			runs = append(runs, run)
		}
		c12 := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0))
		for _, s := range c12.Series {
			if s.Key.Driver == "2" && s.Gate.N != c.want {
				t.Errorf("programs %v: %+v has %d earlier runs, want %d", c.programs, s.Key, s.Gate.N, c.want)
			}
		}
	}
}

// TestMissingRowsKeepTheOrder checks two runs of which one kernel has only the
// older, and another kernel only the newer. Kernels that have both runs must
// still be judged by the newer run.
func TestMissingRowsKeepTheOrder(t *testing.T) {
	var runs []history.Run
	for i := range 12 {
		run := history.Run{Device: "A"}
		for _, name := range []string{"no newer", "no older", "both"} {
			if i == 11 && name == "no newer" || i == 10 && name == "no older" {
				continue
			}
			value := 60 + 0.1*float64(i%3)
			if i == 11 && name == "both" {
				value = 40
			}
			run.Rows = append(run.Rows, kernelRow(name, value))
		}
		runs = append(runs, run)
	}
	for _, s := range check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series {
		newest := s.Newest()
		if s.Key.Task == "both" && (newest.Run != 12 || s.Gate.Value != 40 || s.Outcome() != trend.Alarm) {
			t.Errorf("both: %s by run %d with %v, want an alarm by run 12 with 40", s.Outcome(), newest.Run, s.Gate.Value)
		}
	}
}
