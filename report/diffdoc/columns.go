package diffdoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// column and cell keep the lists below readable.
type (
	column = report.Column
	cell   = report.Cell
)

// kept is where a column is that people without a workbook do not see.
const kept = report.Sheet | report.Data

// columns are those of all sides, which stand below each other, as data frames
// group by a column.
func (c *comparison) columns() []report.Col[row] {
	list := report.Within("", "", func(r *row) *diff.Row { return r.Row }, kernelColumns)
	if len(c.sides) == 1 {
		return list
	}
	side := report.Define(column{Key: "side", Title: "Side", Kind: report.Text, In: report.All}, func(r *row) cell { return report.TextCell(r.side) })
	return append([]report.Col[row]{side}, list...)
}

// kernelColumns are all that is known of a kernel on both sides, in the order
// of CSV; those of people stand among them.
var kernelColumns = slices.Concat(
	[]report.Col[diff.Row]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, In: report.All, Role: report.Code},
			func(r *diff.Row) cell { return report.NameCell(r.Task) }),
		report.Define(column{Key: "launch_size", Title: "Launch", Kind: report.Text, Drop: 3, Cut: true, In: report.Everywhere, Role: report.Code},
			func(r *diff.Row) cell { return report.TextCell(shapeText(r)) }),
		report.Define(column{Path: "is_kernel", Always: true, Kind: report.Bool}, func(r *diff.Row) cell { return report.BoolCell(r.IsKernel) }),
		report.Define(column{Path: "old", Kind: report.Object}, func(r *diff.Row) cell { return report.ObjectCell(r.Old != nil) }),
		report.Define(column{Path: "new", Kind: report.Object}, func(r *diff.Row) cell { return report.ObjectCell(r.New != nil) }),
	},
	onBothSides("global", "Global", column{Always: true, Kind: report.Size}, func(l *diff.Launch) cell { return report.SizeCell(l.Global) }),
	onBothSides("local", "Local", column{Always: true, Kind: report.Size}, func(l *diff.Launch) cell { return report.SizeCell(l.Local) }),
	onBothSides("simd", "SIMD", column{Kind: report.Integer}, func(l *diff.Launch) cell { return report.OptInt(l.SIMD) }),
	onBothSides("adapter", "", column{Kind: report.Text}, func(l *diff.Launch) cell { return report.OptText(l.Adapter) }),
	onBothSides("grf", "", column{Kind: report.Integer, Doc: "registers per thread"}, func(l *diff.Launch) cell { return report.OptInt(l.Registers) }),
	onBothSides("slm_bytes_per_work_group", "", column{Kind: report.Integer}, func(l *diff.Launch) cell { return report.OptInt(l.SLM) }),
	onBothSides("file", "", column{Kind: report.Text}, func(l *diff.Launch) cell { return report.OptText(l.File) }),
	onBothSides("line", "", column{Kind: report.Integer}, func(l *diff.Launch) cell { return report.OptInt(l.Line) }),
	onBothSides("runs", "Runs", column{Always: true, Kind: report.Integer}, func(l *diff.Launch) cell { return report.IntCell(l.Runs) }),
	onBothSides("unmeasurable_runs", "", column{Always: true, Kind: report.Integer}, func(l *diff.Launch) cell { return report.IntCell(l.Unmeasurable) }),
	onBothSides("total_seconds", "", column{Kind: report.Duration}, func(l *diff.Launch) cell { return report.OptDuration(l.Total) }),
	[]report.Col[diff.Row]{report.Define(column{Key: "direction", Path: "direction", Title: "Direction", Kind: report.Text, In: kept},
		func(r *diff.Row) cell { return report.OptText(r.Direction) })},
	quantity{compare.MetricMeasured, "measured", "measured_percent", "Measured", "", report.Percent, report.All, report.All, report.All, 12}.columns(),
	[]report.Col[diff.Row]{report.Define(column{Key: "runs", Title: "Runs", Kind: report.Text, Drop: 1, In: report.Everywhere}, runsCell)},
	quantity{compare.MetricResidual, "residual", "residual_points", "Residual", "measured - predicted average, in percentage points", report.Points, kept, report.All, report.All, 5}.columns(),
	quantity{compare.MetricPredicted, "predicted", "predicted_average_percent", "Predicted average", "", report.Percent, kept, 0, 0, 0}.columns(),
	quantity{compare.MetricBusy, "busy", "busy_occupancy_percent", "Busy occupancy", "", report.Percent, kept, report.Everywhere, report.Everywhere, 7}.columns(),
	quantity{compare.MetricIdle, "idle", "idle_percent", "XVE idle", "", report.Percent, kept, 0, 0, 0}.columns(),
	quantity{compare.MetricTime, "average", "average_seconds", "Time per launch", "", report.Duration, kept, report.All, report.All, 9}.columns(),
	[]report.Col[diff.Row]{report.Define(column{Path: "parts", Always: true, Kind: report.Array, Of: report.ColumnsOf(partColumns), Doc: "of the thread-slot breakdown, in points of all thread slots"},
		func(r *diff.Row) cell {
			isNone := func(d diff.Delta) bool { return !slices.Contains(compare.Parts(), compare.Part(d.Metric)) }
			return report.RowsCell(report.NewTable("", "", slices.DeleteFunc(slices.Clone(r.Deltas), isNone), partColumns))
		})},
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[diff.Row] {
		c := column{Key: string(p) + "_change_points", Group: "Thread-slot breakdown", Title: string(p), Kind: report.Points, In: kept}
		if p == compare.PartOccupied {
			c.Title = "measured"
		}
		return report.Define(c, func(r *diff.Row) cell { return report.OptNum(report.Points, r.Delta(string(p)).Change) })
	}),
	onBothSides("spill_bytes", "Spill", column{Kind: report.Integer, Unit: "bytes", Doc: "per thread"}, func(l *diff.Launch) cell { return report.OptInt(l.Spill) }),
	onBothSides("private_bytes", "Private memory", column{Kind: report.Integer, Unit: "bytes", Doc: "per thread"}, func(l *diff.Launch) cell { return report.OptInt(l.Private) }),
	[]report.Col[diff.Row]{
		report.Define(column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: report.All, Role: report.Choice},
			func(r *diff.Row) cell { return report.StatusCell(string(r.Verdict), statusOf(r.Verdict)) }),
		report.Define(column{Key: "changes", Path: "changes", Always: true, Title: "Changed", Kind: report.Array, Of: report.ColumnsOf(changeColumns), In: kept, Doc: "of the launch"},
			func(r *diff.Row) cell {
				list := report.RowsCell(report.NewTable("", "", r.Changes, changeColumns))
				if len(r.Changes) > 0 {
					list.List = []string{changesText(r)}
				}
				return list
			}),
		report.Define(column{Key: "evidence", Path: "evidence", Title: "Evidence", Kind: report.Text, In: report.Data, Doc: "the values behind the verdict"},
			func(r *diff.Row) cell { return report.TextCell(because(r)) }),
	})

// runsCell describes how many runs of each side have a measured value; nothing
// where nothing was repeated.
func runsCell(r *diff.Row) cell {
	if older, newer := r.Measured().Old.N, r.Measured().New.N; max(older, newer) > 1 {
		return report.TextCell(strconv.Itoa(older) + " + " + strconv.Itoa(newer))
	}
	return cell{}
}

// statusOf is the color of a verdict. Unchanged has none, as most kernels of
// most diffs are: green would hide what improved.
func statusOf(v diff.Verdict) report.Status {
	switch v {
	case diff.Regression:
		return report.Bad
	case diff.Improvement, diff.Faster:
		return report.Good
	case diff.Unchanged:
		return report.Plain
	case diff.NotAKernel:
		return report.Muted
	}
	return report.Unsure
}

// shapeText tells kernels of one name apart: "2048x2048 in 1024x1, SIMD16 ->
// 32" where sides differ, what one says where the other says nothing.
func shapeText(r *diff.Row) string {
	older, newer := cmp.Or(r.Old, r.New), cmp.Or(r.New, r.Old)
	both := func(before, what string, of func(*diff.Launch) string) string {
		text := cmp.Or(of(newer), of(older))
		for _, c := range r.Changes {
			if c.What == what {
				text = c.Old + " -> " + c.New
			}
		}
		if text == "" {
			return ""
		}
		return before + text
	}
	text := both("", diff.ChangeGlobal, func(l *diff.Launch) string { return l.Global.String() }) +
		both(" in ", diff.ChangeLocal, func(l *diff.Launch) string { return l.Local.String() }) +
		both(", SIMD", diff.ChangeSIMD, func(l *diff.Launch) string { return strings.TrimPrefix(strconv.Itoa(l.SIMD.Or(0)), "0") })
	return strings.TrimPrefix(strings.TrimPrefix(text, " in "), ", ")
}

// onBothSides are a column of the launch on each side; one without a heading is
// for JSON alone.
func onBothSides(name, group string, c column, of func(*diff.Launch) cell) (list []report.Col[diff.Row]) {
	sides := []func(*diff.Row) *diff.Launch{func(r *diff.Row) *diff.Launch { return r.Old }, func(r *diff.Row) *diff.Launch { return r.New }}
	for i, side := range []string{"old", "new"} {
		c := c
		c.Path = name
		if group != "" {
			c.Key, c.Group, c.Title, c.In = name+"_"+side, group, side, report.Data
		}
		list = append(list, report.Within("", side, sides[i], []report.Col[diff.Launch]{report.Define(c, of)})...)
	}
	return list
}

// quantity is what both sides say of a metric: JSON has all of it.
type quantity struct {
	metric, key, path, title, doc string
	kind                          report.Kind
	sides, change, test           report.View // where its medians are, their change, and what was tested; 0 is JSON alone
	drop                          int         // of the change; its p goes before it
}

// columns are those of a row.
func (q quantity) columns() []report.Col[diff.Row] {
	object := report.Define(column{Path: q.path, Always: true, Kind: report.Object, Doc: q.doc}, func(*diff.Row) cell { return report.ObjectCell(true) })
	return append([]report.Col[diff.Row]{object}, report.Within("", q.path, func(r *diff.Row) *diff.Delta { return r.Delta(q.metric) }, q.of())...)
}

func (q quantity) of() []report.Col[diff.Delta] {
	in := func(view report.View, key, title string, c column) column {
		if c.Kind == report.Duration {
			c.Decimals = 6
		}
		if view != 0 {
			c.Key, c.Group, c.Title, c.In = key, q.title, title, view
		}
		return c
	}
	both := func(of func(side, key string) []report.Col[diff.Sample]) []report.Col[diff.Delta] {
		return append(report.Within("", "old", func(d *diff.Delta) *diff.Sample { return &d.Old }, of("old", q.key+"_old_")),
			report.Within("", "new", func(d *diff.Delta) *diff.Sample { return &d.New }, of("new", q.key+"_new_"))...)
	}
	points, ratio, p, significant := q.change, report.View(0), q.key+"_p", report.View(0)
	if q.kind == report.Duration {
		points, ratio, p = 0, q.change, "time_p"
	}
	if q.metric == compare.MetricMeasured {
		significant = kept
	}
	unit := map[report.Kind]string{report.Percent: "percent", report.Points: "points", report.Duration: "seconds"}[q.kind]
	return slices.Concat(both(func(side, key string) []report.Col[diff.Sample] {
		return []report.Col[diff.Sample]{report.Define(in(q.sides, key+unit, side, column{Path: "median", Kind: q.kind, Drop: 10}),
			func(s *diff.Sample) cell { return report.OptNum(q.kind, s.Median) })}
	}), []report.Col[diff.Delta]{
		report.Define(in(points, q.key+"_change_points", "change", column{Path: "change_points", Kind: report.Points, Drop: q.drop, Doc: "new - old in percentage points, of percentages and points"}),
			func(d *diff.Delta) cell { return report.OptNum(report.Points, d.Change) }),
		report.Define(in(ratio, "time_ratio", "new / old", column{Path: "ratio", Kind: report.Number, Decimals: 2, Drop: q.drop, Doc: "new / old, of times"}),
			func(d *diff.Delta) cell { return report.OptNum(report.Number, d.Ratio) }),
		report.Define(in(q.test, p, "p", column{Path: "p", Kind: report.Number, Decimals: 3, Drop: q.drop - 1}), func(d *diff.Delta) cell { return report.OptNum(report.Number, d.P) }),
		report.Define(in(significant, q.key+"_significant", "significant", column{Path: "significant", Kind: report.Bool, Doc: "null when there were too few runs for a test"}),
			func(d *diff.Delta) cell { return report.OptBool(d.Significant) }),
	}, both(func(side, key string) []report.Col[diff.Sample] {
		return []report.Col[diff.Sample]{
			report.Define(in(q.test&kept, key+"n", side+" runs", column{Path: "n", Kind: report.Integer, Always: true}), func(s *diff.Sample) cell { return report.IntCell(s.N) }),
			report.Define(in(q.test&kept, key+"low", side+" low", column{Path: "low", Kind: q.kind}), func(s *diff.Sample) cell { return report.OptNum(q.kind, s.Low) }),
			report.Define(in(q.test&kept, key+"high", side+" high", column{Path: "high", Kind: q.kind}), func(s *diff.Sample) cell { return report.OptNum(q.kind, s.High) }),
			report.Define(column{Path: "confidence", Kind: report.Number, Doc: "of the interval low to high, 0..1"}, func(s *diff.Sample) cell { return report.OptNum(report.Number, s.Confidence) }),
		}
	}))
}

// partColumns are a part of the breakdown on both sides, for JSON.
var partColumns = append([]report.Col[diff.Delta]{
	report.Define(column{Path: "part", Always: true, Kind: report.Text}, func(d *diff.Delta) cell { return report.TextCell(d.Metric) }),
}, quantity{kind: report.Points}.of()...)

// changeColumns are what is not the same, for JSON.
var changeColumns = []report.Col[diff.Change]{
	report.Define(column{Path: "what", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.TextCell(c.What) }),
	report.Define(column{Path: "task", Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(c.Task) }),
	report.Define(column{Path: "old", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.Old)) }),
	report.Define(column{Path: "new", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.New)) }),
}
