package trackdoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// backtestView is the input of the document about a backtest.
type backtestView struct {
	*track.Backtest
	metric
}

// finding is a finding together with its series.
type finding struct {
	series
	trend.Finding
}

// FromBacktest returns the output for a backtest: the number of checks that
// would have failed, and how soon drops would have been found.
func FromBacktest(t *track.Backtest, prov report.Provenance) *report.Output {
	b := &backtestView{t, metric{t.Metric}}
	// The findings of all series are in one list, because the budget applies to
	// all of them. The series are in the order in which they were first stored.
	var all []finding
	for _, s := range b.Series {
		for _, f := range s.Findings {
			all = append(all, finding{series{s}, f})
		}
	}
	raw := b.findings(all)
	table := raw.Show("series")
	table.Hide(report.Terminal, "device", "driver", "program")
	d := &report.Document{
		Title:    "The gate over the stored history",
		Subject:  b.Title(),
		Summary:  b.summary(table),
		Headline: []string{b.rule()},
		Sections: []report.Section{tableSection(table)},
	}
	finish(d, b.Where, prov)
	return &report.Output{Doc: d, Value: b.value(raw), Table: raw}
}

func (b *backtestView) summary(table *report.Table) *report.Summary {
	t := &b.Total
	if t.Checks == 0 {
		return &report.Summary{Headline: "Nothing could be judged: no series of " + b.name() + " has more than " +
			unit.Plural(b.Gate.Learning, "run") + "."}
	}
	// The budget counts findings and not failed checks. A single false alarm
	// fails every check until it is closed, but users review it only once.
	s := &report.Summary{
		Headline: fmt.Sprintf("%s of %s opened a finding, %s in 100; %s failed while one was open.",
			report.Thousands(t.Opened), unit.Plural(t.Checks, "check"), rate(t.Rate()),
			report.Thousands(t.FailedChecks)),
		Impact: "Short findings of single kernels count as false alarms here.",
	}
	switch {
	case b.Open > 0:
		s.Headline += " No --threshold is proposed while " +
			unit.FormatCount(b.Open, "finding is", "findings are") + " open."
	case b.Hides:
		s.Headline += fmt.Sprintf(" A --threshold that opens at most %s in 100 would hide a drop of several kernels "+
			"or of 8 runs.", rate(100*b.Target))
	case b.Kept.Floor > b.Gate.Floor:
		s.Headline += fmt.Sprintf(" --threshold %s opens %s in 100.", report.Shortest(b.Threshold(b.Kept.Floor)),
			rate(b.KeptTotal.Rate()))
	default:
		s.Headline += " This is within the budget."
	}
	if table.Len > 0 {
		first := *table
		first.Len = min(table.Len, report.SummaryRows)
		s.Rows = &first
		if n := table.Len - first.Len; n > 0 {
			s.More = fmt.Sprintf("and %d more", n)
		}
	}
	var planted []string
	dropUnit := b.distanceUnit()
	if b.Gate.Relative {
		dropUnit = "%"
	}
	for _, p := range b.Power { // no rows without injected drops, whose zeros would look like a bad result
		text := fmt.Sprintf("%s: %d of %d", report.WithUnit(report.Shortest(p.Drop), dropUnit), p.Found, p.Injected)
		if delay, ok := p.Delay().Value(); ok {
			text += fmt.Sprintf(" (after %.0f runs)", delay)
		}
		if p.Injected > 0 {
			planted = append(planted, text)
		}
	}
	if len(planted) > 0 {
		s.Advice = append(s.Advice, "Injected drops found within ten runs: "+strings.Join(planted, "; ")+".")
	}
	s.Advice = append(s.Advice, leftOut(b.Series)...)
	return s
}

// rate returns a number of checks per 100, with three significant digits. With
// a fixed number of decimals, a rate of one in a thousand could look like zero.
func rate(x float64) string {
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// findings returns the table of findings.
func (b *backtestView) findings(list []finding) *report.Table {
	key := func(f *finding) *history.Key { return &f.Key }
	return report.NewTable("findings", "Findings", list, append(keyColumns(b.metric, key),
		report.Define("run", "First bad run",
			func(f *finding) int64 { return f.Points[f.First].Run },
			report.Path("first_bad")),
		report.Define("time", "At",
			func(f *finding) string { return exactly(f.Points[f.First].Time) }),
		report.Define("opened", "Found with run",
			func(f *finding) int64 { return f.Points[f.Opened].Run },
			report.Path("opened_by")),
		figure(b.metric, "median", "Level",
			func(f *finding) float64 { return f.Level }),
		figure(b.metric, "shift", "Shift",
			func(f *finding) float64 { return f.Shift },
			report.Unit(b.distanceUnit())),
		report.JSON("p", func(f *finding) float64 { return f.P }),
		report.Define("closed", "Closed with run", func(f *finding) unit.Opt[int64] {
			if f.Closed >= 0 {
				return unit.Some(f.Points[f.Closed].Run)
			}
			run, _ := f.AcceptedAfter() // 0 without an accepted run
			return unit.NonZero(run)
		}, report.Path("closed_by"))))
}

// powerColumns are the columns for the injected drops of one size, and how many
// of them were found.
var powerColumns = []report.Col[trend.Power]{
	report.JSON("drop",
		func(p *trend.Power) float64 { return p.Drop }),
	report.JSON("injected",
		func(p *trend.Power) int { return p.Injected }),
	report.JSON("found", func(p *trend.Power) int { return p.Found }),
	report.JSON("found_percent", func(p *trend.Power) number {
		return unit.Some(100 * float64(p.Found) / float64(p.Injected)) // absent if no drop was injected
	}),
	report.JSON("median_delay_runs", (*trend.Power).Delay),
}

// BacktestValue is the JSON output of `occudiff track backtest`.
type BacktestValue struct {
	Schema       string        `json:"schema"`
	Metric       string        `json:"metric"`
	Direction    string        `json:"direction"`
	Checks       int           `json:"checks"`
	Opened       int           `json:"opened"`
	FailedChecks int           `json:"failed_checks"`
	Rate         float64       `json:"opened_per_100_checks"`
	Power        *report.Table `json:"power"`
	Findings     *report.Table `json:"findings"`
	Proposal     ProposalValue `json:"proposal"`
}

// ProposalValue is the proposed threshold: the smallest threshold with which
// the findings stay within the budget. Its unit is the unit of --threshold:
// points or percent.
type ProposalValue struct {
	Target    float64         `json:"target_per_100_checks"`
	Threshold number          `json:"threshold"`
	Opened    unit.Opt[int64] `json:"opened"`
	Rate      number          `json:"opened_per_100_checks"`
}

func (b *backtestView) value(findings *report.Table) *BacktestValue {
	t := &b.Total
	proposed := b.Open == 0 && !b.Hides
	return &BacktestValue{
		Schema:       backtestSchema,
		Metric:       b.name(),
		Direction:    string(b.Gate.Direction),
		Checks:       t.Checks,
		Opened:       t.Opened,
		FailedChecks: t.FailedChecks,
		Rate:         t.Rate(),
		Power:        report.NewTable("power", "", b.Power, powerColumns),
		Findings:     findings,
		Proposal: ProposalValue{
			Target:    100 * b.Target,
			Threshold: unit.Maybe(b.Threshold(b.Kept.Floor), proposed),
			Opened:    unit.Maybe(int64(b.KeptTotal.Opened), proposed),
			Rate:      unit.Maybe(b.KeptTotal.Rate(), proposed),
		},
	}
}
