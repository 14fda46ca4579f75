package trend

import "occudiff/compare/stat"

// hostRuns is the sum of the distances of some runs on one host, in the unit of
// the level, and their number.
type hostRuns struct{ sum, n float64 }

// byHost returns the distances of the runs that show the noise of a line, by
// host. Distances are clipped, so that outliers and the first runs of a drop
// count little. Considered and rejected: medians that include the runs of closed
// findings. Drops that recovered then pass for offsets of a host.
func (l *line) byHost() map[string]hostRuns {
	hosts := map[string]hostRuns{}
	for _, u := range last(l.past, memory) {
		if u.host != "" {
			hosts[u.host] = hosts[u.host].with(u)
		}
	}
	return hosts
}

// onHost returns the part of byHost for one host.
func (l *line) onHost(host string) (h hostRuns) {
	for _, u := range last(l.past, memory) {
		if u.host == host {
			h = h.with(u)
		}
	}
	return h
}

// with adds a run.
func (h hostRuns) with(u run) hostRuns {
	return hostRuns{h.sum + clip(u.off()+u.moved, eventSpreads*u.was.spread), h.n + 1}
}

// measureHosts measures how much the levels of the kernels differ between
// hosts: the variance of their offsets, less the variance that the noise of few
// runs causes. It is 0 if the hosts do not differ or too few runs are known.
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

// hostOffset returns the offset of a line on a host, shrunk to 0 by the noise of
// its runs there, and the variance that is unknown of it.
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

// leastOnHost is the number of runs of a kernel on a host, and leastOffsets the
// number of such pairs, from which on the variance of the offsets is measured.
const leastOnHost, leastOffsets = 4, 10
