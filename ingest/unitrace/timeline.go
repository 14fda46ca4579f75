package unitrace

import (
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/table"
)

// isTimeline says whether a line is one of the device timeline:
//
//	Thread 473 Device 597365 : "GEMM[SIMD32 {1; 1; 1} {64; 1; 1}]" [ns] 10 (append) 20 (submit) 30 (start) 40 (end)
//	Device Timeline (queue: 0x556fa2318fc0): GEMM [ns] = 10 (append) 20 (submit) 30 (start) 40 (end)
func isTimeline(trimmed string) bool {
	return strings.HasSuffix(trimmed, " (end)") && strings.Contains(trimmed, " [ns] ") &&
		strings.Contains(trimmed, " (start) ")
}

// timeline takes a launch. Only Level Zero quotes names; an unquoted one may be of either backend, so that the first
// braces may hold work-groups or work-items, and its global size is left open unless only one can be.
func (r *reader) timeline(text string) error {
	mark := strings.LastIndex(text, " [ns] ")
	name, times := text[:mark], text[mark+len(" [ns] "):]
	at, device := 0, ""
	for _, before := range []string{" : ", "): "} {
		if i := strings.Index(name, before); i >= 0 {
			at = i + len(before)
			if _, of, ok := strings.Cut(name[:i], " Device "); ok {
				device = "Device " + of
			}
			break
		}
	}
	t, err := names.ParseLaunch(launchNumber.ReplaceAllString(strings.TrimSpace(name[at:]), "$1"), false)
	if err != nil {
		return badf(at, "%v", err)
	}
	if name[at] != '"' && !countsGroups(&t) {
		t.Global = ingest.Size3{}
	}
	start, end, ok := startEnd(times)
	if !ok || end < start {
		return badf(mark+len(" [ns] "), "the line has no start and end in nanoseconds: %s", table.Quote(times))
	}
	// Sums and differences of such times would overflow.
	if end > 1<<62 {
		return badf(mark+len(" [ns] "), "the times are out of range: %s", table.Quote(times))
	}
	// The number in the line is a handle of this process, and not the number of an adapter.
	a, err := r.store.kernel(t, noDevice, r.in.Pos(at+1))
	if err != nil {
		return badf(at, "%v", err)
	}
	r.store.ran(&t, int64(start), int64(end), device)
	r.store.sample(a, fromIntervals, sample{seconds: float64(end-start) / 1e9}, r.in.Pos(at+1))
	return nil
}

// countsGroups says whether the first braces of a name can only hold work-groups: no launch has fewer work-items than
// one of them.
func countsGroups(t *names.Launch) bool {
	for i := range 3 {
		if g, l := t.Global.Dim(i), t.Local.Dim(i); l > 0 && g/l < l {
			return true
		}
	}
	return false
}

// launchNumber is what onetrace and ze_tracer put behind the name of a launch in the timeline: `GEMM<4.1>`, `GEMM(3)`;
// within the quotes where there are some. An argument of a template is no number with a point.
var launchNumber = regexp.MustCompile(`(?:<\d+\.\d+>|\(\d+\))("?)$`)

// startEnd reads `30 (start) 40 (end)` among the times of a launch.
// The other two times are of the host's queue: when a launch was appended and submitted says nothing of the GPU.
func startEnd(times string) (start, end uint64, ok bool) {
	fields := strings.Fields(times)
	found := 0
	for i := 1; i < len(fields); i++ {
		var to *uint64
		switch fields[i] {
		case "(start)":
			to = &start
		case "(end)":
			to = &end
		default:
			continue
		}
		n, err := strconv.ParseUint(fields[i-1], 10, 64)
		if err != nil {
			return 0, 0, false
		}
		*to = n
		found++
	}
	return start, end, found == 2
}
