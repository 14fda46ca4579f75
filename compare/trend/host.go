package trend

import "occudiff/compare/stat"

// hostRuns contains the sum of the distances of some runs on one host, in the
// unit of the level, and the number of these runs.
type hostRuns struct{ sum, n float64 }

// byHost returns the distances of a line's noise runs, by host. Distances are
// clipped, so that outliers and the first runs of a drop count little.
// Considered and rejected: medians that include runs from closed findings,
// because drops that recovered would then look like host offsets.
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

// with returns the sum including one more run.
func (h hostRuns) with(u run) hostRuns {
	return hostRuns{h.sum + clip(u.off()+u.moved, eventSpreads*u.was.spread), h.n + 1}
}

// measureHosts measures how much the level of a kernel differs between hosts.
// The result is the variance of the kernels' host offsets, minus the variance
// that noise causes with few runs. It is 0 if the hosts do not differ or too
// few runs are known.
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

// hostOffset returns the offset of a line on a host, with the variance of its
// remaining error. The offset is shrunk toward 0 according to the noise of the
// line's runs on that host.
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

// The variance of host offsets is measured only if there are at least
// leastOffsets pairs of a kernel and a host with at least leastOnHost runs
// each.
const leastOnHost, leastOffsets = 4, 10
