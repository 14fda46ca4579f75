package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// kind is what went wrong, in one sentence; the text around it says where and what to do. Nobody outside decides by it.
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
	errDamaged    kind = "the history is damaged"
	errNoRun      kind = "no such run"
	errNoKernel   kind = "no such kernel"
	errBoth       kind = "both kernels are in one run"
	errBadRun     kind = "the run cannot be stored"
)

// fault is a kind of failure that an engine reports, the same for both engines.
type fault int

const (
	faultOther    fault = iota
	faultConflict       // try again
	faultRace           // try again; what is there after many tries is in the way
	faultLocked
	faultReadOnly
	faultFull
	faultConnection
	faultDenied
	faultDamaged
	faultNotDatabase
	faultUnfinished
)

// advice says what to do about a fault. Nothing has been changed whenever it is given: the transaction was rolled
// back, or will be when the connection is gone.
var advice = map[fault]struct {
	kind kind
	text string
}{
	faultConflict: {errLocked,
		"nothing was changed; another process is writing: wait for it, or end it, and try again"},
	faultLocked: {errLocked,
		"nothing was changed; another process is writing: wait for it, or end it, and try again"},
	faultReadOnly: {errReadOnly, "nothing was changed; check the permissions of the file and of its folder"},
	faultDenied: {errConnection,
		"nothing was changed; the server refuses: check user, password and the name of the database"},
	faultFull: {errFull, "nothing was changed; free some space and try again"},
	faultConnection: {errConnection,
		"what was not finished is undone; check that the server runs and try again: a run is never stored twice"},
	faultDamaged:     {errDamaged, "nothing was changed; restore a copy, or start a new history with --db"},
	faultNotDatabase: {errNotHistory, "nothing was changed; name another file with --db"},
	faultUnfinished: {errUnfinished,
		"nothing was changed; the next command that writes undoes it, as 'occudiff track add' does"},
}

// engine is what differs between the two.
// Everything else is one code: a difference that stands here is tested on both engines by the same stories.
type engine struct {
	where string

	id, clustered string // spellings in the schema
	countTables   string // counts our tables and all tables
	forUpdate     string
	snapshot      sql.IsolationLevel // with which a reader sees one state
	ownFile       bool               // tables of others mean that it is not ours
	dollar        bool               // placeholders are $1 and not ?
	batch         int                // rows per insert
	// orFail lets a statement that fails leave what it has inserted. The transaction is rolled back all the same, and
	// the pages that it changes need not be written aside first.
	orFail string

	fault func(error) fault
}

// bind spells the placeholders of a statement. Question marks in texts do not occur in our statements.
func (e *engine) bind(text string) string {
	if !e.dollar {
		return text
	}
	var b strings.Builder
	n := 0
	for {
		before, after, found := strings.Cut(text, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		text = after
	}
}

// explain says what happened to whom and what to do.
func (e *engine) explain(doing string, err error) error {
	var own kind
	if err == nil || errors.As(err, &own) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: stopped, nothing was changed: %w", doing, err)
	}
	// On a server that is a grant and no file.
	if e.dollar && e.fault(err) == faultReadOnly {
		return fmt.Errorf("%s: %w, nothing was changed; this user may only read: grant it INSERT, UPDATE and DELETE "+
			"on the tables of occudiff, or use one that has them (%w)", doing, errReadOnly, err)
	}
	if a, known := advice[e.fault(err)]; known {
		return fmt.Errorf("%s: %w, %s (%w)", doing, a.kind, a.text, err)
	}
	return fmt.Errorf("%s: nothing was changed: %w", doing, err)
}
