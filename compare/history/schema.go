package history

import (
	"context"
	"fmt"
	"strings"
)

// schema is the number of the one schema that this program knows. A history of another number is refused, and stays as
// it is: nobody knows what its columns mean. It goes up with every change of a table, columns of metrics included.
const schema = 6

// statements make the tables. {id}, {clustered} and {metrics} stand for what the engines spell differently, and for the
// columns of the metrics.
//
// A row of occudiff_kernel repeats its run's time: the key then holds a series together in the order of time, which is
// how it is read. Identities are digests, since a task's name may be longer than an index entry: of the whole key, of
// the key without its program, under which a run that does not name one finds its series, and of what does not move in
// its name.
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
		run_id BIGINT NOT NULL, series_id BIGINT NOT NULL, time BIGINT NOT NULL, note TEXT NOT NULL)`,
	`CREATE TABLE occudiff_rename (
		id {id}, old_name TEXT NOT NULL, new_name TEXT NOT NULL, run_id BIGINT NOT NULL, time BIGINT NOT NULL)`,
}

// columnNames lists the columns of the metrics, each between two texts.
func columnNames(before, behind string) string {
	var b strings.Builder
	for i := range columns {
		b.WriteString(before + string(columns[i].Metric) + behind)
	}
	return b.String()
}

// known says whether the history is one that this program reads: false of one that has to be made first, an error of
// any other.
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
		return false, fmt.Errorf("%w: %s has no tables of occudiff; 'occudiff track add' makes them, --db names another"+
			" history", errMissing, d.engine.where)
	case ours > 0 && version < 1:
		return false, d.damaged(fmt.Sprintf("it has schema %d, which no program makes", version))
	case ours > 0 && version != schema:
		return false, fmt.Errorf("%w: %s has schema %d, and this program works with %d; nothing was changed: "+
			"use the occudiff that made it, or name another history with --db", errOther, d.engine.where,
			version, schema)
	}
	return ours > 0, nil
}

// create makes the tables, in one transaction. Two processes may come here at once: the second finds the work done.
func (d *DB) create(ctx context.Context) error {
	spell := strings.NewReplacer("{id}", d.engine.id, "{clustered}", d.engine.clustered,
		"{metrics}", columnNames("", " DOUBLE PRECISION, "))
	return d.write(ctx, "opening the history "+d.engine.where, func(w *writing) {
		w.exec(`CREATE TABLE IF NOT EXISTS occudiff_meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL)`)
		// The second of two finds the row of the first.
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
