package ingest

// group is the kernels of one key: one, or its launches where they are kept apart. All are of one file.
type group struct {
	key         Key // as merger.key has it
	n           int
	first, last int
}

// regroup brings the groups up to date with the kernels that are known.
func (m *merger) regroup() {
	list := m.run.Kernels
	for i := len(m.next); i < list.Len(); i++ {
		g := m.groupOfShape(list.Shape(i))
		at := &m.groups[g]
		if at.n == 0 {
			at.first = i
		} else {
			m.next[at.last] = uint32(i)
			m.files[m.file(i)].perLaunch = true
		}
		at.n, at.last = at.n+1, i
		m.next = append(m.next, 0)
	}
}

// groupOfShape gives the number of the group that rows of a shape belong to, a new one where there is none.
func (m *merger) groupOfShape(shape int) int {
	for len(m.ofShape) <= shape {
		m.ofShape = append(m.ofShape, 0)
	}
	// Zero is for none, so numbers are one more: a slice that grows is zero by itself.
	if g := m.ofShape[shape]; g > 0 {
		return int(g) - 1
	}
	k := m.run.Kernels.ShapeKernel(shape)
	key := m.key(&k)
	g, known := m.index[key]
	if !known {
		g = len(m.groups)
		m.index[key] = g
		m.byName[key.Task] = append(m.byName[key.Task], g)
		m.groups = append(m.groups, group{key: key})
	}
	m.ofShape[shape] = uint32(g) + 1
	return g
}

// members calls do with the place of each kernel of a group.
func (m *merger) members(g int, do func(i int)) {
	i := m.groups[g].first
	for range m.groups[g].n {
		do(i)
		i = int(m.next[i])
	}
}

// The targets of rows that go with no group.
const (
	newGroup  = -1
	ambiguous = -2 // they may go with several
)

// target gives the group that a kernel of a further file belongs to, or why it belongs to none.
func (m *merger) target(k *Kernel, in *Input) int {
	if g, known := m.index[m.key(k)]; known {
		return g
	}
	if m.partial && in.Traits.ColumnsVary {
		return m.partOf(k)
	}
	return m.shapeless(k, in)
}

// shapeless finds the one key of another tool that a row without a launch shape belongs to: device timings of a tracer
// name the kernel but not always its shape.
func (m *merger) shapeless(k *Kernel, in *Input) int {
	if k.Global.Present() || !in.Traits.NoLaunchShape {
		return newGroup
	}
	found := newGroup
	for _, g := range m.byName[m.plainName(k.Task)] {
		o := &m.groups[g]
		// A file of the same kind would have named the shape as well, had it been this kernel.
		if o.key.Direction != k.Direction || m.from(o.first).Kind == in.Kind {
			continue
		}
		if s := k.SIMD.Or(0); s != 0 && o.key.SIMD != 0 && o.key.SIMD != s {
			continue
		}
		// Two kernels fit: to take one of them would be a guess, and to add one more would count launches twice.
		if found >= 0 {
			return ambiguous
		}
		found = g
	}
	return found
}
