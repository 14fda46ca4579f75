package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// event is what is read of an event. The slices are good until the next event.
type event struct {
	phase    byte // X of one with a duration, M of a name
	category category
	name     []byte // decoded
	pid, tid []byte // as they stand, numbers or strings
	ts, dur  []byte
	args     []byte // of a kernel
	argsName []byte // args.name, of a name
}

// category is what an event is of.
type category uint8

const (
	otherCategory  category = iota
	launchCategory          // a kernel, or a copy or fill that unitrace names as the driver does
	kernelCategory          // a kernel as PyTorch says
	copyCategory            // a copy or fill as PyTorch names it
)

// categories are the words of cat.
var categories = map[string]category{"gpu_op": launchCategory, "kernel": kernelCategory, "gpu_memcpy": copyCategory,
	"gpu_memset": copyCategory}

// errNotJSON is said of an event whose members cannot be told apart.
var errNotJSON = errors.New("the event is not JSON")

// parse reads an event as far as it is of use: false of one that is not.
// encoding/json would decode all of an event, and of most the phase or category already says that they are of no use.
func (e *event) parse(b []byte) (bool, error) {
	*e = event{}
	m := membersOf(b)
	for m.next() {
		var err error
		switch string(m.key) {
		case "ph":
			if s, _ := text(m.value); len(s) != 1 || s[0] != 'X' && s[0] != 'M' {
				return false, nil
			} else {
				e.phase = s[0]
			}
		case "cat":
			s, _ := text(m.value)
			// Where the phase comes behind the category, the last line of parse looks at both.
			if e.category = categories[string(s)]; e.category == otherCategory && e.phase == 'X' {
				return false, nil
			}
		case "name":
			e.name, err = text(m.value)
		case "pid":
			e.pid = m.value
		case "tid":
			e.tid = m.value
		case "ts":
			e.ts = m.value
		case "dur":
			e.dur = m.value
		case "args":
			if e.args = m.value; e.phase == 'M' {
				e.argsName = nameOf(m.value)
			}
		}
		if err != nil {
			return false, err
		}
	}
	return m.err == nil && (e.phase == 'M' || e.phase == 'X' && e.category != otherCategory), m.err
}

// nameOf gives the member "name" of an object.
func nameOf(b []byte) []byte {
	m := membersOf(b)
	for m.next() {
		if string(m.key) == "name" {
			s, _ := text(m.value)
			return s
		}
	}
	return nil
}

// members goes through the members of an object.
type members struct {
	rest       []byte
	key, value []byte
	err        error
}

func membersOf(b []byte) members {
	return members{rest: bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("{")), []byte("}"))}
}

// next moves to the next member.
func (m *members) next() bool {
	m.rest = trim(m.rest)
	if len(m.rest) == 0 || m.err != nil {
		return false
	}
	key, ok := m.token()
	if ok && len(key) >= 2 && key[0] == '"' {
		m.key = key[1 : len(key)-1]
		if m.rest = trim(m.rest); len(m.rest) > 0 && m.rest[0] == ':' {
			m.rest = trim(m.rest[1:])
			if m.value, ok = m.token(); ok && len(m.value) > 0 {
				if m.rest = trim(m.rest); len(m.rest) == 0 {
					return true
				}
				if m.rest[0] == ',' {
					m.rest = m.rest[1:]
					return true
				}
			}
		}
	}
	m.err = errNotJSON
	return false
}

// token takes a value off the front.
func (m *members) token() ([]byte, bool) {
	var e ending
	end, ok := e.find(m.rest)
	if !ok {
		if end = len(m.rest); e.depth > 0 || e.inString { // a number may stand at the end
			return nil, false
		}
	}
	t := m.rest[:end]
	m.rest = m.rest[end:]
	return t, !e.broken
}

// trim takes white space off the front.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// text decodes a string.
func text(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' {
		return nil, errors.New("the name is not a string")
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return b[1 : len(b)-1], nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		// unitrace writes names as they are, backslashes included.
		return b[1 : len(b)-1], nil
	}
	return []byte(s), nil
}

// nanoseconds reads a time in microseconds exactly: a float holds no nanoseconds of the time since 1970.
func nanoseconds(b []byte) (int64, bool) {
	whole, fraction, _ := bytes.Cut(b, []byte{'.'})
	if len(b) == 0 || bytes.ContainsAny(b, "eE") {
		x, err := strconv.ParseFloat(string(b), 64)
		if ns := math.Round(x * 1000); err == nil && math.Abs(ns) < 1<<62 {
			return int64(ns), true
		}
		return 0, false
	}
	n, err := strconv.ParseInt(string(whole), 10, 64)
	const most = (1 << 62) / 1000
	if err != nil || n > most || n < -most {
		return 0, false
	}
	n *= 1000
	scale := int64(100)
	for i, c := range fraction {
		if c < '0' || c > '9' {
			return 0, false
		}
		// The fourth digit rounds: one more nanosecond, or none.
		if i == 3 && c >= '5' {
			scale = 1
			c = '1'
		}
		if whole[0] == '-' {
			n -= int64(c-'0') * scale
		} else {
			n += int64(c-'0') * scale
		}
		if scale /= 10; i >= 3 {
			scale = 0
		}
	}
	return n, true
}
