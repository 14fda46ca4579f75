package ingest

// group is the kernels of one key: one, or its launches where they are kept apart. All are of one file.
type group struct {
	key         Key // as merger.key has it
	n           int
	first, last int
}

// regroup brings the groups up to date with the kernels that are known.
func (m *merger) regroup() {
	var of []int // the group of a shape of launches, and one more
	for i := len(m.next); i < m.len(); i++ {
		g := -1
		if l := m.run.Launches; l == nil {
			g = m.groupOf(m.key(&m.run.Kernels[i]))
		} else {
			if of == nil {
				of = make([]int, l.Shapes())
			}
			place := &of[l.Shape(i)]
			if *place == 0 {
				k := l.ShapeOf(l.Shape(i))
				*place = m.groupOf(m.key(&k)) + 1
			}
			g = *place - 1
		}
		at := &m.groups[g]
		if at.n == 0 {
			at.first = i
		} else {
			m.next[at.last] = uint32(i)
		}
		at.n, at.last = at.n+1, i
		m.next = append(m.next, 0)
	}
}

// groupOf gives the number of a key's group, a new one for a key that is not known.
func (m *merger) groupOf(key Key) int {
	g, known := m.index[key]
	if !known {
		g = len(m.groups)
		m.index[key] = g
		m.groups = append(m.groups, group{key: key})
	}
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

// target gives the group that a kernel of a further file belongs to, -1 when it is a new one.
func (m *merger) target(k *Kernel, kind string) int {
	if g, known := m.index[m.key(k)]; known {
		return g
	}
	return m.shapeless(k, kind)
}

// shapeless finds the one key of another tool that a row without a launch shape belongs to: device timings of a tracer
// name the kernel but not always its shape.
func (m *merger) shapeless(k *Kernel, kind string) int {
	if k.Global.Present() || kind != "unitrace" {
		return -1
	}
	found, name := -1, m.plainName(k.Task)
	for g := range m.groups {
		o := &m.groups[g]
		if o.key.Task != name || o.key.Direction != k.Direction || m.kind(o.first) == kind {
			continue
		}
		if s := k.SIMD.Or(0); s != 0 && o.key.SIMD != 0 && o.key.SIMD != s {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = g
	}
	return found
}
