package compare

import (
	"fmt"

	"occudiff/ingest/unit"
)

// apart is the least idle share of a row that the other kernels' idle shares leave for it.
func (r *Result) apart(row *Row, c *Certainty, idle unit.Ratio) unit.Ratio {
	f := c.Foreign.Or(0)
	_, others, known := r.others(row)
	if !known || f >= 1 {
		return idle
	}
	return min(idle, max((idle-f*others)/(1-f), 0))
}

// others gives what the other kernels of the run measure, and how idle XVEs were, weighted by time.
func (r *Result) others(row *Row) (measured, idle unit.Ratio, known bool) {
	t, of := row.Total.Or(0), &r.kernelTime
	rest := of.all - t
	if rest <= t*1e-9 || !row.Idle.Present() || !row.Measured.Present() {
		return 0, 0, false
	}
	measured = unit.Ratio((of.measured - t*unit.Seconds(row.Measured.Or(0))) / rest)
	return measured, unit.Ratio((of.idle - t*unit.Seconds(row.Idle.Or(0))) / rest), true
}

// ownRange bounds what a row's launches held, where the bounds of its samples and what the other kernels measure tell
// it: time outside holds nothing, and of two kernels that mix by shares a and b, which add up to less than one, each is
// ((1 - b) m - a others) / (1 - a - b) at most or at least.
func (r *Result) ownRange(row *Row, c *Certainty) (least, most unit.Ratio, known bool) {
	m, idle := row.Measured.Or(0), row.Idle.Or(1)
	outside, bounded := c.Outside().Value()
	least, most = m, m
	others, _, several := r.others(row)
	a, s := c.Foreign.Or(1), c.OwnShare.Or(1)
	if several {
		b := min(s/max(1-s, 1e-9), 1)
		if a+b >= 1 {
			return 0, 0, false
		}
		alone := ((1-b)*m - a*others) / (1 - a - b)
		least, most = min(m, max(alone, 0)), max(m, alone)
	}
	most = min(most/max(1-min(outside, idle), 1e-9), max(row.reach(), m))
	return least, most, bounded && row.Idle.Present()
}

// nearlyOwn says whether what can be of others, or of time outside, moves a row by no more than the tolerance.
func (r *Result) nearlyOwn(row *Row, c *Certainty) bool {
	m, f := row.Measured.Or(0), c.Foreign.Or(1)
	others, _, several := r.others(row)
	outside := min(c.Outside().Or(1), row.Idle.Or(1))
	if !several || !c.Crosstalk.Present() || f >= 1 || outside >= 1 {
		return false
	}
	return r.Options.within(abs(m.Minus(others))*unit.Points(f/(1-f)) + pointsOf(m*outside/(1-outside)))
}

// ownRangeText says what the row's launches may have held by themselves, empty where nothing tells it.
func (r *Result) ownRangeText(row *Row, c *Certainty) string {
	least, most, known := r.ownRange(row, c)
	if !known {
		return ""
	}
	return fmt.Sprintf(" By themselves its launches held %.1f to %.1f %%.", least.Percent(), most.Percent())
}
