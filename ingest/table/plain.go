package table

import "bytes"

// Plain gives the line as a terminal would show it: without NUL bytes, which file systems leave in logs of crashed
// nodes, and without escape sequences (colors, cursor movement). It gives the line itself when there is nothing to
// take out.
func Plain(line []byte) []byte {
	if bytes.IndexByte(line, 0) < 0 && bytes.IndexByte(line, escape) < 0 {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if n := invisible(line[i:]); n > 0 {
			i += n
			continue
		}
		out = append(out, line[i])
		i++
	}
	return out
}

// RawColumn gives the column (from 1) in the line of the byte that has the given index in Plain(line).
func RawColumn(line []byte, index int) int {
	for i := 0; i < len(line); {
		if n := invisible(line[i:]); n > 0 {
			i += n
			continue
		}
		if index == 0 {
			return i + 1
		}
		index--
		i++
	}
	return len(line) + 1
}

const escape = 0x1b

// invisible gives the length of what stands at the start of b and shows nothing, 0 when b starts with text.
func invisible(b []byte) int {
	switch {
	case b[0] == 0:
		return 1
	case b[0] != escape:
		return 0
	case len(b) == 1:
		return 1
	}
	switch b[1] {
	case '[': // control sequence: parameters, then a byte from @ to ~
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' && b[i] <= '~' {
				return i + 1
			}
			if b[i] < ' ' || b[i] > '?' {
				return i // broken sequence: keep what is no part of it
			}
		}
		return len(b)
	case ']': // operating system command: up to BEL or ESC \
		for i := 2; i < len(b); i++ {
			if b[i] == 7 {
				return i + 1
			}
			if b[i] == escape {
				return min(i+2, len(b))
			}
		}
		return 2
	}
	return 2
}
