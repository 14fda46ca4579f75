package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// roof is a bandwidth that a kernel used, and the most that the device has, both in GB/s.
type roof struct {
	name       string
	used, most float64
	source     string
	loose      bool // the real one may be lower
	ofMemory   bool // and not of the interface to it, or of L3
}

// share is how much of the roof is used.
func (f *roof) share() unit.Ratio { return unit.Ratio(f.used / f.most) }

// roofs gives the bandwidths of which both figures are known. A roof that is lower than what was measured is wrong: it
// is said, and nothing follows from it.
func (r *Result) roofs(row *Row) (list []roof, wrong string) {
	c := row.Counters
	if c == nil || r.Device == nil || r.averagedGPUs(row) > 1 {
		return nil, ""
	}
	const folder = "the metric set of the result folder"
	memory, l3 := tableRoof("memory", c.Memory().Or(0), r.Device.Memory), tableRoof("L3", c.L3Read.Or(0)+c.L3Write.Or(0), r.Device.L3)
	memory.ofMemory = true
	if most, known := c.L3Roof.Value(); known {
		l3 = roof{name: "L3", used: c.L3Read.Or(0) + c.L3Write.Or(0), most: most, source: folder}
	}
	for _, x := range []roof{
		// The interface to memory, each way, which may move more than the memory itself: the lower one binds.
		{name: "reading from memory", used: c.MemoryRead.Or(0), most: c.MemoryReadRoof.Or(0), source: folder},
		{name: "writing to memory", used: c.MemoryWrite.Or(0), most: c.MemoryWriteRoof.Or(0), source: folder},
		memory, l3,
	} {
		switch {
		case x.used <= 0 || x.most <= 0:
		case x.used > x.most:
			wrong += fmt.Sprintf("; %s moved %.1f GB/s, more than the %.0f GB/s of %s, so that roof is wrong and not "+
				"used", x.name, x.used, x.most, x.source)
		default:
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b roof) int { return cmp.Compare(b.share(), a.share()) })
	return list, wrong
}

// tableRoof is the roof of the device table.
func tableRoof(name string, used float64, most []arch.Bandwidth) roof {
	if len(most) == 0 {
		return roof{}
	}
	source := most[0].Source
	if most[0].Fastest != "" {
		source = "with " + most[0].Fastest
	}
	return roof{name: name, used: used, most: most[0].GBPerSecond, source: source, loose: most[0].Fastest != ""}
}

// text says how near the kernel is to the roof.
func (f *roof) text() string {
	return fmt.Sprintf("%s moves %.1f of at most %.0f GB/s (%s), %s", f.name, f.used, f.most, f.source,
		tenth(f.share()))
}

// stalls are the reasons of a row's stalls.
type stalls struct {
	list []ingest.Stall
	sum  unit.Ratio
	// hidden is the share of those that other threads can hide: waiting for results of memory or of an instruction.
	hidden unit.Ratio
	send   unit.Ratio // and of those that threads may hide or not
}

// latencies begin the names of reasons that other threads can hide. The rest is for want of what all threads share: a
// pipe, instructions, or threads that wait for each other.
var latencies = []string{"sbid", "scoreboard", "dist"}

// onSend begins the names of stalls of sends. Intel's Metrics Discovery has two texts for the counter: threads that
// wait for the result of one, which others hide, or for the dispatch of one, for which others wait too.
const onSend = "send"

func stallsOf(row *Row) (s stalls) {
	if row.Counters == nil {
		return s
	}
	for _, x := range row.Counters.Stalls {
		s.sum += x.Share
		name := strings.ToLower(x.Reason)
		if slices.ContainsFunc(latencies, func(l string) bool { return strings.HasPrefix(name, l) }) {
			s.hidden += x.Share
		} else if strings.HasPrefix(name, onSend) {
			s.send += x.Share
		}
	}
	s.list = slices.Clone(row.Counters.Stalls)
	slices.SortStableFunc(s.list, func(a, b ingest.Stall) int { return cmp.Compare(b.Share, a.Share) })
	return s
}

// usable says whether the shares are of all stalls: as many roundings from 100 % as there are reasons.
func (s *stalls) usable() bool {
	return len(s.list) > 0 && abs(s.sum.Minus(1)) <= printedHalf*unit.Points(len(s.list))+digit
}

// text lists the reasons, the largest first; "" without any.
func (s *stalls) text() string {
	if len(s.list) == 0 {
		return ""
	}
	var parts []string
	for _, x := range s.list {
		if x.Share > 0 && len(parts) < mostReasons {
			parts = append(parts, strings.ToLower(x.Reason)+" "+tenth(x.Share))
		}
	}
	text := "; reasons of stalls: " + strings.Join(parts, ", ")
	if !s.usable() {
		text += fmt.Sprintf(" (all of them add up to %s, not 100%%, and are not used)", tenth(s.sum))
	}
	return text
}

const mostReasons = 4
