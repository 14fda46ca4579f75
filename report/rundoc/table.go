package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// screenTable has the rows of a screen.
func screenTable(r *compare.Result, lines []line, by report.SortKey) *report.Table {
	text := func(key, title string, kind report.Kind, of func(*line) cell) report.Col[line] {
		return report.Define(column{Key: key, Title: title, Kind: kind, In: report.Everywhere}, of)
	}
	any := func(of func(*line) bool) bool {
		return slices.ContainsFunc(lines, func(l line) bool { return of(&l) })
	}
	seen, title := func(l *line) cell { return measuredCell(l.Row) }, "Measured"
	if !any(func(l *line) bool { return l.Measured.Present() }) {
		seen, title = func(l *line) cell { return percentCell(l.Peak) }, "VTune's peak"
	}
	numbered, helped := any(func(l *line) bool { return l.number > 0 }), any(func(l *line) bool { return helpText(l) != "" })
	predicted := "VTune's peak"
	if any(func(l *line) bool { return l.Predicted != nil }) {
		predicted = "Predicted"
	}
	list := []report.Col[line]{
		text("n", "#", report.Text, func(l *line) cell {
			if !numbered {
				return cell{}
			}
			return report.OptText(unit.Some(strings.TrimPrefix(strconv.Itoa(l.number), "0")))
		}),
		nameColumn,
		text("time", "Time", report.Number, func(l *line) cell { return percentCell(l.share) }),
		text("predicted", predicted, report.Number, func(l *line) cell { return predictedCell(r, l.Row) }),
		text("measured", title, report.Number, seen),
	}
	// Where nothing can be held against what was measured, the rest of it is all there is.
	if predicted != "Predicted" && !any(func(l *line) bool { return l.Basis == compare.BasisMeasuredPeak }) {
		list = append(list, text("idle", "Idle", report.Number, func(l *line) cell { return percentCell(l.Idle) }),
			text("stalled", "Stalled", report.Number, func(l *line) cell { return percentCell(l.Stalled) }))
	}
	list = append(list, report.Define(column{Key: "why", Title: "Why", Kind: report.Text, In: report.Everywhere, Fold: true},
		func(l *line) cell { return report.StatusCell(whyText(r, l.Row), statusOf(l.Verdict)) }))
	// What the rows are sorted by, where no other column shows it.
	switch by {
	case report.SortWorth:
		list = append(list, text("sorted_by", "At most gained", report.Number, func(l *line) cell { return spanCell(l.Worth.Stake(l.Row)) }))
		list[len(list)-1].Doc = "time x (1 - 1 / bound)"
	case report.SortLost:
		list = append(list, text("sorted_by", "Slot time lost", report.Number, func(l *line) cell { return spanCell(float64(l.Lost())) }))
	case report.SortDifference:
		list = append(list, text("sorted_by", "Difference", report.Number, func(l *line) cell { return report.OptPoints(l.Difference) }))
	}
	return report.NewTable("screen", "", lines, append(list,
		report.Define(column{Key: "help", Title: "What may help", Kind: report.Text, In: report.Everywhere, Fold: true, Drop: 1},
			func(l *line) cell {
				if !helped {
					return cell{}
				}
				return report.OptText(unit.Some(helpText(l))) // nothing is no dash: there is no question
			}))).Show()
}

var nameColumn = report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, In: report.Everywhere, Cut: true, Role: report.Code},
	func(l *line) cell { return report.TextCell(l.name) })

// logTable has the launches of a log alone.
func logTable(r *compare.Result, lines []line, times map[int]unit.Seconds) *report.Table {
	in := report.Everywhere
	return report.NewTable("screen", "", lines, []report.Col[line]{nameColumn,
		report.Define(column{Key: "groups", Title: "Work-groups", Kind: report.Integer, In: in}, func(l *line) cell {
			if l.Predicted == nil {
				return cell{}
			}
			return report.OptInt(unit.NonZero(l.Predicted.Groups))
		}),
		report.Define(column{Key: "host", Title: "Host time", Kind: report.Duration, Decimals: 4, In: in},
			func(l *line) cell { return report.DurationCell(times[l.at]) }),
		report.Define(column{Key: "predicted", Title: "Predicted", Kind: report.Number, In: in},
			func(l *line) cell { return predictedCell(r, l.Row) }),
		report.Define(column{Key: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: in}, func(l *line) cell {
			if p := l.Predicted; p != nil && p.Groups > 0 {
				return report.NumCell(report.Number, p.Waves)
			}
			return cell{}
		}),
	}).Show()
}

// spanCell is a time in the unit that fits it.
func spanCell(seconds float64) cell {
	if math.IsNaN(seconds) {
		return cell{}
	}
	return report.TextCell(unit.Span(unit.Seconds(seconds)))
}

// percentCell is a percentage for the columns that have ranges and brackets.
func percentCell(o unit.Opt[unit.Ratio]) cell {
	if v, ok := o.Value(); ok {
		return report.TextCell(report.PercentText(v))
	}
	return cell{}
}

// shortest prints a share to a decimal, without one that is zero.
func shortest(v unit.Ratio) string { return report.Shortest(math.Round(v.Percent()*10) / 10) }

// predictedCell is the predicted average, or its range; of the profiler where nothing is predicted.
func predictedCell(r *compare.Result, row *compare.Row) cell {
	p := row.Predicted
	switch {
	case p == nil && row.Basis == compare.BasisMeasuredPeak:
		return percentCell(row.Peak)
	case p == nil:
		return cell{}
	case p.Groups <= 0:
		return report.TextCell(report.PercentText(p.XeCore))
	case row.Basis == compare.BasisPeak:
		return report.TextCell(report.PercentText(p.Peak))
	case p.AverageHigh.Minus(p.Average) >= r.Options.Tolerance:
		return report.TextCell(shortest(p.Average) + "-" + shortest(p.AverageHigh) + "%")
	}
	return report.TextCell(report.PercentText(p.Average))
}

// wideInterval is how wide, in points, the interval of an estimated value is when it stands in its place.
const wideInterval = 10

// measuredCell is what was measured; in brackets where nothing follows from it, or where an estimate is a wide interval.
func measuredCell(row *compare.Row) cell {
	c := percentCell(row.Measured)
	low, high := row.MeasuredLow.Or(0), row.MeasuredHigh.Or(0)
	switch {
	case c.Kind == report.Absent:
	case high.Minus(low) >= wideInterval:
		c = report.StatusCell("("+shortest(low)+"-"+shortest(high)+"%)", report.Unsure)
	case row.Verdict == compare.Unmeasurable:
		c.Text, c.Status = "("+c.Text+")", report.Unsure
	}
	return c
}

// whyText says in a few words why a row is as it is.
func whyText(r *compare.Result, row *compare.Row) string {
	switch row.Verdict {
	case compare.Match:
		return "matches" + keptLow(row)
	case compare.PeaksAgree:
		return string(row.Verdict)
	case compare.Idle:
		return "matches while it runs"
	case compare.NoMeasurement:
		return "not measured"
	case compare.NoPrediction:
		return notPredicted(r, row)
	}
	c := row.Cause
	if c == nil {
		return string(row.Verdict)
	}
	text := cmp.Or(shortCauses[c.Name], c.Name)
	if c.Name == compare.CauseGRF && c.Registers > 0 {
		text = fmt.Sprintf("%d registers (GRF)", c.Registers)
	}
	if avg, timed := row.Average().Value(); timed && c.Name == compare.CauseSampling &&
		row.Verdict == compare.Unmeasurable && row.Certainty.Intervals.Or(1) < 1 {
		text = "launches of " + shortSpan(avg)
	}
	if c.Confidence == "low" && c.Name != compare.CauseUnexplained {
		text += "?"
	}
	return text
}

// statusOf is the color that says a verdict again.
func statusOf(v compare.Verdict) report.Status {
	switch v {
	case compare.Match, compare.Idle, compare.PeaksAgree:
		return report.Good
	case compare.Below, compare.Above:
		return report.Bad
	case compare.Unmeasurable:
		return report.Unsure
	}
	return report.Muted
}

// shortCauses are the causes in few words. The report has them at length.
var shortCauses = map[string]string{
	compare.CauseShape: "size in the export", compare.CauseModel: "predictions differ",
	compare.CauseSampling: "others in the value", compare.CauseTolerance: "fills too little",
	compare.CauseOverlap: "others ran as well", compare.CauseNothingRan: "no thread seen",
	compare.CauseAdapters: "not all GPUs worked", compare.CauseStack: "part of the GPU",
	compare.CauseGaps: "time between launches", compare.CausePlacement: "few Xe-cores used",
	compare.CauseImbalance: "uneven work-groups",
	compare.CauseDispatch:  "threads too short", compare.CauseSIMD: "another SIMD width",
	compare.CauseSLM: "more SLM than told", compare.CauseBarriers: "more barriers than told",
	compare.CauseUnexplained: "not known",
}

// shortSpan prints a time with two digits.
func shortSpan(t unit.Seconds) string {
	number, of, _ := strings.Cut(unit.Span(t), " ")
	if v, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64); err == nil && v >= 10 {
		number = report.Decimal(v, 0)
	}
	return number + " " + of
}

// keptLow says what keeps the prediction of a row that matches low.
func keptLow(row *compare.Row) string {
	p := row.Predicted
	switch {
	case p == nil || p.Groups <= 0 || p.Average.Percent() >= 95:
		return ""
	case p.Waves < 1:
		return ": few work-groups"
	case row.Cause == nil && p.Limits&predict.LimitTail != 0:
		return ": last wave"
	case p.Limits != 0:
		return ": " + p.Limits.Names()[0]
	}
	return ""
}

// notPredicted says what of a launch is missing, by name.
func notPredicted(r *compare.Result, row *compare.Row) string {
	l := r.LaunchOf(row)
	switch {
	case r.Device == nil:
		return "device not known"
	case !row.Global.Present():
		return "no global size"
	case !l.Local.Present():
		return "no work-group size"
	case l.SIMD == 0:
		return "no SIMD width"
	}
	return "cannot run so"
}

// leverTexts are the levers in few words.
var leverTexts = map[compare.Lever]string{
	compare.LongerThreads: "more work per work-item", compare.LessSLM: "less SLM", compare.EvenGroups: "even them out",
	compare.Spread: "spread the work", compare.MoreInFlight: "more threads", compare.ShorterGaps: "shorter gaps",
	compare.AllStacks: "all of the GPU", compare.AllAdapters: "all GPUs", compare.RunAlone: "run it alone",
	compare.MeasureEach: "measure each launch", compare.SampleFiner: "sample more often",
	compare.LongerLaunch: "longer launches",
}

// helpText words what may help, with its bound.
func helpText(l *line) string {
	h, text := l.help, leverTexts[l.help.Lever]
	switch h.Lever {
	case compare.NotThreads:
		return "not threads: " + bindsText(l)
	case compare.FillWaves, compare.MoreGroups:
		return report.Thousands(h.At) + " work-groups, not " + report.Thousands(h.From)
	case compare.Registers:
		text = fmt.Sprintf("%d registers", h.At)
	}
	if b, ok := h.Most.Value(); ok && b >= 1.05 {
		text += ": " + report.Decimal(b, 1) + "x at most"
	}
	return text
}

// bindsText says why more threads do not help, or at most so much.
func bindsText(l *line) string {
	binds := l.Worth.Binds
	if strings.HasPrefix(binds, "pipe ") {
		return binds + " is busy"
	}
	if most := l.help.Most.Or(1); binds == "slots" && most >= 1.05 {
		return report.Decimal(most, 1) + "x at most"
	}
	return cmp.Or(map[string]string{"slots": "slots are full", "memory": "memory is busy",
		"stalls": "no stall that they hide"}[binds], "something else binds")
}
