package history

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens a file.
//
// Its journal is the rollback journal. The write-ahead log would let readers go on while a writer commits, which takes
// milliseconds; but it needs shared memory, which network file systems do not have, and who only reads would have to
// write an index of it beside the file.
func openSQLite(path string, options Options) (*DB, error) {
	if err := inspect(path, options); err != nil {
		return nil, err
	}
	d := &DB{options: options, engine: engine{
		where: path, fault: sqliteFault, batch: 50, orFail: " OR FAIL",
		id: "INTEGER PRIMARY KEY AUTOINCREMENT", clustered: " WITHOUT ROWID",
		countTables: `SELECT COUNT(CASE WHEN name = 'occudiff_meta' THEN 1 END), COUNT(*)
			FROM sqlite_master WHERE type = 'table'`,
	}}
	var err error
	if d.sql, err = sql.Open("sqlite", sqliteDSN(path, options)); err != nil {
		return nil, d.engine.explain("opening the history "+path, err)
	}
	// A handful is enough for readers beside a writer, and each has a page cache.
	d.sql.SetMaxOpenConns(4)
	return d, nil
}

// openUndone opens a copy of a file whose last writer was ended in the middle. What that left is undone in the copy: who
// only reads changes no byte of the file itself, and gets what was stored whole.
func openUndone(path string, options Options) (d *DB, err error) {
	folder, err := os.MkdirTemp("", "occudiff-")
	defer func() {
		if err != nil {
			os.RemoveAll(folder)
			err = fmt.Errorf("reading the history %s as it was before a writer that was ended in the middle: %w", path, err)
		}
	}()
	same := filepath.Join(folder, "history.db")
	for _, end := range []string{"-journal", ""} {
		var data []byte
		if err == nil {
			data, err = os.ReadFile(path + end)
		}
		if err == nil {
			err = os.WriteFile(same+end, data, 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	// A journal that is still there was not used meanwhile, so that the two copies belong together.
	if _, err := os.Stat(path + "-journal"); err != nil {
		return nil, fmt.Errorf("another writer undoes it now; try again: %w", err)
	}
	writer, err := sql.Open("sqlite", sqliteDSN(same, Options{Wait: options.Wait}))
	if err == nil {
		_, err = writer.Exec("BEGIN IMMEDIATE; COMMIT") // takes the lock of a writer, which undoes what is unfinished
		err = errors.Join(err, writer.Close())
	}
	if err == nil {
		d, err = openSQLite(same, options)
	}
	if err != nil {
		return nil, err
	}
	d.engine.where, d.folder = path, folder
	return d, nil
}

// inspect looks at the file before SQLite does, which would take an empty one for a new database.
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
	if err := checkHeader(path); err != nil || options.ReadOnly {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		return f.Close()
	}
	return fmt.Errorf("%w: %s, nothing was changed; check its permissions, or name another file with --db (%w)",
		errReadOnly, path, err)
}

// checkHeader refuses files that are no SQLite databases, and those with a write-ahead log, which opening may change. An
// empty file is a database without tables. Section 1.3 of https://www.sqlite.org/fileformat2.html has the header.
func checkHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read; check its permissions (%w)", errMissing, path, err)
	}
	defer f.Close()
	head := make([]byte, 20)
	n, err := io.ReadFull(f, head)
	magic := head[:min(n, 16)]
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: %s cannot be read: %w", errDamaged, path, err)
	case n > 0 && !bytes.Equal(magic, []byte("SQLite format 3\x00")):
		return fmt.Errorf("%w: %s is no SQLite database (it begins with %q), nothing was changed; name another file"+
			" with --db", errNotHistory, path, magic)
	case head[18] == 2 || head[19] == 2:
		return fmt.Errorf("%w: %s is a database with a write-ahead log, which no history has; name another file with"+
			" --db", errNotHistory, path)
	}
	return nil
}

// sqliteDSN spells the connection: immediate transactions, a wait for locks, and commits that survive a power cut.
func sqliteDSN(path string, options Options) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", options.Wait.Milliseconds()))
	q.Add("_pragma", "cache_size(-32768)") // KB: the pages that an import of many series touches again and again
	if options.ReadOnly {
		q.Set("mode", "ro")
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

// sqliteFault reads SQLite's codes.
func sqliteFault(err error) *fault {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() {
	case sqlite3.SQLITE_READONLY_ROLLBACK:
		return faultUnfinished
	case sqlite3.SQLITE_IOERR_WRITE: // a journal that cannot grow is reported as a failed write
		return faultFull
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return faultLocked
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return faultReadOnly
	case sqlite3.SQLITE_FULL:
		return faultFull
	case sqlite3.SQLITE_CORRUPT:
		return faultDamaged
	case sqlite3.SQLITE_NOTADB:
		return faultNotDatabase
	}
	return nil
}
