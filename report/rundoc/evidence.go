package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// mostItems is how many kernels are explained one by one: the table of kernels has the cause of all.
const mostItems = 200

// evidenceSection says of each kernel that does not match why, in the order of the table of kernels.
func evidenceSection(r *compare.Result) report.Section {
	return report.Section{Key: report.SectionAttention, Title: "Kernels that do not match", Sheet: "Summary",
		ItemsIn: report.Everywhere, Items: evidence(r)}
}

// evidence has a paragraph for each of the first kernels that somebody should look at.
func evidence(r *compare.Result) (items []report.Item) {
	more := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		switch {
		case !needsAttention(row):
		case len(items) < mostItems:
			items = append(items, report.Item{Lead: report.KernelName(row.Task), Detail: Shape(&row.Kernel),
				Text: explanation(r, row), Status: statusOf(row.Verdict)})
		default:
			more++
		}
	}
	if more > 0 {
		items = append(items, report.Item{Lead: unit.Counted(more, "more kernel", "more kernels"),
			Text: "The table of kernels has the cause of each."})
	}
	return items
}

// needsAttention says whether somebody should look at a row.
func needsAttention(r *compare.Row) bool {
	switch r.Verdict {
	case compare.Below, compare.Above, compare.Unmeasurable, compare.NoPrediction, compare.Idle:
		return true
	case compare.NotAKernel:
		return false
	}
	return r.Cause != nil
}

// explanation says what is wrong with a row, why, what would decide, and what that is worth.
func explanation(of *compare.Result, r *compare.Row) string {
	text, worth := sentence(r), ""
	switch {
	case r.Account != nil && r.Verdict == compare.Below:
		text, worth = accountText(r), worthText(r)
	case r.Account != nil && r.Verdict == compare.Idle: // it may lie between launches: there is no loss to take apart
		worth = worthText(r)
	case r.Cause != nil && r.Verdict == compare.Unmeasurable:
		text = string(r.Verdict) + ": " + report.StartLower(stopped(report.OneLine(r.Cause.Because)))
	}
	if c := r.Undecided(); c != nil && r.Verdict != compare.Idle {
		text += " To decide: " + c.Decide + "."
	}
	if lanes := r.IdleLanes().Or(0); lanes > 0 { // which occupancy does not show
		p := r.Predicted
		text += fmt.Sprintf(" Lost lanes: %s, for %s in sub-groups of %d.", report.PercentText(lanes),
			unit.Counted(p.GroupSize, "work-item", "work-items"), (p.GroupSize+p.IdleLanes)/p.ThreadsPerGroup)
	}
	return text + worth
}

// sentence says what is wrong with a row and why, in the word of its cause.
func sentence(r *compare.Row) string {
	text := string(r.Verdict)
	if p, ok := r.Difference.Value(); ok && (r.Verdict == compare.Below || r.Verdict == compare.Above) {
		text += " by " + report.Decimal(math.Abs(float64(p)), 1) + " points"
	}
	if r.Verdict == compare.Idle {
		text = "filled as predicted while it ran, " + loadedText(r) + "; idle " +
			report.PercentText(r.Idle.Or(0)) + ", which may lie between launches"
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

// loadedText holds what XVEs that ran held against what is predicted of them.
func loadedText(r *compare.Row) string {
	return fmt.Sprintf("%s of %s on XVEs that ran", report.Decimal(r.BusyOccupancy.Or(0).Percent(), 1),
		report.PercentText(r.PredictedAt().Loaded))
}

// accountText says how far a row is below its prediction, what each part of that is, and why. The largest part goes on
// the line of the sum: most kernels have one, and so one line.
func accountText(r *compare.Row) string {
	a, below := r.Account, "the prediction"
	if r.Basis == compare.BasisMeasuredPeak {
		below = "VTune's peak, which leaves out the partial last wave"
	}
	// Points are given without a sign: the word says the direction.
	text := report.Decimal(math.Abs(float64(r.Difference.Or(0))), 1) + " points below " + below
	if lost, ok := a.Lost.Value(); ok && lost > 0 {
		text += ", " + unit.Span(lost) + " of slot time"
	}
	if r.Predicted != nil && r.BusyOccupancy.Present() {
		text += "; " + loadedText(r)
	}
	text += "."
	printed := a.Printed()
	for i, p := range lossParts(a) {
		said := ""
		// It is the whole of what is missing where the parts cannot be told apart, and stands in the first sentence.
		if name := lossNames[p]; name != "" {
			said = report.Decimal(float64(printed.Of(p).Or(0)), 1) + ": " + name + ". "
		}
		text += []string{" ", "\n"}[min(i, 1)] + strings.TrimSpace(said+causeTexts(a, p))
	}
	return strings.TrimSpace(text)
}

var lossNames = map[compare.Part]string{compare.PartEmpty: "no thread on the XVE",
	compare.PartUnderfilled: "XVEs that ran, underfilled"}

// lossParts are the parts that the prediction does not have, the largest first, without those that are next to nothing.
func lossParts(a *compare.Account) []compare.Part {
	list := slices.DeleteFunc([]compare.Part{compare.PartEmpty, compare.PartUnderfilled, compare.PartShortfall},
		func(p compare.Part) bool { return !a.Points(p).Present() })
	slices.SortStableFunc(list, func(x, y compare.Part) int {
		return cmp.Compare(a.Points(y).Or(0), a.Points(x).Or(0))
	})
	// Less than a point is within what counters resolve.
	if len(list) > 1 && a.Points(list[1]).Or(0) < 1 {
		list = list[:1]
	}
	return list
}

// causeTexts are the causes of a part: the first in full, others by name.
func causeTexts(a *compare.Account, p compare.Part) string {
	var text string
	var others []string
	for _, c := range a.Causes {
		switch {
		case c.Part != p:
		case text == "":
			text = stopped(report.OneLine(c.Because))
			switch c.Name {
			case compare.CauseGaps, compare.CauseUnexplained, compare.CauseNothingRan: // they say what cannot be told
			default:
				text = strings.TrimSuffix(text, ".") + " (" + c.Confidence + ")."
			}
		default:
			others = append(others, c.Name+" ("+c.Confidence+")")
		}
	}
	if len(others) > 0 {
		text += " Also possible: " + strings.Join(others, ", ") + "."
	}
	return text
}

// worthText says what more threads are worth to a kernel, and how much faster it can become at most. Nothing is said
// where it cannot be told.
func worthText(r *compare.Row) string {
	w := r.Worth
	if w.Verdict() == compare.WorthUntold {
		return ""
	}
	text := " Worth: " + w.Words() + ": " + w.Because
	if b, ok := w.Spread.Most.Value(); ok && w.Has(compare.SpreadTheWork) {
		text += "; with work for them at most " + report.Decimal(b, 1) + " times as fast (" + w.Spread.Formula + ")"
	}
	return text + "."
}

// Shape prints the launch shape of a kernel and its adapter: "2048x2048 in 1024x1, SIMD32, GPU 1"; empty when nothing
// is known.
func Shape(k *ingest.Kernel) string {
	text := k.Global.String()
	if l := k.Local.String(); l != "" {
		if text != "" {
			text += " in "
		}
		text += l
	}
	if n, ok := k.SIMD.Value(); ok {
		text += ", SIMD" + strconv.Itoa(n)
	}
	if k.Device != "" {
		text += ", " + report.OneLine(k.Device)
	}
	return strings.TrimPrefix(text, ", ")
}
