package diff

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// because says which figures the verdict stands on: what changed, how occupancies moved and what that is held against,
// the residual where the launch changed, the parts of the account, and the time.
func (d *Result) because(row *Row) string {
	switch row.Verdict {
	case OnlyOld:
		return "The new side does not have it" + seenIn(row.Old, len(d.Old.Runs))
	case OnlyNew:
		return "The old side does not have it" + seenIn(row.New, len(d.New.Runs))
	case NotAKernel:
		return ""
	}
	var s []string
	if len(row.Changes) > 0 {
		s = append(s, "changed: "+strings.Join(changesOf(row.Changes), ", "))
	}
	if row.Verdict == NotComparable {
		s = append(s, row.Incomparable())
	}
	if row.loaded().Change.Present() {
		s = append(s, movedText("occupancy of XVEs that ran", row.loaded(), d.loadedLimit(row)))
	}
	if row.Measured().Change.Present() {
		s = append(s, movedText("measured occupancy", row.Measured(), d.measuredFloor(row)))
		if launchChanged(row.Changes) || d.otherDevice {
			s = append(s, d.residualText(row))
		}
	}
	if row.Verdict == Regression || row.Verdict == Improvement || row.Verdict == Faster {
		s = append(s, partsText(row)...)
	}
	if t := timeText(row.time()); t != "" {
		s = append(s, t)
	}
	return sentences(s)
}

func changesOf(list []Change) []string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.String()
	}
	return words
}

// sentences joins parts, each with a capital and a full stop.
func sentences(parts []string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ToUpper(p[:1]) + p[1:] + ".")
	}
	return b.String()
}

func seenIn(l *Launch, runs int) string {
	if l.Runs < runs {
		return fmt.Sprintf("; here %d of %d runs have it.", l.Runs, runs)
	}
	return "."
}

// Incomparable says why the measured occupancies of two sides are not compared.
func (r *Row) Incomparable() string {
	missing := func(l *Launch, s *Sample) string {
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
	if x := max(r.Old.Crosstalk.Or(0), r.New.Crosstalk.Or(0)); x > compare.CrosstalkMedium {
		return fmt.Sprintf("%.0f%% of all instructions were counted in rows of no kernel", x.Percent())
	}
	return "launches take another time"
}

// movedText says how an occupancy moved, and what that is held against.
func movedText(what string, m *Delta, limit unit.Points) string {
	c := m.Change.Or(0)
	s := fmt.Sprintf("%s rose by %.1f points (%s)", what, c, fromTo(m, "%.1f", "%"))
	if c < 0 {
		s = fmt.Sprintf("%s fell by %.1f points (%s)", what, -c, fromTo(m, "%.1f", "%"))
	}
	if math.Abs(c) < 0.05 {
		s = fmt.Sprintf("%s stayed at %.1f%%", what, m.New.Median.Or(0))
	}
	where := "within"
	if unit.Points(math.Abs(c)) > limit+digit {
		where = "beyond"
	}
	if !m.Significant.Present() {
		return s + fmt.Sprintf(", %s the %g that single runs differ by", where, float64(limit))
	}
	if m.Insignificant() {
		return s + ", not significantly: " + testText(m)
	}
	return s + fmt.Sprintf(", %s %g: %s", where, float64(limit), testText(m))
}

// partsText says which parts of the account moved: "empty +9.1, underfilled -0.3".
func partsText(row *Row) []string {
	var moved []string
	for _, p := range compare.Parts()[1:] { // what was used is what was measured
		if c, ok := row.Delta(string(p)).Change.Value(); ok && math.Abs(c) >= 0.05 {
			moved = append(moved, fmt.Sprintf("%s %+.1f", p, c))
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return []string{"of the thread slots: " + strings.Join(moved, ", ") + " points"}
}

// residualText sets the residual against a launch or device that is not the same.
func (d *Result) residualText(row *Row) string {
	r, p := row.Delta(compare.MetricResidual), row.Delta(compare.MetricPredicted)
	if !r.Change.Present() {
		return "there is no prediction for both sides, so whether the change explains it is unknown"
	}
	s := "the prediction went from " + fromTo(p, "%.1f", "%")
	if math.Abs(p.Change.Or(0)) < 0.05 {
		s = fmt.Sprintf("the prediction stayed at %.1f%%", p.New.Median.Or(0))
	}
	s += ", the residual (measured - predicted) went from " + fromTo(r, "%+.1f", " points")
	floor := d.measuredFloor(row)
	switch {
	case r.Insignificant():
		return s + ", not significantly: as predicted"
	case r.fell(floor) && row.Verdict == Regression:
		return s + ": the change does not explain the fall"
	case r.fell(floor):
		return s + ": the measurement did not follow the prediction"
	case r.rose(floor):
		return s + ": better than the change explains"
	}
	return s + ": as predicted"
}

// SameTime says whether a ratio of times is 1.00 as it is printed: "1.00 times as long" is no way to say that.
func SameTime(ratio float64) bool { return math.Abs(ratio-1) < 0.005 }

// timeText says how the times moved, empty when they are not known on both sides.
func timeText(t *Delta) string {
	x, ok := t.Ratio.Value()
	if !ok {
		return ""
	}
	a, b := unit.Span(unit.Seconds(t.Old.Median.Or(0))), unit.Span(unit.Seconds(t.New.Median.Or(0)))
	switch {
	case t.Insignificant():
		return fmt.Sprintf("times do not differ significantly (%s to %s per launch, %s)", a, b, testText(t))
	case SameTime(x):
		return fmt.Sprintf("a launch takes as long as before (%s to %s)", a, b)
	}
	return fmt.Sprintf("a launch takes %.2f times as long (%s to %s)", x, a, b)
}

// fromTo prints both medians: "62.7 to 48.6 %", without a minus before what is printed as 0.0.
func fromTo(d *Delta, format, suffix string) string {
	zero := func(x float64) float64 {
		if x > -0.05 && x < 0 {
			return 0
		}
		return x
	}
	return fmt.Sprintf(format+" to "+format+"%s", zero(d.Old.Median.Or(0)), zero(d.New.Median.Or(0)), suffix)
}

// testText prints what was tested: "p = 0.029, 4 + 4 runs".
func testText(d *Delta) string {
	runs := fmt.Sprintf("%d + %d runs", d.Old.N, d.New.N)
	p, ok := d.P.Value()
	switch {
	case !ok:
		return "by the spread of the history, " + runs
	case d.Insignificant() && p < DefaultOptions().Alpha:
		return fmt.Sprintf("p = %.3f, %s, which one of so many kernels reaches by chance", p, runs)
	case p < 0.001:
		return "p < 0.001, " + runs
	}
	return fmt.Sprintf("p = %.3f, %s", p, runs)
}
