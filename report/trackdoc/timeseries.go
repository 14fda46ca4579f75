package trackdoc

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"occudiff/report"
)

const (
	// largeSeries is how many series are shown large, and get a sheet.
	largeSeries = 13
	// largeRuns is how many runs a large picture shows: more points than this cannot be told apart.
	largeRuns = 2000
	// panelRuns is the same for a small one.
	panelRuns = 200
)

// timeSeries gives the last runs of a series as a picture. Names of points cost more than their picture: small ones have none.
func (r *TrackReport) timeSeries(t *Tracked, most int, names bool) *report.TimeSeries {
	m := &r.Metric
	first := max(0, len(t.Points)-most)
	c := &report.TimeSeries{Points: make([]report.TimePoint, 0, len(t.Points)-first)}
	for _, p := range t.Points[first:] {
		point := report.TimePoint{Time: p.Time, Value: p.Value * m.scale()}
		if names {
			point.Name = "run " + strconv.FormatInt(p.Run, 10) + ", " + when(p.Time) + " UTC: " + m.print(p.Value)
		}
		c.Points = append(c.Points, point)
	}
	if x, ok := t.Gate.Threshold.Value(); ok {
		x *= m.scale()
		c.Threshold = &x
	}
	if len(t.Changes) == 0 {
		return c
	}
	for i := 0; i <= len(t.Changes); i++ {
		if s, ok := r.segment(t, i, first); ok {
			c.Segments = append(c.Segments, s)
		}
	}
	return c
}

// segment is the stretch before change point i, or after the last one; false when it lies before the first point shown.
func (r *TrackReport) segment(t *Tracked, i, first int) (report.Segment, bool) {
	from, to, mean := 0, len(t.Points), 0.0
	if t.Unmeasurable {
		to-- // the newest is in no segment
	}
	if i < len(t.Changes) {
		to, mean = t.Changes[i].Index, t.Changes[i].MeanBefore
	}
	s := report.Segment{}
	if i > 0 {
		c := &t.Changes[i-1]
		from, mean = c.Index, c.MeanAfter
		s.Status = r.changeStatus(c)
		s.Name = fmt.Sprintf("change point at run %d, %s UTC: %s -> %s (%s, p %s)", t.Points[c.Index].Run, when(c.Time),
			r.Metric.print(c.MeanBefore), r.Metric.print(c.MeanAfter), r.Metric.difference(c.MeanAfter-c.MeanBefore), probability(c.P))
	}
	s.From, s.To, s.Mean = max(from-first, 0), to-first, mean*r.Metric.scale()
	return s, to > first
}

// note is what a small picture says below its title.
func (r *TrackReport) note(t *Tracked) string {
	text := t.finding()
	if p, ok := t.newest(); ok {
		text = r.Metric.print(p.Value) + ", " + text
	}
	if n := len(t.Changes); n > 0 {
		text += ", " + report.Counted(n, "change", "changes")
	}
	return text
}

// plotTitle names a series above its picture.
func (t *Tracked) plotTitle() string {
	title := report.OneLine(t.Name)
	if w := t.where(); w != "" {
		title += " on " + w
	}
	return title
}

// drawn gives the series that are shown large: first the one with the largest last change, if any has changed, then the
// worst ones. The title says which one the first is.
func (r *TrackReport) drawn(series []*Tracked) (list []*Tracked, title string) {
	most, size := 0, 0.0
	for i, t := range series {
		if n := len(t.Changes); n > 0 {
			if d := math.Abs(t.Changes[n-1].MeanAfter - t.Changes[n-1].MeanBefore); d > size {
				most, size = i, d
			}
		}
	}
	title = "The series with the largest last change"
	if size == 0 {
		title = "The first series: none has a change point"
	}
	list = slices.Concat(series[most:min(most+1, len(series))], series[:most], series[min(most+1, len(series)):])
	return list[:min(len(list), largeSeries)], title
}

// largePlots shows some series, the first of them large.
func (r *TrackReport) largePlots(drawn []*Tracked, title string) []report.Section {
	var plots []report.Plot
	for i, t := range drawn {
		text := report.Counted(len(t.Points), "run", "runs") + ", oldest on the left."
		if n := len(t.Points); n > largeRuns {
			text = "The last " + report.Thousands(largeRuns) + " of " + report.Thousands(int64(n)) + " runs, oldest on the left."
		}
		if len(t.Changes) > 0 {
			text += " " + report.UpperFirst(r.changeText(t))
		}
		c := r.timeSeries(t, largeRuns, true)
		c.Large = i == 0
		plots = append(plots, report.Plot{Key: seriesKey(i), Title: t.plotTitle(), Unit: r.Metric.paper(), Text: text, TimeSeries: c})
	}
	if len(plots) == 0 {
		return nil
	}
	list := []report.Section{{Key: SectionTimeSeries, Title: title, In: report.Page, Plots: plots[:1],
		Text: []string{"A point per run. Lines are the means between change points; the dashed one is the threshold of the newest run."}}}
	if len(plots) > 1 {
		list = append(list, report.Section{Key: SectionOtherSeries, Title: "The next ones", In: report.Page, Plots: plots[1:],
			Text: []string{report.Thousands(int64(len(plots)-1)) + " more series in the same form."}})
	}
	return list
}

func seriesKey(i int) string { return "course-" + strconv.Itoa(i+1) }

// smallMultiples shows every series small.
func (r *TrackReport) smallMultiples(series, drawn []*Tracked) report.Section {
	links := make(map[*Tracked]string, len(drawn))
	for i, t := range drawn {
		links[t] = seriesKey(i)
	}
	p := report.Plot{Key: SectionSmallMultiples, Title: "All series", Unit: r.Metric.paper(), Text: "The last " + report.Thousands(panelRuns) + " runs of each at most; the vertical axis is the series' own.",
		SmallMultiples: make([]report.Panel, len(series))}
	for i, t := range series {
		p.SmallMultiples[i] = report.Panel{Title: report.OneLine(t.Name), Detail: t.where(), Note: r.note(t), Status: t.status(), Link: links[t], TimeSeries: r.timeSeries(t, panelRuns, false)}
	}
	return report.Section{Key: SectionSmallMultiples, Title: "All series", In: report.Page, Plots: []report.Plot{p},
		Text: []string{"Every series small: " + report.StartLower(p.Text)}}
}

// sheets gives each series that is drawn a sheet of a workbook: its runs, with a chart drawn from them.
func (r *TrackReport) sheets(drawn []*Tracked) []report.Section {
	var list []report.Section
	for i, t := range drawn {
		key := "runs-" + strconv.Itoa(i+1)
		table := r.runTable(key, t)
		s := report.Section{Key: key, Title: t.plotTitle(), Sheet: strconv.Itoa(i+1) + " " + report.OneLine(t.Name), In: report.Sheet, Tables: []*report.Table{table}}
		s.Text = []string{r.note(t)}
		if len(t.Changes) > 0 {
			s.Text = append(s.Text, report.UpperFirst(r.changeText(t)))
		}
		keys := []string{"value", "level"}
		if t.Gate.Threshold.Present() {
			keys = append(keys, "threshold")
		}
		s.Plots = []report.Plot{{Key: "chart-" + strconv.Itoa(i+1), Title: t.plotTitle(), Table: key, Label: "time", Series: keys, Rows: table.Len, Unit: r.Metric.paper(), Lines: true}}
		list = append(list, s)
	}
	return list
}

// runTable lists the runs of a series with the level that each belongs to.
func (r *TrackReport) runTable(key string, t *Tracked) *report.Table {
	m := &r.Metric
	c := r.timeSeries(t, largeRuns, false)
	first := len(t.Points) - len(c.Points)
	level := make([]report.Cell, len(c.Points))
	for _, l := range c.Segments {
		for i := l.From; i < l.To; i++ {
			level[i] = report.NumCell(m.column("", "", "").Kind, l.Mean)
		}
	}
	table := report.Fixed(key, "", []report.Column{
		{Key: "time", Title: "Time", Unit: "UTC", Kind: report.Text, In: report.Sheet}, {Key: "run", Title: "Run", Kind: report.Integer, In: report.Sheet},
		m.column("value", "", m.title()), m.column("level", "", "Level"), m.column("threshold", "", "Threshold now"),
	}, nil)
	table.In, table.Len, table.Main = report.Sheet, len(c.Points), len(c.Points)
	table.Row = func(i int, dst []report.Cell) []report.Cell {
		p := &t.Points[first+i]
		return append(dst, report.TextCell(when(p.Time)), report.IntCell(p.Run), m.cell(p.Value), level[i], m.optCell(t.Gate.Threshold))
	}
	return table
}
