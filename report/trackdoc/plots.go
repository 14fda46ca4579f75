package trackdoc

import (
	"strconv"
	"strings"

	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// sectionTimeSeries is the key of the pictures of a history.
const sectionTimeSeries = "time-series"

const (
	// mostPlots is how many series are shown.
	mostPlots = 13
	// mostRuns is how many runs a picture shows: more points than this cannot be told apart.
	mostRuns = 2000
)

// plots shows the first series: those that need attention, then the others; one alone is large.
func (v *view) plots(show []*track.Series) report.Section {
	sec := report.Section{Key: sectionTimeSeries, Title: "Over time", In: report.Page, Text: []string{
		"A point per run. Lines are the means between change points; the dashed one is the threshold of the newest run."}}
	for _, s := range show[:min(len(show), mostPlots)] {
		if len(s.Points) < 2 { // the table says it all
			continue
		}
		text := unit.Counted(len(s.Points), "run", "runs")
		if n := len(s.Points); n > mostRuns {
			text = "The last " + report.Thousands(mostRuns) + " of " + text
		}
		c := v.timeSeries(s)
		c.Large = len(show) == 1
		sec.Plots = append(sec.Plots, report.Plot{Key: sectionTimeSeries + "-" + strconv.Itoa(len(sec.Plots)+1), Title: strings.TrimSuffix(report.OneLine(s.Key.Name())+" on "+place(s), " on "),
			Unit: v.unit(), Text: text + ", oldest on the left.", TimeSeries: c})
	}
	return sec
}

// timeSeries gives the last runs of a series as a picture, with the mean of each stretch between change points. A newest
// value that is not the kernel's own is in none.
func (v *view) timeSeries(s *track.Series) *report.TimeSeries {
	first := max(0, len(s.Points)-mostRuns)
	threshold, ok := s.Gate.Threshold.Value()
	c := &report.TimeSeries{Threshold: report.Finite(unit.Maybe(threshold*v.scale(), ok))}
	for _, p := range s.Points[first:] {
		c.Points = append(c.Points, report.TimePoint{Time: p.Time, Value: p.Value * v.scale(),
			Name: v.runName(p) + ": " + v.print(p.Value)})
	}
	var stretch report.Segment
	end := func(at int) { // the stretch, as far as the picture shows it
		if stretch.To = at - first; stretch.To > 0 {
			stretch.From, stretch.Mean = max(stretch.From-first, 0), stretch.Mean*v.scale()
			c.Segments = append(c.Segments, stretch)
		}
	}
	for i := range s.Changes {
		change := &s.Changes[i]
		if i == 0 {
			stretch.Mean = change.MeanBefore
		}
		end(change.Index)
		stretch = report.Segment{From: change.Index, Mean: change.MeanAfter, Status: v.changeStatus(change), Name: "change point at " + v.step(s, change)}
	}
	if len(s.Changes) > 0 {
		end(len(s.Own()))
	}
	return c
}

// changeStatus is the color of a change: it may be for the better.
func (m metric) changeStatus(c *trend.ChangePoint) report.Status {
	switch {
	case m.Gate.Direction == trend.Both:
		return report.Unsure
	case m.worse(c.MeanAfter-c.MeanBefore) > 0:
		return report.Bad
	}
	return report.Good
}
