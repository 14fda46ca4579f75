package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// schema is the number of the only schema that this program reads. A history
// with another number is rejected and not changed, because its columns may have
// another meaning. Every change to a table increases the number, including a
// new metric column.
const schema = 9

// statements create the tables. {id} and {clustered} are replaced by the
// spelling of the engine, and {metrics} by the metric columns.
//
// A row of occudiff_kernel repeats the time of its run, so that the table's key
// stores each series in time order, in which it is read. Series are identified
// by digests, because a task's name may be longer than an index entry. There
// are three digests: the whole key, the key without its program (which finds
// the series for a run without a program), and the stable parts of the key's
// name.
var statements = []string{
	`CREATE TABLE occudiff_run (
		id {id},
		time BIGINT NOT NULL, kernels BIGINT NOT NULL, frequency DOUBLE PRECISION,
		label TEXT NOT NULL, host TEXT NOT NULL, job TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL,
		vtune TEXT NOT NULL, commit_id TEXT NOT NULL, branch TEXT NOT NULL, program TEXT NOT NULL)`,
	`CREATE INDEX occudiff_run_time ON occudiff_run (time, id)`,
	`CREATE TABLE occudiff_input (
		run_id BIGINT NOT NULL, position BIGINT NOT NULL,
		path TEXT NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL,
		data_rows BIGINT NOT NULL, bad_rows BIGINT NOT NULL,
		PRIMARY KEY (run_id, position))`,
	`CREATE TABLE occudiff_content (digest TEXT PRIMARY KEY, run_id BIGINT NOT NULL)`,
	`CREATE INDEX occudiff_content_run ON occudiff_content (run_id)`,
	`CREATE TABLE occudiff_series (
		id {id},
		identity TEXT NOT NULL UNIQUE, kernel_identity TEXT NOT NULL, stable_identity TEXT NOT NULL,
		task TEXT NOT NULL, global_size TEXT NOT NULL, local_size TEXT NOT NULL, simd BIGINT NOT NULL,
		direction TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL, program TEXT NOT NULL)`,
	`CREATE INDEX occudiff_series_kernel ON occudiff_series (kernel_identity)`,
	`CREATE INDEX occudiff_series_stable ON occudiff_series (stable_identity)`,
	`CREATE TABLE occudiff_kernel (
		series_id BIGINT NOT NULL, time BIGINT NOT NULL, run_id BIGINT NOT NULL,
		{metrics}verdict TEXT NOT NULL, cause TEXT NOT NULL, position BIGINT NOT NULL,
		PRIMARY KEY (series_id, time, run_id)){clustered}`,
	`CREATE INDEX occudiff_kernel_run ON occudiff_kernel (run_id, time)`,
	`CREATE TABLE occudiff_accept (
		id {id},
		run_id BIGINT NOT NULL, series_id BIGINT NOT NULL, time BIGINT NOT NULL, note TEXT NOT NULL,
		noise BIGINT NOT NULL)`,
	`CREATE TABLE occudiff_rename (
		id {id}, old_name TEXT NOT NULL, new_name TEXT NOT NULL, run_id BIGINT NOT NULL, time BIGINT NOT NULL)`,
}

// columnNames returns the names of the metric columns, each with a prefix and a
// suffix.
func columnNames(before, behind string) string {
	var b strings.Builder
	for i := range columns {
		b.WriteString(before + string(columns[i].Metric) + behind)
	}
	return b.String()
}

// known reports whether the history has this program's tables. It returns false
// if the tables have to be created, and an error for other tables.
func (d *DB) known(ctx context.Context) (bool, error) {
	var ours, all, version int
	err := d.source().QueryRowContext(ctx, d.engine.countTables).Scan(&ours, &all)
	if err == nil && ours > 0 {
		err = d.source().QueryRowContext(ctx, `SELECT COALESCE(MAX(value), 0) FROM occudiff_meta WHERE name = 'schema'`).
			Scan(&version)
	}
	switch {
	case err != nil:
		return false, d.engine.explain("opening the history "+d.engine.where, err)
	case ours == 0 && all > 0 && !d.engine.server:
		return false, fmt.Errorf("%w: %s is a database of another program: it has tables, but none of occudiff's; name"+
			" another file with --db", errNotHistory, d.engine.where)
	case ours == 0 && (d.options.MustExist || d.options.ReadOnly):
		return false, fmt.Errorf(
			"%w: %s has no occudiff tables; create them with 'occudiff track add', or name another history with --db",
			errMissing, d.engine.where)
	case ours > 0 && version < 1:
		return false, d.damaged(fmt.Sprintf("it has schema %d, which no version of occudiff writes", version))
	case ours > 0 && version != schema:
		return false, fmt.Errorf("%w: %s has schema %d, but this program uses schema %d; nothing was changed: export "+
			"the runs with the occudiff version that made the history ('occudiff track export runs.csv'), and import "+
			"them with this version ('occudiff track import runs.csv --db NEW'); or name another history with "+
			"--db", errOther, d.engine.where, version, schema)
	}
	return ours > 0, nil
}

// create creates the tables in one transaction. If two processes do this at
// once, the second process finds the tables of the first.
func (d *DB) create(ctx context.Context) error {
	spell := strings.NewReplacer("{id}", d.engine.id, "{clustered}", d.engine.clustered,
		"{metrics}", columnNames("", " DOUBLE PRECISION, "))
	return d.write(ctx, "opening the history "+d.engine.where, func(w *writing) {
		w.exec(`CREATE TABLE IF NOT EXISTS occudiff_meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL)`)
		// The insert fails for the second process, because the first process
		// has inserted the row.
		if w.exec(fmt.Sprintf(`INSERT INTO occudiff_meta (name, value) VALUES ('schema', %d)
			ON CONFLICT (name) DO NOTHING`, schema)) == 0 {
			return
		}
		for _, statement := range statements {
			w.exec(spell.Replace(statement))
			w.at("made")
		}
	})
}

// Metric is a kernel value that is tracked over time: a column name in
// occudiff_kernel.
type Metric string

// The stored metrics, see compare.Metrics.
const (
	Measured   Metric = compare.MetricMeasured
	Residual   Metric = compare.MetricResidual
	Busy       Metric = compare.MetricBusy
	Seconds    Metric = compare.MetricTime
	Peak       Metric = compare.MetricPeak
	Spill      Metric = compare.MetricSpill
	Total      Metric = compare.MetricTotal      // not tracked
	Difference Metric = compare.MetricDifference // not tracked; it calibrates the prediction
	// Parts of the thread-slot breakdown that are lost compared with the
	// prediction.
	Underfilled = Metric(compare.PartUnderfilled)
	IdleXVEs    = Metric(compare.PartIdle)
	Shortfall   = Metric(compare.PartShortfall)
)

// column is a stored metric of compare.Metrics: a nullable number per kernel and
// run, in the metric's unit. Storing, reading, importing, and exporting use this
// list.
type column struct {
	Metric
	traits trait
}

// trait is a property of a metric.
type trait uint8

const (
	part        trait = 1 << iota // a change of the metric explains a change of occupancy
	exact                         // the value is known without a measurement, so it has no noise
	moreIsWorse                   // a higher value is worse
	untracked                     // the metric is stored for another purpose
)

// columns lists the metrics in table order. Adding a metric changes the schema.
var columns = [...]column{
	{Measured, part},
	{Residual, part},
	{Busy, part},
	{Seconds, part | moreIsWorse},
	{Underfilled, part | moreIsWorse},
	{IdleXVEs, part | moreIsWorse},
	{Shortfall, part | moreIsWorse},
	{Peak, exact},
	{Spill, exact | moreIsWorse},
	{Total, untracked},
	{Difference, untracked},
}

// Values contains a kernel's numbers in a run, one per column. A value that was
// not measured or predicted is absent.
type Values [len(columns)]unit.Opt[float64]

// Of returns a metric's value.
func (v *Values) Of(m Metric) unit.Opt[float64] { return v[m.index()] }

// Set sets the value of a stored metric.
func (v *Values) Set(m Metric, x unit.Opt[float64]) { v[m.index()] = x }

// index returns a metric's position among the columns, or -1.
func (m Metric) index() int {
	return slices.IndexFunc(columns[:], func(c column) bool { return c.Metric == m })
}

// info returns a metric's description.
func (m Metric) info() *compare.MetricInfo { return &compare.Metrics[compare.MetricNamed(string(m))] }

// ValuesOf returns the values of a compared row.
func ValuesOf(row *compare.Row) (v Values) {
	for i := range columns {
		v[i] = columns[i].info().Of(row)
	}
	return v
}

// Metrics returns the metrics that can be tracked.
func Metrics() []Metric { return metrics(func(c *column) bool { return c.traits&untracked == 0 }) }

// Parts returns the metrics that explain an occupancy change.
func Parts() []Metric { return metrics(func(c *column) bool { return c.traits&part != 0 }) }

func metrics(wanted func(*column) bool) (list []Metric) {
	for i := range columns {
		if wanted(&columns[i]) {
			list = append(list, columns[i].Metric)
		}
	}
	return list
}

// ParseMetric returns the metric with a name.
func ParseMetric(text string) (Metric, error) {
	var names []string
	for _, m := range Metrics() {
		if string(m) == text {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("metric %q is not known; use %s", text, unit.JoinWords(names, "or"))
}

// Unit returns the metric's unit: "%", "points", "s", or "bytes".
func (m Metric) Unit() string { return string(m.info().Unit) }

// Exact reports whether the metric's values are known without a measurement, so
// that they have no noise.
func (m Metric) Exact() bool { return columns[m.index()].traits&exact != 0 }

// IsWaste reports whether a higher value is worse.
func (m Metric) IsWaste() bool { return columns[m.index()].traits&moreIsWorse != 0 }

// Title returns the metric's display name.
func (m Metric) Title() string { return m.info().Title }
