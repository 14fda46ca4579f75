package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// panelText returns a panel's runs and, for each kernel, its driver, its launch
// size, and its value in each run.
func panelText(p *Panel, m Metric) string {
	var runs, kernels []string
	for i := range p.Runs {
		runs = append(runs, fmt.Sprint(p.Runs[i].ID))
	}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		text := fmt.Sprintf("%s/%s/%s:", k.Key.Task, k.Key.Device, k.Key.Driver)
		for n, in := range k.In {
			text += fmt.Sprintf(" %d", p.Runs[in.Place].ID)
			if v, ok := k.Value(n, m).Value(); ok {
				text += fmt.Sprintf("=%v", v)
			}
		}
		kernels = append(kernels, text)
	}
	slices.Sort(kernels) // kernels are in the order in which the history first had them, not sorted by name
	return strings.Join(runs, " ") + "; " + strings.Join(kernels, "; ")
}

// TestPanel checks which runs and kernels are read for a run.
func TestPanel(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		plain := func(i int, names ...string) Run {
			run := named(i, names...)
			run.Device, run.Driver = "A", "1"
			return run
		}
		store := func(run Run, change func(*Run)) {
			if change != nil {
				change(&run)
			}
			add(t, d, run)
		}
		store(plain(0, "a", "b"), nil)
		store(plain(1, "a"), func(r *Run) { r.Driver = "2" })
		store(plain(2, "a", "z"), func(r *Run) { r.Device = "B" })
		store(plain(3, "c"), func(r *Run) { r.Program = "other" })
		store(plain(4, "a", "b"), func(r *Run) { r.Rows[0].Set(Measured, unit.Opt[float64]{}) })
		store(plain(5, "b"), nil)
		store(plain(-9, "b"), nil) // a run whose clock is wrong
		for _, c := range []struct {
			reason string
			run    int64
			n      int
			metric Metric
			want   string
		}{
			{"the kernels of its device, and its own on others; without a value it is there all the same", 5, 0, Measured,
				"1 2 3 4 5; a/A/1: 1=50 5; a/A/2: 2=50; a/B/1: 3=50; b/A/1: 1=51 5=51; c/A/1: 4=50"},
			{"runs of another program do not count", 4, 0, Measured, "1 2 3 4; a/A/1: 1=50; a/A/2: 2=50; b/A/1: 1=51; c/A/1: 4=50"},
			{"an earlier run sees the history at that time", 2, 9, Measured, "1 2; a/A/1: 1=50; a/A/2: 2=50; b/A/1: 1=51"},
			{"the last two runs of its program on its device, and those between", 6, 2, Measured, "5 6; a/A/1: 5; b/A/1: 5=51 6=50"},
			{"one run", 6, 1, Measured, "6; b/A/1: 6=50"},
			{"another metric", 2, 1, Seconds, "2; a/A/2: 2=0.000523"},
			{"a wrong clock does not hide the run", 7, 2, Measured, "7 5 6; a/A/1: 5; b/A/1: 7=50 5=51 6=50"},
			{"everything", 0, 0, Measured, "7 1 2 3 4 5 6; a/A/1: 1=50 5; a/A/2: 2=50; a/B/1: 3=50; b/A/1: 7=50 1=51 5=51 6=50; c/A/1: 4=50; z/B/1: 3=51"},
			{"the last runs of everything", 0, 2, Measured, "5 6; a/A/1: 5; b/A/1: 5=51 6=50"},
		} {
			p, err := d.Panel(bg, c.run, c.n, c.metric)
			if err != nil {
				t.Fatal(err)
			}
			if got := panelText(p, c.metric); got != c.want {
				t.Errorf("%s: Panel(%d, %d) = %s\nwant %s", c.reason, c.run, c.n, got, c.want)
			}
		}
		p, err := d.Panel(bg, 6, 0, Measured)
		if err != nil {
			t.Fatal(err)
		}
		k := &p.Kernels[slices.IndexFunc(p.Kernels, func(k Kernel) bool { return k.Key.Task == "b" })]
		want := Point{Run: 1, Time: start, Value: 51, Verdict: "below"}
		if got := k.Points(Measured); len(got) != 3 || got[0] != want || len(k.Points(Seconds)) != 0 {
			t.Errorf("Points = %+v; want %+v first, and none of what was not asked for", got, want)
		}
		if place, ok := p.Place(6); !ok || place != len(p.Runs)-1 {
			t.Errorf("Place = %d, %v", place, ok)
		}
		if _, err := d.Panel(bg, 99, 0, Measured); !errors.Is(err, errNoRun) {
			t.Errorf("a run that is not there: %v", err)
		}
		if _, err := d.Accept(bg, Accept{Run: 6, Time: start}, nil); err != nil {
			t.Fatal(err)
		}
		for run, want := range map[int64]int{5: 0, 6: 1, 0: 1} {
			if p, err := d.Panel(bg, run, 0, Measured); err != nil || len(p.Accepts) != want {
				t.Errorf("Panel(%d) knows %d acceptances, %v; want %d", run, len(p.Accepts), err, want)
			}
		}
	})
}
