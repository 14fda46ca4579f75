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

// mostItems is the maximum number of kernels with a paragraph. The kernel table
// has the causes of all kernels.
const mostItems = 200

// evidenceSection has a paragraph for each of the first kernels that need
// attention, in the order of the table.
func evidenceSection(r *compare.Result) report.Section {
	s := report.Section{
		Key:     report.SectionAttention,
		Title:   "Kernels that do not match",
		Sheet:   "Evidence",
		ItemsIn: report.Everywhere,
	}
	more := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		switch {
		case !needsAttention(row):
		case len(s.Items) < mostItems:
			detail := strings.TrimPrefix(LaunchSize(row.Kernel)+compiled(row.Kernel), ", ")
			s.Items = append(s.Items, report.Item{
				Lead:   report.KernelName(row.Task),
				Code:   true,
				Detail: detail,
				Text:   evidence(row),
				Status: statusOf(row.Verdict),
			})
		default:
			more++
		}
	}
	if more > 0 {
		s.Items = append(s.Items, report.Item{Lead: unit.Plural(more, "more kernel"),
			Text: "The table of kernels has the cause of each."})
	}
	return s
}

// needsAttention reports whether a reader should look at a row.
func needsAttention(r *compare.Row) bool {
	switch r.Verdict {
	case compare.Below, compare.Above, compare.Unmeasurable, compare.NoPrediction, compare.MatchWhileBusy:
		return true
	case compare.NotAKernel:
		return false
	}
	return r.Cause != nil
}

// verdictText returns the verdict with the names of its causes: "below by 36.8
// points: very short threads". The function name returns the words for a cause.
func verdictText(r *compare.Row, name func(*compare.Cause) string) string {
	text := string(r.Verdict)
	if p, ok := r.Difference.Value(); ok && (r.Verdict == compare.Below || r.Verdict == compare.Above) {
		text += " by " + report.Decimal(math.Abs(float64(p)), 1) + " points"
	}
	if r.Cause != nil {
		text += ": " + causeNames(r, name)
	}
	return text
}

// evidence describes the problem of a row, its causes, the command that
// confirms them, and the potential speedup. The causes are listed by part of
// the missing occupancy, largest part first. Each part has its own line. Most
// kernels have only one part.
func evidence(r *compare.Row) string {
	text := verdictText(r, (*compare.Cause).Title) + "."
	if r.Basis == compare.BasisMeasuredPeak && r.Verdict != compare.NoPrediction {
		text += " It is compared with VTune's peak, which leaves out the partial last wave."
	}
	if a := r.Breakdown; a != nil && r.Verdict == compare.Below {
		printed, before := a.Rounded(), " "
		var causes []string // causes of the parts that are already printed
		for _, p := range lossParts(a) {
			text += before
			before = "\n"
			if p != compare.PartShortfall { // a shortfall is the whole difference, which the verdict already has
				text += report.Decimal(printed.Of(p).Or(0), 1) + " points: " +
					report.LowerFirst(p.Title()) + ". "
			}
			why := causeTexts(a, p)
			if why != "" && slices.Contains(causes, why) {
				why = "For the same reason."
			}
			causes = append(causes, why)
			text = strings.TrimRight(text+why, " ")
		}
	} else {
		text += because(r)
	}
	if c := r.UnconfirmedCause(); c != nil && r.Verdict != compare.MatchWhileBusy {
		text += " Confirm with: " + report.OneLine(c.ConfirmWith) + "."
	}
	if lanes := r.IdleLanes().Or(0); lanes > 0 { // occupancy does not show idle lanes
		p := r.Predicted
		text += fmt.Sprintf(" Lost lanes: %s, for %s in sub-groups of %d.", lanes,
			unit.Plural(p.GroupSize, "work-item"), (p.GroupSize+p.IdleLanes)/p.ThreadsPerGroup)
	}
	if r.Breakdown != nil && (r.Verdict == compare.Below || r.Verdict == compare.MatchWhileBusy) {
		text += speedupText(r)
	}
	return text
}

// because returns the reason for a verdict as a sentence that begins with a
// blank. The reason is the evidence for the cause, or why there is no
// prediction. The result may be empty.
func because(r *compare.Row) string {
	switch {
	case r.Cause != nil:
		return " " + causeText(r.Cause)
	case r.NoPrediction != "":
		return " " + sentence(r.NoPrediction)
	case r.Verdict == compare.Possible:
		return boundsText(r)
	case r.Verdict == compare.MatchWhileBusy:
		return " While it ran, it filled XVEs as predicted. The idle time may be between launches."
	}
	return ""
}

// boundsText describes the bounds of the occupancy for a row without a measured
// occupancy. It also states whether the thread count agrees with the
// prediction.
func boundsText(r *compare.Row) string {
	text := fmt.Sprintf(" XVEs were idle for %s of the time, so %s to %s of the thread slots were occupied.",
		r.Idle.Or(0), r.BoundLow.Or(0), r.BoundHigh.Or(1))
	if n, ok := r.Threads.Value(); ok && r.ThreadsPredicted() == unit.Some(n) {
		text += " " + unit.FormatCount(n, "thread was", "threads were") + " started, as predicted."
	}
	return text
}

// sentence returns a reason as a sentence, with a capital letter and a period.
func sentence(why string) string {
	return report.UpperFirst(strings.TrimSuffix(report.OneLine(why), ".")) + "."
}

// lossParts returns the breakdown parts in which a kernel lost predicted
// occupancy, largest first, without negligible parts.
func lossParts(a *compare.SlotBreakdown) []compare.Part {
	list := slices.DeleteFunc([]compare.Part{compare.PartIdle, compare.PartUnderfilled, compare.PartShortfall},
		func(p compare.Part) bool { return !a.Points(p).Present() })
	slices.SortStableFunc(list, func(x, y compare.Part) int {
		return cmp.Compare(a.Points(y).Or(0), a.Points(x).Or(0))
	})
	// The other parts are negligible if the second largest is less than one
	// point, because counters are not that precise.
	if len(list) > 1 && a.Points(list[1]).Or(0) < 1 {
		list = list[:1]
	}
	return list
}

// causeTexts describes the causes of a part: the first cause with its evidence,
// and the other causes by name.
func causeTexts(a *compare.SlotBreakdown, p compare.Part) string {
	var text string
	var others []string
	for _, c := range a.Causes {
		switch {
		case c.Part != p:
		case text == "":
			text = causeText(&c)
		default:
			others = append(others, c.Name+" ("+c.Confidence.String()+")")
		}
	}
	if len(others) > 0 {
		text += " Also possible: " + strings.Join(others, ", ") + "."
	}
	return text
}

// causeText returns the evidence for a cause with its confidence. A fact has no
// confidence. Some causes have none in the text, because their evidence already
// states what cannot be determined.
func causeText(c *compare.Cause) string {
	text := sentence(c.Evidence)
	switch c.Name {
	case compare.CauseGaps, compare.CauseUnexplained, compare.CauseNoActivity:
		return text
	}
	if c.Confidence == 0 {
		return text
	}
	return strings.TrimSuffix(text, ".") + " (" + c.Confidence.String() + ")."
}

// speedupText describes the potential speedup from more threads and its upper
// bound. It returns "" if the speedup is undetermined.
func speedupText(r *compare.Row) string {
	w := r.Speedup
	if w.Verdict() == compare.SpeedupUndetermined {
		return ""
	}
	text := " Potential speedup: " + w.Words() + ": " + w.Evidence
	if b, ok := w.Balancing.Max.Value(); ok && w.Has(compare.BalanceTheWork) {
		text += "; with work for them at most " + report.Decimal(b, 1) + " times as fast (" + w.Balancing.Formula + ")"
	}
	return text + "."
}

// compiled returns the properties that the compiler set, as a continuation of
// the launch size: ", 256 registers, spill 2,880 bytes per thread".
func compiled(k *ingest.Kernel) (text string) {
	if n, ok := k.Registers.Value(); ok {
		text += ", " + unit.Plural(n, "register")
	}
	for _, m := range []struct {
		name  string
		bytes unit.Opt[unit.Bytes]
	}{{"spill", k.Spill}, {"private memory", k.Private}} {
		if n := m.bytes.Or(0); n > 0 {
			text += fmt.Sprintf(", %s %s per thread", m.name, unit.Plural(n, "byte"))
		}
	}
	return text
}

// LaunchSize returns a kernel's launch size and its adapter: "2048x2048 in
// 1024x1, SIMD32, GPU 1". It returns "" if nothing is known.
func LaunchSize(k *ingest.Kernel) string {
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
