package trackdoc

import "occudiff/report"

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
	Runs     int          `json:"runs"`
	Learning int          `json:"learning"`
	Alarms   []AlarmValue `json:"alarms"`
}

// AlarmValue is a stretch of runs beyond their thresholds; confirmed_by is null when it was a single run.
type AlarmValue struct {
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
		t.Regressions(), b.LeftOut, make([]ReplayValue, 0, len(b.Series)), nil}
	for i := range b.Series {
		s := &b.Series[i]
		e := ReplayValue{b.key(s.Key), s.Result.Runs, s.Result.Learning, make([]AlarmValue, 0, len(s.Result.Episodes))}
		for k := range s.Result.Episodes {
			a := alarm{series{s.Series}, &s.Result.Episodes[k]}
			at := &a.Start
			e.Alarms = append(e.Alarms, AlarmValue{a.First, a.Points[a.First].Run, stamp(at.Time), at.Value, at.N,
				at.Window, report.Finite(at.Median), report.Finite(at.MAD), report.Finite(at.Threshold),
				a.Last - a.First + 1, a.confirmedBy()})
		}
		v.Series = append(v.Series, e)
	}
	if p, ok := b.Proposal.Value(); ok {
		v.Proposal = &ProposalValue{b.Target.Or(0), b.threshold(p.Floor), p.Regressions, p.Rate, p.RateNow, p.Finest}
	}
	return v
}
