package predict

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Kinds of difference between the prediction and Intel's calculator.
// docs/design/model.md contains the reasons.
const (
	equal          = "equal in every value"
	kindFree       = "free placement: threads of a work-group without barrier and SLM need not share an Xe-core"
	kindCapped     = "work-groups per Xe-core capped by the grid, so that its Xe-core is never full"
	kindOddGRF     = "large GRF halves 7 threads per XVE to 3.5"
	kindSLM        = "SLM above what a work-group may have: accepted or 0% there, rejected here"
	kindThreads    = "more threads than slots: 0% there, rejected here"
	kindWidth      = "sub-group size that the device lacks: computed there, rejected here"
	kindNoDivision = "local does not divide global: rejected there, a partial work-group here"
	kindBoth       = "work-group above the maximum: rejected by both"
	kindOther      = "rejected by both, for different reasons: each reports its first check"
	kindText       = "a text that is not a size: rejected by the form"
	kindFraction   = "not compared: a device with a fraction of an Xe-core"
	kindSlots      = "not compared: a device whose thread slots are not XVEs x threads"
)

// TestCalculatorDifferences compares every calculator row and determines each
// difference's kind. The test fails if a difference has no kind or if a kind's
// count changes. The calculator's barriers replace the work-group slots. No row
// shows this, because no device has more barrier slots than work-group slots
// and a launch that needs them.
func TestCalculatorDifferences(t *testing.T) {
	devices := calculatorDevices(t)
	counts := map[string]int{}
	rows := readOracle(t, "calculator.csv")
	for _, r := range rows {
		counts[calculatorKind(t, devices, r)]++
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[kind], kind)
	}
	t.Logf("%6d  rows", len(rows))
	want := map[string]int{
		equal: 10841, kindFree: 1015, kindCapped: 1007, kindOddGRF: 160,
		kindOddGRF + " + " + kindFree: 9, kindCapped + " + " + kindOddGRF: 17,
		kindSLM: 669, kindThreads: 107, kindWidth: 29,
		kindNoDivision: 1515, kindBoth: 274, kindOther: 73, kindText: 268,
		kindFraction: 1110, kindSlots: 888,
	}
	if !maps.Equal(counts, want) {
		t.Errorf("counts by kind: %v", counts)
	}
}

// calculatorKind returns a row's kind. The test fails if there is none.
func calculatorKind(t *testing.T, devices map[string]calculatorDevice, r record) string {
	c := devices[r["dev"]]
	d, why := c.device(int(r.int(t, "xve")))
	switch {
	case strings.HasPrefix(why, "a fraction"):
		return kindFraction
	case why != "":
		return kindSlots
	case r["status"] != "ok":
		return rejectedKind(t, d, r)
	}
	l := calculatorLaunch(t, r)
	whole := l
	whole.Policy = Whole
	p, err := Predict(d, whole)
	if err != nil {
		return onlyRejectedHere(t, r, err.(*LaunchError))
	}
	var kinds []string
	differ := differences(r, p)
	if n, ok := r.number("wg_total"); ok && int64(n) < p.GroupsPerXeCore {
		// The calculator's Xe-core occupancy then uses the launch's own
		// work-group count, and its waves use such Xe-cores.
		kinds = append(kinds, kindCapped)
		got, _ := r.number("core_pct")
		if want := ratio(int64(n)*p.ThreadsPerGroup, int64(d.SlotsPerXeCore())).Percent(); !near9(got, want) {
			t.Errorf("row %s: capped Xe-core occupancy %v, want %v", r["id"], got, want)
		}
		for _, column := range []string{"wg_per_core", "core_pct", "waves", "tail_pct"} {
			delete(differ, column)
		}
	}
	if l.GRF == 256 && d.ThreadsPerXVE%2 == 1 && len(differ) > 0 {
		kinds, differ = append(kinds, kindOddGRF), nil
	}
	if free, err := Predict(d, l); err == nil && l.Global.Present() && free.Peak != p.Peak {
		if free.Policy != Free || free.Peak < p.Peak || near9(p.XeCore.Percent(), 100) {
			t.Errorf("row %s: peak %v, whole %v", r["id"], free.Peak, p.Peak)
		}
		kinds = append(kinds, kindFree)
	}
	if len(differ) > 0 {
		t.Errorf("row %s (%s) differs without a reason: %v", r["id"], r["dev"], slices.Sorted(maps.Keys(differ)))
	}
	if len(kinds) == 0 {
		return equal
	}
	return strings.Join(kinds, " + ")
}

func calculatorLaunch(t *testing.T, r record) Launch {
	slm, _ := r.number("slm_kb")
	l := Launch{Local: unit.Size(r.int(t, "wg_items")), SIMD: int(r.int(t, "simd")), SLM: unit.Bytes(slm * kb), Barriers: int(r.int(t, "barrier"))}
	if r["large_grf"] == "1" {
		l.GRF = 256
	}
	if g := r.int(t, "global_items"); g > 0 {
		l.Global = unit.Size(g)
	}
	return l
}

// differences returns the columns in which a row and a prediction differ. The
// calculator rounds waves to two decimals, so its average is compared before
// that rounding.
func differences(r record, p Prediction) map[string]bool {
	slots := p.ByGroupSlots
	if p.ByBarriers != Unlimited {
		slots = p.ByBarriers
	}
	figures := map[string]float64{"threads_per_wg": float64(p.ThreadsPerGroup), "lim_threads": float64(p.ByThreads), "lim_slots": float64(slots),
		"wg_per_core": float64(p.GroupsPerXeCore), "core_pct": p.XeCore.Percent()}
	if p.BySLM != Unlimited {
		figures["lim_slm"], figures["slm_alloc_kb"] = float64(p.BySLM), float64(p.SLMAllocated)/kb
	}
	if p.HasGrid() {
		figures["wg_total"], figures["peak_pct"], figures["tail_pct"] = float64(p.Groups), p.Peak.Percent(), p.LastWaveOccupancy.Percent()
		figures["avg_exact_pct"], figures["waves"] = p.Average.Percent(), p.Waves
	}
	differ := map[string]bool{}
	for column, got := range figures {
		want, ok := r.number(column)
		if column == "waves" && math.Abs(got-want) < 0.00501 {
			continue
		}
		if !ok || !near9(got, want) {
			differ[column] = true
		}
	}
	return differ
}

// near9 reports whether values are equal, if the oracle prints them with 13
// digits.
func near9(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// rejectedKind returns the kind for a row that the calculator rejects, after
// checking the prediction.
func rejectedKind(t *testing.T, d *arch.Device, r record) string {
	global, errGlobal := unit.ParseSize(strings.ReplaceAll(r["global_text"], "*", "x"))
	local, errLocal := unit.ParseSize(strings.ReplaceAll(r["wg_text"], "*", "x"))
	if errGlobal != nil || errLocal != nil || !local.Present() {
		return kindText
	}
	slm, _ := r.number("slm_kb")
	l := Launch{Local: local, SIMD: int(r.int(t, "simd")), SLM: unit.Bytes(slm * kb)}
	items, _ := global.Items()
	group, _ := local.Items()
	l.Local = unit.Size(group)
	if items > 0 {
		l.Global = unit.Size(items)
	}
	p, err := Predict(d, l)
	if err != nil {
		refusal := err.(*LaunchError)
		if r["message"] == "wg_too_big" && refusal.Code != "group-too-large" {
			t.Errorf("row %s: too large there, %s here", r["id"], refusal.Code)
		}
		if refusal.Code == "group-too-large" && strings.Contains(r["message"], "wg_too_big") {
			return kindBoth
		}
		return kindOther
	}
	if r["message"] != "wg_not_dividing" || !p.Partial {
		t.Errorf("row %s: rejected there (%s), %+v here", r["id"], r["message"], p)
	}
	return kindNoDivision
}

// onlyRejectedHere returns the kind for a row that only the model rejects.
func onlyRejectedHere(t *testing.T, r record, refusal *LaunchError) string {
	switch refusal.Code {
	case "slm-too-large":
		return kindSLM
	case "too-many-threads":
		return kindThreads
	case "simd-unsupported":
		return kindWidth
	}
	t.Errorf("row %s: rejected without a reason: %s", r["id"], refusal)
	return refusal.Code
}

// TestFreePlacementCount counts the calculator's launches for which free
// placement changes the peak. It uses only the oracle's values, so that devices
// that cannot be predicted count as well.
func TestFreePlacementCount(t *testing.T) {
	devices := calculatorDevices(t)
	launches, differ := 0, 0
	for _, r := range readOracle(t, "calculator.csv") {
		peak, ok := r.number("peak_pct")
		if r["status"] != "ok" || !ok || r["global_items"] == "0" {
			continue
		}
		launches++
		if slm, _ := r.number("slm_kb"); slm != 0 || r["barrier"] == "1" || r["on_ui"] == "0" {
			continue
		}
		c := devices[r["dev"]]
		cores := c.XeCores[slices.Index(c.XVEs, int(r.int(t, "xve")))]
		slots := cores * float64(c.ThreadsPerCore)
		available := slots
		if r["large_grf"] == "1" {
			available /= 2
		}
		if !near9(100*min(available, float64(r.int(t, "wg_total")*r.int(t, "threads_per_wg")))/slots, peak) {
			differ++
		}
	}
	if launches != 15029 || differ != 1165 {
		t.Errorf("%d of %d launches, want 1,165 of 15,029", differ, launches)
	}
}
