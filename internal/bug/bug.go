// Package bug transfers a panic to the goroutine that waits. Without it, a
// panic in another goroutine would end the program. The goroutine returns the
// panic as an error, the waiting goroutine panics again, and the command
// reports where the panic began.
//
// The package imports no other package of the program. It does not know what
// the functions do.
package bug

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// A Panic is a panic and the calls that led to it.
type Panic struct {
	Value any
	Calls []string // file:line of each call, innermost first
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("panic at %s: %v", p.Calls[0], p.Value) }

// Call calls f and returns its error. If f panics, Call returns the panic as an
// error of type *Panic.
func Call(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Panic: // raised again after another goroutine panicked
			err = v
		default:
			err = &Panic{v, calls()}
		}
	}()
	return f()
}

// Raise panics again if Call returned a panic. It returns any other error.
func Raise(err error) error {
	if p, ok := errors.AsType[*Panic](err); ok {
		panic(p)
	}
	return err
}

// Await calls f, which may wait for input. It returns the error of f, or the
// context's error if the context ends first. In that case f continues to run,
// and it must not change anything that the caller reads.
func Await(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- Call(f) }()
	select {
	case err := <-done:
		return Raise(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// calls returns the calls that led to the panic that is being recovered,
// without the functions of the runtime that raise a panic.
func calls() (list []string) {
	const most = 10
	stack := make([]uintptr, 64)
	frames := runtime.CallersFrames(stack[:runtime.Callers(0, stack)])
	raised := false
	for more := true; more && len(list) < most; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") && raised {
			list = append(list, fmt.Sprintf("%s:%d", place(f), f.Line))
		}
		raised = raised || f.Function == "runtime.gopanic"
	}
	return append(list, "an unknown place")[:max(1, len(list))]
}

// place returns the package and file of a call without the folders of the
// machine that built the program. For example, "ingest/vtune/header.go".
func place(f runtime.Frame) string {
	folder, last := path.Split(f.Function)
	name, _, _ := strings.Cut(last, ".")
	if folder == "" && name == "main" {
		folder, name = "cmd/", "occudiff"
	}
	return strings.TrimPrefix(folder, "occudiff/") + name + "/" + filepath.Base(f.File)
}
