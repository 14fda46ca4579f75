package trackdoc

import (
	"fmt"
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// backtest is a replay of the gate on its way to an answer.
type backtest struct {
	*track.Backtest
	metric
}

// FromBacktest answers how many checks would have been red, and how well drops would have been finding.
func FromBacktest(t *track.Backtest, prov report.Provenance) *report.Answer {
	b := &backtest{t, metric{t.Metric, prov.CommitURL}}
	var rows []finding // in one list over all series, in the order in which these were first stored: a budget is over all
	for _, s := range b.Series {
		rows = append(rows, b.findingsOf(s)...)
	}
	raw := report.NewTable("findings", "Findings", rows, append(keyColumns(b.metric, func(f *finding) *history.Key { return &f.Key }),
		b.findingColumns()...))
	table := raw.Show("series")
	table.Hide(report.Terminal, "device", "driver", "program")
	d := &report.Document{Title: "The gate over the stored history", Subject: b.Title(),
		Headline: []string{report.OneLine(b.Where) + ": " + b.rule()}, Closing: b.closing()}
	sections := []report.Section{summary(d)}
	// Drops are planted only behind enough runs; a table of zeros would look as if none were finding.
	if slices.ContainsFunc(b.Power, func(p trend.Power) bool { return p.Planted > 0 }) {
		sections = append(sections, tableSection(report.NewTable("power", "Planted drops", b.Power, b.powerColumns()).Show()))
	}
	return &report.Answer{Doc: b.finish(d, b.Where, prov, append(sections, tableSection(table))...), Value: b.value(), Table: raw}
}

func (b *backtest) closing() string {
	t, left := &b.Total, leftOut(b.LeftOut, b.LeftOutOf)
	if t.Checks == 0 {
		return "Nothing could be judged: no series has more than " + report.Thousands(int64(b.Gate.Learning)) +
			" runs yet." + left
	}
	// The budget is of findings and not of red checks: one drop for nothing turns every check red until it is mended,
	// and is still one thing to look at.
	text := fmt.Sprintf("%s of %s opened a finding, %s in 100; %s red while one was open.",
		report.Thousands(int64(t.Opened)), unit.Counted(t.Checks, "check", "checks"), rate(t.Rate()),
		unit.Counted(t.Red, "was", "were"))
	// A threshold is proposed only where the gate as it is goes over the budget, and then it is the least that keeps
	// it.
	if b.Kept.Floor > b.Gate.Floor {
		text += fmt.Sprintf(" --threshold %s opens %s in 100.", report.Shortest(b.Threshold(b.Kept.Floor)),
			rate(b.KeptTotal.Rate()))
	} else {
		text += " That keeps the budget."
	}
	return text + " Every finding is taken for one for nothing here: accept those that were real." + left
}

// rate prints checks in 100.
func rate(x float64) string {
	// With two decimals a rate below one in a thousand would be 0, and look like never.
	if x > 0 && x < 0.095 {
		return report.Decimal(x, 4)
	}
	return report.Decimal(x, 2)
}

func (b *backtest) findingsOf(s *track.Series) []finding {
	return report.ListOf(s.Findings, func(f trend.Finding) finding { return finding{s, f} })
}
