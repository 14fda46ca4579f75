package trackdoc

import (
	"fmt"
	"slices"

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

// FromBacktest answers how many checks would have been red, and how well drops would have been found.
func FromBacktest(t *track.Backtest, prov report.Provenance) *report.Answer {
	b := &backtest{t, metric{t.Metric, prov.CommitURL}}
	d := b.document(prov)
	return &report.Answer{Doc: d, Value: b.value(), Table: d.Table("findings")}
}

func (b *backtest) document(prov report.Provenance) *report.Document {
	d := &report.Document{Title: "The gate over the stored history", Subject: b.Title(),
		Headline: []string{report.OneLine(b.Where) + ": " + b.rule()}, Closing: b.closing()}
	sections := []report.Section{tableSection("Findings", b.findingTable())}
	// Drops are planted only behind enough runs; a table of zeros would look as if none were found.
	if slices.ContainsFunc(b.Power, func(p trend.Power) bool { return p.Planted > 0 }) {
		sections = slices.Insert(sections, 0, tableSection("Planted drops", b.powerTable()))
	}
	return b.page(d, b.Where, prov, sections...)
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

// powerTable says how well planted drops are found.
func (b *backtest) powerTable() *report.Table {
	unit := b.distanceUnit()
	if b.Gate.Relative {
		unit = "%"
	}
	return report.Rows("power", len(b.Power), func(i int) PowerValue { return powerValue(b.Power[i]) },
		"drop: Planted drop ["+unit+"]; decimals=0", "planted", "found", "share", "delay")
}

// findingTable lists every finding.
func (b *backtest) findingTable() *report.Table {
	type row struct {
		KeyValue
		FindingValue
	}
	var rows []row
	// Findings stand in one list over all series, in the order in which these were first stored: a budget is over all.
	for _, s := range b.Series {
		for i := range s.Findings {
			rows = append(rows, row{b.key(s.Key), b.finding(s, &s.Findings[i])})
		}
	}
	return report.Rows("findings", len(rows), func(i int) row { return rows[i] }, "series: Finding of; cut",
		"device: Device; in=page+sheet", "driver: Driver; in=page+sheet", "time", "run", "opened",
		b.heading("median", "Level"), "shift: Shift ["+b.distanceUnit()+"]; kind=points", "closed")
}

// finding is a finding of a series, as programs and tables have it.
func (m metric) finding(s *track.Series, f *trend.Finding) FindingValue {
	p := s.Points[f.First]
	v := FindingValue{Run: p.Run, Time: stamp(p.Time), Opened: s.Points[f.Opened].Run, Median: report.Rounded(f.Level),
		Shift: report.Rounded(f.Shift * m.scale()), P: probability(f.P)}
	// A finding that is open has no end, which is not the run of its first point.
	if f.Closed >= 0 {
		v.Closed = &s.Points[f.Closed].Run
	}
	return v
}
