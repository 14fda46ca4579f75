package vtuneresult

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"occudiff/ingest/note"
)

// The files .vtss, .trace and .aux follow the framing that Intel publishes for
// VTune's trace files (vtsstrace.h of the SEP kit): little-endian records, each
// a word of flags and what the flags name, in the order of their bits.
const (
	maxRecord = 72 << 10 // of a record outside a frame: its data is at most 64 KiB
	maxFrame  = 8 << 20  // of a frame, compressed or not; the largest one seen holds 1 MiB
	maxRepeat = 8        // repetitions of a field in one record; two were seen

	leafBits     = 3 << 25
	leafOne      = 1 << 25
	unknownFlags = 1<<31 | 1<<30 | 1<<28 | 1<<21 | 1<<20
	flagRepeated = 1 << 29
	flagSystem   = 1 << 22
	flagLarge    = 1 << 23
	flagUser     = 1 << 24
	fieldPadding = 19 // its first byte is its length
	fieldTime    = 4
	fieldReal    = 5

	typeFrame   = 78     // of a large record: one zstd frame, which holds records again
	typeClock   = 18     // of a system record: the clocks of the stream
	typeCall    = 8      // of a user record: a call or a sample, which has a begin
	typeEvent   = 10     // of a user record: a moment
	typePartial = 0x8000 // the data goes on in another record
)

// fieldSizes are the bytes of the fields of bits 0 to 18.
var fieldSizes = [fieldPadding]int{4, 4, 4, 8, 8, 8, 1, 8, 8, 8, 8, 8, 8, 8, 4, 8, 8, 8, 8}

var magic = []byte{0, 0, 0, 8, 0xfa, 0xde, 0xde, 0xad}

// record is one record of a trace file. Its bytes are good until the next one.
type record struct {
	at     int64    // where it, or the frame that holds it, begins in the file
	time   uint64   // on the stream's own clock: of a call, when it ended
	real   []uint64 // the clock's time and that of the day in 100 ns since 1970, where both are told
	system bool     // the data is VTune's own
	typ    uint16
	data   []byte
	id     uint32 // of a call or an event: what it is
	body   []byte // and what it holds
}

// stream reads the records of one file, a frame and a record at a time.
type stream struct {
	*reader
	name  string
	in    *bufio.Reader
	each  func(*record) error
	rec   record
	zip   *zstd.Decoder
	frame bytes.Buffer
	plain []byte
}

var errShort = errors.New("cut short")

// eachRecord calls each with the records of a file, whose bytes go to sum too.
// A file that breaks the framing gives an error with the byte where.
func (r *reader) eachRecord(name string, sum io.Writer, each func(*record) error) error {
	f, err := r.fs.Open(name)
	if err != nil {
		return r.fs.unreadable(name, "", err)
	}
	defer f.Close()
	zip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		return fmt.Errorf("zstd: %w", err)
	}
	defer zip.Close()
	s := &stream{reader: r, name: name, each: each, zip: zip, in: bufio.NewReaderSize(io.TeeReader(f, sum), maxRecord)}
	return s.read()
}

// inputError is what is wrong with the record that is being read.
func (s *stream) inputError(format string, args ...any) error {
	return s.fs.damaged(s.name, "record at byte %d: %s", s.rec.at, fmt.Sprintf(format, args...))
}

// cut is that it ends too early, whatever version of VTune wrote it.
func (s *stream) cut(text string) error {
	return note.Errorf(codeCut, s.fs.pos(s.name), "copy the result folder again", "record at byte %d: %s", s.rec.at, text)
}

func (s *stream) read() error {
	head, err := s.in.Peek(len(magic))
	if err != nil && err != io.EOF {
		return s.readError(err)
	}
	if !bytes.Equal(head, magic) {
		return s.fs.damaged(s.name, "this is not a VTune trace file: it does not begin as one")
	}
	for {
		head, err := s.in.Peek(10)
		switch {
		case err != nil && err != io.EOF:
			return s.readError(err)
		case len(head) == 0:
			return nil
		case len(head) == 10 && binary.LittleEndian.Uint32(head) == leafOne|flagLarge:
			err = s.large(binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint16(head[8:]))
		default:
			err = s.single()
		}
		if err != nil {
			return err
		}
	}
}

func (s *stream) readError(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return s.fs.unreadable(s.name, "copy the result folder again", err)
}

// single reads a record that stands outside of frames.
func (s *stream) single() error {
	// What is buffered holds the record nearly always; only one that is cut by
	// the end of the buffer costs a longer look.
	window, _ := s.in.Peek(s.in.Buffered())
	n, err := s.parse(window)
	if errors.Is(err, errShort) {
		if window, err = s.in.Peek(maxRecord); err != nil && err != io.EOF {
			return s.readError(err)
		}
		n, err = s.parse(window)
	}
	if errors.Is(err, errShort) {
		return s.cut("the file is cut short")
	}
	s.rec.at += int64(n)
	if err == nil {
		_, err = s.in.Discard(n)
	}
	return err
}

// large reads a compressed frame and its records.
func (s *stream) large(size uint32, typ uint16) error {
	const head = 6 // size and type
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case typ != typeFrame:
		return s.inputError("large record of type %d is not known; expected a zstd frame, type %d", typ, typeFrame)
	case size < head || size > maxFrame:
		return s.inputError("the frame claims %d bytes; at most %d are read", size, maxFrame)
	}
	s.frame.Reset()
	// The size counts itself and the type, and not the flags before it; all of
	// them were looked at.
	_, _ = s.in.Discard(4 + head)
	_, err := io.CopyN(&s.frame, s.in, int64(size)-head)
	switch {
	case err == io.EOF:
		return s.cut("the file is cut short")
	case err != nil:
		return s.readError(err)
	}
	if s.plain, err = s.zip.DecodeAll(s.frame.Bytes(), s.plain[:0]); err != nil {
		return s.inputError("the frame is not zstd, or damaged: %v", err)
	}
	// No record goes over from one frame to the next.
	for rest := s.plain; len(rest) > 0; {
		n, err := s.parse(rest)
		switch {
		case errors.Is(err, errShort):
			return s.cut("the frame is cut short")
		case err != nil:
			return err
		}
		rest = rest[n:]
	}
	s.rec.at += 4 + int64(size)
	return nil
}

// parse takes one record off the front and hands it on. It gives errShort when
// the bytes end within it. A flag that is not known would shift all fields
// behind it, so it ends the file.
func (s *stream) parse(b []byte) (n int, err error) {
	// It may come again anywhere.
	if bytes.HasPrefix(b, magic) {
		return len(magic), nil
	}
	c := cursor{b: b}
	flags := c.u32()
	r := &s.rec
	switch {
	case c.short:
		return 0, errShort
	case flags&leafBits != leafOne || flags&unknownFlags != 0:
		return 0, s.inputError("flags %#08x are not known", flags)
	case flags&flagLarge != 0:
		return 0, s.inputError("flags %#08x: a frame within another record is not known", flags)
	}
	repeated, times := uint32(0), 1
	if flags&flagRepeated != 0 {
		repeated, times = c.u32(), int(c.u8())
		if times > maxRepeat {
			return 0, s.inputError("a field is repeated %d times; at most %d are known", times, maxRepeat)
		}
	}
	r.real = r.real[:0]
	for bit, size := range fieldSizes {
		if flags>>bit&1 == 0 {
			continue
		}
		for i := 0; i == 0 || i < times && repeated>>bit&1 == 1; i++ {
			v := c.take(size)
			switch {
			case c.short:
				return 0, errShort
			case bit == fieldTime:
				r.time = binary.LittleEndian.Uint64(v)
			case bit == fieldReal:
				r.real = append(r.real, binary.LittleEndian.Uint64(v))
			}
		}
	}
	if flags>>fieldPadding&1 == 1 {
		c.take(int(c.u8()))
	}
	r.system, r.typ, r.data = flags&flagUser == 0, 0, nil
	switch kind := flags & (flagSystem | flagUser); kind {
	case 0:
	case flagSystem, flagUser:
		// The size counts itself and the type, 4 bytes.
		size := int(c.u16())
		r.typ, r.data = c.u16(), c.take(size-4)
	default:
		return 0, s.inputError("flags %#08x: data of two kinds in one record is not known", flags)
	}
	if c.short {
		return 0, errShort
	}
	return len(b) - len(c.b), s.hand()
}

// hand returns a record with data to whoever reads the file.
func (s *stream) hand() error {
	r := &s.rec
	r.id, r.body = 0, nil
	if !r.system {
		c := cursor{b: r.data}
		switch {
		case r.typ&typePartial != 0:
			return s.inputError("data in several records is not known")
		case r.typ == typeCall:
			c.take(12) // when it began
			r.id = c.u32()
		case r.typ == typeEvent:
			r.id = c.u32()
		}
		if c.short {
			return s.inputError("its data is cut short")
		}
		r.body = c.b
	}
	return s.each(r)
}

// cursor takes little-endian numbers off the front of bytes. What is past the
// end reads as 0 and sets short.
type cursor struct {
	b     []byte
	short bool
}

// take returns the next n bytes, nil past the end.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.b, c.short = nil, true
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

// Reading goes on past the end with zeros, so that a layout is written down
// without an error behind each field; short says it once.
func (c *cursor) number(bytes int) uint64 {
	var b [8]byte
	copy(b[:], c.take(bytes))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) u8() uint8   { return uint8(c.number(1)) }
func (c *cursor) u16() uint16 { return uint16(c.number(2)) }
func (c *cursor) u32() uint32 { return uint32(c.number(4)) }
func (c *cursor) u64() uint64 { return c.number(8) }

// text returns a string behind its length; some end with a zero byte.
func (c *cursor) text() string { return string(bytes.TrimRight(c.take(int(c.u16())), "\x00")) }
