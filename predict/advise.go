package predict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// VariableSettings describes which settings of a launch Advise may change; the
// zero value changes none. A setting that the launch lacks (no local size, no
// sub-group size) is always searched, since there is no prediction without it.
type VariableSettings struct {
	Local, SIMD, SLM, GRF bool
}

// allows reports whether a setting may change. What is no setting of a search
// (barriers, the number of work-groups) may.
func (may VariableSettings) allows(setting string) bool {
	allowed, known := map[string]bool{SettingLocal: may.Local, SettingSLM: may.SLM, SettingGRF: may.GRF}[setting]
	return allowed || !known
}

// Change is one setting that differs from the launch that was asked about. From
// is 0 where the launch had none.
type Change struct {
	Setting string // one of the Setting... constants
	From    int64  // work-items, lanes, bytes, registers, barriers or work-groups
	To      int64
	Text    string // "work-group size 320 -> 448"; of a change that is proposed
}

// The settings that a Change names.
const (
	SettingLocal    = "work-group size"
	SettingSIMD     = "sub-group size"
	SettingSLM      = "SLM per work-group"
	SettingGRF      = "registers per thread"
	SettingBarriers = "barriers per work-group"
	SettingGroups   = "work-groups"
)

// worded returns a setting that is proposed, with its changes against the
// launch that was asked about.
func (s *Setting) worded(d *arch.Device, from Launch) Setting {
	chosen := *s
	chosen.Changes = changes([]Change{}, d, from, s.Launch)
	for i := range chosen.Changes {
		chosen.Changes[i] = chosen.Changes[i].worded()
	}
	return chosen
}

// worded returns the change with its text.
func (c Change) worded() Change {
	from, to := unit.Thousands(c.From), unit.Thousands(c.To)
	if c.Setting == SettingSLM {
		from, to = unit.FormatBytes(unit.Bytes(c.From)), unit.FormatBytes(unit.Bytes(c.To))
	}
	if c.From == 0 && c.Setting != SettingSLM {
		from = ""
	} else {
		from += " -> "
	}
	c.Text = c.Setting + " " + from + to
	return c
}

// Setting is a launch that advice proposes.
type Setting struct {
	Launch     Launch
	Prediction Prediction
	Changes    []Change // against the launch that was asked about; empty when it is that launch, never nil

	changed                   int        // how many settings differ; Changes are made of what is chosen
	cost                      float64    // see costOf
	usefulAverage, usefulPeak unit.Ratio // see useful
}

// Advice is what would raise the occupancy of a launch. It is plain data;
// nothing in it has been measured.
type Advice struct {
	Current   *Prediction // nil when the launch as it stands cannot run
	Rejection error       // why it cannot: a *LaunchError

	// Best are settings that reach the highest average (without a global size:
	// the highest Xe-core occupancy) to within the printed digit, then the
	// highest peak, both without the idle lanes; among equals the least change
	// first, then the largest sub-group, then the smallest work-group. When no
	// setting of the highest average has the highest peak, the last one has.
	// Never nil; empty when no setting runs.
	Best []Setting
	// Equal is the number of settings that reach as much as the first of Best.
	Equal int
	// Least is the smallest change of a single setting that gains at least
	// minGain points of peak or average and costs neither, also when lanes
	// without a work-item do not count; for a launch that cannot run, the
	// smallest that makes it run. Nil when there is none.
	Least    *Setting
	Next     []NextStep // how far each limit is from letting go, by what may change; never nil
	FullGrid FullGrid   // work-groups that fill the GPU, of the launch as it stands or else of the first of Best
	// SLMRoom is the most SLM per work-group that leaves the work-groups per
	// Xe-core as they are, 0 when none does.
	SLMRoom unit.Bytes
}

// minGain is how many points a single change has to gain to be worth naming.
const minGain unit.Points = 1

// sameResult is the difference of ratios that a printed percentage with one
// decimal does not show.
const sameResult = 0.0005

// mostBest is how many of the best settings are worth a reader's time.
const mostBest = 5

// Advise searches the settings that may change for those of the highest
// occupancy. The search covers the sub-group sizes from the launch's own on,
// GRF modes and SLM steps of the device and every work-group size that divides
// the global size and is a multiple of the sub-group size; where there is none,
// work-groups along the first dimension whose last one is smaller. Settings are
// ranked by the occupancy of the lanes in use, for a launch that fills threads
// with idle lanes only looks occupied. So does one of smaller sub-groups: they
// take more threads for the same work-items, and none is tried. SLM is never
// dropped altogether, nor raised: less of it is a matter of rewriting the
// kernel, none of it of writing another one; so the launch keeps its policy.
//
// The error is a *LaunchError when there is no device or what may not change
// keeps every setting from running.
func Advise(d *arch.Device, l Launch, may VariableSettings) (Advice, error) {
	a := Advice{Best: []Setting{}, Next: []NextStep{}}
	if p, err := Predict(d, l); err == nil {
		a.Current = &p
		a.Next = slices.DeleteFunc(nextSteps(d, l), func(n NextStep) bool { return !may.allows(n.Change.Setting) })
	} else {
		a.Rejection = err
	}
	if bad := (*LaunchError)(nil); d == nil || errors.As(a.Rejection, &bad) && bad.Code == codeDimensions {
		return a, a.Rejection // sizes that contradict each other are no launch to improve
	}
	found := search(d, l, may)
	if a.Current == nil && len(found) == 0 {
		return a, a.Rejection
	}
	var top tops
	for i := range found {
		top.average, top.peak = max(top.average, found[i].usefulAverage), max(top.peak, found[i].usefulPeak)
	}
	a.Best = top.best(d, l, found)
	for i := range found {
		if level(found[i].usefulAverage, top.average) == 0 && len(a.Best) > 0 &&
			level(found[i].usefulPeak, top.peak) == level(a.Best[0].usefulPeak, top.peak) {
			a.Equal++
		}
	}
	a.Least = top.leastChange(d, l, found, a.Current)
	shown := l
	if a.Current == nil {
		shown = a.Best[0].Launch
	}
	a.FullGrid, _ = fullGridOf(d, shown)
	a.SLMRoom = slmRoom(d, shown)
	return a, nil
}

// outcome returns the two figures that settings are ranked by: average and
// peak, or the Xe-core's where there is no grid.
func (s *Setting) outcome() (average, peak unit.Ratio) {
	if s.Prediction.HasGrid() {
		return s.Prediction.Average, s.Prediction.Peak
	}
	return s.Prediction.XeCore, s.Prediction.XeCore
}

// useful returns the outcome without the lanes that have no work-item: in
// sub-groups that a work-group does not fill, and in work-groups that are
// smaller than the others.
func (s *Setting) useful() (average, peak unit.Ratio) {
	p := &s.Prediction
	items, groups := p.GroupSize, int64(1)
	if p.HasGrid() {
		items, _ = s.Launch.Global.Items()
		groups = p.Groups
	}
	share := unit.Ratio(float64(items) / (float64(groups) * float64(p.ThreadsPerGroup) * float64(s.Launch.SIMD)))
	average, peak = s.outcome()
	return average * share, peak * share
}

// costOf describes how much of a change a setting is: first how many settings
// differ, then by how many doublings. Among equal ones a launch parameter is
// changed more easily than SLM, that more easily than how the kernel is
// compiled.
func costOf(list []Change) float64 {
	sum := 0.
	for _, c := range list {
		sum += 100
		switch c.Setting {
		case SettingSLM:
			sum += 0.01
		case SettingSIMD:
			sum += 0.02
		case SettingGRF:
			sum += 0.03
		}
		if c.From > 0 && c.To > 0 {
			sum += math.Abs(math.Log2(float64(c.To) / float64(c.From)))
		}
	}
	return sum
}

// tops are the highest outcomes of the lanes in use that were found.
type tops struct{ average, peak unit.Ratio }

// level is 0 at the top, larger below, equal where print is.
func level(r, top unit.Ratio) int { return int(float64(top-r) / sameResult) }

// compare puts the better setting first. Of equal ones it is the one with the
// least change, then the largest sub-group, which starts the fewest threads,
// then the smallest work-group, which leaves the shortest last wave.
func (t *tops) compare(x, y *Setting) int {
	return cmp.Or(cmp.Compare(level(x.usefulAverage, t.average), level(y.usefulAverage, t.average)),
		cmp.Compare(level(x.usefulPeak, t.peak), level(y.usefulPeak, t.peak)), cmp.Compare(x.cost, y.cost),
		cmp.Compare(y.Launch.SIMD, x.Launch.SIMD), cmp.Compare(x.Prediction.GroupSize, y.Prediction.GroupSize))
}

// best picks what Advice.Best promises.
func (t *tops) best(d *arch.Device, l Launch, found []Setting) []Setting {
	chosen := []Setting{}
	if len(found) == 0 {
		return chosen
	}
	var highest []*Setting
	for i := range found {
		if level(found[i].usefulAverage, t.average) == 0 {
			highest = append(highest, &found[i])
		}
	}
	slices.SortStableFunc(highest, t.compare)
	choose := func(s *Setting) { chosen = append(chosen, s.worded(d, l)) }
	peakShown := false
	for _, s := range highest {
		if len(chosen) == mostBest {
			break
		}
		if !idleChange(d, l, s, chosen) {
			choose(s)
			peakShown = peakShown || level(s.usefulPeak, t.peak) == 0
		}
	}
	if !peakShown {
		var first *Setting
		for i := range found {
			s := &found[i]
			if level(s.usefulPeak, t.peak) == 0 && (first == nil || t.compare(s, first) < 0) {
				first = s
			}
		}
		choose(first)
	}
	return chosen
}

// idleChange reports whether a setting changes all that one already chosen
// changes, and more, or takes yet more SLM away: what it changes besides gains
// nothing, since those chosen before are at least as good.
func idleChange(d *arch.Device, l Launch, s *Setting, chosen []Setting) bool {
	var room [4]Change
	own := changes(room[:0], d, l, s.Launch)
	for i := range chosen {
		c := &chosen[i]
		same := s.Launch
		same.SLM = c.Launch.SLM
		if same == c.Launch && s.Launch.SLM < c.Launch.SLM {
			return true
		}
		more := slices.DeleteFunc(slices.Clone(own), func(a Change) bool {
			return slices.ContainsFunc(c.Changes, func(b Change) bool { return a.Setting == b.Setting })
		})
		if len(more) > 0 && len(more)+len(c.Changes) == len(own) {
			return true
		}
	}
	return false
}

// leastChange picks what Advice.Least promises.
func (t *tops) leastChange(d *arch.Device, l Launch, found []Setting, current *Prediction) *Setting {
	var now *Setting
	if current != nil {
		now = &Setting{Launch: l, Prediction: *current}
		now.usefulAverage, now.usefulPeak = now.useful()
	}
	var least *Setting
	for i := range found {
		s := &found[i]
		if s.changed != 1 || now != nil && !s.helps(now) {
			continue
		}
		if least == nil || cmp.Or(cmp.Compare(s.cost, least.cost),
			cmp.Compare(least.Prediction.Average, s.Prediction.Average), t.compare(s, least)) < 0 {
			least = s
		}
	}
	if least == nil {
		return nil
	}
	chosen := least.worded(d, l)
	return &chosen
}

// helps reports whether a setting gains enough of one figure and loses nothing
// of the other, with the idle lanes and without them.
func (s *Setting) helps(now *Setting) bool {
	gains := func(average, peak, newAverage, newPeak unit.Ratio) bool {
		const same = 1e-9 // equal shares of lanes are worked out in different orders
		return newAverage >= average-same && newPeak >= peak-same &&
			max(newAverage.Minus(average), newPeak.Minus(peak)) >= minGain
	}
	average, peak := now.outcome()
	newAverage, newPeak := s.outcome()
	return gains(average, peak, newAverage, newPeak) &&
		gains(now.usefulAverage, now.usefulPeak, s.usefulAverage, s.usefulPeak)
}

// FullGrid describes how many work-groups keep the whole GPU busy.
type FullGrid struct {
	Least    int64 // the fewest that reach the highest peak
	Multiple int64 // multiples of it leave no tail
}

// fullGridOf computes the work-groups that fill the GPU with a launch, whatever
// its global size. Under policy Whole both figures are Xe-cores x N; under Free
// a wave ends between work-groups where T does not divide the slots.
func fullGridOf(d *arch.Device, l Launch) (FullGrid, error) {
	l.Global = l.Local
	p, err := Predict(d, l) // an error if the number of Xe-cores is not known
	if err != nil {
		return FullGrid{}, err
	}
	wave := p.capacity(d, modeSlots(d, l.GRF))
	return FullGrid{Least: ceilDiv(wave, p.ThreadsPerGroup), Multiple: wave / gcd(wave, p.ThreadsPerGroup)}, nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// slmRoom finds the largest SLM step that admits as many work-groups as the
// launch has now.
func slmRoom(d *arch.Device, l Launch) unit.Bytes {
	now, err := Predict(d, l)
	if err != nil {
		return 0
	}
	var room unit.Bytes
	for _, step := range d.SLMSteps {
		other := l
		other.SLM = step
		if p, err := Predict(d, other); err == nil && step > 0 && p.GroupsPerXeCore >= now.GroupsPerXeCore {
			room = max(room, step)
		}
	}
	return room
}

// Words says in one line what a setting is and reaches.
func (s *Setting) Words() string {
	text := fmt.Sprintf("work-group %s, sub-group %d", product(s.Launch.Local), s.Launch.SIMD)
	if s.Launch.SLM > 0 {
		text += ", SLM " + unit.FormatBytes(s.Launch.SLM)
	}
	if s.Launch.GRF > 0 {
		text += fmt.Sprintf(", %d registers", s.Launch.GRF)
	}
	return text + ": " + s.Reached()
}

// Reached returns the occupancy of the setting, for example "Xe-core 100.0%".
func (s *Setting) Reached() string {
	average, peak := s.outcome()
	if !s.Prediction.HasGrid() {
		return "Xe-core " + percent(peak)
	}
	return "peak " + percent(peak) + ", average " + percent(average)
}
