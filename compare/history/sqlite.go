package history

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteHeader begins every SQLite file.
const sqliteHeader = "SQLite format 3\x00"

// openSQLite opens a file.
func openSQLite(ctx context.Context, path string, options Options) (*DB, error) {
	err := inspect(path, options)
	if err != nil {
		return nil, err
	}
	d := &DB{step: options.step, options: options, engine: engine{
		where: path, fault: sqliteFault, ownFile: true, batch: 50, orFail: " OR FAIL",
		id: "INTEGER PRIMARY KEY AUTOINCREMENT", clustered: " WITHOUT ROWID",
		countTables: `SELECT COUNT(CASE WHEN name = 'occudiff_meta' THEN 1 END), COUNT(*)
			FROM sqlite_master WHERE type = 'table'`,
	}}
	if err := d.refuse(ctx); err != nil {
		return nil, err
	}
	if d.sql, err = sql.Open("sqlite", sqliteDSN(path, options, false)); err != nil {
		return nil, d.engine.explain("opening the history "+path, err)
	}
	if options.ReadOnly && logless(path) {
		// Where nothing can be written beside the file SQLite cannot make the index of the write-ahead log. Without a log
		// there is nothing to miss.
		_, err := d.sql.ExecContext(ctx, "SELECT COUNT(*) FROM sqlite_master")
		if err != nil && sqliteFault(err) == faultReadOnly {
			d.sql.Close()
			d.sql, err = sql.Open("sqlite", sqliteDSN(path, options, true))
			if err != nil {
				return nil, d.engine.explain("opening the history "+path, err)
			}
		}
	}
	// A handful is enough for readers beside a writer, and each has a page cache.
	d.sql.SetMaxOpenConns(4)
	return d, nil
}

// refuse says why a file is no history of this program. It leaves nothing beside the file, which opening it for more
// than this look does.
func (d *DB) refuse(ctx context.Context) error {
	if info, err := os.Stat(d.engine.where); err != nil || info.Size() == 0 {
		return nil // it will be made, or its lack said
	}
	look := &DB{engine: d.engine, options: Options{Wait: d.options.Wait, ReadOnly: true}}
	var err error
	look.sql, err = sql.Open("sqlite", sqliteDSN(look.engine.where, look.options, logless(look.engine.where)))
	if err == nil {
		_, err = look.known(ctx)
		look.sql.Close()
	}
	if errors.Is(err, errOther) || errors.Is(err, errNotHistory) {
		return err
	}
	return nil // what else is wrong is found again
}

// logless says whether a file has no write-ahead log with something in it.
func logless(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err != nil || info.Size() == 0
}

// inspect looks at the file before SQLite does, which would take an empty one for a new database and changes some that
// it only opens.
func inspect(path string, options Options) error {
	if path == "" {
		return fmt.Errorf("%w: the name is empty; name a file or a postgres:// URL with --db", errMissing)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (options.MustExist || options.ReadOnly):
		return fmt.Errorf("%w: %s does not exist; 'occudiff track add' makes it, --db names another one",
			errMissing, path)
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%w: the folder of %s cannot be used: %w; make it first", errMissing, path, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("%w: %s cannot be opened: %w", errMissing, path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a file; name a file or a postgres:// URL with --db",
			errNotHistory, path)
	}
	if err := checkHeader(path); err != nil {
		return err
	}
	if options.ReadOnly {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		return f.Close()
	}
	return fmt.Errorf("%w: %s, nothing was changed; check its permissions, or name another file with --db (%w)",
		errReadOnly, path, err)
}

// checkHeader refuses files that are no SQLite databases. An empty file is a database without tables.
func checkHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read; check its permissions (%w)", errMissing, path, err)
	}
	defer f.Close()
	head := make([]byte, len(sqliteHeader))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: %s cannot be read: %w", errDamaged, path, err)
	}
	if n > 0 && !bytes.Equal(head[:n], []byte(sqliteHeader)) {
		return fmt.Errorf("%w: %s is no SQLite database (it begins with %q), nothing was changed; name another file"+
			" with --db", errNotHistory, path, head[:n])
	}
	return nil
}

// sqliteDSN spells the connection: immediate transactions, a wait for locks, and commits that survive a power cut.
func sqliteDSN(path string, options Options, immutable bool) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", options.Wait.Milliseconds()))
	q.Add("_pragma", "cache_size(-32768)") // KB: the pages that an import of many series touches again and again
	if options.ReadOnly {
		q.Set("mode", "ro")
		if immutable {
			q.Set("immutable", "1")
		}
	} else {
		q.Set("_txlock", "immediate")
		q.Add("_pragma", "synchronous(full)")
	}
	// A URI, so that a `?` or `#` in the name is part of the name.
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	if volume := filepath.VolumeName(path); volume != "" {
		name = "/" + name
	}
	return "file:" + strings.ReplaceAll(name, "?", "%3F") + "?" + q.Encode()
}

// setJournal sets the kind of journal: the write-ahead log (wal) on local file systems, where readers and a writer do
// not wait for each other, and the rollback journal (delete) elsewhere. The log needs shared memory, which network file
// systems do not have.
func (d *DB) setJournal(ctx context.Context) error {
	want := "delete"
	if localFileSystem(d.engine.where) {
		want = "wal"
	}
	// The change of mode does not wait for locks itself.
	for until := time.Now().Add(d.options.Wait); ; {
		var mode string
		err := d.sql.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode)
		if err == nil && mode != want {
			err = d.sql.QueryRowContext(ctx, "PRAGMA journal_mode = "+want).Scan(&mode)
		}
		if err == nil || sqliteFault(err) != faultLocked || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// sqliteFault reads SQLite's codes.
func sqliteFault(err error) fault {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return faultOther
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return faultLocked
	case sqlite3.SQLITE_READONLY:
		if e.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
			return faultUnfinished
		}
		return faultReadOnly
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return faultReadOnly
	case sqlite3.SQLITE_FULL:
		return faultFull
	case sqlite3.SQLITE_IOERR:
		// A log or its index that cannot grow is reported as a failed write.
		if c := e.Code(); c == sqlite3.SQLITE_IOERR_SHMSIZE || c == sqlite3.SQLITE_IOERR_WRITE {
			return faultFull
		}
		return faultOther
	case sqlite3.SQLITE_CORRUPT:
		return faultDamaged
	case sqlite3.SQLITE_NOTADB:
		return faultNotDatabase
	}
	return faultOther
}
