package trackdoc

import (
	"cmp"
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
	total trend.Backtest // of all series
}

// FromBacktest answers how often the gate would have alarmed: when, and which later run confirmed it.
func FromBacktest(t *track.Backtest, prov report.Provenance) *report.Answer {
	b := &backtest{Backtest: t, metric: metric{t.Metric, prov.CommitURL}}
	for i := range t.Series {
		r := &t.Series[i].Result
		b.total.Runs, b.total.Learning = b.total.Runs+r.Runs, b.total.Learning+r.Learning
		b.total.Episodes = append(b.total.Episodes, r.Episodes...)
	}
	d := b.document(prov)
	return &report.Answer{Doc: d, Value: b.value(), Table: d.Table("alarms")}
}

func (b *backtest) document(prov report.Provenance) *report.Document {
	d := &report.Document{Title: "The gate over the stored history", Subject: b.Title(),
		Headline: []string{report.OneLine(b.Where) + ": " + b.rule()}, Closing: b.closing() + b.proposal()}
	list := slices.Clone(b.Series)
	slices.SortStableFunc(list, func(x, y track.Replay) int {
		return cmp.Or(cmp.Compare(y.Result.Regressions(), x.Result.Regressions()),
			cmp.Compare(len(y.Result.Episodes), len(x.Result.Episodes)))
	})
	return b.page(d, b.Where, prov, tableSection("Series", b.seriesTable(list)),
		tableSection("Alarms", b.alarmTable(list)))
}

func (b *backtest) closing() string {
	t, left := &b.total, leftOut(b.LeftOut, b.LeftOutOf)
	if t.Runs == 0 {
		return "Nothing could be judged: no series has more than " + report.Thousands(int64(b.Gate.Learning)) +
			" runs yet." + left
	}
	return fmt.Sprintf("%s over %s in %s: %s confirmed by a second run, %s per 100 runs; %s learning.",
		unit.Counted(len(t.Episodes), "alarm", "alarms"), unit.Counted(t.Runs, "judged run", "judged runs"),
		unit.Counted(len(b.Series), "series", "series"), report.Thousands(int64(t.Regressions())),
		rate(100*float64(t.Regressions())/float64(t.Runs)), unit.Counted(t.Learning, "run was", "runs were")) + left
}

// proposal says which threshold gives the rate that was asked for; nothing when none was.
func (b *backtest) proposal() string {
	p, ok := b.Proposal.Value()
	if !ok {
		return ""
	}
	target := b.Target.Or(0)
	text := " For at most " + report.Shortest(target) + " confirmed alarms per 100 runs: "
	least := fmt.Sprintf("--threshold %s (%s, %s per 100 runs)", report.Shortest(b.Threshold(p.Floor)),
		unit.Counted(p.Regressions, "alarm", "alarms"), rate(p.Rate))
	if p.RateNow <= target {
		text += "the threshold that was replayed keeps to it; the least that does is " + least + "."
	} else {
		text += least + " instead of " + rate(p.RateNow) + "."
	}
	if target < p.Finest {
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

// threshold turns a floor into the unit of --threshold.
func (b *backtest) threshold(floor float64) float64 {
	if b.Gate.Relative {
		return floor * 100
	}
	return floor
}

// seriesTable counts the alarms of each series.
func (b *backtest) seriesTable(replays []track.Replay) *report.Table {
	list := make([]*track.Series, len(replays))
	for i := range replays {
		list[i] = replays[i].Series
	}
	return report.Rows(report.SectionSeries, len(list), func(i int) ReplayValue { return b.replay(replays[i]) },
		append(keyColumns(list), "judged", "learning", "alarms", "confirmed")...)
}

// alarmTable lists every alarm: when, from which figures, and what confirmed it.
func (b *backtest) alarmTable(replays []track.Replay) *report.Table {
	type row struct {
		KeyValue
		AlarmValue
	}
	var rows []row
	for i := range replays {
		s := b.replay(replays[i])
		for _, a := range s.Alarms {
			rows = append(rows, row{s.KeyValue, a})
		}
	}
	return report.Rows("alarms", len(rows), func(i int) row { return rows[i] }, "series: Alarm of; cut",
		"device: Device; in=page+sheet", "driver: Driver; in=page+sheet", "time", "run", b.heading("value", "Value"),
		b.heading("median", "Median"), b.madColumn(2), b.heading("threshold", "Threshold"),
		"n: Earlier runs; brief=n; drop=1", "runs",
		"confirmed_by")
}
