package diffdoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// DiffRow is one kernel on both sides, or on one: a row of the JSON and CSV outputs, and of the table of kernels.
type DiffRow struct {
	Task      report.Symbol    `json:"task" col:"Kernel; cut; role=code"`
	Direction unit.Opt[string] `json:"direction" col:"Direction; in=sheet"`
	IsKernel  bool             `json:"is_kernel"`
	Old       *DiffLaunch      `json:"old" csv:"old,inline"`
	New       *DiffLaunch      `json:"new" csv:"new,inline"`
	Changes   []DiffChange     `json:"changes"`
	Measured  DiffMetric       `json:"measured_percent" csv:"measured,inline"`
	Residual  DiffMetric       `json:"residual_points" csv:"residual,inline" jsonschema:"measured - predicted average, in percentage points"`
	Predicted DiffMetric       `json:"predicted_average_percent" csv:"predicted,inline"`
	Loaded    DiffMetric       `json:"loaded_percent" csv:"loaded,inline"`
	Idle      DiffMetric       `json:"idle_percent" csv:"idle,inline"`
	Average   DiffMetric       `json:"average_seconds" csv:"average,inline"`
	Parts     []DiffPart       `json:"parts" jsonschema:"of the account, in points of all thread slots"`
	Verdict   verdict          `json:"verdict" col:"Verdict; role=choice"`
	Because   unit.Opt[string] `json:"because" col:"Because; in=sheet" jsonschema:"the figures behind the verdict"`

	older, newer DiffLaunch // memory of Old and New
}

// DiffLaunch is what a side knows of a launch.
type DiffLaunch struct {
	Global           unit.Size3           `json:"global" csv:"global"`
	Local            unit.Size3           `json:"local" csv:"local"`
	SIMD             unit.Opt[int]        `json:"simd" csv:"simd"`
	Adapter          unit.Opt[string]     `json:"adapter"`
	GRF              unit.Opt[int]        `json:"grf" jsonschema:"registers per thread"`
	SLMBytes         unit.Opt[unit.Bytes] `json:"slm_bytes_per_work_group"`
	File             unit.Opt[string]     `json:"file"`
	Line             unit.Opt[int]        `json:"line"`
	Runs             int                  `json:"runs" csv:"runs"`
	UnmeasurableRuns int                  `json:"unmeasurable_runs"`
	Total            seconds              `json:"total_seconds"`
}

type seconds = unit.Opt[unit.Seconds]

// DiffMetric is one quantity on both sides. Of percentages and points the change is new - old in points, of times the
// ratio is new / old; the other is null.
type DiffMetric struct {
	Old          DiffSample        `json:"old" csv:"old,inline"`
	New          DiffSample        `json:"new" csv:"new,inline"`
	ChangePoints unit.Opt[float64] `json:"change_points" csv:"change_points" jsonschema:"new - old in percentage points, of percentages and points"`
	Ratio        unit.Opt[float64] `json:"ratio" csv:"ratio" jsonschema:"new / old, of times"`
	P            unit.Opt[float64] `json:"p" csv:"p"`
	Significant  unit.Opt[bool]    `json:"significant" csv:"significant" jsonschema:"null when there were too few runs for a test"`
}

// DiffSample is what the runs of one side say of one quantity, in the unit that the quantity's name ends in.
type DiffSample struct {
	N          int               `json:"n" csv:"n"`
	Median     unit.Opt[float64] `json:"median" csv:"median"`
	Low        unit.Opt[float64] `json:"low" csv:"low"`
	High       unit.Opt[float64] `json:"high" csv:"high"`
	Confidence unit.Opt[float64] `json:"confidence" jsonschema:"of the interval low to high, 0..1"`
}

// DiffPart is a part of the account on both sides.
type DiffPart struct {
	Part string `json:"part"`
	DiffMetric
}

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

// set takes over a row. It keeps the memory of the one before.
func (v *DiffRow) set(r *rundiff.Row) {
	*v = DiffRow{
		Task: report.Symbol(r.Task), Direction: unit.NonZero(string(r.Direction)), IsKernel: !r.NotAKernel,
		Changes: appendChanges(v.Changes[:0], r.Changes), Measured: pointsMetric(&r.Measured),
		Residual: pointsMetric(&r.Residual), Predicted: pointsMetric(&r.Predicted), Loaded: pointsMetric(&r.Loaded),
		Idle: pointsMetric(&r.Idle), Average: newMetric(&r.Time), Parts: v.Parts[:0], Verdict: verdict(r.Verdict),
		Because: unit.NonZero(r.Because),
	}
	v.Average.Ratio = r.Time.Change
	if r.Old != nil {
		v.older.set(r.Old)
		v.Old = &v.older
	}
	if r.New != nil {
		v.newer.set(r.New)
		v.New = &v.newer
	}
	for i := range r.Parts {
		v.Parts = append(v.Parts, DiffPart{string(r.Parts[i].Part), pointsMetric(&r.Parts[i].Delta)})
	}
	if v.Parts == nil {
		v.Parts = []DiffPart{} // never null
	}
}

func (v *DiffLaunch) set(l *rundiff.Launch) {
	*v = DiffLaunch{
		Global: l.Global, Local: l.Local, SIMD: l.SIMD, Adapter: unit.NonZero(l.Device), GRF: l.Registers,
		SLMBytes: l.SLM, File: unit.NonZero(l.Pos.File), Line: unit.NonZero(l.Pos.Line), Runs: l.Runs,
		UnmeasurableRuns: l.Unmeasurable, Total: l.Total,
	}
}

func pointsMetric(d *rundiff.Delta) DiffMetric {
	m := newMetric(d)
	m.ChangePoints = d.Change
	return m
}

func newMetric(d *rundiff.Delta) DiffMetric {
	m := DiffMetric{Old: newSample(&d.Old), New: newSample(&d.New), Significant: d.Significant}
	if t, ok := d.Test.Value(); ok {
		m.P = unit.Some(t.P)
	}
	return m
}

func newSample(s *rundiff.Sample) DiffSample {
	v := DiffSample{N: s.N, Median: s.Median}
	if i, ok := s.Interval.Value(); ok {
		v.Low, v.High, v.Confidence = unit.Some(i.Low), unit.Some(i.High), unit.Some(i.Confidence)
	}
	return v
}

// tableRow is a row of the table of kernels: what only people read, where words stand for what nobody can compute with
// ("16 -> 32", "~"), and the row of the other outputs.
type tableRow struct {
	Global string `csv:"global" col:"Global; in=terminal+page; drop=3; role=code"`
	Local  string `csv:"local" col:"Local; in=terminal+page; drop=2; role=code"`
	SIMD   string `csv:"simd" col:"SIMD; in=terminal+page; drop=4"`

	OldInterval    string      `csv:"measured_old_interval" col:"old [%]; group=Interval; in=page"`
	NewInterval    string      `csv:"measured_new_interval" col:"new [%]; group=Interval; in=page"`
	MeasuredChange report.Cell `csv:"measured_change" col:"Change [points]; in=terminal+page; drop=10; kind=points"`
	LoadedChange   report.Cell `csv:"loaded_change" col:"XVEs that ran [points]; group=Change; in=terminal+page; drop=6; kind=points"`
	RunsTested     string      `csv:"measured_n" col:"Runs; in=terminal+page; drop=1"`
	ResidualChange report.Cell `csv:"residual_change" col:"Residual change [points]; in=terminal+page; drop=5; kind=points"`
	Time           report.Cell `csv:"time" col:"Time new/old; in=terminal+page; drop=7; decimals=2; kind=number"`

	partChanges

	Changed string `csv:"changes" col:"Changed; in=sheet"`
	Label   string `csv:"label" col:"Label in charts; in=sheet"`

	DiffRow
}

// partChanges say how far each part of the account moved.
type partChanges struct {
	Used        unit.Opt[float64] `csv:"used_change_points" col:"used [points]; group=Account; in=sheet"`
	Underfilled unit.Opt[float64] `csv:"underfilled_change_points" col:"underfilled [points]; group=Account; in=sheet"`
	Empty       unit.Opt[float64] `csv:"empty_change_points" col:"empty [points]; group=Account; in=sheet"`
	Shortfall   unit.Opt[float64] `csv:"shortfall_change_points" col:"shortfall [points]; group=Account; in=sheet"`
	Tail        unit.Opt[float64] `csv:"tail_change_points" col:"tail [points]; group=Account; in=sheet"`
	Limits      unit.Opt[float64] `csv:"limits_change_points" col:"limits [points]; group=Account; in=sheet"`
}

func (p *partChanges) set(parts []rundiff.PartDelta) {
	to := compare.ByPart[*unit.Opt[float64]]{&p.Used, &p.Underfilled, &p.Empty, &p.Shortfall, &p.Tail, &p.Limits}
	for i := range parts {
		*to.Of(parts[i].Part) = parts[i].Change
	}
}

// fill makes row i of the table; the words only for people.
func (s *diffSet) fill(i int, into *tableRow) {
	r := &s.rows[i]
	*into = tableRow{DiffRow: into.DiffRow, Label: s.label(r)}
	into.DiffRow.set(r)
	into.partChanges.set(r.Parts)
	for k, c := range r.Changes {
		if k > 0 {
			into.Changed += ", "
		}
		into.Changed += c.String()
	}
	if s.raw {
		return
	}
	into.Global, into.Local, into.SIMD = bothSides(r, rundiff.ChangeGlobal), bothSides(r, rundiff.ChangeLocal),
		bothSides(r, rundiff.ChangeSIMD)
	into.OldInterval, into.NewInterval = interval(&r.Measured.Old), interval(&r.Measured.New)
	into.MeasuredChange = changeCell(&r.Measured, report.Points)
	into.LoadedChange = changeCell(&r.Loaded, report.Points)
	into.ResidualChange = changeCell(&r.Residual, report.Points)
	into.Time = changeCell(&r.Time, report.Number)
	if r.Measured.Old.N+r.Measured.New.N > 0 {
		into.RunsTested = fmt.Sprintf("%d + %d", r.Measured.Old.N, r.Measured.New.N)
	}
}

// columns are those of the table of kernels, in their order. Those of both sides are headed here.
func (s *diffSet) columns() []string {
	list := []string{"task", "global", "local", "simd"}
	list = append(list, eachSide("global_SIDE=SIDE_global: SIDE; group=Global; in=sheet")...)
	list = append(list, eachSide("local_SIDE=SIDE_local: SIDE; group=Local; in=sheet")...)
	list = append(list, eachSide("simd_SIDE=SIDE_simd: SIDE; group=SIMD; in=sheet")...)
	list = append(list, eachSide("runs_SIDE=SIDE_runs: SIDE; group=Runs; in=sheet")...)
	list = append(list, "direction", "measured_old_percent=measured_old_median: old [%]; group=Measured; drop=8",
		"measured_new_percent=measured_new_median: new [%]; group=Measured; drop=9")
	if s.tested {
		list = append(list, "measured_old_interval", "measured_new_interval")
	}
	if s.loaded {
		list = append(list, "measured_change: measured [points]; group=Change; in=terminal+page; drop=10; kind=points",
			"loaded_change")
	} else {
		list = append(list, "measured_change")
	}
	list = append(list, "measured_change_points: Change [points]; in=sheet")
	if s.tested {
		list = append(list, "measured_p: p; decimals=3; drop=5", "measured_n",
			"measured_significant: Significant; in=sheet")
		list = append(list, sampleColumns("measured", "[%]; group=Measured; decimals=1")...)
	}
	if s.residual {
		list = append(list, s.residualColumns()...)
	}
	list = append(list, "time")
	list = append(list, eachSide("average_SIDE_seconds=average_SIDE_median: SIDE [s]; group=Time per launch; "+
		"decimals=6; in=sheet")...)
	list = append(list, "time_ratio=average_ratio: new / old; group=Time per launch; decimals=3; in=sheet")
	if s.tested {
		list = append(list, "time_p=average_p: p; group=Time per launch; decimals=3; in=sheet")
		list = append(list, sampleColumns("average", "[s]; group=Time per launch; decimals=6")...)
	}
	for _, part := range compare.Parts() {
		list = append(list, string(part)+"_change_points")
	}
	return append(list, "verdict", "changes", "label", "because")
}

func (s *diffSet) residualColumns() []string {
	list := append([]string{"residual_change"},
		eachSide("residual_SIDE_points=residual_SIDE_median: SIDE [points]; group=Residual; in=sheet")...)
	list = append(list, "residual_change_points: change [points]; group=Residual; in=sheet")
	if s.tested {
		list = append(list, "residual_p: p; group=Residual; decimals=3; in=sheet")
		list = append(list, sampleColumns("residual", "[points]; group=Residual; decimals=1")...)
	}
	list = append(list, eachSide("predicted_SIDE_percent=predicted_SIDE_median: SIDE [%]; group=Predicted average; "+
		"in=sheet")...)
	list = append(list, eachSide("loaded_SIDE_percent=loaded_SIDE_median: SIDE [%]; group=XVEs that ran; in=sheet")...)
	return append(list, eachSide("idle_SIDE_percent=idle_SIDE_median: SIDE [%]; group=XVE idle; in=sheet")...)
}

// eachSide gives a column for the old and one for the new side; SIDE stands for its name.
func eachSide(column string) []string {
	return []string{strings.ReplaceAll(column, "SIDE", "old"), strings.ReplaceAll(column, "SIDE", "new")}
}

// sampleColumns are the sizes and intervals of both sides of a quantity.
func sampleColumns(key, unit string) (list []string) {
	_, group, _ := strings.Cut(unit, "; ")
	for _, side := range []string{"old", "new"} {
		key := key + "_" + side
		list = append(list, key+"_n: "+side+" runs; "+group+"; in=sheet", key+"_low: "+side+" low "+unit+"; in=sheet",
			key+"_high: "+side+" high "+unit+"; in=sheet")
	}
	return list
}

// insignificant is what people read where a test found nothing.
const insignificant = "~"

func changeCell(d *rundiff.Delta, kind report.Kind) report.Cell {
	switch x, ok := d.Change.Value(); {
	case !ok:
		return report.Cell{}
	case d.Insignificant():
		return report.TextCell(insignificant)
	default:
		return report.NumCell(kind, x)
	}
}

func interval(s *rundiff.Sample) string {
	v, ok := s.Interval.Value()
	if !ok {
		return ""
	}
	return report.Decimal(v.Low, 1) + " to " + report.Decimal(v.High, 1)
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
