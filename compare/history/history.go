// Package history stores runs and reads them back as series: one schema on
// SQLite (a file) and on PostgreSQL (a server that a team shares), through
// database/sql. It does not know verdicts, thresholds or statistics: the words
// of a row are stored as they come, and compare/track judges what is read. A
// history of another schema is refused, and who only reads changes no byte.
//
// A Run has provenance (when, where, which driver, which commit), the files
// that it was read from, and a Row per kernel. It is stored whole or not at
// all, and once: the digests of what its files say are claimed in the same
// transaction, so that adding the same content twice changes nothing.
//
// A series is what may be compared over time: one task with one launch size and
// direction, on one device with one driver. These are its Key. Another device
// or driver makes another series, so that no reader can mix them up by
// accident. The numbers of a row are Metrics, a column each; schema.go has the
// list of them.
//
// The tables are occudiff_run, occudiff_input (its files), occudiff_content
// (digests), occudiff_series (keys) and occudiff_kernel (rows). The last is
// clustered by series and time, which is how it is read: a million rows are a
// normal history, and the gate wants a few dozen of each series.
//
// Runs also come and go as CSV (Import, Export), a line for each kernel of a
// run and a column for each metric. A run that an import finds stored already
// stays as it is, and must say the same.
package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// defaultWait is how long a writer waits for others.
const defaultWait = 30 * time.Second

// Options of opening. The zero value makes the history when it is not there.
type Options struct {
	// MustExist refuses to make a new history. Readers set it: an empty report
	// of a mistyped name helps nobody.
	MustExist bool
	// ReadOnly changes no byte of the history, and reads one state of it
	// however long that takes. What writes fails then.
	ReadOnly bool
	// Verify looks for damage of a file that reading would not notice, at the
	// price of reading all keys. Readers that judge set it.
	Verify bool
	// Base are the names of the base branch, Commits those of the repository,
	// oldest first. They say which runs count for which, and in which order;
	// runs without a branch are of the base branch.
	Base, Commits []string
	// Wait is how long to wait for a lock that another process holds; 30 s when
	// zero.
	Wait time.Duration

	// step, when not nil, is called between the statements of a transaction.
	// Tests kill the process and cut the connection there.
	step func(name string)
}

// DB is an open history. It may be used by several goroutines.
type DB struct {
	sql     *sql.DB
	reading *sql.Tx // of a reader, otherwise nil
	engine  engine
	options Options
	folder  string // of a copy that is read instead, see openUndone
}

// Open opens the history that dsn names, a file (SQLite) or a postgres:// URL,
// and makes it when it is not there. Another schema is an error. A reader ends
// with ctx.
func Open(ctx context.Context, dsn string, options Options) (*DB, error) {
	options.Wait = cmp.Or(options.Wait, defaultWait)
	a, err := newAddress(dsn)
	if err != nil {
		return nil, err
	}
	// Another writer may undo what an unfinished one left, just when it is
	// copied: the history is whole then, and opens as usual.
	for end := time.Now().Add(options.Wait); ; {
		d, err := openOnce(ctx, a, options)
		if !errors.Is(err, errMoved) || time.Now().After(end) || ctx.Err() != nil {
			return d, err
		}
		time.Sleep(time.Millisecond)
	}
}

// openOnce opens a history as it is now.
func openOnce(ctx context.Context, a address, options Options) (d *DB, err error) {
	if a.server {
		d, err = openPostgres(ctx, a, options)
	} else {
		d, err = openSQLite(a.name, options)
	}
	if err != nil {
		return nil, err
	}
	err = d.ready(ctx)
	if options.ReadOnly && errors.Is(err, errUnfinished) {
		d.Close()
		if d, err = openUndone(a.name, options); err != nil {
			return nil, err
		}
		err = d.ready(ctx)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// ready makes sure that the tables are there, as this program knows them.
func (d *DB) ready(ctx context.Context) error {
	if d.options.ReadOnly {
		tx, err := d.sql.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: d.engine.snapshot})
		if err != nil {
			return d.engine.explain("opening the history "+d.engine.where, err)
		}
		d.reading = tx
	}
	// Whose history it is must be known before the first write to it.
	known, err := d.known(ctx)
	if err == nil && !known {
		err = d.create(ctx)
	}
	if err == nil && d.options.Verify {
		err = d.verify(ctx)
	}
	return err
}

// Close closes the history. Runs that were added are safe before that.
func (d *DB) Close() error {
	if d.reading != nil {
		_ = d.reading.Rollback() // it has changed nothing, and may have ended
	}
	err := d.sql.Close()
	if d.folder != "" {
		os.RemoveAll(d.folder)
	}
	return err
}

// source is where a select runs: in a transaction, or outside of one.
type source interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// source returns the transaction of a reader, otherwise the database.
func (d *DB) source() source {
	if d.reading != nil {
		return d.reading
	}
	return d.sql
}

// Where names the history for people: the path, or the URL without its
// password.
func (d *DB) Where() string { return d.engine.where }

// query runs a select outside of a transaction and hands each row to scan.
func (d *DB) query(ctx context.Context, doing, text string, args []any, scan func(rows *sql.Rows) error) error {
	return d.engine.explain(doing, ended(ctx, d.scanEach(ctx, d.source(), text, args, scan)))
}

// scanEach runs a select, in a transaction or outside of one, and hands each
// row to scan.
func (d *DB) scanEach(ctx context.Context, from source, text string, args []any, scan func(rows *sql.Rows) error) error {
	rows, err := from.QueryContext(ctx, d.engine.bind(text), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// noRun is the error of a run that is not there.
func (d *DB) noRun(id int64) error {
	return fmt.Errorf("%w: %s has no run %d; 'occudiff track list' shows the runs", errNoRun, d.engine.where, id)
}

// kind is what went wrong, in one sentence; the text around it says where and
// what to do. Nobody outside decides by it.
type kind string

func (k kind) Error() string { return string(k) }

const (
	errMissing    kind = "there is no such history"
	errNotHistory kind = "not a history"
	errOther      kind = "the history has another schema"
	errLocked     kind = "the history is locked"
	errReadOnly   kind = "the history cannot be written"
	errFull       kind = "the disk is full"
	errConnection kind = "the connection to the history failed"
	errUnfinished kind = "a writer of the history was ended in the middle"
	errMoved      kind = "another writer undoes that now; try again"
	errDamaged    kind = "the history is damaged"
	errNoRun      kind = "no such run"
	errNoKernel   kind = "no such kernel"
	errBoth       kind = "both kernels are in one run"
	errBadRun     kind = "the run cannot be stored"
)

// storageError is a failure that both engines know, and what to do about it.
// Nothing has been changed whenever it is said: the transaction was rolled
// back, or will be when the connection is gone.
type storageError struct {
	kind     kind
	text     string
	sqlite   []int  // its codes, extended or primary ones
	postgres string // what its codes begin with (the manual of PostgreSQL, appendix A)
}

// storageErrors are those that are known, the more particular ones first.
var storageErrors = []storageError{
	{errUnfinished, "nothing was changed; the next command that writes undoes it, as 'occudiff track add' does",
		[]int{sqlite3.SQLITE_READONLY_ROLLBACK}, ""},
	{errLocked, "nothing was changed; another process is writing: wait for it, or end it, and try again",
		[]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}, "40001 40P01 55P03"},
	{errReadOnly, "nothing was changed; check the permissions of the file and of its folder",
		[]int{sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}, ""},
	// On a server that is a grant and no file.
	{errReadOnly, "nothing was changed; this user may only read: grant it INSERT, UPDATE and DELETE on the tables of " +
		"occudiff, or use one that has them", nil, "25006 42501"},
	{errConnection, "nothing was changed; the server refuses: check user, password and the name of the database",
		nil, "28 3D000"},
	// A journal that cannot grow is reported as a failed write.
	{errFull, "nothing was changed; free some space and try again",
		[]int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}, "53100"},
	{errConnection, "what was not finished is undone; check that the server runs and try again: a run is never stored twice",
		nil, "08 57P 53300"},
	{errDamaged, "nothing was changed; restore a copy, or start a new history with --db",
		[]int{sqlite3.SQLITE_CORRUPT}, "XX00"},
	{errNotHistory, "nothing was changed; name another file with --db", []int{sqlite3.SQLITE_NOTADB}, ""},
}

// storageError finds what an error means, nil when it is unknown.
func (e *engine) storageError(err error) *storageError {
	code := 0
	if s, ok := errors.AsType[*sqlite.Error](err); ok {
		code = s.Code()
	}
	for i := range storageErrors {
		f := &storageErrors[i]
		is := func(begin string) bool { return e.server && strings.HasPrefix(postgresCode(err), begin) }
		if slices.Contains(f.sqlite, code) || slices.Contains(f.sqlite, code&0xff) ||
			slices.ContainsFunc(strings.Fields(f.postgres), is) {
			return f
		}
	}
	return nil
}

// engine is what differs between the two. Everything else is one code: a
// difference that stands here is tested on both engines by the same stories.
type engine struct {
	where  string
	server bool // placeholders are $1 and not ?, and tables of others do not mean that it is not ours

	id, clustered string             // spellings in the schema
	countTables   string             // counts our tables and all tables
	snapshot      sql.IsolationLevel // with which a reader sees one state
	writes        sql.IsolationLevel // with which a writer sees what the one before it has written
	batch         int                // rows per insert
	// orFail lets a statement that fails leave what it has inserted. The
	// transaction is rolled back all the same, and the pages that it changes
	// need not be written aside first.
	orFail string
}

// bind spells the placeholders of a statement. Question marks in texts do not
// occur in our statements.
func (e *engine) bind(text string) string {
	if !e.server {
		return text
	}
	parts := strings.Split(text, "?")
	for i := range len(parts) - 1 {
		parts[i] += "$" + strconv.Itoa(i+1)
	}
	return strings.Join(parts, "")
}

// explain describes what happened to whom and what to do.
func (e *engine) explain(doing string, err error) error {
	var own kind
	if err == nil || errors.As(err, &own) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: stopped, nothing was changed: %w", doing, err)
	}
	if f := e.storageError(err); f != nil {
		return fmt.Errorf("%s: %w, %s (%w)", doing, f.kind, f.text, err)
	}
	return fmt.Errorf("%s: nothing was changed: %w", doing, err)
}
