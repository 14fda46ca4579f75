package predict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// search returns the allowed settings that run, with their predictions,
// including the launch itself. Work-groups that do not divide the grid are
// tried only if no dividing one runs, because SYCL rejects them.
func search(d *arch.Device, l Launch, may VariableSettings) []Setting {
	if !l.Global.Present() {
		return searchOver(d, l, may, multiples)
	}
	all := searchOver(d, l, may, dividing)
	free := may.Local || !l.Local.Present()
	if free && !slices.ContainsFunc(all, func(s Setting) bool { return s.Launch.Local != l.Local }) {
		return searchOver(d, l, may, multiples)
	}
	return all
}

// shapes lists a launch's possible work-groups with up to the given number of
// work-items, one shape per work-item count, in ascending order.
type shapes func(l Launch, most int64) []unit.Size3

// searchOver returns predictions for the work-groups that a listing function
// returns.
func searchOver(d *arch.Device, l Launch, may VariableSettings, groups shapes) (found []Setting) {
	slms := searchSLM(d, l, may)
	found = make([]Setting, 0, 64)
	for _, simd := range searchSIMD(d, l, may) {
		var locals []unit.Size3
		var most int64
		for _, grf := range searchGRF(d, l, may) {
			at := l
			at.SIMD, at.GRF = simd, grf
			if m := LargestGroup(d, at); locals == nil || m != most {
				most, locals = m, searchLocal(at, may, groups, m)
			}
			for _, local := range locals {
				at.Local = local
				for _, slm := range slmsAt(l, local, may, slms) {
					at.SLM = slm
					if p, err := Predict(d, at); err == nil {
						found = append(found, Setting{Launch: at, Prediction: p})
						found[len(found)-1].weigh(d, l, may)
					}
				}
			}
		}
	}
	return found
}

// weigh computes the values by which a setting is ranked. Hundreds of settings
// are tried and few are chosen, so the change list is on the stack: allocating
// it per setting doubled the search time. Considered and rejected: a memory
// pool for searches, because it saved no time.
func (s *Setting) weigh(d *arch.Device, from Launch, may VariableSettings) {
	var room [4]Change
	list := changes(room[:0], d, from, s.Launch)
	if scaled, ok := scaledSLM(from, s.Launch.Local); ok && s.Launch.SLM == scaled {
		// The amount follows from the work-group size.
		list = slices.DeleteFunc(list, func(c Change) bool { return c.Setting == SettingSLM })
	}
	s.changed, s.cost = len(list), costOf(list)
	if may.SLM && !s.keepsSLM(from) {
		s.cost += smallerTile
	}
	s.usefulAverage, s.usefulPeak = s.useful()
}

// smallerTile is the cost of less SLM per work-item, which is larger than the
// cost of all other changes together.
const smallerTile = 1000

// scaledSLM returns the SLM of a work-group with which the SLM per work-item
// does not change. ok is false if the launch has no SLM or no work-group size.
func scaledSLM(l Launch, local unit.Size3) (slm unit.Bytes, ok bool) {
	own, _ := l.Local.Items()
	items, _ := local.Items()
	if l.SLM <= 0 || own <= 0 || items <= 0 || l.SLM > math.MaxInt64/unit.Bytes(items) {
		return 0, false
	}
	return unit.Bytes(ceilDiv(int64(l.SLM)*items, own)), true
}

// slmsAt returns the amounts to try with a work-group size.
func slmsAt(l Launch, local unit.Size3, may VariableSettings, slms []unit.Bytes) []unit.Bytes {
	scaled, ok := scaledSLM(l, local)
	if !may.SLM || !ok || slices.Contains(slms, scaled) {
		return slms
	}
	return append(slms[:len(slms):len(slms)], scaled)
}

// changes returns a list with the differences between two launches appended,
// which most callers have on the stack.
func changes(list []Change, d *arch.Device, from, to Launch) []Change {
	add := func(setting string, from, to int64) {
		list = append(list, Change{Setting: setting, From: from, To: to})
	}
	if from.Local != to.Local {
		a, _ := from.Local.Items()
		b, _ := to.Local.Items()
		add(SettingLocal, a, b)
	}
	if from.SIMD != to.SIMD {
		add(SettingSIMD, int64(from.SIMD), int64(to.SIMD))
	}
	if from.SLM != to.SLM {
		add(SettingSLM, int64(from.SLM), int64(to.SLM))
	}
	if from.GRF != to.GRF {
		now, _ := grfMode(d, from.GRF)
		add(SettingGRF, int64(now.Registers), int64(to.GRF))
	}
	return list
}

// searchSIMD returns the sub-group sizes to try: none below the launch's own,
// unless the device has no other.
func searchSIMD(d *arch.Device, l Launch, may VariableSettings) []int {
	if l.SIMD > 0 && !may.SIMD || l.SIMD == ExplicitSIMD { // another size would be another kernel
		return []int{l.SIMD}
	}
	all := widths(d)
	wide := slices.DeleteFunc(slices.Clone(all), func(simd int) bool { return simd < l.SIMD })
	if len(wide) == 0 {
		return all
	}
	return wide
}

// searchGRF returns the register counts to try. The launch's own mode keeps its
// notation.
func searchGRF(d *arch.Device, l Launch, may VariableSettings) []int {
	grfs := []int{l.GRF}
	if !may.GRF {
		return grfs
	}
	now, has := grfMode(d, l.GRF)
	for _, m := range d.DistinctModes() {
		if !has || m != now {
			grfs = append(grfs, m.Registers)
		}
	}
	return grfs
}

// searchSLM returns the amounts to try: the launch's own and the allocation
// steps below it.
func searchSLM(d *arch.Device, l Launch, may VariableSettings) []unit.Bytes {
	sizes := []unit.Bytes{l.SLM}
	if !may.SLM || l.SLM <= 0 {
		return sizes
	}
	for _, step := range d.SLMSteps {
		if step > 0 && step < l.SLM {
			sizes = append(sizes, step)
		}
	}
	return sizes
}

// searchLocal returns the work-group shapes to try for a sub-group size, one
// per work-item count, in ascending order.
func searchLocal(l Launch, may VariableSettings, groups shapes, most int64) []unit.Size3 {
	if l.Local.Present() && !may.Local {
		return []unit.Size3{l.Local}
	}
	list := groups(l, most)
	own, _ := l.Local.Items()
	if own <= 0 {
		return list
	}
	at, found := slices.BinarySearchFunc(list, own, func(s unit.Size3, own int64) int {
		n, _ := s.Items()
		return cmp.Compare(n, own)
	})
	if found {
		list[at] = l.Local
		return list
	}
	return slices.Insert(list, at, l.Local)
}

// multiples returns the work-groups with complete sub-groups along the first
// dimension, up to the grid's size.
func multiples(l Launch, most int64) []unit.Size3 {
	simd := int64(l.SIMD)
	if l.Global.Present() {
		most = min(most, ceilDiv(l.Global.Dim(0), simd)*simd)
	}
	list := []unit.Size3{}
	for x := simd; x <= most; x += simd {
		// The work-group has as many dimensions as the grid.
		list = append(list, unit.Size([]int64{x, 1, 1}[:max(1, l.Global.Rank())]...))
	}
	return list
}

// LocalRange returns the settings with the highest and the lowest occupancy
// among the work-groups that a compiler may choose if the launch does not
// specify one: work-groups that divide the global size in every dimension and
// are multiples of the sub-group size. tried is how many of these run. If it is
// 0, err is the first one's error.
func LocalRange(d *arch.Device, l Launch) (best, worst Setting, tried int, err error) {
	// Without a sub-group size, this is the error for any work-group.
	if l.SIMD <= 0 {
		l.Local = unit.Size(1)
		_, err := Predict(d, l)
		return best, worst, 0, err
	}
	for _, local := range dividing(l, LargestGroup(d, l)) {
		at := l
		at.Local = local
		p, refused := Predict(d, at)
		if refused != nil {
			if err == nil {
				err = refused
			}
			continue
		}
		s := Setting{Launch: at, Prediction: p}
		if tried == 0 || p.Average > best.Prediction.Average {
			best = s
		}
		if tried == 0 || p.Average < worst.Prediction.Average {
			worst = s
		}
		tried++
	}
	switch {
	case tried > 0:
		err = nil
	case err == nil: // no work-group divides the global size
		err = &LaunchError{"no-local", fmt.Sprintf("no work-group size divides the global size %s and is a "+
			"multiple of the sub-group size (SIMD width) %d", l.Global, l.SIMD),
			"give the local size, for example 256 or 16x16"}
	}
	return best, worst, tried, err
}

// dividing returns the shapes that divide the global size in every dimension
// and are multiples of the sub-group size. Among shapes with equally many
// work-items, it returns the one nearest to the launch's own, or otherwise the
// longest in the first dimension.
func dividing(l Launch, most int64) []unit.Size3 {
	list := []unit.Size3{}
	shapes := nearestShapes(l, most)
	for _, x := range slices.Sorted(maps.Keys(shapes)) {
		list = append(list, shapes[x])
	}
	return list
}

// nearestShapes returns dividing's shapes by work-item count.
func nearestShapes(l Launch, most int64) map[int64]unit.Size3 {
	shapes := map[int64]unit.Size3{}
	rank := l.Global.Rank()
	var divisors [3][]int64
	for i := range divisors {
		divisors[i] = divisorsUpTo(l.Global.Dim(i), most)
	}
	for _, x := range divisors[0] {
		for _, y := range divisors[1] {
			if x*y > most {
				break
			}
			for _, z := range divisors[2] {
				n := x * y * z
				if n > most {
					break
				}
				if n%int64(l.SIMD) != 0 {
					continue
				}
				dims := []int64{x, y, z}
				shape := unit.Size(dims[:rank]...)
				if old, ok := shapes[n]; !ok || distance(shape, l.Local) < distance(old, l.Local) {
					shapes[n] = shape
				}
			}
		}
	}
	return shapes
}

// distance returns how many doublings are between two shapes. Without an own
// shape, a longer first dimension is nearer, because its work-items are
// adjacent in memory.
func distance(s, own unit.Size3) float64 {
	if !own.Present() {
		return -float64(s.Dim(0))
	}
	sum := 0.
	for i := range 3 {
		sum += math.Abs(math.Log2(float64(s.Dim(i)) / float64(own.Dim(i))))
	}
	return sum
}

// divisorsUpTo returns the divisors of n up to a number, in ascending order. It
// tries every number, which is fast enough for the work-group sizes.
func divisorsUpTo(n, most int64) (list []int64) {
	for x := int64(1); x <= min(n, most); x++ {
		if quotient(n, x)*x == n {
			list = append(list, x)
		}
	}
	return list
}

// MinProbe is the minimum difference in peak between two probes, in percentage
// points. A smaller one would not be visible in a measurement.
const MinProbe unit.Points = 5

// threads returns the launch's total thread count.
func (p *Prediction) threads() int64 { return p.Groups * p.ThreadsPerGroup }

// Probes returns launches that do the same work at lower occupancy, sorted by
// peak from high to low. Their times show whether a kernel needs its occupancy.
// Each probe differs from the launch in one setting:
//
//   - additional unused SLM, for each allocation step that lowers the peak
//   - the work-group size, unless the launch has SLM, whose amount would depend
//     on it
//   - the large GRF mode
//
// The launch must have a global size. The error is a *LaunchError if the launch
// itself cannot run.
func Probes(d *arch.Device, l Launch) ([]Setting, error) {
	own, err := Predict(d, l)
	if err != nil {
		return nil, err
	}
	var padded, grouped, wide, all []Setting
	try := func(to *[]Setting, at Launch) {
		if p, err := Predict(d, at); err == nil {
			*to = append(*to, Setting{Launch: at, Prediction: p})
		}
	}
	for _, step := range d.SLMSteps {
		at := l
		if at.SLM = step; step > own.SLMAllocated {
			try(&padded, at)
		}
	}
	if l.SLM == 0 && l.GroupsBySLM == 0 {
		grouped = slices.DeleteFunc(search(d, l, VariableSettings{Local: true}), func(s Setting) bool {
			return s.Prediction.threads() != own.threads() || s.Prediction.Partial
		})
	}
	large := l
	large.GRF = 256 // the mode that all compilers' options support
	try(&wide, large)
	highest := func(x, y Setting) int {
		return cmp.Or(cmp.Compare(y.Prediction.Peak, x.Prediction.Peak), cmp.Compare(x.cost, y.cost))
	}
	for _, list := range [][]Setting{padded, grouped, wide} {
		slices.SortStableFunc(list, highest)
		least := own.Peak
		for i := range list {
			if s := &list[i]; least.Minus(s.Prediction.Peak) >= MinProbe {
				least = s.Prediction.Peak
				all = append(all, s.worded(d, l))
			}
		}
	}
	slices.SortStableFunc(all, highest)
	return all, nil
}
