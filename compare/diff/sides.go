package diff

import (
	"cmp"
	"slices"

	"occudiff/ingest"
)

// Sides is a side against several others, each compared with it alone.
type Sides struct {
	Against []*Result
	Kernels []KernelOfSides // of several, what needs attention on any side first
}

// KernelOfSides is a kernel with its row of each result, nil where neither that side nor the first has it.
type KernelOfSides struct {
	Rows []*Row
}

// CompareSides compares each of the other sides with the first.
func CompareSides(first Side, others []Side, opt Options) *Sides {
	s := &Sides{}
	for _, other := range others {
		d := compareTwo(first.Runs, other.Runs, opt)
		d.Old.Name, d.New.Name = first.Name, other.Name
		s.Against = append(s.Against, d)
	}
	if len(others) > 1 {
		s.align()
	}
	return s
}

// align puts the rows of one kernel beside each other: those of one launch on the first side, or without that of one
// launch on the others.
func (s *Sides) align() {
	type place struct {
		ingest.Key
		first bool
	}
	at := map[place]int{}
	for side, d := range s.Against {
		for i := range d.Rows {
			r := &d.Rows[i]
			if !r.IsKernel {
				continue
			}
			p := place{r.samples[1].key, r.Old != nil}
			if p.first {
				p.Key = r.samples[0].key
			}
			k, known := at[p]
			if !known {
				k, at[p] = len(s.Kernels), len(s.Kernels)
				s.Kernels = append(s.Kernels, KernelOfSides{make([]*Row, len(s.Against))})
			}
			s.Kernels[k].Rows[side] = r
		}
	}
	slices.SortStableFunc(s.Kernels, func(a, b KernelOfSides) int {
		x, y := a.Worst(), b.Worst()
		return cmp.Or(first(x.Missing(), y.Missing()), x.Verdict.compare(y.Verdict), cmp.Compare(y.Seconds(), x.Seconds()))
	})
}

// Worst gives the row of the side that needs attention most.
func (k *KernelOfSides) Worst() *Row {
	var worst *Row
	for _, r := range k.Rows {
		if r != nil && (worst == nil || cmp.Or(first(r.Missing(), worst.Missing()), r.Verdict.compare(worst.Verdict)) < 0) {
			worst = r
		}
	}
	return worst
}

// First gives a row that tells of the first side, nil where that has not the kernel.
func (k *KernelOfSides) First() *Row {
	for _, r := range k.Rows {
		if r != nil && r.Old != nil {
			return r
		}
	}
	return nil
}
