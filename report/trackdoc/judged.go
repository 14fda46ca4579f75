// Package trackdoc reports how occupancy changed over the stored runs. It
// converts the results of compare/track into documents, JSON values of the
// track commands, test cases, and annotations.
//
// A check (FromCheck) is a report (FromReport) restricted to the last run, so
// both use the same view. A replay of the gate (FromBacktest) and the list of
// runs (FromRuns) share the description of a series, the format of metric
// values (text.go), and the columns (columns.go).
//
// Series that need attention come first: regressions, alarms, then restarted
// series. In JSON, series are in the order in which they were first stored.
//
// The package contains no code for databases or file formats. It does not
// judge: verdicts come from compare/track.
package trackdoc

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// view is the input of the documents. A check and a report both have a summary,
// a table of series, a paragraph for each series that needs one, and the origin
// of the data.
type view struct {
	*track.Judgment
	metric
	series []*track.Series // sorted by need for attention
}

// newView returns a view with the series that need attention first. Series with
// equal need are sorted by their change for the worse, largest change first.
func newView(j *track.Judgment) *view {
	v := &view{j, metric{j.Metric}, slices.Clone(j.Series)}
	rank := func(s *track.Series) int {
		switch {
		case !s.NeedsAttention():
			return 2
		case s.Shared != nil: // a shared shift is one line for many series
			return 1
		}
		return 0
	}
	slices.SortStableFunc(v.series, func(a, b *track.Series) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Severity(), b.Severity()),
			cmp.Compare(v.worse(b.Off()), v.worse(a.Off())))
	})
	return v
}

// FromCheck returns the output for a check: the report of its last run.
func FromCheck(c *track.Check, prov report.Provenance) *report.Output {
	v := newView(&c.Judgment)
	d := &report.Document{
		Title:    v.title("Check of "+v.checked(), c.Run.Time),
		Origin:   originOf(&c.Run),
		Subject:  "The newest run against the ones before it",
		Date:     c.Run.Time,
		Headline: []string{fmt.Sprintf("Run %d of %s: %s", c.Run.ID, report.OneLine(c.Where), RunText(&c.Run))},
	}
	if len(c.Checked) > 1 {
		d.Headline = append(d.Headline, report.UpperFirst(v.checked())+
			" are judged, each against what was known then; of a series the worst verdict counts.")
	}
	word, where := string(v.worst()), v.checked()
	if len(c.Checked) == 1 {
		where = shortRef(&c.Checked[0])
	}
	if c.Others {
		where += " on " + unknown(c.Run.Device)
		if c.Run.Program != "" {
			where += ", program " + report.OneLine(c.Run.Program)
		}
	}
	if c.FailMissing && len(v.missingKernels()) > 0 && v.worst() != trend.Regression {
		word = "missing"
	}
	s := &report.Summary{Headline: v.sentence(word, where+", "), Advice: v.notices(c)}
	return &report.Output{
		Doc:   d,
		Table: v.complete(d, s, false, prov),
		Value: v.checkValue(c),
		Tests: func() *report.TestSuite { return v.suite(c, prov) },
	}
}

// FromReport returns the output for the whole history of a metric.
func FromReport(r *track.Report, prov report.Provenance) *report.Output {
	v := newView(&r.Judgment)
	d := &report.Document{Subject: v.Title(), Origin: originOf(&r.Newest)}
	for _, ref := range r.Refs {
		if ref.Time.After(d.Date) {
			d.Date = ref.Time
		}
	}
	d.Title = v.title("Occupancy over time", d.Date)
	s := &report.Summary{
		Headline: v.extent(),
		Impact:   report.UpperFirst(v.sentence(string(v.worst()), "")),
		Advice:   slices.Concat(v.counts(), v.apart(), v.notices(nil)),
	}
	table := v.complete(d, s, true, prov)
	if len(r.Calibrations) > 0 {
		at := len(d.Sections) - 2 // before the terms and the provenance
		d.Sections = slices.Insert(d.Sections, at, calibration(r.Calibrations))
	}
	return &report.Output{
		Doc:   d,
		Table: table,
		Value: v.reportValue(r),
	}
}

// title returns a title with the programs and devices of the series, and a date.
func (v *view) title(what string, date time.Time) string {
	return report.RunTitle(what, report.ListOf(v.series, func(s *track.Series) string { return s.Key.Program }),
		report.ListOf(v.series, func(s *track.Series) string { return s.Key.Device }), date)
}

// originOf returns the host, the driver, and the version of VTune of a run.
func originOf(r *history.Run) string {
	return report.UpperFirst(report.Known("host", r.Host, "driver", r.Driver, "VTune", r.VTune))
}

// complete adds the summary and the sections to a document, and returns the
// table of the shown series. If the user selects series, the summary lists the
// selected series, but its sentence is about all series.
func (v *view) complete(d *report.Document, s *report.Summary, changes bool, prov report.Provenance) *report.Table {
	show, left := report.Select(prov.Show, v.series, "series", func(s **track.Series) report.Candidate {
		return report.Candidate{Task: (*s).Key.Task, Value: math.Abs((*s).Off())}
	})
	s.Notes = report.IncompleteNotes(left)
	raw := v.table(show, changes)
	table := raw.Show("series", "device", "driver", "program")
	if prov.Show.Chosen() {
		rows := *table
		rows.Len = min(rows.Len, max(report.SummaryRows, prov.Show.Top))
		s.Rows = &rows
	} else {
		v.fill(s, prov)
	}
	items := report.Section{
		Key:     report.SectionAttention,
		Title:   "What changed",
		Sheet:   "Evidence",
		ItemsIn: report.Everywhere,
	}
	for _, m := range v.messages(show) {
		if m.Text != "" {
			items.Items = append(items.Items, m.Item)
		}
	}
	d.Summary, d.Headline = s, slices.Concat(d.Headline, []string{v.rule()}, leftOut(v.series))
	kernels := tableSection(table)
	kernels.Sheet = "Kernels"
	d.Sections = []report.Section{kernels, items}
	if changes {
		regressed := slices.DeleteFunc(slices.Clone(show), func(s *track.Series) bool { return !isRegressed(s) })
		others := slices.DeleteFunc(slices.Clone(show), isRegressed)
		first := v.plots("regressed", "Regressed kernels", "Runs since the first bad run are red.", regressed)
		for i := range first.Plots {
			first.Plots[i].TimeSeries.Large = true // the section is open and comes first
		}
		first.In, first.Sheet = report.Files, sheetTrend
		if len(first.Plots) > 0 {
			d.Sections = slices.Insert(d.Sections, 0, first)
		}
		incidents := tableSection(v.incidentTable())
		incidents.Sheet = sheetTrend
		d.Sections = append(d.Sections, incidents)
		if rest := v.plots(sectionTimeSeries, "Over time", levelsText, others); len(rest.Plots) > 0 {
			d.Sections = append(d.Sections, rest)
		}
		values := tableSection(v.valueTable())
		values.Sheet = "Runs"
		d.Sections = append(d.Sections, values)
	}
	d.Sections = append(d.Sections, report.TermSection(s, report.ListOf(show, func(s *track.Series) string {
		return "verdict of track: " + string(s.Outcome())
	})...))
	finish(d, v.Where, prov)
	return raw
}

// sheetTrend is the sheet with the charts of regressed kernels.
const sheetTrend = "Trend"

// finish adds a last section with the origin of the data and the rule of the
// verdicts.
func finish(d *report.Document, where string, prov report.Provenance) {
	rows := prov.Pairs()
	rows.Text("History", where)
	for _, text := range d.Headline {
		rows.Text("Judged", text)
	}
	d.Version = prov.Version
	inputs := report.InputsSection(rows)
	inputs.In = report.Files
	d.Sections = append(d.Sections, inputs)
}

// tableSection returns a section with a table, on a separate sheet.
func tableSection(t *report.Table) report.Section {
	s := report.Section{
		Key:    t.Key,
		Title:  t.Title,
		Sheet:  t.Title,
		In:     t.In,
		Tables: []*report.Table{t},
	}
	t.Title = ""
	return s
}

// checked returns a text for the checked runs, for example "run 12" or "runs 12
// to 14".
func (v *view) checked() string {
	switch n := len(v.Checked); n {
	case 0:
		return ""
	case 1:
		return "run " + strconv.FormatInt(v.Checked[0].Run, 10)
	default:
		return fmt.Sprintf("runs %d to %d", v.Checked[0].Run, v.Checked[n-1].Run)
	}
}

// worst returns the worst verdict among the series that have not ended. If no
// value could be judged, it returns learning, because such a value is not bad.
func (v *view) worst() trend.Outcome {
	for _, o := range []trend.Outcome{
		trend.Regression, trend.Alarm, track.Faster, track.Slower, track.OpenOnBase, trend.OK,
	} {
		if slices.ContainsFunc(v.series, func(s *track.Series) bool { return !s.Ended && s.Outcome() == o }) {
			return o
		}
	}
	return trend.Learning
}

// extent returns a text with the size of the history: its series, devices, and
// runs.
func (v *view) extent() string {
	devices, runs := map[string]bool{}, map[int64]time.Time{}
	for _, s := range v.series {
		devices[s.Key.Device] = true
		for _, p := range slices.Concat(s.Points, s.LeftOut) { // values without a verdict are part of the history, too
			runs[p.Run] = p.Time
		}
	}
	if text := track.NoCounter(v.metric.Metric); len(runs) == 0 && text != "" {
		return report.OneLine(v.Where) + ": " + text + "; --metric follows another number"
	}
	if len(runs) == 0 {
		return fmt.Sprintf("%s has no value of %s; occudiff track add PATH adds runs, --metric follows another number",
			report.OneLine(v.Where), v.name())
	}
	times := slices.SortedFunc(maps.Values(runs), time.Time.Compare)
	return fmt.Sprintf("%s: %s of %s in %s on %s, %s to %s UTC", report.OneLine(v.Where), v.name(),
		unit.FormatCount(len(v.series), "series", "series"), unit.Plural(len(runs), "run"),
		unit.Plural(len(devices), "device"), when(times[0]), when(times[len(times)-1]))
}

// sectionTimeSeries is the key of the section with a history's charts.
const sectionTimeSeries = "time-series"

const (
	// mostPlots is the largest number of charts.
	mostPlots = 13
	// mostRuns is the largest number of runs in a chart. More points could not
	// be distinguished.
	mostRuns = 2000
)

// levelsText describes the lines of a chart.
const levelsText = "Lines are the medians before, during, and after each incident."

// isRegressed reports whether a series that has not ended has an open finding.
func isRegressed(s *track.Series) bool {
	return len(s.Open) > 0 && !s.Ended
}

// plots returns a section with charts of the first series in show. If there is
// only one series, its chart is large.
func (v *view) plots(key, title, text string, show []*track.Series) report.Section {
	sec := report.Section{
		Key:   key,
		Title: title,
		In:    report.Page,
		Text:  []string{"One point per run. " + text + " The dashed line is the threshold of the newest run."},
	}
	for _, s := range show[:min(len(show), mostPlots)] {
		if len(s.Points) < 2 { // the table is sufficient for one point
			continue
		}
		text := unit.Plural(len(s.Points), "run")
		if n := len(s.Points); n > mostRuns {
			text = "The last " + report.Thousands(mostRuns) + " of " + text
		}
		c := v.timeSeries(s)
		c.Large = len(show) == 1
		sec.Plots = append(sec.Plots, report.Plot{
			Key:        fmt.Sprintf("%s-%d", key, len(sec.Plots)+1),
			Title:      strings.TrimSuffix(report.OneLine(s.Key.Name())+" on "+place(s), " on "),
			Unit:       v.unit(),
			TimeSeries: c,
			Text: report.Column{Title: c.Y, Unit: v.unit()}.Heading() + ", " +
				report.LowerFirst(text) + ", oldest on the left.",
		})
	}
	return sec
}

// leastHeight is the smallest height of a percentage chart, in points. It
// prevents noise from filling the chart.
const leastHeight = 10

// timeSeries returns a chart of the last runs of a series, with its levels.
func (v *view) timeSeries(s *track.Series) *report.TimeSeries {
	first := max(0, len(s.Points)-mostRuns)
	threshold, ok := s.Gate.Threshold.Value()
	c := &report.TimeSeries{
		Y:         report.UpperFirst(v.name()),
		Threshold: unit.Maybe(threshold*v.scale(), ok),
		Segments:  v.levels(s, first),
	}
	bad := false
	for i, p := range s.Points[first:] {
		bad = bad || isRegressed(s) && p.Run == s.Open[0].FirstBad.Run
		c.Points = append(c.Points, report.TimePoint{
			Time:  p.Time,
			Value: p.Value * v.scale(),
			Bad:   bad,
			Name:  runName(s.Ref(first+i, v.Refs)) + ": " + v.print(p.Value),
		})
	}
	if v.unit() == "%" {
		c.Least = leastHeight
	}
	return c
}

// levels returns the medians before, during, and after the incidents of a
// series, for a chart that begins with the point at index first.
func (v *view) levels(s *track.Series, first int) (list []report.Segment) {
	starts := []int{first, len(s.Own())}
	for _, f := range s.Findings {
		starts = append(starts, max(f.First, first), max(f.Closed, first))
	}
	if len(s.Findings) == 0 {
		return nil
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for i, from := range starts[:len(starts)-1] {
		bad := slices.ContainsFunc(s.Findings, func(f trend.Finding) bool {
			return f.First <= from && (f.Closed < 0 || from < f.Closed)
		})
		list = append(list, v.level(s, first, from, starts[i+1], bad))
	}
	return list
}

// level returns a segment of a chart with the median over a part of a series.
func (v *view) level(s *track.Series, first, from, to int, bad bool) report.Segment {
	var values []float64
	for _, p := range s.Points[from:to] {
		values = append(values, p.Value*v.scale())
	}
	median, _ := stat.Median(values)
	l := report.Segment{
		From:   from - first,
		To:     to - first,
		Mean:   median,
		Status: report.Good,
		Name:   "level since " + runName(s.Ref(from, v.Refs)),
	}
	if bad {
		l.Status = report.Bad
	}
	return l
}

// The schemas of the outputs, with their versions.
const (
	reportSchema   = "occudiff/track/1"
	checkSchema    = "occudiff/track-check/1"
	runsSchema     = "occudiff/track-list/1"
	addSchema      = "occudiff/track-add/1"
	backtestSchema = "occudiff/track-backtest/2"
)

// Schemas returns the JSON outputs of this package.
func Schemas() []report.Schema {
	m := track.Metric{Metric: history.Measured}
	v, b := newView(&track.Judgment{Metric: m}), &backtestView{&track.Backtest{Metric: m}, metric{m}}
	list := []report.Schema{
		{Name: "track-add", ID: addSchema, Text: "what was done with each run.",
			Values: []any{*NewAddValue(nil)}},
		{Name: "track-list", ID: runsSchema, Text: "the stored runs.",
			Values: []any{*runsValue(nil, nil, nil)}},
		{Name: "track-check", ID: checkSchema, Text: "the gate on the newest run, series by series.",
			Values: []any{*v.checkValue(&track.Check{})}},
		{Name: "track", ID: reportSchema, Text: "every series with its change points.",
			Values: []any{*v.reportValue(&track.Report{})}},
		{Name: "track-backtest", ID: backtestSchema, Text: "the gate over the stored history.",
			Values: []any{*b.value(b.findings(nil))}},
	}
	for i, command := range []string{"add", "list", "check", "report", "backtest"} {
		list[i].Command = "occudiff track " + command + " --format json"
	}
	return list
}

// ReportValue is the JSON output of `occudiff track report`. The series are in
// the order in which they were first stored.
type ReportValue struct {
	Schema      string        `json:"schema"`
	Series      *report.Table `json:"series"`
	Incidents   *report.Table `json:"incidents"`
	Calibration *report.Table `json:"calibration"`
	Metric      string        `json:"metric"`
	Params      trend.Params  `json:"parameters"`
}

func (v *view) reportValue(r *track.Report) *ReportValue {
	return &ReportValue{
		Schema:      reportSchema,
		Series:      v.table(v.Series, true),
		Incidents:   v.incidentTable(),
		Calibration: calibrationTable(r.Calibrations),
		Metric:      v.name(),
		Params:      r.Params,
	}
}

// CheckValue is the JSON output of `occudiff track check`. Its series are in
// the order of the history, so that two checks can be compared line by line.
type CheckValue struct {
	Schema         string        `json:"schema"`
	Verdict        string        `json:"verdict"` // worst verdict among all series
	Metric         string        `json:"metric"`
	Direction      string        `json:"direction"`
	Run            *report.Table `json:"run"`
	Runs           *report.Table `json:"runs"`
	Series         *report.Table `json:"series"`
	NotMeasured    int           `json:"not_measured"`
	MissingKernels *report.Table `json:"missing_kernels"`
	Notices        []string      `json:"notices"`
}

func (v *view) checkValue(c *track.Check) *CheckValue {
	return &CheckValue{
		Schema:         checkSchema,
		Verdict:        string(v.worst()),
		Metric:         v.name(),
		Direction:      string(v.Gate.Direction),
		Run:            report.One(&c.Run, runColumns),
		Runs:           report.NewTable("runs", "", v.Checked, refColumns),
		Series:         v.table(v.Series, false),
		NotMeasured:    c.NotMeasured,
		MissingKernels: report.NewTable("missing_kernels", "", v.MissingKernels, missingColumns),
		Notices:        v.notices(c),
	}
}

var missingColumns = []report.Col[track.MissingKernel]{
	report.JSON("name",
		func(g *track.MissingKernel) string { return g.Key.Name() }),
	report.JSON("last_run",
		func(g *track.MissingKernel) int64 { return g.Last.Run }),
	report.JSON("share_percent",
		func(g *track.MissingKernel) unit.Opt[unit.Ratio] { return g.Share }),
}
