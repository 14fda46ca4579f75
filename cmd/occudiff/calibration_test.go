package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

// simulatedRow contains the true values of a kernel in a simulated run. Some
// fields are set by only one of the two simulators.
type simulatedRow struct {
	Device, Given      string  // Given is the device that the user names
	Asked              float64 // microseconds between samples
	Said               bool    // whether the user states this sampling interval
	Kernel             json.RawMessage
	Measured, Occ, Own float64
	Dispatch, Drain    float64
	Resource           float64
	Large              bool
	GroupsPerCore      int
	Kernels            int
	Effects, Speed     map[string]float64
	simulated          simulatedKernel
	name               string
}

// simulatedKernel is a kernel of the second simulator.
type simulatedKernel struct {
	Name    string
	PerCore int // work-groups per Xe-core that SLM allows
	Groups  int
}

// effectNames contains, for each effect of the simulators, the causes that
// correctly name it.
var effectNames = map[string][]string{
	"gaps": {compare.CauseGaps}, "dispatch": {compare.CauseDispatch}, "overhead": {compare.CauseDispatch, compare.CauseGaps},
	"uneven": {compare.CauseImbalance}, "whole": {compare.CauseImbalance}, "layout": {compare.CauseImbalance}, "grf": {compare.CauseGRF},
	"slm":     {compare.CauseSLM, compare.CauseBarriers, compare.CauseModelMismatch},
	"place":   {compare.CausePlacement, compare.CauseImbalance},
	"stack":   {compare.CauseStack, compare.CauseAdapters},
	"foreign": {compare.CauseSampling, compare.CauseConcurrentKernels}, "overlap": {compare.CauseSampling, compare.CauseConcurrentKernels},
}

// effects returns the percentage points of occupancy that each effect costs a
// row.
func (s *simulatedRow) effects(row *compare.Row) map[string]float64 {
	p := row.Predicted
	if s.Effects == nil { // the first simulator
		lastWave, limit := p.Peak.Minus(p.Average), (1 - p.Peak).Percent()
		e := map[string]float64{"gaps": s.Occ - s.Measured, "dispatch": s.Dispatch, "uneven": max(s.Drain-float64(lastWave)-limit, 0)}
		switch {
		case s.Large:
			e["grf"] = s.Resource
		case s.GroupsPerCore > 0:
			e["slm"] = s.Resource
		default:
			e["uneven"] += s.Resource
		}
		if s.Kernels > 1 && e["gaps"] > 0 { // the other kernel's share may also explain the gaps
			e["foreign"] = e["gaps"]
		}
		return e
	}
	if row.Verdict == compare.Above {
		return map[string]float64{"foreign": s.Measured - s.Occ, "overlap": s.Occ - s.Own}
	}
	e := map[string]float64{}
	for name, points := range s.Effects {
		e[name] = points
	}
	if s.simulated.PerCore > 0 {
		e["slm"] = max(e["slm"], e["whole"])
		delete(e, "whole")
		if int64(s.simulated.PerCore) >= p.GroupsPerXeCore { // the prediction already includes this effect
			delete(e, "slm")
		}
	}
	return e
}

// isTrue reports whether a cause is correct: it names effects that explain at
// least half of its part of the breakdown. If heads is true, the cause is the
// cause of a row and must also name the largest effect.
func (s *simulatedRow) isTrue(row *compare.Row, c *compare.Cause, heads bool) bool {
	if c.Name == compare.CauseModelMismatch && s.Given != s.Device && s.Given != "" {
		return true
	}
	own, largest := 0.0, 0.0
	for name, points := range s.effects(row) {
		if largest = max(largest, points); slices.Contains(effectNames[name], c.Name) {
			own = max(own, points)
		}
	}
	if heads {
		return own >= 3 && own >= largest
	}
	missing := -float64(row.Difference.Or(0))
	if row.Breakdown != nil {
		missing = min(missing, float64(row.Breakdown.Points(c.Part).Or(unit.Points(missing))))
	}
	return own >= max(3, missing/2)
}

// simulatedRuns compares each run in a simulator's folder with its prediction,
// and calls each for every row.
func simulatedRuns(t *testing.T, dir string, each func(run string, row *compare.Row, s *simulatedRow, kernel int)) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "*", "truth.json"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("%s has no runs: %v", dir, err)
	}
	for _, path := range runs {
		run := filepath.Dir(path)
		var list []simulatedRow
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &list)
		}
		if err != nil {
			t.Fatal(err)
		}
		files := []string{filepath.Join(run, "run.csv")}
		if _, err := os.Stat(filepath.Join(run, "t.json")); err == nil {
			files = append(files, filepath.Join(run, "t.json"))
		}
		a := &app{stderr: io.Discard}
		a.setDefaults()
		if a.Device = list[0].Device; list[0].Given != "" {
			a.Device = list[0].Given
		}
		if list[0].Said {
			a.Sampling, a.samplingSet = time.Duration(list[0].Asked*1e3), true
		}
		r, err := compareFiles(a, files)
		if err != nil {
			t.Fatalf("%s: %v", run, err)
		}
		for k := range list {
			s := &list[k]
			if s.Kernels = len(list); json.Unmarshal(s.Kernel, &s.name) != nil {
				if err := json.Unmarshal(s.Kernel, &s.simulated); err != nil {
					t.Fatal(err)
				}
				s.name = s.simulated.Name
			}
			if i := slices.IndexFunc(r.Rows, func(row compare.Row) bool { return row.Task == s.name }); i >= 0 {
				each(run, &r.Rows[i], s, k)
			}
		}
	}
}

// simulations are the simulated runs in which causes are counted. The project's
// goals are measured on runs with other seeds.
var simulations = []struct {
	simulator  int // first or second simulator
	seed, runs string
}{{0, "771", "200"}, {1, "88101", "340"}, {1, "55117", "200"}}

// remedyRow is the gain of a remedy in the second simulator, as printed.
type remedyRow struct {
	Remedy   string `col:"Remedy"`
	Given    int    `col:"Given"`
	Median   string `col:"Median speedup"`
	Useless  int    `col:"Useless (under 2%)"`
	Harmful  int    `col:"Harmful"`
	Bounded  int    `col:"With a bound"`
	Exceeded int    `col:"Bound exceeded"`
	gains    []float64
}

// changes contains the name of the second simulator's change that corresponds
// to each remedy.
var changes = map[compare.Remedy]string{compare.LongerThreads: "quarter", compare.LessSLM: "slm2", compare.BalanceWorkGroups: "uneven",
	compare.BalanceWork: "spread", compare.MoreThreads: "full", compare.ShorterGaps: "gaps", compare.FewerRegisters: "registers",
	compare.AllStacks: "spread"}

// gained returns the speedup in the second simulator if the remedy of a row is
// applied.
func gained(t *testing.T, simulator, seed, run string, row *compare.Row, s *simulatedRow, kernel int) (speedup float64, known bool) {
	t.Helper()
	h := row.Fix
	if h.Remedy != compare.FillWaves && h.Remedy != compare.MoreWorkGroups {
		change, known := changes[h.Remedy]
		speedup, changed := s.Speed[change]
		if !changed {
			speedup = 1
		}
		return speedup, known
	}
	set := func(what string) (result struct{ Speed float64 }) {
		number := cmp.Or(strings.TrimLeft(filepath.Base(run), "r0"), "0")
		out, err := exec.Command(simulator, "-seed", seed, "-run", number, "-kernel", strconv.Itoa(kernel),
			"-set", what+"="+strconv.FormatInt(h.At, 10)).Output()
		if err == nil {
			err = json.Unmarshal(out, &result)
		}
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	return max(set("groups").Speed, set("bigger").Speed*float64(h.At)/float64(max(s.simulated.Groups, 1))), true
}

// TestCalibration counts how often each ground (the rule by which a cause is
// named) names the true cause of simulated rows. It also measures the speedup
// from each remedy. With -update, it writes the counts from which confidences
// are derived. The simulation takes half an hour, unless the environment
// variable OCCUDIFF_SIMULATED names a folder with finished runs, such as
// sim2-88101.
func TestCalibration(t *testing.T) {
	oracle := testenv.Shared(t, "oracle")
	if !testenv.Update() {
		testenv.Long(t)
	}
	build := t.TempDir()
	simulate := func(simulator, seed, runs string) (program, folder string) {
		program = filepath.Join(build, simulator)
		command := exec.Command("go", "build", "-o", program, ".")
		command.Dir = filepath.Join(oracle, simulator)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if dir := os.Getenv("OCCUDIFF_SIMULATED"); dir != "" && testenv.Update() {
			return program, filepath.Join(dir, simulator+"-"+seed)
		}
		folder = filepath.Join(build, simulator+"-"+seed)
		if out, err := exec.Command(program, "-n", runs, "-seed", seed, "-o", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return program, folder
	}
	var counts [2][2]map[compare.Ground]simulatedCount
	for i := range counts {
		counts[i] = [2]map[compare.Ground]simulatedCount{{}, {}}
	}
	var remedies []remedyRow
	for _, of := range simulations {
		if !testenv.Update() { // without -update, other runs than the counted runs
			of.runs, of.seed = "15", "99"+of.seed
		}
		simulator, folder := simulate([...]string{"sim", "sim2"}[of.simulator], of.seed, of.runs)
		simulatedRuns(t, folder, func(run string, row *compare.Row, s *simulatedRow, kernel int) {
			count(&counts[of.simulator], row, s)
			h := row.Fix
			if of.simulator == 0 || !h.SavesTime() || !testenv.Update() {
				return
			}
			at := slices.IndexFunc(remedies, func(r remedyRow) bool { return r.Remedy == string(h.Remedy) })
			if at < 0 {
				at, remedies = len(remedies), append(remedies, remedyRow{Remedy: string(h.Remedy)})
			}
			speedup, known := gained(t, simulator, of.seed, run, row, s, kernel)
			remedies[at].add(h, speedup, known)
		})
	}
	if !testenv.Update() {
		checkConfidences(t, &counts)
		return
	}
	slices.SortFunc(remedies, func(a, b remedyRow) int { return b.Given - a.Given })
	var b strings.Builder
	for _, r := range remedies {
		fmt.Fprintf(&b, "%s,%d,%s,%d,%d,%d,%d\n", r.Remedy, r.Given, r.median(), r.Useless, r.Harmful, r.Bounded, r.Exceeded)
	}
	testenv.Golden(t, filepath.Join("testdata", "remedies.csv"), []byte(b.String()))
	b.Reset()
	for g := range compare.Grounds {
		for reliable := range 2 {
			for i := range counts {
				n := counts[i][reliable][compare.Ground(g)]
				fmt.Fprintf(&b, "%s%d %d", [...]string{"", " "}[min(i+reliable, 1)], n.True, n.Rows)
			}
		}
		fmt.Fprintf(&b, ": %s\n", compare.Grounds[g].Text)
	}
	testenv.Golden(t, filepath.Join("..", "..", "compare", "observed.txt"), []byte(b.String()))
}

// reliableSampling reports whether the sampling of a row allows more than low
// confidence.
func reliableSampling(c *compare.Certainty) bool {
	wrong, known := c.Misattributed.Value()
	most := unit.Ratio(0.25)
	if !known {
		most = 0.05
	}
	return c.OtherTasks.Or(1) <= most && wrong <= compare.MisattributedMedium
}

// simulatedCount is the number of simulated rows with a ground, and the number
// of those rows for which the cause is true.
type simulatedCount struct{ True, Rows int }

// observedCounts returns, for each ground, the stored counts of true causes on
// the two simulators: first for rows with unreliable counters, then for rows
// with reliable counters. A line is, for example, "3 3 23 29 20 20 162 173: XVEs
// are idle". The numbers are pairs: rows with a true cause, and all rows.
func observedCounts(t *testing.T) (counts [len(compare.Grounds)][2][2]simulatedCount) {
	t.Helper()
	observed, err := os.ReadFile(filepath.Join("..", "..", "compare", "observed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for g, line := range strings.Split(strings.TrimSpace(string(observed)), "\n") {
		var n [8]int
		for i, text := range strings.Fields(strings.Split(line, ":")[0]) {
			if n[i], err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
		counts[g] = [2][2]simulatedCount{{{n[0], n[1]}, {n[2], n[3]}}, {{n[4], n[5]}, {n[6], n[7]}}}
	}
	return counts
}

// groundConfidence returns the confidence of a ground if the sampling is
// reliable or not. A trace is always reliable.
func groundConfidence(g compare.Ground, reliable bool) compare.Confidence {
	info := compare.Grounds[g]
	if reliable || strings.HasPrefix(info.Text, "traced") {
		return info.Sure
	}
	return compare.Low
}

// countedConfidence returns the confidence that follows from the counts of a
// ground. High confidence requires high confidence on each simulator.
func countedConfidence(counts [2][2]simulatedCount) compare.Confidence {
	weak, good := counts[0], counts[1]
	for i := range weak {
		weak[i].True, weak[i].Rows = weak[i].True+good[i].True, weak[i].Rows+good[i].Rows
	}
	of := func(n [2]simulatedCount) compare.Confidence {
		both := simulatedCount{n[0].True + n[1].True, n[0].Rows + n[1].Rows}
		switch {
		case min(n[0].atLeast(), n[1].atLeast()) >= 0.9:
			return compare.High
		case both.atLeast() >= 0.8:
			return compare.Medium
		}
		return compare.Low
	}
	return max(of(good), of(weak))
}

// atLeast returns the lower end of Wilson's interval for the share of true
// causes, because noise alone can make all of a few rows true.
func (n simulatedCount) atLeast() float64 {
	if n.Rows == 0 {
		return 0
	}
	const z = 1.645 // the 95% quantile of the normal distribution
	rows := float64(n.Rows)
	p := float64(n.True) / rows
	return (p + z*z/(2*rows) - z*math.Sqrt(p*(1-p)/rows+z*z/(4*rows*rows))) / (1 + z*z/rows)
}

// TestGroundConfidences compares the confidence of each ground with the stored
// counts. A ground can have a lower confidence if real runs contradict the
// counts, and a higher one if the simulators have too few rows with it.
func TestGroundConfidences(t *testing.T) {
	lower := []string{"threads of at most 5 us"} // a public trace shows gaps in such a run
	counts := observedCounts(t)
	for g, info := range compare.Grounds {
		counted := countedConfidence(counts[g])
		rows := counts[g][1][0].Rows + counts[g][1][1].Rows
		if info.Sure < counted && !slices.Contains(lower, info.Text) || info.Sure > counted && rows > 20 &&
			info.Cause != compare.CauseModelMismatch {
			t.Errorf("%s: %s, counted %s", info.Text, info.Sure, counted)
		}
	}
}

// count adds the causes of a row to the counts of their grounds.
func count(counts *[2]map[compare.Ground]simulatedCount, row *compare.Row, s *simulatedRow) {
	if row.Cause == nil || row.Cause.Ground == 0 {
		return
	}
	causes := []compare.Cause{*row.Cause}
	if row.Breakdown != nil {
		causes = row.Breakdown.Causes
	}
	for i := range causes {
		c, reliable := &causes[i], 0
		if c.Name == compare.CauseUnexplained {
			continue
		}
		if reliableSampling(&row.Certainty) || c.Name == compare.CauseModelMismatch { // a model mismatch needs no samples
			reliable = 1
		}
		n := counts[reliable][c.Ground]
		if n.Rows++; s.isTrue(row, c, i == 0) {
			n.True++
		}
		counts[reliable][c.Ground] = n
	}
}

// checkConfidences checks the confidences in new runs. Grounds with medium
// confidence must be true in 80% of the rows, and grounds with high confidence
// in 90%. The check allows two standard errors less, because the number of rows
// is limited.
func checkConfidences(t *testing.T, counts *[2][2]map[compare.Ground]simulatedCount) {
	t.Helper()
	for _, sure := range []compare.Confidence{compare.Medium, compare.High} {
		var n simulatedCount
		for i := range counts {
			for reliable := range 2 {
				for g, c := range counts[i][reliable] {
					if groundConfidence(g, reliable == 1) == sure {
						n.True, n.Rows = n.True+c.True, n.Rows+c.Rows
					}
				}
			}
		}
		share := map[compare.Confidence]float64{compare.Medium: 0.8, compare.High: 0.9}[sure]
		least := share - 2*math.Sqrt(share*(1-share)/float64(max(n.Rows, 1)))
		t.Logf("%s: %d of %d", sure, n.True, n.Rows)
		if float64(n.True) < least*float64(n.Rows) {
			t.Errorf("%s: true of %d in %d rows, want at least %.0f%%", sure, n.True, n.Rows, 100*share)
		}
	}
}

// add counts the speedup from a remedy.
func (r *remedyRow) add(h compare.PossibleFix, speedup float64, known bool) {
	r.Given++
	if !known {
		return
	}
	r.gains = append(r.gains, speedup)
	if speedup < 1.02 {
		r.Useless++
	}
	if speedup < 0.98 {
		r.Harmful++
	}
	if most, bounded := h.Bound.Value(); bounded {
		if r.Bounded++; speedup > 1.02*most+0.05 {
			r.Exceeded++
		}
	}
}

func (r *remedyRow) median() string {
	if len(r.gains) == 0 {
		return "-"
	}
	slices.Sort(r.gains)
	return fmt.Sprintf("%.2f", r.gains[len(r.gains)/2])
}

// groundRow is a ground with its counts, for a table in the documentation.
type groundRow struct {
	Cause      string `col:"Cause"`
	Ground     string `col:"Named if"`
	Sampling   string `col:"Sampling"`
	First      string `col:"True, first simulator"`
	Second     string `col:"True, second simulator"`
	Confidence string `col:"Confidence"`
}

// calibration returns the grounds with their counts as rows of a table.
func calibration(t *testing.T) (rows []groundRow) {
	counts := observedCounts(t)
	for i := 1; i < len(compare.Grounds); i++ {
		g, info := compare.Ground(i), compare.Grounds[i]
		for reliable, sampling := range []string{"weak", "good"} {
			n := counts[g][reliable]
			if n[0].Rows+n[1].Rows+reliable == 0 {
				continue
			}
			row := groundRow{info.Cause, info.Text, sampling, fmt.Sprintf("%d of %d", n[0].True, n[0].Rows),
				fmt.Sprintf("%d of %d", n[1].True, n[1].Rows), groundConfidence(g, reliable == 1).String()}
			if reliable == 1 && info.Sure != countedConfidence(counts[g]) {
				row.Confidence += " (fixed)"
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// remediesOf returns the stored speedups from the remedies.
func remediesOf(t *testing.T) (rows []remedyRow) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "remedies.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		n := make([]int, len(l))
		for i, cell := range l {
			n[i], _ = strconv.Atoi(cell)
		}
		rows = append(rows, remedyRow{Remedy: l[0], Given: n[1], Median: l[2], Useless: n[3], Harmful: n[4], Bounded: n[5], Exceeded: n[6]})
	}
	return rows
}
