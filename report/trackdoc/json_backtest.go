package trackdoc

import (
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// BacktestValue is the JSON output of `occudiff track backtest`.
type BacktestValue struct {
	Schema    string        `json:"schema"`
	Metric    string        `json:"metric"`
	Direction string        `json:"direction"`
	Checks    int           `json:"checks" jsonschema:"that could be judged"`
	Opened    int           `json:"opened" jsonschema:"checks that opened a finding"`
	Red       int           `json:"red" jsonschema:"checks in which one was open"`
	Rate      float64       `json:"opened_per_100_checks"`
	LeftOut   int           `json:"left_out"`
	Power     []PowerValue  `json:"power"`
	Series    []ReplayValue `json:"series"`
	Proposal  ProposalValue `json:"proposal"`
}

// ReplayValue is one series, replayed.
type ReplayValue struct {
	KeyValue
	Runs     int            `json:"runs"`
	Findings []FindingValue `json:"findings"`
}

// FindingValue is a drop that lasted; closed_by is null while it is open.
type FindingValue struct {
	Run    int64          `json:"first_bad" csv:"run" col:"First bad run"`
	Time   timestamp      `json:"time" col:"At [UTC]"`
	Opened int64          `json:"opened_by" csv:"opened" col:"Found with run"`
	Median report.Rounded `json:"median" csv:"median"`
	Shift  report.Rounded `json:"shift" csv:"shift"`
	P      probability    `json:"p"`
	Closed *int64         `json:"closed_by" csv:"closed" col:"Mended with run"`
}

// PowerValue is how well planted drops of one size are found, within ten runs.
type PowerValue struct {
	Drop    float64  `json:"drop" csv:"drop" jsonschema:"in points; of times in percent"`
	Planted int      `json:"planted" col:"Planted"`
	Found   int      `json:"found" col:"Found"`
	Share   *float64 `json:"found_percent" csv:"share" col:"Found [%]; decimals=0"`
	Delay   *float64 `json:"median_delay_runs" csv:"delay" col:"Runs until found; decimals=0"`
}

// ProposalValue is the least threshold that keeps the budget, in the unit of --threshold: points, or percent.
type ProposalValue struct {
	Target    float64 `json:"target_per_100_checks"`
	Threshold float64 `json:"threshold"`
	Opened    int     `json:"opened"`
	Rate      float64 `json:"opened_per_100_checks"`
}

func powerValue(p trend.Power) PowerValue {
	v := PowerValue{Drop: p.Drop, Planted: p.Planted, Found: p.Found, Delay: report.Finite(p.Delay())}
	if p.Planted > 0 {
		v.Share = report.Finite(unit.Some(100 * float64(p.Found) / float64(p.Planted)))
	}
	return v
}

func (b *backtest) value() *BacktestValue {
	t := &b.Total
	return &BacktestValue{backtestSchema, b.name(), string(b.Gate.Direction), t.Checks, t.Opened, t.Red, t.Rate(),
		b.LeftOut, report.ListOf(b.Power, powerValue), report.ListOf(b.Series, func(s *track.Series) ReplayValue {
			findings := report.ListOf(s.Findings, func(f trend.Finding) FindingValue { return b.finding(s, &f) })
			return ReplayValue{b.key(s.Key), len(s.Own()), findings}
		}), ProposalValue{100 * b.Target, b.Threshold(b.Kept.Floor), b.KeptTotal.Opened, b.KeptTotal.Rate()}}
}
