package trend

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// kind is a kind of noise, in points. make returns a function for a kernel. It
// returns the distance of the kernel's run i from its level. machine contains
// values that all kernels of a run share, for example the host of the run.
type kind struct {
	name string
	make func(rng *rand.Rand, k int, machine []float64) func(i int) float64
}

// each returns noise in which runs are independent. next returns the noise of a
// run.
func each(name string, s float64, next func(r *rand.Rand) float64) kind {
	return kind{fmt.Sprint(name, " ", s), func(r *rand.Rand, _ int, _ []float64) func(int) float64 {
		return func(int) float64 { return s * next(r) }
	}}
}

func normal(s float64) kind { return each("normal", s, (*rand.Rand).NormFloat64) }

// students returns noise with the tails of Student's t with 3 degrees of
// freedom and a variance of s squared.
func students(s float64) kind {
	return each("student", s, func(r *rand.Rand) float64 {
		x, sum := r.NormFloat64(), 0.0
		for range 3 {
			y := r.NormFloat64()
			sum += y * y
		}
		return x / math.Sqrt(sum/3) / math.Sqrt(3)
	})
}

// skew returns noise with large drops and small rises.
func skew(s float64) kind {
	return each("skew", s, func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() })
}

// outliers returns noise in which 5% of the runs are up to 15 points low.
func outliers(s float64) kind {
	return kind{fmt.Sprint("outliers ", s), func(r *rand.Rand, _ int, _ []float64) func(int) float64 {
		return func(int) float64 {
			x := s * r.NormFloat64()
			if r.Float64() < 0.05 {
				x -= 15 * r.Float64()
			}
			return x
		}
	}}
}

// auto returns autocorrelated noise. Every kernel whose number is divisible by
// step has the correlation rho, and the other kernels have none.
func auto(s, rho float64, step int) kind {
	name := fmt.Sprintf("ar(%g) %g", rho, s)
	if step > 1 {
		name += fmt.Sprintf(" in 1 of %d", step)
	}
	return kind{name, func(r *rand.Rand, k int, _ []float64) func(int) float64 {
		x, rho := s*r.NormFloat64(), rho
		if k%step > 0 {
			rho = 0
		}
		return func(int) float64 { x = rho*x + s*math.Sqrt(1-rho*rho)*r.NormFloat64(); return x }
	}}
}

// bursts returns noise in which 5% of the runs share the machine with another
// job. The job costs 30% of the kernels up to 8 points.
func bursts(s float64) kind {
	return kind{fmt.Sprint("bursts ", s), func(r *rand.Rand, _ int, machine []float64) func(int) float64 {
		return func(i int) float64 {
			x := s * r.NormFloat64()
			if machine[i] < 0.05 && r.Float64() < 0.3 {
				x -= 8 * r.Float64()
			}
			return x
		}
	}}
}

// hosts returns noise for runs on two machines. Each kernel has a separate
// level on each machine.
func hosts(s float64) kind {
	return kind{fmt.Sprint("hosts ", s), func(r *rand.Rand, _ int, machine []float64) func(int) float64 {
		other := s * r.NormFloat64()
		return func(i int) float64 {
			x := s * r.NormFloat64()
			if machine[i] > 0.5 {
				x += other
			}
			return x
		}
	}}
}

// drift returns noise in which the level moves in a random direction from run
// to run, by 10% of the noise.
func drift(s float64) kind {
	return kind{fmt.Sprint("drift ", s), func(r *rand.Rand, _ int, _ []float64) func(int) float64 {
		at := 0.0
		return func(int) float64 { at += 0.1 * s * r.NormFloat64(); return at + s*r.NormFloat64() }
	}}
}

// mixed returns noise with a different spread for each kernel. In every tenth
// kernel, four runs are outliers.
func mixed(s float64) kind {
	return kind{fmt.Sprint("mixed ", s), func(r *rand.Rand, _ int, _ []float64) func(int) float64 {
		own := s * math.Exp(0.8*r.NormFloat64())
		rate := 0.0
		if r.Float64() < 0.1 {
			rate = 0.25
		}
		return func(int) float64 {
			x := own * r.NormFloat64()
			if r.Float64() < rate {
				x -= 10
			}
			return x
		}
	}}
}

// kernels returns series for the given numbers of kernels and runs. move
// returns the shift of kernel k in run i.
func (n kind) kernels(rng *rand.Rand, kernels, runs int, move func(k, i int) float64) [][]Point {
	machine := make([]float64, runs)
	for i := range machine {
		machine[i] = rng.Float64()
	}
	all := make([][]Point, kernels)
	for k := range all {
		next, base := n.make(rng, k, machine), 45+45*rng.Float64()
		for i := range runs {
			v := base + next(i) + move(k, i)
			all[k] = append(all[k], Point{Run: i, Value: math.Round(10*min(100, max(0, v))) / 10})
		}
	}
	return all
}

func still(int, int) float64 { return 0 }

// drop returns a shift for kernels: the first kernels fall by some points from
// a run on.
func drop(fallen, at int, points float64) func(k, i int) float64 {
	return func(k, i int) float64 {
		if k < fallen && i >= at {
			return -points
		}
		return 0
	}
}

// redAt reports whether a finding in a series is open after a run.
func redAt(j Judged, run int) bool {
	for _, f := range j.Findings {
		if f.Opened <= run && (f.Closed < 0 || f.Closed > run) {
			return true
		}
	}
	return false
}

func replayed(t *testing.T, series [][]Point) *Replay {
	t.Helper()
	r, err := PointsGate().Replay(series)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// long returns a factor for the number of simulated histories. It is 0 for the
// quick test, and 1 for as many histories as in docs/design/gate-rule.md
// (OCCUDIFF_TEST=all). SIMULATE sets a larger factor.
func long() int {
	if os.Getenv("OCCUDIFF_TEST") != "all" {
		return 0
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv("SIMULATE"), "1"))
	if err != nil {
		panic(err)
	}
	return n
}

// TestSimulatedFalseAlarms checks the budget for all kinds of noise: the number
// of checks that open a finding without a drop.
func TestSimulatedFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		kind
		most float64 // largest number of checks that may open a finding, of 100
	}{
		{normal(0.5), 1}, {normal(2), 1}, {normal(5), 1}, {students(2), 1}, {outliers(0.5), 1}, {auto(2, 0.7, 1), 1.5},
		{skew(2), 1.5}, {auto(2, 0.9, 10), 5}, {bursts(1), 5}, {hosts(1), 5}, {drift(1), 20}, {mixed(1), 5},
	} {
		for _, kernels := range []int{1, 5, 20, 200} {
			for _, runs := range []int{30, 60} {
				many := long() * 10 * max(1, 20/kernels)
				if long() == 0 {
					if kernels != 20 || runs != 60 {
						continue
					}
					many = 2
				}
				rng, sum := rngOf(1, kernels), Backtest{}
				for range many {
					sum = sum.Plus(replayed(t, c.kernels(rng, kernels, runs, still)).Tally())
				}
				t.Logf("%-18s %3d kernels, %d runs: %.2f%% of %d checks opened a finding, %.2f%% were red", c.name,
					kernels, runs, sum.Rate(), sum.Checks, 100*float64(sum.FailedChecks)/float64(sum.Checks))
				allowed := c.most / 100 * float64(sum.Checks)
				if float64(sum.Opened) > allowed+2*math.Sqrt(allowed)+1 {
					t.Errorf("%s, %d kernels, %d runs: %d of %d checks opened a finding for nothing", c.name, kernels, runs,
						sum.Opened, sum.Checks)
				}
			}
		}
	}
}

// TestSimulatedPower checks how soon drops are found.
func TestSimulatedPower(t *testing.T) {
	for _, c := range []struct {
		kind
		drop float64
		want float64 // smallest share of drops that must be found within ten runs
	}{
		{normal(1), 20, 0.99}, {normal(0.5), 2, 0.95}, {normal(2), 10, 0.95},
		// A drop of 2.5 spreads may take longer, because hosts and days differ
		// by as much. Drops of 5 spreads are more important.
		{normal(2), 5, 0.35},
		{normal(5), 20, 0.95}, {students(2), 5, 0.8}, {outliers(0.5), 5, 0.8}, {outliers(0.5), 2, 0.8},
		{auto(2, 0.7, 1), 10, 0.75},
	} {
		for _, kernels := range []int{20, 200} {
			const at = 50
			many := long() * 4000 / kernels / 5
			if long() == 0 {
				if kernels != 20 {
					continue
				}
				many = 5
			}
			rng, fallen := rngOf(2, kernels), max(1, kernels/20)
			var delays [reach + 1]int
			for range many {
				r := replayed(t, c.kernels(rng, kernels, at+reach, drop(fallen, at, c.drop)))
				for k := range fallen {
					for _, f := range r.Series[k].Findings {
						if f.Opened >= at {
							delays[f.Opened-at+1]++
							break
						}
					}
				}
			}
			total, found, text := float64(many*fallen), 0, ""
			for runs, n := range delays {
				if found += n; runs > 0 {
					text += fmt.Sprintf(" %3.0f", 100*float64(found)/total)
				}
			}
			t.Logf("%-12s drop of %2.0f, %3d kernels: %% found by run 1..10:%s", c.name, c.drop, kernels, text)
			if float64(found) < c.want*total-2*math.Sqrt(total*c.want*(1-c.want))-0.5 {
				t.Errorf("%s: a drop of %v points is found by the tenth run in %d of %v cases", c.name, c.drop, found, total)
			}
		}
	}
}

// TestSimulatedUntouched moves some of the kernels down, up, and back. It
// checks that the other kernels pass.
func TestSimulatedUntouched(t *testing.T) {
	stories := []struct {
		name string
		move func(i int) float64
	}{
		{"up", func(i int) float64 { return 10 * on(i >= 30) }},
		{"down", func(i int) float64 { return -10 * on(i >= 30) }},
		{"down and back", func(i int) float64 { return -10 * on(i >= 30 && i < 45) }},
		{"up and back", func(i int) float64 { return 10 * on(i >= 30 && i < 45) }},
	}
	bad, total := 0, 0
	for n, s := range stories {
		for _, spread := range []float64{0.5, 1, 2} {
			for _, share := range []int{10, 30, 50, 60, 70, 90} {
				many := max(1, long()*2)
				if long() == 0 && (spread != 1 || share != 60) {
					continue
				}
				rng, red := rngOf(share, n*100+int(10*spread)), 0
				for range many {
					r := replayed(t, normal(spread).kernels(rng, 100, 70, func(k, i int) float64 {
						return s.move(i) * on(k < share)
					}))
					red += count(anyOf(r.Series[share:], func(j Judged) bool {
						return slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Opened >= 30 })
					}))
				}
				if red > 0 {
					t.Logf("%d of 100 kernels move %s at noise %v: an untouched one was red in %d of %d histories", share, s.name,
						spread, red, many)
				}
				bad, total = bad+red, total+many
			}
		}
	}
	t.Logf("untouched kernels were red in %d of %d histories", bad, total)
	if float64(bad) > 0.05*float64(total)+1 {
		t.Errorf("untouched kernels were red in %d of %d histories", bad, total)
	}
}

func on(is bool) float64 { return float64(count(is)) }

func anyOf(list []Judged, is func(Judged) bool) bool {
	for _, j := range list {
		if is(j) {
			return true
		}
	}
	return false
}

// TestSimulatedSoon checks that a drop is found that starts soon after the
// level was accepted.
func TestSimulatedSoon(t *testing.T) {
	found, total := 0, 0
	for _, after := range []int{1, 2, 3, 5, 8, 12} {
		for _, kernels := range []int{20, 100} {
			rng := rngOf(after, kernels)
			for range 1 + 3*long() {
				series := normal(0.5).kernels(rng, kernels, 30+after+4, drop(1, 30+after, 10))
				for k := range series {
					series[k][30].Restart = true
				}
				ok := redAt(replayed(t, series).Series[0], 30+after+3)
				if !ok {
					t.Logf("%d runs after the baseline, of %d kernels: %+v", after, kernels, series[0][26:])
				}
				found += count(ok)
				total++
			}
		}
	}
	t.Logf("drops of 10 at noise 0.5 soon after a baseline: %d of %d were found by the fourth run", found, total)
	if found < total {
		t.Errorf("%d of %d drops soon after a baseline were not found by the fourth run", total-found, total)
	}
}

// TestSimulatedLasting checks that the gate keeps failing for a drop that
// lasts.
func TestSimulatedLasting(t *testing.T) {
	green, checks, closed, drops := 0, 0, 0, 0
	for _, c := range []struct {
		kind
		drop float64
	}{{normal(2), 5}, {normal(1), 5}, {normal(2), 10}, {students(2), 5}, {outliers(0.5), 5}, {auto(2, 0.7, 1), 10}} {
		rng := rngOf(7, 7)
		g, n, cl := 0, 0, 0
		for range 2 + 8*long() {
			r := replayed(t, c.kernels(rng, 20, 80, drop(5, 40, c.drop)))
			for _, j := range r.Series[:5] {
				opened := -1
				for _, f := range j.Findings {
					if f.Opened >= 40 && opened < 0 {
						opened = f.Opened
					}
				}
				if opened < 0 {
					continue
				}
				drops++
				was := false
				for i := opened + 1; i < 80; i++ {
					n++
					g += count(!redAt(j, i))
					was = was || !redAt(j, i)
				}
				cl += count(was)
			}
		}
		t.Logf("%-12s drop of %2.0f: %.1f%% of %d later checks were green", c.name, c.drop, 100*float64(g)/float64(max(1, n)), n)
		green, checks, closed = green+g, checks+n, closed+cl
	}
	t.Logf("lasting drops were green in %.1f%% of %d later checks; %d of %d at least once", 100*float64(green)/float64(checks),
		checks, closed, drops)
	if float64(green) > 0.03*float64(checks)+2 {
		t.Errorf("lasting drops were green in %d of %d later checks", green, checks)
	}
}

// TestSimulatedRecovery checks that the gate passes soon after a kernel
// recovers.
func TestSimulatedRecovery(t *testing.T) {
	for _, c := range []struct {
		kind
		drop float64
		runs int // runs until nearly all kernels pass
	}{{normal(1), 10, 2}, {normal(2), 10, 4}, {normal(0.5), 5, 2}, {outliers(0.5), 10, 6}, {auto(2, 0.7, 1), 15, 10}} {
		rng, total := rngOf(8, 8), 0
		var after [13]int
		for range 2 + 8*long() {
			r := replayed(t, c.kernels(rng, 20, 62, func(k, i int) float64 { return -c.drop * on(k < 5 && i >= 35 && i < 50) }))
			for _, j := range r.Series[:5] {
				if !redAt(j, 49) {
					continue
				}
				total++
				for i := range after[1:] {
					after[i+1] += count(!redAt(j, 50+i))
				}
			}
		}
		t.Logf("%-12s drop of %2.0f recovered: green after 1.. runs: %v of %d", c.name, c.drop, after[1:], total)
		if float64(after[c.runs]) < 0.85*float64(total)-1 {
			t.Errorf("%s: %d of %d drops of %v are green %d runs after they were recovered", c.name, after[c.runs], total, c.drop, c.runs)
		}
	}
}

// TestSimulatedShort checks short histories, in which a drop of 60 spreads must
// be found immediately.
func TestSimulatedShort(t *testing.T) {
	for _, kernels := range []int{1, 5, 12, 40} {
		for _, fallen := range []int{1, kernels} {
			rng, found, many := rngOf(9, kernels), 0, 10
			for range many {
				r := replayed(t, normal(0.15).kernels(rng, kernels, 13, drop(fallen, 9, 9)))
				found += count(redAt(r.Series[0], 12))
			}
			if found < many {
				t.Errorf("%d of %d kernels fell by 9 points after 9 runs: the first is red by the fourth run in %d of %d histories",
					fallen, kernels, found, many)
			}
		}
	}
}
