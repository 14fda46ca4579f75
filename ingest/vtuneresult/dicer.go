//go:build !js

package vtuneresult

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // for database/sql

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// dicer takes the launches from the tables of a finalized result, false when there are none. Their columns differ from
// version to version: those that must be there are looked for, the others may be missing.
func (a *adapter) dicer() (found bool, err error) {
	name := path.Join(a.dir, "sqlite-db", "dicer.db")
	if info, err := fs.Stat(a.fs, name); err != nil || info.Size() == 0 {
		return false, nil
	}
	file, done, err := a.onDisk(name)
	if err != nil {
		return false, err
	}
	defer done()
	// A folder that was copied may not be written to, and its database is not in use.
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=ro&immutable=1"}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return false, err
	}
	defer db.Close()
	query, err := a.query(db)
	if err != nil {
		return false, err
	}
	rows, err := db.QueryContext(a.ctx, query)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var start, end, queue, simd, slm sql.NullInt64
		var name, global, local sql.NullString
		if err := rows.Scan(&start, &end, &name, &global, &local, &simd, &slm, &queue); err != nil {
			return false, err
		}
		if len(a.launches) == maxLaunches {
			return false, fmt.Errorf("more than %s launches", unit.Thousands(maxLaunches))
		}
		if end.Int64 <= start.Int64 || !name.Valid {
			continue
		}
		key := ingest.Key{Task: name.String, SIMD: int(simd.Int64)}
		key.Global, _ = unit.ParseSize(global.String)
		if key.Local, _ = unit.ParseSize(local.String); !key.Global.Present() {
			key.Local, key.SIMD = ingest.Size3{}, 0
		}
		bytes := unit.Opt[unit.Bytes]{}
		if slm.Valid && key.Global.Present() {
			bytes = unit.Some(unit.Bytes(slm.Int64))
		}
		a.launches = append(a.launches, launch{start: a.clock.of(uint64(start.Int64)),
			end: a.clock.of(uint64(end.Int64)), task: a.tasks.number(key, bytes), queue: uint32(queue.Int64)})
	}
	return len(a.launches) > 0, rows.Err()
}

// onDisk gives a file that SQLite can open.
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

// query composes what is asked from the columns that are there.
func (a *adapter) query(db *sql.DB) (string, error) {
	columns := map[string][]string{}
	for _, table := range []string{"gpu_compute_task_data", "dd_compute_task", "dd_compute_task_type"} {
		rows, err := db.QueryContext(a.ctx, "SELECT name FROM pragma_table_info('"+table+"')") // views too
		if err != nil {
			return "", err
		}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return "", errors.Join(err, rows.Close())
			}
			columns[table] = append(columns[table], name)
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	for _, need := range []string{"gpu_compute_task_data.start_tsc", "gpu_compute_task_data.end_tsc",
		"gpu_compute_task_data.attr", "dd_compute_task.type", "dd_compute_task_type.name"} {
		if table, column, _ := strings.Cut(need, "."); !slices.Contains(columns[table], column) {
			return "", fmt.Errorf("it has no %s", need)
		}
	}
	maybe := func(alias, table, column string) string {
		if slices.Contains(columns[table], column) {
			return alias + "." + column
		}
		return "NULL"
	}
	const types = "dd_compute_task_type"
	return "SELECT g.start_tsc, g.end_tsc, t.name, " + strings.Join([]string{maybe("t", types, "global_dim_str"),
		maybe("t", types, "local_dim_str"), maybe("t", types, "simd_width"), maybe("t", types, "local_mem_size"),
		maybe("k", "dd_compute_task", "queue")}, ", ") + " FROM gpu_compute_task_data g JOIN dd_compute_task k " +
		"ON g.attr = k.rowid JOIN dd_compute_task_type t ON k.type = t.rowid ORDER BY g.start_tsc, g.end_tsc", nil
}
