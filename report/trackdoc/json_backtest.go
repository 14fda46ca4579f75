package trackdoc

import (
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/report"
)

// BacktestValue is the JSON output of `occudiff track backtest`.
type BacktestValue struct {
	Schema    string         `json:"schema"`
	Metric    string         `json:"metric"`
	Direction string         `json:"direction"`
	Runs      int            `json:"runs"`
	Learning  int            `json:"learning"`
	Alarms    int            `json:"alarms"`
	Confirmed int            `json:"confirmed"`
	LeftOut   int            `json:"left_out"`
	Series    []ReplayValue  `json:"series"`
	Proposal  *ProposalValue `json:"proposal"`
}

// ReplayValue is one series, replayed.
type ReplayValue struct {
	KeyValue
	Runs      int          `json:"runs" csv:"judged" col:"Judged"`
	Learning  int          `json:"learning" col:"Learning"`
	Alarms    []AlarmValue `json:"alarms"`
	Count     int          `json:"-" csv:"alarms" col:"Alarms"`
	Confirmed int          `json:"-" csv:"confirmed" col:"Confirmed"`
}

// AlarmValue is a stretch of runs beyond their thresholds; confirmed_by is null when it was a single run.
type AlarmValue struct {
	Index int            `json:"index"`
	Run   int64          `json:"run" col:"Run"`
	Time  timestamp      `json:"time" col:"At [UTC]"`
	Value report.Rounded `json:"value" csv:"value"`
	figures
	Runs        int    `json:"runs" col:"Runs beyond; drop=3"`
	ConfirmedBy *int64 `json:"confirmed_by" col:"Confirmed by run"`
}

// ProposalValue is the threshold for a wanted rate, in the unit of --threshold: points, or percent of the median.
type ProposalValue struct {
	Target    float64 `json:"target_per_100_runs"`
	Threshold float64 `json:"threshold"`
	Alarms    int     `json:"confirmed"`
	Rate      float64 `json:"rate_per_100_runs"`
	RateNow   float64 `json:"rate_now_per_100_runs"`
	Finest    float64 `json:"one_alarm_per_100_runs"`
}

func (b *backtest) value() *BacktestValue {
	t := &b.total
	v := &BacktestValue{backtestSchema, b.name(), string(b.Gate.Direction), t.Runs, t.Learning, len(t.Episodes),
		t.Regressions(), b.LeftOut, report.ListOf(b.Series, b.replay), nil}
	if p, ok := b.Proposal.Value(); ok {
		v.Proposal = &ProposalValue{b.Target.Or(0), b.threshold(p.Floor), p.Regressions, p.Rate, p.RateNow, p.Finest}
	}
	return v
}

func (b *backtest) replay(s track.Replay) ReplayValue {
	alarms := report.ListOf(s.Result.Episodes, func(e trend.Episode) AlarmValue {
		at := &e.Start
		a := AlarmValue{e.First, s.Points[e.First].Run, stamp(at.Time), report.Rounded(at.Value), figuresOf(at),
			e.Last - e.First + 1, nil}
		if k, ok := e.Confirmed.Value(); ok {
			a.ConfirmedBy = &s.Points[k].Run
		}
		return a
	})
	return ReplayValue{KeyValue: b.key(s.Key), Runs: s.Result.Runs, Learning: s.Result.Learning, Alarms: alarms,
		Count: len(alarms), Confirmed: s.Result.Regressions()}
}
