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

// fault is a failure that both engines know, and what to do about it. Nothing has been changed whenever it is said: the
// transaction was rolled back, or will be when the connection is gone.
type fault struct {
	kind kind
	text string
}

// The faults; others have none.
var (
	faultLocked = &fault{errLocked,
		"nothing was changed; another process is writing: wait for it, or end it, and try again"}
	faultReadOnly = &fault{errReadOnly, "nothing was changed; check the permissions of the file and of its folder"}
	// On a server that is a grant and no file.
	faultNoGrant = &fault{errReadOnly, "nothing was changed; this user may only read: grant it INSERT, UPDATE and DELETE " +
		"on the tables of occudiff, or use one that has them"}
	faultDenied = &fault{errConnection,
		"nothing was changed; the server refuses: check user, password and the name of the database"}
	faultFull       = &fault{errFull, "nothing was changed; free some space and try again"}
	faultConnection = &fault{errConnection,
		"what was not finished is undone; check that the server runs and try again: a run is never stored twice"}
	faultDamaged     = &fault{errDamaged, "nothing was changed; restore a copy, or start a new history with --db"}
	faultNotDatabase = &fault{errNotHistory, "nothing was changed; name another file with --db"}
	faultUnfinished  = &fault{errUnfinished,
		"nothing was changed; the next command that writes undoes it, as 'occudiff track add' does"}
)

// engine is what differs between the two.
// Everything else is one code: a difference that stands here is tested on both engines by the same stories.
type engine struct {
	where  string
	server bool // placeholders are $1 and not ?, and tables of others do not mean that it is not ours

	id, clustered string             // spellings in the schema
	countTables   string             // counts our tables and all tables
	snapshot      sql.IsolationLevel // with which a reader sees one state
	writes        sql.IsolationLevel // with which a writer sees what the one before it has written
	batch         int                // rows per insert
	// orFail lets a statement that fails leave what it has inserted. The transaction is rolled back all the same, and
	// the pages that it changes need not be written aside first.
	orFail string

	fault func(error) *fault
}

// bind spells the placeholders of a statement. Question marks in texts do not occur in our statements.
func (e *engine) bind(text string) string {
	if !e.server {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "?") {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
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
	if f := e.fault(err); f != nil {
		return fmt.Errorf("%s: %w, %s (%w)", doing, f.kind, f.text, err)
	}
	return fmt.Errorf("%s: nothing was changed: %w", doing, err)
}
