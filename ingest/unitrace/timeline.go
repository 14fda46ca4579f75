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
func (r *reader) timeline(text string) *rowError {
	mark := strings.LastIndex(text, " [ns] ")
	name, times := text[:mark], text[mark+len(" [ns] "):]
	at, device := 0, ""
	for _, before := range []string{" : ", "): "} {
		if i := strings.Index(name, before); i >= 0 {
			at = i + len(before)
			if _, of, ok := strings.Cut(name[:i+1], " Device "); ok {
				device = "Device " + strings.TrimSpace(of)
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
	var start, end int64
	if n := startEnd.FindStringSubmatch(times); n != nil {
		start, _ = strconv.ParseInt(n[1], 10, 64) // the largest when it is beyond that
		end, _ = strconv.ParseInt(n[2], 10, 64)
	}
	// Sums and differences of larger times would overflow.
	if end < start || end <= 0 || end > 1<<62 {
		return badf(mark+len(" [ns] "), "the line has no start and end in nanoseconds: %s", table.Quote(times))
	}
	// The number in the line is a handle of this process, and not the number of an adapter.
	r.ran(&t, start, end, device)
	pos := r.in.Pos(at + 1)
	r.sample(r.account(&t, noDevice, pos), fromIntervals, &sample{seconds: float64(end-start) / 1e9}, pos)
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

// startEnd are the times of a launch on the GPU. The two before them are of the host's queue: when it was appended and
// submitted.
var startEnd = regexp.MustCompile(`(\d+) \(start\) (\d+) \(end\)$`)
