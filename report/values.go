package report

import (
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// InputLines are the inputs of a run for programs, a line each.
func InputLines(r *compare.Result) (lines []string) {
	for _, in := range r.Inputs {
		lines = append(lines, strings.TrimSpace(in.Path+" "+in.Digest))
	}
	return lines
}

// InputColumns are those of files that were read, in every output.
func InputColumns() []Col[ingest.Input] {
	return []Col[ingest.Input]{
		Define(Column{Key: "path", Path: "path", Always: true, Title: "File", Kind: Text, In: Files},
			func(in *ingest.Input) Cell { return OptText(unit.Some(in.Path)) }),
		Define(Column{Key: "kind", Path: "kind", Always: true, Title: "Kind", Kind: Text, In: Files,
			Doc: "vtune, vtune-summary, unitrace, vec_add or another format"},
			func(in *ingest.Input) Cell { return OptText(unit.Some(in.Kind)) }),
		Define(Column{Key: "digest", Path: "digest", Title: "Digest", Kind: Text, In: Files,
			Doc: "sha256:... or xxh3:... of the file"}, func(in *ingest.Input) Cell { return TextCell(in.Digest) }),
		Define(Column{Key: "rows", Path: "rows", Always: true, Title: "Rows", Kind: Integer, In: Files},
			func(in *ingest.Input) Cell { return IntCell(in.Rows) }),
		Define(Column{Key: "bad_rows", Path: "bad_rows", Always: true, Title: "Bad rows", Kind: Integer, In: Files},
			func(in *ingest.Input) Cell { return IntCell(in.BadRows) }),
	}
}

// Inputs is the table of files that were read.
func Inputs(list []ingest.Input) *Table {
	t := NewTable("inputs", "Inputs", list, InputColumns())
	t.In = Files
	return t
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
