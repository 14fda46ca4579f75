package report

import (
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
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
