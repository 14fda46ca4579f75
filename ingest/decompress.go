package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
	"occudiff/ingest/note"
)

// decompress replaces src.R by the plain bytes when the file begins like gzip or zstd, and gives their reader then.
func decompress(src *Source, acceptTruncated bool) (in *inflated, err error) {
	br := bufio.NewReaderSize(src.R, sniffSize)
	src.R = br
	magic, err := br.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	in = &inflated{path: src.Path}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, in.fault(err)
		}
		in.r, in.close = z, func() { z.Close() }
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, in.fault(err)
		}
		in.r, in.close = z, z.Close
	default:
		return nil, nil
	}
	*src = Source{Path: src.Path, Size: -1}
	if acceptTruncated {
		src.R = bufio.NewReaderSize(&wholeLines{in: in, r: bufio.NewReaderSize(in, 1<<20)}, sniffSize)
	} else {
		src.R = bufio.NewReaderSize(in, sniffSize)
	}
	return in, nil
}

// inflated gives the plain bytes of a compressed file. Only the end that the compressed file itself marks is an io.EOF:
// everything else is a fault that says how far the file was whole, because what comes before it may be no whole run.
type inflated struct {
	path         string
	r            io.Reader
	close        func()
	bytes, lines int64
	cut          *note.Fault // where the file ends too early
}

// Read implements io.Reader.
func (in *inflated) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	in.bytes += int64(n)
	in.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	if err != nil && err != io.EOF {
		err = in.fault(err)
	}
	return n, err
}

// fault tells damage from what kept the file from being read.
func (in *inflated) fault(err error) error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = note.Faultf(codeDamaged, note.Pos{File: in.path},
			"copy or compress it again; 'occudiff validate --accept-truncated' uses its whole lines",
			"the compressed file is cut off %s", in.place())
		errors.As(err, &in.cut)
		return err
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return note.Faultf(codeDamaged, note.Pos{File: in.path}, "copy or compress it again",
			"the compressed file is damaged: its checksum does not fit what came out %s", in.place())
	}
	return note.Faultf(codeDamaged, note.Pos{File: in.path}, "copy or compress it again",
		"the compressed file is damaged %s: %v", in.place(), err)
}

// place is how far the file was whole.
func (in *inflated) place() string {
	if in.bytes == 0 {
		return "before any text"
	}
	return fmt.Sprintf("after %d bytes of text, in line %d", in.bytes, in.lines+1)
}

// shortened is the note on a file that was used although it is cut off; nil when it is not.
func (in *inflated) shortened() *note.Note {
	if in == nil || in.cut == nil {
		return nil
	}
	return &note.Note{Severity: note.Warning, Code: "truncated-file", Pos: in.cut.Pos,
		Text: fmt.Sprintf("%s: only its first %d lines are used, and what it says is not the whole run", in.cut.Text,
			in.lines),
		Hint: "copy or compress it again"}
}

// wholeLines gives the lines of a file that may be cut off: what stands behind the last line end, perhaps half of a
// number, is left out when it is.
type wholeLines struct {
	in   *inflated
	r    *bufio.Reader
	line []byte
	err  error
}

// Read implements io.Reader.
func (w *wholeLines) Read(p []byte) (int, error) {
	if len(w.line) == 0 && w.err == nil {
		w.line, w.err = w.r.ReadSlice('\n')
		switch {
		case w.err == bufio.ErrBufferFull:
			w.err = nil
		case w.err != nil && w.in.cut != nil:
			w.line, w.err = nil, io.EOF
		}
	}
	n := copy(p, w.line)
	if w.line = w.line[n:]; len(w.line) > 0 {
		return n, nil
	}
	return n, w.err
}
