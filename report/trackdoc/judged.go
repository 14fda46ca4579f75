package trackdoc

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// view is what the gate says on its way to an answer. A check is the report of its last run: both have a screen, a table
// of the series, a paragraph for each that needs one, and what they were made from.
type view struct {
	*track.Judgment
	metric
	series []*track.Series // what needs attention first
}

// newView puts the series that need attention first, of one kind the one farthest off towards worse.
func newView(j *track.Judgment) *view {
	v := &view{j, metric{j.Metric}, slices.Clone(j.Series)}
	rank := func(s *track.Series) int {
		switch {
		case !s.NeedsAttention():
			return 2
		case s.Shared != nil: // said once of many
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

// FromCheck answers what the gate says of a run: it is the report of the last run.
func FromCheck(c *track.Check, prov report.Provenance) *report.Answer {
	v := newView(&c.Judgment)
	d := &report.Document{Title: "Check of " + v.checked(), Subject: "The newest run against the ones before it", Date: c.Run.Time,
		Headline: []string{fmt.Sprintf("Run %d of %s: %s", c.Run.ID, report.OneLine(c.Where), RunText(&c.Run))}}
	if len(c.Checked) > 1 {
		d.Headline = append(d.Headline, report.UpperFirst(v.checked())+" are judged, each against what was known then; of "+
			"a series the worst verdict counts.")
	}
	word, where := string(v.worst()), v.checked()
	if len(c.Checked) == 1 {
		where = shortRef(&c.Checked[0])
	}
	if c.FailGone && len(v.gone()) > 0 && v.worst() != trend.Regression {
		word = "missing"
	}
	s := &report.Screen{Line: v.sentence(word, where+", "), Do: v.notices(c)}
	return &report.Answer{Doc: d, Table: v.complete(d, s, c.Run.ID, false, prov), Value: v.checkValue(c),
		Tests: func() *report.TestSuite { return v.suite(c, prov) }}
}

// FromReport answers how a metric developed over the whole history.
func FromReport(r *track.Report, prov report.Provenance) *report.Answer {
	v := newView(&r.Judgment)
	d := &report.Document{Title: "Occupancy over time", Subject: v.Title()}
	var run int64
	for id, ref := range r.Refs {
		if run = max(run, id); ref.Time.After(d.Date) {
			d.Date = ref.Time
		}
	}
	s := &report.Screen{Line: v.extent(), Means: report.UpperFirst(v.sentence(string(v.worst()), "")),
		Do: append([]string{v.changed()}, v.notices(nil)...)}
	p := &r.Params
	d.Headline = []string{fmt.Sprintf("Change points: E-divisive means, window %d, p below %g, segments of %d runs or more.",
		p.Window, p.P, cmp.Or(p.MinSegment, trend.Levels))}
	return &report.Answer{Doc: d, Table: v.complete(d, s, run, true, prov), Value: v.reportValue(r)}
}

// complete gives a document its screen and its sections, and makes the table of the series that people want to see. Of
// some series that are asked for the screen has what the table has; the sentence is of all.
func (v *view) complete(d *report.Document, s *report.Screen, run int64, changes bool, prov report.Provenance) *report.Table {
	show, left := report.Select(prov.Show, v.series, "series", func(s **track.Series) report.Candidate {
		return report.Candidate{Task: (*s).Key.Task, Value: math.Abs((*s).Off())}
	})
	s.Notes = report.NotWhole(left)
	raw := v.table(show, changes)
	table := raw.Show("series", "device", "driver", "program")
	if prov.Show.Chosen() {
		rows := *table
		rows.Len = min(rows.Len, max(report.ScreenRows, prov.Show.Top))
		s.Rows = &rows
	} else {
		v.fill(s, run, prov)
	}
	items := report.Section{Key: report.SectionAttention, Title: "What changed", Sheet: "Summary", ItemsIn: report.Everywhere}
	for _, m := range v.messages(show) {
		if m.Text != "" {
			items.Items = append(items.Items, m.Item)
		}
	}
	d.Screen, d.Headline = s, slices.Concat(d.Headline, []string{v.rule()}, leftOut(v.series))
	d.Sections = []report.Section{tableSection(table), items}
	if plots := v.plots(show); changes && len(plots.Plots) > 0 {
		d.Sections = append(d.Sections, plots)
	}
	finish(d, v.Where, prov)
	return raw
}

// finish says last what a document was made from, and what was judged by which rule.
func finish(d *report.Document, where string, prov report.Provenance) {
	rows := prov.Pairs()
	rows.Text("History", where)
	for _, text := range d.Headline {
		rows.Text("Judged", text)
	}
	d.Version = prov.Version
	d.Sections = append(d.Sections, report.Section{Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources",
		In: report.Files, Tables: []*report.Table{report.NameValue("provenance", "", rows)}})
}

// tableSection holds a table, on a sheet of its own.
func tableSection(t *report.Table) report.Section {
	s := report.Section{Key: t.Key, Title: t.Title, Sheet: t.Title, In: t.In, Tables: []*report.Table{t}}
	t.Title = ""
	return s
}

// checked names the runs of a check: run 12, runs 12 to 14.
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

// worst is the worst verdict of what is not of the past. A value that nobody can judge makes none bad.
func (v *view) worst() trend.Outcome {
	for _, o := range []trend.Outcome{trend.Regression, trend.Alarm, track.Faster, track.OpenOnBase, trend.OK} {
		if slices.ContainsFunc(v.series, func(s *track.Series) bool { return !s.Ended && s.Outcome() == o }) {
			return o
		}
	}
	return trend.Learning
}

// extent says what the history holds.
func (v *view) extent() string {
	devices, runs := map[string]bool{}, map[int64]time.Time{}
	for _, s := range v.series {
		devices[s.Key.Device] = true
		for _, p := range slices.Concat(s.Points, s.LeftOut) { // what is in no verdict is part of the history all the same
			runs[p.Run] = p.Time
		}
	}
	if len(runs) == 0 {
		return fmt.Sprintf("%s has no value of %s; occudiff track add PATH adds runs, --metric follows another number",
			report.OneLine(v.Where), v.name())
	}
	times := slices.SortedFunc(maps.Values(runs), time.Time.Compare)
	return fmt.Sprintf("%s: %s of %s in %s on %s, %s to %s UTC", report.OneLine(v.Where), v.name(),
		unit.Counted(len(v.series), "series", "series"), unit.Counted(len(runs), "run", "runs"),
		unit.Counted(len(devices), "device", "devices"), when(times[0]), when(times[len(times)-1]))
}
