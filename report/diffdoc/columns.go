package diffdoc

import (
	"fmt"
	"slices"
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

// firstKernels are the columns of the table of kernels that people see first.
var firstKernels = []string{"task", "global", "local", "simd", "global_old", "global_new", "local_old", "local_new",
	"simd_old", "simd_new", "runs_old", "runs_new", "direction", "measured_old_percent", "measured_new_percent",
	"measured_old_interval", "measured_new_interval", "measured_change", "loaded_change", "measured_change_points",
	"measured_p", "measured_n", "residual_change", "time"}

// kernelColumns are all that is known of a kernel on both sides, in the order of CSV. What only people read stands
// behind.
var kernelColumns = slices.Concat(
	[]report.Col[kernel]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, In: report.All, Role: report.Code},
			func(k *kernel) cell { return report.NameCell(k.Task) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(k *kernel) cell { return report.OptText(k.Direction) }),
		report.Define(column{Path: "is_kernel", Always: true, Kind: report.Bool}, func(k *kernel) cell { return report.BoolCell(k.IsKernel) }),
		report.Define(column{Path: "old", Kind: report.Object}, func(k *kernel) cell { return there(k.Old) }),
		report.Define(column{Path: "new", Kind: report.Object}, func(k *kernel) cell { return there(k.New) }),
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
	[]report.Col[kernel]{
		report.Define(column{Path: "changes", Always: true, Kind: report.Array, Of: report.ColumnsOf(changeColumns), Doc: "of the launch"},
			func(k *kernel) cell { return report.RowsCell(report.NewTable("", "", k.Changes, changeColumns)) }),
		report.Define(column{Key: "direction", Title: "Direction", Kind: report.Text, In: kept}, func(k *kernel) cell { return report.OptText(k.Direction) }),
	},
	quantity{name: "measured", path: "measured_percent", unit: "_percent", group: "Measured", kind: report.Percent,
		decimals: 3, change: true, tested: true, shown: true}.columns(of(compare.MetricMeasured)),
	quantity{name: "residual", path: "residual_points", unit: "_points", group: "Residual", kind: report.Points,
		decimals: 3, change: true, tested: true, doc: "measured - predicted average, in percentage points"}.columns(
		of(compare.MetricResidual)),
	quantity{name: "predicted", path: "predicted_average_percent", unit: "_percent", group: "Predicted average",
		kind: report.Percent}.columns(of(compare.MetricPredicted)),
	quantity{name: "loaded", path: "loaded_percent", unit: "_percent", group: "XVEs that ran", kind: report.Percent}.
		columns(of(compare.MetricLoaded)),
	quantity{name: "idle", path: "idle_percent", unit: "_percent", group: "XVE idle", kind: report.Percent}.
		columns(of(compare.MetricIdle)),
	quantity{name: "average", path: "average_seconds", unit: "_seconds", group: "Time per launch",
		kind: report.Duration, decimals: 6, tested: true}.columns(of(compare.MetricTime)),
	[]report.Col[kernel]{
		report.Define(column{Path: "parts", Always: true, Kind: report.Array, Of: report.ColumnsOf(partColumns), Doc: "of the account, in points of all thread slots"},
			func(k *kernel) cell { return report.RowsCell(report.NewTable("", "", partsOf(k), partColumns)) }),
	},
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[kernel] {
		c := column{Key: string(p) + "_change_points", Group: "Account", Title: string(p),
			Kind: report.Points, In: kept}
		if p == compare.PartUsed {
			c.Title = "measured"
		}
		return report.Define(c, func(k *kernel) cell {
			return report.OptNum(report.Points, k.Delta(string(p)).Change, 1)
		})
	}),
	[]report.Col[kernel]{
		report.Define(column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: report.All, Role: report.Choice, Words: verdictWords()},
			func(k *kernel) cell { return verdictCell(k.Verdict) }),
		report.Define(column{Key: "changes", Title: "Changed", Kind: report.Text, In: kept},
			func(k *kernel) cell {
				return report.TextCell(strings.Join(report.ListOf(k.Changes, diff.Change.String), ", "))
			}),
		report.Define(column{Key: "label", Title: "Label in charts", Kind: report.Text, In: kept}, func(k *kernel) cell { return report.TextCell(k.label) }),
		report.Define(column{Key: "because", Path: "because", Title: "Because", Kind: report.Text, In: kept, Doc: "the figures behind the verdict"},
			func(k *kernel) cell { return report.OptText(k.Because) }),
		report.Define(column{Path: "sensitivity", Kind: report.Object,
			Doc: "time per work-item against occupancy, if nothing else was changed"},
			func(k *kernel) cell { return report.ObjectCell(k.Sensitivity != nil) }),
	},
	report.Within("", "sensitivity", func(k *kernel) *diff.Sensitivity { return k.Sensitivity }, sensitivityColumns),
	peopleColumns)

func there(l *diff.Launch) cell { return report.ObjectCell(l != nil) }

// onBothSides are a column of the launch on each side; one without a heading is for JSON alone.
func onBothSides(name, group string, c column, of func(*diff.Launch) cell) []report.Col[kernel] {
	sides := []func(*kernel) *diff.Launch{func(k *kernel) *diff.Launch { return k.Old },
		func(k *kernel) *diff.Launch { return k.New }}
	var list []report.Col[kernel]
	for i, side := range []string{"old", "new"} {
		c := c
		c.Path = name
		if group != "" {
			c.Key, c.Group, c.Title, c.In = name+"_"+side, group, side, kept
		}
		list = append(list, report.Within("", side, sides[i], []report.Col[diff.Launch]{report.Define(c, of)})...)
	}
	return list
}

// quantity is what both sides say of one: JSON has all of it, CSV what is tested.
type quantity struct {
	name, path, unit, group, doc string
	kind                         report.Kind
	decimals                     int
	change, tested, shown        bool // CSV has the change; the test and its intervals; people without a workbook see it
}

// of reads a metric of a row.
func of(metric string) func(*kernel) *diff.Delta {
	return func(k *kernel) *diff.Delta { return k.Delta(metric) }
}

// columns are those of a row.
func (q quantity) columns(of func(*kernel) *diff.Delta) []report.Col[kernel] {
	object := report.Define(column{Path: q.path, Always: true, Kind: report.Object, Doc: q.doc}, func(*kernel) cell { return report.ObjectCell(true) })
	return append([]report.Col[kernel]{object}, report.Within("", q.path, of, q.of())...)
}

func (q quantity) of() []report.Col[diff.Delta] {
	var list []report.Col[diff.Delta]
	add := func(c column, key, title string, get func(*diff.Delta) cell) {
		if c.Decimals = 1; c.Kind != report.Percent && c.Kind != report.Points {
			c.Decimals = q.decimals
		}
		if key != "" {
			c.Key, c.Group, c.Title, c.In = key, q.group, title, kept
		}
		list = append(list, report.Define(c, get))
	}
	csv := func(key string, has bool) string {
		if has {
			return key
		}
		return ""
	}
	both := []func(*diff.Delta) *diff.Sample{func(d *diff.Delta) *diff.Sample { return &d.Old }, func(d *diff.Delta) *diff.Sample { return &d.New }}
	for i, side := range []string{"old", "new"} {
		add(column{Path: side + ".median", Kind: q.kind}, q.name+"_"+side+q.unit, side, func(d *diff.Delta) cell { return report.OptNum(q.kind, both[i](d).Median, 1) })
	}
	add(column{Path: "change_points", Kind: report.Points, Doc: "new - old in percentage points, of percentages and points"}, csv(q.name+"_change_points", q.change), "change",
		func(d *diff.Delta) cell { return report.OptNum(report.Points, d.Change, 1) })
	add(column{Path: "ratio", Kind: report.Number, Doc: "new / old, of times"}, csv("time_ratio", q.kind == report.Duration), "new / old",
		func(d *diff.Delta) cell { return report.OptNum(report.Number, d.Ratio, 1) })
	add(column{Path: "p", Kind: report.Number}, csv(strings.Replace(q.name, "average", "time", 1)+"_p", q.tested), "p", func(d *diff.Delta) cell { return report.OptNum(report.Number, d.P, 1) })
	add(column{Path: "significant", Kind: report.Bool, Doc: "null when there were too few runs for a test"}, csv(q.name+"_significant", q.shown), "Significant",
		func(d *diff.Delta) cell { return report.OptBool(d.Significant) })
	for i, side := range []string{"old", "new"} {
		key := func(what string) string { return csv(q.name+"_"+side+"_"+what, q.tested) }
		add(column{Path: side + ".n", Kind: report.Integer, Always: true}, key("n"), side+" runs", func(d *diff.Delta) cell { return report.IntCell(both[i](d).N) })
		add(column{Path: side + ".low", Kind: q.kind}, key("low"), side+" low", func(d *diff.Delta) cell { return report.OptNum(q.kind, both[i](d).Low, 1) })
		add(column{Path: side + ".high", Kind: q.kind}, key("high"), side+" high", func(d *diff.Delta) cell { return report.OptNum(q.kind, both[i](d).High, 1) })
		add(column{Path: side + ".confidence", Kind: report.Number, Doc: "of the interval low to high, 0..1"}, "", "", func(d *diff.Delta) cell { return report.OptNum(report.Number, both[i](d).Confidence, 1) })
	}
	if q.shown { // people without a workbook see the medians and the test, too
		for i, drop := range map[int]int{0: 8, 1: 9, 4: 5} {
			list[i].In, list[i].Drop = report.All, drop
		}
		list[2].Group, list[2].Title, list[4].Group, list[5].Group = "", "Change", "", ""
	}
	return list
}

// partsOf are the parts of the account that a side tells.
func partsOf(k *kernel) (list []*diff.Delta) {
	for _, p := range compare.Parts() {
		if d := k.Delta(string(p)); d.Old.N+d.New.N > 0 {
			list = append(list, d)
		}
	}
	return list
}

// partColumns are a part of the account on both sides, for JSON.
var partColumns = append([]report.Col[*diff.Delta]{
	report.Define(column{Path: "part", Always: true, Kind: report.Text}, func(d **diff.Delta) cell { return report.TextCell((*d).Metric) }),
}, report.Within("", "", func(d **diff.Delta) *diff.Delta { return *d }, quantity{kind: report.Points}.of())...)

var changeColumns = []report.Col[diff.Change]{
	report.Define(column{Key: "what", Path: "what", Always: true, Title: "What", Kind: report.Text, In: report.All}, func(c *diff.Change) cell { return report.TextCell(c.What) }),
	report.Define(column{Path: "task", Kind: report.Text}, func(c *diff.Change) cell { return report.OptText(c.Task) }),
	report.Define(column{Key: "task", Title: "Of", Kind: report.Text, In: report.All}, func(c *diff.Change) cell { return report.TextCell(c.Task.Or("the whole run")) }),
	report.Define(column{Key: "old", Path: "old", Always: true, Title: "Old", Kind: report.Text, In: report.All}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.Old)) }),
	report.Define(column{Key: "new", Path: "new", Always: true, Title: "New", Kind: report.Text, In: report.All}, func(c *diff.Change) cell { return report.OptText(unit.Some(c.New)) }),
}

// sensitivityColumns say how the time of a kernel goes with its occupancy.
var sensitivityColumns = []report.Col[diff.Sensitivity]{
	report.Define(column{Path: "slower_percent", Always: true, Kind: report.Percent, Doc: "more time per work-item at half the occupancy; 100 is twice the time"},
		func(s *diff.Sensitivity) cell { return report.RatioCell(s.Slower) }),
	report.Define(column{Path: "slower_low_percent", Always: true, Kind: report.Percent, Doc: "of the 95 % interval"}, func(s *diff.Sensitivity) cell { return report.RatioCell(s.Low) }),
	report.Define(column{Path: "slower_high_percent", Always: true, Kind: report.Percent, Doc: "of the 95 % interval"}, func(s *diff.Sensitivity) cell { return report.RatioCell(s.High) }),
	report.Define(column{Path: "occupancy_low_percent", Always: true, Kind: report.Percent, Doc: "of the runs"}, func(s *diff.Sensitivity) cell { return report.RatioCell(s.Least) }),
	report.Define(column{Path: "occupancy_high_percent", Always: true, Kind: report.Percent, Doc: "of the runs"}, func(s *diff.Sensitivity) cell { return report.RatioCell(s.Most) }),
	report.Define(column{Path: "runs", Always: true, Kind: report.Integer}, func(s *diff.Sensitivity) cell { return report.IntCell(s.Runs) }),
	report.Define(column{Path: "bound_by_occupancy", Always: true, Kind: report.Text}, func(s *diff.Sensitivity) cell { return report.TextCell(string(s.Bound)) }),
}

// peopleColumns are what people read in place of figures.
var peopleColumns = []report.Col[kernel]{
	report.Define(column{Key: "global", Title: "Global", Kind: report.Text, Drop: 3, In: people, Role: report.Code},
		func(k *kernel) cell { return report.TextCell(bothSides(k.Row, diff.ChangeGlobal)) }),
	report.Define(column{Key: "local", Title: "Local", Kind: report.Text, Drop: 2, In: people, Role: report.Code},
		func(k *kernel) cell { return report.TextCell(bothSides(k.Row, diff.ChangeLocal)) }),
	report.Define(column{Key: "simd", Title: "SIMD", Kind: report.Text, Drop: 4, In: people}, func(k *kernel) cell { return report.TextCell(bothSides(k.Row, diff.ChangeSIMD)) }),
	report.Define(column{Key: "measured_old_interval", Group: "Interval", Title: "old", Unit: "%", Kind: report.Text, In: report.Page},
		func(k *kernel) cell { return report.TextCell(interval(&k.Measured().Old)) }),
	report.Define(column{Key: "measured_new_interval", Group: "Interval", Title: "new", Unit: "%", Kind: report.Text, In: report.Page},
		func(k *kernel) cell { return report.TextCell(interval(&k.Measured().New)) }),
	report.Define(column{Key: "measured_change", Group: "Change", Title: "measured", Kind: report.Points, Drop: 10, In: people},
		func(k *kernel) cell { return changeCell(k.Measured(), report.Points) }),
	report.Define(column{Key: "loaded_change", Group: "Change", Title: "XVEs that ran", Kind: report.Points, Drop: 6, In: people},
		func(k *kernel) cell { return changeCell(k.Delta(compare.MetricLoaded), report.Points) }),
	report.Define(column{Key: "measured_n", Title: "Runs", Kind: report.Text, Drop: 1, In: people},
		func(k *kernel) cell {
			if k.Measured().Old.N+k.Measured().New.N == 0 {
				return cell{}
			}
			return report.TextCell(fmt.Sprintf("%d + %d", k.Measured().Old.N, k.Measured().New.N))
		}),
	report.Define(column{Key: "residual_change", Title: "Residual change", Kind: report.Points, Drop: 5, In: people}, func(k *kernel) cell { return changeCell(k.Delta(compare.MetricResidual), report.Points) }),
	report.Define(column{Key: "time", Title: "Time new/old", Kind: report.Number, Decimals: 2, Drop: 7, In: people}, func(k *kernel) cell { return changeCell(k.Delta(compare.MetricTime), report.Number) }),
}

func verdictCell(v diff.Verdict) cell { return report.StatusCell(string(v), statusOf(v)) }

func verdictWords() []report.Word {
	return report.ListOf(diff.Verdicts(), func(v diff.Verdict) report.Word {
		return report.Word{Text: string(v), Status: statusOf(v)}
	})
}
