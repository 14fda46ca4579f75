package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// writing is a transaction on its way. After its first error it does nothing more, as a bufio.Writer does, so that those
// who use it need not ask at each step.
type writing struct {
	*DB
	ctx context.Context
	tx  *sql.Tx
	err error
}

// write runs f in one transaction: all of it or nothing. Writers come one after the other, so that what one has looked up
// is true until its end: SQLite begins its transactions as immediate ones (see sqliteDSN), a server has a lock for it.
func (d *DB) write(ctx context.Context, doing string, f func(w *writing)) error {
	if d.options.ReadOnly {
		return fmt.Errorf("%s: %w, nothing was changed: it was opened for reading", doing, errReadOnly)
	}
	tx, err := d.sql.BeginTx(ctx, &sql.TxOptions{Isolation: d.engine.writes})
	if err != nil {
		return d.engine.explain(doing, ended(ctx, err))
	}
	w := &writing{d, ctx, tx, nil}
	if d.engine.server {
		w.exec(fmt.Sprint("SET LOCAL lock_timeout = ", d.options.Wait.Milliseconds()))
		w.exec("SELECT pg_advisory_xact_lock(1868784501)") // any number that others do not use
	}
	d.at("begun")
	if f(w); w.err == nil {
		d.at("before commit")
		w.err = tx.Commit()
		d.at("after commit")
	}
	if w.err != nil {
		// The error that made us stop is the one to report, not that of a connection that is gone.
		_ = tx.Rollback()
	}
	return d.engine.explain(doing, ended(ctx, w.err))
}

// ended gives one error of a context that has ended: database/sql watches it on its own, and which of the two notices
// first is chance.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// at marks a place in a transaction.
func (d *DB) at(name string) {
	if d.options.step != nil {
		d.options.step(name)
	}
}

// fail ends the transaction, unless it has failed already.
func (w *writing) fail(format string, args ...any) {
	w.err = cmp.Or(w.err, fmt.Errorf(format, args...))
}

// exec runs a statement and gives the number of rows that it changed.
func (w *writing) exec(text string, args ...any) (changed int64) {
	if w.err != nil {
		return 0
	}
	done, err := w.tx.ExecContext(w.ctx, w.engine.bind(text), args...)
	if err == nil {
		changed, err = done.RowsAffected()
	}
	w.err = err
	return changed
}

// one reads a row, and says whether there is one.
func (w *writing) one(text string, args []any, into ...any) bool {
	if w.err != nil {
		return false
	}
	err := w.tx.QueryRowContext(w.ctx, w.engine.bind(text), args...).Scan(into...)
	if err != sql.ErrNoRows {
		w.err = err
	}
	return err == nil
}

// each runs a select and hands each row to scan.
func (w *writing) each(text string, args []any, scan func(rows *sql.Rows) error) {
	if w.err == nil {
		w.err = w.scanEach(w.ctx, w.tx, text, args, scan)
	}
}

// keys reads the keys of series.
func (w *writing) keys(where string, args ...any) (keys map[int64]Key) {
	if w.err == nil {
		keys, w.err = w.readKeys(w.ctx, w.tx, where, args...)
	}
	return keys
}

// insert inserts rows, many by statement: on a server every statement is a journey.
func (w *writing) insert(into string, rows [][]any) {
	text := func(n int) string {
		group := "(" + marks(len(rows[0])) + ")"
		return "INSERT" + w.engine.orFail + " INTO " + into + " VALUES " + strings.Repeat(group+", ", n-1) + group
	}
	for part := range slices.Chunk(rows, w.engine.batch) {
		w.exec(text(len(part)), slices.Concat(part...)...)
		if w.err != nil {
			return
		}
		w.at("rows")
	}
}

// marks gives "?, ?, ?" for n values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
