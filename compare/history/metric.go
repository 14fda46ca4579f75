package history

import (
	"cmp"
	"fmt"

	"occudiff/ingest/unit"
)

// Metric is a number of a kernel that is followed over time: the name of a column of occudiff_kernel.
type Metric string

// The metrics that the program asks for by name.
const (
	// Occupancy is read as Measured with Loaded beside it; whoever reads it says which counts.
	Occupancy Metric = "occupancy"
	Measured  Metric = "measured" // measured occupancy in percent
	Residual  Metric = "residual" // measured - predicted average, in points
	Loaded    Metric = "loaded"   // occupancy while loaded, in percent
	Seconds   Metric = "seconds"  // average time of a launch
	Total     Metric = "total"    // time of all launches; stored, and not followed
	Peak      Metric = "peak"     // predicted peak in percent
	Spill     Metric = "spill"    // spilled registers of a thread in bytes
	// The parts of the account that a prediction does not have, in points of all thread slots.
	Underfilled Metric = "underfilled"
	Empty       Metric = "empty"
	Shortfall   Metric = "shortfall" // both, where the array state does not tell them apart
)

// column is a metric as it is stored: a nullable number of each kernel of a run, in the metric's unit. Everything that
// stores, reads, imports or exports numbers goes by the list of them.
type column struct {
	Metric
	unit, title string
	traits      trait
}

// trait is what is particular of a metric.
type trait uint8

const (
	part  trait = 1 << iota // a change of it says what a change of occupancy is about
	exact                   // known without a measurement: it has no noise
	waste                   // more of it is worse
	aside                   // it is not followed by itself
)

// columns are the metrics in the order of the table. Another one makes another schema.
var columns = [...]column{
	{Measured, "%", "Measured occupancy", part},
	{Residual, "points", "Residual (measured - predicted average)", part},
	{Loaded, "%", "Occupancy while loaded", part},
	{Seconds, "s", "Time per launch", part | waste},
	{Underfilled, "points", "Slots of underfilled XVEs", part | waste},
	{Empty, "points", "Slots of empty XVEs", part | waste},
	{Shortfall, "points", "Slots below the prediction", part | waste},
	{Peak, "%", "Predicted peak", exact},
	{Spill, "bytes", "Spill of a thread", exact | waste},
	{Total, "s", "Time of all launches", waste | aside},
}

// Values are the numbers of a kernel in a run, one for each column; what was not measured or predicted is absent.
type Values [len(columns)]unit.Opt[float64]

// Of gives the value of a metric, of Occupancy the measured one.
func (v *Values) Of(m Metric) unit.Opt[float64] {
	if i := m.index(); i >= 0 {
		return v[i]
	}
	return unit.Opt[float64]{}
}

// Set sets the value of a metric that is stored.
func (v *Values) Set(m Metric, x unit.Opt[float64]) { v[m.index()] = x }

// index gives the place of a metric among the columns, -1 where it is none. Occupancy is read by way of Measured.
func (m Metric) index() int {
	if m == Occupancy {
		m = Measured
	}
	for i := range columns {
		if columns[i].Metric == m {
			return i
		}
	}
	return -1
}

// known is the column of a metric, an empty one where there is none.
func (m Metric) known() column {
	switch i := m.index(); {
	case m == Occupancy:
		return column{Occupancy, "%", "Occupancy", 0}
	case i >= 0:
		return columns[i]
	}
	return column{}
}

// Metrics lists the names of all metrics that are stored and can be followed, Followed those that can be asked for.
func Metrics() []Metric  { return metrics(func(c *column) bool { return c.traits&aside == 0 }) }
func Followed() []Metric { return append([]Metric{Occupancy}, Metrics()...) }

// Parts lists the metrics that say what a change of occupancy is about.
func Parts() []Metric { return metrics(func(c *column) bool { return c.traits&part != 0 }) }

func metrics(wanted func(*column) bool) (list []Metric) {
	for i := range columns {
		if wanted(&columns[i]) {
			list = append(list, columns[i].Metric)
		}
	}
	return list
}

// ParseMetric reads the name of a metric that can be followed.
func ParseMetric(text string) (Metric, error) {
	var names []string
	for _, m := range Followed() {
		if string(m) == text {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("metric %q is not known; use %s", text, unit.Listed(names, "or"))
}

// Unit gives the unit of the metric's points: "%", "points", "s" or "bytes".
func (m Metric) Unit() string { return m.known().unit }

// Exact says whether the metric's values are known without a measurement, so that they have no noise.
func (m Metric) Exact() bool { return m.known().traits&exact != 0 }

// IsWaste says whether more of the metric is worse.
func (m Metric) IsWaste() bool { return m.known().traits&waste != 0 }

// Title says in words what the metric is.
func (m Metric) Title() string { return cmp.Or(m.known().title, string(m)) }

// In says whether a row has a value of the metric.
func (m Metric) In(r *Row) bool { return r.Values.Of(m).Present() }
