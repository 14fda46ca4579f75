package ingest

// Mix holds what least squares over all samples of a run need: each sample's value is the mix of what ran in it, in
// known shares. A long launch has its first and its last interval as parts of their own, since threads come and go
// there. The sums stand in blocks of samples that follow each other, so that the samples need not be kept.
type Mix struct {
	Tasks  []Key
	Parts  []MixPart
	Blocks []MixBlock
	Mixed  MixBlock // of the samples that hold several parts

	block, in int // samples of a block, and in the last one
	touched   []int
	share     []float64
}

// MixPart is a part of the launches of a task: an unknown of the least squares.
type MixPart struct {
	Task    int     // its number in Tasks
	Seconds float64 // of the launches' time
	Samples int64   // that hold some of it
	// Own and Others are the weighted squares of its shares, and their products with those of other parts.
	Own, Others float64
}

// MixBlock is the sums over some samples: of products of shares, row by row, of shares and values, in percent, of the
// values' squares, and of the weights.
type MixBlock struct {
	Shares, Values  []float64
	Squares, Weight float64
}

// MaxMixParts bounds the unknowns; a program with more kernels than that has no mix.
const MaxMixParts = 96

// maxMixBlocks bounds the blocks: when there are so many, each two become one.
const maxMixBlocks = 128

// AddPart adds an unknown, before the first sample, and gives its number.
func (m *Mix) AddPart(p MixPart) int {
	m.Parts, m.share = append(m.Parts, p), append(m.share, 0)
	return len(m.Parts) - 1
}

// Find gives the task that a kernel is; false where none is, or where several may be.
func (m *Mix) Find(k *Kernel) (task int, ok bool) { return findKey(indexKeys(m.Tasks), m.Tasks, k) }

// Share says that a part takes so much of the next sample, and may be called several times.
func (m *Mix) Share(part int, share float64) {
	if m.share[part] == 0 {
		m.touched = append(m.touched, part)
	}
	m.share[part] += share
}

// Take takes a sample's value, in percent. Each sample is weighted by one over the share that launches have in it:
// for a kernel alone the result is exact then, all slot time over all time.
func (m *Mix) Take(value float64) {
	total := 0.0
	for _, p := range m.touched {
		total += m.share[p]
	}
	if total > 0 {
		m.add(value, total)
	}
	for _, p := range m.touched {
		m.share[p] = 0
	}
	m.touched = m.touched[:0]
}

func (m *Mix) add(value, total float64) {
	n := len(m.Parts)
	if m.in == m.block {
		if len(m.Blocks) == maxMixBlocks {
			for i := range maxMixBlocks / 2 {
				m.Blocks[i] = m.Blocks[2*i]
				m.Blocks[i].join(&m.Blocks[2*i+1])
			}
			m.Blocks = m.Blocks[:maxMixBlocks/2]
			m.block *= 2
		}
		m.Blocks = append(m.Blocks, newMixBlock(n))
		m.block, m.in = max(m.block, 1), 0
	}
	m.in++
	m.Blocks[len(m.Blocks)-1].add(m, value, total)
	for _, i := range m.touched {
		x, p := m.share[i]/total, &m.Parts[i]
		p.Samples++
		p.Own += x * m.share[i]
		p.Others += x * max(total-m.share[i], 0)
	}
	if len(m.touched) > 1 {
		if len(m.Mixed.Values) == 0 {
			m.Mixed = newMixBlock(n)
		}
		m.Mixed.add(m, value, total)
	}
}

func newMixBlock(n int) MixBlock {
	return MixBlock{Shares: make([]float64, n*n), Values: make([]float64, n)}
}

// add adds the sample that the mix holds.
func (b *MixBlock) add(m *Mix, value, total float64) {
	n := len(m.Parts)
	b.Squares += value * value / total
	b.Weight += 1 / total
	for _, i := range m.touched {
		x := m.share[i] / total
		for _, j := range m.touched {
			b.Shares[i*n+j] += x * m.share[j]
		}
		b.Values[i] += x * value
	}
}

func (b *MixBlock) join(o *MixBlock) {
	b.Squares, b.Weight = b.Squares+o.Squares, b.Weight+o.Weight
	for i, v := range o.Shares {
		b.Shares[i] += v
	}
	for i, v := range o.Values {
		b.Values[i] += v
	}
}
