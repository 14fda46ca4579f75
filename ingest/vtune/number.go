package vtune

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// nano is a number with the unit 1e-9. Times, percentages, and shares are
// parsed and added as nano. Integer sums do not depend on the order, so the
// result does not depend on the thread count. A printed decimal with up to nine
// places is exact.
type nano = int64

const (
	one = 1_000_000_000
	// maxSeconds limits a time, so that sums of times, and of their products
	// with shares, do not overflow.
	maxSeconds = 1_000_000_000
)

// parseNano returns a decimal number, rounded to 1e-9. ok is false if it is not
// a number or not below 9.2e9.
func parseNano(b []byte) (v nano, ok bool) {
	f, ok := parseFloat(b)
	whole, places, _ := strings.Cut(string(b), ".")
	exact, err := strconv.ParseInt(whole+places+"000000000"[min(len(places), 9):], 10, 64)
	switch {
	case !ok || math.Abs(f) >= 9.2e9:
		return 0, false
	case err == nil && len(places) <= 9:
		return exact, true
	}
	return int64(math.Round(f * one)), true
}

const (
	zeros8 = 0x3030303030303030
	// Adding overNine to a digit keeps the highest bit clear. Adding it to a
	// larger value sets the bit.
	overNine = 0x7676767676767676
	pairs    = 0x000000ff000000ff
	highest  = 0x8080808080808080
)

// digits8 returns the number formed by eight digits (0..9, the first in the
// lowest byte). ok is false if any is not a digit.
func digits8(y uint64) (v int64, ok bool) {
	ok = (y+overNine|y)&highest == 0
	y = y*10 + y>>8
	y = ((y&pairs)*(100+1000000<<32) + (y>>16&pairs)*(1+10000<<32)) >> 32
	return int64(uint32(y)), ok
}

// shortTenths parses a share and returns it in tenths. It accepts only the usual
// form: one to three digits, a point, and one decimal place. x contains the
// cell's last eight bytes. The cell's length n must be 3 to 5. For any other
// form, valid or not, bad is not 0.
func shortTenths(x uint64, n int) (tenths, bad uint64) {
	const point = ('.' ^ '0') << 24
	shift := uint(64-8*n) & 63
	y := ((x^zeros8)>>shift<<shift)>>24 ^ point // bytes: three digits, 0 for the point, the decimal
	bad = (y + 0x767f767676 | y) & (highest >> 24)
	y = y&0xffffff | y>>32<<24 // the four digits
	y = y*10 + y>>8            // bytes 0 and 2: two digits each
	return (y&0xff)*100 + y>>16&0xff, bad
}

// shortMicros returns a number of eight bytes with six decimal places, in
// millionths. Times below ten seconds have this form.
func shortMicros(x uint64) (v int64, ok bool) {
	y := x ^ zeros8
	v, ok = digits8(y>>16<<16 | y&0xff<<8)
	return v, ok && byte(y>>8) == '.'^'0'
}

// shortCount returns a whole number with up to eight digits.
func shortCount(x uint64, n int) (int64, bool) {
	if n == 1 {
		d := x>>56 - '0'
		return int64(d), d <= 9
	}
	if n < 1 || n > 8 {
		return 0, false
	}
	return digits8((x ^ zeros8) & lastOf(n))
}

// lastOf returns a mask that keeps the last n bytes out of eight.
func lastOf(n int) uint64 { return ^uint64(0) << (64 - 8*min(n, 8)) }

// digits16 returns a whole number with up to sixteen digits from its last
// sixteen bytes. n is its length. ok is false for any other form, valid or not.
func digits16(before, last uint64, n int) (v uint64, ok bool) {
	if n < 1 || n > 16 {
		return 0, false
	}
	low, ok := digits8((last ^ zeros8) & lastOf(n))
	high, more := digits8((before ^ zeros8) & lastOf(n-8))
	return uint64(high)*1e8 + uint64(low), ok && more
}

// micros16 returns a number with six decimal places in millionths, from its
// last sixteen bytes. Bandwidths have this form. Its length n must be 8 to 16.
// ok is false for any other form, valid or not.
func micros16(before, last uint64, n int) (v uint64, ok bool) {
	if n < 8 || n > 16 {
		return 0, false
	}
	low, ok := shortMicros(last)
	high, more := digits8((before ^ zeros8) & lastOf(n-8))
	return uint64(high)*1e7 + uint64(low), ok && more
}

// parseFloat returns a decimal number, optionally with an exponent and
// surrounding spaces. It rejects the words and the hexadecimal numbers that
// strconv accepts.
func parseFloat(b []byte) (float64, bool) {
	b = bytes.Trim(b, " ")
	if len(b) > 400 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

// parseCount returns a whole number, which may be negative. ok is false if it
// is not a whole number below 2^63.
func parseCount(b []byte) (int64, bool) {
	if len(b) <= 20 {
		if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return v, true
		}
	}
	f, ok := parseFloat(b)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// exactly is the number of values that a sketch keeps exactly.
const exactly = 64

// pageSize is the number of histogram counters allocated together.
const pageSize = 64

// A sketch finds the median in bounded memory, for any number of values:
// exactly for few values, and from a histogram with fixed buckets for many.
// Buckets are integer counters, so that merging two sketches does not depend on
// the order. Considered and rejected: a t-digest. It is smaller, but its result
// depends on the value order, and therefore on the thread count.
type sketch struct {
	// few contains the newest values, or all if there are at most exactly.
	few      []int64
	pages    []*[pageSize]uint32 // histogram with the earlier values; nil if there are none
	n        int64               // values in the histogram
	min, max int64               // range in the histogram
}

// buckets numbers the histogram buckets in value order.
type buckets uint8

const (
	// timeBuckets divide each power of 2, in nanoseconds, into 64 buckets. A
	// median's error is at most 0.8%.
	timeBuckets buckets = iota
	// shareBuckets have the same resolution as VTune's output: 0.001 up to
	// 1.001, the largest fraction, and 0.1 above that, for percentages.
	shareBuckets
)

const (
	timeBits   = 6 // bits for the bucket number within a power of 2
	fineShare  = one / 1000
	coarse     = one / 10
	lastFine   = 1001
	timePages  = 64 - timeBits + 1
	sharePages = (lastFine+1100)/pageSize + 1
)

// pages returns how many pages all buckets need.
func (b buckets) pages() int {
	if b == timeBuckets {
		return timePages
	}
	return sharePages
}

// of returns a value's bucket. As in a floating-point number, the bits after
// the highest one are the bucket's number within its power of 2.
func (b buckets) of(v int64) int {
	switch {
	case b == timeBuckets:
		shift := max(0, bits.Len64(uint64(v))-timeBits-1)
		return shift<<timeBits + int(v>>shift)
	case v <= lastFine*fineShare:
		return int(uint64(v+fineShare/2) / fineShare)
	}
	return lastFine + int(uint64(v+coarse/2)/coarse)
}

// value returns a bucket's middle.
func (b buckets) value(bucket int) int64 {
	switch {
	case b == shareBuckets && bucket <= lastFine:
		return int64(bucket) * fineShare
	case b == shareBuckets:
		return int64(bucket-lastFine) * coarse
	case bucket < 2<<timeBits:
		return int64(bucket)
	}
	shift := bucket>>timeBits - 1
	return int64(bucket-shift<<timeBits)<<shift + int64(1)<<(shift-1)
}

// len returns the value count.
func (s *sketch) len() int64 { return s.n + int64(len(s.few)) }

// add adds a value. Values are moved to the histogram in batches. Its counters
// are scattered in memory, and adding values one by one would wait for each
// memory access.
func (s *sketch) add(v int64, b buckets) {
	if len(s.few) == exactly {
		s.settle(b)
	}
	s.few = append(s.few, v)
}

// settle moves the newest values to the histogram.
func (s *sketch) settle(b buckets) {
	if s.pages == nil {
		s.pages, s.min = make([]*[pageSize]uint32, b.pages()), math.MaxInt64
	}
	for _, v := range s.few {
		s.min, s.max = min(s.min, v), max(s.max, v)
		s.count(b.of(v), 1)
	}
	s.n += int64(len(s.few))
	s.few = s.few[:0]
}

// ends returns the smallest and the largest value. The sketch must not be
// empty.
func (s *sketch) ends(b buckets) (least, most int64) {
	if s.pages == nil {
		return slices.Min(s.few), slices.Max(s.few)
	}
	s.settle(b)
	return s.min, s.max
}

// count adds n to a bucket. Pages are allocated when they are needed, because
// most kernels' times are within one or two powers of two.
func (s *sketch) count(bucket int, n uint32) {
	p := s.pages[bucket/pageSize]
	if p == nil {
		p = new([pageSize]uint32)
		s.pages[bucket/pageSize] = p
	}
	p[bucket%pageSize] += n
}

// merge adds o to s. o must not be used afterwards.
func (s *sketch) merge(o *sketch, b buckets) {
	if s.pages == nil && o.pages == nil && len(s.few)+len(o.few) <= exactly {
		s.few = append(s.few, o.few...)
		return
	}
	s.settle(b)
	o.settle(b)
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
	s.n += o.n
	for i, p := range o.pages {
		if p == nil {
			continue
		}
		for k, n := range p {
			if n > 0 {
				s.count(i*pageSize+k, n)
			}
		}
	}
}

// median returns the middle value, or the mean of the middle two, with the
// precision of the buckets.
func (s *sketch) median(b buckets) int64 {
	n := s.len()
	low, high := s.ranked((n+1)/2, b), s.ranked(n/2+1, b)
	return low + (high-low)/2
}

// quantile returns the value below which the given share of all values is, with
// the precision of the buckets.
func (s *sketch) quantile(share float64, b buckets) int64 {
	return s.ranked(1+int64(share*float64(s.len()-1)), b)
}

// ranked returns the value with a rank, which starts with 1. It returns 0 if
// there is none.
func (s *sketch) ranked(rank int64, b buckets) int64 {
	if s.pages == nil {
		if rank > int64(len(s.few)) || rank < 1 {
			return 0
		}
		slices.Sort(s.few)
		return s.few[rank-1]
	}
	s.settle(b)
	for i, p := range s.pages {
		if p == nil {
			continue
		}
		for k, n := range p {
			if rank -= int64(n); rank <= 0 {
				return min(max(b.value(i*pageSize+k), s.min), s.max)
			}
		}
	}
	return s.max
}

// wide is an unsigned integer of 128 bits.
type wide struct{ hi, lo uint64 }

func (w *wide) add(v uint64) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, v, 0)
	w.hi += carry
}

// addProduct adds a*b.
func (w *wide) addProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi, _ = bits.Add64(w.hi, hi, carry)
}

func (w *wide) addWide(v wide) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, v.lo, 0)
	w.hi, _ = bits.Add64(w.hi, v.hi, carry)
}

// times returns w*a.
func (w wide) times(a uint64) (p wide) {
	p.addProduct(w.lo, a)
	p.hi += w.hi * a
	return p
}

func (w wide) minus(v wide) wide {
	lo, borrow := bits.Sub64(w.lo, v.lo, 0)
	hi, _ := bits.Sub64(w.hi, v.hi, borrow)
	return wide{hi, lo}
}

func (w wide) zero() bool { return w.hi == 0 && w.lo == 0 }

// over returns w/d in multiples of 1e-9. The result is the nearest float64 if
// the quotient is an integer, as for a single row.
func (w wide) over(d wide) float64 {
	if d.hi == 0 && w.hi < d.lo {
		q, rest := bits.Div64(w.hi, w.lo, d.lo)
		if rest == 0 {
			return float64(q) / one
		}
		return (float64(q) + float64(rest)/float64(d.lo)) / one
	}
	den := new(big.Int).Mul(d.big(), big.NewInt(one))
	f, _ := new(big.Rat).SetFrac(w.big(), den).Float64()
	return f
}

func (w wide) big() *big.Int {
	v := new(big.Int).SetUint64(w.hi)
	return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(w.lo))
}

// A mean collects rows that need special treatment in the mean of a share,
// which is weighted by time. The sum of share x time of all rows is in
// sums.weighted.
type mean struct {
	absent wide   // time of rows without the share
	plain  wide   // sum of the shares of rows without time, used only if no row of the key has a time
	n      uint64 // number of these rows
}

func (m *mean) merge(o *mean) {
	m.absent.addWide(o.absent)
	m.plain.addWide(o.plain)
	m.n += o.n
}

// value returns the mean in the column's unit. sum is the sum of share x time,
// and total is the time of all rows.
func (m *mean) value(sum, total wide) (v float64, ok bool) {
	if weight := total.minus(m.absent); !weight.zero() {
		return sum.over(weight), true
	}
	if m.n > 0 {
		return m.plain.over(wide{0, m.n}), true
	}
	return 0, false
}
