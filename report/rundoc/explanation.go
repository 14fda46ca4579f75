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
	"occudiff/report"
)

// explanation says what is wrong with a row, why, and what would decide: by the parts of its account where it has one.
func explanation(of *compare.Result, r *compare.Row) string {
	a := r.Account
	switch {
	case a == nil:
	case r.Verdict == compare.Below:
		return accountText(r, a) + toDecide(r) + lostLanes(r) + worthText(of, r)
	// Idle time may lie between launches, so there is no loss to take apart.
	case r.Verdict == compare.Idle:
		return sentence(r) + tailText(r, a) + lostLanes(r) + worthText(of, r)
	}
	text := sentence(r)
	if c := r.Cause; c != nil && r.Verdict == compare.Unmeasurable {
		text = string(r.Verdict) + ": " + report.StartLower(stopped(report.OneLine(c.Because)))
	}
	return text + toDecide(r) + lostLanes(r)
}

// lostLanes says that lanes have no work-item, which occupancy does not show.
func lostLanes(r *compare.Row) string {
	lanes, ok := r.IdleLanes().Value()
	if !ok || lanes == 0 {
		return ""
	}
	// The sub-group size is not in the prediction: lanes in all, of each thread alike.
	simd := (r.Predicted.GroupSize + r.Predicted.IdleLanes) / r.Predicted.ThreadsPerGroup
	return fmt.Sprintf(" Lost lanes: %s, for %s in sub-groups of %d.", report.PercentText(lanes.Percent()),
		unit.Counted(r.Predicted.GroupSize, "work-item", "work-items"), simd)
}

// sentence says what is wrong with a row and why, in the word of its cause.
func sentence(r *compare.Row) string {
	text := string(r.Verdict)
	if p, ok := r.Difference.Value(); ok && (r.Verdict == compare.Below || r.Verdict == compare.Above) {
		text += " by " + report.Decimal(math.Abs(float64(p)), 1) + " points"
	}
	if r.Verdict == compare.Idle {
		text = "filled as predicted while it ran, " + loadedText(r) + "; idle " +
			report.PercentText(r.Idle.Or(0).Percent()) + ", which may lie between launches"
	}
	if r.Cause != nil {
		text += ": " + report.OneLine(r.Cause.Name)
	}
	if why := stopped(report.OneLine(because(r))); why != "" {
		return text + ". " + report.UpperFirst(why)
	}
	return text + "."
}

func stopped(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// accountText says how far a row is below its prediction, what each part of that is, and what would decide. Each part
// begins a line.
func accountText(r *compare.Row, a *compare.Account) string {
	d, _ := r.Difference.Value()
	// Points are given without a sign: the word says the direction.
	text := report.Decimal(math.Abs(float64(d)), 1) + " points below the prediction"
	if r.Basis == compare.BasisMeasuredPeak {
		text = report.Decimal(math.Abs(float64(d)), 1) + " points below VTune's peak, which leaves out the partial " +
			"last wave"
	}
	if lost, ok := a.Lost.Value(); ok && lost > 0 {
		text += ", " + SlotTime(lost) + " of slot time"
	}
	if r.Predicted != nil && r.BusyOccupancy.Present() {
		text += "; " + loadedText(r)
	}
	parts := []string{text + "." + tailText(r, a)}
	printed := a.Printed()
	for _, p := range lossParts(a) {
		said := fmt.Sprintf("%s: %s.", report.Decimal(float64(printed.Of(p).Or(0)), 1), partText(p))
		// It is the whole of what is missing where the parts cannot be told apart, and stands in the first sentence.
		if p == compare.PartShortfall {
			said = ""
		}
		parts = append(parts, strings.TrimSpace(said+" "+causeTexts(a, p)))
	}
	// The largest part goes on the line of the sum: most kernels have one, and so one line.
	parts[0] = strings.TrimSpace(parts[0] + " " + parts[1])
	return strings.Join(append(parts[:1], parts[2:]...), "\n")
}

// toDecide says what would settle the cause of a row.
func toDecide(r *compare.Row) string {
	if c := r.Undecided(); c != nil {
		return " To decide: " + c.Decide + "."
	}
	return ""
}

// loadedText holds what XVEs that ran held against what is predicted of them.
func loadedText(r *compare.Row) string {
	return fmt.Sprintf("%s of %s on XVEs that ran", report.Decimal(r.BusyOccupancy.Or(0).Percent(), 1),
		report.PercentText(r.PredictedAt().Loaded.Percent()))
}

// ranged says whether the predicted average is a range of a point or more, so that readers need both ends.
// Less than a point is within what counters resolve, and one figure reads better than two.
func ranged(r *compare.Row) bool {
	p := r.Predicted
	return p != nil && p.AverageHigh.Minus(p.Average) >= 1
}

// tailText says what the last wave is taken as, where it may be anything in a range.
func tailText(r *compare.Row, a *compare.Account) string {
	if !ranged(r) {
		return ""
	}
	p, printed := r.Predicted, a.Printed()
	return fmt.Sprintf(" Last wave: %s, of %s to %s that it may cost.",
		report.Decimal(float64(printed.Of(compare.PartTail).Or(0)), 1),
		report.Decimal(float64(p.Peak.Minus(p.AverageHigh)), 1), report.Decimal(float64(p.Peak.Minus(p.Average)), 1))
}

// SlotTime prints a time in seconds with two digits, so that rows compare at a glance.
func SlotTime(t unit.Seconds) string {
	v := float64(t)
	// What two digits round to 10 or more.
	if v >= 9.95 {
		return report.Thousands(int64(math.Round(v))) + " s"
	}
	return strconv.FormatFloat(v, 'f', max(1-int(math.Floor(math.Log10(v))), 1), 64) + " s"
}

// lossParts are the parts that the prediction does not have, the largest first, without those that are next to nothing.
func lossParts(a *compare.Account) []compare.Part {
	var list []compare.Part
	for _, p := range []compare.Part{compare.PartEmpty, compare.PartUnderfilled, compare.PartShortfall} {
		if a.Points(p).Present() {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(x, y compare.Part) int {
		return cmp.Compare(a.Points(y).Or(0), a.Points(x).Or(0))
	})
	// Less than a point is within what counters resolve.
	if len(list) > 1 && a.Points(list[1]).Or(0) < 1 {
		list = list[:1]
	}
	return list
}

func partText(p compare.Part) string {
	if p == compare.PartEmpty {
		return "no thread on the XVE"
	}
	return "XVEs that ran, underfilled"
}

// causeTexts are the causes of a part: the first in full, others by name.
func causeTexts(a *compare.Account, p compare.Part) string {
	var text string
	var others []string
	for _, c := range a.Causes {
		switch {
		case c.Part != p:
		case text == "":
			text = withConfidence(c)
		default:
			others = append(others, c.Name+" ("+c.Confidence+")")
		}
	}
	if len(others) > 0 {
		text += " Also possible: " + strings.Join(others, ", ") + "."
	}
	return text
}

// confidenceText is the confidence of a cause in brackets, nothing of a row that cannot be judged.
func confidenceText(c *compare.Cause) string {
	if c.Confidence == "" {
		return ""
	}
	return " (" + c.Confidence + " confidence)"
}

// withConfidence says how sure a cause is, unless its text says that it cannot be told.
// Those three say themselves what cannot be told; a confidence behind that would contradict it.
func withConfidence(c compare.Cause) string {
	because := stopped(report.OneLine(c.Because))
	if c.Name == compare.CauseGaps || c.Name == compare.CauseUnexplained || c.Name == compare.CauseNothingRan {
		return because
	}
	return strings.TrimSuffix(because, ".") + " (" + c.Confidence + ")."
}

// because is the evidence of the cause, or why there is no prediction.
// It is the one text of both, since a reader asks the same of a kernel that was not compared.
func because(r *compare.Row) string {
	switch {
	case r.Cause != nil:
		return r.Cause.Because
	case r.Predicted == nil && r.Verdict != compare.NotAKernel:
		return r.NoPrediction
	}
	return ""
}

// partName is how people read a part.
func partName(p compare.Part) string { return partNames.Of(p) }

var partNames = compare.ByPart[string]{"measured", "underfilled XVEs", "empty XVEs", "shortfall",
	"last wave (predicted)",
	"limits (predicted)"}
