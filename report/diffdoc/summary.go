package diffdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// summaryRow is a row of a diff's summary: a changed kernel, or a kernel that
// represents all other kernels with the same verdict.
type summaryRow struct {
	row
	number unit.Opt[int] // absent if no row has a number, 0 if the row needs no action
	name   string
	what   string
}

// unsure reports whether a row's change supports no conclusion.
func unsure(r *summaryRow) bool {
	return r.Verdict == diff.Inconclusive || r.Verdict == diff.NotComparable
}

var summaryColumns = []report.Col[summaryRow]{
	report.Shown("n", "#", func(r *summaryRow) unit.Opt[string] {
		n, numbered := r.number.Value()
		return unit.Maybe(strings.TrimPrefix(strconv.Itoa(n), "0"), numbered)
	}, report.WithUnits),
	report.Shown("n", "#",
		func(r *summaryRow) unit.Opt[int] { return r.number },
		report.Sheet, report.NonZero),
	report.Shown("kernel", "Kernel",
		func(r *summaryRow) string { return r.name },
		report.Code),
	report.Shown("side", "Side",
		func(r *summaryRow) string { return r.side },
		report.Cut,
		report.NonZero),
	report.Shown("measured", "Measured", func(r *summaryRow) string {
		if m := r.Measured(); m.Old.N+m.New.N > 0 {
			return fromTo(m, "%")
		}
		return ""
	}, report.Right, report.NonZero, report.WithUnits),
	report.Shown("measured_old", "Measured, old",
		func(r *summaryRow) number { return r.Measured().Old.Median },
		report.Percent, report.Sheet, report.Bar),
	report.Shown("measured_new", "Measured, new",
		func(r *summaryRow) number { return r.Measured().New.Median },
		report.Percent, report.Sheet, report.Bar),
	report.Shown("change", "Points", func(r *summaryRow) report.Word {
		c, ok := r.Measured().Change.Value()
		switch {
		case !ok:
			return report.Word{}
		case unsure(r):
			return report.Word{Text: "(" + report.Signed(c) + ")"}
		}
		return statusOf(r.Verdict).Word(report.Signed(c))
	}, report.Right, report.WithUnits),
	report.Shown("change", "Change",
		func(r *summaryRow) number { return r.Measured().Change },
		report.Points,
		report.Sheet).Unsure(unsure),
	report.Shown("ratio", "Time", func(r *summaryRow) string {
		if x, ok := r.Delta(compare.MetricTime).Ratio.Value(); ok {
			return report.Decimal(x, 2) + "x"
		}
		return ""
	}, report.Right, report.NonZero, report.WithUnits),
	report.Shown("ratio", "Time, new / old",
		func(r *summaryRow) number { return r.Delta(compare.MetricTime).Ratio },
		report.Decimals(2), report.Sheet),
	report.Shown("verdict", "Verdict",
		func(r *summaryRow) report.Word { return statusOf(r.Verdict).Word(r.what) },
		report.Fold),
}

// summary returns the first part of every form of a diff.
func (c *comparison) summary(rows []row, notes []note.Note) *report.Summary {
	d := c.sides[0]
	sc := &report.Summary{
		Headline: c.line(),
		Impact:   c.impact(),
		Notes:    report.IncompleteNotes(notes),
		Hint:     report.SummaryHint,
	}
	list := summaryRows(rows)
	shown := min(len(list), report.SummaryRows)
	sc.More, list = andMore(len(list)-shown, "row"), list[:shown]
	looks := func(r summaryRow) bool {
		return r.Verdict == diff.Regression || r.Missing() || r.Unexplained() || r.Unfollowed()
	}
	number := 0
	var fell []string
	const nameWidth = 24 // narrow, because the verdict needs the rest of the width
	names := report.ListOf(list, func(r summaryRow) string { return report.KernelName(r.Task) })
	names = report.CutDistinct(names, nameWidth)
	numbered := slices.ContainsFunc(list, looks)
	for i := range list {
		r := &list[i]
		if r.name = names[i]; numbered {
			r.number = unit.Some(0)
		}
		if looks(*r) {
			number++
			r.number = unit.Some(number)
		}
		if r.Verdict == diff.Regression && min(r.Measured().Moved(), r.Delta(compare.MetricBusy).Moved()) < 0 {
			fell = append(fell, strconv.Itoa(number))
		}
	}
	if len(list) > 0 {
		columns := slices.Clone(summaryColumns)
		if t := total(d); t != nil && len(c.sides) == 1 {
			for i := range columns {
				columns[i].Total = columns[i].Of(t)
			}
		}
		sc.Rows = report.NewTable("screen", "", list, columns).Show()
		sc.Bars = bars(list)
	}
	if inconclusive(c.sides) > 0 {
		advice := "To detect " + report.Shortest(d.Options.Threshold) + " points: 4 runs per side in two folders"
		if d.Options.Noise == nil {
			advice += ", or the noise of a history"
		} else {
			advice += ", or at least 8 runs of each kernel in the history"
		}
		sc.Advice = []string{advice}
	}
	if len(fell) > 0 && len(c.sides) == 1 {
		if command := validateCommand(d.New.Runs[0]); command != "" {
			sc.ConfirmReason = "Find the cause of the lower occupancy"
			sc.Confirm = []report.NextCommand{{Rows: strings.Join(fell, ", "), Command: command, Reads: true}}
		}
	}
	return sc
}

// total returns a row with the mean occupancy of the kernels that both sides
// have with comparable values. It is the mean of the values in the rows. Both
// sides have the same weights, the time that each kernel takes on both sides,
// so the mean changes only if the occupancy of a kernel does. total returns nil
// if fewer than two kernels can be compared. The row has no verdict, because
// no test judges the mean.
func total(d *diff.Result) *summaryRow {
	measured := diff.Delta{Metric: compare.MetricMeasured}
	var older, newer, time float64
	for i := range d.Rows {
		r := &d.Rows[i]
		m := r.Measured()
		if !r.IsKernel || r.Verdict == diff.NotComparable || !m.Change.Present() {
			continue
		}
		if t := float64(r.Old.Total.Or(0) + r.New.Total.Or(0)); t > 0 {
			measured.Old.N++
			time, older, newer = time+t, older+t*m.Old.Median.Or(0), newer+t*m.New.Median.Or(0)
		}
	}
	n := measured.Old.N
	if n < 2 {
		return nil
	}
	measured.Old.Median, measured.New.Median = unit.Some(older/time), unit.Some(newer/time)
	measured.Change = unit.Some((newer - older) / time)
	return &summaryRow{
		row:  row{Row: &diff.Row{Deltas: []diff.Delta{measured}}},
		name: "mean over time",
		what: report.Thousands(n) + " of " + unit.Plural(d.Summary.Kernels, "kernel") +
			", weighted by the time of both sides",
	}
}

// bars returns the old and the new bar of each row, with a mark at the new
// side's predicted average. It returns nil if no row has a thread-slot
// breakdown.
func bars(list []summaryRow) *report.StackedBars {
	b, known := &report.StackedBars{Parts: rundoc.PartNames(), Mark: "predicted average"}, false
	for i := range list {
		bar := report.StackedRow{Name: list[i].name}
		for k, p := range compare.Parts() {
			d := list[i].Delta(string(p))
			if p == compare.PartOccupied { // this part is the measured occupancy
				d = list[i].Measured()
			}
			if v, ok := d.Old.Median.Value(); ok {
				bar.Before = append(bar.Before, report.Share{Part: k, Value: v})
			}
			if v, ok := d.New.Median.Value(); ok {
				bar.Shares = append(bar.Shares, report.Share{Part: k, Value: v})
			}
		}
		known = known || len(bar.Before)+len(bar.Shares) > 0
		bar.Mark = list[i].Delta(compare.MetricPredicted).New.Median
		b.Rows = append(b.Rows, bar)
	}
	if !known {
		return nil
	}
	return b
}

// summaryRows returns the changed kernels, followed by one kernel for each
// other verdict: the kernel with the largest change. Kernels whose launches
// take another time have their own row, because an equal occupancy hides them.
func summaryRows(rows []row) (list []summaryRow) {
	type group struct {
		verdict   diff.Verdict
		otherTime bool
	}
	quiet := map[group][]row{}
	for _, r := range rows {
		switch {
		case !r.IsKernel:
		case r.Verdict == diff.Unchanged || r.Verdict == diff.Inconclusive || r.Verdict == diff.NotComparable:
			g := group{r.Verdict, r.OtherTime()}
			quiet[g] = append(quiet[g], r)
		default:
			list = append(list, summaryRow{row: r, what: verdictText(r.Row)})
		}
	}
	for _, g := range []group{{diff.NotComparable, true}, {diff.NotComparable, false}, {diff.Inconclusive, true},
		{diff.Inconclusive, false}, {diff.Unchanged, false}} {
		of := quiet[g]
		if len(of) == 0 {
			continue
		}
		size := func(r row) float64 {
			if g.otherTime {
				return math.Abs(math.Log(r.Delta(compare.MetricTime).Ratio.Or(1)))
			}
			return math.Abs(r.Measured().Change.Or(0))
		}
		most := slices.MaxFunc(of, func(a, b row) int { return cmp.Compare(size(a), size(b)) })
		s := summaryRow{row: most, what: verdictText(most.Row)}
		if n := len(of) - 1; n > 0 {
			s.side, s.what = "", s.what+"; "+report.Thousands(n)+" more" // these kernels may belong to any side
		}
		var rest []float64
		for _, r := range of {
			if x, ok := r.Measured().Change.Value(); ok && r.Row != most.Row {
				rest = append(rest, x)
			}
		}
		if rest != nil {
			s.what += ", " + report.Signed(slices.Min(rest)) + " to " + report.Signed(slices.Max(rest))
		}
		list = append(list, s)
	}
	return list
}

// ways contains the direction of each verdict that has one.
var ways = map[diff.Verdict]int{diff.Improvement: 1, diff.Regression: -1}

// verdictText returns a row's verdict in a few words.
func verdictText(r *diff.Row) string {
	by, way := r.Measured(), ways[r.Verdict]
	if loaded := r.Delta(compare.MetricBusy); way != 0 && loaded.Moved() == way {
		by = loaded
	}
	limit := report.Shortest(by.Limit.Or(0)) + " points"
	proof := ": " + cmp.Or(tested(by), "single runs differ by up to "+limit)
	switch r.Verdict {
	case diff.Regression, diff.Improvement:
		if text := memory(r); text != "" {
			proof = ": " + text
		}
		return string(r.Verdict) + proof
	case diff.SlowerSame, diff.FasterSame:
		return string(r.Verdict) + ": " + tested(r.Delta(compare.MetricTime))
	case diff.OnlyOld, diff.OnlyNew:
		return string(r.Verdict) + shareText(r)
	case diff.Inconclusive:
		return "inconclusive below " + limit
	case diff.NotComparable:
		return "not comparable: " + incomparable(r)
	case diff.Unchanged:
		if !by.Insignificant() {
			return "within " + limit
		}
		return "no significant change"
	case diff.ChangedLaunch, diff.ChangedDevice:
		if r.Unexplained() {
			return string(r.Verdict) + ": its effect cannot be predicted"
		}
		return string(r.Verdict) + ": " + followed(r)
	}
	return string(r.Verdict)
}

// line returns the result of the comparison in one sentence.
func (c *comparison) line() string {
	d := c.sides[0]
	if len(c.sides) == 1 {
		a, b := len(d.Old.Runs), len(d.New.Runs)
		runs := fmt.Sprintf("%d and %d runs", a, b)
		if a == b && a == 1 {
			runs = "one run per side"
		} else if a == b {
			runs = strconv.Itoa(a) + " runs per side"
		}
		return unit.Plural(d.Summary.Kernels, "kernel") + ", " + runs + ": " + parts(d) + timeText(d)
	}
	var sides []string
	for i, name := range c.names {
		sides = append(sides, name+": "+parts(c.sides[i]))
	}
	return strconv.Itoa(len(sides)) + " sides against " + report.OneLine(d.Old.Name) + ". " +
		strings.Join(report.FirstFew(sides, report.MaxListedTasks), "; ")
}

// kinds are the groups of kernels in the sentence about one side, in order. If a
// group has a figure, the sentence names the first kernel of the group.
var kinds = []struct {
	one, many string
	is        func(*diff.Row) bool
	figure    func(*diff.Row) string
}{
	{"is on one side only", "are on one side only", (*diff.Row).Missing, shareText},
	{"regressed", "regressed", is(diff.Regression), pointsText},
	{"improved", "improved", is(diff.Improvement), pointsText},
	{"is slower at the same occupancy", "are slower at the same occupancy", is(diff.SlowerSame), nil},
	{"is faster at the same occupancy", "are faster at the same occupancy", is(diff.FasterSame), nil},
	{"is faster at lower occupancy", "are faster at lower occupancy", is(diff.Faster), nil},
	{"is slower at higher occupancy", "are slower at higher occupancy", is(diff.Slower), nil},
	{"has another launch", "have another launch", is(diff.ChangedLaunch), nil},
	{"ran on another device", "ran on another device", is(diff.ChangedDevice), nil},
	{"is on one side, without GPU time", "are on one side, without GPU time", onOneSide, nil},
	{"is not comparable", "are not comparable", is(diff.NotComparable), nil},
	{"is inconclusive", "are inconclusive", is(diff.Inconclusive), nil},
	{"has no significant change", "have no significant change", is(diff.Unchanged), nil},
}

func is(v diff.Verdict) func(*diff.Row) bool {
	return func(r *diff.Row) bool { return r.Verdict == v }
}

func onOneSide(r *diff.Row) bool {
	return (r.Old == nil || r.New == nil) && !r.Missing()
}

func pointsText(r *diff.Row) string {
	for _, reason := range reasons(r) {
		return " (" + strings.TrimPrefix(reason, "measured ") + ")"
	}
	return ""
}

// reasons returns the changes that a regression or an improvement follows from:
// memory per thread, and each occupancy that moved in that direction by more
// than its limit. An occupancy that did not move is not a reason.
func reasons(r *diff.Row) (list []string) {
	if text := memory(r); text != "" {
		list = append(list, text)
	}
	add := func(name string, d *diff.Delta) {
		if d.Moved() == ways[r.Verdict] {
			list = append(list, name+" "+report.Signed(d.Change.Or(0))+" points")
		}
	}
	add("measured", r.Measured())
	add("busy occupancy", r.Delta(compare.MetricBusy))
	return list
}

func shareText(r *diff.Row) string {
	if share, ok := r.Share.Value(); ok {
		return " (" + share.String() + " of its time)"
	}
	return ""
}

// parts returns a text with the number of kernels per verdict and with the
// names of kernels that need attention.
func parts(d *diff.Result) string {
	var said []string
	for _, k := range kinds {
		first, n := (*diff.Row)(nil), 0
		for r := range kernelsOf(d) {
			if k.is(r) {
				first = cmp.Or(first, r)
				n++
			}
		}
		switch {
		case n == 0:
		case k.figure != nil && n > 1:
			said = append(said, fmt.Sprintf("%s%s and %d more %s", nameOf(first), k.figure(first), n-1, k.many))
		case k.figure != nil:
			said = append(said, nameOf(first)+" "+k.one+k.figure(first))
		case d.Summary.Kernels == 1:
			said = append(said, nameOf(first)+" "+k.one)
		case n == d.Summary.Kernels:
			said = append(said, "all "+k.many)
		default:
			said = append(said, unit.FormatCount(n, k.one, k.many))
		}
	}
	return cmp.Or(strings.Join(said, ", "), "there is nothing to compare")
}

// timeText returns a text with the kernel whose launch time changed the most,
// and the number of other kernels whose launch time changed. A change counts
// only if it exceeds 10% and is not noise according to a test.
func timeText(d *diff.Result) string {
	var most *diff.Row
	n := 0
	weight := func(r *diff.Row) float64 {
		return math.Abs(math.Log(r.Delta(compare.MetricTime).Ratio.Or(1))) * float64(max(r.Seconds(), 0))
	}
	for r := range kernelsOf(d) {
		if r.OtherTime() {
			if n++; most == nil || weight(r) > weight(most) {
				most = r
			}
		}
	}
	if most == nil {
		return ""
	}
	text := fmt.Sprintf("; a launch of %s takes %s times as long", nameOf(most),
		timesText(most))
	if n > 1 {
		text += fmt.Sprintf(", and of %d more another time", n-1)
	}
	return text
}

// timesText returns the ratio of the launch times, new to old.
func timesText(r *diff.Row) string {
	return report.Decimal(r.Delta(compare.MetricTime).Ratio.Or(1), 2)
}

func nameOf(r *diff.Row) string {
	return report.ShortName(r.Task, 40)
}

// memory returns a text with the change of spill or private memory that
// explains the verdict, or "" if no such change does.
func memory(r *diff.Row) string {
	c, way := r.Memory()
	if way < 0 && r.Verdict == diff.Regression || way > 0 && r.Verdict == diff.Improvement {
		return c.String()
	}
	return ""
}

// impact returns a text with the effect on the time, the compared sides, and
// the properties that changed. It is empty if there are several sides.
func (c *comparison) impact() string {
	if len(c.sides) > 1 {
		return ""
	}
	d := c.sides[0]
	parts := conclusion(d)
	if d.Old.Name+d.New.Name != "" {
		parts = append(parts, report.OneLine(d.Old.Name)+" -> "+report.OneLine(d.New.Name))
	}
	if d.Reversed() {
		parts = append(parts, "the old side was collected after the new one")
	}
	if changed := changedText(d.Changes); changed != "" {
		parts = append(parts, "changed: "+changed)
	}
	if x := d.Summary.TimeRatio.Or(1); math.Round(100*x) != 100 && d.Summary.TimePairs > 1 {
		parts = append(parts, fmt.Sprintf("a launch takes %s times as long (%s)", report.Decimal(x, 2),
			unit.Plural(d.Summary.TimePairs, "kernel")))
	}
	return strings.Join(parts, "; ")
}

// conclusion returns sentences with the share of the time that the regressed
// kernels take, and with the regressed kernel that takes the most time. It is
// empty if no kernel regressed or if no times are known.
func conclusion(d *diff.Result) []string {
	var first *diff.Row
	var regressed, all unit.Seconds
	n := 0
	for r := range kernelsOf(d) {
		time := max(r.Seconds(), 0)
		all += time
		if r.Verdict != diff.Regression {
			continue
		}
		n++
		regressed += time
		if first == nil || time > first.Seconds() {
			first = r
		}
	}
	if first == nil || all == 0 {
		return nil
	}
	share := unit.Ratio(regressed / all).String()
	if n == 1 {
		return []string{"The regressed kernel takes " + share + " of the time"}
	}
	return []string{"The regressed kernels take " + share + " of the time, most of it " + nameOf(first)}
}

// changedText returns a text with the changes. Equal changes of several kernels
// are one change. For example, a recompilation may change the SIMD width of
// every kernel.
func changedText(changes []diff.Change) string {
	var list []string
	tasks := map[string][]string{}
	for _, c := range changes {
		text := report.OneLine(c.String())
		if _, known := tasks[text]; !known {
			list, tasks[text] = append(list, text), nil
		}
		if task, ok := c.Task.Value(); ok {
			tasks[text] = append(tasks[text], report.CutMiddle(report.KernelName(task), report.LabelWidth))
		}
	}
	for i, text := range list {
		if of := tasks[text]; len(of) > 0 {
			list[i] += " (" + strings.Join(report.FirstFew(of, report.MaxListedTasks), ", ") + ")"
		}
	}
	return strings.Join(list, "; ")
}

// because returns the evidence for a verdict: the changes, the occupancies and
// what they were compared with, the prediction if something changed, the parts
// of the breakdown, and the time.
func because(r *diff.Row) string {
	switch r.Verdict {
	case diff.NotAKernel:
		return ""
	case diff.OnlyOld:
		return "Only the old side has it, in " + seenIn(r.Old) + "."
	case diff.OnlyNew:
		return "Only the new side has it, in " + seenIn(r.New) + "."
	}
	var parts []string
	if len(r.Changes) > 0 {
		parts = append(parts, "changed: "+changesText(r))
	}
	if r.Verdict == diff.NotComparable || !r.Measured().Change.Present() {
		parts = append(parts, incomparable(r))
	}
	if r.Unexplained() {
		parts = append(parts, "the effect of the change cannot be predicted")
	}
	judged := r.Verdict == diff.Regression || r.Verdict == diff.Improvement || r.Verdict == diff.Faster
	// printed reports whether a change is not 0 when it is printed with one
	// decimal.
	printed := func(d *diff.Delta) bool { return math.Abs(d.Change.Or(0)) >= 0.05 }
	explained := len(r.Changes) > 0 || printed(r.Delta(compare.MetricPredicted))
	lost := compare.Parts()[1:] // the occupied slots are the measured occupancy
	for i := range compare.Metrics {
		m := &compare.Metrics[i]
		d := r.Delta(m.Name)
		switch text := movedText(m, d); {
		case m.Name == compare.MetricBusy, m.Name == compare.MetricMeasured, m.Name == compare.MetricTime,
			m.Name == compare.MetricPredicted && explained,
			slices.Contains(lost, compare.Part(m.Name)) && judged && printed(d):
			parts = append(parts, text)
		case m.Name == compare.MetricResidual && explained && text != "":
			parts = append(parts, text+": "+followed(r))
		}
	}
	lessOccupied := r.Verdict == diff.Regression || r.Verdict == diff.Faster
	if lessOccupied && r.Speedup.Verdict() != compare.SpeedupUndetermined {
		parts = append(parts, "on the new side, "+r.Speedup.Words()+": "+r.Speedup.Evidence)
	}
	var text strings.Builder
	for _, p := range parts {
		if p != "" {
			text.WriteString(report.UpperFirst(p) + ". ")
		}
	}
	return report.OneLine(strings.TrimSpace(text.String()))
}

// seenIn returns a text with the number of runs on one side that have a kernel.
// If not all runs have it, the text also has the number of all runs.
func seenIn(l *diff.Launch) string {
	if l.Runs < l.Of {
		return fmt.Sprintf("%d of %d runs", l.Runs, l.Of)
	}
	return unit.Plural(l.Runs, "run")
}

// followed returns a text about whether the measured occupancy followed the
// change of the predicted occupancy.
func followed(r *diff.Row) string {
	switch moved := r.Delta(compare.MetricResidual).Moved(); {
	case moved < 0 && r.Verdict == diff.Regression:
		return "the change does not explain the drop"
	case r.Unfollowed():
		return "measured occupancy fell by more than predicted, busy occupancy did not"
	case moved < 0:
		return "the measurement did not follow the prediction"
	case moved > 0:
		return "better than the change explains"
	}
	return "as predicted"
}

func changesText(r *diff.Row) string {
	return strings.Join(report.ListOf(r.Changes, diff.Change.String), ", ")
}

// movedText returns a text with the change of a value, and what the change was
// compared with. It returns "" if one of the sides has no value.
func movedText(m *compare.MetricInfo, d *diff.Delta) string {
	text := report.LowerFirst(m.Title) + " "
	switch {
	case d.Ratio.Present():
		text += span(&d.Old) + " -> " + span(&d.New) + ": " + report.Decimal(d.Ratio.Or(0), 2) + "x"
	case d.Change.Present():
		text += fromTo(d, string(m.Unit)) + ": " + report.Signed(d.Change.Or(0)) + " points"
	default:
		return ""
	}
	if d.Limit.Present() && !d.Insignificant() {
		where, limit := "within", report.Shortest(d.Limit.Or(0))
		if d.Moved() != 0 {
			where = "beyond"
		}
		if !d.Significant.Present() {
			limit = "the " + limit + " that single runs differ by"
		}
		text += ", " + where + " " + limit
	}
	if by := tested(d); by != "" && (d.Limit.Present() || d.Ratio.Present()) { // only for values that were judged
		text += " (" + by + ")"
	}
	return text
}

func span(s *diff.Sample) string {
	return unit.FormatDuration(unit.Seconds(s.Median.Or(0)))
}

// fromTo returns the medians of both sides: "62.7 -> 48.6%". If one side has no
// value, it has a dash without a unit.
func fromTo(d *diff.Delta, unit string) string {
	older, known := d.Old.Median.Value()
	newer, both := d.New.Median.Value()
	switch {
	case known && both:
		return report.WithUnit(report.Decimal(older, 1)+" -> "+report.Decimal(newer, 1), unit)
	case known:
		return report.WithUnit(report.Decimal(older, 1), unit) + " -> -"
	case both:
		return "- -> " + report.WithUnit(report.Decimal(newer, 1), unit)
	}
	return "-"
}

// tested returns the reason why a change is not noise: "p = 0.029, 4 + 4 runs".
// It returns "" if the change was not tested.
func tested(d *diff.Delta) string {
	p, ok := d.P.Value()
	text := fmt.Sprintf("p = %.3f", p)
	switch {
	case !d.Significant.Present():
		return ""
	case !ok:
		text = "by the noise of the history"
	case p < 0.001:
		text = "p < 0.001"
	}
	text += fmt.Sprintf(", %d + %d runs", d.Old.N, d.New.N)
	if d.Insignificant() && ok && p < diff.Alpha {
		text += ", a value that one of so many kernels reaches due to noise"
	}
	if d.Insignificant() {
		return "not significant: " + text
	}
	return text
}

// incomparable returns the reason why the measured occupancies of two sides are
// not compared.
func incomparable(r *diff.Row) string {
	missing := func(l *diff.Launch, s *diff.Sample) string {
		switch {
		case s.N > 0:
			return ""
		case l.Unmeasurable > 0:
			return "unmeasurable"
		}
		return "not measured"
	}
	a, b := missing(r.Old, &r.Measured().Old), missing(r.New, &r.Measured().New)
	switch {
	case a != "" && a == b:
		return a + " on both sides"
	case a != "" && b != "":
		return a + " on the old side, " + b + " on the new one"
	case a != "":
		return a + " on the old side"
	case b != "":
		return b + " on the new side"
	}
	if x := max(r.Old.Misattributed.Or(0), r.New.Misattributed.Or(0)); x > compare.MisattributedMedium {
		return fmt.Sprintf("%.0f%% of all instructions were counted in rows that are not kernels", x.Percent())
	}
	return "the launch times differ"
}
