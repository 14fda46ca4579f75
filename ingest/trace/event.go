package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"strconv"
	"strings"
)

// event is what is read of an event. The slices are good until the next event.
type event struct {
	phase    byte // X of one with a duration, M of a name
	category category
	name     []byte // decoded
	pid, tid []byte // as they stand, numbers or strings
	ts, dur  []byte
	args     []byte
}

// category is what an event is of.
type category uint8

const (
	otherCategory  category = iota
	launchCategory          // a kernel as unitrace says, or a copy or fill
	kernelCategory          // a kernel as PyTorch says
)

// categories are the words of cat.
var categories = map[string]category{"gpu_op": launchCategory, "kernel": kernelCategory, "gpu_memcpy": launchCategory,
	"gpu_memset": launchCategory}

// errNotJSON is said of an event whose members cannot be told apart.
var errNotJSON = errors.New("the event is not JSON")

// parse reads an event as far as it is of use: false of one that is not.
// encoding/json would decode all of an event, and of most the phase or category already says that they are of no use.
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
			// Where the phase comes behind the category, the last line of parse looks at both.
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

// members gives the members of an object. What is none ends them with an empty key.
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

// token takes a value off the front, and the white space behind it; nothing of one that does not end.
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
	var s string
	if bytes.IndexByte(b, '\\') >= 0 && json.Unmarshal(b, &s) == nil {
		return []byte(s), nil
	}
	return b[1 : len(b)-1], nil // unitrace writes names as they are, backslashes included
}

// nanoseconds reads a time in microseconds exactly: a float holds no nanoseconds of the time since 1970.
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
