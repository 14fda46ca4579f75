package report

import (
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// DeviceValue is the device that predictions were made for.
type DeviceValue struct {
	Key           string  `json:"key" csv:"device"`
	Name          string  `json:"name" csv:"name"`
	Architecture  string  `json:"architecture"`
	XeCores       int     `json:"xe_cores"`
	XVEPerXeCore  int     `json:"xve_per_xe_core"`
	ThreadsPerXVE int     `json:"threads_per_xve"`
	ThreadSlots   int     `json:"thread_slots" csv:"thread_slots"`
	ChosenBy      *string `json:"chosen_by" jsonschema:"what named the device"`
}

// InputValue is one file that was read.
type InputValue struct {
	Path    string  `json:"path" col:"File"`
	Kind    string  `json:"kind" col:"Kind" jsonschema:"vtune, vtune-summary, unitrace, vec_add or another format"`
	Digest  *string `json:"digest" col:"Digest" jsonschema:"sha256:... or xxh3:... of the file"`
	Rows    int64   `json:"rows" col:"Rows"`
	BadRows int64   `json:"bad_rows" col:"Bad rows"`
}

// InputValues gives the inputs of a run as JSON has them, never nil; an empty digest is not known.
func InputValues(r *compare.Result) []InputValue {
	list := make([]InputValue, 0, len(r.Inputs))
	for _, in := range r.Inputs {
		list = append(list, InputValue{in.Path, in.Kind, Filled(in.Digest), in.Rows, in.BadRows})
	}
	return list
}

// InputLines are the inputs of a run for programs, a line each.
func InputLines(r *compare.Result) (lines []string) {
	for _, in := range r.Inputs {
		lines = append(lines, strings.TrimSpace(in.Path+" "+in.Digest))
	}
	return lines
}

// InputColumns are those of a table of inputs.
func InputColumns() []string { return []string{"path", "kind", "rows", "bad_rows", "digest"} }

// PredictionValue is the theoretical occupancy of one row. What needs the number of work-groups is absent when the
// global size is not known.
type PredictionValue struct {
	Policy              string            `json:"policy" csv:"predicted_policy"`
	ThreadsPerWorkGroup int64             `json:"threads_per_work_group" csv:"threads_per_work_group"`
	WorkGroups          unit.Opt[int64]   `json:"work_groups" csv:"work_groups"`
	WorkGroupsPerXeCore int64             `json:"work_groups_per_xe_core" csv:"work_groups_per_xe_core"`
	Limits              []string          `json:"limits" csv:"limits" jsonschema:"why the prediction is not higher"`
	XeCorePercent       percent           `json:"xe_core_percent" csv:"predicted_xe_core_percent" jsonschema:"of one full Xe-core, 0..100"`
	PeakPercent         percent           `json:"peak_percent" csv:"predicted_peak_percent" jsonschema:"of the GPU while its waves are full, 0..100"`
	AveragePercent      percent           `json:"average_percent" csv:"predicted_average_percent" jsonschema:"of the GPU over all waves, each as long as a full one, 0..100"`
	AverageHighPercent  percent           `json:"average_high_percent" csv:"predicted_average_high_percent" jsonschema:"where a partial last wave takes as much less time as it has fewer threads; average_percent where there is none"`
	Waves               unit.Opt[float64] `json:"waves" csv:"waves" jsonschema:"with its fraction"`
	TailPercent         percent           `json:"tail_percent" csv:"tail_percent" jsonschema:"occupancy of the last, partial wave; 0 when it is full"`
}

type percent = unit.Opt[unit.Ratio]

// CauseValue says why what was seen differs from the prediction.
type CauseValue struct {
	Name       string           `json:"name" csv:"cause"`
	Confidence unit.Opt[string] `json:"confidence" csv:"confidence"`
	Because    string           `json:"because" csv:"because"`
}

// NewPredictionValue gives a prediction as JSON has it, nil for none.
func NewPredictionValue(p *predict.Prediction) *PredictionValue {
	if p == nil {
		return nil
	}
	v := new(PredictionValue)
	v.Set(p)
	return v
}

// Set takes over a prediction.
func (v *PredictionValue) Set(p *predict.Prediction) {
	*v = PredictionValue{
		Policy: p.Policy.String(), ThreadsPerWorkGroup: p.ThreadsPerGroup, WorkGroupsPerXeCore: p.GroupsPerXeCore,
		Limits: p.Limits.Names(), XeCorePercent: unit.Some(p.XeCore),
	}
	if p.Groups > 0 {
		v.WorkGroups, v.Waves = unit.Some(p.Groups), unit.Some(p.Waves)
		v.AverageHighPercent = unit.Some(p.AverageHigh)
		v.PeakPercent, v.AveragePercent, v.TailPercent = unit.Some(p.Peak), unit.Some(p.Average), unit.Some(p.LastWaveOccupancy)
	}
}

// NewCauseValue gives a cause as JSON has it, nil for none.
func NewCauseValue(c *compare.Cause) *CauseValue {
	if c == nil {
		return nil
	}
	return &CauseValue{c.Name, unit.NonZero(c.Confidence), c.Because}
}

// NewDeviceValue gives a device as JSON has it, nil for none.
func NewDeviceValue(d *arch.Device, chosenBy string) *DeviceValue {
	if d == nil {
		return nil
	}
	return &DeviceValue{d.Key, d.Name, d.Architecture, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, d.Slots(),
		Filled(chosenBy)}
}

// ListOf gives what of makes of each element. The list is never nil, so that JSON has [] and not null.
func ListOf[T, V any](list []T, of func(T) V) []V {
	values := make([]V, len(list))
	for i, x := range list {
		values[i] = of(x)
	}
	return values
}

// Finite gives nil for an absent value and for those that JSON cannot write.
func Finite[T ~float64](o unit.Opt[T]) *float64 {
	x, ok := o.Value()
	f := float64(x)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// PercentOrNull gives a ratio in percent, nil for an absent one.
func PercentOrNull(o unit.Opt[unit.Ratio]) *float64 {
	r, ok := o.Value()
	if !ok {
		return nil
	}
	return Finite(unit.Some(r.Percent()))
}

// Filled gives nil for the empty text, where empty means that it was not said.
func Filled(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Positive gives nil for 0, a place or count that is not known.
func Positive[N ~int | ~int64](n N) *N {
	if n <= 0 {
		return nil
	}
	return &n
}
