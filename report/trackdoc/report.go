package trackdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/report"
)

// The keys of the sections of a history.
const (
	SectionTimeSeries     = "course"
	SectionOtherSeries    = "courses"
	SectionSmallMultiples = "panels"
)

// whole is the whole history on its way to an answer.
type whole struct {
	*track.Report
	metric
	series []series // what needs attention first
}

// FromReport answers how a metric developed over the whole history: the series that need attention, all series, all
// change points, plots over time, and for a workbook a sheet for each of the worst.
func FromReport(t *track.Report, prov report.Provenance) *report.Answer {
	m := metric{t.Metric, prov.CommitURL}
	r := &whole{t, m, m.inOrder(t.Series)}
	// Here verdicts that need nobody are in the order of their last change, the largest for the worse first.
	slices.SortStableFunc(r.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.attention(), b.attention()), cmp.Compare(rank(a), rank(b)),
			cmp.Compare(r.loss(b), r.loss(a)))
	})
	d := r.document(prov)
	return &report.Answer{Doc: d, Value: r.value(), Table: d.Table(report.SectionSeries)}
}

// ReportFailure says which series of a history fail the gate; nothing when none does. With alarms those fail it, too.
func ReportFailure(r *track.Report, alarms bool) string {
	return metric{Metric: r.Metric}.failure(r.Series, "", alarms)
}

// rank is the severity, without the order of verdicts that need nobody.
func rank(s series) int {
	if s.severity() == severityLearning {
		return severityOK
	}
	return s.severity()
}

// loss is how far the last change point went towards worse; no change is between worse and better.
func (r *whole) loss(s series) float64 {
	if c := lastChange(s); c != nil {
		return r.worse(c.MeanAfter - c.MeanBefore)
	}
	return 0
}

// lastChange is the newest change point, nil when there is none.
func lastChange(s series) *trend.ChangePoint {
	if n := len(s.Changes); n > 0 {
		return &s.Changes[n-1]
	}
	return nil
}

func (r *whole) document(prov report.Provenance) *report.Document {
	d := &report.Document{Title: "Occupancy over time", Subject: r.Title(), Version: prov.Version, Date: r.last()}
	d.Headline = []string{r.headline(), r.rule(), r.changeRule()}
	d.Closing = r.closing()
	show, left := shown(r.series, prov.Show)
	d.Headline = append(d.Headline, left...)
	top := summary(d)
	top.Tables = []*report.Table{r.verdicts()}
	r = &whole{r.Report, r.metric, show}
	drawn, title := r.drawn()
	d.Sections = append([]report.Section{top, r.attention()}, r.largePlots(drawn, title)...)
	d.Sections = append(d.Sections, report.Section{Key: report.SectionSeries, Title: "Series", Sheet: "Series",
		Tables: []*report.Table{r.seriesTable()}})
	if t := r.changeTable(); t.Len > 0 {
		d.Sections = append(d.Sections, report.Section{Key: t.Key, Title: "Change points", Sheet: "Change points",
			In: t.In, Tables: []*report.Table{t}})
	}
	if len(r.series) > 0 {
		d.Sections = append(d.Sections, r.smallMultiples(drawn))
	}
	d.Sections = append(d.Sections, r.sheets(drawn)...)
	end := origin(r.Where, r.metric, prov)
	end[0].Text = append(end[0].Text, r.method())
	d.Sections = append(d.Sections, end...)
	return d
}

// last is the time of the newest run.
func (r *whole) last() (last time.Time) {
	for _, s := range r.series {
		if p, ok := s.Newest(); ok && p.Time.After(last) {
			last = p.Time
		}
	}
	return last
}

func (r *whole) headline() string {
	runs, devices := map[int64]bool{}, map[string]bool{}
	points := 0
	var first time.Time
	for _, s := range r.series {
		devices[s.Key.Device] = true
		for _, list := range [][]history.Point{s.Points, s.LeftOut} {
			points += len(list)
			for _, p := range list {
				runs[p.Run] = true
				if first.IsZero() || p.Time.Before(first) {
					first = p.Time
				}
			}
		}
	}
	if points == 0 {
		return fmt.Sprintf("%s has no %s value; occudiff track add PATH adds runs, --metric follows another number",
			report.OneLine(r.Where), r.name())
	}
	return fmt.Sprintf("%s: %s in %s on %s, %s in %s, %s to %s UTC", report.OneLine(r.Where),
		report.Counted(len(r.series), "series", "series"), report.Counted(len(runs), "run", "runs"),
		report.Counted(len(devices), "device", "devices"), report.Counted(points, "value", "values"), r.unit(),
		when(first), when(r.last()))
}

// changeRule says which change points are shown.
func (r *whole) changeRule() string {
	text := "Change points: E-divisive means, window " + strconv.Itoa(r.Params.Window) + ", p below " +
		report.Shortest(r.Params.P)
	if r.Params.Magnitude > 0 {
		text += ", means that differ by more than " + report.Shortest(100*r.Params.Magnitude) + " %"
	}
	if r.Params.MinSegment > 1 {
		text += ", segments of " + strconv.Itoa(r.Params.MinSegment) + " runs or more"
	}
	return text + "."
}

// method says how far change points can be trusted.
func (r *whole) method() string {
	return r.changeRule() + " A change point is the first run of a new level: the split of a window with the largest " +
		"energy distance (Matteson and James, 2014), tested by a two-sided Student t with equal variances, then " +
		"merged, as Hunter (Fleming et al., 2023) and Apache Otava do it. On published series such settings find and " +
		"confirm changes with an F1 of 0.56 to 0.72: look before you act on one, and do not take silence for proof."
}

func (r *whole) closing() string {
	changes, changed := 0, 0
	for _, s := range r.series {
		changes += len(s.Changes)
		changed += min(len(s.Changes), 1)
	}
	text := "No change point. "
	if changes > 0 {
		text = fmt.Sprintf("%s in %s of %s. ", report.Counted(changes, "change point", "change points"),
			report.Thousands(int64(changed)), report.Counted(len(r.series), "series", "series"))
	}
	return text + "Newest values: " + report.StartLower(r.counts(r.Series))
}

// verdicts counts the verdicts on the newest values.
func (r *whole) verdicts() *report.Table {
	n := map[trend.Outcome]int{}
	for _, s := range r.series {
		if s.Ended {
			n["ended"]++
		} else {
			n[s.Outcome()]++
		}
	}
	meanings := map[trend.Outcome]string{
		trend.Regression:   "the newest runs are beyond the threshold, two in a row or more",
		trend.Alarm:        "the newest run is, the one before was not",
		trend.OK:           "within the threshold",
		trend.Learning:     "too few earlier runs to judge",
		track.Unmeasurable: "the value is not the kernel's own, or fills too little",
		"ended":            "the kernel went on with another device, driver or launch shape",
	}
	in := report.Page | report.Sheet
	verdict := report.Column{Key: "verdict", Title: "Verdict", Kind: report.Text, In: in, Words: outcomeWords()}
	t := tableOf("verdicts", in, append(slices.Clone(outcomes), "ended"), []column[trend.Outcome]{
		{verdict, func(o trend.Outcome) report.Cell { return report.StatusCell(string(o), outcomeStatus(o)) }},
		count("series", "Series", in, func(o trend.Outcome) int { return n[o] }),
		text("meaning", "Meaning", report.Page, func(o trend.Outcome) string { return meanings[o] }),
	})
	t.Title, t.Form = "Newest values", report.Tiles
	return t
}

// attention says of each series with a verdict or a change what happened.
func (r *whole) attention() report.Section {
	section := report.Section{Key: report.SectionAttention, Title: "What changed", Sheet: "Summary",
		ItemsIn: everywhere}
	section.Items = r.sharedItems(r.Shared)
	for _, s := range r.series {
		text, status := r.explain(s), s.status()
		if s.Shared != nil {
			text = ""
		}
		if last := lastChange(s); last != nil {
			if text != "" {
				text += " "
			}
			text += r.changeText(s)
			if !s.needsAttention() && !s.Ended {
				status = r.changeStatus(last)
			}
		}
		if text != "" {
			section.Items = append(section.Items, r.item(s, text, status))
		}
	}
	section.Items = append(section.Items, clockItems(&track.Clock{Future: r.Future})...)
	if len(section.Items) == 0 {
		section.Text = []string{"Nothing."}
	}
	return section
}

// mostChanges is how many change points of a series a sentence names, the newest first.
const mostChanges = 3

// changeText names the last change points of a series.
func (r *whole) changeText(s series) string {
	n := len(s.Changes)
	text := report.Counted(n, "change point", "change points") + ":"
	for i := n - 1; i >= max(0, n-mostChanges); i-- {
		c := &s.Changes[i]
		if i < n-1 {
			text += ";"
		}
		text += " " + r.runName(s.Points[c.Index]) + ", " + r.step(c)
	}
	if n > mostChanges {
		text += "; " + report.Thousands(int64(n-mostChanges)) + " earlier"
	}
	return text + "."
}

// runName names the run of a point with its commit.
func (r *whole) runName(p history.Point) string {
	ref, known := r.Runs[p.Run]
	if !known {
		ref = track.Ref{Run: p.Run, Time: p.Time}
	}
	return runName(&ref)
}

// step prints what changed at a change point.
func (r *whole) step(c *trend.ChangePoint) string {
	return fmt.Sprintf("%s -> %s (%s, p %s)", r.print(c.MeanBefore), r.print(c.MeanAfter),
		r.difference(c.MeanAfter-c.MeanBefore), probability(c.P))
}

// probability prints a p in few characters.
func probability(p float64) string {
	if p > 0 && p < 0.0005 {
		return strconv.FormatFloat(p, 'e', 0, 64)
	}
	return report.Decimal(p, 3)
}

// differenceCell is the difference of the means at a change point.
func (r *whole) differenceCell(c *trend.ChangePoint) report.Cell {
	cell := report.NumCell(report.Points, r.scaled(c.MeanAfter-c.MeanBefore))
	cell.Status = r.changeStatus(c)
	return cell
}

// seriesTable lists all series.
func (r *whole) seriesTable() *report.Table {
	last := func(of func(*trend.ChangePoint) report.Cell) func(series) report.Cell {
		return func(s series) report.Cell {
			if c := lastChange(s); c != nil {
				return of(c)
			}
			return report.Cell{}
		}
	}
	at := report.Column{Key: "last_change", Group: "Last change", Title: "at", Unit: "UTC", Kind: report.Text,
		In: everywhere, Drop: 7}
	return seriesTable(r.series, []column[series]{
		count("runs", "Runs", everywhere, func(s series) int { return len(s.Points) }),
		count("left_out", "Left out", report.Sheet, func(s series) int { return len(s.LeftOut) }),
	}, r.gateColumns(true), []column[series]{
		count("changes", "Change points", everywhere,
			func(s series) int { return len(s.Changes) }).brief("Changes").drop(8),
		{at, last(func(c *trend.ChangePoint) report.Cell { return report.TextCell(when(c.Time)) })},
		{r.differenceColumn("last_difference", "Last change", "by"), last(r.differenceCell)},
	})
}

// relativeChange is the change of the mean in percent of the old one. It is not a number when that is 0, or a
// difference already.
func (m metric) relativeChange(c *trend.ChangePoint) float64 {
	if c.MeanBefore == 0 || m.Unit() == "points" {
		return math.NaN()
	}
	return 100 * (c.MeanAfter - c.MeanBefore) / math.Abs(c.MeanBefore)
}

// change is a change point with its series.
type change struct {
	series
	*trend.ChangePoint
}

// changeTable lists every change point, of each series the newest first.
func (r *whole) changeTable() *report.Table {
	var list []change
	for _, s := range r.series {
		for i := len(s.Changes) - 1; i >= 0; i-- {
			list = append(list, change{s, &s.Changes[i]})
		}
	}
	in := report.Page | report.Sheet
	relative := report.Column{Key: "relative_change", Title: "Relative change", Unit: "%", Kind: report.Points, In: in}
	mean := func(key, title string, of func(change) float64) column[change] {
		return column[change]{r.column(key, title), func(c change) report.Cell { return r.cell(of(c)) }}.group("Mean")
	}
	return tableOf(report.SectionChanges, in, list, []column[change]{
		text("series", "Kernel", in, func(c change) string { return c.Key.Name() }),
		text("device", "Device", in, func(c change) string { return c.Key.Device }),
		text("driver", "Driver", in, func(c change) string { return c.Key.Driver }),
		text("time", "First run of the new level", in, func(c change) string { return when(c.Time) }).unit("UTC"),
		count("run", "Run", in, func(c change) int64 { return c.Points[c.Index].Run }),
		text("commit", "Commit", in,
			func(c change) string { return shortCommit(r.Runs[c.Points[c.Index].Run].Commit) }),
		count("index", "Index", in, func(c change) int { return c.Index }),
		mean("mean_before", "before", func(c change) float64 { return c.MeanBefore }),
		mean("mean_after", "after", func(c change) float64 { return c.MeanAfter }),
		{r.differenceColumn("difference", "", "Difference"),
			func(c change) report.Cell { return r.differenceCell(c.ChangePoint) }},
		{relative, func(c change) report.Cell {
			return report.NumCell(report.Points, r.relativeChange(c.ChangePoint))
		}},
		text("p", "p", in, func(c change) string { return probability(c.P) }),
		count("before", "before", in, func(c change) int { return c.Before }).group("Runs"),
		count("after", "after", in, func(c change) int { return c.After }).group("Runs"),
	})
}
