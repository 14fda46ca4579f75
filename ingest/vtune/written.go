package vtune

import (
	"bytes"
	"math"

	"occudiff/ingest/note"
)

// marks is a set of roles that the point and the comma have in numbers.
type marks uint8

const (
	decimalPoint marks = 1 << iota
	decimalComma
	groupPoint // between groups of three digits
	groupComma
)

// A form describes a column's numbers.
type form struct {
	whole bool // a count or a size, which has no fraction
	share bool // a percentage or a fraction, which has no thousands
	units []scaled
}

// scaled is a unit and its size in the column's unit.
type scaled struct {
	suffix string
	size   float64
}

// Column forms. VTune's KB is 1000 bytes: it prints 65,536 bytes of local
// memory as 65.5 KB in its summaries.
var (
	shareForm = form{share: true, units: []scaled{{"%", 1}}}
	timeForm  = form{units: []scaled{{"ms", 1e-3}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6}, {"ns", 1e-9},
		{"s", 1}}}
	bytesForm = form{whole: true, units: []scaled{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}}
	countForm = form{whole: true}
	rateForm  = form{}
)

func formOf(q quantity) form {
	switch {
	case q >= firstShare:
		return shareForm
	case q == total || q == average:
		return timeForm
	case q == spill || q == hostToDevice || q == deviceToHost:
		return bytesForm
	}
	return countForm
}

// read returns the number in a cell with any form: a whole number, or nano.
func (a *adder) read(b []byte, column int, name string, f form) (x int64, ok bool) {
	point := bytes.IndexByte(b, '.')
	if f.whole {
		if x, ok = parseCount(b); ok && point < 0 {
			return x, true
		}
	} else if x, ok = parseNano(b); ok && (point < 0 || len(b)-point != len(".000")) {
		if point >= 0 {
			a.certain |= decimalPoint
		}
		return x, true
	}
	number, size := trimSpaces(b), 0.0
	for _, u := range f.units {
		if rest, found := bytes.CutSuffix(number, []byte(u.suffix)); found {
			number, size = trimSpaces(rest), u.size
			break
		}
	}
	plain, used, guessed, ok := plainNumber(number, form{whole: f.whole && size == 0, share: f.share}, a.h.delim)
	if !ok {
		return 0, false
	}
	if f.whole && size == 0 {
		x, ok = parseCount(plain)
	} else if x, ok = parseNano(plain); f.whole {
		x = int64(math.Round(float64(x) * size / one))
	} else if size != 0 {
		x = int64(math.Round(float64(x) * size))
	}
	if ok && guessed {
		// Only after reading all numbers is it known whether they confirm a
		// guess: "1,234" may be 1.234 or 1234.
		if _, known := a.firsts[used]; !known {
			a.first(used, note.Newf(note.Error, "ambiguous-number", a.at(column),
				"export the file again with decimal points and without thousands separators, as with LC_ALL=C",
				"%q is %s: the mark before three digits may separate decimals or thousands, and the other numbers "+
					"of the file do not show which", name, shorten(b)))
		}
	} else if ok {
		a.certain |= used
	}
	return x, ok
}

// groupSpaces are the spaces and apostrophes that separate thousands and have
// no other use between digits. The single byte A0 is Windows-1252's no-break
// space.
var groupSpaces = [][]byte{[]byte("\u00a0"), []byte("\u202f"), []byte("\u2009"), []byte("\u2019"), {'\''}, {0xa0}}

// trimSpaces returns a number without the spaces around it, including a space
// before its unit.
func trimSpaces(b []byte) []byte { return bytes.TrimSuffix(bytes.TrimSpace(b), []byte{0xa0}) }

// plainNumber returns a number without thousands separators and with a decimal
// point. guessed reports whether its mark may also have the other meaning.
func plainNumber(b []byte, f form, delim byte) (plain []byte, used marks, guessed, ok bool) {
	for _, space := range groupSpaces {
		if bytes.Contains(b, space) {
			if b, ok = ungroup(b, space); !ok {
				return nil, 0, false, false
			}
			break
		}
	}
	points, commas := bytes.Count(b, []byte{'.'}), bytes.Count(b, []byte{','})
	switch {
	case points+commas == 0:
		return b, 0, false, true
	case points == 1 && commas > 0 && bytes.IndexByte(b, '.') > bytes.LastIndexByte(b, ','):
		b, ok = ungroup(b, []byte{','})
		return b, decimalPoint | groupComma, false, ok
	case commas == 1 && points > 0 && bytes.IndexByte(b, ',') > bytes.LastIndexByte(b, '.'):
		b, ok = ungroup(b, []byte{'.'})
		return bytes.Replace(b, []byte{','}, []byte{'.'}, 1), decimalComma | groupPoint, false, ok
	case points > 0 && commas > 0:
		return nil, 0, false, false
	}
	mark, decimal, group := []byte{'.'}, decimalPoint, groupPoint
	if commas > 0 {
		mark, decimal, group = []byte{','}, decimalComma, groupComma
	}
	grouped, isGrouped := ungroup(b, mark)
	asDecimal := bytes.Replace(b, mark, []byte{'.'}, 1)
	switch _, places, _ := bytes.Cut(b, mark); {
	case points+commas > 1:
		return grouped, group, false, isGrouped
	case !isGrouped || f.share:
		return asDecimal, decimal, false, true
	case !f.whole: // times and bandwidths have a decimal mark
		return asDecimal, decimal, true, true
	case string(places) != "000": // launches are whole numbers
		return grouped, group, false, true
	case commas > 0 || delim != ',':
		return grouped, group, true, true
	}
	return asDecimal, decimal, true, true
}

// ungroup returns a number without the marks between three-digit groups. ok is
// false for other text, for example "1,24" and "0,240".
func ungroup(b, mark []byte) (plain []byte, ok bool) {
	groups := bytes.Split(b, mark)
	for i, g := range groups {
		if i == len(groups)-1 {
			if end := bytes.IndexAny(g, ".,"); end >= 0 {
				g = g[:end]
			}
		}
		if i == 0 {
			g = bytes.TrimLeft(g, "+-")
		}
		first := i == 0 && len(g) > 0 && len(g) < 4 && g[0] != '0'
		if !first && (i == 0 || len(g) != 3) || len(bytes.Trim(g, "0123456789")) > 0 {
			return nil, false
		}
	}
	return bytes.Join(groups, nil), true
}

// checkGuesses returns an error for the first guess that the file's other
// numbers do not confirm, because a number must never be wrong by a factor of
// 1000.
func (r *result) checkGuesses() error {
	certain := r.sum.certain
	comma, point := certain&decimalComma != 0, certain&decimalPoint != 0
	var first note.Note
	for used, confirmed := range map[marks]bool{
		decimalComma: comma,
		groupPoint:   comma || certain&groupPoint != 0,
		decimalPoint: point || !comma && certain&groupPoint == 0,
		groupComma:   !comma || certain&groupComma != 0,
	} {
		n, found := r.sum.firsts[used]
		if found && !confirmed && (first.Code == "" || before(n.Pos, first.Pos)) {
			first = n
		}
	}
	if first.Code == "" {
		return nil
	}
	return &note.InputError{Note: first}
}

func before(a, b note.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}
