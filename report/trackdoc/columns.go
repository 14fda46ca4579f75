package trackdoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// column and cell keep the lists below readable.
type (
	column = report.Column
	cell   = report.Cell
)

const (
	inFiles = report.Files | report.Data
	inSheet = report.Sheet | report.Data
)

// define makes a column: of text unless it says otherwise, and in every view
// where it has a title.
func define[R any](c column, of func(*R) cell) report.Col[R] {
	if c.Kind == report.Absent {
		c.Kind = report.Text
	}
	if c.In == 0 && c.Key != "" && c.Title == "" {
		c.In = report.Data
	} else if c.In == 0 && c.Title != "" {
		c.In = report.All
	}
	return report.Define(c, of)
}

// wordColumn and count make columns of a text and of a number.
func wordColumn[R any](c column, of func(*R) string) report.Col[R] {
	return define(c, func(r *R) cell { return report.TextCell(of(r)) })
}

func count[R any, T ~int | ~int64](c column, of func(*R) T) report.Col[R] {
	c.Kind, c.Always = report.Integer, true
	return define(c, func(r *R) cell { return report.IntCell(of(r)) })
}

func yesNo[R any](c column, of func(*R) bool) report.Col[R] {
	c.Kind, c.Always = report.Bool, true
	return define(c, func(r *R) cell { return report.BoolCell(of(r)) })
}

// array makes a column of JSON alone, of rows.
func array[R, P any](c column, cols []report.Col[P], of func(*R) []P) report.Col[R] {
	c.Kind, c.Always, c.Of = report.Array, true, report.ColumnsOf(cols)
	return define(c, func(r *R) cell { return report.RowsCell(report.NewTable("", "", of(r), cols)) })
}

// timeColumn is a time in UTC, in full: two runs of one minute stay apart.
func timeColumn[R any](c column, of func(*R) time.Time) report.Col[R] {
	c.Key, c.Path, c.Always = "time", "time", true
	return wordColumn(c, func(r *R) string { return exactly(of(r)) })
}

func exactly(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// commitColumns are a commit, of which people read the beginning.
func commitColumns[R any](people column, of func(*R) string) []report.Col[R] {
	people.Key, people.In = "commit", cmp.Or(people.In, report.Everywhere)
	return []report.Col[R]{wordColumn(column{Key: "commit", Path: "commit"}, of),
		wordColumn(people, func(r *R) string { return shortCommit(of(r)) })}
}

// refColumns are a run that is named.
var refColumns = slices.Concat([]report.Col[track.Ref]{
	count(column{Key: "run", Path: "run", Title: "run", In: inSheet}, func(r *track.Ref) int64 { return r.Run }),
	wordColumn(column{Path: "time", Always: true}, func(r *track.Ref) string { return exactly(r.Time) }),
}, commitColumns(column{Title: "commit", In: report.Sheet}, func(r *track.Ref) string { return r.Commit }), []report.Col[track.Ref]{
	wordColumn(column{Path: "label"}, func(r *track.Ref) string { return r.Label }),
})

// refPart is a run that is part of a row, an object in JSON.
func refPart[R any](path, group, doc string, of func(*R) *track.Ref) []report.Col[R] {
	part := report.Within(path+"_", path, of, refColumns)
	for i := range part {
		part[i].Group = group
	}
	part[0].Key = path
	return append([]report.Col[R]{define(column{Path: path, Kind: report.Object, Doc: doc},
		func(r *R) cell { return report.ObjectCell(of(r) != nil) })}, part...)
}

// keyColumns name a series.
func keyColumns[R any](m metric, of func(*R) *history.Key) []report.Col[R] {
	return []report.Col[R]{
		wordColumn(column{Key: "series", Path: "name", Always: true, Title: "Kernel", Cut: true}, func(r *R) string { return of(r).Name() }),
		wordColumn(column{Key: "device", Path: "device", Title: "Device", Cut: true, Drop: 2}, func(r *R) string { return of(r).Device }),
		wordColumn(column{Key: "driver", Path: "driver", Title: "Driver", Cut: true, Drop: 1}, func(r *R) string { return of(r).Driver }),
		wordColumn(column{Key: "program", Path: "program", Title: "Program", Cut: true, Drop: 5, Doc: "null where no run says it"},
			func(r *R) string { return of(r).Program }),
		wordColumn(column{Path: "unit", Always: true}, func(*R) string { return m.Unit() }),
	}
}

// series is a row of a table of series.
type series struct{ *track.Series }

func (s *series) key() *history.Key { return &s.Key }

// occupancy is the newest value of one of the two that stand next to each
// other.
func (s *series) occupancy(m metric, of history.Metric) unit.Opt[float64] {
	p := s.Newest()
	switch {
	case m.Metric.Metric != history.Occupancy:
		return unit.Opt[float64]{}
	case s.On == of:
		return unit.Some(p.Value)
	}
	return p.Companion
}

// table lists series with the verdict on the newest value; of a report with
// their change points.
func (v *view) table(show []*track.Series, changes bool) *report.Table {
	m := v.metric
	cols := slices.Concat(keyColumns(m, (*series).key), []report.Col[series]{
		count(column{Key: "runs", Path: "points", Title: "Runs"}, func(s *series) int { return len(s.Points) }),
		count(column{Key: "left_out", Path: "left_out", Title: "Left out", In: inSheet, Doc: "of the earlier runs, those whose value is unmeasurable; they are not in n"},
			func(s *series) int { return len(s.LeftOut) }),
		wordColumn(column{Key: "judged_by", Path: "judged_by", Always: true, Title: "Judged by", Drop: 4, Doc: "the metric; of occupancy measured or busy"},
			func(s *series) string { return string(s.On) }),
		figure(m, column{Key: "measured", Path: "measured", Title: "Measured", Drop: 1, Doc: "of the newest run, where occupancy is judged"},
			func(s *series) unit.Opt[float64] { return s.occupancy(m, history.Measured) }),
		figure(m, column{Key: "busy", Path: "busy", Title: "Busy occupancy", In: inFiles}, func(s *series) unit.Opt[float64] { return s.occupancy(m, history.Busy) }),
		define(column{Path: "gate", Always: true, Kind: report.Object}, func(*series) cell { return report.ObjectCell(true) }),
		figure(m, column{Key: "value", Path: "gate.value", Title: "Newest"}, func(s *series) unit.Opt[float64] { return unit.Some(s.Newest().Value) }),
		figure(m, column{Key: "median", Path: "gate.median", Title: "Median", Drop: 6}, func(s *series) unit.Opt[float64] { return s.Gate.Median }),
		figure(m, column{Key: "mad", Path: "gate.mad", Title: "MAD", Brief: "MAD", Unit: m.distanceUnit(), Decimals: 2, Drop: 3},
			func(s *series) unit.Opt[float64] { return s.Gate.MAD }),
		figure(m, column{Key: "threshold", Path: "gate.threshold", Title: "Threshold"}, func(s *series) unit.Opt[float64] { return s.Gate.Threshold }),
		count(column{Key: "n", Path: "gate.n", Title: "Earlier runs", Brief: "n", Drop: 3}, func(s *series) int { return s.Gate.N }),
		count(column{Path: "gate.window"}, func(s *series) int { return s.Gate.Window }),
		count(column{Key: "in_a_row", Path: "gate.in_a_row", Title: "Runs in a row beyond", In: inFiles}, func(s *series) int { return s.Gate.Consecutive }),
		define(column{Key: "finding", Title: "Verdict"}, func(s *series) cell { return report.StatusCell(findingText(s.Series), statusOf(s.Series)) }),
		wordColumn(column{Key: "verdict", Path: "gate.verdict", Always: true}, func(s *series) string { return string(s.Outcome()) }),
	},
		refPart("first_bad", "First bad", "the first of the runs in a row that are beyond their thresholds", func(s *series) *track.Ref { return s.FirstBad }),
		refPart("last_good", "Last good", "the run before that one", func(s *series) *track.Ref { return s.LastGood }),
		[]report.Col[series]{
			yesNo(column{Path: "absent", Doc: "the newest run has no value of it: what is open stays so"}, func(s *series) bool { return s.Absent }),
			array(column{Path: "also_changed", Doc: "what moved at first_bad, the most first"}, metricChangeColumns, func(s *series) []track.MetricChange { return s.AlsoChanged }),
		})
	cols = append(cols, wordColumn(column{Key: "open", Title: "Open findings", In: inFiles}, m.openText),
		array(column{Path: "open", Doc: "the open findings, each a drop from the level of the one before"}, m.openColumns(),
			func(s *series) []track.Open { return s.Open }))
	if changes {
		// JSON has all that were found, as tools that follow Hunter have them.
		// People see those between levels that last: a split that two outliers
		// make is no change of a level.
		cols = append(cols, count(column{Key: "changes", Title: "Change points", Brief: "Changes", Drop: 8}, func(s *series) int { return len(s.Changes) }),
			array(column{Path: "change_points"}, v.changeColumns(), func(s *series) []change {
				return report.ListOf(s.Found, func(c trend.ChangePoint) change { return change{s.Series, c} })
			}),
			yesNo(column{Path: "ended"}, func(s *series) bool { return s.Ended }))
	}
	return report.NewTable(report.SectionSeries, "Series", report.ListOf(show, func(s *track.Series) series { return series{s} }), cols)
}

// openColumns are an open finding.
func (m metric) openColumns() []report.Col[track.Open] {
	return slices.Concat(
		refPart("first_bad", "", "the first bad run", func(o *track.Open) *track.Ref { return &o.FirstBad }),
		refPart("last_good", "", "the run before it", func(o *track.Open) *track.Ref { return o.LastGood }),
		[]report.Col[track.Open]{
			figure(m, column{Path: "level", Always: true, Doc: "before the finding"},
				func(o *track.Open) unit.Opt[float64] { return unit.Some(o.Level) }),
			figure(m, column{Path: "shift", Always: true, Unit: m.distanceUnit()},
				func(o *track.Open) unit.Opt[float64] { return unit.Some(o.Shift) }),
			define(column{Path: "p", Always: true, Kind: report.Number, Doc: "chance of it, for one window of one series"},
				func(o *track.Open) cell { return report.NumCell(report.Number, o.P) }),
		})
}

// openText lists the open findings of a series in one cell.
func (m metric) openText(s *series) string {
	return strings.Join(report.ListOf(s.Open, func(o track.Open) string {
		return since(&o.FirstBad, o.LastGood) + ": " + m.between(o.Level, o.Level+o.Shift)
	}), "; ")
}

var metricChangeColumns = []report.Col[track.MetricChange]{
	wordColumn(column{Path: "metric", Always: true}, func(m *track.MetricChange) string { return string(m.Metric) }),
	wordColumn(column{Path: "unit", Always: true}, func(m *track.MetricChange) string { return m.Metric.Unit() }),
	define(column{Path: "before", Always: true, Kind: report.Number, Doc: "medians"}, func(m *track.MetricChange) cell { return report.NumCell(report.Number, m.Before) }),
	define(column{Path: "after", Always: true, Kind: report.Number}, func(m *track.MetricChange) cell { return report.NumCell(report.Number, m.After) }),
}

// change is a change point of a series.
type change struct {
	*track.Series
	trend.ChangePoint
}

func (v *view) changeColumns() []report.Col[change] {
	run := func(c *change) int64 { return c.Series.Points[c.Index].Run }
	return []report.Col[change]{
		wordColumn(column{Path: "time", Always: true}, func(c *change) string { return exactly(c.Time) }),
		count(column{Path: "run"}, run),
		wordColumn(column{Path: "commit"}, func(c *change) string { return v.Refs[run(c)].Commit }),
		count(column{Path: "index", Doc: "from 0"}, func(c *change) int { return c.Index }),
		figure(v.metric, column{Path: "mean_before", Always: true}, func(c *change) unit.Opt[float64] { return unit.Some(c.MeanBefore) }),
		figure(v.metric, column{Path: "mean_after", Always: true}, func(c *change) unit.Opt[float64] { return unit.Some(c.MeanAfter) }),
		define(column{Path: "magnitude", Kind: report.Number, Doc: "the larger of the two ratios of the means, minus 1; null when a mean is 0"},
			func(c *change) cell { return report.NumCell(report.Number, c.Magnitude) }),
		define(column{Path: "p", Always: true, Kind: report.Number}, func(c *change) cell { return report.NumCell(report.Number, c.P) }),
	}
}

// probability is a p in few characters: three decimals, but never 0.000, for it
// is small and not 0.
func probability(p float64) string {
	if p > 0 && p < 0.0005 {
		return strconv.FormatFloat(p, 'e', 0, 64)
	}
	return report.Decimal(p, 3)
}
