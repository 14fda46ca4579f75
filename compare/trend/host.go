package trend

import "occudiff/compare/stat"

// hostRuns is the sum of some runs' distances on one host, in the level's unit,
// and their number.
type hostRuns struct{ sum, n float64 }

// byHost returns the distances of a line's noise runs, by host. Distances are
// clipped, so that outliers and the first runs of a drop count little.
// Considered and rejected: medians that include runs from closed findings.
// Recovered drops then look like host offsets.
func (l *line) byHost() map[string]hostRuns {
	hosts := map[string]hostRuns{}
	for _, u := range last(l.past, memory) {
		if u.host != "" {
			hosts[u.host] = hosts[u.host].with(u)
		}
	}
	return hosts
}

// onHost returns byHost's entry for one host.
func (l *line) onHost(host string) (h hostRuns) {
	for _, u := range last(l.past, memory) {
		if u.host == host {
			h = h.with(u)
		}
	}
	return h
}

// with returns the sum including a run.
func (h hostRuns) with(u run) hostRuns {
	return hostRuns{h.sum + clip(u.off()+u.moved, eventSpreads*u.was.spread), h.n + 1}
}

// measureHosts measures how much kernel levels differ between hosts: the
// variance of the kernels' offsets, minus the variance caused by noise in few
// runs. It is 0 if the hosts do not differ or too few runs are known.
func (r *replay) measureHosts(here []*line) {
	var squares, noise []float64
	for _, l := range here {
		hosts := l.byHost()
		for _, h := range hosts {
			if mean := h.sum / h.n; len(hosts) > 1 && h.n >= leastOnHost {
				squares, noise = append(squares, mean*mean), append(noise, l.sd*l.sd/h.n)
			}
		}
	}
	r.hosts = 0
	if len(squares) >= leastOffsets {
		square, _ := stat.Median(squares)
		sampling, _ := stat.Median(noise)
		r.hosts = max(0, normalMAD*normalMAD*square-sampling)
	}
}

// hostOffset returns a line's offset on a host, shrunk to 0 according to the
// noise of its runs there, and the variance of the unknown remainder.
func (r *replay) hostOffset(l *line, host string) (offset, unknown float64) {
	if r.hosts == 0 || host == "" {
		return 0, 0
	}
	h := l.onHost(host)
	if h.n == 0 {
		return 0, r.hosts
	}
	noise := l.sd * l.sd / h.n
	weight := r.hosts / (r.hosts + noise)
	return weight * h.sum / h.n, weight * noise
}

// The variance of host offsets is measured if there are at least leastOffsets
// pairs of a kernel and a host with at least leastOnHost runs.
const leastOnHost, leastOffsets = 4, 10
