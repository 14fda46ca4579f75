package predict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// VariableSettings selects the settings of a launch that Advise may change. The
// zero value changes none. If the launch lacks the local size or the sub-group
// size, that setting is always searched, because a prediction requires it.
type VariableSettings struct {
	Local, SIMD, SLM, GRF bool
}

// allows reports whether a setting may change. Settings that are never searched
// (barriers, work-group count) may always change.
func (may VariableSettings) allows(setting string) bool {
	allowed, known := map[string]bool{SettingLocal: may.Local, SettingSLM: may.SLM, SettingGRF: may.GRF}[setting]
	return allowed || !known
}

// A Change is one setting that differs from the original launch. From is 0 if
// the launch did not have the setting.
type Change struct {
	Setting string // one of the Setting... constants
	From    int64  // value in work-items, lanes, bytes, registers, barriers, or work-groups
	To      int64
	Text    string // "work-group size 320 -> 448"; only for a proposed change
}

// The settings that a Change can name.
const (
	SettingLocal    = "work-group size"
	SettingSIMD     = "sub-group size"
	SettingSLM      = "SLM per work-group"
	SettingGRF      = "registers per thread"
	SettingBarriers = "barriers per work-group"
	SettingGroups   = "work-groups"
)

// worded returns a copy of a proposed setting in which the text of each change
// is set.
func (s *Setting) worded(d *arch.Device, from Launch) Setting {
	chosen := *s
	chosen.Changes = changes([]Change{}, d, from, s.Launch)
	for i := range chosen.Changes {
		chosen.Changes[i] = chosen.Changes[i].worded()
	}
	return chosen
}

// proposed returns the same as worded. If the SLM per work-item may change, the
// texts contain it.
func (s *Setting) proposed(d *arch.Device, from Launch) Setting {
	chosen := s.worded(d, from)
	before, after := from.slmPerItem(), s.Launch.slmPerItem()
	if len(chosen.Changes) == 0 || before == 0 || after == 0 {
		return chosen
	}
	print := func(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }
	text := fmt.Sprintf(" (%s -> %s bytes per work-item)", print(before), print(after))
	if s.keepsSLM(from) && after-before < 1 {
		text = fmt.Sprintf(" (%s bytes per work-item, as now)", print(before))
	}
	at := slices.IndexFunc(chosen.Changes, func(c Change) bool { return c.Setting == SettingSLM })
	switch {
	case at >= 0:
		chosen.Changes[at].Text += text
	case before != after:
		chosen.Changes[0].Text += ", " + SettingSLM + " unchanged" + text
	}
	return chosen
}

// slmPerItem returns the SLM per work-item in bytes, or 0 if it is unknown.
func (l *Launch) slmPerItem() float64 {
	items, ok := l.Local.Items()
	if !ok || items <= 0 {
		return 0
	}
	return float64(l.SLM) / float64(items)
}

// keepsSLM reports whether a setting has at least as much SLM per work-item as
// the original launch. With less, the kernel has to use smaller tiles.
func (s *Setting) keepsSLM(from Launch) bool {
	return s.Launch.slmPerItem() >= from.slmPerItem()
}

// worded returns the change with Text set.
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

// A Setting is a launch that Advise proposes.
type Setting struct {
	Launch     Launch
	Prediction Prediction
	// Changes are the differences from the original launch. The list is empty
	// for the original launch, and never nil.
	Changes []Change

	changed                   int        // number of changed settings; Changes itself is set only for chosen settings
	cost                      float64    // see costOf
	usefulAverage, usefulPeak unit.Ratio // results of useful
}

// Advice describes how to raise a launch's occupancy. All of its values are
// predictions.
type Advice struct {
	Current   *Prediction // nil if the original launch cannot run
	Rejection error       // reason why it cannot run: a *LaunchError

	// Best contains the settings with the highest average, as printed. Among
	// these, the settings with the highest peak are first. Both values exclude
	// idle lanes. Without a global size, the Xe-core occupancy is used instead.
	// Equal settings are ordered by the smallest change, then the largest
	// sub-group, then the smallest work-group. Settings with less SLM per
	// work-item are last. If no setting with the highest average has the highest
	// peak, the last setting is one with the highest peak. Best is never nil. It
	// is empty if no setting can run.
	Best []Setting
	// Equal is the number of settings that are as good as the first setting in
	// Best.
	Equal int
	// Largest is the largest work-group size of these settings.
	Largest unit.Size3
	// SameSLM is the best setting with at least the original SLM per work-item,
	// if LessSLM is set and it gains minGain points. Otherwise, it is nil.
	SameSLM *Setting
	LessSLM bool // the settings in Best need less SLM per work-item than the launch, and SLM may change
	// Least is the smallest change of a single setting that raises peak or
	// average by at least minGain points and reduces neither. This must be true
	// whether or not idle lanes count. For a launch that cannot run, it is the
	// smallest change with which it can run. It is nil if there is no such
	// change.
	Least *Setting
	Next  []NextStep // for each limit, the change that relaxes it; never nil
	// FullGrid is the work-group count that fills the GPU. It applies to the
	// original launch. If that cannot run, it applies to the first setting in
	// Best.
	FullGrid FullGrid
	// SLMRoom is the largest SLM per work-group that keeps the number of
	// work-groups per Xe-core, or 0 if there is none.
	SLMRoom unit.Bytes
}

// minGain is the gain, in percentage points, that a single change must reach to
// be proposed.
const minGain unit.Points = 1

// sameResult is the largest difference between ratios that a percentage with
// one decimal does not show.
const sameResult = 0.0005

// mostBest is the maximum number of best settings, so that the list stays
// readable.
const mostBest = 5

// Advise returns the variable settings with the highest occupancy. The search
// covers:
//
//   - sub-group sizes of at least the launch's own
//   - the GRF modes and SLM steps of the device
//   - every work-group size that divides the global size and is a multiple of
//     the sub-group size; if there is no such size, work-groups along the first
//     dimension, of which the last one is smaller
//   - for each other work-group size, the SLM that keeps the amount per
//     work-item, because a tile often grows with the work-group
//
// Settings are ranked by the occupancy of the lanes in use, because a launch
// that fills threads with idle lanes only appears occupied. Smaller sub-groups
// are not tried for a similar reason: they need more threads for the same
// work-items. SLM is never removed, and the SLM per work-item is never raised by
// more than the work-group shrinks. Using less SLM per work-item requires
// rewriting the kernel, and using none requires a different kernel. So the
// policy of the launch never changes.
//
// The error is a *LaunchError if d is nil, or if no setting can run
// with the fixed settings.
func Advise(d *arch.Device, l Launch, may VariableSettings) (Advice, error) {
	a := Advice{Best: []Setting{}, Next: []NextStep{}}
	if p, err := Predict(d, l); err == nil {
		a.Current = &p
		a.Next = slices.DeleteFunc(nextSteps(d, l, may), func(n NextStep) bool { return !may.allows(n.Change.Setting) })
	} else {
		a.Rejection = err
	}
	if bad := (*LaunchError)(nil); d == nil || errors.As(a.Rejection, &bad) && bad.Code == codeDimensions {
		return a, a.Rejection // a launch whose sizes contradict each other cannot be improved
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
	var most int64
	for i := range found {
		s := &found[i]
		if level(s.usefulAverage, top.average) == 0 && len(a.Best) > 0 &&
			level(s.usefulPeak, top.peak) == level(a.Best[0].usefulPeak, top.peak) {
			a.Equal++
			if n := s.Prediction.GroupSize; n > most {
				most, a.Largest = n, s.Launch.Local
			}
		}
	}
	if a.LessSLM = may.SLM && len(a.Best) > 0 && !a.Best[0].keepsSLM(l); a.LessSLM {
		a.SameSLM = a.sameSLM(d, l, found)
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

// sameSLM returns the setting for Advice.SameSLM.
func (a *Advice) sameSLM(d *arch.Device, l Launch, found []Setting) *Setting {
	keeping := slices.DeleteFunc(slices.Clone(found), func(s Setting) bool { return !s.keepsSLM(l) })
	var top tops
	for i := range keeping {
		top.average, top.peak = max(top.average, keeping[i].usefulAverage), max(top.peak, keeping[i].usefulPeak)
	}
	best := top.best(d, l, keeping)
	if len(best) == 0 {
		return nil
	}
	if a.Current != nil {
		now := Setting{Launch: l, Prediction: *a.Current}
		now.usefulAverage, now.usefulPeak = now.useful()
		if !best[0].helps(&now) {
			return nil
		}
	}
	return &best[0]
}

// outcome returns the average and the peak by which settings are ranked, or the
// Xe-core occupancy if there is no grid.
func (s *Setting) outcome() (average, peak unit.Ratio) {
	if s.Prediction.HasGrid() {
		return s.Prediction.Average, s.Prediction.Peak
	}
	return s.Prediction.XeCore, s.Prediction.XeCore
}

// useful returns the same values as outcome, without the lanes that have no
// work-item. Such lanes are in partially filled sub-groups and in work-groups
// that are smaller than the others.
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

// costOf returns the cost of a change. It depends first on the number of
// changed settings, then on the number of doublings. If these are equal, a
// launch parameter is easier to change than SLM, and SLM is easier to change
// than the kernel's compilation.
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

// tops contains the highest average and the highest peak among all settings,
// for the lanes in use.
type tops struct{ average, peak unit.Ratio }

// level returns 0 for the top and larger numbers for lower ratios. Ratios that
// print the same have the same level.
func level(r, top unit.Ratio) int { return int(float64(top-r) / sameResult) }

// compare orders two settings, with the better setting first. Equal settings
// are ordered by the smallest change, then the largest sub-group, which starts
// the fewest threads, then the smallest work-group, which leaves the shortest
// last wave.
func (t *tops) compare(x, y *Setting) int {
	return cmp.Or(cmp.Compare(level(x.usefulAverage, t.average), level(y.usefulAverage, t.average)),
		cmp.Compare(level(x.usefulPeak, t.peak), level(y.usefulPeak, t.peak)), cmp.Compare(x.cost, y.cost),
		cmp.Compare(y.Launch.SIMD, x.Launch.SIMD), cmp.Compare(x.Prediction.GroupSize, y.Prediction.GroupSize))
}

// best returns the settings for Advice.Best.
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
	choose := func(s *Setting) { chosen = append(chosen, s.proposed(d, l)) }
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

// idleChange reports whether a setting makes all changes of a chosen setting
// and some more, or reduces SLM further. The additional changes gain nothing,
// because the chosen settings are at least as good.
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

// leastChange returns the setting for Advice.Least.
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
	chosen := least.proposed(d, l)
	return &chosen
}

// helps reports whether a setting gains enough in the average or the peak and
// reduces neither. This must be true whether or not idle lanes count.
func (s *Setting) helps(now *Setting) bool {
	gains := func(average, peak, newAverage, newPeak unit.Ratio) bool {
		const same = 1e-9 // equal shares can differ in the last digits
		return newAverage >= average-same && newPeak >= peak-same &&
			max(newAverage.Minus(average), newPeak.Minus(peak)) >= minGain
	}
	average, peak := now.outcome()
	newAverage, newPeak := s.outcome()
	return gains(average, peak, newAverage, newPeak) &&
		gains(now.usefulAverage, now.usefulPeak, s.usefulAverage, s.usefulPeak)
}

// A FullGrid contains the work-group counts that keep the whole GPU busy.
type FullGrid struct {
	Least    int64 // smallest number that reaches the highest peak
	Multiple int64 // multiples of this number leave no partial last wave
}

// fullGridOf returns the work-group counts that fill the GPU. They do not
// depend on the launch's global size. With policy Whole, both counts are
// Xe-cores x N. With Free, a wave can end inside a work-group if T does not
// divide the slots.
func fullGridOf(d *arch.Device, l Launch) (FullGrid, error) {
	l.Global = l.Local
	p, err := Predict(d, l) // returns an error if the number of Xe-cores is unknown
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

// slmRoom returns the largest SLM step that allows as many work-groups per
// Xe-core as the launch has now.
func slmRoom(d *arch.Device, l Launch) unit.Bytes {
	now, err := Predict(d, l)
	if err != nil {
		return 0
	}
	var room unit.Bytes
	for _, step := range d.SLMSteps {
		other := l
		other.SLM = step
		if p, err := Predict(d, other); err == nil && p.GroupsPerXeCore >= now.GroupsPerXeCore {
			room = step
		}
	}
	return room
}

// Words returns a description of the setting and its occupancy on one line.
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

// Reached returns the setting's occupancy, for example "Xe-core 100.0%".
func (s *Setting) Reached() string {
	average, peak := s.outcome()
	if !s.Prediction.HasGrid() {
		return "Xe-core " + percent(peak)
	}
	return "peak " + percent(peak) + ", average " + percent(average)
}
