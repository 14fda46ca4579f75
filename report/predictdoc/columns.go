package predictdoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// column and cell keep the lists short.
type (
	column = report.Column
	cell   = report.Cell
)

// Where a column is: all that is kept has a sheet and CSV.
const (
	all   = report.All
	kept  = report.Sheet | report.Data
	files = report.Files | report.Data
)

// deviceColumns are of the device that a prediction is for.
var deviceColumns = []report.Col[arch.Choice]{
	report.Define(column{Key: "device", Path: "key", Always: true, Title: "Device", Kind: report.Text, In: all}, func(c *arch.Choice) cell { return report.TextCell(c.Device.Key) }),
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Name", Kind: report.Text, Drop: 1, Cut: true, In: all}, func(c *arch.Choice) cell { return text(c.Device.Name) }),
	report.Define(column{Path: "architecture", Always: true, Kind: report.Text}, func(c *arch.Choice) cell { return text(c.Device.Architecture) }),
	report.Define(column{Path: "xe_cores", Always: true, Kind: report.Integer}, func(c *arch.Choice) cell { return count(c.Device.XeCores) }),
	report.Define(column{Path: "xve_per_xe_core", Always: true, Kind: report.Integer}, func(c *arch.Choice) cell { return report.IntCell(c.Device.XVEPerXeCore) }),
	report.Define(column{Path: "threads_per_xve", Always: true, Kind: report.Integer}, func(c *arch.Choice) cell { return report.IntCell(c.Device.ThreadsPerXVE) }),
	report.Define(column{Key: "thread_slots", Path: "thread_slots", Always: true, Title: "Thread slots", Brief: "Slots", Kind: report.Integer, Drop: 4, In: all}, func(c *arch.Choice) cell { return count(c.Device.Slots()) }),
	report.Define(column{Path: "chosen_by", Kind: report.Text, Doc: "what named the device"}, func(c *arch.Choice) cell { return report.TextCell(c.By.String()) }),
}

// launchColumns are a launch as it was asked about. What is at its default is
// absent; SLM and barriers are amounts.
var launchColumns = []report.Col[predict.Launch]{
	report.Define(column{Key: "global", Path: "global", Always: true, Title: "Global", Kind: report.Size, In: kept}, func(l *predict.Launch) cell { return report.SizeCell(l.Global) }),
	report.Define(column{Key: "local", Path: "local", Always: true, Title: "Local", Kind: report.Size, In: kept}, func(l *predict.Launch) cell { return report.SizeCell(l.Local) }),
	report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, In: kept}, func(l *predict.Launch) cell { return count(l.SIMD) }),
	report.Define(column{Key: "slm_bytes", Path: "slm_bytes", Always: true, Title: "SLM per work-group", Unit: "bytes", Kind: report.Integer, In: kept}, func(l *predict.Launch) cell { return report.IntCell(l.SLM) }),
	report.Define(column{Key: "barriers", Path: "barriers", Always: true, Title: "Barriers", Kind: report.Integer, In: kept}, func(l *predict.Launch) cell { return report.IntCell(l.Barriers) }),
	report.Define(column{Key: "registers_per_thread", Path: "registers_per_thread", Title: "Registers per thread", Kind: report.Integer, In: kept, Doc: "GRF mode; null is the device's default"}, func(l *predict.Launch) cell { return count(l.GRF) }),
	report.Define(column{Path: "policy", Always: true, Kind: report.Text}, func(l *predict.Launch) cell { return report.TextCell(l.Policy.String()) }),
	report.Define(column{Path: "barrier_slots", Kind: report.Integer}, func(l *predict.Launch) cell { return count(l.BarrierSlots) }),
	report.Define(column{Path: "work_group_slots", Kind: report.Integer}, func(l *predict.Launch) cell { return count(l.GroupSlots) }),
}

// predictionColumns are a prediction with all its figures. What needs the
// number of work-groups is absent without a global size.
var predictionColumns = []report.Col[predict.Prediction]{
	report.Define(column{Key: "policy", Path: "policy", Always: true, Title: "Policy", Kind: report.Text, Drop: 2, In: all}, func(p *predict.Prediction) cell { return report.TextCell(p.Policy.String()) }),
	report.Define(column{Key: "threads_per_work_group", Path: "threads_per_work_group", Always: true, Title: "Threads per work-group", Brief: "Threads", Kind: report.Integer, Drop: 3, In: all},
		func(p *predict.Prediction) cell { return report.IntCell(p.ThreadsPerGroup) }),

	report.Define(column{Key: "by_threads", Path: "by_threads", Group: "Work-groups per Xe-core", Title: "by threads", Kind: report.Integer, In: files, Doc: "work-groups per Xe-core that thread slots admit"}, func(p *predict.Prediction) cell { return limit(p.ByThreads) }),
	report.Define(column{Key: "by_slm", Path: "by_slm", Group: "Work-groups per Xe-core", Title: "by SLM", Kind: report.Integer, In: files, Doc: "work-groups per Xe-core that SLM admits; null without a limit"}, func(p *predict.Prediction) cell { return limit(p.BySLM) }),
	report.Define(column{Key: "by_slots", Path: "by_slots", Group: "Work-groups per Xe-core", Title: "by slots", Kind: report.Integer, In: files, Doc: "work-groups per Xe-core that work-group slots admit"}, func(p *predict.Prediction) cell { return limit(p.ByGroupSlots) }),
	report.Define(column{Key: "by_barriers", Path: "by_barriers", Group: "Work-groups per Xe-core", Title: "by barriers", Kind: report.Integer, In: files, Doc: "work-groups per Xe-core that barriers admit; null without a limit"}, func(p *predict.Prediction) cell { return limit(p.ByBarriers) }),
	report.Define(column{Key: "work_groups_per_xe_core", Path: "work_groups_per_xe_core", Always: true, Title: "Work-groups per Xe-core", Brief: "Per Xe-core", Kind: report.Integer, Drop: 5, In: all},
		func(p *predict.Prediction) cell { return report.IntCell(p.GroupsPerXeCore) }),

	report.Define(column{Key: "work_groups", Path: "work_groups", Title: "Work-groups", Kind: report.Integer, In: files}, func(p *predict.Prediction) cell { return count(p.Groups) }),
	report.Define(column{Key: "xe_core_percent", Path: "xe_core_percent", Title: "Xe-core", Kind: report.Percent, In: all, Doc: "of one full Xe-core, 0..100"}, func(p *predict.Prediction) cell { return report.RatioCell(p.XeCore) }),
	report.Define(column{Key: "xe_core_of_grf_mode_percent", Path: "xe_core_of_grf_mode_percent", Always: true, Title: "Xe-core of the GRF mode", Kind: report.Percent, In: files,
		Doc: "of the slots that the GRF mode leaves"}, func(p *predict.Prediction) cell { return report.RatioCell(p.XeCoreOfMode) }),
	report.Define(column{Key: "peak_percent", Path: "peak_percent", Title: "Predicted peak", Kind: report.Percent, In: all, Doc: "of the GPU while its waves are full, 0..100"}, func(p *predict.Prediction) cell { return report.OptPercent(unit.NonZero(p.Peak)) }),
	report.Define(column{Key: "average_percent", Path: "average_percent", Title: "Predicted average", Kind: report.Percent, In: all, Doc: "of the GPU over all waves, each as long as a full one, 0..100"},
		grid(func(p *predict.Prediction) cell { return report.RatioCell(p.Average) })),

	report.Define(column{Path: "average_high_percent", Kind: report.Percent, Doc: "where a partial last wave takes as much less time as it has fewer threads; average_percent where there is none"},
		grid(func(p *predict.Prediction) cell { return report.RatioCell(p.AverageHigh) })),

	report.Define(column{Key: "waves", Path: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, Drop: 6, In: all, Doc: "with its fraction"}, grid(func(p *predict.Prediction) cell { return report.NumCell(report.Number, p.Waves) })),
	report.Define(column{Key: "tail_percent", Path: "tail_percent", Title: "Last-wave occupancy", Kind: report.Percent, Drop: 7, In: all, Doc: "occupancy of the last, partial wave; 0 when it is full"},
		grid(func(p *predict.Prediction) cell { return report.RatioCell(p.LastWaveOccupancy) })),

	report.Define(column{Key: "limits", Path: "limits", Always: true, Title: "Limited by", Kind: report.Array, In: all, Doc: "why the prediction is not higher"}, func(p *predict.Prediction) cell { return report.ListCell(p.Limits.Names()) }),
	report.Define(column{Path: "work_group_size", Always: true, Kind: report.Integer}, func(p *predict.Prediction) cell { return report.IntCell(p.GroupSize) }),
	report.Define(column{Path: "slm_bytes_allocated", Always: true, Kind: report.Integer}, func(p *predict.Prediction) cell { return report.IntCell(p.SLMAllocated) }),
	report.Define(column{Path: "xe_core_limits", Always: true, Kind: report.Array}, func(p *predict.Prediction) cell { return report.ListCell(p.XeCoreLimits.Names()) }),
	report.Define(column{Path: "idle_lanes_per_work_group", Always: true, Kind: report.Integer}, func(p *predict.Prediction) cell { return report.IntCell(p.IdleLanes) }),
	report.Define(column{Path: "partial_work_groups", Always: true, Kind: report.Bool}, func(p *predict.Prediction) cell { return report.BoolCell(p.Partial) }),
}

// KernelPrediction are columns of a prediction as a table of kernels has them.
var KernelPrediction = picked(
	column{Path: "policy", Key: "predicted_policy", Group: "Predicted", Title: "policy", In: kept},
	column{Path: "threads_per_work_group", Key: "threads_per_work_group", In: kept},
	column{Path: "work_groups", Key: "work_groups", In: kept},
	column{Path: "work_groups_per_xe_core", Key: "work_groups_per_xe_core", In: kept},
	column{Path: "limits", Key: "limits", In: files},
	column{Path: "xe_core_percent", Key: "predicted_xe_core_percent", Group: "Predicted", In: kept},
	column{Path: "peak_percent", Key: "predicted_peak_percent", Group: "Predicted", Title: "peak", Drop: 9, In: all},
	column{Path: "average_percent", Key: "predicted_average_percent", Group: "Predicted", Title: "average", Drop: 10, In: all},
	column{Path: "average_high_percent", Key: "predicted_average_high_percent", Group: "Predicted", Title: "to", Drop: 7, In: all},
	column{Path: "waves", Key: "waves", In: kept},
	column{Path: "tail_percent", Key: "tail_percent", Title: "Last-wave occupancy", In: kept})

// picked returns columns of a prediction in this order: what a column says is
// found by its path, and how it is called and where it appears is the list's
// matter.
func picked(as ...report.Column) []report.Col[predict.Prediction] {
	return report.ListOf(as, func(c report.Column) report.Col[predict.Prediction] {
		of := predictionColumns[slices.IndexFunc(predictionColumns, func(p report.Col[predict.Prediction]) bool { return p.Path == c.Path })]
		c.Title, c.Doc = cmp.Or(c.Title, of.Title), of.Doc
		c.Kind, c.Decimals, c.Always = of.Kind, of.Decimals, of.Always
		return report.Define(c, of.Of)
	})
}

// limit is the work-groups that a resource admits, absent where it sets no
// limit.
func limit(n int64) cell {
	if n == predict.Unlimited {
		return cell{}
	}
	return report.IntCell(n)
}

// grid is for cells that need the number of work-groups.
func grid(of func(*predict.Prediction) cell) func(*predict.Prediction) cell {
	return func(p *predict.Prediction) cell {
		if !p.HasGrid() {
			return cell{}
		}
		return of(p)
	}
}

// stepColumns are a line of a reasoning.
var stepColumns = []report.Col[predict.Step]{
	report.Define(column{Key: "step", Path: "step", Always: true, Title: "Step", Kind: report.Text, In: all}, func(s *predict.Step) cell { return text(s.Label) }),
	report.Define(column{Key: "calculation", Path: "calculation", Always: true, Title: "Calculation", Kind: report.Text, Fold: true, Drop: 1, In: all}, func(s *predict.Step) cell { return text(s.Formula) }),
	report.Define(column{Key: "value", Path: "value", Always: true, Title: "Value", Kind: report.Text, In: all}, func(s *predict.Step) cell { return text(s.Value) }),
	report.Define(column{Path: "binds", Always: true, Kind: report.Bool}, func(s *predict.Step) cell { return report.BoolCell(s.Limiting) }),
	report.Define(column{Key: "binds", Title: "Limit", Kind: report.Text, In: all}, func(s *predict.Step) cell {
		if s.Limiting {
			return report.StatusCell("binds", report.Unsure)
		}
		return report.TextCell(" ")
	}),
}

// object is a part of a row that may be missing.
func object[R, P any](path, doc string, of func(*R) *P, cols []report.Col[P]) []report.Col[R] {
	there := report.Define(column{Path: path, Kind: report.Object, Doc: doc}, func(r *R) cell { return report.ObjectCell(of(r) != nil) })
	return append([]report.Col[R]{there}, report.Within("", path, of, cols)...)
}

// rows is a list of a row, for JSON.
func rows[R, P any](c column, of func(*R) []P, cols []report.Col[P]) report.Col[R] {
	c.Always, c.Kind, c.Of = true, report.Array, report.ColumnsOf(cols)
	return report.Define(c, func(r *R) cell { return report.RowsCell(report.NewTable("", "", of(r), cols)) })
}

// unpathed returns columns that JSON does not have.
func unpathed[R any](cols []report.Col[R]) []report.Col[R] {
	list := slices.Clone(cols)
	for i := range list {
		list[i].Path = ""
	}
	return list
}

// shown returns the columns with all but those of some keys in JSON alone;
// "peak_percent: Slots of the GPU" gives another heading.
func shown[R any](cols []report.Col[R], keys ...string) []report.Col[R] {
	list := slices.Clone(cols)
	for i := range list {
		c := &list[i].Column
		at := slices.IndexFunc(keys, func(key string) bool { return c.Key != "" && (key == c.Key || strings.HasPrefix(key, c.Key+": ")) })
		if at < 0 {
			c.Key, c.In = "", 0
		} else if _, title, own := strings.Cut(keys[at], ": "); own {
			c.Title, c.Brief = title, ""
		}
	}
	return list
}

// text is a text that is there, also where it is empty.
func text(s string) cell { return report.OptText(unit.Some(s)) }

// count is a count above 0, absent where nobody gave one.
func count[N ~int | ~int64](n N) cell { return report.OptInt(unit.NonZero(n)) }

// integers is a list of integers, which JSON has as such; for people they are
// words.
func integers[N ~int | ~int64](list []N) cell {
	return report.TextCell(strings.Join(report.ListOf(list, func(n N) string { return strconv.FormatInt(int64(n), 10) }), "x"))
}
