package trackdoc

import (
	"strconv"

	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	// largeSeries is how many series are shown large.
	largeSeries = 13
	// largeRuns is how many runs a large picture shows: more points than this cannot be told apart.
	largeRuns = 2000
)

// timeSeries gives the last runs of a series as a picture.
func (r *whole) timeSeries(s *track.Series) *report.TimeSeries {
	first := max(0, len(s.Points)-largeRuns)
	c := &report.TimeSeries{Points: make([]report.TimePoint, 0, len(s.Points)-first)}
	for _, p := range s.Points[first:] {
		c.Points = append(c.Points, report.TimePoint{Time: p.Time, Value: p.Value * r.scale(),
			Name: r.runName(p) + ": " + r.print(p.Value)})
	}
	if x, ok := s.Gate.Threshold.Value(); ok {
		x *= r.scale()
		c.Threshold = &x
	}
	if len(s.Changes) == 0 {
		return c
	}
	for i := 0; i <= len(s.Changes); i++ {
		if segment, ok := r.segment(s, i, first); ok {
			c.Segments = append(c.Segments, segment)
		}
	}
	return c
}

// segment is the stretch before change point i, or after the last one; false when it lies before the first point shown.
// A newest value that is not the kernel's own is in none.
func (r *whole) segment(s *track.Series, i, first int) (report.Segment, bool) {
	from, to, mean := 0, len(s.Own()), 0.0
	if i < len(s.Changes) {
		to, mean = s.Changes[i].Index, s.Changes[i].MeanBefore
	}
	segment := report.Segment{}
	if i > 0 {
		c := &s.Changes[i-1]
		from, mean = c.Index, c.MeanAfter
		segment.Status = r.changeStatus(c)
		segment.Name = "change point at " + r.runName(s.Points[c.Index]) + ": " + r.step(c)
	}
	segment.From, segment.To, segment.Mean = max(from-first, 0), to-first, mean*r.scale()
	return segment, to > first
}

// plotTitle names a series above its picture.
func plotTitle(s *track.Series) string {
	title := report.OneLine(s.Key.Name())
	if place := place(s); place != "" {
		title += " on " + place
	}
	return title
}

// plots shows the first series: those that need attention, then the others; one alone is large.
func (r *whole) plots() []report.Section {
	var plots []report.Plot
	for _, s := range r.series[:min(len(r.series), largeSeries)] {
		if len(s.Points) < 2 { // the table says it all
			continue
		}
		text := unit.Counted(len(s.Points), "run", "runs")
		if n := len(s.Points); n > largeRuns {
			text = "The last " + report.Thousands(largeRuns) + " of " + text
		}
		c := r.timeSeries(s)
		c.Large = len(r.series) == 1
		plots = append(plots, report.Plot{Key: "time-series-" + strconv.Itoa(len(plots)+1), Title: plotTitle(s), Unit: r.unit(),
			Text: text + ", oldest on the left.", TimeSeries: c})
	}
	if len(plots) == 0 {
		return nil
	}
	return []report.Section{{Key: SectionTimeSeries, Title: "Over time", In: report.Page, Plots: plots, Text: []string{
		"A point per run. Lines are the means between change points; the dashed one is the threshold of the newest run."}}}
}
