package unit

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// A Size3 is a launch size in work-items or work-groups, with one to three
// dimensions. It keeps how many dimensions were printed: `1024 x 1` has two. A
// missing dimension counts as 1. The zero Size3 is absent: for example, a copy
// has no launch size.
type Size3 struct {
	n    [3]int64
	rank uint8
}

// Size returns a Size3 of up to three positive dimensions. It panics if there
// are more, because that is a bug of the caller.
func Size(dims ...int64) Size3 {
	if len(dims) > 3 {
		panic("unit.Size: more than three dimensions")
	}
	s := Size3{rank: uint8(len(dims))}
	copy(s.n[:], dims)
	return s
}

// ParseSize returns the size in a string such as `512 x 512`, `512x512`,
// `512*512`, or `512,512`. Dimensions are decimal integers from 1 to 2^63-1,
// without leading zeros. An empty string is the absent size.
func ParseSize(text string) (Size3, error) {
	t := strings.TrimSpace(text)
	if t == "" {
		return Size3{}, nil
	}
	separators := 0
	parts := strings.FieldsFunc(t, func(r rune) bool {
		times := strings.ContainsRune("xX*×,", r)
		if times {
			separators++
		}
		return times
	})
	if separators != len(parts)-1 {
		return Size3{}, fmt.Errorf("size %q has an empty dimension; expected one to three numbers as in 512x512", text)
	}
	if len(parts) > 3 {
		return Size3{}, fmt.Errorf("size %q has %d dimensions; a launch has one to three", text, len(parts))
	}
	var s Size3
	for i, p := range parts {
		p = strings.TrimSpace(p)
		v, err := strconv.ParseInt(p, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) && v > 0:
			return Size3{}, fmt.Errorf("size %q: dimension %q is above %d", text, p, int64(math.MaxInt64))
		case err != nil:
			return Size3{}, fmt.Errorf("size %q: %q is not a whole number; "+
				"expected one to three numbers as in 512x512", text, p)
		case len(p) > 1 && p[0] == '0': // a part of a number with thousands separators
			return Size3{}, fmt.Errorf("size %q: dimension %q begins with 0; "+
				"commas separate dimensions, not thousands", text, p)
		case v < 1:
			return Size3{}, fmt.Errorf("size %q: dimension %d is below 1", text, v)
		}
		s.n[i] = v
	}
	s.rank = uint8(len(parts))
	return s, nil
}

// Present reports whether the size is present.
func (s Size3) Present() bool { return s.rank > 0 }

// Rank returns the number of dimensions that were printed, or 0 for the absent
// size.
func (s Size3) Rank() int { return int(s.rank) }

// Dim returns dimension i, from 0 to 2. It returns 1 for a dimension that was
// not printed.
func (s Size3) Dim(i int) int64 {
	if i < int(s.rank) {
		return s.n[i]
	}
	return 1
}

// Trim returns the size without trailing dimensions of 1. Tools print the same
// size either way: 1024x1 or 1024.
func (s Size3) Trim() Size3 {
	for s.rank > 1 && s.n[s.rank-1] == 1 {
		s.rank--
		s.n[s.rank] = 0
	}
	return s
}

// WithRank returns the size with at least n dimensions. It adds dimensions of
// 1. The absent size stays absent.
func (s Size3) WithRank(n int) Size3 {
	for s.Present() && s.Rank() < n {
		s.n[s.rank] = 1
		s.rank++
	}
	return s
}

// List returns the dimensions that were printed. The list is never nil.
func (s Size3) List() []int64 { return append([]int64{}, s.n[:s.rank]...) }

// Items returns the product of the dimensions. It returns false if the size is
// absent or if the product overflows 63 bits.
func (s Size3) Items() (int64, bool) {
	if s.rank == 0 {
		return 0, false
	}
	p := uint64(1)
	for i := range int(s.rank) {
		if s.n[i] < 1 {
			return 0, false
		}
		hi, lo := bits.Mul64(p, uint64(s.n[i]))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, false
		}
		p = lo
	}
	return int64(p), true
}

// String returns the size as `512x512`, or an empty string for the absent size.
func (s Size3) String() string {
	var b []byte
	for i := range int(s.rank) {
		if i > 0 {
			b = append(b, 'x')
		}
		b = strconv.AppendInt(b, s.n[i], 10)
	}
	return string(b)
}

// countWithUnit matches a count, its unit, and the character after them.
var countWithUnit = regexp.MustCompile(`(?i)(\d+)([KMG])(x|\W|$)`)

// ExpandCounts returns a text with plain numbers instead of counts with a unit:
// 1048576 for 1M. It keeps a count that is too large, and ParseSize then
// rejects it.
func ExpandCounts(text string) string {
	return countWithUnit.ReplaceAllStringFunc(text, func(match string) string {
		m := countWithUnit.FindStringSubmatch(match)
		n, err := strconv.ParseInt(m[1], 10, 64)
		shift := 10 * (1 + strings.Index("KMG", strings.ToUpper(m[2])))
		if err != nil || n > math.MaxInt64>>shift {
			return match
		}
		return strconv.FormatInt(n<<shift, 10) + m[3]
	})
}
