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

// The files .vtss, .trace, and .aux use the framing that Intel publishes for
// VTune's trace files (vtsstrace.h in the SEP kit): little-endian records. Each
// record is a flag word, followed by the fields that the flags select, in bit
// order.
const (
	maxRecord = 72 << 10 // outside a frame; the data has up to 64 KiB
	maxFrame  = 8 << 20  // compressed or not; the largest known frame has 1 MiB
	maxRepeat = 8        // a field's repetitions in one record; at most two are known

	leafBits     = 3 << 25
	leafOne      = 1 << 25
	unknownFlags = 1<<31 | 1<<30 | 1<<28 | 1<<21 | 1<<20
	flagRepeated = 1 << 29
	flagSystem   = 1 << 22
	flagLarge    = 1 << 23
	flagUser     = 1 << 24
	fieldPadding = 19 // the first byte is the length
	fieldTime    = 4
	fieldReal    = 5

	typeFrame   = 78     // large record: one zstd frame, which contains records
	typeClock   = 18     // system record: the stream's clocks
	typeCall    = 8      // user record: a call or a sample, which has a start
	typeEvent   = 10     // user record: a single moment
	typePartial = 0x8000 // the data continues in another record
)

// fieldSizes are the field sizes for bits 0 to 18, in bytes.
var fieldSizes = [fieldPadding]int{4, 4, 4, 8, 8, 8, 1, 8, 8, 8, 8, 8, 8, 8, 4, 8, 8, 8, 8}

var magic = []byte{0, 0, 0, 8, 0xfa, 0xde, 0xde, 0xad}

// A record is one record in a trace file. Its bytes are valid until the next
// record.
type record struct {
	at     int64    // offset in the file, of the record or its frame
	time   uint64   // on the stream's own clock; for a call, its end
	real   []uint64 // the clock's time and the time of day in 100 ns since 1970, if both are present
	system bool     // the data is internal to VTune
	typ    uint16
	data   []byte
	id     uint32 // kind of call or event
	body   []byte // data for a call or an event
}

// A stream reads one file's records, one frame and one record at a time.
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

// eachRecord calls a function for each record in a file. It also writes the
// file's bytes to sum. If the framing is invalid, the error contains the
// offset.
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

// inputError returns an error about the current record.
func (s *stream) inputError(format string, args ...any) error {
	return s.fs.damaged(s.name, "record at byte %d: %s", s.rec.at, fmt.Sprintf(format, args...))
}

// cut returns the error for a record that ends too early. Its code differs,
// because this is not caused by an unknown version of VTune.
func (s *stream) cut(text string) error {
	return note.Errorf(codeCut, s.fs.pos(s.name), "copy the result folder again",
		"record at byte %d: %s", s.rec.at, text)
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

// single reads a record outside frames.
func (s *stream) single() error {
	// The buffer almost always contains the complete record. Only a record that
	// crosses the buffer's end needs a second look.
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
	// The size includes itself and the type, but not the flags before it. All
	// were read already.
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
	// No record continues in the next frame.
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

// parse reads the first record and passes it on. It returns errShort if the
// bytes end within the record. An unknown flag ends the file with an error,
// because it would shift all fields after it.
func (s *stream) parse(b []byte) (n int, err error) {
	// The magic bytes may be repeated anywhere.
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
			return 0, s.inputError(
				"a field is repeated %d times; occudiff reads at most %d repetitions", times, maxRepeat)
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
		// The size includes itself and the type, 4 bytes.
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

// hand passes a record with data to eachRecord's caller.
func (s *stream) hand() error {
	r := &s.rec
	r.id, r.body = 0, nil
	if !r.system {
		c := cursor{b: r.data}
		switch {
		case r.typ&typePartial != 0:
			return s.inputError("data in several records is not known")
		case r.typ == typeCall:
			c.take(12) // the call's start
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

// A cursor reads little-endian numbers from the beginning of bytes. Past the
// end, it returns 0 and sets short.
type cursor struct {
	b     []byte
	short bool
}

// take returns the next n bytes, or nil past the end.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.b, c.short = nil, true
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

// number returns an integer with up to 8 bytes. Past the end it returns 0, so
// that code for a layout needs no error check after each field, but one check
// of short at the end.
func (c *cursor) number(bytes int) uint64 {
	var b [8]byte
	copy(b[:], c.take(bytes))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) u8() uint8   { return uint8(c.number(1)) }
func (c *cursor) u16() uint16 { return uint16(c.number(2)) }
func (c *cursor) u32() uint32 { return uint32(c.number(4)) }
func (c *cursor) u64() uint64 { return c.number(8) }

// text returns a string that follows its length. Some strings end with a zero
// byte.
func (c *cursor) text() string { return string(bytes.TrimRight(c.take(int(c.u16())), "\x00")) }
