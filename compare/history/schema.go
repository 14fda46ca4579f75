package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// migrations bring the schema from version i to i+1. They only ever get longer: what was released is not edited, and
// nothing that was stored is dropped. {id} and {clustered} stand for what the engines spell differently.
//
// A row of occudiff_kernel repeats its run's time: the key then holds a series together in the order of time, which is
// how it is read. Identities are digests, since a task's name may be longer than an index entry.
func migrations() [][]string {
	return [][]string{{
		`CREATE TABLE occudiff_run (
			id {id},
			time BIGINT NOT NULL,
			label TEXT NOT NULL, host TEXT NOT NULL, job TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL,
			vtune TEXT NOT NULL, commit_id TEXT NOT NULL,
			kernels BIGINT NOT NULL)`,
		`CREATE INDEX occudiff_run_time ON occudiff_run (time, id)`,
		`CREATE TABLE occudiff_input (
			run_id BIGINT NOT NULL, position BIGINT NOT NULL,
			path TEXT NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL,
			data_rows BIGINT NOT NULL, bad_rows BIGINT NOT NULL, carries BIGINT NOT NULL,
			PRIMARY KEY (run_id, position))`,
		`CREATE TABLE occudiff_content (digest TEXT PRIMARY KEY, run_id BIGINT NOT NULL)`,
		`CREATE INDEX occudiff_content_run ON occudiff_content (run_id)`,
		`CREATE TABLE occudiff_series (
			id {id},
			identity TEXT NOT NULL UNIQUE, task_identity TEXT NOT NULL,
			task TEXT NOT NULL, global_size TEXT NOT NULL, local_size TEXT NOT NULL, simd BIGINT NOT NULL,
			direction TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL)`,
		`CREATE INDEX occudiff_series_task ON occudiff_series (task_identity)`,
		`CREATE TABLE occudiff_kernel (
			series_id BIGINT NOT NULL, time BIGINT NOT NULL, run_id BIGINT NOT NULL,
			measured DOUBLE PRECISION, residual DOUBLE PRECISION, loaded DOUBLE PRECISION,
			average_seconds DOUBLE PRECISION, total_seconds DOUBLE PRECISION, instances BIGINT,
			predicted_peak DOUBLE PRECISION, predicted_average DOUBLE PRECISION, profiler_peak DOUBLE PRECISION,
			model_residual DOUBLE PRECISION,
			verdict TEXT NOT NULL, basis TEXT NOT NULL, cause TEXT NOT NULL, confidence TEXT NOT NULL,
			position BIGINT NOT NULL,
			PRIMARY KEY (series_id, time, run_id)){clustered}`,
		`CREATE INDEX occudiff_kernel_run ON occudiff_kernel (run_id)`,
	}, {
		`ALTER TABLE occudiff_run ADD COLUMN program TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE occudiff_run ADD COLUMN frequency DOUBLE PRECISION`,
		`ALTER TABLE occudiff_series ADD COLUMN program TEXT NOT NULL DEFAULT ''`,
		// The identity without the program, under which a run that does not name one finds its series.
		`ALTER TABLE occudiff_series ADD COLUMN kernel_identity TEXT NOT NULL DEFAULT ''`,
		`UPDATE occudiff_series SET kernel_identity = identity`,
		`CREATE INDEX occudiff_series_kernel ON occudiff_series (kernel_identity)`,
	}, {
		`ALTER TABLE occudiff_kernel ADD COLUMN spill DOUBLE PRECISION`,
	}, {
		`ALTER TABLE occudiff_kernel ADD COLUMN underfilled DOUBLE PRECISION`,
		`ALTER TABLE occudiff_kernel ADD COLUMN empty DOUBLE PRECISION`,
		`ALTER TABLE occudiff_kernel ADD COLUMN shortfall DOUBLE PRECISION`,
	}, {
		// The digests of contents were of files alone until here. Now they are of a file and what was said of its run.
		`ALTER TABLE occudiff_run ADD COLUMN branch TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE occudiff_input ADD COLUMN content TEXT NOT NULL DEFAULT ''`,
		`CREATE TABLE occudiff_accept (
			id {id},
			run_id BIGINT NOT NULL, series_id BIGINT NOT NULL,
			time BIGINT NOT NULL, note TEXT NOT NULL)`,
		`CREATE TABLE occudiff_rename (
			id {id}, old_name TEXT NOT NULL, new_name TEXT NOT NULL, run_id BIGINT NOT NULL, time BIGINT NOT NULL)`,
		`ALTER TABLE occudiff_series ADD COLUMN stable_identity TEXT NOT NULL DEFAULT ''`,
		`CREATE INDEX occudiff_series_stable ON occudiff_series (stable_identity)`,
	}}
}

// version reads the schema's version: 0 when there is none yet, and whether other tables are there. In a transaction
// that will change it, lock keeps others from doing so.
func (d *DB) version(ctx context.Context, from interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, lock string) (version int, others bool, err error) {
	var ours, all int
	if err := from.QueryRowContext(ctx, d.engine.countTables).Scan(&ours, &all); err != nil {
		return 0, false, err
	}
	if ours == 0 {
		return 0, all > 0, nil
	}
	err = from.QueryRowContext(ctx, `SELECT value FROM occudiff_meta WHERE name = 'schema'`+lock).Scan(&version)
	switch {
	case err == sql.ErrNoRows:
		return 0, false, nil
	case err == nil && version < 0:
		err = d.damaged(fmt.Sprintf("it has schema %d, which no program makes", version))
	}
	return version, false, err
}

// migrate brings the schema up to date, in one transaction. Two processes may come here at once: the second finds the
// work done.
func (d *DB) migrate(ctx context.Context, steps [][]string, readOnly bool) error {
	doing := "opening the history " + d.engine.where
	version, others, err := d.version(ctx, d.sql, "")
	switch {
	case err != nil:
		return d.engine.explain(doing, err)
	case version > len(steps):
		return d.newer(version, len(steps))
	case version == len(steps):
		return nil
	case others && d.engine.ownFile:
		return fmt.Errorf("%w: %s is a database of another program: it has tables, but none of occudiff's; name"+
			" another file with --db", errNotHistory, d.engine.where)
	case readOnly:
		return fmt.Errorf("%w: the history %s has schema %d, this program works with %d, and the file cannot be"+
			" written; make it writable once, so that it can be brought up to date",
			errReadOnly, d.engine.where, version, len(steps))
	}
	// The version is read again within the transaction: another process may have brought the schema up to date since.
	return d.write(ctx, doing, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`CREATE TABLE IF NOT EXISTS occudiff_meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL)`,
			`INSERT INTO occudiff_meta (name, value) VALUES ('schema', 0) ON CONFLICT (name) DO NOTHING`,
		} {
			if err := d.exec(ctx, tx, statement); err != nil {
				return err
			}
		}
		version, _, err := d.version(ctx, tx, d.engine.forUpdate)
		if err != nil {
			return err
		}
		if version > len(steps) {
			return d.newer(version, len(steps))
		}
		spell := strings.NewReplacer("{id}", d.engine.id, "{clustered}", d.engine.clustered)
		for _, step := range steps[version:] {
			for _, statement := range step {
				if err := d.exec(ctx, tx, spell.Replace(statement)); err != nil {
					return err
				}
				d.at("migrated")
			}
		}
		if version < stableSchema && len(steps) >= stableSchema {
			if err := d.addStable(ctx, tx); err != nil {
				return err
			}
		}
		return d.exec(ctx, tx, `UPDATE occudiff_meta SET value = ? WHERE name = 'schema'`, len(steps))
	})
}

// stableSchema is the first schema in which series have stable identities.
const stableSchema = 5

// addStable gives the series of an older history their stable identities.
// It is done here and not in SQL, for what moves in a name is a rule of package symbol.
func (d *DB) addStable(ctx context.Context, tx *sql.Tx) error {
	stable := map[int64]string{}
	err := d.each(ctx, tx, `SELECT id, `+keyColumns+` FROM occudiff_series`, nil, func(rows *sql.Rows) error {
		var id int64
		k, err := scanKey(rows, &id)
		if identity := k.stableIdentity(); identity != "" {
			stable[id] = identity
		}
		return err
	})
	for id, identity := range stable {
		if err == nil {
			err = d.exec(ctx, tx, `UPDATE occudiff_series SET stable_identity = ? WHERE id = ?`, identity, id)
		}
	}
	return err
}

// newer is the error of a schema from the future.
func (d *DB) newer(found, known int) error {
	return fmt.Errorf("%w: the history %s has schema %d, this program knows up to %d; update occudiff, or name another"+
		" history with --db", errNewer, d.engine.where, found, known)
}
