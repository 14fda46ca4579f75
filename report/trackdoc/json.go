package trackdoc

import (
	"strings"

	"occudiff/report"

	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// TrackSchema names the version of the JSON contract of `track report`.
const TrackSchema = "occudiff/track/1"

// TrackOutput is the JSON output of `occudiff track report`.
type TrackOutput struct {
	Schema string             `json:"schema"`
	Series []TrackSeriesEntry `json:"series"`
	Metric string             `json:"metric"`
	Params TrackParamsOutput  `json:"parameters"`
}

// TrackParamsOutput are the parameters of the change points.
type TrackParamsOutput struct {
	Window     int     `json:"window"`
	P          float64 `json:"p"`
	Magnitude  float64 `json:"magnitude"`
	MinSegment int     `json:"min_segment"`
}

// TrackSeriesEntry is one series. Its values are in its unit.
type TrackSeriesEntry struct {
	Name    string             `json:"name"`
	Points  int                `json:"points" jsonschema:"how many runs have a value"`
	Unit    string             `json:"unit"`
	Changes []TrackChangePoint `json:"change_points"`
	Gate    TrackGate          `json:"gate"`
	Device  *string            `json:"device"`
	Driver  *string            `json:"driver"`
	Begins  *TrackBegin        `json:"begins" jsonschema:"the series of the kernel on another device or driver, or in another launch shape, that ends where this one begins"`
	Ended   bool               `json:"ended" jsonschema:"the kernel went on with another device, driver or launch shape"`
	LeftOut int                `json:"left_out" jsonschema:"earlier runs that are no points: too short for the sampling interval"`
}

// TrackChangePoint is a place where a series settled on a new level; index is of its first run, from 0.
type TrackChangePoint struct {
	Index      int      `json:"index" jsonschema:"of the first run of the new level, from 0"`
	Time       string   `json:"time"`
	P          float64  `json:"p"`
	MeanBefore float64  `json:"mean_before"`
	MeanAfter  float64  `json:"mean_after"`
	Run        int64    `json:"run"`
	Magnitude  *float64 `json:"magnitude"` // null when a mean is 0
}

// TrackGate is the gate's verdict with its figures.
type TrackGate struct {
	Verdict   string   `json:"verdict"`
	N         int      `json:"n" jsonschema:"earlier runs that were looked at"`
	Window    int      `json:"window" jsonschema:"the most that would have been"`
	Median    *float64 `json:"median"`
	MAD       *float64 `json:"mad"`
	Threshold *float64 `json:"threshold"`
	Value     *float64 `json:"value" jsonschema:"of the newest run, in the series' unit"`
	Run       *int64   `json:"run"`
	InARow    int      `json:"in_a_row"`
}

// TrackBegin says what changed where a series begins.
type TrackBegin struct {
	Changed []string `json:"changed"`
	Device  *string  `json:"device_before"`
	Driver  *string  `json:"driver_before"`
	Run     int64    `json:"last_run_before"`
	Here    bool     `json:"here"` // the newest run is the first of the series
}

// TrackJSON gives the value of the JSON contract, the series in the order in which they were first stored.
func TrackJSON(t *TrackReport) *TrackOutput {
	v := &TrackOutput{Schema: TrackSchema, Metric: t.Metric.Name, Series: make([]TrackSeriesEntry, 0, len(t.Series)),
		Params: TrackParamsOutput{t.Params.Window, t.Params.P, t.Params.Magnitude, t.Params.MinSegment}}
	for i := range t.Series {
		v.Series = append(v.Series, trackSeriesEntry(&t.Series[i], t.Metric.Unit))
	}
	return v
}

func trackSeriesEntry(s *Tracked, unitName string) TrackSeriesEntry {
	e := TrackSeriesEntry{Name: s.Name, Points: len(s.Points), Unit: unitName, Changes: make([]TrackChangePoint, 0, len(s.Changes)),
		Gate: trackGate(s), Device: report.Filled(s.Device), Driver: report.Filled(s.Driver), Begins: trackBegin(s), Ended: s.Ended, LeftOut: len(s.LeftOut)}
	for _, c := range s.Changes {
		e.Changes = append(e.Changes, TrackChangePoint{c.Index, stamp(c.Time), c.P, c.MeanBefore, c.MeanAfter, s.Points[c.Index].Run, report.Finite(unit.Some(c.Magnitude))})
	}
	return e
}

func trackGate(s *Tracked) TrackGate {
	g := TrackGate{Verdict: s.word(), N: s.Gate.N, Window: s.Gate.Window, Median: report.Finite(s.Gate.Median), MAD: report.Finite(s.Gate.MAD),
		Threshold: report.Finite(s.Gate.Threshold), InARow: s.Gate.InARow}
	if p, ok := s.newest(); ok {
		g.Value, g.Run = &p.Value, &p.Run
	}
	return g
}

func trackBegin(s *Tracked) *TrackBegin {
	b := s.Begins
	if b == nil {
		return nil
	}
	return &TrackBegin{Changed: append([]string{}, b.What...), Device: report.Filled(b.Device), Driver: report.Filled(b.Driver), Run: b.Run, Here: s.age() == 0}
}

// TrackCheckSchema names the version of the JSON output of `track check`.
const TrackCheckSchema = "occudiff/track-check/1"

// TrackCheckOutput is the JSON output of `occudiff track check`.
type TrackCheckOutput struct {
	Schema      string             `json:"schema"`
	Verdict     string             `json:"verdict"` // the worst of any series
	Metric      string             `json:"metric"`
	Direction   string             `json:"direction"`
	Run         TrackRunOutput     `json:"run"`
	Series      []TrackCheckSeries `json:"series"`
	NotMeasured int                `json:"not_measured"`
	Missing     []string           `json:"missing"`
}

// TrackCheckSeries is one series of a checked run.
type TrackCheckSeries struct {
	Name    string      `json:"name"`
	Unit    string      `json:"unit"`
	Gate    TrackGate   `json:"gate"`
	Device  *string     `json:"device"`
	Driver  *string     `json:"driver"`
	Begins  *TrackBegin `json:"begins"`
	LeftOut int         `json:"left_out" jsonschema:"of the earlier runs, those too short for the sampling interval; they are not in n"`
}

// TrackCheckJSON gives the value of the JSON output.
func TrackCheckJSON(c *TrackCheck) *TrackCheckOutput {
	v := &TrackCheckOutput{Schema: TrackCheckSchema, Verdict: c.worst(), Metric: c.Metric.Name, Direction: string(c.Metric.Gate.Direction), Run: trackRunOutput(&c.Run),
		Series: make([]TrackCheckSeries, 0, len(c.Series)), NotMeasured: c.NotMeasured, Missing: append([]string{}, c.Missing...)}
	for i := range c.Series {
		s := &c.Series[i]
		v.Series = append(v.Series, TrackCheckSeries{s.Name, c.Metric.Unit, trackGate(s), report.Filled(s.Device), report.Filled(s.Driver), trackBegin(s), len(s.LeftOut)})
	}
	return v
}

// worst is the verdict of the run.
func (c *TrackCheck) worst() string {
	for _, w := range []trend.Outcome{trend.Regression, trend.Alarm, trend.OK} {
		if c.Count(string(w)) > 0 {
			return string(w)
		}
	}
	return string(trend.Learning)
}

// TrackCheckSuite gives a check as test cases: a regression fails, what could not be judged or is not confirmed is skipped.
func TrackCheckSuite(c *TrackCheck, prov report.Provenance) *report.TestSuite {
	s := &report.TestSuite{Name: "occudiff track check", Collected: c.Run.Time, Host: report.OneLine(c.Run.Host)}
	for _, p := range []report.TestProperty{{Name: "occudiff", Value: prov.Version}, {Name: "history", Value: c.Where}, {Name: "run", Value: TrackRunText(&c.Run)}, {Name: "commit", Value: c.Run.Commit}, {Name: "metric", Value: c.Metric.Name}, {Name: "rule", Value: c.Metric.rule()}} {
		if p.Value != "" {
			s.Properties = append(s.Properties, report.TestProperty{Name: p.Name, Value: report.OneLine(p.Value)})
		}
	}
	for _, t := range c.Metric.inOrder(c.Series) {
		s.Cases = append(s.Cases, c.testCase(t))
	}
	s.TellApart()
	return s
}

func (c *TrackCheck) testCase(t *Tracked) report.TestCase {
	class := strings.TrimSuffix(report.OneLine(t.Device)+"/"+report.OneLine(t.Driver), "/")
	if class == "" {
		class = "unknown device"
	}
	k := report.TestCase{Class: class, Name: report.OneLine(t.Name)}
	switch word := t.word(); word {
	case string(trend.OK):
	case string(trend.Regression):
		k.Outcome = report.TestFailed
		k.Type, k.Message = word, word+": "+c.Metric.difference(t.Gate.Value-t.Gate.Median.Or(0))+" off the median of "+report.Counted(t.Gate.N, "run", "runs")
	default:
		k.Outcome = report.TestSkipped
		k.Type, k.Message = word, t.finding()
	}
	k.Text = c.Metric.figures(t)
	if text := c.Metric.explain(t); text != "" {
		k.Text = report.UpperFirst(text) + "\n" + k.Text
	}
	return k
}

// figures lists what the verdict was taken from, a line each.
func (m *TrackMetric) figures(t *Tracked) string {
	lines := []string{"newest: " + m.print(t.Gate.Value), "n: " + report.Thousands(int64(t.Gate.N)) + " of a window of " + report.Thousands(int64(t.Gate.Window))}
	if x, ok := t.Gate.Median.Value(); ok {
		lines = append(lines, "median: "+m.print(x))
	}
	if x, ok := t.Gate.MAD.Value(); ok {
		lines = append(lines, "MAD: "+m.spread(x))
	}
	if x, ok := t.Gate.Threshold.Value(); ok {
		lines = append(lines, "threshold: "+m.print(x))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TrackCheckAnnotations lists regressions as errors, alarms as warnings, and changed devices and drivers as notices.
func TrackCheckAnnotations(c *TrackCheck) []report.Annotation {
	var list []report.Annotation
	for _, t := range c.Metric.inOrder(c.Series) {
		level := report.AnnotateNotice
		switch t.severity() {
		case 0:
			level = report.AnnotateError
		case 1:
			level = report.AnnotateWarning
		case 2:
		default:
			continue
		}
		list = append(list, report.Annotation{Level: level, Title: report.OneLine(t.Name) + ": " + t.finding(), Message: report.UpperFirst(c.Metric.explain(t))})
	}
	return list
}
