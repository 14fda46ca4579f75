package diffdoc

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// verdict is the word of a verdict with its color.
type verdict rundiff.Verdict

// Cell implements the cells of report.Rows.
func (v verdict) Cell() report.Cell {
	return report.StatusCell(string(v), statusOf(rundiff.Verdict(v)))
}

// Words implements the words of report.Rows.
func (v verdict) Words() []report.Word {
	return report.ListOf(rundiff.Verdicts(), func(v rundiff.Verdict) report.Word {
		return report.Word{Text: string(v), Status: statusOf(v)}
	})
}

// tableRow is a row of the table of kernels: what only people read, where words stand for what nobody can compute with
// ("16 -> 32", "~"), and the row of the other outputs.
type tableRow struct {
	Kernel report.Symbol `csv:"task" col:"Kernel; cut; role=code"`
	Global string        `csv:"global" col:"Global; in=terminal+page; drop=3; role=code"`
	Local  string        `csv:"local" col:"Local; in=terminal+page; drop=2; role=code"`
	SIMD   string        `csv:"simd" col:"SIMD; in=terminal+page; drop=4"`

	OldInterval    string      `csv:"measured_old_interval" col:"old [%]; group=Interval; in=page"`
	NewInterval    string      `csv:"measured_new_interval" col:"new [%]; group=Interval; in=page"`
	MeasuredChange report.Cell `csv:"measured_change" col:"Change [points]; in=terminal+page; drop=10; kind=points"`
	LoadedChange   report.Cell `csv:"loaded_change" col:"XVEs that ran [points]; group=Change; in=terminal+page; drop=6; kind=points"`
	RunsTested     string      `csv:"measured_n" col:"Runs; in=terminal+page; drop=1"`
	ResidualChange report.Cell `csv:"residual_change" col:"Residual change [points]; in=terminal+page; drop=5; kind=points"`
	TimeRatio      report.Cell `csv:"time" col:"Time new/old; in=terminal+page; drop=7; decimals=2; kind=number"`

	Parts compare.ByPart[unit.Opt[float64]] `csv:"used_change_points underfilled_change_points empty_change_points shortfall_change_points tail_change_points limits_change_points"`

	Changed string `csv:"changes" col:"Changed; in=sheet"`
	Label   string `csv:"label" col:"Label in charts; in=sheet"`

	Finding verdict `csv:"verdict" col:"Verdict; role=choice"`
	*rundiff.Row
}

// fill makes row i of the table; the words only for people.
func (s *diffSet) fill(i int, into *tableRow) {
	r := s.Row(i, into.Row)
	*into = tableRow{Row: r, Kernel: report.Symbol(r.Task), Finding: verdict(r.Verdict), Label: s.label(r)}
	// A row has the parts that its account has, the table a column for each part there is.
	for _, d := range r.Parts {
		into.Parts[slices.Index(s.parts, d.Part)] = d.Change
	}
	for k, c := range r.Changes {
		if k > 0 {
			into.Changed += ", "
		}
		into.Changed += c.String()
	}
	// CSV has no column for what follows, and formatting it would be most of the time of a million rows.
	if s.raw {
		return
	}
	into.Global, into.Local, into.SIMD = bothSides(r, rundiff.ChangeGlobal), bothSides(r, rundiff.ChangeLocal),
		bothSides(r, rundiff.ChangeSIMD)
	into.OldInterval, into.NewInterval = interval(&r.Measured.Old), interval(&r.Measured.New)
	into.MeasuredChange = changeCell(&r.Measured, report.Points)
	into.LoadedChange = changeCell(&r.Loaded, report.Points)
	into.ResidualChange = changeCell(&r.Residual, report.Points)
	into.TimeRatio = changeCell(&r.Time, report.Number)
	if r.Measured.Old.N+r.Measured.New.N > 0 {
		into.RunsTested = fmt.Sprintf("%d + %d", r.Measured.Old.N, r.Measured.New.N)
	}
}

//go:embed columns.txt
var kernelColumns string

// columns are those of the table of kernels.
func (s *diffSet) columns() []string {
	return report.ColumnKeys(kernelColumns, map[string]bool{"tested": s.has.Tested, "loaded": s.has.Loaded,
		"residual": s.has.Residual})
}

// insignificant is what people read where a test found nothing.
const insignificant = "~"

func changeCell(d *rundiff.Delta, kind report.Kind) report.Cell {
	change := d.Change
	// Times are compared as new / old, occupancies as a difference in points.
	if d.Ratio.Present() {
		change = d.Ratio
	}
	switch x, ok := change.Value(); {
	case !ok:
		return report.Cell{}
	case d.Insignificant():
		// No number: a reader would take a change that chance explains for a result.
		return report.TextCell(insignificant)
	default:
		return report.NumCell(kind, x)
	}
}

func interval(s *rundiff.Sample) string {
	if !s.Low.Present() {
		return ""
	}
	return report.Decimal(s.Low.Or(0), 1) + " to " + report.Decimal(s.High.Or(0), 1)
}

// bothSides prints what both sides say of a launch, "16 -> 32" where they differ, what one says where the other says
// nothing.
func bothSides(r *rundiff.Row, what string) string {
	for _, c := range r.Changes {
		if c.What == what {
			return c.Old + " -> " + c.New
		}
	}
	for _, l := range []*rundiff.Launch{r.New, r.Old} {
		if l == nil {
			continue
		}
		text := l.Global.String()
		switch n, known := l.SIMD.Value(); {
		case what == rundiff.ChangeLocal:
			text = l.Local.String()
		case what == rundiff.ChangeSIMD && known:
			text = strconv.Itoa(n)
		case what == rundiff.ChangeSIMD:
			text = ""
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// shapeText tells kernels of one name apart: "2048x2048 in 1024x1, SIMD 16 -> 32".
func shapeText(r *rundiff.Row) string {
	text := bothSides(r, rundiff.ChangeGlobal)
	if l := bothSides(r, rundiff.ChangeLocal); l != "" {
		text = strings.TrimPrefix(text+" in "+l, " in ")
	}
	if n := bothSides(r, rundiff.ChangeSIMD); n != "" {
		text = strings.TrimPrefix(text+", SIMD"+n, ", ")
	}
	return text
}
