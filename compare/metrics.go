package compare

import (
	"slices"

	"occudiff/ingest/unit"
)

// Metric is a figure of a row that is held against other runs: by a diff, by many runs side by side, and by a history,
// which stores it under its name.
type Metric struct {
	Name string // stable
	Unit string // "%", "points", "s" or "bytes"
	// Sampled is set for what counters say: in a row that is unmeasurable it is not that of the kernel.
	Sampled bool
	Of      func(*Row) unit.Opt[float64]
}

// The names of the metrics that somebody asks for by name.
const (
	MetricMeasured       = "measured"
	MetricResidual       = "residual"        // measured - predicted average
	MetricLoaded         = "loaded"          // occupancy of XVEs that ran
	MetricLoadedResidual = "loaded_residual" // that - the predicted one
	MetricIdle           = "idle"
	MetricPredicted      = "predicted" // average
	MetricTime           = "seconds"   // of a launch
	MetricTotal          = "total"     // of all launches
)

// metrics is the list. Whoever goes by it takes what it needs: not all of them are stored, and not all are tested.
var metrics = append([]Metric{
	{MetricMeasured, "%", true, func(r *Row) unit.Opt[float64] { return percentOf(r.Measured) }},
	{MetricResidual, "points", true, predicted(func(r *Row) unit.Opt[float64] { return minus(r.Measured, r.Predicted.Average) })},
	{MetricLoaded, "%", true, func(r *Row) unit.Opt[float64] { return percentOf(r.BusyOccupancy) }},
	{MetricLoadedResidual, "points", true, predicted(func(r *Row) unit.Opt[float64] { return minus(r.BusyOccupancy, r.XVEs.Low.Loaded) })},
	{MetricIdle, "%", true, func(r *Row) unit.Opt[float64] { return percentOf(r.Idle) }},
	{MetricPredicted, "%", false, predicted(func(r *Row) unit.Opt[float64] { return unit.Some(r.Predicted.Average.Percent()) })},
	{"peak", "%", false, predicted(func(r *Row) unit.Opt[float64] {
		return unit.Maybe(r.Predicted.Peak.Percent(), r.Predicted.HasGrid())
	})},
	{MetricTime, "s", false, func(r *Row) unit.Opt[float64] { return plain(r.Average()) }},
	{MetricTotal, "s", false, func(r *Row) unit.Opt[float64] { return plain(r.Total) }},
	{"spill", "bytes", false, func(r *Row) unit.Opt[float64] { return plain(r.Spill) }},
}, partMetrics()...)

// Metrics lists the metrics. Their order is fixed.
func Metrics() []Metric { return metrics }

// MetricNamed gives the place of a metric in Metrics, -1 for none.
func MetricNamed(name string) int {
	return slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
}

// partMetrics are the parts of the account, in points of all thread slots.
func partMetrics() (list []Metric) {
	for _, p := range parts {
		list = append(list, Metric{string(p), "points", true, func(r *Row) unit.Opt[float64] { return plain(r.Account.Points(p)) }})
	}
	return list
}

// predicted is a figure that rows without a prediction do not have.
func predicted(of func(*Row) unit.Opt[float64]) func(*Row) unit.Opt[float64] {
	return func(r *Row) unit.Opt[float64] {
		if r.Predicted == nil {
			return unit.Opt[float64]{}
		}
		return of(r)
	}
}

func plain[T ~float64 | ~int64](o unit.Opt[T]) unit.Opt[float64] {
	v, ok := o.Value()
	return unit.Maybe(float64(v), ok)
}

func percentOf(o unit.Opt[unit.Ratio]) unit.Opt[float64] {
	v, ok := o.Value()
	return unit.Maybe(v.Percent(), ok)
}

func minus(o unit.Opt[unit.Ratio], predicted unit.Ratio) unit.Opt[float64] {
	v, ok := o.Value()
	return unit.Maybe(float64(v.Minus(predicted)), ok)
}
