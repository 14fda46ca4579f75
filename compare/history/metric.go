package history

import (
	"cmp"
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// Metric is a number of a row that is followed over time.
type Metric string

// The metrics that the program asks for by name.
const (
	// Occupancy is read as Measured with Loaded beside it; whoever reads it says which counts.
	Occupancy Metric = "occupancy"
	Measured  Metric = "measured" // measured occupancy in percent
	Residual  Metric = "residual" // measured - predicted average, in points
	Loaded    Metric = "loaded"   // occupancy while loaded, in percent
	Seconds   Metric = "seconds"  // average time of a launch
	Peak      Metric = "peak"     // predicted peak in percent
	Spill     Metric = "spill"    // spilled registers of a thread in bytes
	// The parts of the account that a prediction does not have, in points of all thread slots.
	Underfilled Metric = "underfilled"
	Empty       Metric = "empty"
	Shortfall   Metric = "shortfall" // both, where the array state does not tell them apart
)

// number is a numeric column of occudiff_kernel. Everything that stores, reads or checks numbers goes by the table of
// them: a new one takes a migration that adds the column, and a line in the table. With a metric it can be followed
// over time.
type number struct {
	column string
	what   string // in messages
	beside string // another column, which is read with it
	get    func(*Row) (float64, bool)
	set    func(*Row, float64)

	metric Metric
	unit   string // of the metric's points; "%" turns the stored ratio into a percentage
	title  string // the metric in words
	traits trait
}

// trait is what is particular of a metric.
type trait uint8

const (
	part  trait = 1 << iota // a change of it says what a change of occupancy is about
	exact                   // known without a measurement: it has no noise
	waste                   // more of it is worse
)

// numbers are the numeric columns, but for the number of launches, which is an integer.
var numbers = []number{
	column("measured", "the measured occupancy", func(r *Row) *unit.Opt[unit.Ratio] { return &r.Measured }).
		followed(Measured, "%", "Measured occupancy", part),
	column("residual", "the residual", func(r *Row) *unit.Opt[unit.Points] { return &r.Residual }).
		followed(Residual, "points", "Residual (measured - predicted average)", part),
	column("loaded", "the loaded occupancy", func(r *Row) *unit.Opt[unit.Ratio] { return &r.Loaded }).
		followed(Loaded, "%", "Occupancy while loaded", part),
	column("average_seconds", "the average time", func(r *Row) *unit.Opt[unit.Seconds] { return &r.Average }).
		followed(Seconds, "s", "Time per launch", part),
	column("underfilled", "the part of underfilled XVEs",
		func(r *Row) *unit.Opt[unit.Points] { return &r.Underfilled }).
		followed(Underfilled, "points", "Slots of underfilled XVEs", part|waste),
	column("empty", "the part of empty XVEs", func(r *Row) *unit.Opt[unit.Points] { return &r.Empty }).
		followed(Empty, "points", "Slots of empty XVEs", part|waste),
	column("shortfall", "the shortfall", func(r *Row) *unit.Opt[unit.Points] { return &r.Shortfall }).
		followed(Shortfall, "points", "Slots below the prediction", part|waste),
	column("total_seconds", "the total time", func(r *Row) *unit.Opt[unit.Seconds] { return &r.Total }),
	column("predicted_peak", "the predicted peak", func(r *Row) *unit.Opt[unit.Ratio] { return &r.PredictedPeak }).
		followed(Peak, "%", "Predicted peak", exact),
	column("predicted_average", "the predicted average",
		func(r *Row) *unit.Opt[unit.Ratio] { return &r.PredictedAverage }),
	column("profiler_peak", "the profiler's peak", func(r *Row) *unit.Opt[unit.Ratio] { return &r.ProfilerPeak }),
	column("model_residual", "the model's residual", func(r *Row) *unit.Opt[unit.Points] { return &r.ModelResidual }),
	column("spill", "the spilled bytes", func(r *Row) *unit.Opt[float64] { return &r.Spill }).
		followed(Spill, "bytes", "Spill of a thread", exact|waste),
}

// column is a number that lives in a field of a row.
func column[T ~float64](name, what string, field func(*Row) *unit.Opt[T]) number {
	return number{column: name, what: what,
		get: func(r *Row) (float64, bool) { v, ok := field(r).Value(); return float64(v), ok },
		set: func(r *Row, v float64) { *field(r) = unit.Some(T(v)) }}
}

// followed makes a metric of a number.
func (n number) followed(m Metric, unit, title string, traits trait) number {
	n.metric, n.unit, n.title, n.traits = m, unit, title, traits
	return n
}

// columns lists the names of the numeric columns, each behind a prefix.
func columns(prefix string) string {
	var b strings.Builder
	for i := range numbers {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix + numbers[i].column)
	}
	return b.String()
}

// value gives the number for the database, nil when it is absent.
func (n *number) value(r *Row) any {
	if v, ok := n.get(r); ok {
		return v
	}
	return nil
}

// selected names what is read of a point.
func (n *number) selected(prefix string) string {
	if n.beside == "" {
		return prefix + n.column + ", NULL"
	}
	return prefix + n.column + ", " + prefix + n.beside
}

// point turns a stored number into the metric's unit, stored turns it back.
func (n *number) point(stored float64) float64 {
	if n.unit == "%" {
		return unit.Ratio(stored).Percent()
	}
	return stored
}

func (n *number) stored(point float64) float64 {
	if n.unit == "%" {
		return float64(unit.FromPercent(point))
	}
	return point
}

// Metrics lists the names of all metrics that are stored.
func Metrics() []Metric { return metrics(func(*number) bool { return true }) }

// Followed lists the names of all metrics that can be followed.
func Followed() []Metric { return append([]Metric{Occupancy}, Metrics()...) }

// Parts lists the metrics that say what a change of occupancy is about.
func Parts() []Metric { return metrics(func(n *number) bool { return n.traits&part != 0 }) }

func metrics(wanted func(*number) bool) []Metric {
	var list []Metric
	for i := range numbers {
		if n := &numbers[i]; n.metric != "" && wanted(n) {
			list = append(list, n.metric)
		}
	}
	return list
}

// ParseMetric reads a metric's name.
func ParseMetric(text string) (Metric, error) {
	_, err := Metric(text).number()
	return Metric(text), err
}

// number gives the column of a metric.
func (m Metric) number() (*number, error) {
	if m == Occupancy {
		n := Measured.known().followed(m, "%", "Occupancy", 0)
		n.beside = "loaded"
		return &n, nil
	}
	for i := range numbers {
		if n := &numbers[i]; n.metric == m && m != "" {
			return n, nil
		}
	}
	var names []string
	for _, name := range Followed() {
		names = append(names, string(name))
	}
	return nil, fmt.Errorf("metric %q is not known; use %s", m, unit.Listed(names, "or"))
}

// known is the column of a metric, an empty one where there is none.
func (m Metric) known() number {
	if n, err := m.number(); err == nil {
		return *n
	}
	return number{}
}

// Unit gives the unit of the metric's points: "%", "points" or "s".
func (m Metric) Unit() string {
	return m.known().unit
}

// Exact says whether the metric's values are known without a measurement, so that they have no noise.
func (m Metric) Exact() bool {
	return m.known().traits&exact != 0
}

// IsWaste says whether more of the metric is worse.
func (m Metric) IsWaste() bool {
	n := m.known()
	return n.traits&waste != 0 || n.unit == "s"
}

// Title says in words what the metric is.
func (m Metric) Title() string {
	return cmp.Or(m.known().title, string(m))
}

// In says whether a row has a value of the metric.
func (m Metric) In(r *Row) bool {
	n, err := m.number()
	if err != nil {
		return false
	}
	_, ok := n.get(r)
	return ok
}
