package ingest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWaiting(t *testing.T) {
	text := strings.Repeat("a line\n", 1000)
	if err := iotest.TestReader(Waiting(t.Context(), strings.NewReader(text)), []byte(text)); err != nil {
		t.Error(err)
	}
	if err := iotest.TestReader(Waiting(t.Context(), iotest.DataErrReader(strings.NewReader(text))), []byte(text)); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	if _, err := Waiting(t.Context(), iotest.ErrReader(broken)).Read(make([]byte, 9)); err != broken {
		t.Errorf("got %v, want the error of the reader", err)
	}

	// The writer writes nothing, and the context ends.
	in, out := io.Pipe()
	defer out.Close()
	ctx, stop := context.WithCancel(t.Context())
	r := Waiting(ctx, in)
	go stop()
	for range 2 {
		if n, err := r.Read(make([]byte, 9)); n != 0 || err != context.Canceled {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}
