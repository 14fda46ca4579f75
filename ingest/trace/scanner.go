package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
)

const (
	// chunk is the number of bytes read at a time.
	chunk = 256 << 10
	// maxValue is a value's maximum length that is kept: an event with a 10 KB
	// kernel name and its call stack.
	maxValue = 1 << 20
)

// A scanner reads JSON in bounded memory. It finds the value ends and does not
// parse their content.
type scanner struct {
	r    io.Reader
	buf  []byte
	from int // buf's unread part
	to   int
	line int // buf[from]'s line, from 1
	err  error
}

// errLong means that a value is longer than maxValue.
var errLong = errors.New("the event is longer than 1 MB")

// errEnd means that the text ends too early.
var errEnd = errors.New("the text ends here")

// fill reads more bytes and reports whether there are any. It moves the unread
// part to the front, and grows the buffer if a value does not fit.
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

// skip skips n bytes.
func (s *scanner) skip(n int) {
	s.line += bytes.Count(s.buf[s.from:s.from+n], []byte{'\n'})
	s.from += n
}

// peek returns the next byte that is not white space, or 0 at the end.
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

// value returns the next value's bytes, which are valid until the next call. It
// returns nil for a value longer than maxValue.
func (s *scanner) value() ([]byte, error) {
	if s.peek() == 0 {
		return nil, errEnd
	}
	var e ending
	keep := true
	at := 0 // offset from s.from up to which e has searched
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
		// If a value is too long, continue to its end and drop its bytes.
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

// errBroken means that a string contains a line end, which JSON does not allow:
// a quote in a name was not escaped.
var errBroken = errors.New("a quote in it is not escaped")

// ending searches for a value's end, piece by piece.
type ending struct {
	depth    int
	inString bool
	escaped  bool // the previous byte was a backslash
	broken   bool // a string contains a line end
}

// special are the bytes in a string that are not plain text.
var special = [256]bool{'"': true, '\\': true, '\n': true}

// find returns how many bytes in b belong to the value. It returns false if all
// do and the value may continue.
func (e *ending) find(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		if e.inString {
			// The inner loop skips plain text with a table lookup per byte
			// instead of three comparisons, because a trace is mostly strings.
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

// resync skips a broken event: it moves to the next line that begins with an
// object. Both writers start each event on a new line.
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

// An event contains an event's used members. The slices are valid until the
// next event.
type event struct {
	phase    byte // X: has a duration; M: contains a name
	category category
	name     []byte // decoded
	pid, tid []byte // as in the file, numbers or strings
	ts, dur  []byte
	args     []byte
}

// A category is an event's kind.
type category uint8

const (
	otherCategory  category = iota
	launchCategory          // a kernel from unitrace, or a copy or fill
	kernelCategory          // a kernel from PyTorch
)

// categories maps cat's values.
var categories = map[string]category{"gpu_op": launchCategory, "kernel": kernelCategory, "gpu_memcpy": launchCategory,
	"gpu_memset": launchCategory}

// errNotJSON is the error for an event whose members cannot be parsed.
var errNotJSON = errors.New("the event is not JSON")

// parse reads an event, and reports whether the event is used. Considered and
// rejected: encoding/json, because it would decode complete events, and for
// most events the phase or category already shows that they are not used.
func (e *event) parse(b []byte) (use bool, err error) {
	*e = event{}
	for key, value := range members(b) {
		switch string(key) {
		case "":
			return false, errNotJSON
		case "ph":
			if len(value) != len(`"X"`) || value[1] != 'X' && value[1] != 'M' {
				return false, nil
			}
			e.phase = value[1]
		case "cat":
			s, _ := text(value)
			// If the phase follows the category, parse's last line checks both.
			if e.category = categories[string(s)]; e.category == otherCategory && e.phase == 'X' {
				return false, nil
			}
		case "name":
			if e.name, err = text(value); err != nil {
				return false, err
			}
		case "pid":
			e.pid = value
		case "tid":
			e.tid = value
		case "ts":
			e.ts = value
		case "dur":
			e.dur = value
		case "args":
			e.args = value
		}
	}
	return e.phase == 'M' || e.phase == 'X' && e.category != otherCategory, nil
}

// members returns an object's members. After an invalid member, it returns an
// empty key and ends.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := trim(bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("{")), []byte("}")))
		for more := true; more && len(rest) > 0; {
			var key, value []byte
			if key, rest = token(rest); len(key) < 2 || key[0] != '"' || len(rest) == 0 || rest[0] != ':' {
				yield(nil, nil)
				return
			}
			if value, rest = token(trim(rest[1:])); len(value) == 0 || len(rest) > 0 && rest[0] != ',' {
				yield(nil, nil)
				return
			}
			rest = trim(bytes.TrimPrefix(rest, []byte(",")))
			more = yield(key[1:len(key)-1], value)
		}
	}
}

// token returns the first value and the rest after it and after white space. It
// returns nothing if the value does not end.
func token(b []byte) (value, rest []byte) {
	var e ending
	end, ok := e.find(b)
	if !ok {
		if e.depth > 0 || e.inString {
			return nil, nil
		}
		end = len(b) // a number at the end
	}
	return b[:end], trim(b[end:])
}

// trim returns b without leading white space.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// text returns a decoded string.
func text(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' {
		return nil, errors.New("the name is not a string")
	}
	var s string
	if bytes.IndexByte(b, '\\') >= 0 && json.Unmarshal(b, &s) == nil {
		return []byte(s), nil
	}
	return b[1 : len(b)-1], nil // unitrace writes names without escaping, including backslashes
}

// nanoseconds returns a time given in microseconds, exactly. It does not use
// floats, because they cannot represent nanoseconds since 1970.
func nanoseconds(b []byte) (ns int64, ok bool) {
	if bytes.ContainsAny(b, "eE") {
		x, err := strconv.ParseFloat(string(b), 64)
		x = math.Round(x * 1000)
		return int64(x), err == nil && math.Abs(x) < 1<<62
	}
	whole, fraction, _ := strings.Cut(string(b), ".")
	digits := fraction + "0000"
	ns, err := strconv.ParseInt(whole+digits[:3], 10, 64)
	switch {
	case digits[3] < '5':
	case whole != "" && whole[0] == '-':
		ns--
	default:
		ns++
	}
	return ns, err == nil && len(b) > 0 && strings.Trim(fraction, "0123456789") == "" && max(ns, -ns) < 1<<62
}
