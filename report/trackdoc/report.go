package trackdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"occudiff/report"

	"occudiff/compare/trend"
)

// TrackReport is the whole history of one metric.
type TrackReport struct {
	Metric TrackMetric
	Params trend.Params
	Where  string    // the history
	Series []Tracked // in the order in which they were first stored
}

// Regressions lists the confirmed regressions of series that go on, as those of a check.
func (r *TrackReport) Regressions() []string { return r.Metric.regressions(r.Series) }

// inOrder gives the series in the order in which a person wants to see them: verdicts that need attention first, then the
// largest last change for the worse.
func (r *TrackReport) inOrder() []*Tracked {
	list := r.Metric.inOrder(r.Series)
	slices.SortStableFunc(list, func(a, b *Tracked) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(r.loss(b), r.loss(a)))
	})
	return list
}

// rank is the severity, without the order of verdicts that need nobody.
func rank(t *Tracked) int { return min(t.severity(), 3) + max(t.severity()-4, 0) }

// loss is how far the last change point went towards worse; no change is between worse and better.
func (r *TrackReport) loss(t *Tracked) float64 {
	if len(t.Changes) == 0 {
		return 0
	}
	c := t.Changes[len(t.Changes)-1]
	return r.Metric.worse(c.MeanAfter - c.MeanBefore)
}

// The keys of the sections of a history.
const (
	SectionSeries         = "series"
	SectionTimeSeries     = "course"
	SectionOtherSeries    = "courses"
	SectionSmallMultiples = "panels"
)

// FromTrack builds the report of a history: the series that need attention, all series, all change points, plots over time, and for a
// workbook a sheet for each of the worst.
func FromTrack(r *TrackReport, prov report.Provenance) *report.Document {
	series := r.inOrder()
	d := &report.Document{Title: "Occupancy over time", Subject: r.Metric.title(), Version: prov.Version, Date: r.last()}
	d.Headline = []string{r.headline(), r.Metric.rule(), r.rule()}
	d.Closing = r.closing()
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", Text: append(slices.Clone(d.Headline), d.Closing), Tables: []*report.Table{r.verdicts()}}
	d.Sections = append(d.Sections, summary, r.attention(series))
	drawn, title := r.drawn(series)
	d.Sections = append(d.Sections, r.largePlots(drawn, title)...)
	d.Sections = append(d.Sections, report.Section{Key: SectionSeries, Title: "Series", Sheet: "Series", Tables: []*report.Table{r.seriesTable(series)}})
	if t := r.changeTable(series); t.Len > 0 {
		d.Sections = append(d.Sections, report.Section{Key: "changes", Title: "Change points", Sheet: "Change points", In: report.Page | report.Sheet, Tables: []*report.Table{t}})
	}
	if len(series) > 0 {
		d.Sections = append(d.Sections, r.smallMultiples(series, drawn))
	}
	d.Sections = append(d.Sections, r.sheets(drawn)...)
	end := trackProvenance(r.Where, &r.Metric, prov)
	end[0].Text = append(end[0].Text, r.method())
	d.Sections = append(d.Sections, end...)
	return d
}

// last is the time of the newest run.
func (r *TrackReport) last() (last time.Time) {
	for i := range r.Series {
		if p, ok := r.Series[i].newest(); ok && p.Time.After(last) {
			last = p.Time
		}
	}
	return last
}

func (r *TrackReport) headline() string {
	runs, devices := map[int64]bool{}, map[string]bool{}
	points := 0
	var first time.Time
	for i := range r.Series {
		s := &r.Series[i]
		devices[s.Device] = true
		points += len(s.Points) + len(s.LeftOut)
		for _, list := range [][]TrackedPoint{s.Points, s.LeftOut} {
			for _, p := range list {
				runs[p.Run] = true
				if first.IsZero() || p.Time.Before(first) {
					first = p.Time
				}
			}
		}
	}
	if points == 0 {
		return report.OneLine(r.Where) + " has no " + r.Metric.Name + " value; occudiff track add PATH adds runs, --metric follows another number"
	}
	return fmt.Sprintf("%s: %s in %s on %s, %s in %s, %s to %s UTC", report.OneLine(r.Where), report.Counted(len(r.Series), "series", "series"), report.Counted(len(runs), "run", "runs"),
		report.Counted(len(devices), "device", "devices"), report.Counted(points, "value", "values"), r.Metric.paper(), when(first), when(r.last()))
}

// rule says which change points are shown.
func (r *TrackReport) rule() string {
	text := "Change points: E-divisive means, window " + strconv.Itoa(r.Params.Window) + ", p below " + report.Shortest(r.Params.P)
	if r.Params.Magnitude > 0 {
		text += ", means that differ by more than " + report.Shortest(100*r.Params.Magnitude) + " %"
	}
	if r.Params.MinSegment > 1 {
		text += ", segments of " + strconv.Itoa(r.Params.MinSegment) + " runs or more"
	}
	return text + "."
}

// method says how far change points can be trusted.
func (r *TrackReport) method() string {
	return r.rule() + " A change point is the first run of a new level: the split of a window with the largest energy distance (Matteson and James, 2014), tested by a two-sided Student t with equal variances, " +
		"then merged, as Hunter (Fleming et al., 2023) and Apache Otava do it. On published series such settings find and confirm changes with an F1 of 0.56 to 0.72: look before you act on one, and do not take silence for proof."
}

func (r *TrackReport) closing() string {
	changes, changed := 0, 0
	for i := range r.Series {
		changes += len(r.Series[i].Changes)
		if len(r.Series[i].Changes) > 0 {
			changed++
		}
	}
	text := "No change point. "
	if changes > 0 {
		text = report.Counted(changes, "change point", "change points") + " in " + report.Thousands(int64(changed)) + " of " + report.Counted(len(r.Series), "series", "series") + ". "
	}
	return text + "Newest values: " + report.StartLower(r.Metric.counts(r.Series)) + leftOut(r.Series)
}

// verdicts counts the verdicts on the newest values.
func (r *TrackReport) verdicts() *report.Table {
	count := map[string]int{}
	for i := range r.Series {
		if r.Series[i].Ended {
			count["ended"]++
		} else {
			count[r.Series[i].word()]++
		}
	}
	var rows [][]report.Cell
	for _, c := range []struct{ word, meaning string }{
		{string(trend.Regression), "the newest runs are beyond the threshold, two in a row or more"},
		{string(trend.Alarm), "the newest run is, the one before was not"},
		{string(trend.OK), "within the threshold"},
		{string(trend.Learning), "too few earlier runs to judge"},
		{wordUnmeasurable, "too short for the sampling interval"},
		{"ended", "the kernel went on with another device, driver or launch shape"},
	} {
		rows = append(rows, []report.Cell{report.StatusCell(c.word, outcomeStatus(c.word)), report.IntCell(count[c.word]), report.TextCell(c.meaning)})
	}
	return report.Fixed("verdicts", "Newest values", []report.Column{
		{Key: "verdict", Title: "Verdict", Kind: report.Text, In: report.Page | report.Sheet, Words: outcomeWords()},
		{Key: "series", Title: "Series", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "meaning", Title: "Meaning", Kind: report.Text, In: report.Page},
	}, rows)
}

// attention says of each series with a verdict or a change what happened.
func (r *TrackReport) attention(series []*Tracked) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: "What changed", Sheet: "Summary", ItemsIn: report.Terminal | report.Page | report.Sheet}
	for _, t := range series {
		text := r.Metric.explain(t)
		if len(t.Changes) > 0 {
			if text != "" {
				text += " "
			}
			text += r.changeText(t)
		}
		if text != "" {
			status := t.status()
			if t.severity() > 2 && !t.Ended {
				status = r.changeStatus(&t.Changes[len(t.Changes)-1])
			}
			s.Items = append(s.Items, report.Item{Lead: report.OneLine(t.Task), Detail: t.detail(), Text: text, Status: status})
		}
	}
	if len(s.Items) == 0 {
		s.Text = []string{"Nothing."}
	}
	return s
}

// mostChanges is how many change points of a series a sentence names, the newest first.
const mostChanges = 3

// changeText names the last change points of a series.
func (r *TrackReport) changeText(t *Tracked) string {
	n := len(t.Changes)
	text := report.Counted(n, "change point", "change points") + ":"
	for i := n - 1; i >= max(0, n-mostChanges); i-- {
		c := &t.Changes[i]
		if i < n-1 {
			text += ";"
		}
		text += fmt.Sprintf(" run %d of %s, %s -> %s (%s, p %s)", t.Points[c.Index].Run, when(c.Time), r.Metric.print(c.MeanBefore), r.Metric.print(c.MeanAfter),
			r.Metric.difference(c.MeanAfter-c.MeanBefore), probability(c.P))
	}
	if n > mostChanges {
		text += "; " + report.Thousands(int64(n-mostChanges)) + " earlier"
	}
	return text + "."
}

// probability prints a p in few characters.
func probability(p float64) string {
	if p > 0 && p < 0.0005 {
		return strconv.FormatFloat(p, 'e', 0, 64)
	}
	return report.Decimal(p, 3)
}

// changeStatus is the colour of a change: it may be for the better.
func (r *TrackReport) changeStatus(c *trend.ChangePoint) report.Status {
	switch d := r.Metric.worse(c.MeanAfter - c.MeanBefore); {
	case r.Metric.Gate.Direction == trend.Both:
		return report.Unsure
	case d > 0:
		return report.Bad
	}
	return report.Good
}

// seriesTable lists all series.
func (r *TrackReport) seriesTable(series []*Tracked) *report.Table {
	m := &r.Metric
	s := m.seriesColumns(series)
	all := report.Terminal | report.Page | report.Sheet
	s.add(report.Column{Key: "runs", Title: "Runs", Kind: report.Integer, In: all}, func(t *Tracked) report.Cell { return report.IntCell(len(t.Points)) })
	s.add(report.Column{Key: "left_out", Title: "Left out", Kind: report.Integer, In: report.Sheet}, func(t *Tracked) report.Cell { return report.IntCell(len(t.LeftOut)) })
	s.add(m.column("value", "", "Newest"), func(t *Tracked) report.Cell { return m.cell(t.Gate.Value) })
	for _, c := range m.gateColumns() {
		switch c.Key {
		case "window": // all series have the one that the rule names
			c.In = report.Sheet
		case "n":
			c.In = report.Page | report.Sheet
		}
		s.add(c.Column, c.cell)
	}
	s.add(report.Column{Key: "changes", Title: "Change points", Brief: "Changes", Kind: report.Integer, In: all, Drop: 8}, func(t *Tracked) report.Cell { return report.IntCell(len(t.Changes)) })
	last := func(of func(*trend.ChangePoint) report.Cell) func(*Tracked) report.Cell {
		return func(t *Tracked) report.Cell {
			if len(t.Changes) == 0 {
				return report.Cell{}
			}
			return of(&t.Changes[len(t.Changes)-1])
		}
	}
	s.add(report.Column{Key: "last_change", Group: "Last change", Title: "at", Unit: "UTC", Kind: report.Text, In: all, Drop: 7}, last(func(c *trend.ChangePoint) report.Cell { return report.TextCell(when(c.Time)) }))
	s.add(m.deltaColumn("last_difference", "Last change", "by"), last(func(c *trend.ChangePoint) report.Cell {
		cell := report.NumCell(report.Points, (c.MeanAfter-c.MeanBefore)*m.scale())
		cell.Status = r.changeStatus(c)
		return cell
	}))
	return withAttention(s.table("series", ""), series)
}

func withAttention(t *report.Table, series []*Tracked) *report.Table {
	t.Attention = countAttention(series)
	return t
}

// deltaColumn is a column of signed distances.
func (m *TrackMetric) deltaColumn(key, group, title string) report.Column {
	unit := m.paper()
	if unit == "%" {
		unit = "points"
	}
	return report.Column{Key: key, Group: group, Title: title, Unit: unit, Kind: report.Points, In: report.Terminal | report.Page | report.Sheet, Drop: 9}
}

// changeTable lists every change point.
func (r *TrackReport) changeTable(series []*Tracked) *report.Table {
	type change struct {
		t *Tracked
		c *trend.ChangePoint
	}
	var list []change
	for _, t := range series {
		for i := len(t.Changes) - 1; i >= 0; i-- {
			list = append(list, change{t, &t.Changes[i]})
		}
	}
	m := &r.Metric
	in := report.Page | report.Sheet
	before, after, delta := m.column("mean_before", "Mean", "before"), m.column("mean_after", "Mean", "after"), m.deltaColumn("difference", "", "Difference")
	t := report.Fixed("changes", "", []report.Column{
		{Key: "series", Title: "Kernel", Kind: report.Text, In: in}, {Key: "device", Title: "Device", Kind: report.Text, In: in}, {Key: "driver", Title: "Driver", Kind: report.Text, In: in},
		{Key: "time", Title: "First run of the new level", Unit: "UTC", Kind: report.Text, In: in}, {Key: "run", Title: "Run", Kind: report.Integer, In: in}, {Key: "index", Title: "Index", Kind: report.Integer, In: in},
		before, after, delta, {Key: "magnitude", Title: "Relative change", Unit: "%", Kind: report.Percent, In: in},
		{Key: "p", Title: "p", Kind: report.Text, In: in}, {Key: "before", Group: "Runs", Title: "before", Kind: report.Integer, In: in}, {Key: "after", Group: "Runs", Title: "after", Kind: report.Integer, In: in},
	}, nil)
	t.Len, t.Main = len(list), len(list)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		s, c := list[i].t, list[i].c
		d := report.NumCell(report.Points, (c.MeanAfter-c.MeanBefore)*m.scale())
		d.Status = r.changeStatus(c)
		magnitude := report.Cell{}
		if !math.IsInf(c.Magnitude, 0) {
			magnitude = report.NumCell(report.Percent, 100*c.Magnitude)
		}
		return append(dst, report.TextCell(s.Name), report.TextCell(s.Device), report.TextCell(s.Driver), report.TextCell(when(c.Time)), report.IntCell(s.Points[c.Index].Run), report.IntCell(c.Index),
			m.cell(c.MeanBefore), m.cell(c.MeanAfter), d, magnitude, report.TextCell(probability(c.P)), report.IntCell(c.Before), report.IntCell(c.After))
	}
	return t
}
