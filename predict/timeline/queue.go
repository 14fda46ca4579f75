package timeline

// eventQueue is a binary heap, earliest event first. It is written out because container/heap boxes every event.
type eventQueue []event

func (q *eventQueue) push(e event) {
	*q = append(*q, e)
	h := *q
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].time <= h[i].time {
			break
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (q *eventQueue) pop() event {
	h := *q
	first := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	*q = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h[child+1].time < h[child].time {
			child++
		}
		if h[i].time <= h[child].time {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	return first
}
