package trackdoc

import (
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// number is a value of a metric that may be absent.
type number = unit.Opt[float64]

// exactly returns a time in UTC with all digits, because two runs may begin in
// the same minute.
func exactly(t time.Time) string {
	return t.UTC().Format(time.RFC3339Nano)
}

// commitColumns returns the columns for a commit: the whole commit for
// programs, and its first digits for people.
func commitColumns[R any](title string, of func(*R) string, people ...report.Option) []report.Col[R] {
	short := func(r *R) string { return shortCommit(of(r)) }
	return []report.Col[R]{report.Define("commit", "", of, report.Data, report.NonZero),
		report.Shown("commit", title, short, append(people, report.NonZero)...)}
}

// refColumns are the columns for a reference to a run.
var refColumns = slices.Concat([]report.Col[track.Ref]{
	report.Define("run", "run",
		func(r *track.Ref) int64 { return r.Run },
		report.Wide),
	report.JSON("time",
		func(r *track.Ref) string { return exactly(r.Time) }),
}, commitColumns("commit",
	func(r *track.Ref) string { return r.Commit },
	report.Sheet), []report.Col[track.Ref]{
	report.JSON("label",
		func(r *track.Ref) string { return r.Label },
		report.NonZero),
})

// refPart returns the columns for a run that is part of a row. In JSON, the
// part is an object.
func refPart[R any](path, group string, of func(*R) *track.Ref) []report.Col[R] {
	list := report.Part(path+"_", path, of, refColumns)
	for i := range list {
		list[i].Group = group
	}
	list[1].Key = path
	return list
}

// keyColumns returns the columns that identify a series.
func keyColumns[R any](m metric, of func(*R) *history.Key) []report.Col[R] {
	return []report.Col[R]{
		report.Define("series", "Kernel",
			func(r *R) string { return of(r).Name() },
			report.Cut, report.Path("name")),
		report.Define("device", "Device",
			func(r *R) string { return of(r).Device },
			report.Drop(2), report.Cut,
			report.NonZero),
		report.Define("driver", "Driver",
			func(r *R) string { return of(r).Driver },
			report.Drop(1), report.Cut,
			report.NonZero),
		report.Define("program", "Program",
			func(r *R) string { return of(r).Program },
			report.Drop(5), report.Cut,
			report.NonZero),
		report.JSON("unit", func(*R) string { return m.Unit() }),
	}
}

// series is a row of a table of series.
type series struct{ *track.Series }

func (s *series) key() *history.Key { return &s.Key }

// table returns the table of series. Each row has the verdict on the newest
// value. If changes is true, as in a report, it also has the change points.
func (v *view) table(show []*track.Series, changes bool) *report.Table {
	m := v.metric
	cols := slices.Concat(keyColumns(m, (*series).key), []report.Col[series]{
		report.Define("runs", "Runs",
			func(s *series) int { return len(s.Points) },
			report.Path("points")),
		report.Define("left_out", "Left out",
			func(s *series) int { return len(s.LeftOut) },
			report.Wide),
		figure(m, "value", "Newest",
			func(s *series) float64 { return s.Newest().Value },
			report.Path("gate.value")),
		figure(m, "median", "Median",
			func(s *series) number { return s.Gate.Median },
			report.Drop(6),
			report.Path("gate.median")),
		figure(m, "mad", "MAD",
			func(s *series) number { return s.Gate.MAD },
			report.Unit(m.distanceUnit()),
			report.Brief("MAD"), report.Decimals(2), report.Drop(3), report.Path("gate.mad")),
		figure(m, "threshold", "Threshold",
			func(s *series) number { return s.Gate.Threshold },
			report.Path("gate.threshold")),
		report.Define("n", "Earlier runs",
			func(s *series) int { return s.Gate.N },
			report.Brief("n"),
			report.Drop(3),
			report.Path("gate.n")),
		report.JSON("gate.window",
			func(s *series) int { return s.Gate.Window }),
		report.Define("in_a_row", "Runs in a row beyond",
			func(s *series) int { return s.Gate.Consecutive },
			report.Kept, report.Path("gate.in_a_row")),
		report.Shown("finding", "Verdict",
			func(s *series) report.Word { return statusOf(s.Series).Word(findingText(s.Series)) }),
		report.Define("verdict", "",
			func(s *series) string { return string(s.Outcome()) },
			report.Data,
			report.Path("gate.verdict")),
	},
		refPart("first_bad", "First bad",
			func(s *series) *track.Ref { return s.FirstBad }),
		refPart("last_good", "Last good",
			func(s *series) *track.Ref { return s.LastGood }),
		[]report.Col[series]{
			report.JSON("absent",
				func(s *series) bool { return s.Absent }),
			report.List("also_changed",
				func(s *series) []track.MetricChange { return s.AlsoChanged },
				metricChangeColumns),
		})
	cols = append(cols, report.Shown("open", "Open findings", m.openText, report.Kept, report.NonZero),
		report.List("open",
			func(s *series) []track.Open { return s.Open },
			m.openColumns()))
	if changes {
		cols = append(cols, report.List("change_points", func(s *series) []change {
			return report.ListOf(s.Found, func(c trend.ChangePoint) change { return change{s.Series, c} })
		}, v.changeColumns()),
			report.JSON("ended",
				func(s *series) bool { return s.Ended }))
	}
	rows := report.ListOf(show, func(s *track.Series) series { return series{s} })
	return report.NewTable(report.SectionSeries, "Series", rows, cols)
}

// openColumns returns the columns of an open finding.
func (m metric) openColumns() []report.Col[track.Open] {
	return slices.Concat(
		refPart("first_bad", "",
			func(o *track.Open) *track.Ref { return &o.FirstBad }),
		refPart("last_good", "",
			func(o *track.Open) *track.Ref { return o.LastGood }),
		[]report.Col[track.Open]{
			figure(m, "level", "",
				func(o *track.Open) float64 { return o.Level }),
			figure(m, "shift", "",
				func(o *track.Open) float64 { return o.Shift }),
			report.JSON("p",
				func(o *track.Open) float64 { return o.P }),
		})
}

// openText returns the open findings of a series in one cell.
func (m metric) openText(s *series) string {
	return strings.Join(report.ListOf(s.Open, func(o track.Open) string {
		return since(&o.FirstBad, o.LastGood) + ": " + m.between(o.Level, o.Level+o.Shift)
	}), "; ")
}

var metricChangeColumns = []report.Col[track.MetricChange]{
	report.JSON("metric",
		func(m *track.MetricChange) string { return string(m.Metric) }),
	report.JSON("unit",
		func(m *track.MetricChange) string { return m.Metric.Unit() }),
	report.JSON("before",
		func(m *track.MetricChange) float64 { return m.Before }),
	report.JSON("after",
		func(m *track.MetricChange) float64 { return m.After }),
	report.JSON("scaled",
		func(m *track.MetricChange) bool { return m.Scaled }),
}

// change is a change point of a series.
type change struct {
	*track.Series
	trend.ChangePoint
}

func (v *view) changeColumns() []report.Col[change] {
	run := func(c *change) int64 { return c.Series.Points[c.Index].Run }
	return []report.Col[change]{
		report.JSON("time",
			func(c *change) string { return exactly(c.Series.Points[c.Index].Time) }),
		report.JSON("run", run),
		report.JSON("commit",
			func(c *change) string { return v.Refs[run(c)].Commit },
			report.NonZero),
		report.JSON("index", func(c *change) int { return c.Index }),
		figure(v.metric, "mean_before", "",
			func(c *change) float64 { return c.MeanBefore }),
		figure(v.metric, "mean_after", "",
			func(c *change) float64 { return c.MeanAfter }),
		report.JSON("magnitude",
			func(c *change) number { return unit.Some(c.Magnitude) }),
		report.JSON("p", func(c *change) float64 { return c.P }),
	}
}
