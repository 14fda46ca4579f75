package vtune

import (
	"math/big"
	"math/bits"
)

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

// times gives w*a.
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

// over gives w/d as a multiple of 1e-9: the nearest float64 where the quotient is whole, as it is for one row.
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

// mean gathers what is rare of a share's mean over rows, weighted by their time; the sum of share x time of all rows
// stands beside it, see sums.weighted.
type mean struct {
	absent wide   // time of rows that lack the share
	plain  wide   // sum of the shares of rows without time: all there is when no row of the key has any
	n      uint64 // how many those are
}

func (m *mean) merge(o *mean) {
	m.absent.addWide(o.absent)
	m.plain.addWide(o.plain)
	m.n += o.n
}

// value gives the mean in the column's own unit; sum is of share x time, total the time of all rows.
func (m *mean) value(sum, total wide) (v float64, ok bool) {
	if weight := total.minus(m.absent); !weight.zero() {
		return sum.over(weight), true
	}
	if m.n > 0 {
		return m.plain.over(wide{0, m.n}), true
	}
	return 0, false
}
