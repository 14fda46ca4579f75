package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The errors that callers may want to tell apart, with errors.Is. The texts around them say where and what to do.
var (
	ErrMissing    = errors.New("there is no such history")
	ErrNotHistory = errors.New("not a history")
	ErrNewer      = errors.New("the history is newer than this program")
	ErrLocked     = errors.New("the history is locked")
	ErrReadOnly   = errors.New("the history cannot be written")
	ErrFull       = errors.New("the disk is full")
	ErrConnection = errors.New("the connection to the history failed")
	ErrDamaged    = errors.New("the history is damaged")
	ErrNoRun      = errors.New("no such run")
	ErrBadRun     = errors.New("the run cannot be stored")
)

// fault is a kind of failure, the same for both engines.
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
)

// engine is what differs between the two.
type engine struct {
	where string

	id, clustered string // spellings in the schema
	countTables   string // counts our tables and all tables
	forUpdate     string
	ownFile       bool // tables of others mean that it is not ours
	dollar        bool // placeholders are $1 and not ?
	batch         int  // rows per insert

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

// explain says what happened to whom and what to do. Nothing has been changed whenever it is called: the transaction was
// rolled back, or will be when the connection is gone.
func (e *engine) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	for _, own := range []error{ErrMissing, ErrNotHistory, ErrNewer, ErrLocked, ErrReadOnly, ErrFull, ErrConnection, ErrDamaged, ErrNoRun, ErrBadRun} {
		if errors.Is(err, own) {
			return err
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: stopped, nothing was changed: %w", doing, err)
	}
	say := func(kind error, what string) error {
		return fmt.Errorf("%s: %w, %s (%w)", doing, kind, what, err)
	}
	switch e.fault(err) {
	case faultConflict, faultLocked:
		return say(ErrLocked, "nothing was changed; another process is writing: wait for it, or end it, and try again")
	case faultReadOnly:
		return say(ErrReadOnly, "nothing was changed; check the permissions of the file and of its folder")
	case faultDenied:
		return say(ErrConnection, "nothing was changed; the server refuses: check user, password and the name of the database")
	case faultFull:
		return say(ErrFull, "nothing was changed; free some space and try again")
	case faultConnection:
		return say(ErrConnection, "what was not finished is undone; check that the server runs and try again: a run is never stored twice")
	case faultDamaged:
		return say(ErrDamaged, "nothing was changed; restore a copy, or start a new history with --db")
	case faultNotDatabase:
		return say(ErrNotHistory, "nothing was changed; name another file with --db")
	}
	return fmt.Errorf("%s: nothing was changed: %w", doing, err)
}
