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
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// SectionTimeSeries is the key of the pictures of a history.
const SectionTimeSeries = "time-series"

// whole is the whole history on its way to an answer.
type whole struct {
	*track.Report
	metric
	series []*track.Series // what needs attention first
}

// FromReport answers how a metric developed over the whole history: the series that need attention, all series, all
// change points, plots over time.
func FromReport(t *track.Report, prov report.Provenance) *report.Answer {
	m := metric{t.Metric, prov.CommitURL}
	r := &whole{t, m, m.inOrder(t.Series)}
	show, _ := shown(r.series, prov.Show)
	lead, tail := r.reportColumns()
	return &report.Answer{Doc: r.document(prov), Value: r.value(), Table: r.rawSeries(show, lead, tail)}
}

// ReportFailure says which series of a history fail the gate; nothing when none does. With alarms those fail it, too.
func ReportFailure(r *track.Report, alarms bool) string {
	return metric{Metric: r.Metric}.failure(r.Series, "", alarms)
}

// lastChange is the newest change point, nil when there is none.
func lastChange(s *track.Series) *trend.ChangePoint {
	if n := len(s.Changes); n > 0 {
		return &s.Changes[n-1]
	}
	return nil
}

func (r *whole) document(prov report.Provenance) *report.Document {
	d := &report.Document{Title: "Occupancy over time", Subject: r.Title(), Date: r.last()}
	d.Headline = []string{r.headline(), r.rule(), r.changeRule()}
	d.Closing = r.closing()
	show, left := shown(r.series, prov.Show)
	d.Headline = append(d.Headline, left...)
	if !prov.Show.Chosen() {
		d.Screen = r.screen(r.headline(), r.lines(r.series, r.Shared),
			slices.Concat(r.groups(), r.changed(d.Closing), texts(renumberedItems(r.Renumbered))), slices.Max(append(slices.Collect(maps.Keys(r.Runs)), 0)), prov)
		d.Screen.Means = report.UpperFirst(r.sentence(r.Series, string(r.word()), ""))
	}
	sum := summary(d)
	// From here on the series are those that --kernel, --top and --sort leave; headline and verdicts were made of all.
	r = &whole{r.Report, r.metric, show}
	sections := append(append([]report.Section{sum}, r.plots()...),
		attentionSection("What changed", slices.Concat(r.items(show, r.Shared), clockItems(&track.Clock{Future: r.Future}), renumberedItems(r.Renumbered))))
	lead, tail := r.reportColumns()
	for _, t := range []*report.Table{r.acceptedTable(), r.metric.seriesTable(show, lead, tail), r.noiseTable(), r.changeTable()} {
		if t.Len > 0 || t.Key == report.SectionSeries {
			sections = append(sections, tableSection(t))
		}
	}
	r.finish(d, r.Where, prov, sections...)
	// The last but one, as finish makes them: the rule, then the provenance.
	rule := &d.Sections[len(d.Sections)-2]
	rule.Text = append(rule.Text, r.method())
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

// headline says what the history holds.
func (r *whole) headline() string {
	devices, runs := map[string]bool{}, map[int64]bool{}
	var first time.Time
	for _, s := range r.series {
		devices[s.Key.Device] = true
		for _, p := range slices.Concat(s.Points, s.LeftOut) { // what is in no verdict is part of the history all the same
			if runs[p.Run] = true; first.IsZero() || p.Time.Before(first) {
				first = p.Time
			}
		}
	}
	if first.IsZero() {
		return fmt.Sprintf("%s has no value of %s; occudiff track add PATH adds runs, --metric follows another number",
			report.OneLine(r.Where), r.name())
	}
	return fmt.Sprintf("%s: %s of %s in %s on %s, %s to %s UTC", report.OneLine(r.Where), r.name(),
		unit.Counted(len(r.series), "series", "series"), unit.Counted(len(runs), "run", "runs"),
		unit.Counted(len(devices), "device", "devices"), when(first), when(r.last()))
}

// changeRule says which change points are shown.
func (r *whole) changeRule() string {
	text := "Change points: E-divisive means, window " + strconv.Itoa(r.Params.Window) + ", p below " +
		report.Shortest(r.Params.P)
	if r.Params.Magnitude > 0 {
		text += ", means that differ by more than " + report.Shortest(100*r.Params.Magnitude) + " %"
	}
	if least := cmp.Or(r.Params.MinSegment, trend.Levels); least > 1 {
		text += ", segments of " + strconv.Itoa(least) + " runs or more"
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
	text := "No change point."
	if changes > 0 {
		text = fmt.Sprintf("%s in %s of %s.", unit.Counted(changes, "change point", "change points"),
			report.Thousands(int64(changed)), unit.Counted(len(r.series), "series", "series"))
	}
	return text + leftOutOf(r.Series)
}

// word is the worst verdict of what is not of the past.
func (r *whole) word() trend.Outcome {
	for _, o := range outcomes {
		if o != track.Unmeasurable && slices.ContainsFunc(r.Series, func(s *track.Series) bool { return !s.Ended && s.Outcome() == o }) {
			return o
		}
	}
	return trend.Learning
}

// groups name the series by what is said of them, where nothing is open.
func (r *whole) groups() (list []string) {
	names := map[string][]string{}
	words := []string{"as before", string(trend.Learning), "too short to measure", "of the past"}
	for _, s := range r.series {
		word := string(s.Outcome())
		switch {
		case s.Ended:
			word = words[3]
		case s.Outcome() == track.Unmeasurable:
			word = words[2]
		case s.Outcome() == trend.OK:
			word = words[0]
		}
		names[word] = append(names[word], report.KernelName(s.Key.Task))
	}
	for _, word := range words {
		if all := names[word]; len(all) > 0 {
			slices.Sort(all)
			all = slices.Compact(all)
			list = append(list, report.UpperFirst(word)+": "+few(all)+".")
		}
	}
	if len(list) > 0 {
		list = []string{strings.Join(list, " ")}
	}
	return list
}

// changed names the largest last change points behind a sentence that counts them.
func (r *whole) changed(counted string) []string {
	list := slices.DeleteFunc(slices.Clone(r.series), func(s *track.Series) bool { return len(s.Changes) == 0 })
	slices.SortStableFunc(list, func(a, b *track.Series) int {
		by := func(s *track.Series) float64 { return math.Abs(lastChange(s).MeanAfter - lastChange(s).MeanBefore) }
		return cmp.Compare(by(b), by(a))
	})
	for _, s := range list[:min(len(list), report.MostTasks)] {
		c := lastChange(s)
		counted += fmt.Sprintf(" %s: %s, %s.", report.KernelName(s.Key.Task), r.runName(s.Points[c.Index]), r.step(c))
	}
	return []string{counted}
}

// ref is the run of a point.
func (r *whole) ref(p history.Point) track.Ref {
	if ref, known := r.Runs[p.Run]; known {
		return ref
	}
	return track.Ref{Run: p.Run, Time: p.Time}
}

// runName names it with its commit.
func (r *whole) runName(p history.Point) string {
	ref := r.ref(p)
	return runName(&ref)
}

// step prints what changed at a change point.
func (r *whole) step(c *trend.ChangePoint) string {
	return fmt.Sprintf("%s -> %s (%s, p %s)", r.print(c.MeanBefore), r.print(c.MeanAfter),
		r.metric.difference(c.MeanAfter-c.MeanBefore), probability(c.P))
}

// changeTable lists every change point, of each series the newest first.
func (r *whole) changeTable() *report.Table {
	var list []change
	for _, s := range r.series {
		changes := changesOf(s, s.Changes)
		slices.Reverse(changes)
		list = append(list, changes...)
	}
	t := report.NewTable(report.SectionChanges, "Change points", list, append(keyColumns(r.metric, func(c *change) *history.Key { return &c.Key }),
		r.changeColumns()...)).Show()
	t.In = report.Files
	return t
}
