package history

import (
	"bytes"
	"cmp"
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
)

// openSQLite opens a file.
//
// The journal is a rollback journal. Considered and rejected: the write-ahead
// log. With it, readers could continue while a writer commits, but a commit
// takes only milliseconds. The log needs shared memory, which network file
// systems lack, and readers would have to write its index next to the file.
func openSQLite(path string, options Options) (*DB, error) {
	if err := inspect(path, options); err != nil {
		return nil, err
	}
	d := &DB{options: options, engine: engine{
		where: path, batch: 50, orFail: " OR FAIL",
		id: "INTEGER PRIMARY KEY AUTOINCREMENT", clustered: " WITHOUT ROWID",
		countTables: `SELECT COUNT(CASE WHEN name = 'occudiff_meta' THEN 1 END), COUNT(*)
			FROM sqlite_master WHERE type = 'table'`,
	}}
	var err error
	if d.sql, err = sql.Open("sqlite", sqliteDSN(path, options)); err != nil {
		return nil, d.engine.explain("opening the history "+path, err)
	}
	// Four connections are enough for readers next to a writer. More would need
	// more memory, because each connection has a page cache.
	d.sql.SetMaxOpenConns(4)
	return d, nil
}

// openUndone opens a copy of a file whose last writer was killed, and undoes
// the unfinished work in the copy. So readers change no byte of the original
// file, and still read the complete runs.
func openUndone(path string, options Options) (d *DB, err error) {
	folder, err := os.MkdirTemp("", "occudiff-")
	defer func() {
		if err != nil {
			os.RemoveAll(folder)
			err = fmt.Errorf(
				"reading the history %s as it was before an interrupted writer: %w", path, err)
		}
	}()
	same := filepath.Join(folder, "history.db")
	if err == nil {
		err = copyUnfinished(path, same, options)
	}
	if err != nil {
		return nil, err
	}
	writer, err := sql.Open("sqlite", sqliteDSN(same, Options{Wait: options.Wait}))
	if err == nil {
		_, err = writer.Exec("BEGIN IMMEDIATE; COMMIT") // takes the writer's lock; SQLite then undoes unfinished work
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

// copyUnfinished copies a file with its journal. The two copies belong together
// if the journal is the same after the copy, because a writer that undoes the
// work removes the journal, and may begin a new journal.
func copyUnfinished(path, same string, options Options) error {
	before, err := readJournal(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(same+journal, before.data, 0o600); err != nil {
		return err
	}
	if options.step != nil {
		options.step("copied the journal")
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(same, data, 0o600)
	}
	if err != nil {
		return err
	}
	if after, err := readJournal(path); err != nil || !after.is(before) {
		return fmt.Errorf("%w (%w)", errMoved, cmp.Or(err, fs.ErrExist))
	}
	return nil
}

// journal is the file name suffix of a rollback journal.
const journal = "-journal"

// journalFile is a rollback journal at a point in time.
type journalFile struct {
	info fs.FileInfo
	data []byte
}

func readJournal(path string) (j journalFile, err error) {
	f, err := os.Open(path + journal)
	if errors.Is(err, fs.ErrNotExist) {
		return j, fmt.Errorf("%w (%w)", errMoved, err)
	}
	if err != nil {
		return j, err
	}
	defer f.Close()
	if j.info, err = f.Stat(); err == nil {
		j.data, err = io.ReadAll(f)
	}
	return j, err
}

// is reports whether two journals are the same and unchanged. A comparison of
// inode numbers is not sufficient, because a file system may reuse the number
// of a removed file. The header contains a random nonce: section 3 of
// https://www.sqlite.org/fileformat2.html.
func (j journalFile) is(other journalFile) bool {
	const header = 28
	head := func(j journalFile) []byte { return j.data[:min(header, len(j.data))] }
	return os.SameFile(j.info, other.info) && len(j.data) == len(other.data) && bytes.Equal(head(j), head(other))
}

// inspect checks the file before SQLite opens it, because SQLite would accept
// an empty file as a new database.
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

// checkHeader returns an error for a file that is not an SQLite database. It
// also returns an error for a database with a write-ahead log, because opening
// it may change it. An empty file is a database without tables. Section 1.3 of
// https://www.sqlite.org/fileformat2.html describes the header.
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
		return fmt.Errorf("%w: %s is not an SQLite database (it begins with %q), nothing was changed; name another "+
			"file"+
			" with --db", errNotHistory, path, magic)
	case head[18] == 2 || head[19] == 2:
		return fmt.Errorf("%w: %s is a database with a write-ahead log, which no history has; name another file with"+
			" --db", errNotHistory, path)
	}
	return nil
}

// sqliteDSN returns the connection string. It requests immediate transactions,
// a wait for locks, and commits that survive a power failure.
func sqliteDSN(path string, options Options) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", options.Wait.Milliseconds()))
	q.Add("_pragma", "cache_size(-32768)") // KB, because an import with many series rereads the same pages
	if options.ReadOnly {
		q.Set("mode", "ro")
	} else {
		q.Set("_txlock", "immediate")
		q.Add("_pragma", "synchronous(full)")
	}
	// The name is written as a URI, so that a `?` or `#` in it is treated as
	// part of the name.
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	if volume := filepath.VolumeName(path); volume != "" {
		name = "/" + name
	}
	return "file:" + strings.ReplaceAll(name, "?", "%3F") + "?" + q.Encode()
}

// verify searches for damage that does not make a read fail, but makes rows,
// runs, or series disappear: inconsistent pages, rows without their run or
// series, runs without some of their rows, and keys that differ from their
// digest. It reads all keys and indexes, which takes 2 s for a million rows. It
// does not find a number that changed to another number. Each statement sees
// one state, so a concurrent writer is not reported as damage. On a server,
// PostgreSQL checks its pages itself.
func (d *DB) verify(ctx context.Context) error {
	if d.engine.server {
		return nil
	}
	err := d.lookForDamage(ctx)
	if err == nil {
		err = d.verifyKeys(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --no-verify reads the readable part", err)
	}
	return err
}

const sums = "COUNT(*), SUM(series_id), SUM(run_id), SUM(series_id * (time % 65521)), SUM(run_id * (time % 65521))"

// damage lists the kinds of damage, each with a query that counts it.
var damage = []struct{ what, count string }{
	// The index alone does not contain the position, so the first of the two
	// selects has to read the table.
	{"index differs from its table", `SELECT COUNT(*) FROM
		(SELECT ` + sums + ` FROM occudiff_kernel WHERE position >= 0
		EXCEPT SELECT ` + sums + ` FROM occudiff_kernel INDEXED BY occudiff_kernel_run)`},
	{"runs have a different number of kernels than was stored", `SELECT COUNT(*) FROM occudiff_run r WHERE
		kernels <> (SELECT COUNT(*) FROM occudiff_kernel k WHERE k.run_id = r.id AND k.time = r.time)`},
	{"kernels belong to no run", `SELECT (SELECT COUNT(*) FROM occudiff_kernel) -
		(SELECT COALESCE(SUM(kernels), 0) FROM occudiff_run)`},
	{"kernels belong to no series", `SELECT (SELECT COUNT(*) FROM occudiff_kernel) -
		(SELECT COUNT(*) FROM occudiff_series s JOIN occudiff_kernel k ON k.series_id = s.id)`},
	{"files or digests belong to no run", `SELECT COUNT(*) FROM (SELECT run_id FROM occudiff_input
		UNION SELECT run_id FROM occudiff_content EXCEPT SELECT id FROM occudiff_run)`},
	{"runs have no digest", `SELECT COUNT(*) FROM
		(SELECT id FROM occudiff_run EXCEPT SELECT run_id FROM occudiff_content)`},
}

func (d *DB) lookForDamage(ctx context.Context) error {
	var pages string
	err := d.source().QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&pages)
	if err == nil && pages != "ok" {
		return d.damaged(pages)
	}
	for _, c := range damage {
		var n int64
		if err == nil {
			err = d.source().QueryRowContext(ctx, c.count).Scan(&n)
		}
		if n != 0 {
			return d.damaged(fmt.Sprintf("%d %s", n, c.what))
		}
	}
	return d.engine.explain("verifying the history "+d.engine.where, err)
}

// verifyKeys compares the keys of all series with their digests.
func (d *DB) verifyKeys(ctx context.Context) error {
	wrong := 0
	text := `SELECT identity, kernel_identity, ` + keyColumns + ` FROM occudiff_series`
	err := d.query(ctx, "verifying the history "+d.engine.where, text, nil, func(rows *sql.Rows) error {
		var identity, kernel string
		var k Key
		err := rows.Scan(append([]any{&identity, &kernel}, k.fields()...)...)
		if err == nil && (k.identity() != identity || k.kernelIdentity() != kernel) {
			wrong++
		}
		return err
	})
	if err == nil && wrong > 0 {
		err = d.damaged(fmt.Sprintf("%d series do not match their digest", wrong))
	}
	return err
}

// damaged returns an error for an incomplete history.
func (d *DB) damaged(what string) error {
	return fmt.Errorf("%w: %s: %s; restore a copy", errDamaged, d.engine.where, what)
}
