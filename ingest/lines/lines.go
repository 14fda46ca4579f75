// Package lines reads text files line by line in bounded memory: physical line numbers, a cap on the length of a
// line, cancelling, progress and the digest of what was read. It also holds the list of bad rows, which is cut after
// the first few. It does not know what a line says.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// MaxLine is the longest line that is kept whole. Kernel names of heavily templated code reach some 10 KB and
// unitrace pads every row to the longest of them; what is longer than this is no profiler output.
const MaxLine = 256 << 10

// checkEvery is how many bytes may pass between two looks at the context: often enough for Ctrl-C to stop at once.
const checkEvery = 1 << 20

// A Reader gives the lines of a source, one after the other.
type Reader struct {
	// Text is the current line without its line end. It is valid until the next call of Next.
	Text []byte
	// Number is the physical line number of Text, from 1.
	Number int
	// Cut says that the line was longer than MaxLine and lost its end.
	Cut bool

	path   string
	stream *Stream
	r      *bufio.Reader
	long   []byte // a line that did not fit the buffer
	err    error
}

// NewReader reads the source from its start.
func NewReader(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Reader {
	s := NewStream(ctx, src, opt)
	return &Reader{path: src.Path, stream: s, r: bufio.NewReaderSize(s, 64<<10)}
}

// Next moves to the next line. It gives false at the end of the source and on errors; see Err.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	r.long, r.Cut = r.long[:0], false
	for {
		part, err := r.r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			r.keep(part)
			continue
		}
		r.err = err
		if err != nil && err != io.EOF {
			return false
		}
		if len(part) == 0 && len(r.long) == 0 {
			return false // the end, after a line end
		}
		line := bytes.TrimSuffix(part, []byte("\n"))
		if len(r.long) > 0 {
			r.keep(line)
			line = r.long
		}
		r.Text = bytes.TrimSuffix(line, []byte("\r"))
		r.Number++
		if r.Number == 1 {
			r.Text = bytes.TrimPrefix(r.Text, []byte("\ufeff"))
		}
		return true
	}
}

func (r *Reader) keep(part []byte) {
	if room := MaxLine - len(r.long); len(part) > room {
		part, r.Cut = part[:room], true
	}
	r.long = append(r.long, part...)
}

// Err gives the error that ended the reading, nil at the end of the source.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Pos gives a place in the current line, columns count from 1.
func (r *Reader) Pos(column int) note.Pos {
	return note.Pos{File: r.path, Line: r.Number, Column: column}
}

// Digest gives the digest of all that was read when the options asked for one, else "".
func (r *Reader) Digest() string { return r.stream.Digest() }
