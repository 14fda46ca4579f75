package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// deviceName returns the short name of the device.
func deviceName(r *compare.Result) string {
	if r.Device == nil {
		return "Unknown device"
	}
	return report.OneLine(r.Device.ShortName())
}

// countsOf returns a text with the number of kernels, their time, and the
// number of kernels with each verdict.
func countsOf(r *compare.Result, lines []line) string {
	s := &r.Summary
	text := unit.Plural(s.Kernels, "kernel")
	if t, ok := s.KernelTime.Value(); ok {
		text += ", " + unit.FormatDuration(t)
	}
	above, unmeasurable := "above prediction", "too short to measure"
	if s.Below > 0 {
		above = "above it"
	}
	if slices.ContainsFunc(lines, func(l line) bool {
		return l.Verdict == compare.Unmeasurable && l.Certainty.Intervals.Or(1) >= 1
	}) {
		unmeasurable = "not measurable"
	}
	before := ". "
	for _, p := range []struct {
		n    int
		what string
	}{{s.Below, "below prediction"}, {s.Above, above}, {s.Matched, "match"},
		{s.MatchedWhileBusy, "as predicted while running"}, {s.Possible, "not measured, but possible"},
		{s.PeaksAgree, "not measured: peaks agree"},
		{s.Unmeasurable, unmeasurable}, {s.NoPrediction, "not predicted"}, {s.NoMeasurement, "not measured"}} {
		if p.n > 0 {
			text += before + report.Thousands(p.n) + " " + p.what
			before = ", "
		}
	}
	return text
}

// impactText returns a sentence about the effect of the rows on the run's time.
func impactText(r *compare.Result, lines []line) string {
	if r.Fit.Contradiction != "" || r.Fit.Doubt != "" && len(lines) > 1 {
		return ""
	}
	var gain, none, untold []line
	what, lanes := "time between launches", 0
	for _, l := range lines {
		switch {
		case l.rank == light:
		case l.savesTime():
			gain = append(gain, l)
			switch l.remedy() {
			case compare.ShorterGaps:
			case compare.FullLanes:
				lanes++
			default:
				what = "occupancy"
			}
		case l.fix.Remedy == compare.LimitedElsewhere:
			none = append(none, l)
		case l.Verdict.Compared() && l.Measured.Present():
			untold = append(untold, l)
		}
	}
	var parts []string
	if n := len(gain); n > 0 {
		numbers := report.ListOf(gain, func(l line) int { return l.number })
		in := []string{"kernel ", "kernels "}[min(n-1, 1)] + rangeText(numbers) + inBrackets(gain)
		if kernelsIn(gain) > n || n > report.SummaryRows {
			in = theLines(gain) + inBrackets(gain)
			if lanes < n {
				in += ": " + byCause(r, gain)
			}
		}
		if lanes == n {
			what = "idle lanes"
		} else if lanes > 0 {
			what += " or idle lanes"
		}
		parts = append(parts, what+" may cost time in "+in)
	}
	all := len(gain)+len(untold)+r.Summary.NoPrediction == 0 &&
		!slices.ContainsFunc(none, func(l line) bool { return l.Verdict != compare.Match })
	switch {
	case len(none) > 0 && all: // not capitalized, because the sentence may begin with a name
		return asPredicted(r, none) + "; more threads will not help: " + limiterText(none[0].Row, none[0].fix)
	case len(none) > 0:
		parts = append(parts, "more threads will not help "+theLines(none)+inBrackets(none))
	case len(gain) > 0:
	case len(untold) > 0:
		return "Whether occupancy costs time in " + theLines(untold) + inBrackets(untold) + " cannot be determined"
	default:
		return undeterminedText(r, lines)
	}
	return report.UpperFirst(strings.Join(parts, "; "))
}

// undeterminedText returns the reason why a run supports no conclusion. It
// lists the missing inputs by name.
func undeterminedText(r *compare.Result, lines []line) string {
	s := &r.Summary
	switch s.Kernels {
	case 0:
		return "There is nothing to compare"
	case s.NoPrediction:
		return "Nothing is predicted: " + report.OneLine(lines[0].NoPrediction)
	case s.Possible:
		return "Nothing was measured: the idle time of the XVEs is consistent with the prediction"
	case s.PeaksAgree:
		return "Nothing was measured: VTune's peak is a prediction, too, and agrees with this one"
	case s.NoMeasurement:
		if withoutCounter(r) {
			return "Nothing was measured: the input has no thread occupancy"
		}
		if !lines[0].Measured.Present() {
			return "Nothing was measured: no input has the occupancy of a kernel; " +
				"a VTune export of gpu-hotspots has it, or unitrace -q"
		}
	}
	return ""
}

// asPredicted returns the statement that rows have the predicted occupancy. For
// a single row, it includes the values.
func asPredicted(r *compare.Result, lines []line) string {
	if kernelsIn(lines) > 1 {
		return theLines(lines) + " have the predicted occupancy"
	}
	row, text := lines[0].Row, " has the predicted occupancy"
	if row.Predicted != nil && row.Predicted.AverageHigh.Percent() >= 80 {
		text = " fills the GPU as predicted"
	}
	span := predictedSpan(row, row.Basis == compare.BasisPeak)
	predicted := shortest(span.low)
	if span.wide(r) {
		predicted += " to " + shortest(span.high)
	}
	return theLines(lines) + text + " (" + shortest(row.Measured.Or(0)) + " of " + predicted + "%)"
}

// byCause returns the causes of lost time, largest first, with the number of
// kernels and their share of the time: "very short threads 50 (16%), uneven
// work-groups 50 (10%)". An only cause has no numbers.
func byCause(r *compare.Result, lines []line) string {
	const most = 4
	of, lost := map[string][]line{}, map[string]unit.Seconds{}
	var causes []string
	for _, l := range lines {
		why := whyBy(r, l.Row, (*compare.Cause).Title)
		if of[why] == nil {
			causes = append(causes, why)
		}
		of[why], lost[why] = append(of[why], l), lost[why]+l.group.Lost
	}
	if len(causes) == 1 {
		return causes[0]
	}
	slices.SortStableFunc(causes, func(a, b string) int { return cmp.Compare(lost[b], lost[a]) })
	list := report.ListOf(causes[:min(len(causes), most)], func(why string) string {
		return why + " " + report.Thousands(kernelsIn(of[why])) + inBrackets(of[why])
	})
	if n := len(causes) - most; n > 0 {
		list = append(list, unit.Plural(n, "more cause"))
	}
	return strings.Join(list, ", ")
}

// theLines returns the name of one kernel, or the number of several. A kernel
// has the name of its row. Without a row, its launch size distinguishes it.
func theLines(lines []line) string {
	if n := kernelsIn(lines); n > 1 {
		return report.Thousands(n) + " kernels"
	}
	return cmp.Or(lines[0].name, report.ShortName(lines[0].Task, report.LabelWidth)+" "+LaunchSize(lines[0].Kernel))
}

// distinct returns a kernel's name in a sentence, with the launch size if
// another row has the same kernel.
func distinct(r *compare.Result, row *compare.Row, name string) string {
	if r.HasRow(func(other *compare.Row) bool {
		return other.Task == row.Task && other.Kernel != row.Kernel
	}) {
		name += " " + LaunchSize(row.Kernel)
	}
	return name
}

// shareText returns the sum of the lines' shares, or "" if no time is known.
func shareText(lines []line) string {
	share, known := unit.Ratio(0), false
	for i := range lines {
		if s, ok := lines[i].share.Value(); ok {
			share, known = share+s, true
		}
	}
	switch p := share.Percent(); {
	case !known:
		return ""
	case p > 0 && p <= 0.5: // would be printed as 0
		return "less than 1%"
	default:
		return report.Decimal(p, 0) + "%"
	}
}

func inBrackets(lines []line) string {
	if share := shareText(lines); share != "" {
		return " (" + share + ")"
	}
	return ""
}

// notesFirst returns the notes that come before any number. They are about a
// device that contradicts the measurement and about incomplete inputs.
func notesFirst(r *compare.Result) []string {
	var notes []string
	if not := r.Fit.Against(); not != "" && r.Device != nil {
		notes = append(notes, report.OneLine(not))
	}
	for _, n := range r.Notes {
		if n.Code == arch.CodeForced {
			notes = append(notes, report.OneLine(report.UpperFirst(n.Text)))
		}
	}
	const needs = "Predictions need the device"
	switch {
	case r.Device != nil:
	case r.Fit.Listed:
		notes = append(notes, needs+": "+r.Fit.String())
	case r.Fit.Launches > 0:
		notes = append(notes, needs+": VTune's peaks are consistent with "+r.Fit.String())
	default:
		notes = append(notes, needs+" or the VTune summary of the run")
	}
	if text := contradictions(r); text != "" {
		notes = append(notes, text)
	}
	return append(notes, report.IncompleteNotes(r.Notes)...)
}

// contradictions returns a text with the first kernel whose measured values
// contradict each other, and the number of other such kernels.
func contradictions(r *compare.Result) (text string) {
	others := -1
	for i := range r.Rows {
		row := &r.Rows[i]
		at := slices.IndexFunc(row.Notes, func(n note.Note) bool { return n.Code == compare.CodeIdleContradicts })
		if at < 0 {
			continue
		}
		if others++; others == 0 {
			name := distinct(r, row, report.ShortName(row.Task, report.LabelWidth))
			text = name + ": " + report.OneLine(row.Notes[at].Text)
		}
	}
	if others > 0 {
		text += "; " + unit.FormatCount(others, "other kernel also has cells", "other kernels also have cells") +
			" that contradict each other"
	}
	return text
}

// summaryTable returns the rows of a summary, with a row for the mean over time
// if total is not nil. For a series, it has the columns of the thread-mapping
// exercise.
func summaryTable(r *compare.Result, lines []line, total *compare.Total, by report.SortKey) *report.Table {
	any := func(is func(*line) bool) bool {
		return slices.ContainsFunc(lines, func(l line) bool { return is(&l) })
	}
	isPredicted := any(func(l *line) bool { return l.Predicted != nil })
	peaks := !any(func(l *line) bool { return l.Predicted != nil && l.Basis != compare.BasisPeak })
	title := "Predicted average"
	switch {
	case !isPredicted:
		title = "VTune's peak"
	case peaks:
		title = "Predicted peak"
	}
	predicted := ofLines(r, "predicted", title,
		func(row *compare.Row) span { return predictedSpan(row, peaks) },
		func(l *line, s span) report.Word { return report.Word{Text: s.text(r.Options.Tolerance)} })
	seen := ofLines(r, "measured", "Measured", measuredSpan, measuredWord)
	observed := any(func(l *line) bool { return l.Measured.Present() || l.BoundHigh.Present() })
	if !observed {
		seen = figure("measured", "VTune's peak",
			func(l *line) percent { return l.Peak })
	}
	kernel := report.Shown("kernel", "Kernel",
		func(l *line) string { return l.name },
		report.Cut, report.Code)
	time := figure("time", "Time",
		func(l *line) percent { return l.share })
	why := report.Shown("why", "Why", func(l *line) report.Word {
		status := statusOf(l.Verdict)
		if l.number > 0 && l.Verdict == compare.Match { // a kernel that matches but can still be improved
			status = report.Plain
		}
		return status.Word(whyText(r, l.Row))
	}, report.Fold)
	hostOnly := fromLog(r)
	series := hostOnly || isSweep(lines)
	if total != nil && total.Kernels > 1 && !series {
		kernel.Total, why.Total = report.TextCell("mean over time"), report.TextCell(coverage(r, total))
		time[0].Total = report.TextCell(shortest(total.TimeShare) + "%")
		time[1].Total = report.ValueCell(total.TimeShare)
		low, known := total.Predicted.Value()
		all := span{low, total.PredictedHigh.Or(low), known}
		predicted[0].Total = report.TextCell(all.text(r.Options.Tolerance))
		predicted[1].Total = report.ValueCell(total.Predicted)
		predicted[2].Total = report.ValueCell(unit.Maybe(all.high, all.wide(r)))
		seen[0].Total = report.TextCell(total.Measured.String())
		seen[1].Total = report.ValueCell(total.Measured)
	}
	// If there is no measured occupancy, the XVE array state is the only
	// measurement.
	compared := isPredicted || any(func(l *line) bool { return l.Basis == compare.BasisMeasuredPeak })
	beside := compared && any(func(l *line) bool { return l.Measured.Present() })
	drop := report.Drop(0)
	if compared {
		drop = 3
	}
	list := slices.Concat(
		when(any(func(l *line) bool { return l.number > 0 }),
			report.Shown("n", "#",
				func(l *line) string { return strings.TrimPrefix(strconv.Itoa(l.number), "0") },
				report.WithUnits),
			report.Shown("n", "#",
				func(l *line) int { return l.number },
				report.Sheet, report.NonZero)),
		[]report.Col[line]{kernel},
		when(series, seriesColumns(!peaks, observed)...),
		when(any(func(l *line) bool { return l.kernels() > 1 }),
			report.Shown("kernels", "Kernels", (*line).kernels)),
		when(!series, time...), predicted, seen,
		when(!beside, figure("idle", "Idle",
			func(l *line) percent { return l.Idle },
			drop)...),
		when(!beside, figure("stalled", "Stalled",
			func(l *line) percent { return l.Stalled },
			drop)...),
		when(!hostOnly, why), sortedBy(by), elsewhereFigures(r),
		// If no fix exists, the cell is empty instead of a dash, because no value
		// is missing.
		when(any(func(l *line) bool { return fixText(l.Row, l.fix) != "" }),
			report.Shown("help", "Possible fix",
				func(l *line) string { return fixText(l.Row, l.fix) },
				report.Fold)))
	return report.NewTable("screen", "", lines, list).Show()
}

// when returns the columns if they are wanted.
func when[R any](wanted bool, columns ...report.Col[R]) []report.Col[R] {
	if !wanted {
		return nil
	}
	return columns
}

// sortedBy returns columns with the value that determines the order of the
// rows, if no other column shows it.
func sortedBy(by report.SortKey) []report.Col[line] {
	switch by {
	case report.SortSpeedup:
		return times("At most gained",
			func(l *line) float64 { return l.Speedup.SavableTime(l.Row) })
	case report.SortLost:
		return times("Slot time lost",
			func(l *line) float64 { return float64(l.Lost()) })
	case report.SortDifference:
		return []report.Col[line]{report.Shown("sorted_by", "Difference",
			func(l *line) points { return l.Difference })}
	}
	return nil
}

// coverage returns a text with the kernels that a mean over time covers.
func coverage(r *compare.Result, total *compare.Total) string {
	if total.Kernels < r.Summary.Kernels {
		return report.Thousands(total.Kernels) + " of " + unit.Plural(r.Summary.Kernels, "kernel")
	}
	return "all kernels"
}

// figure returns two columns for a percentage: one with texts and one with
// numbers.
func figure(key, title string, of func(*line) percent, options ...report.Option) []report.Col[line] {
	return []report.Col[line]{
		report.Shown(key, title, func(l *line) string { return percentText(of(l)) }, report.Right, report.NonZero,
			report.WithUnits).As(options...),
		report.Shown(key, title, of, report.Sheet)}
}

// times returns two columns for the time by which rows are sorted: one with
// texts and one with numbers.
func times(title string, of func(*line) float64) []report.Col[line] {
	return []report.Col[line]{
		report.Shown("sorted_by", title,
			func(l *line) string { return timeText(of(l)) },
			report.Right, report.NonZero,
			report.WithUnits),
		report.Shown("sorted_by", title,
			func(l *line) unit.Seconds { return unit.Seconds(of(l)) },
			report.Sheet,
			report.Milliseconds)}
}

// ofLines returns columns for a range of percentages: one with texts, and two
// with the numbers of its ends. If the ends differ by less than the tolerance,
// only the lower end has a number.
func ofLines(r *compare.Result, key, title string, of func(*compare.Row) span,
	text func(*line, span) report.Word) []report.Col[line] {
	word := func(l *line) report.Word { return text(l, spanOf(r, l, of)) }
	unsure := func(l *line) bool { return word(l).Status == report.Unsure }
	return []report.Col[line]{
		report.Shown(key, title, word, report.Right, report.WithUnits),
		report.Shown(key, title, func(l *line) percent {
			s := spanOf(r, l, of)
			return unit.Maybe(s.low, s.known)
		}, report.Sheet, report.Bar).Unsure(unsure),
		report.Shown(key+"_high", title+", at most", func(l *line) percent {
			s := spanOf(r, l, of)
			return unit.Maybe(s.high, s.wide(r))
		}, report.Sheet).Unsure(unsure)}
}

// span is the lowest and the highest of several ratios.
type span struct {
	low, high unit.Ratio
	known     bool
}

// wide reports whether the ends of the range differ by at least the tolerance.
func (s span) wide(r *compare.Result) bool {
	return s.known && s.high.Minus(s.low) >= r.Options.Tolerance
}

// spanOf returns the range of a value over all kernels of a line.
func spanOf(r *compare.Result, l *line, of func(*compare.Row) span) (all span) {
	for _, i := range l.group.Rows {
		switch s := of(&r.Rows[i]); {
		case !s.known:
		case !all.known:
			all = s
		default:
			all.low, all.high = min(all.low, s.low), max(all.high, s.high)
		}
	}
	return all
}

// text returns the range with both ends if they differ by at least apart
// points, otherwise as one number. It returns "" if the range is unknown.
func (s span) text(apart unit.Points) string {
	switch {
	case !s.known:
		return ""
	case s.high.Minus(s.low) >= apart:
		return shortest(s.low) + "-" + shortest(s.high) + "%"
	}
	return s.low.String()
}

// timeText returns a time in a suitable unit.
func timeText(seconds float64) string {
	if math.IsNaN(seconds) {
		return ""
	}
	return unit.FormatDuration(unit.Seconds(seconds))
}

// percentText returns a percentage, or "" if it is absent.
func percentText(o percent) string {
	if v, ok := o.Value(); ok {
		return v.String()
	}
	return ""
}

// shortest returns a share with one decimal, or without decimals if it is
// whole.
func shortest(v unit.Ratio) string {
	return report.Shortest(math.Round(v.Percent()*10) / 10)
}

// averageSpan returns the range of the predicted average.
func averageSpan(row *compare.Row) span {
	if p := row.Predicted; p != nil && p.HasGrid() {
		return span{p.Average, p.AverageHigh, true}
	}
	return span{}
}

// predictedSpan returns the predicted peak or the range of the predicted
// average. Without a prediction, it returns the profiler's peak.
func predictedSpan(row *compare.Row, peak bool) span {
	p := row.Predicted
	switch {
	case p == nil:
		v, known := row.Peak.Value()
		return span{v, v, known && row.Basis == compare.BasisMeasuredPeak}
	case peak && p.Groups > 0:
		return span{p.Peak, p.Peak, true}
	}
	return spanOfPrediction(p)
}

// spanOfPrediction returns the range of the predicted average, or the occupancy
// of an Xe-core if there is no global size.
func spanOfPrediction(p *predict.Prediction) span {
	if p.Groups <= 0 {
		return span{p.XeCore, p.XeCore, true}
	}
	return span{p.Average, p.AverageHigh, true}
}

// wideInterval is the smallest width, in points, at which the interval of an
// estimate is shown instead of the estimate.
const wideInterval = 10

// measuredSpan returns the measured value as a range. If the value is an
// estimate with a wide interval, it returns the interval.
func measuredSpan(row *compare.Row) span {
	v, known := row.Measured.Value()
	if high, bounded := row.BoundHigh.Value(); bounded {
		return span{row.BoundLow.Or(0), high, true}
	}
	if low, high := row.MeasuredLow.Or(0), row.MeasuredHigh.Or(0); high.Minus(low) >= wideInterval {
		return span{low, high, known}
	}
	return span{v, v, known}
}

// measuredWord returns the measured values of a line's kernels, in brackets if
// they support no conclusion.
func measuredWord(l *line, all span) report.Word {
	text, own := all.text(shownApart), measuredSpan(l.Row)
	estimated := own.low < own.high && l.Measured.Present()
	if text != "" && (l.Verdict == compare.Unmeasurable || estimated) {
		return report.Unsure.Word("(" + text + ")")
	}
	return report.Word{Text: text}
}

// shownApart is the smallest difference that is visible with one decimal.
const shownApart unit.Points = 0.1

// whyText returns the reason for a row's verdict in a few words, with a question
// mark after a cause of low confidence. Launches that differ have their range.
func whyText(r *compare.Result, row *compare.Row) string {
	text := whyBy(r, row, (*compare.Cause).Short)
	if row.HasCause(compare.CauseLaunches) {
		text += ": " + shortest(row.Launches.MinMeasured.Or(0)) + "-" + shortest(row.Launches.MaxMeasured.Or(0)) + "%"
	}
	return text
}

// whyBy returns the reason for a row's verdict. The function name returns the
// words for a cause.
func whyBy(r *compare.Result, row *compare.Row, name func(*compare.Cause) string) string {
	switch row.Verdict {
	case compare.Match:
		return "matches" + limiterNames(r, row)
	case compare.PeaksAgree:
		return string(row.Verdict)
	case compare.Possible:
		text := string(row.Verdict)
		if p, most := row.Predicted, row.BoundHigh.Or(1); p.Average < most && most < p.AverageHigh {
			text += ": " + shortest(p.Average) + "-" + shortest(most) + "%"
		}
		return text
	case compare.MatchWhileBusy:
		return "matches while it runs"
	case compare.NoMeasurement:
		return "not measured"
	case compare.NoPrediction:
		if row.Cause != nil {
			return name(row.Cause) + ", " + notPredicted(r, row)
		}
		return notPredicted(r, row)
	}
	c := row.Cause
	switch {
	case c == nil:
		return string(row.Verdict)
	case row.Basis == compare.BasisBounds && row.Verdict == compare.Below:
		return "XVEs were idle"
	case row.Basis == compare.BasisBounds:
		return "more XVEs were busy"
	}
	if avg, timed := row.Average().Value(); timed && c.Name == compare.CauseSampling &&
		row.Verdict == compare.Unmeasurable && row.Certainty.Intervals.Or(1) < 1 {
		return "launches of " + unit.FormatDuration(avg)
	}
	return causeNames(row, name)
}

// causeNames returns the words for the causes of a row.
func causeNames(row *compare.Row, name func(*compare.Cause) string) string {
	text := name(row.Cause)
	if second := row.SecondCause(); second != nil {
		text += ", " + name(second)
	}
	return text
}

// statusOf returns the color for a verdict.
func statusOf(v compare.Verdict) report.Status {
	switch v {
	case compare.Match, compare.MatchWhileBusy, compare.PeaksAgree:
		return report.Good
	case compare.Below, compare.Above:
		return report.Bad
	case compare.Unmeasurable:
		return report.Unsure
	}
	return report.Muted
}

// limiterNames returns what limits the predicted occupancy of a matching row,
// as the end of its verdict. It returns "" if the prediction is at least 95%.
func limiterNames(r *compare.Result, row *compare.Row) string {
	p := row.Predicted
	switch {
	case row.Fix.Remedy == compare.FullLanes:
		return ": idle lanes"
	case p == nil || p.Groups <= 0 || p.Average.Percent() >= 95:
		return ""
	case p.Waves < 1:
		return ": few work-groups"
	case row.Cause == nil && p.Limits&predict.LimitTail != 0:
		return ": last wave"
	case p.Limits&predict.LimitSLM != 0 && r.LaunchOf(row).GroupsBySLM > 0:
		return ": SLM, according to VTune"
	case p.Limits != 0:
		return ": " + p.Limits.Names()[0]
	}
	return ""
}

// notPredicted returns the missing launch properties by name.
func notPredicted(r *compare.Result, row *compare.Row) string {
	l := r.LaunchOf(row)
	switch limits := r.LimitsWithoutSize(row); {
	case r.Device == nil:
		return "device not known"
	case r.Fit.Contradiction != "":
		return "another GPU ran"
	case len(limits) > 0:
		return unit.JoinWords(limits, "and")
	case !row.Global.Present():
		return "no global size"
	case !l.Local.Present():
		return "no work-group size"
	case l.SIMD == 0:
		return "no SIMD width"
	}
	return "cannot run"
}

// fixText returns a row's remedy with the upper bound of the speedup, or "" if
// the row has no remedy.
func fixText(row *compare.Row, h compare.PossibleFix) string {
	text := string(h.Remedy)
	switch h.Remedy {
	case compare.LimitedElsewhere: // a row that matches needs no fix
		if row.Verdict == compare.Match {
			text = "none"
		}
		return text + ": " + limiterText(row, h)
	case compare.FillWaves, compare.MoreWorkGroups:
		if h.At == 0 { // the kernels of the line need different numbers
			return string(compare.MoreWorkGroups)
		}
		return report.Thousands(h.At) + " work-groups, not " + report.Thousands(h.From)
	case compare.FullLanes:
		if width := h.At / row.Predicted.ThreadsPerGroup; h.At > 0 {
			text = "work-group size "
			if less := h.At - width; less > 0 {
				text += report.Thousands(less) + " or "
			}
			text += report.Thousands(h.At) + ": " + report.Decimal(row.IdleLanes().Or(0).Percent(), 0) +
				"% of the lanes are idle"
		}
		return text
	case compare.FewerRegisters:
		if h.At > 0 {
			text = fmt.Sprintf("test %d registers", h.At)
		}
	case compare.FewerValues:
		if h.At > 0 {
			text += fmt.Sprintf(" or SIMD%d", h.At)
		}
	}
	if row.Verdict == compare.MatchWhileBusy { // uncertain, because the idle time may be within the launches
		text += "?"
	}
	if b, ok := h.Bound.Value(); ok && b >= 1.05 {
		text += ": up to " + report.Decimal(b, 1) + "x"
	}
	if h.Remedy == compare.FewerRegisters {
		text += " unless it spills"
	}
	return text
}

// limiterText describes why more threads do not help, or the upper bound of the
// speedup from more threads.
func limiterText(row *compare.Row, h compare.PossibleFix) string {
	switch row.Speedup.LimitedBy {
	case compare.LimitedByPipe:
		_, pipe := row.Counters.BusiestPipe()
		return "pipe " + pipe + " is busy"
	case compare.LimitedBySlots:
		if most := h.Bound.Or(1); most >= 1.05 {
			return "slots limit it to " + report.Decimal(most, 1) + "x"
		}
		return "slots are full"
	case compare.LimitedByMemory:
		return "memory is busy"
	case compare.LimitedByStalls:
		return "stalls that threads cannot hide"
	}
	return "limited by something else"
}
