// Package history stores runs and reads them back as series. It uses one schema
// on SQLite (a file) and on PostgreSQL (a server for a team), through
// database/sql. It does not know verdicts, thresholds, or statistics: it stores
// the verdict of a row as a string, and compare/track judges the runs. It
// rejects a history with another schema, and readers never write to a history.
//
// A Run has provenance (time, host, driver, commit), the files that it was read
// from, and a Row per kernel. A run is stored completely or not at all, and
// only once: the digests of its files are stored in the same transaction, so
// that adding the same content again changes nothing.
//
// A series contains values that may be compared over time. It belongs to one
// Key: one task with one launch size and direction, on one device with one
// driver. Values from another device or driver are in another series, so that
// readers cannot mix them up. The numbers of a row are Metrics, each in its own
// column. schema.go lists them.
//
// The tables are occudiff_run, occudiff_input (files of a run),
// occudiff_content (digests), occudiff_series (keys), and occudiff_kernel
// (rows). The rows are clustered by series and time, which is the order in
// which they are read. This matters because a history of a million rows is
// normal, and the gate reads only a few dozen rows per series.
//
// Import and Export exchange runs as CSV, with a line per kernel and run, and a
// column per metric. If an imported run is already stored, the stored run stays
// as it is and must have the same values.
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

// defaultWait is the time that a writer waits for other writers.
const defaultWait = 30 * time.Second

// Options configures Open. The zero value creates a missing history.
type Options struct {
	// MustExist rejects a missing history. Readers set it, because a mistyped
	// name must not produce an empty report.
	MustExist bool
	// ReadOnly changes no byte of the history, and sees the same state for as
	// long as it is open. Writes fail.
	ReadOnly bool
	// Verify also searches for damage that does not make a read fail. It has to
	// read all keys, which takes time. Readers that judge runs set it.
	Verify bool
	// Base lists the names of the base branch, and Commits the repository's
	// commits, oldest first. They determine which runs are compared, and in
	// which order. Runs without a branch belong to the base branch.
	Base, Commits []string
	// Branch is another branch whose last runs a panel without a checked run
	// has, too.
	Branch string
	// Wait is the longest time to wait for another process's lock. Zero means
	// 30 s.
	Wait time.Duration

	// step, if set, is called between the statements of a transaction. Tests
	// use it to kill the process or to cut the connection.
	step func(name string)
}

// DB is an open history. Several goroutines may use it.
type DB struct {
	sql     *sql.DB
	reading *sql.Tx // transaction of a reader, otherwise nil
	engine  engine
	options Options
	folder  string // temporary folder with a copy that is read instead of the file, see openUndone
}

// Open opens a history: a file (SQLite) or a postgres:// URL. It creates a
// missing history. Another schema is an error. A read-only history can be used
// only until ctx ends.
func Open(ctx context.Context, dsn string, options Options) (*DB, error) {
	options.Wait = cmp.Or(options.Wait, defaultWait)
	a, err := newAddress(dsn)
	if err != nil {
		return nil, err
	}
	// During the copy, another writer may undo the work of an unfinished
	// writer. The history is then complete, and opens as usual.
	for end := time.Now().Add(options.Wait); ; {
		d, err := openOnce(ctx, a, options)
		if !errors.Is(err, errMoved) || time.Now().After(end) || ctx.Err() != nil {
			return d, err
		}
		time.Sleep(time.Millisecond)
	}
}

// openOnce opens a history in its current state.
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

// ready checks the tables, and creates missing ones.
func (d *DB) ready(ctx context.Context) error {
	if d.options.ReadOnly {
		tx, err := d.sql.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: d.engine.snapshot})
		if err != nil {
			return d.engine.explain("opening the history "+d.engine.where, err)
		}
		d.reading = tx
	}
	// The owner of the tables is checked before the first write.
	known, err := d.known(ctx)
	if err == nil && !known {
		err = d.create(ctx)
	}
	if err == nil && d.options.Verify {
		err = d.verify(ctx)
	}
	return err
}

// Close closes the history. It need not save anything, because added runs are
// already stored.
func (d *DB) Close() error {
	if d.reading != nil {
		_ = d.reading.Rollback() // the transaction has changed nothing, and may have ended already
	}
	err := d.sql.Close()
	if d.folder != "" {
		os.RemoveAll(d.folder)
	}
	return err
}

// source runs selects, either in a transaction or outside of one.
type source interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// source returns the transaction of a reader. For a writer, it returns the
// database.
func (d *DB) source() source {
	if d.reading != nil {
		return d.reading
	}
	return d.sql
}

// Where returns the name of the history: the path, or the URL without its
// password.
func (d *DB) Where() string { return d.engine.where }

// query runs a select outside of a transaction and passes each row to scan.
func (d *DB) query(ctx context.Context, doing, text string, args []any, scan func(rows *sql.Rows) error) error {
	return d.engine.explain(doing, ended(ctx, d.scanEach(ctx, d.source(), text, args, scan)))
}

// scanEach runs a select in a transaction, or outside of one, and passes each
// row to scan.
func (d *DB) scanEach(ctx context.Context, from source, text string, args []any,
	scan func(rows *sql.Rows) error) error {
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

// noRun returns the error for a missing run.
func (d *DB) noRun(id int64) error {
	return fmt.Errorf("%w: %s has no run %d; 'occudiff track list' shows the runs", errNoRun, d.engine.where, id)
}

// kind is a sentence that names a class of failure. Messages add the name of
// the history and the remedy. Other packages must not depend on its wording.
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
	errUnfinished kind = "a writer of the history was interrupted"
	errMoved      kind = "another process is undoing an interrupted write; try again"
	errDamaged    kind = "the history is damaged"
	errNoRun      kind = "no such run"
	errNoKernel   kind = "no such kernel"
	errBoth       kind = "both kernels are in one run"
	errBadRun     kind = "the run cannot be stored"
)

// storageError is a failure that both engines can have, with its remedy. No
// such failure changes the history: the transaction was rolled back, or is
// rolled back when the connection ends.
type storageError struct {
	kind     kind
	text     string
	sqlite   []int  // result codes of SQLite, extended or primary
	postgres string // prefixes of PostgreSQL's codes (PostgreSQL manual, appendix A)
}

// storageErrors are the known failures, the most specific first.
var storageErrors = []storageError{
	{errUnfinished, "nothing was changed; the next command that writes, for example 'occudiff track add', undoes the " +
		"unfinished write",
		[]int{sqlite3.SQLITE_READONLY_ROLLBACK}, ""},
	{errLocked, "nothing was changed; another process is writing: wait for it, or end it, and try again",
		[]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}, "40001 40P01 55P03"},
	{errReadOnly, "nothing was changed; check the permissions of the file and of its folder",
		[]int{sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}, ""},
	// On a server, the cause is a missing grant of the user, not a file.
	{errReadOnly, "nothing was changed; this user may only read: grant it INSERT, UPDATE and DELETE on the tables of " +
		"occudiff, or use one that has them", nil, "25006 42501"},
	{errConnection, "nothing was changed; the server rejects the connection: check the user, the password, and the " +
		"name of the database",
		nil, "28 3D000"},
	// SQLite reports a journal that cannot grow as a failed write.
	{errFull, "nothing was changed; free some space and try again",
		[]int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}, "53100"},
	{errConnection, "unfinished work is undone; check that the server runs, and try again: a run is never stored twice",
		nil, "08 57P 53300"},
	{errDamaged, "nothing was changed; restore a copy, or start a new history with --db",
		[]int{sqlite3.SQLITE_CORRUPT}, "XX00"},
	{errNotHistory, "nothing was changed; name another file with --db", []int{sqlite3.SQLITE_NOTADB}, ""},
}

// storageError returns the known failure that an error belongs to, or nil.
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

// engine contains the differences between the two databases. All other code is
// shared, and the same scenarios test both.
type engine struct {
	where  string
	server bool // placeholders are $1 instead of ?, and other programs may have tables in the database

	id, clustered string             // how the schema spells these
	countTables   string             // query that counts this program's tables and all tables
	snapshot      sql.IsolationLevel // isolation level at which a reader sees the same state until it ends
	writes        sql.IsolationLevel // isolation level at which a writer sees the data of the previous writer
	batch         int                // number of rows per insert statement
	// orFail makes SQLite keep the rows that a failing statement has inserted.
	// The transaction is rolled back anyway, so SQLite need not save the pages
	// first.
	orFail string
}

// bind replaces the placeholders of a statement with the engine's placeholders.
// The statements contain no question marks in string literals.
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

// explain returns an error that names the history, the failure, and the remedy.
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
