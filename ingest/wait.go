package ingest

import (
	"context"
	"io"
	"io/fs"
	"os"

	"occudiff/internal/bug"
)

// OpenFile opens a file and returns it with a reader. Opening a named pipe
// waits for a writer, and reading it waits for data. Both end if the context
// ends.
func OpenFile(ctx context.Context, path string) (*os.File, io.Reader, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) == 0 {
		f, err := os.Open(path)
		return f, f, err
	}
	var f *os.File
	err = bug.Await(ctx, func() (err error) {
		f, err = os.Open(path)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return f, Waiting(ctx, f), nil
}

// Waiting returns a reader that ends with the context, even if a read waits for
// data that is never written. For example, standard input is a terminal.
func Waiting(ctx context.Context, r io.Reader) io.Reader {
	return &waiting{ctx: ctx, r: r, done: make(chan error, 1)}
}

type waiting struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte // used by the goroutine that reads, which may outlive the context
	left []byte // read and not returned yet
	done chan error
	err  error
}

// Read implements io.Reader.
func (w *waiting) Read(p []byte) (int, error) {
	if len(w.left) == 0 && len(p) > 0 && w.err == nil {
		w.fill(len(p))
	}
	n := copy(p, w.left)
	w.left = w.left[n:]
	if n > 0 || len(w.left) > 0 {
		return n, nil
	}
	return 0, w.err
}

// fill waits for up to the given number of bytes.
func (w *waiting) fill(most int) {
	if w.err = w.ctx.Err(); w.err != nil {
		return
	}
	if len(w.buf) < most {
		w.buf = make([]byte, most)
	}
	n := 0
	go func() {
		w.done <- bug.Call(func() (err error) {
			n, err = w.r.Read(w.buf[:most])
			return err
		})
	}()
	select {
	case err := <-w.done:
		w.left, w.err = w.buf[:n], bug.Raise(err)
	case <-w.ctx.Done():
		w.err = w.ctx.Err()
	}
}
