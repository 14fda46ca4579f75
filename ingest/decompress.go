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

// decompress gives the plain bytes of what begins like gzip or zstd.
func decompress(o *opened) error {
	br := o.src.R.(*bufio.Reader)
	magic, err := br.Peek(4)
	if err != nil && err != io.EOF {
		return err
	}
	in := &inflated{path: o.src.Path}
	done := o.close
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(br)
		if err != nil {
			return in.fault(err)
		}
		z.Multistream(false)
		in.r = &members{br, z}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return in.fault(err)
		}
		in.r, o.close = z, func() { z.Close(); done() }
	default:
		return nil
	}
	o.src.replace(in)
	return nil
}

// inflated gives the plain bytes of a compressed file. Only the end that the compressed file itself marks is an io.EOF:
// everything else is a fault that says how far the file was whole, because what comes before it may be no whole run.
type inflated struct {
	path         string
	r            io.Reader
	bytes, lines int64
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
	text := fmt.Sprintf("is damaged %s: %v", in.place(), err)
	switch {
	case errors.As(err, &path), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		text = "is cut off " + in.place()
	case errors.Is(err, errBehind):
		return note.Faultf(codeDamaged, note.Pos{File: in.path},
			"if the file is whole without them, unpack it with 'gzip -dc', which leaves them out",
			"bytes that are not gzip stand behind the end of the compressed file, %s", in.place())
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		text = "is damaged: its checksum does not fit what came out " + in.place()
	}
	return note.Faultf(codeDamaged, note.Pos{File: in.path}, "copy or compress it again", "the compressed file %s", text)
}

// place is how far the file was whole.
func (in *inflated) place() string {
	if in.bytes == 0 {
		return "before any text"
	}
	return fmt.Sprintf("after %d bytes of text, in line %d", in.bytes, in.lines+1)
}

// members reads the members of a gzip file, which are one text. The library's own reader takes whatever stands behind
// the last one for a member that is cut off.
type members struct {
	br *bufio.Reader
	z  *gzip.Reader
}

// errBehind says that what stands behind a whole member is neither a member nor padding.
var errBehind = errors.New("bytes that are not gzip stand behind the end")

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	head, err := m.br.Peek(2)
	switch {
	case len(head) == 0:
		return n, err
	// A single byte of the two that a member begins with may be one that is cut off.
	case head[0] == 0x1f && (len(head) == 1 || head[1] == 0x8b):
		err := m.z.Reset(m.br)
		if err == io.EOF { // where more was due
			err = io.ErrUnexpectedEOF
		}
		m.z.Multistream(false)
		return n, err
	}
	// Tapes and block devices fill the last block with zeros.
	for {
		c, err := m.br.ReadByte()
		switch {
		case err != nil:
			return n, err
		case c != 0:
			return n, errBehind
		}
	}
}
