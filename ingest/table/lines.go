package table

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// MaxLine is the longest line that is kept whole. Kernel names of heavily templated code reach some 10 KB and
// unitrace pads every row to the longest of them; what is longer than this is no profiler output.
const MaxLine = 256 << 10

// checkEvery is how many bytes may pass between two looks at the context: often enough for Ctrl-C to stop at once.
const checkEvery = 1 << 20

// Lines gives the lines of a source in bounded memory, one after the other.
type Lines struct {
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

// NewLines reads the source from its start.
func NewLines(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Lines {
	s := NewStream(ctx, src, opt)
	return &Lines{path: src.Path, stream: s, r: bufio.NewReaderSize(s, 64<<10)}
}

// Next moves to the next line. It gives false at the end of the source and on errors; see Err.
func (r *Lines) Next() bool {
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

func (r *Lines) keep(part []byte) {
	if room := MaxLine - len(r.long); len(part) > room {
		part, r.Cut = part[:room], true
	}
	r.long = append(r.long, part...)
}

// Err gives the error that ended the reading, nil at the end of the source.
func (r *Lines) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Pos gives a place in the current line, columns count from 1.
func (r *Lines) Pos(column int) note.Pos {
	return note.Pos{File: r.path, Line: r.Number, Column: column}
}

// Digest gives the digest of all that was read when the options asked for one, else "".
func (r *Lines) Digest() string { return r.stream.Digest() }

// A Stream is the bytes of a source: it stops when the context is cancelled, reports progress and takes the digest of
// what passes when the options ask for one.
type Stream struct {
	ctx   context.Context
	r     io.Reader
	hash  hash.Hash
	opt   ingest.ReadOptions
	read  int64
	shown int64
	ended error
}

// NewStream reads the source from its start.
func NewStream(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Stream {
	s := &Stream{ctx: ctx, r: src.R, opt: opt}
	if opt.Hash {
		s.hash = sha256.New()
	}
	return s
}

// Read implements io.Reader. It reads little at a time, so that cancelling stops at once.
func (s *Stream) Read(p []byte) (int, error) {
	if s.ended != nil {
		return 0, s.ended
	}
	if err := s.ctx.Err(); err != nil {
		s.ended = err
		return 0, err
	}
	n, err := s.r.Read(p[:min(len(p), checkEvery)])
	s.read += int64(n)
	if s.hash != nil {
		s.hash.Write(p[:n])
	}
	if s.opt.Progress != nil && (s.read-s.shown >= checkEvery || err == io.EOF) {
		s.shown = s.read
		s.opt.Progress(s.read)
	}
	s.ended = err
	return n, err
}

// Digest gives the digest of all that was read when the options asked for one, else "".
func (s *Stream) Digest() string {
	if s.hash == nil {
		return ""
	}
	return "sha256:" + hex.EncodeToString(s.hash.Sum(nil))
}
