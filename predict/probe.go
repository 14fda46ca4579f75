package predict

import (
	"cmp"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// MinProbe is how many points of peak a probe is below the one before: less would not be seen in a measurement.
const MinProbe unit.Points = 5

// threads is how many threads a launch starts in all.
func (p *Prediction) threads() int64 { return p.Groups * p.ThreadsPerGroup }

// Probes are launches of the same work at lower occupancy, from the highest peak to the lowest: what their times say of
// a kernel tells whether it needs its occupancy. Each differs from the launch in one setting: in SLM that nobody uses,
// of each allocation step that lowers the peak; in the work-group size, where the launch has no SLM whose amount would
// go with it; in the large GRF mode. The launch needs a global size. The error is a *LaunchError where the launch
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
	if l.SLM == 0 {
		grouped = slices.DeleteFunc(search(d, l, Vary{Local: true}), func(s Setting) bool {
			return s.Prediction.threads() != own.threads() || s.Prediction.Partial
		})
	}
	large := l
	large.GRF = 256 // of the modes the one that options of all compilers name
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
