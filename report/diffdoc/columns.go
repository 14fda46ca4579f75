package diffdoc

import (
	"cmp"
	"slices"
	"strconv"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// The types of values that may be absent.
type (
	percent = unit.Opt[unit.Ratio]
	number  = unit.Opt[float64]
)

// columns returns the columns of the table for all sides. The rows of all sides
// are in one table with a column for the side, because data frames can group
// rows by a column.
func (c *comparison) columns() []report.Col[row] {
	list := report.Within("", "",
		func(r *row) *diff.Row { return r.Row },
		kernelColumns)
	if len(c.sides) == 1 {
		return list
	}
	side := report.Shown("side", "Side",
		func(r *row) string { return r.side },
		report.NonZero)
	return append([]report.Col[row]{side}, list...)
}

// kernelColumns are all columns for a kernel on both sides, in CSV order. They
// include the columns for people.
var kernelColumns = slices.Concat(
	[]report.Col[diff.Row]{
		report.Define("task", "Kernel",
			func(r *diff.Row) string { return r.Task },
			report.Name, report.Cut,
			report.Code),
		report.Shown("launch_size", "Launch", shapeText, report.Everywhere,
			report.Drop(3), report.Cut, report.Code, report.NonZero),
		report.JSON("is_kernel",
			func(r *diff.Row) bool { return r.IsKernel }),
	},
	report.Part("", "old", oldLaunch, []report.Col[diff.Launch]{}),
	report.Part("", "new", newLaunch, []report.Col[diff.Launch]{}),
	onBothSides("global", "Global",
		func(l *diff.Launch) unit.Size3 { return l.Global }),
	onBothSides("local", "Local",
		func(l *diff.Launch) unit.Size3 { return l.Local }),
	onBothSides("simd", "SIMD",
		func(l *diff.Launch) unit.Opt[int] { return l.SIMD }),
	onBothSides("adapter", "",
		func(l *diff.Launch) unit.Opt[string] { return l.Adapter }),
	onBothSides("grf", "",
		func(l *diff.Launch) unit.Opt[int] { return l.Registers }),
	onBothSides("slm_bytes_per_work_group", "",
		func(l *diff.Launch) unit.Opt[unit.Bytes] { return l.SLM }),
	onBothSides("file", "",
		func(l *diff.Launch) unit.Opt[string] { return l.File }),
	onBothSides("line", "",
		func(l *diff.Launch) unit.Opt[int] { return l.Line }),
	onBothSides("runs", "Runs",
		func(l *diff.Launch) int { return l.Runs }),
	onBothSides("unmeasurable_runs", "",
		func(l *diff.Launch) int { return l.Unmeasurable }),
	onBothSides("total_seconds", "",
		func(l *diff.Launch) unit.Opt[unit.Seconds] { return l.Total }),
	[]report.Col[diff.Row]{report.Define("direction", "Direction",
		func(r *diff.Row) unit.Opt[string] { return r.Direction },
		report.Wide)},
	quantity{
		metric: compare.MetricMeasured,
		key:    "measured",
		path:   "measured_percent",
		sides:  report.All,
		change: report.All,
		test:   report.All,
		drop:   12,
	}.columns(),
	[]report.Col[diff.Row]{report.Shown("runs", "Runs", runsText, report.Everywhere, report.Drop(1), report.NonZero)},
	quantity{
		metric: compare.MetricResidual,
		key:    "residual",
		path:   "residual_points",
		sides:  report.Wide,
		change: report.All,
		test:   report.All,
		drop:   5,
	}.columns(),
	quantity{
		metric: compare.MetricPredicted,
		key:    "predicted",
		path:   "predicted_average_percent",
		sides:  report.Wide,
	}.columns(),
	quantity{
		metric: compare.MetricBusy,
		key:    "busy",
		path:   "busy_occupancy_percent",
		sides:  report.Wide,
		change: report.Everywhere,
		test:   report.Everywhere,
		drop:   7,
	}.columns(),
	quantity{
		metric: compare.MetricIdle,
		key:    "idle",
		path:   "idle_percent",
		sides:  report.Wide,
	}.columns(),
	quantity{
		metric: compare.MetricTime,
		key:    "average",
		path:   "average_seconds",
		sides:  report.Wide,
		change: report.All,
		test:   report.All,
		drop:   9,
	}.columns(),
	[]report.Col[diff.Row]{report.List("parts", func(r *diff.Row) []diff.Delta {
		isNone := func(d diff.Delta) bool { return !slices.Contains(compare.Parts(), compare.Part(d.Metric)) }
		return slices.DeleteFunc(slices.Clone(r.Deltas), isNone)
	}, partColumns)},
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[diff.Row] {
		title := string(p)
		if p == compare.PartOccupied {
			title = "measured"
		}
		return report.Shown(string(p)+"_change_points", title, func(r *diff.Row) number {
			return r.Delta(string(p)).Change
		}, report.Points, report.Wide, report.Group("Thread-slot breakdown"))
	}),
	onBothSides("spill_bytes", "Spill",
		func(l *diff.Launch) unit.Opt[unit.Bytes] { return l.Spill }),
	onBothSides("private_bytes", "Private memory",
		func(l *diff.Launch) unit.Opt[unit.Bytes] { return l.Private }),
	[]report.Col[diff.Row]{
		report.Define("verdict", "Verdict", func(r *diff.Row) report.Word {
			return statusOf(r.Verdict).Word(string(r.Verdict))
		}, report.Choice, report.Always),
		report.List("changes",
			func(r *diff.Row) []diff.Change { return r.Changes },
			changeColumns),
		report.Shown("changes", "Changed", changesText, report.Wide, report.NonZero),
		report.Define("evidence", "Evidence", because, report.Data,
			report.NonZero),
	})

// runsText returns the number of runs with a measured value on each side, or ""
// if both sides have only one.
func runsText(r *diff.Row) string {
	if older, newer := r.Measured().Old.N, r.Measured().New.N; max(older, newer) > 1 {
		return strconv.Itoa(older) + " + " + strconv.Itoa(newer)
	}
	return ""
}

// statusOf returns the color of a verdict. The verdict unchanged has no color.
// Most kernels are unchanged, and if they were green, people would overlook the
// improvements.
func statusOf(v diff.Verdict) report.Status {
	switch v {
	case diff.Regression:
		return report.Bad
	case diff.Improvement, diff.Faster, diff.FasterSame:
		return report.Good
	case diff.Unchanged:
		return report.Plain
	case diff.NotAKernel:
		return report.Muted
	}
	return report.Unsure
}

// shapeText distinguishes kernels with the same name: "2048x2048 in 1024x1,
// SIMD16 -> 32". If only one side has a launch size, it returns that size.
func shapeText(r *diff.Row) string {
	older, newer := cmp.Or(r.Old, r.New), cmp.Or(r.New, r.Old)
	text, simd := "", ""
	add := func(before, word, what, now string) {
		for _, c := range r.Changes {
			if c.What == what {
				now = c.Old + " -> " + c.New
			}
		}
		if now == "" {
			return
		}
		if text != "" {
			text += before
		}
		text += word + now
	}
	add("", "", diff.ChangeGlobal, cmp.Or(newer.Global, older.Global).String())
	add(" in ", "", diff.ChangeLocal, cmp.Or(newer.Local, older.Local).String())
	if n, ok := cmp.Or(newer.SIMD, older.SIMD).Value(); ok {
		simd = strconv.Itoa(n)
	}
	add(", ", "SIMD", diff.ChangeSIMD, simd)
	return text
}

func oldLaunch(r *diff.Row) *diff.Launch { return r.Old }
func newLaunch(r *diff.Row) *diff.Launch { return r.New }

// onBothSides returns two columns for a property of the launch, one per side.
// If group is empty, only JSON has the columns.
func onBothSides[V report.Value](name, group string, get func(*diff.Launch) V,
	o ...report.Option) []report.Col[diff.Row] {
	side := func(path string, of func(*diff.Row) *diff.Launch) []report.Col[diff.Row] {
		c := report.JSON(name, get, o...)
		if group != "" {
			c = c.As(report.Data, report.Key(name+"_"+path), report.Group(group), report.Title(path))
		}
		return report.Within("", path, of, []report.Col[diff.Launch]{c})
	}
	return append(side("old", oldLaunch), side("new", newLaunch)...)
}

// quantity describes the columns for a metric on both sides: its medians, its
// change, and its test. JSON has all of these columns.
type quantity struct {
	metric, key, path   string
	sides, change, test report.View // outputs that have the medians, the change, and the test; 0 for JSON only
	drop                report.Drop // drop order of the change; p is dropped before it
}

// columns returns the columns of the quantity for a row.
func (q quantity) columns() []report.Col[diff.Row] {
	return report.Part("", q.path,
		func(r *diff.Row) *diff.Delta { return r.Delta(q.metric) },
		q.of(), report.Always)
}

func (q quantity) of() []report.Col[diff.Delta] {
	both := func(of func(side, key string) []report.Col[diff.Sample]) []report.Col[diff.Delta] {
		older, newer := of("old", q.key+"_old_"), of("new", q.key+"_new_")
		return append(report.Within("", "old",
			func(d *diff.Delta) *diff.Sample { return &d.Old },
			older),
			report.Within("", "new",
				func(d *diff.Delta) *diff.Sample { return &d.New },
				newer)...)
	}
	m := &compare.Metrics[compare.MetricNamed(q.metric)]
	group, tested, decimals := report.Group(m.Short), q.test&report.Wide, report.Decimals(0)
	points, ratio, p, significant := q.change, report.View(0), q.key+"_p", report.View(0)
	kind, suffix := report.Percent, "percent"
	switch m.Unit {
	case compare.InSeconds:
		kind, suffix, decimals = report.Duration, "seconds", 6
		points, ratio, p = 0, q.change, "time_p"
	case compare.InPoints:
		kind, suffix = report.Points, "points"
	}
	if q.metric == compare.MetricMeasured {
		significant = report.Wide
	}
	return slices.Concat(both(func(side, key string) []report.Col[diff.Sample] {
		return []report.Col[diff.Sample]{
			report.Define(key+suffix, side, func(s *diff.Sample) number { return s.Median }, kind,
				q.sides, group, report.Drop(10), decimals, report.Path("median")),
		}
	}), []report.Col[diff.Delta]{
		report.Define(q.key+"_change_points", "change",
			func(d *diff.Delta) number { return d.Change },
			report.Points, points, group, q.drop, report.Path("change_points")),
		report.Define("time_ratio", "new / old",
			func(d *diff.Delta) number { return d.Ratio },
			ratio, group,
			report.Decimals(2), q.drop, report.Path("ratio")),
		report.Define(p, "p",
			func(d *diff.Delta) number { return d.P },
			q.test, group, report.Decimals(3),
			q.drop-1, report.Path("p")),
		report.Define(q.key+"_significant", "significant",
			func(d *diff.Delta) unit.Opt[bool] { return d.Significant },
			significant, group, report.Path("significant")),
	}, both(func(side, key string) []report.Col[diff.Sample] {
		return []report.Col[diff.Sample]{
			report.Define(key+"n", side+" runs", func(s *diff.Sample) int { return s.N }, tested, group,
				report.Path("n")),
			report.Define(key+"low", side+" low", func(s *diff.Sample) number { return s.Low }, kind,
				tested, group, decimals, report.Path("low")),
			report.Define(key+"high", side+" high", func(s *diff.Sample) number { return s.High }, kind,
				tested, group, decimals, report.Path("high")),
			report.JSON("confidence",
				func(s *diff.Sample) number { return s.Confidence }),
		}
	}))
}

// partColumns are the columns for a part of the breakdown on both sides, for
// JSON.
var partColumns = append([]report.Col[diff.Delta]{
	report.JSON("part",
		func(d *diff.Delta) string { return d.Metric }),
}, quantity{metric: string(compare.PartIdle)}.of()...)

// changeColumns are the columns for a changed property, for JSON.
var changeColumns = []report.Col[diff.Change]{
	report.JSON("what",
		func(c *diff.Change) string { return c.What }),
	report.JSON("task",
		func(c *diff.Change) unit.Opt[string] { return c.Task }),
	report.JSON("old", func(c *diff.Change) string { return c.Old }),
	report.JSON("new", func(c *diff.Change) string { return c.New }),
}
