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
	Path    string  `json:"path"`
	Kind    string  `json:"kind" jsonschema:"vtune, vtune-summary, unitrace, vec_add or another format"`
	Digest  *string `json:"digest" jsonschema:"sha256:... or xxh3:... of the file"`
	Rows    int64   `json:"rows"`
	BadRows int64   `json:"bad_rows"`
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

// InputColumns are those of a table of inputs, for files.
func InputColumns() []Col[InputValue] {
	return []Col[InputValue]{
		Define(Column{Key: "path", Title: "File", Kind: Text, In: Files}, func(v *InputValue) Cell { return TextCell(v.Path) }),
		Define(Column{Key: "kind", Title: "Kind", Kind: Text, In: Files}, func(v *InputValue) Cell { return TextCell(v.Kind) }),
		Define(Column{Key: "rows", Title: "Rows", Kind: Integer, In: Files}, func(v *InputValue) Cell { return IntCell(v.Rows) }),
		Define(Column{Key: "bad_rows", Title: "Bad rows", Kind: Integer, In: Files}, func(v *InputValue) Cell { return IntCell(v.BadRows) }),
		Define(Column{Key: "digest", Title: "Digest", Kind: Text, In: Files}, func(v *InputValue) Cell {
			if v.Digest == nil {
				return Cell{}
			}
			return TextCell(*v.Digest)
		}),
	}
}

// InputTable is the table of inputs, for files.
func InputTable(inputs []InputValue) *Table {
	t := NewTable("inputs", "Inputs", inputs, InputColumns())
	t.In = Files
	return t
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
