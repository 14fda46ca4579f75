package trackdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"occudiff/report"

	"occudiff/compare/trend"
)

// TrackCheck is what the gate says of one run.
type TrackCheck struct {
	Metric      TrackMetric
	Where       string // the history
	Run         TrackedRun
	Series      []Tracked // that have a value in the run; points up to it
	NotMeasured int       // kernels of the run without one
	// Missing are kernels that the run before on the same device and driver had and this one does not.
	Missing       []string
	MissingBefore int64 // that run
	// Unnamed are series that begin with the run because it names a device or driver that an earlier run did not, or the other
	// way round: nobody can tell whether anything changed.
	Unnamed       int
	UnnamedBefore *TrackedBegin // of one of them
}

// Count gives how many series have a verdict.
func (c *TrackCheck) Count(word string) int {
	n := 0
	for i := range c.Series {
		if c.Series[i].word() == word {
			n++
		}
	}
	return n
}

// Regressions lists the confirmed regressions, the largest first, each with its distance from the median: "Fan2 (-7.6 points)".
func (c *TrackCheck) Regressions() []string { return c.Metric.regressions(c.Series) }

func (m *TrackMetric) regressions(series []Tracked) []string {
	var names []string
	for _, s := range m.inOrder(series) {
		if s.severity() == 0 {
			names = append(names, fmt.Sprintf("%s (%s)", report.CutMiddle(report.OneLine(s.Name), nameWidth), m.difference(s.Gate.Value-s.Gate.Median.Or(0))))
		}
	}
	return names
}

// inOrder puts the series that need attention first, of one kind the one farthest off.
func (m *TrackMetric) inOrder(series []Tracked) []*Tracked {
	list := make([]*Tracked, len(series))
	for i := range series {
		list[i] = &series[i]
	}
	slices.SortStableFunc(list, func(a, b *Tracked) int {
		return cmp.Or(cmp.Compare(a.severity(), b.severity()), cmp.Compare(m.off(b), m.off(a)))
	})
	return list
}

// FromTrackCheck builds the report of a check: the run, the rule, every series with the figures of its verdict, and a sentence
// for each that needs one.
func FromTrackCheck(c *TrackCheck, prov report.Provenance) *report.Document {
	series := c.Metric.inOrder(c.Series)
	d := &report.Document{
		Title: "Check of run " + fmt.Sprint(c.Run.ID), Subject: "The newest run against the ones before it", Date: c.Run.Time, Version: prov.Version,
		Headline: []string{"Run " + fmt.Sprint(c.Run.ID) + " of " + report.OneLine(c.Where) + ": " + TrackRunText(&c.Run), c.Metric.rule()},
		Closing:  c.closing(),
	}
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", Text: append(slices.Clone(d.Headline), d.Closing)}
	attention := report.Section{Key: report.SectionAttention, Title: "What needs attention", Sheet: "Summary", ItemsIn: report.Terminal | report.Page | report.Sheet}
	for _, s := range series {
		if text := c.Metric.explain(s); text != "" {
			attention.Items = append(attention.Items, report.Item{Lead: report.OneLine(s.Task), Detail: s.detail(), Text: text, Status: s.status()})
		}
	}
	attention.Items = append(attention.Items, c.absences()...)
	if len(attention.Items) == 0 {
		attention.Text = []string{"Nothing."}
	}
	t := c.Metric.checkTable(series)
	t.Attention = countAttention(series)
	d.Sections = append([]report.Section{summary, attention, {Key: SectionSeries, Title: "Series", Sheet: "Series", Tables: []*report.Table{t}}}, trackProvenance(c.Where, &c.Metric, prov)...)
	return d
}

// absences are the items about what the run does not have.
func (c *TrackCheck) absences() []report.Item {
	var items []report.Item
	if n := len(c.Missing); n > 0 {
		names := make([]string, 0, report.MostTasks)
		for _, name := range c.Missing[:min(n, report.MostTasks)] {
			names = append(names, report.CutMiddle(report.OneLine(name), nameWidth))
		}
		if n > report.MostTasks {
			names = append(names, report.Thousands(int64(n-report.MostTasks))+" more")
		}
		items = append(items, report.Item{Lead: "missing", Status: report.Unsure, Text: fmt.Sprintf("%s of run %d, the one before on this device and driver, %s not in this run and cannot be judged: %s.",
			report.Counted(n, "kernel", "kernels"), c.MissingBefore, isAre(n), strings.Join(names, ", "))})
	}
	if b := c.UnnamedBefore; b != nil {
		items = append(items, report.Item{Lead: "not named", Status: report.Unsure, Text: report.Counted(c.Unnamed, "series begins", "series begin") + " anew: run " + fmt.Sprint(b.Run) + " " +
			names(b.Device, b.Driver) + ", this one " + names(c.Run.Device, c.Run.Driver) +
			". Name both in every run or in none; track remove " + fmt.Sprint(c.Run.ID) + " and adding it again repairs this one."})
	}
	if n := c.NotMeasured; n > 0 {
		items = append(items, report.Item{Lead: "not measured", Status: report.Muted, Text: report.Counted(n, "kernel", "kernels") + " of this run " + hasHave(n) + " no " + c.Metric.Name + " value."})
	}
	return items
}

// names says which device and driver a run gives.
func names(device, driver string) string {
	if device == "" {
		device = "no device"
	}
	if driver == "" {
		driver = "none"
	}
	return "names " + report.OneLine(device) + ", driver " + report.OneLine(driver)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func countAttention(series []*Tracked) int {
	n := 0
	for _, s := range series {
		if s.severity() <= 2 {
			n++
		}
	}
	return n
}

// closing sums up in one line.
func (c *TrackCheck) closing() string { return c.Metric.counts(c.Series) + leftOut(c.Series) }

// leftOut says how many earlier values are in no verdict.
func leftOut(series []Tracked) string {
	values, of := 0, 0
	for i := range series {
		if n := len(series[i].LeftOut); n > 0 {
			values, of = values+n, of+1
		}
	}
	return leftOutText(values, of)
}

// counts says how many series have which verdict.
func (m *TrackMetric) counts(series []Tracked) string {
	n := map[string]int{}
	begins, ended := 0, 0
	for i := range series {
		if series[i].Ended {
			ended++
			continue
		}
		n[series[i].word()]++
		if series[i].severity() == 2 {
			begins++
		}
	}
	var parts []string
	for _, w := range []struct{ word, one, many string }{
		{string(trend.Alarm), "alarm that the next run confirms or not", "alarms that the next run confirms or not"},
		{string(trend.OK), "ok", "ok"}, {string(trend.Learning), "learning", "learning"}, {wordUnmeasurable, "unmeasurable", "unmeasurable"},
	} {
		if k := n[w.word]; k > 0 {
			text := report.Counted(k, w.one, w.many)
			if w.word == string(trend.Learning) && begins > 0 {
				text += " (" + report.Thousands(int64(begins)) + " after a change of device, driver or launch shape)"
			}
			parts = append(parts, text)
		}
	}
	if ended > 0 {
		parts = append(parts, report.Thousands(int64(ended))+" of the past (the kernel went on with another device, driver or launch shape, or is in none of the last "+report.Shortest(float64(m.Gate.Learning))+" runs)")
	}
	text := "No confirmed regression"
	if k := n[string(trend.Regression)]; k > 0 {
		text = report.Counted(k, "confirmed regression", "confirmed regressions")
	}
	text += " in " + report.Counted(len(series), "series", "series")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

// nameWidth is how much of a series' name a message shows.
const nameWidth = 72

// detail tells series of one task apart.
func (t *Tracked) detail() string {
	return strings.Trim(report.OneLine(t.Shape)+"; "+t.where(), "; ")
}

// where tells series of one kernel apart.
func (t *Tracked) where() string {
	if t.Driver == "" {
		return report.OneLine(t.Device)
	}
	return strings.TrimPrefix(report.OneLine(t.Device+", driver "+t.Driver), ", ")
}

// explain says of a series that needs attention what happened, from which figures; nothing of the others.
func (m *TrackMetric) explain(t *Tracked) string {
	g := &t.Gate
	switch {
	case t.Unmeasurable, t.Ended:
		return ""
	case g.Outcome == trend.Regression, g.Outcome == trend.Alarm:
		rest := "one run may be an outlier; the next one beyond its threshold makes it a regression."
		if g.Outcome == trend.Regression {
			rest = report.Counted(g.InARow, "run", "runs") + " in a row."
		}
		text := fmt.Sprintf("%s. %s is beyond the threshold of %s: %s off the median of %s (MAD %s) of %s; %s", g.Outcome, m.print(g.Value), m.print(g.Threshold.Or(0)),
			m.difference(g.Value-g.Median.Or(0)), m.print(g.Median.Or(0)), m.spread(g.MAD.Or(0)), report.Counted(g.N, "run", "runs"), rest)
		if t.Against != "" {
			text += " Against the prediction this run is " + report.OneLine(t.Against) + "."
		}
		return text
	case g.Outcome == trend.Learning && t.Begins != nil:
		ago := "here"
		if n := t.age(); n > 0 {
			ago = report.Counted(n, "run", "runs") + " ago"
		}
		return fmt.Sprintf("%s changed %s: %s. Run %d of %s was the last before; the series starts anew, and %s needed for a verdict.",
			strings.Join(t.Begins.What, " and "), ago, t.Begins.text(t), t.Begins.Run, when(t.Begins.Time), report.Counted(m.Gate.Learning-g.Index, "more run is", "more runs are"))
	}
	return ""
}

// spread prints a distance without a sign, two decimals: a MAD is often below a tenth.
func (m *TrackMetric) spread(d float64) string { return report.Decimal(d*m.scale(), 2) }

// spreadColumn is a column of distances.
func (m *TrackMetric) spreadColumn(key, title string) report.Column {
	unit := m.paper()
	if unit == "%" {
		unit = "points"
	}
	return report.Column{Key: key, Title: title, Unit: unit, Brief: title, Kind: report.Number, Decimals: 2, In: report.Terminal | report.Page | report.Sheet}
}

// checkTable lists series with the figures of their verdicts.
func (m *TrackMetric) checkTable(series []*Tracked) *report.Table {
	in := m.seriesColumns(series)
	in.add(m.column("value", "", "Newest"), func(t *Tracked) report.Cell { return m.cell(t.Gate.Value) })
	for _, c := range m.gateColumns() {
		in.add(c.Column, c.cell)
	}
	return in.table("series", "")
}

// trackedColumn is a column of a table of series.
type trackedColumn struct {
	report.Column
	cell func(*Tracked) report.Cell
}

// seriesTable is a table of series being made.
type seriesTable struct {
	series  []*Tracked
	columns []trackedColumn
}

func (s *seriesTable) add(c report.Column, cell func(*Tracked) report.Cell) {
	s.columns = append(s.columns, trackedColumn{c, cell})
}

func (s *seriesTable) table(key, title string) *report.Table {
	columns := make([]report.Column, len(s.columns))
	for i, c := range s.columns {
		columns[i] = c.Column
	}
	t := report.Fixed(key, title, columns, nil)
	t.In |= report.Terminal
	t.Len, t.Main = len(s.series), len(s.series)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		for _, c := range s.columns {
			dst = append(dst, c.cell(s.series[i]))
		}
		return dst
	}
	return t
}

// seriesColumns begins a table of series: a device or driver that all share stands in the headline only.
func (m *TrackMetric) seriesColumns(series []*Tracked) *seriesTable {
	s := &seriesTable{series: series}
	devices, drivers := report.Page|report.Sheet, report.Page|report.Sheet
	for _, t := range series {
		if t.Device != series[0].Device {
			devices |= report.Terminal
		}
		if t.Driver != series[0].Driver {
			drivers |= report.Terminal
		}
	}
	s.add(report.Column{Key: "series", Title: "Kernel", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Cut: true}, func(t *Tracked) report.Cell { return report.TextCell(t.Name) })
	s.add(report.Column{Key: "device", Title: "Device", Kind: report.Text, In: devices, Cut: true, Drop: 5}, func(t *Tracked) report.Cell { return report.TextCell(t.Device) })
	s.add(report.Column{Key: "driver", Title: "Driver", Kind: report.Text, In: drivers, Cut: true, Drop: 4}, func(t *Tracked) report.Cell { return report.TextCell(t.Driver) })
	return s
}

// gateColumns are the figures of the gate and its word.
func (m *TrackMetric) gateColumns() []trackedColumn {
	median, threshold := m.column("median", "", "Median"), m.column("threshold", "", "Threshold")
	median.Drop = 6
	mad := m.spreadColumn("mad", "MAD")
	mad.Drop = 3
	all := report.Terminal | report.Page | report.Sheet
	return []trackedColumn{
		{median, func(t *Tracked) report.Cell { return m.optCell(t.Gate.Median) }},
		{mad, func(t *Tracked) report.Cell {
			if x, ok := t.Gate.MAD.Value(); ok {
				return report.NumCell(report.Number, x*m.scale())
			}
			return report.Cell{}
		}},
		{threshold, func(t *Tracked) report.Cell { return m.optCell(t.Gate.Threshold) }},
		{report.Column{Key: "n", Title: "Earlier runs", Brief: "n", Kind: report.Integer, In: all, Drop: 2}, func(t *Tracked) report.Cell { return report.IntCell(t.Gate.N) }},
		{report.Column{Key: "window", Title: "Window", Kind: report.Integer, In: all, Drop: 1}, func(t *Tracked) report.Cell { return report.IntCell(t.Gate.Window) }},
		{report.Column{Key: "in_a_row", Title: "Runs in a row beyond", Kind: report.Integer, In: report.Page | report.Sheet}, func(t *Tracked) report.Cell { return report.IntCell(t.Gate.InARow) }},
		{report.Column{Key: "finding", Title: "Verdict", Kind: report.Text, In: all, Words: outcomeWords()}, func(t *Tracked) report.Cell { return report.StatusCell(t.finding(), t.status()) }},
		{report.Column{Key: "verdict", Title: "Verdict", Kind: report.Text}, func(t *Tracked) report.Cell { return report.StatusCell(t.word(), t.status()) }}, // for programs
		{report.Column{Key: "against", Title: "Against the prediction", Kind: report.Text, In: report.Sheet}, func(t *Tracked) report.Cell { return report.TextCell(t.Against) }},
	}
}

// trackProvenance says what a report of a history was made from, and how it judges.
func trackProvenance(where string, m *TrackMetric, prov report.Provenance) []report.Section {
	var rows report.Pairs
	rows.Text("Made by", strings.TrimSpace("occudiff "+prov.Version))
	rows.Text("Command line", report.CommandLine(prov.CommandLine))
	rows.Text("Label", prov.Label)
	rows.Text("History", where)
	rule := report.Section{Key: report.SectionRule, Title: "How this is judged", Sheet: "Sources", In: report.Page | report.Sheet, Text: []string{
		m.rule() + " Points are percentage points, never per cent of per cent. With fewer earlier runs a series is learning: one run is no baseline.",
		"A series is one kernel with its launch shape on one device with one driver. Another device, driver or launch shape starts another series, because nobody can tell its effect from that of the code. " +
			"Runs without the value are left out, not zero. So are runs that were too short for the sampling interval, but for the newest, which is shown and not judged; times are always judged.",
	}}
	return []report.Section{rule, {Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources", In: report.Page | report.Sheet, Tables: []*report.Table{report.NameValue("provenance", "", rows)}}}
}
