// Package bug carries a panic out of the goroutine that it would end the
// program from. The goroutine returns the panic as an error, the goroutine that
// waits for it panics again, and the command reports where the panic began.
//
// The package is a leaf. It does not know what the functions do.
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

// Panic is a panic and the calls that led to it.
type Panic struct {
	Value any
	Calls []string // file:line of each call, innermost first
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("panic at %s: %v", p.Calls[0], p.Value) }

// Call calls a function and returns its error. It returns a panic of the
// function as an error of type *Panic.
func Call(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Panic: // of another goroutine, raised again
			err = v
		default:
			err = &Panic{v, calls()}
		}
	}()
	return f()
}

// Raise panics again with a panic that Call returned. It returns any other
// error.
func Raise(err error) error {
	if p, ok := errors.AsType[*Panic](err); ok {
		panic(p)
	}
	return err
}

// Await calls a function that may wait for input. It returns the error of the
// function, or the error of the context if that ends first; then the function
// goes on and must not change what the caller reads.
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

// calls returns the calls that led to the panic that is being recovered. The
// functions of the runtime that raise a panic are left out.
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

// place returns the file of a call by its package, without the folders of the
// machine that built the program. For example, "ingest/vtune/header.go".
func place(f runtime.Frame) string {
	folder, last := path.Split(f.Function)
	name, _, _ := strings.Cut(last, ".")
	if folder == "" && name == "main" {
		folder, name = "cmd/", "occudiff"
	}
	return strings.TrimPrefix(folder, "occudiff/") + name + "/" + filepath.Base(f.File)
}
