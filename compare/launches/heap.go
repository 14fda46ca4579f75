package launches

// push and pop keep the launch that ends first in front, as a heap.
func (e *engine) push(x ending) {
	h := append(e.running, x)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].end <= h[i].end {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	e.running = h
}

func (e *engine) pop() ending {
	h := e.running
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < len(h) && h[down+1].end < h[down].end {
			down++
		}
		if down >= len(h) || h[i].end <= h[down].end {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	e.running = h
	return first
}
