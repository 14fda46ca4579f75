package trackdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"occudiff/report"

	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// TrackBacktest is the gate replayed over a history.
type TrackBacktest struct {
	Metric TrackMetric
	Where  string
	Series []Backtested // in the order in which they were first stored
	// Proposal is the floor for the rate that was asked for; absent when none was.
	Proposal unit.Opt[trend.Proposal]
	Target   float64 // false alarms per 100 runs
	// LeftOut is how many values were left out, of how many series, because the kernel was too short for the sampling interval.
	LeftOut, LeftOutOf int
}

// Backtested is one series, replayed.
type Backtested struct {
	Tracked
	Result trend.Backtest
}

// totals adds up over all series.
func (b *TrackBacktest) totals() (runs, learning, episodes, confirmed int) {
	for i := range b.Series {
		r := &b.Series[i].Result
		runs, learning, episodes, confirmed = runs+r.Runs, learning+r.Learning, episodes+len(r.Episodes), confirmed+r.Regressions()
	}
	return runs, learning, episodes, confirmed
}

// FromTrackBacktest builds the report of a backtest: how many alarms, when, and which later run confirmed them.
func FromTrackBacktest(b *TrackBacktest, prov report.Provenance) *report.Document {
	d := &report.Document{Title: "The gate over the stored history", Subject: b.Metric.title(), Version: prov.Version, Headline: []string{report.OneLine(b.Where) + ": " + b.Metric.rule()}}
	d.Closing = b.closing()
	if text := b.proposal(); text != "" {
		d.Closing += " " + text
	}
	list := b.inOrder()
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", Text: append(slices.Clone(d.Headline), d.Closing)}
	series := report.Section{Key: SectionSeries, Title: "Series", Sheet: "Series", Tables: []*report.Table{b.seriesTable(list)}}
	alarms := report.Section{Key: "alarms", Title: "Alarms", Sheet: "Alarms", Tables: []*report.Table{b.episodeTable(list)}}
	d.Sections = append([]report.Section{summary, series, alarms}, trackProvenance(b.Where, &b.Metric, prov)...)
	return d
}

func (b *TrackBacktest) inOrder() []*Backtested {
	list := make([]*Backtested, len(b.Series))
	for i := range b.Series {
		list[i] = &b.Series[i]
	}
	slices.SortStableFunc(list, func(x, y *Backtested) int {
		return cmp.Or(cmp.Compare(y.Result.Regressions(), x.Result.Regressions()), cmp.Compare(len(y.Result.Episodes), len(x.Result.Episodes)))
	})
	return list
}

func (b *TrackBacktest) closing() string {
	runs, learning, episodes, confirmed := b.totals()
	if runs == 0 {
		return "Nothing could be judged: no series has more than " + report.Shortest(float64(b.Metric.Gate.Learning)) + " runs yet." + leftOutText(b.LeftOut, b.LeftOutOf)
	}
	text := fmt.Sprintf("%s over %s in %s: %s confirmed by a second run, %s per 100 runs; ", report.Counted(episodes, "alarm", "alarms"), report.Counted(runs, "judged run", "judged runs"),
		report.Counted(len(b.Series), "series", "series"), report.Thousands(int64(confirmed)), rate(100*float64(confirmed)/float64(runs)))
	return text + report.Counted(learning, "run was", "runs were") + " learning." + leftOutText(b.LeftOut, b.LeftOutOf)
}

// proposal says which threshold gives the rate that was asked for.
func (b *TrackBacktest) proposal() string {
	p, ok := b.Proposal.Value()
	if !ok {
		return ""
	}
	wish := "For at most " + report.Shortest(b.Target) + " confirmed alarms per 100 runs: "
	least := fmt.Sprintf("--threshold %s (%s, %s per 100 runs)", b.threshold(p.Floor), report.Counted(p.Regressions, "alarm", "alarms"), rate(p.Rate))
	text := wish + least + " instead of " + rate(p.RateNow) + "."
	if p.RateNow <= b.Target {
		text = wish + "the threshold that was replayed keeps to it; the least that does is " + least + "."
	}
	if b.Target < p.Finest {
		text += " A single alarm in this history is " + rate(p.Finest) + " per 100 runs already."
	}
	return text + " Every alarm is taken for a false one here: where some were real, a lower threshold does."
}

// rate prints alarms per 100 runs.
func rate(x float64) string {
	if x > 0 && x < 0.095 {
		return report.Decimal(x, 4)
	}
	return report.Decimal(x, 2)
}

// threshold prints a floor so that --threshold reads it, rounded up, since a run has to exceed it.
func (b *TrackBacktest) threshold(floor float64) string {
	if b.Metric.Gate.Relative {
		floor *= 100
	}
	return report.Shortest(roundUp(floor))
}

func (b *TrackBacktest) seriesTable(list []*Backtested) *report.Table {
	all := report.Terminal | report.Page | report.Sheet
	plainSeries := make([]*Tracked, len(list))
	results := make(map[*Tracked]*trend.Backtest, len(list))
	for i, x := range list {
		plainSeries[i] = &x.Tracked
		results[&x.Tracked] = &x.Result
	}
	s := b.Metric.seriesColumns(plainSeries)
	count := func(key, title string, of func(*trend.Backtest) int) {
		s.add(report.Column{Key: key, Title: title, Kind: report.Integer, In: all}, func(t *Tracked) report.Cell { return report.IntCell(of(results[t])) })
	}
	count("judged", "Judged", func(r *trend.Backtest) int { return r.Runs })
	count("learning", "Learning", func(r *trend.Backtest) int { return r.Learning })
	count("alarms", "Alarms", func(r *trend.Backtest) int { return len(r.Episodes) })
	count("confirmed", "Confirmed", func(r *trend.Backtest) int { return r.Regressions() })
	return s.table("series", "")
}

// episodeTable lists every alarm: when, from which figures, and what confirmed it.
func (b *TrackBacktest) episodeTable(list []*Backtested) *report.Table {
	type alarm struct {
		s *Backtested
		e *trend.Episode
	}
	var alarms []alarm
	for _, s := range list {
		for i := range s.Result.Episodes {
			alarms = append(alarms, alarm{s, &s.Result.Episodes[i]})
		}
	}
	m, all := &b.Metric, report.Terminal|report.Page|report.Sheet
	mad := m.spreadColumn("mad", "MAD")
	mad.Drop = 2
	t := report.Fixed("alarms", "", []report.Column{
		{Key: "series", Title: "Alarm of", Kind: report.Text, In: all, Cut: true},
		{Key: "device", Title: "Device", Kind: report.Text, In: report.Page | report.Sheet}, {Key: "driver", Title: "Driver", Kind: report.Text, In: report.Page | report.Sheet},
		{Key: "time", Title: "At", Unit: "UTC", Kind: report.Text, In: all}, {Key: "run", Title: "Run", Kind: report.Integer, In: all},
		m.column("value", "", "Value"), m.column("median", "", "Median"), mad, m.column("threshold", "", "Threshold"),
		{Key: "n", Title: "Earlier runs", Brief: "n", Kind: report.Integer, In: all, Drop: 1},
		{Key: "runs", Title: "Runs beyond", Kind: report.Integer, In: all, Drop: 3}, {Key: "confirmed_by", Title: "Confirmed by run", Kind: report.Integer, In: all},
	}, nil)
	t.In |= report.Terminal
	t.Len, t.Main = len(alarms), len(alarms)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		s, e := alarms[i].s, alarms[i].e
		confirmed := report.Cell{}
		if k, ok := e.Confirmed.Value(); ok {
			confirmed = report.IntCell(s.Points[k].Run)
		}
		spread := report.Cell{}
		if x, ok := e.Start.MAD.Value(); ok {
			spread = report.NumCell(report.Number, x*m.scale())
		}
		return append(dst, report.TextCell(s.Name), report.TextCell(s.Device), report.TextCell(s.Driver), report.TextCell(when(e.Start.Time)), report.IntCell(s.Points[e.First].Run), m.cell(e.Start.Value),
			m.optCell(e.Start.Median), spread, m.optCell(e.Start.Threshold), report.IntCell(e.Start.N), report.IntCell(e.Last-e.First+1), confirmed)
	}
	return t
}

// TrackBacktestSchema names the version of the JSON output of `track backtest`.
const TrackBacktestSchema = "occudiff/track-backtest/1"

// TrackBacktestOutput is the JSON output of `occudiff track backtest`.
type TrackBacktestOutput struct {
	Schema    string                `json:"schema"`
	Metric    string                `json:"metric"`
	Direction string                `json:"direction"`
	Runs      int                   `json:"runs"`
	Learning  int                   `json:"learning"`
	Alarms    int                   `json:"alarms"`
	Confirmed int                   `json:"confirmed"`
	LeftOut   int                   `json:"left_out" jsonschema:"values that are not judged: too short for the sampling interval"`
	Series    []TrackBacktestSeries `json:"series"`
	Proposal  *TrackProposalOutput  `json:"proposal"`
}

// TrackBacktestSeries is one series, replayed.
type TrackBacktestSeries struct {
	Name     string             `json:"name"`
	Device   *string            `json:"device"`
	Driver   *string            `json:"driver"`
	Unit     string             `json:"unit"`
	Runs     int                `json:"runs"`
	Learning int                `json:"learning"`
	Alarms   []TrackAlarmOutput `json:"alarms"`
}

// TrackAlarmOutput is a stretch of runs beyond their thresholds; confirmed_by is null when it was a single run.
type TrackAlarmOutput struct {
	Index       int      `json:"index"`
	Run         int64    `json:"run"`
	Time        string   `json:"time"`
	Value       float64  `json:"value"`
	N           int      `json:"n"`
	Window      int      `json:"window"`
	Median      *float64 `json:"median"`
	MAD         *float64 `json:"mad"`
	Threshold   *float64 `json:"threshold"`
	Runs        int      `json:"runs"`
	ConfirmedBy *int64   `json:"confirmed_by"`
}

// TrackProposalOutput is the threshold for a wanted rate, in the unit of --threshold: points, or percent of the median.
type TrackProposalOutput struct {
	Target    float64 `json:"target_per_100_runs"`
	Threshold float64 `json:"threshold"`
	Alarms    int     `json:"confirmed"`
	Rate      float64 `json:"rate_per_100_runs"`
	RateNow   float64 `json:"rate_now_per_100_runs"`
	Finest    float64 `json:"one_alarm_per_100_runs"`
}

// TrackBacktestJSON gives the value of the JSON output.
func TrackBacktestJSON(b *TrackBacktest) *TrackBacktestOutput {
	v := &TrackBacktestOutput{Schema: TrackBacktestSchema, Metric: b.Metric.Name, Direction: string(b.Metric.Gate.Direction), LeftOut: b.LeftOut, Series: make([]TrackBacktestSeries, 0, len(b.Series))}
	v.Runs, v.Learning, v.Alarms, v.Confirmed = b.totals()
	for i := range b.Series {
		v.Series = append(v.Series, backtestSeries(&b.Series[i], b.Metric.Unit))
	}
	if p, ok := b.Proposal.Value(); ok {
		floor := p.Floor
		if b.Metric.Gate.Relative {
			floor *= 100
		}
		v.Proposal = &TrackProposalOutput{b.Target, floor, p.Regressions, p.Rate, p.RateNow, p.Finest}
	}
	return v
}

func backtestSeries(s *Backtested, unitName string) TrackBacktestSeries {
	v := TrackBacktestSeries{Name: s.Name, Device: report.Filled(s.Device), Driver: report.Filled(s.Driver), Unit: unitName, Runs: s.Result.Runs, Learning: s.Result.Learning,
		Alarms: make([]TrackAlarmOutput, 0, len(s.Result.Episodes))}
	for _, e := range s.Result.Episodes {
		a := TrackAlarmOutput{Index: e.First, Run: s.Points[e.First].Run, Time: stamp(e.Start.Time), Value: e.Start.Value, N: e.Start.N, Window: e.Start.Window,
			Median: report.Finite(e.Start.Median), MAD: report.Finite(e.Start.MAD), Threshold: report.Finite(e.Start.Threshold), Runs: e.Last - e.First + 1}
		if k, ok := e.Confirmed.Value(); ok {
			a.ConfirmedBy = &s.Points[k].Run
		}
		v.Alarms = append(v.Alarms, a)
	}
	return v
}

// roundUp rounds to four significant digits, away from zero.
func roundUp(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	step := math.Pow(10, math.Floor(math.Log10(x))-3)
	up := math.Ceil(x/step-1e-9) * step
	short, err := strconv.ParseFloat(strconv.FormatFloat(up, 'g', 4, 64), 64)
	if err != nil {
		return up
	}
	return short
}
