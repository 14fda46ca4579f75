package diffdoc

import (
	"fmt"
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

// Where a column is: people without a workbook see words in place of figures ("16 -> 32", "~").
const (
	kept   = report.Sheet | report.Data
	people = report.Terminal | report.Page
)

// columns are those of all sides.
func (c *comparison) columns() []report.Col[row] {
	if len(c.sides) == 1 {
		return kernelColumns
	}
	// Sides stand below each other, as data frames group by a column.
	return append([]report.Col[row]{report.Define(column{Key: "side", Title: "Side", Kind: report.Text, In: report.All},
		func(r *row) cell { return report.TextCell(r.side) })}, kernelColumns...)
}

// kernelColumns are all that is known of a kernel on both sides, in the order of CSV; those of people stand among them.
var kernelColumns = slices.Concat(
	[]report.Col[row]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, In: report.All, Role: report.Code},
			func(r *row) cell { return report.NameCell(r.Task) }),
		report.Define(column{Key: "shape", Title: "Launch", Kind: report.Text, Drop: 3, Cut: true, In: report.Everywhere, Role: report.Code},
			func(r *row) cell { return report.TextCell(shapeText(r.Row)) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(r *row) cell { return report.OptText(r.Direction) }),
		report.Define(column{Path: "is_kernel", Always: true, Kind: report.Bool}, func(r *row) cell { return report.BoolCell(r.IsKernel) }),
		report.Define(column{Path: "old", Kind: report.Object}, func(r *row) cell { return report.ObjectCell(r.Old != nil) }),
		report.Define(column{Path: "new", Kind: report.Object}, func(r *row) cell { return report.ObjectCell(r.New != nil) }),
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
	[]report.Col[row]{
		report.Define(column{Path: "changes", Always: true, Kind: report.Array, Of: report.ColumnsOf(changeColumns), Doc: "of the launch"},
			func(r *row) cell { return report.RowsCell(report.NewTable("", "", r.Changes, changeColumns)) }),
		report.Define(column{Key: "direction", Title: "Direction", Kind: report.Text, In: kept}, func(r *row) cell { return report.OptText(r.Direction) }),
	},
	quantity{metric: compare.MetricMeasured, name: "measured", path: "measured_percent", unit: "_percent", group: "Measured",
		kind: report.Percent, decimals: 3, change: true, tested: true, shown: true}.columns(),
	[]report.Col[row]{
		moved("measured_change", "measured", 10, compare.MetricMeasured), moved("loaded_change", "XVEs that ran", 6, compare.MetricLoaded),
		moved("residual_change", "residual", 5, compare.MetricResidual),
		report.Define(column{Key: "measured_n", Title: "Runs", Kind: report.Text, Drop: 1, In: people}, func(r *row) cell {
			a, b := r.Measured().Old.N, r.Measured().New.N
			if a+b == 0 {
				return cell{}
			}
			return report.TextCell(fmt.Sprintf("%d + %d", a, b))
		}),
		report.Define(column{Key: "time", Title: "Time new/old", Kind: report.Number, Decimals: 2, Drop: 7, In: people},
			func(r *row) cell { return changeCell(r.Delta(compare.MetricTime), report.Number) }),
	},
	quantity{metric: compare.MetricResidual, name: "residual", path: "residual_points", unit: "_points", group: "Residual",
		kind: report.Points, decimals: 3, change: true, tested: true, doc: "measured - predicted average, in percentage points"}.columns(),
	quantity{metric: compare.MetricPredicted, name: "predicted", path: "predicted_average_percent", unit: "_percent",
		group: "Predicted average", kind: report.Percent}.columns(),
	quantity{metric: compare.MetricLoaded, name: "loaded", path: "loaded_percent", unit: "_percent", group: "XVEs that ran",
		kind: report.Percent}.columns(),
	quantity{metric: compare.MetricIdle, name: "idle", path: "idle_percent", unit: "_percent", group: "XVE idle", kind: report.Percent}.columns(),
	quantity{metric: compare.MetricTime, name: "average", path: "average_seconds", unit: "_seconds", group: "Time per launch",
		kind: report.Duration, decimals: 6, tested: true}.columns(),
	[]report.Col[row]{
		report.Define(column{Path: "parts", Always: true, Kind: report.Array, Of: report.ColumnsOf(partColumns), Doc: "of the account, in points of all thread slots"},
			func(r *row) cell { return report.RowsCell(report.NewTable("", "", partsOf(r), partColumns)) }),
	},
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[row] {
		c := column{Key: string(p) + "_change_points", Group: "Account", Title: string(p), Kind: report.Points, In: kept}
		if p == compare.PartUsed {
			c.Title = "measured"
		}
		return report.Define(c, func(r *row) cell { return report.OptNum(report.Points, r.Delta(string(p)).Change, 1) })
	}),
	[]report.Col[row]{
		report.Define(column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: report.All, Role: report.Choice},
			func(r *row) cell { return report.StatusCell(string(r.Verdict), statusOf(r.Verdict)) }),
		report.Define(column{Key: "changes", Title: "Changed", Kind: report.Text, In: kept},
			func(r *row) cell {
				return report.TextCell(strings.Join(report.ListOf(r.Changes, diff.Change.String), ", "))
			}),
		report.Define(column{Key: "because", Path: "because", Title: "Because", Kind: report.Text, In: report.Data, Doc: "the figures behind the verdict"},
			func(r *row) cell { return report.OptText(r.Because) }),
	})

// statusOf is the color of a verdict. Unchanged has none, as most kernels of most diffs are: green would hide what
// improved.
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

// moved is a change as people read it.
func moved(key, title string, drop int, metric string) report.Col[row] {
	return report.Define(column{Key: key, Group: "Change", Title: title, Kind: report.Points, Drop: drop, In: people},
		func(r *row) cell { return changeCell(r.Delta(metric), report.Points) })
}

// changeCell is new - old in points, or new / old of times. What chance explains is no number: a reader would take it for
// a result.
func changeCell(d *diff.Delta, kind report.Kind) cell {
	change := d.Change
	if d.Ratio.Present() {
		change = d.Ratio
	}
	if change.Present() && d.Insignificant() {
		return report.TextCell("~")
	}
	return report.OptNum(kind, change, 1)
}

// shapeText tells kernels of one name apart: "2048x2048 in 1024x1, SIMD16 -> 32" where sides differ, what one says where
// the other says nothing.
func shapeText(r *diff.Row) string {
	both := func(what string, of func(*diff.Launch) string) (text string) {
		for _, l := range []*diff.Launch{r.Old, r.New} {
			if l != nil {
				if now := of(l); now != "" {
					text = now
				}
			}
		}
		for _, c := range r.Changes {
			if c.What == what {
				text = c.Old + " -> " + c.New
			}
		}
		return text
	}
	text := both(diff.ChangeGlobal, func(l *diff.Launch) string { return l.Global.String() })
	if l := both(diff.ChangeLocal, func(l *diff.Launch) string { return l.Local.String() }); l != "" {
		text = strings.TrimPrefix(text+" in "+l, " in ")
	}
	if n := both(diff.ChangeSIMD, func(l *diff.Launch) string {
		if n, ok := l.SIMD.Value(); ok {
			return strconv.Itoa(n)
		}
		return ""
	}); n != "" {
		text = strings.TrimPrefix(text+", SIMD"+n, ", ")
	}
	return text
}

// onBothSides are a column of the launch on each side; one without a heading is for JSON alone.
func onBothSides(name, group string, c column, of func(*diff.Launch) cell) (list []report.Col[row]) {
	sides := []func(*row) *diff.Launch{func(r *row) *diff.Launch { return r.Old }, func(r *row) *diff.Launch { return r.New }}
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

// quantity is what both sides say of a metric: JSON has all of it, CSV what is tested.
type quantity struct {
	metric, name, path, unit, group, doc string
	kind                                 report.Kind
	decimals                             int
	change, tested, shown                bool // CSV has the change; the test and its intervals; people without a workbook see it
}

// columns are those of a row.
func (q quantity) columns() []report.Col[row] {
	object := report.Define(column{Path: q.path, Always: true, Kind: report.Object, Doc: q.doc}, func(*row) cell { return report.ObjectCell(true) })
	return append([]report.Col[row]{object}, report.Within("", q.path, func(r *row) *diff.Delta { return r.Delta(q.metric) }, q.of())...)
}

func (q quantity) of() []report.Col[diff.Delta] {
	// as gives a column the heading under which workbooks and CSV have it; without one it is in JSON alone.
	as := func(has bool, key, title string, c column) column {
		if c.Decimals = 1; c.Kind == report.Number || c.Kind == report.Duration {
			c.Decimals = q.decimals
		}
		if has {
			c.Key, c.Group, c.Title, c.In = key, q.group, title, kept
		}
		return c
	}
	both := func(of func(side string) []report.Col[diff.Sample]) []report.Col[diff.Delta] {
		return append(report.Within("", "old", func(d *diff.Delta) *diff.Sample { return &d.Old }, of("old")),
			report.Within("", "new", func(d *diff.Delta) *diff.Sample { return &d.New }, of("new"))...)
	}
	list := slices.Concat(both(func(side string) []report.Col[diff.Sample] {
		return []report.Col[diff.Sample]{report.Define(as(q.name != "", q.name+"_"+side+q.unit, side, column{Path: "median", Kind: q.kind}),
			func(s *diff.Sample) cell { return report.OptNum(q.kind, s.Median, 1) })}
	}), []report.Col[diff.Delta]{
		report.Define(as(q.change, q.name+"_change_points", "change", column{Path: "change_points", Kind: report.Points, Doc: "new - old in percentage points, of percentages and points"}),
			func(d *diff.Delta) cell { return report.OptNum(report.Points, d.Change, 1) }),
		report.Define(as(q.kind == report.Duration, "time_ratio", "new / old", column{Path: "ratio", Kind: report.Number, Doc: "new / old, of times"}),
			func(d *diff.Delta) cell { return report.OptNum(report.Number, d.Ratio, 1) }),
		report.Define(as(q.tested, strings.Replace(q.name, "average", "time", 1)+"_p", "p", column{Path: "p", Kind: report.Number}),
			func(d *diff.Delta) cell { return report.OptNum(report.Number, d.P, 1) }),
		report.Define(as(q.shown, q.name+"_significant", "significant", column{Path: "significant", Kind: report.Bool, Doc: "null when there were too few runs for a test"}),
			func(d *diff.Delta) cell { return report.OptBool(d.Significant) }),
	}, both(func(side string) []report.Col[diff.Sample] {
		key := q.name + "_" + side
		return []report.Col[diff.Sample]{
			report.Define(as(q.tested, key+"_n", side+" runs", column{Path: "n", Kind: report.Integer, Always: true}), func(s *diff.Sample) cell { return report.IntCell(s.N) }),
			report.Define(as(q.tested, key+"_low", side+" low", column{Path: "low", Kind: q.kind}), func(s *diff.Sample) cell { return report.OptNum(q.kind, s.Low, 1) }),
			report.Define(as(q.tested, key+"_high", side+" high", column{Path: "high", Kind: q.kind}), func(s *diff.Sample) cell { return report.OptNum(q.kind, s.High, 1) }),
			report.Define(column{Path: "confidence", Kind: report.Number, Doc: "of the interval low to high, 0..1"}, func(s *diff.Sample) cell { return report.OptNum(report.Number, s.Confidence, 1) }),
		}
	}))
	if q.shown { // people without a workbook see the medians and the test, too
		for i, drop := range map[int]int{0: 8, 1: 9, 4: 4} {
			list[i].In, list[i].Drop = report.All, drop
		}
		list[4].Group = ""
	}
	return list
}

// partsOf are the parts of the account that a side tells.
func partsOf(r *row) (list []*diff.Delta) {
	for _, p := range compare.Parts() {
		if d := r.Delta(string(p)); d.Old.N+d.New.N > 0 {
			list = append(list, d)
		}
	}
	return list
}

// partColumns are a part of the account on both sides, for JSON.
var partColumns = append([]report.Col[*diff.Delta]{
	report.Define(column{Path: "part", Always: true, Kind: report.Text}, func(d **diff.Delta) cell { return report.TextCell((*d).Metric) }),
}, report.Within("", "", func(d **diff.Delta) *diff.Delta { return *d }, quantity{kind: report.Points}.of())...)

// changeColumns are what is not the same, for JSON.
var changeColumns = []report.Col[diff.Change]{
	report.Define(column{Path: "what", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.TextCell(c.What) }),
	report.Define(column{Path: "task", Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(c.Task) }),
	report.Define(column{Path: "old", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.Old)) }),
	report.Define(column{Path: "new", Always: true, Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.New)) }),
}
