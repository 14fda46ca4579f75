package trace

import (
	"bytes"
	"errors"
	"io"
)

const (
	// chunk is how much is read at a time.
	chunk = 256 << 10
	// maxValue is the longest value that is kept whole: an event with a kernel's name of some 10 KB and its call stack.
	maxValue = 1 << 20
)

// scanner walks through JSON of any size in bounded memory. It finds where values end and leaves what is in them to
// others.
type scanner struct {
	r    io.Reader
	buf  []byte
	from int // what is left of buf to read
	to   int
	line int // of buf[from], from 1
	err  error
}

// errLong says that a value is longer than any that is kept.
var errLong = errors.New("the event is longer than 1 MB")

// errEnd says that the text ends where more was due.
var errEnd = errors.New("the text ends here")

// fill reads more; what has been read moves to the front, and the buffer grows for a value that does not fit.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.to+chunk > len(s.buf) {
		copy(s.buf, s.buf[s.from:s.to])
		s.to, s.from = s.to-s.from, 0
		if s.to+chunk > len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
	}
	n := 0
	for n == 0 && s.err == nil {
		n, s.err = s.r.Read(s.buf[s.to : s.to+chunk])
	}
	s.to += n
	return n > 0
}

// skip passes over n bytes.
func (s *scanner) skip(n int) {
	s.line += bytes.Count(s.buf[s.from:s.from+n], []byte{'\n'})
	s.from += n
}

// peek gives the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	for {
		for i := s.from; i < s.to; i++ {
			switch s.buf[i] {
			case ' ', '\t', '\r', '\n':
			default:
				s.skip(i - s.from)
				return s.buf[s.from]
			}
		}
		s.skip(s.to - s.from)
		if !s.fill() {
			return 0
		}
	}
}

// value reads a value and gives its bytes, which are good until the next call; nil of one that is longer than any that
// is kept.
func (s *scanner) value() ([]byte, error) {
	if s.peek() == 0 {
		return nil, errEnd
	}
	var e ending
	keep := true
	at := 0 // from s.from, up to where e has looked
	for {
		if end, ok := e.find(s.buf[s.from+at : s.to]); ok {
			at += end
			value := s.buf[s.from : s.from+at]
			s.skip(at)
			switch {
			case e.broken:
				return nil, errBroken
			case !keep:
				return nil, nil
			}
			return value, nil
		}
		at = s.to - s.from
		// A value that is too long is still walked through, to find its end, and its bytes are let go on the way.
		if !keep || at > maxValue {
			keep = false
			s.skip(at)
			at = 0
		}
		if !s.fill() {
			return nil, errEnd
		}
	}
}

// errBroken says that a string holds a line end, which JSON does not allow: a quote in a name that was not escaped.
var errBroken = errors.New("a quote in it is not escaped")

// ending looks for where a value ends, in pieces.
type ending struct {
	depth    int
	inString bool
	escaped  bool // the byte before was a backslash
	broken   bool // a string holds a line end
}

// special are the bytes of a string that are not text.
var special = [256]bool{'"': true, '\\': true, '\n': true}

// find gives how many bytes of b belong to the value, false when all do and more may follow.
func (e *ending) find(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		if e.inString {
			// The inner loop takes text at a byte a step, with a table instead of three comparisons: strings are most
			// of a trace.
			for !special[b[i]] && !e.escaped {
				if i++; i == len(b) {
					return 0, false
				}
			}
			switch c := b[i]; {
			case e.escaped:
				e.escaped = false
			case c == '\\':
				e.escaped = true
			case c == '\n':
				e.broken = true
				return i, true
			case c == '"':
				e.inString = false
				if e.depth == 0 {
					return i + 1, true
				}
			}
			continue
		}
		switch b[i] {
		case '"':
			e.inString = true
		case '{', '[':
			e.depth++
		case '}', ']':
			if e.depth == 0 {
				return i, true
			}
			if e.depth--; e.depth == 0 {
				return i + 1, true
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if e.depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// resync goes on behind a broken event: at the next line that begins with an object.
// Both writers put an event on a line of its own.
func (s *scanner) resync() bool {
	for {
		i := bytes.IndexByte(s.buf[s.from:s.to], '\n')
		if i < 0 {
			s.skip(s.to - s.from)
			if !s.fill() {
				return false
			}
			continue
		}
		s.skip(i + 1)
		switch s.peek() {
		case 0:
			return false
		case '{', ']':
			return true
		}
	}
}
