package scan

import (
	"io"
	"sync"
)

// blocks returns an input's blocks in order, each one once.
type blocks struct {
	in   Input
	size int

	mu    sync.Mutex
	index int64
	done  bool
}

// next fills c with the next block. It returns io.EOF if there is none. File
// blocks are read without the lock.
func (b *blocks) next(c *chunk) error {
	if b.in.At == nil {
		return b.nextOfStream(c)
	}
	b.mu.Lock()
	i := b.index
	off := i * int64(b.size)
	if off >= b.in.Size || b.done {
		b.mu.Unlock()
		return io.EOF
	}
	b.index++
	b.mu.Unlock()
	want := int(min(int64(b.size), b.in.Size-off))
	n, err := b.in.At.ReadAt(c.buf[:want], off)
	if n < want {
		if err != nil && err != io.EOF {
			return err
		}
		// The file was truncated after its size was read. Use the bytes that
		// are left.
		b.mu.Lock()
		b.done = true
		b.mu.Unlock()
		if n == 0 {
			c.set(i, 0)
			return nil
		}
	}
	c.set(i, n)
	return nil
}

func (b *blocks) nextOfStream(c *chunk) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done || b.in.R == nil {
		return io.EOF
	}
	// Considered and rejected: io.ReadFull. It returns io.ErrUnexpectedEOF at
	// the end of the input, and a truncated compressed file's reader returns
	// the same error.
	n, err := 0, error(nil)
	for n < b.size && err == nil {
		var m int
		m, err = b.in.R.Read(c.buf[n:b.size])
		n += m
	}
	switch {
	case err == io.EOF:
		b.done = true
		if n == 0 {
			return io.EOF
		}
	case err != nil:
		return err
	}
	c.set(b.index, n)
	b.index++
	return nil
}
