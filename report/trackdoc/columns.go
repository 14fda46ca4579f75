package trackdoc

import (
	"cmp"
	"math"
	"slices"
	"strconv"
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

// define makes a column: of text unless it says otherwise.
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

// timeColumns are a time: in full for programs, since two runs of one minute stay apart, and to the minute for people.
func timeColumns[R any](c column, of func(*R) time.Time) []report.Col[R] {
	people := c
	people.Path, people.In = "", cmp.Or(c.In, report.Everywhere)&^report.Data
	c.Title, c.In = "", 0
	exact := func(r *R) cell {
		if t := of(r); !t.IsZero() {
			return report.TextCell(t.UTC().Format(time.RFC3339Nano))
		}
		return cell{}
	}
	return []report.Col[R]{define(c, exact), define(people, func(r *R) cell {
		if t := of(r); !t.IsZero() {
			return report.TextCell(when(t))
		}
		return cell{}
	})}
}

// commitColumns are a commit, of which people read the beginning.
func commitColumns[R any](c column, of func(*R) string) []report.Col[R] {
	people := c
	people.Path, people.In = "", cmp.Or(c.In, report.Everywhere)&^report.Data
	c.Title, c.In = "", 0
	list := []report.Col[R]{define(c, func(r *R) cell { return report.TextCell(of(r)) })}
	if people.Title != "" {
		list = append(list, define(people, func(r *R) cell { return report.TextCell(shortCommit(of(r))) }))
	}
	return list
}

// refColumns are a run that is named.
var refColumns = slices.Concat([]report.Col[track.Ref]{
	define(column{Key: "run", Path: "run", Always: true, Title: "run", Kind: report.Integer, In: inSheet}, func(r *track.Ref) cell { return report.IntCell(r.Run) })},
	[]report.Col[track.Ref]{define(column{Path: "time", Always: true}, func(r *track.Ref) cell {
		return report.TextCell(r.Time.UTC().Format(time.RFC3339Nano))
	})},
	commitColumns(column{Key: "commit", Path: "commit", Title: "commit", In: report.Sheet}, func(r *track.Ref) string { return r.Commit }),
	[]report.Col[track.Ref]{define(column{Path: "label"}, func(r *track.Ref) cell { return report.TextCell(r.Label) })})

// refPart is a run that is part of a row, an object in JSON; with a key it is in CSV and workbooks, too.
func refPart[R any](key, path, group, doc string, of func(*R) *track.Ref) []report.Col[R] {
	list := report.Within(key, path, of, refColumns)
	for i := range list {
		if list[i].Group = group; key == "" {
			list[i].Key, list[i].Title = "", ""
		} else if list[i].Key == key+"run" {
			list[i].Key = path
		}
	}
	return append([]report.Col[R]{define(column{Path: path, Kind: report.Object, Doc: doc},
		func(r *R) cell { return report.ObjectCell(of(r) != nil) })}, list...)
}

// keyColumns name a series.
func keyColumns[R any](m metric, of func(*R) *history.Key) []report.Col[R] {
	return []report.Col[R]{
		define(column{Key: "series", Path: "name", Always: true, Title: "Kernel", Cut: true}, func(r *R) cell { return report.TextCell(of(r).Name()) }),
		define(column{Key: "device", Path: "device", Title: "Device", Cut: true, Drop: 5}, func(r *R) cell { return report.TextCell(of(r).Device) }),
		define(column{Key: "driver", Path: "driver", Title: "Driver", Cut: true, Drop: 4}, func(r *R) cell { return report.TextCell(of(r).Driver) }),
		define(column{Key: "program", Path: "program", Title: "Program", Cut: true, Drop: 4, Doc: "null where no run says it"},
			func(r *R) cell { return report.TextCell(of(r).Program) }),
		define(column{Path: "unit", Always: true}, func(*R) cell { return report.TextCell(m.Unit()) }),
	}
}

// series is a row of a table of series.
type series struct{ *track.Series }

// seriesColumns are a series with the verdict on its newest value; lead and tail are what only a report or a check says.
func (m metric) seriesColumns(lead, tail []report.Col[series]) []report.Col[series] {
	gate := func(c column, of func(*trend.Verdict) cell) report.Col[series] {
		return define(c, func(s *series) cell { return of(&s.Gate) })
	}
	occupancy := func(of history.Metric) func(*series) cell {
		return func(s *series) cell {
			p, ok := s.Newest()
			switch {
			case !ok || m.Metric.Metric != history.Occupancy:
				return cell{}
			case s.On == of: // the other one stands beside it
				return m.value(unit.Some(p.Value))
			}
			return m.value(p.Beside)
		}
	}
	return slices.Concat(keyColumns(m, func(s *series) *history.Key { return &s.Key }),
		lead,
		[]report.Col[series]{
			define(column{Key: "judged_by", Path: "judged_by", Always: true, Title: "Judged by", Drop: 1,
				Doc: "the metric; of occupancy measured or loaded"}, func(s *series) cell { return report.TextCell(string(s.On)) }),
			define(m.as(column{Key: "measured", Path: "measured", Title: "Measured", In: report.All, Drop: 6,
				Doc: "of the newest run, where occupancy is judged"}), occupancy(history.Measured)),
			define(m.as(column{Key: "loaded", Path: "loaded", Title: "Loaded", In: inFiles}), occupancy(history.Loaded)),
			define(column{Path: "gate", Always: true, Kind: report.Object}, func(*series) cell { return report.ObjectCell(true) }),
			define(m.as(column{Key: "value", Path: "gate.value", Title: "Newest", In: report.All}), func(s *series) cell {
				p, ok := s.Newest()
				return m.value(unit.Maybe(p.Value, ok))
			}),
			gate(m.as(column{Key: "median", Path: "gate.median", Title: "Median", In: report.All, Drop: 6}), func(g *trend.Verdict) cell { return m.value(g.Median) }),
			gate(m.asSpread(column{Key: "mad", Path: "gate.mad", Title: "MAD", Brief: "MAD", In: report.All, Drop: 3}), func(g *trend.Verdict) cell { return m.spread(g.MAD) }),
			gate(m.as(column{Key: "threshold", Path: "gate.threshold", Title: "Threshold", In: report.All}), func(g *trend.Verdict) cell { return m.value(g.Threshold) }),
			gate(column{Key: "n", Path: "gate.n", Always: true, Title: "Earlier runs", Brief: "n", Kind: report.Integer, Drop: 2},
				func(g *trend.Verdict) cell { return report.IntCell(g.N) }),
			gate(column{Key: "window", Path: "gate.window", Always: true, Title: "Window", Kind: report.Integer, In: inSheet},
				func(g *trend.Verdict) cell { return report.IntCell(g.Window) }),
			define(column{Path: "gate.run", Kind: report.Integer}, func(s *series) cell {
				p, _ := s.Newest() // no run is 0
				return report.OptInt(unit.NonZero(p.Run))
			}),
			gate(column{Key: "in_a_row", Path: "gate.in_a_row", Always: true, Title: "Runs in a row beyond", Kind: report.Integer, In: inFiles},
				func(g *trend.Verdict) cell { return report.IntCell(g.InARow) }),
			define(column{Key: "finding", Title: "Verdict", Words: words()}, func(s *series) cell { return report.StatusCell(findingText(s.Series), statusOf(s.Series)) }),
			define(column{Key: "verdict", Path: "gate.verdict", Always: true}, func(s *series) cell { return report.TextCell(string(s.Outcome())) }),
			define(column{Key: "against", Title: "Against the prediction", In: inSheet}, func(s *series) cell { return report.TextCell(s.Against) }),
		},
		refPart("first_bad_", "first_bad", "First bad", "the first of the runs in a row that are beyond their thresholds",
			func(s *series) *track.Ref { return s.FirstBad }),
		refPart("last_good_", "last_good", "Last good", "the run before that one", func(s *series) *track.Ref { return s.LastGood }),
		[]report.Col[series]{
			define(column{Path: "open", Always: true, Kind: report.Array, Of: report.ColumnsOf(m.openColumns()), Doc: "all that is open, each a drop from the level of the one before"},
				func(s *series) cell {
					return report.RowsCell(report.NewTable("open", "", s.Open, m.openColumns()))
				}),
			define(column{Path: "absent", Always: true, Kind: report.Bool, Doc: "the newest run has no value of it: what is open stays so"},
				func(s *series) cell { return report.BoolCell(s.Absent) }),
			define(column{Path: "moved", Always: true, Kind: report.Array, Of: report.ColumnsOf(moveColumns), Doc: "what moved at first_bad, the most first"},
				func(s *series) cell { return report.RowsCell(report.NewTable("moved", "", s.Moved, moveColumns)) }),
			define(column{Path: "order", Always: true, Doc: "in which the runs are judged"}, func(s *series) cell {
				if s.ByAdding {
					return report.TextCell("adding")
				}
				return report.TextCell("date")
			}),
			define(column{Path: "begins", Kind: report.Object}, func(s *series) cell { return report.ObjectCell(s.Begins != nil) }),
		},
		report.Within("", "begins", func(s *series) *series {
			if s.Begins == nil {
				return nil
			}
			return s
		}, beginColumns), tail)
}

// words are the verdicts with their colors.
func words() []report.Word {
	return report.ListOf(outcomes, func(o trend.Outcome) report.Word { return report.Word{Text: string(o), Status: outcomeStatus(o)} })
}

// rawSeries lists series for programs.
func (m metric) rawSeries(list []*track.Series, lead, tail []report.Col[series]) *report.Table {
	return report.NewTable(report.SectionSeries, "Series", report.ListOf(list, func(s *track.Series) series { return series{s} }),
		m.seriesColumns(lead, tail))
}

// seriesTable lists series, of which the first need attention. A device, driver or program that all share stands in the
// headline of a terminal only.
func (m metric) seriesTable(list []*track.Series, lead, tail []report.Col[series]) *report.Table {
	t := m.rawSeries(list, lead, tail).Show("series", "device", "driver", "program")
	for key, of := range map[string]func(*history.Key) string{"device": func(k *history.Key) string { return k.Device },
		"driver":  func(k *history.Key) string { return k.Driver },
		"program": func(k *history.Key) string { return k.Program }} {
		if !slices.ContainsFunc(list, func(s *track.Series) bool { return of(&s.Key) != of(&list[0].Key) }) {
			t.Hide(report.Terminal, key)
		}
	}
	if m.Metric.Metric != history.Occupancy {
		t.Hide(report.Everywhere, "judged_by")
	}
	if !slices.ContainsFunc(list, func(s *track.Series) bool { return s.On == history.Loaded }) {
		t.Hide(report.Terminal, "measured")
	}
	for _, s := range list {
		if s.NeedsAttention() {
			t.Attention++
		}
	}
	return t
}

var moveColumns = []report.Col[track.Move]{
	define(column{Path: "metric", Always: true}, func(m *track.Move) cell { return report.TextCell(string(m.Metric)) }),
	define(column{Path: "unit", Always: true}, func(m *track.Move) cell { return report.TextCell(m.Unit) }),
	define(column{Path: "before", Always: true, Kind: report.Number, Doc: "medians"}, func(m *track.Move) cell { return report.NumCell(report.Number, m.Before) }),
	define(column{Path: "after", Always: true, Kind: report.Number}, func(m *track.Move) cell { return report.NumCell(report.Number, m.After) }),
}

var beginColumns = []report.Col[series]{
	define(column{Path: "changed", Always: true, Kind: report.Array}, func(s *series) cell { return report.ListCell(s.Begins.What) }),
	define(column{Path: "device_before"}, func(s *series) cell { return report.TextCell(s.Begins.From.Device) }),
	define(column{Path: "driver_before"}, func(s *series) cell { return report.TextCell(s.Begins.From.Driver) }),
	define(column{Path: "last_run_before", Always: true, Kind: report.Integer}, func(s *series) cell { return report.IntCell(s.Begins.Last.Run) }),
	define(column{Path: "here", Always: true, Kind: report.Bool, Doc: "the newest run is the first of the series"}, func(s *series) cell { return report.BoolCell(s.Age() == 0) }),
}

// finding is one of a series.
type finding struct {
	*track.Series
	trend.Finding
}

// openColumns are what is open of a series.
func (m metric) openColumns() []report.Col[track.Open] {
	return slices.Concat(refPart("", "first_bad", "", "", func(o *track.Open) *track.Ref { return &o.FirstBad }),
		refPart("", "last_good", "", "", func(o *track.Open) *track.Ref { return o.LastGood }),
		[]report.Col[track.Open]{
			define(m.as(column{Path: "level", Always: true}), func(o *track.Open) cell { return m.value(unit.Some(o.Level)) }),
			define(m.as(column{Path: "now", Always: true, Doc: "median of the runs that proved it"}), func(o *track.Open) cell { return m.value(unit.Some(o.Level + o.Shift)) }),
		})
}

// findingColumns are what a replay found.
func (m metric) findingColumns() []report.Col[finding] {
	return slices.Concat([]report.Col[finding]{
		define(column{Key: "run", Path: "first_bad", Always: true, Title: "First bad run", Kind: report.Integer},
			func(f *finding) cell { return report.IntCell(f.Points[f.First].Run) })},
		timeColumns(column{Key: "time", Path: "time", Always: true, Title: "At", Unit: "UTC"}, func(f *finding) time.Time { return f.Points[f.First].Time }),
		[]report.Col[finding]{
			define(column{Key: "opened", Path: "opened_by", Always: true, Title: "Found with run", Kind: report.Integer},
				func(f *finding) cell { return report.IntCell(f.Points[f.Opened].Run) }),
			define(m.as(column{Key: "median", Path: "median", Always: true, Title: "Level", In: report.All}), func(f *finding) cell { return m.value(unit.Some(f.Level)) }),
			define(m.asDifference(column{Key: "shift", Path: "shift", Always: true, Title: "Shift", In: report.All}), func(f *finding) cell { return m.scaled(f.Shift) }),
			define(column{Path: "p", Always: true, Kind: report.Number}, func(f *finding) cell { return report.NumCell(report.Number, f.P) }),
			define(column{Key: "closed", Path: "closed_by", Title: "Mended with run", Kind: report.Integer, Doc: "null while it is open"}, func(f *finding) cell {
				if f.Closed < 0 { // it has no end, which is not the run of its first point
					return cell{}
				}
				return report.IntCell(f.Points[f.Closed].Run)
			}),
		})
}

// change is a change point of a series.
type change struct {
	*track.Series
	*trend.ChangePoint
}

func (r *whole) changeColumns() []report.Col[change] {
	run := func(c *change) history.Point { return c.Series.Points[c.Index] }
	return slices.Concat(
		timeColumns(column{Key: "time", Path: "time", Always: true, Title: "First run of the new level", Unit: "UTC"}, func(c *change) time.Time { return c.Time }),
		[]report.Col[change]{define(column{Key: "run", Path: "run", Always: true, Title: "Run", Kind: report.Integer}, func(c *change) cell { return report.IntCell(run(c).Run) })},
		commitColumns(column{Key: "commit", Path: "commit", Title: "Commit"}, func(c *change) string { return r.Runs[run(c).Run].Commit }),
		[]report.Col[change]{
			define(column{Key: "index", Path: "index", Always: true, Title: "Index", Kind: report.Integer, Doc: "from 0"}, func(c *change) cell { return report.IntCell(c.Index) }),
			define(r.as(column{Key: "mean_before", Path: "mean_before", Always: true, Group: "Mean", Title: "before", In: report.All}),
				func(c *change) cell { return r.metric.value(unit.Some(c.MeanBefore)) }),
			define(r.as(column{Key: "mean_after", Path: "mean_after", Always: true, Group: "Mean", Title: "after", In: report.All}),
				func(c *change) cell { return r.metric.value(unit.Some(c.MeanAfter)) }),
			define(r.asDifference(column{Key: "difference", Title: "Difference", In: report.All}), r.difference),
			define(column{Path: "magnitude", Kind: report.Number, Doc: "the larger of the two ratios of the means, minus 1; null when a mean is 0"},
				func(c *change) cell { return report.NumCell(report.Number, c.Magnitude) }),
			define(column{Key: "relative_change", Path: "relative_change_percent", Title: "Relative change", Unit: "%", Kind: report.Points, In: inFiles,
				Doc: "of mean_before; null when that is 0 or a difference itself"}, func(c *change) cell {
				if c.MeanBefore == 0 || r.Unit() == "points" { // a residual has no zero that a percentage could be of
					return cell{}
				}
				return report.NumCell(report.Points, 100*(c.MeanAfter-c.MeanBefore)/math.Abs(c.MeanBefore))
			}),
			define(column{Path: "p", Always: true, Kind: report.Number}, func(c *change) cell { return report.NumCell(report.Number, c.P) }),
			define(column{Key: "p", Title: "p", In: inFiles}, func(c *change) cell { return report.TextCell(probability(c.P)) }),
			define(column{Key: "before", Group: "Runs", Title: "before", Kind: report.Integer, In: inFiles}, func(c *change) cell { return report.IntCell(c.Before) }),
			define(column{Key: "after", Group: "Runs", Title: "after", Kind: report.Integer, In: inFiles}, func(c *change) cell { return report.IntCell(c.After) }),
		})
}

// difference is that of the means at a change point.
func (r *whole) difference(c *change) cell {
	v := r.scaled(c.MeanAfter - c.MeanBefore)
	v.Status = r.changeStatus(c.ChangePoint)
	return v
}

// probability is a p in few characters: three decimals, but never 0.000, for it is small and not 0.
func probability(p float64) string {
	if p > 0 && p < 0.0005 {
		return strconv.FormatFloat(p, 'e', 0, 64)
	}
	return report.Decimal(p, 3)
}

// leftOutColumn counts the earlier runs whose value is unmeasurable; with a key it is more than a field of JSON.
func leftOutColumn(c column) report.Col[series] {
	c.Path, c.Always, c.Kind, c.Doc = "left_out", true, report.Integer, "of the earlier runs, those whose value is unmeasurable; they are not in n"
	return define(c, func(s *series) cell { return report.IntCell(len(s.LeftOut)) })
}

// reportColumns are what only a report says of a series.
func (r *whole) reportColumns() (lead, tail []report.Col[series]) {
	lead = []report.Col[series]{
		define(column{Key: "runs", Path: "points", Always: true, Title: "Runs", Kind: report.Integer}, func(s *series) cell { return report.IntCell(len(s.Points)) }),
		leftOutColumn(column{Key: "left_out", Title: "Left out", In: inSheet}),
	}
	list := []report.Col[series]{
		define(column{Key: "changes", Title: "Change points", Brief: "Changes", Kind: report.Integer, Drop: 8}, func(s *series) cell { return report.IntCell(len(s.Changes)) }),
	}
	last := func(c *change) cell { return report.TextCell(when(c.Time)) }
	list = append(list, report.Within("", "", lastChangeOf, []report.Col[change]{
		define(column{Key: "last_change", Group: "Last change", Title: "at", Unit: "UTC", Drop: 7}, last),
		define(r.asDifference(column{Key: "last_difference", Group: "Last change", Title: "by", Drop: 9}), r.difference)})...)
	// JSON has all that were found, as tools that follow Hunter have them. People see those between levels that last: a
	// split that two outliers make is no change of a level.
	return lead, append(list, define(column{Path: "change_points", Always: true, Kind: report.Array, Of: report.ColumnsOf(r.changeColumns())},
		func(s *series) cell {
			return report.RowsCell(report.NewTable("", "", changesOf(s.Series, s.Found), r.changeColumns()))
		}),
		define(column{Path: "ended", Always: true, Kind: report.Bool}, func(s *series) cell { return report.BoolCell(s.Ended) }))
}

func changesOf(s *track.Series, list []trend.ChangePoint) (changes []change) {
	for i := range list {
		changes = append(changes, change{s, &list[i]})
	}
	return changes
}

func lastChangeOf(s *series) *change {
	if c := lastChange(s.Series); c != nil {
		return &change{s.Series, c}
	}
	return nil
}

// acceptedTable lists what was accepted of the series. What was accepted of a whole run is found with each, and once here.
func (r *whole) acceptedTable() *report.Table {
	var list []history.Accept
	for _, s := range r.series {
		for _, a := range s.Accepted {
			if !slices.ContainsFunc(list, func(b history.Accept) bool { return b.ID == a.ID }) {
				list = append(list, a)
			}
		}
	}
	t := report.NewTable("accepted", "Accepted", list, acceptedColumns).Show()
	t.In = report.Files
	return t
}

// scattered is how the values of a series scatter.
type scattered struct {
	*track.Series
	track.Scatter
}

// noiseTable says how the values of each kernel scatter, those that scatter most first: in which kernels a small drop can
// be seen at all, and where drift (a correlation) can look like one.
func (r *whole) noiseTable() *report.Table {
	var rows []scattered
	for _, s := range r.series {
		if n, ok := s.Scatter(); ok && !s.Ended { // of one that is over nobody needs to know how well it could be judged
			rows = append(rows, scattered{s, n})
		}
	}
	slices.SortStableFunc(rows, func(a, b scattered) int { return cmp.Compare(b.Deviation, a.Deviation) })
	t := report.NewTable("noise", "Noise by kernel", rows, slices.Concat(keyColumns(r.metric, func(s *scattered) *history.Key { return &s.Key }),
		[]report.Col[scattered]{
			define(column{Key: "runs", Title: "Runs", Kind: report.Integer}, func(s *scattered) cell { return report.IntCell(s.Scatter.Runs) }),
			define(r.asSpread(column{Key: "deviation", Title: "Standard deviation", In: report.All}), func(s *scattered) cell { return r.spread(unit.Some(s.Deviation)) }),
			define(column{Key: "correlation", Title: "Correlation of neighbors", Kind: report.Number, Decimals: 2},
				func(s *scattered) cell { return report.NumCell(report.Number, s.Correlation) }),
			define(column{Key: "outliers", Title: "Farther than 5 deviations", Kind: report.Integer}, func(s *scattered) cell { return report.IntCell(s.Outliers) }),
		})).Show()
	t.In = report.Files
	return t
}

// powerColumns say how well planted drops of one size are found, within ten runs.
func (m metric) powerColumns() []report.Col[trend.Power] {
	in := m.distanceUnit()
	if m.Gate.Relative {
		in = "%"
	}
	return []report.Col[trend.Power]{
		define(column{Key: "drop", Path: "drop", Always: true, Title: "Planted drop", Unit: in, Kind: report.Number, Doc: "in points; of times in percent"},
			func(p *trend.Power) cell { return report.NumCell(report.Number, p.Drop) }),
		define(column{Key: "planted", Path: "planted", Always: true, Title: "Planted", Kind: report.Integer}, func(p *trend.Power) cell { return report.IntCell(p.Planted) }),
		define(column{Key: "found", Path: "found", Always: true, Title: "Found", Kind: report.Integer}, func(p *trend.Power) cell { return report.IntCell(p.Found) }),
		define(column{Key: "share", Path: "found_percent", Title: "Found", Unit: "%", Kind: report.Number}, func(p *trend.Power) cell {
			return report.NumCell(report.Number, 100*float64(p.Found)/float64(p.Planted)) // absent where none is planted
		}),
		define(column{Key: "delay", Path: "median_delay_runs", Title: "Runs until found", Kind: report.Number}, func(p *trend.Power) cell {
			return report.OptNum(report.Number, p.Delay(), 1)
		}),
	}
}
