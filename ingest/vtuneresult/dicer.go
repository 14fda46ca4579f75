//go:build !js

package vtuneresult

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // for database/sql
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// dicer reads the launches from a finalized result's tables. Their columns
// depend on the version: it checks for the required ones, and the others may be
// missing.
func (a *adapter) dicer(database string) error {
	file, done, err := a.onDisk(database)
	if err != nil {
		return err
	}
	defer done()
	// A copied folder may be read-only, and no other process uses its database.
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=ro&immutable=1"}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return err
	}
	defer db.Close()
	query, err := a.query(db)
	if err != nil {
		return err
	}
	row := 0
	return a.eachRow(db, query, func(rows *sql.Rows) error {
		var start, end, queue, simd, slm sql.NullInt64
		var name, global, local sql.NullString
		if err := rows.Scan(&start, &end, &name, &global, &local, &simd, &slm, &queue); err != nil {
			return err
		}
		if len(a.launches) == maxLaunches {
			return fmt.Errorf("more than %s launches", unit.Thousands(maxLaunches))
		}
		row++
		// A launch without an end is useless.
		if end.Int64 <= start.Int64 || !name.Valid {
			return nil
		}
		key := ingest.Key{Task: name.String, SIMD: int(simd.Int64)}
		key.Global, _ = unit.ParseSize(global.String)
		// A task without a global size is a copy or fill, which must not become
		// a kernel.
		if key.Local, _ = unit.ParseSize(local.String); !key.Global.Present() {
			key.Local, key.SIMD = ingest.Size3{}, 0
		}
		for i := range min(key.Global.Rank(), key.Local.Rank()) {
			if n := key.Local.Dim(i); n <= 0 || key.Global.Dim(i)%n != 0 {
				return note.Errorf(codeContradiction, a.fs.pos(database), tableHint,
					"record %d of gpu_compute_task_data: work-groups of %v do not make up a global size of %v",
					row, key.Local, key.Global)
			}
		}
		bytes := unit.Opt[unit.Bytes]{}
		if slm.Valid && key.Global.Present() {
			bytes = unit.Some(unit.Bytes(slm.Int64))
		}
		a.launches = append(a.launches, launch{start: a.clock.of(uint64(start.Int64)),
			end: a.clock.of(uint64(end.Int64)), task: a.tasks.number(key, bytes), queue: uint32(queue.Int64)})
		return nil
	})
}

// eachRow calls a function for each row in a query.
func (a *adapter) eachRow(db *sql.DB, query string, each func(*sql.Rows) error) error {
	rows, err := db.QueryContext(a.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// onDisk returns a file that SQLite can open. SQLite does not read streams, so
// a file in an archive is copied to the disk.
func (a *adapter) onDisk(name string) (file string, done func(), err error) {
	done = func() {}
	if !a.fs.Archive {
		file, err = filepath.Abs(filepath.Join(a.fs.Path, filepath.FromSlash(name)))
		return file, done, err
	}
	in, err := a.fs.Open(name)
	if err != nil {
		return "", done, err
	}
	defer in.Close()
	out, err := os.CreateTemp("", "occudiff-dicer-")
	if err != nil {
		return "", done, err
	}
	done = func() { os.Remove(out.Name()) }
	_, err = io.Copy(out, in)
	return out.Name(), done, errors.Join(err, out.Close())
}

// query returns a query for the columns that exist in the tables or views. The
// columns are from VTune 2020.3, 2022.4, 2023.0, and 2025.0. References are
// rowids. It uses pragma_table_info, because sqlite_master does not list the
// view columns.
func (a *adapter) query(db *sql.DB) (string, error) {
	has := map[string]bool{}
	err := a.eachRow(db, "SELECT t.column1 || '.' || c.name FROM (VALUES ('gpu_compute_task_data'), "+
		"('dd_compute_task'), ('dd_compute_task_type')) t, pragma_table_info(t.column1) c", func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		has[name] = true
		return err
	})
	if err != nil {
		return "", err
	}
	columns := []string{"gpu_compute_task_data.start_tsc", "gpu_compute_task_data.end_tsc", "dd_compute_task_type.name"}
	for _, need := range append(columns, "gpu_compute_task_data.attr", "dd_compute_task.type") {
		if !has[need] {
			return "", fmt.Errorf("it has no %s", need)
		}
	}
	for _, wanted := range []string{"dd_compute_task_type.global_dim_str", "dd_compute_task_type.local_dim_str",
		"dd_compute_task_type.simd_width", "dd_compute_task_type.local_mem_size", "dd_compute_task.queue"} {
		if !has[wanted] {
			wanted = "NULL"
		}
		columns = append(columns, wanted)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM gpu_compute_task_data " +
		"JOIN dd_compute_task ON gpu_compute_task_data.attr = dd_compute_task.rowid " +
		"JOIN dd_compute_task_type ON dd_compute_task.type = dd_compute_task_type.rowid ORDER BY 1, 2", nil
}
