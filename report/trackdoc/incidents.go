package trackdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// incident is a finding of one kernel. Findings of several kernels are one
// incident if they have the same first bad run and the same end.
type incident struct {
	kernel, level string
	shift         number // absent for times, next to a metric with another unit
	opened        *track.Ref
	state         string // open, recovered, accepted
	closed        string // run that closed the incident, and the note if it was accepted
}

// The states of an incident.
const (
	stateOpen      = "open"
	stateRecovered = "recovered"
	stateAccepted  = "accepted"
)

// leastTogether is the smallest number of kernels that are shown as one
// incident.
const leastTogether = 3

// incidents returns the findings of all series as incidents, newest first. If
// the times are judged, too, their findings are included.
func (v *view) incidents() (list []incident) {
	type span struct {
		metric      string
		first       int64
		state, with string
	}
	var spans []span
	groups, shifts := map[span][]incident{}, map[span][]float64{}
	add := func(m metric, s *track.Series) {
		for _, f := range s.Findings {
			one := incident{
				kernel: report.KernelName(s.Key.Task),
				level:  m.between(f.Level, f.Level+f.Shift),
				shift:  unit.Maybe(f.Shift, m.name() == v.name()),
				opened: s.Ref(f.First, v.Refs),
			}
			one.state, one.closed = v.end(s, f)
			at := span{m.name(), one.opened.Run, one.state, one.closed}
			if groups[at] == nil {
				spans = append(spans, at)
			}
			groups[at], shifts[at] = append(groups[at], one), append(shifts[at], f.Shift)
		}
	}
	for _, s := range v.series {
		if add(v.metric, s); s.Timing != nil && v.Times {
			add(metric{track.Metric{Metric: history.Seconds}}, s.Timing)
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.first, a.first) })
	for _, at := range spans {
		of := groups[at]
		if n := len(of); n >= leastTogether {
			median, _ := stat.Median(shifts[at])
			of = of[:1]
			of[0].kernel, of[0].level = unit.Plural(n, "kernel")+" at once", ""
			of[0].shift = unit.Maybe(median, of[0].shift.Present())
		}
		list = append(list, of...)
	}
	return list
}

// end returns the state of a finding, and the run that closed it.
func (v *view) end(s *track.Series, f trend.Finding) (state, closed string) {
	own := s.Own()
	for _, a := range s.Accepted {
		at := slices.IndexFunc(own, func(p history.Point) bool { return p.Run >= a.Run })
		if at == f.Closed || at < 0 && f.Closed < 0 {
			closed = "run " + strconv.FormatInt(a.Run, 10)
			if a.Note != "" {
				closed += ": " + report.OneLine(a.Note)
			}
			return stateAccepted, closed
		}
	}
	if f.Closed < 0 {
		return stateOpen, ""
	}
	return stateRecovered, runName(s.Ref(f.Closed, v.Refs))
}

// counts returns a sentence with the number of incidents per state.
func (v *view) counts() []string {
	n := map[string]int{}
	list := v.incidents()
	for _, one := range list {
		n[one.state]++
	}
	if len(list) == 0 {
		return []string{"No incident."}
	}
	return []string{fmt.Sprintf("%s: %d open, %d recovered, %d accepted.",
		unit.Plural(len(list), "incident"), n[stateOpen], n[stateRecovered], n[stateAccepted])}
}

func (v *view) incidentTable() *report.Table {
	return report.NewTable("incidents", "Incidents", v.incidents(), []report.Col[incident]{
		report.Define("kernel", "Kernel",
			func(i *incident) string { return i.kernel },
			report.Cut, report.Code),
		report.Shown("level", "Before, after",
			func(i *incident) string { return i.level },
			report.NonZero),
		figure(v.metric, "change", "Change",
			func(i *incident) number { return i.shift },
			report.Unit(v.distanceUnit()), report.Path("shift")),
		report.JSON("run",
			func(i *incident) int64 { return i.opened.Run }),
		report.Define("opened", "First bad run",
			func(i *incident) string { return runName(i.opened) }),
		report.Define("state", "State",
			func(i *incident) string { return i.state }),
		report.Define("closed", "Closed with",
			func(i *incident) string { return i.closed },
			report.Fold,
			report.NonZero),
	})
}
