package trackdoc

import (
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// The schemas of the outputs, with their versions.
const (
	reportSchema   = "occudiff/track/1"
	checkSchema    = "occudiff/track-check/1"
	runsSchema     = "occudiff/track-list/1"
	addSchema      = "occudiff/track-add/1"
	backtestSchema = "occudiff/track-backtest/2"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	list := []report.Output{
		{Name: "track-add", ID: addSchema, Text: "what was done with each run.", Values: []any{AddValue{}}},
		{Name: "track-list", ID: runsSchema, Text: "the stored runs.", Values: []any{RunsValue{}}},
		{Name: "track-check", ID: checkSchema, Text: "the gate on the newest run, series by series.",
			Values: []any{CheckValue{}}},
		{Name: "track", ID: reportSchema, Text: "every series with its change points.", Values: []any{ReportValue{}}},
		{Name: "track-backtest", ID: backtestSchema, Text: "the gate over the stored history.",
			Values: []any{BacktestValue{}}},
	}
	for i, command := range []string{"add", "list", "check", "report", "backtest"} {
		list[i].Command = "occudiff track " + command + " --format json"
	}
	return list
}

// ReportValue is the JSON output of `occudiff track report`.
type ReportValue struct {
	Schema string        `json:"schema"`
	Series []SeriesValue `json:"series"`
	Metric string        `json:"metric"`
	Params trend.Params  `json:"parameters"`
}

// KeyValue names a series.
// It is part of the rows of every table of series, and of JSON: a column is declared here once, and a table that shows
// it otherwise names what differs (its title, where it is dropped).
type KeyValue struct {
	Name    string  `json:"name" csv:"series" col:"Kernel; cut"`
	Device  *string `json:"device" col:"Device; cut; drop=5"`
	Driver  *string `json:"driver" col:"Driver; cut; drop=4"`
	Program *string `json:"program" col:"Program; cut; drop=4" jsonschema:"null where no run says it"`
	Unit    string  `json:"unit"`
}

// JudgedValue is a series with the verdict on its newest value.
// What has json:"-" is for tables: words and colors that programs make of the figures themselves.
type JudgedValue struct {
	KeyValue
	Gate     GateValue       `json:"gate" csv:",inline"`
	Finding  finding         `json:"-" csv:"finding" col:"Verdict"`
	JudgedBy string          `json:"judged_by" col:"Judged by; drop=1" jsonschema:"the metric; of occupancy measured or loaded"`
	Measured *report.Rounded `json:"measured" csv:"measured" jsonschema:"of the newest run, where occupancy is judged"`
	Loaded   *report.Rounded `json:"loaded" csv:"loaded"`
	Against  string          `json:"-" csv:"against" col:"Against the prediction; in=sheet"`
	FirstBad *RefValue       `json:"first_bad" csv:"first_bad,inline" jsonschema:"the first of the runs in a row that are beyond their thresholds"`
	LastGood *RefValue       `json:"last_good" csv:"last_good,inline" jsonschema:"the run before that one"`
	Moved    []track.Move    `json:"moved" jsonschema:"what moved at first_bad, the most first"`
	Order    string          `json:"order" jsonschema:"in which the runs are judged"`
	Begins   *BeginValue     `json:"begins"`
	LeftOut  int             `json:"left_out" col:"Left out; in=sheet" jsonschema:"of the earlier runs, those whose value is unmeasurable; they are not in n"`
}

// RefValue names a run.
type RefValue struct {
	Run    int64     `json:"run" csv:"run"`
	Time   timestamp `json:"time"`
	Commit *commit   `json:"commit" csv:"commit"`
	Label  *string   `json:"label"`
}

// SeriesValue is one series of a report. Its values are in its unit.
type SeriesValue struct {
	JudgedValue
	Points  int           `json:"points" csv:"runs" col:"Runs"`
	Changes []ChangeValue `json:"change_points"`
	Changed int           `json:"-" csv:"changes" col:"Change points; brief=Changes; drop=8"`
	Last    *ChangeValue  `json:"-" csv:"last,inline"`
	Ended   bool          `json:"ended"`
}

// ChangeValue is a place where a series settled on a new level; index is of its first run, from 0.
type ChangeValue struct {
	Index      int            `json:"index" col:"Index"`
	Time       timestamp      `json:"time" col:"First run of the new level [UTC]"`
	P          probability    `json:"p" col:"p; kind=text; in=page+sheet"`
	MeanBefore report.Rounded `json:"mean_before" csv:"mean_before"`
	MeanAfter  report.Rounded `json:"mean_after" csv:"mean_after"`
	Difference report.Cell    `json:"-" csv:"difference"`
	Run        int64          `json:"run" col:"Run"`
	Magnitude  *float64       `json:"magnitude" jsonschema:"the larger of the two ratios of the means, minus 1; null when a mean is 0"`
	Relative   *float64       `json:"relative_change_percent" csv:"relative_change" col:"Relative change [%]; kind=points; in=page+sheet" jsonschema:"of mean_before; null when that is 0 or a difference itself"`
	Commit     *commit        `json:"commit" col:"Commit"`
	// How many runs the two levels have.
	Before int `json:"-" csv:"before" col:"before; group=Runs; in=page+sheet"`
	After  int `json:"-" csv:"after" col:"after; group=Runs; in=page+sheet"`
}

// GateValue is the gate's verdict with its figures.
type GateValue struct {
	Verdict string `json:"verdict" csv:"verdict"`
	figures
	Value  *report.Rounded `json:"value" csv:"value"`
	Run    *int64          `json:"run"`
	InARow int             `json:"in_a_row" col:"Runs in a row beyond; in=page+sheet"`
}

// figures are what a verdict came from.
type figures struct {
	N         int             `json:"n" col:"Earlier runs; brief=n; drop=2"`
	Window    int             `json:"window" col:"Window; drop=1"`
	Median    *report.Rounded `json:"median" csv:"median"`
	MAD       *report.Rounded `json:"mad" csv:"mad"`
	Threshold *report.Rounded `json:"threshold" csv:"threshold"`
}

// BeginValue says what changed where the series begins.
type BeginValue struct {
	Changed []string `json:"changed"`
	Device  *string  `json:"device_before"`
	Driver  *string  `json:"driver_before"`
	Run     int64    `json:"last_run_before"`
	Here    bool     `json:"here"` // the newest run is the first of the series
}

// value gives the series in the order in which they were first stored.
func (r *whole) value() *ReportValue {
	return &ReportValue{Schema: reportSchema, Metric: r.name(), Params: r.Params,
		Series: report.ListOf(r.Series, func(s *track.Series) SeriesValue { return r.seriesValue(s) })}
}

// seriesValue is a series of a report; of tables, a row.
func (r *whole) seriesValue(s *track.Series) SeriesValue {
	// JSON has all change points that were found, as tools that follow Hunter have them. People see those between
	// levels that last: a split that two outliers make is no change of a level.
	v := SeriesValue{JudgedValue: r.judged(s), Points: len(s.Points), Changes: make([]ChangeValue, len(s.Found)),
		Changed: len(s.Changes), Ended: s.Ended}
	for i := range s.Found {
		v.Changes[i] = r.changeValue(s, &s.Found[i])
	}
	if n := len(s.Changes); n > 0 {
		last := r.changeValue(s, &s.Changes[n-1])
		v.Last = &last
	}
	return v
}

func (r *whole) changeValue(s *track.Series, c *trend.ChangePoint) ChangeValue {
	run := s.Points[c.Index].Run
	return ChangeValue{Index: c.Index, Time: stamp(c.Time), P: probability(c.P), Run: run,
		MeanBefore: report.Rounded(c.MeanBefore), MeanAfter: report.Rounded(c.MeanAfter),
		Difference: r.differenceCell(c), Before: c.Before, After: c.After,
		Magnitude: report.Finite(unit.Some(c.Magnitude)), Relative: report.Finite(unit.Some(r.relativeChange(c))),
		Commit: (*commit)(report.Filled(r.Runs[run].Commit))}
}

func (m metric) key(k history.Key) KeyValue {
	return KeyValue{k.Name(), report.Filled(k.Device), report.Filled(k.Driver), report.Filled(k.Program), m.Unit()}
}

// judged is a series with its verdict; of tables, a row.
func (m metric) judged(s *track.Series) JudgedValue {
	v := JudgedValue{KeyValue: m.key(s.Key), LeftOut: len(s.LeftOut), Gate: gateValue(s),
		Finding: finding(report.StatusCell(findingText(s), statusOf(s))), Against: s.Against,
		FirstBad: refValue(s.FirstBad), LastGood: refValue(s.LastGood), Order: "date", JudgedBy: string(s.On),
		Moved: append([]track.Move{}, s.Moved...)}
	if p, ok := s.Newest(); ok && m.Metric.Metric == history.Occupancy {
		v.Measured, v.Loaded = (*report.Rounded)(&p.Value), finite(p.Beside)
		// The points are of the metric that is judged, and the other one stands beside them.
		if s.On == history.Loaded {
			v.Measured, v.Loaded = v.Loaded, v.Measured
		}
	}
	if s.ByAdding {
		v.Order = "adding"
	}
	if b := s.Begins; b != nil {
		v.Begins = &BeginValue{Changed: b.What, Device: report.Filled(b.From.Device),
			Driver: report.Filled(b.From.Driver), Run: b.Last.Run, Here: s.Age() == 0}
	}
	return v
}

func gateValue(s *track.Series) GateValue {
	f := figures{s.Gate.N, s.Gate.Window, finite(s.Gate.Median), finite(s.Gate.MAD), finite(s.Gate.Threshold)}
	g := GateValue{Verdict: string(s.Outcome()), figures: f, InARow: s.Gate.InARow}
	if p, ok := s.Newest(); ok {
		g.Value, g.Run = (*report.Rounded)(&p.Value), &p.Run
	}
	return g
}

func finite(x unit.Opt[float64]) *report.Rounded { return (*report.Rounded)(report.Finite(x)) }

func refValue(r *track.Ref) *RefValue {
	if r == nil {
		return nil
	}
	return &RefValue{r.Run, stamp(r.Time), (*commit)(report.Filled(r.Commit)), report.Filled(r.Label)}
}

// CheckValue is the JSON output of `occudiff track check`.
type CheckValue struct {
	Schema      string        `json:"schema"`
	Verdict     string        `json:"verdict"` // the worst of any series
	Metric      string        `json:"metric"`
	Direction   string        `json:"direction"`
	Run         RunValue      `json:"run"`
	Runs        []RefValue    `json:"runs" jsonschema:"all that are judged; run is the last"`
	Clock       []ClockValue  `json:"clock" jsonschema:"runs whose date cannot be right"`
	Shared      []SharedValue `json:"shared" jsonschema:"findings about many series of a device"`
	Series      []JudgedValue `json:"series"`
	NotMeasured int           `json:"not_measured"`
	Missing     []string      `json:"missing"`
	Gone        []GoneValue   `json:"gone" jsonschema:"kernels that the runs before had and the last one has not"`
}

// SharedValue is one finding about many series: what changed with the run from which on they are beyond their
// thresholds, or begin anew.
type SharedValue struct {
	Device  *string        `json:"device"`
	Changed []track.Change `json:"changed"`
	First   RefValue       `json:"first"`
	Before  RefValue       `json:"before"`
	Anew    bool           `json:"anew"`
	Series  []string       `json:"series"`
	Of      int            `json:"of" jsonschema:"series of the device"`
	Median  float64        `json:"median_difference" jsonschema:"of the newest values from their medians; 0 where series begin anew"`
}

func sharedValue(s track.Shared) SharedValue {
	return SharedValue{Device: report.Filled(s.Device), First: *refValue(&s.First), Before: *refValue(&s.Before),
		Anew: s.Anew, Of: s.Of, Median: s.Median, Changed: s.Changed,
		Series: report.ListOf(s.Series, func(t *track.Series) string { return t.Key.Name() })}
}

// ClockValue is a run whose date cannot be right.
type ClockValue struct {
	RefValue
	Problem string `json:"problem"`
}

func (c *check) value() *CheckValue {
	// In the order of the history and not of attention, so that two checks can be compared line by line.
	v := &CheckValue{Schema: checkSchema, Verdict: string(c.worst()), Metric: c.name(),
		Direction: string(c.Gate.Direction), Run: runValue(c.Run), NotMeasured: c.NotMeasured,
		Series: report.ListOf(c.Series, func(s *track.Series) JudgedValue { return c.judged(s) }),
		Runs:   report.ListOf(c.Runs, func(r track.Ref) RefValue { return *refValue(&r) }),
		Shared: report.ListOf(c.Shared, sharedValue), Missing: append([]string{}, c.Missing...),
		Gone: report.ListOf(c.Gone, goneValue),
		Clock: report.ListOf(c.Clock.Future, func(r track.Ref) ClockValue {
			return ClockValue{*refValue(&r), inFuture}
		})}
	if r := c.Clock.Earlier; r != nil {
		v.Clock = append(v.Clock, ClockValue{*refValue(r), beforeOthers})
	}
	return v
}

// The problems of dates.
const (
	inFuture     = "in the future"
	beforeOthers = "before a run that was added earlier"
)

// worst is the verdict of the run.
func (c *check) worst() trend.Outcome {
	for _, o := range outcomes {
		for _, s := range c.series {
			// A value that nobody can judge makes no run bad.
			if s.Outcome() == o && o != track.Unmeasurable {
				return o
			}
		}
	}
	return trend.Learning
}
