package diff

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// because says which figures the verdict stands on.
func (d *Result) because(row *Row) string {
	switch row.Verdict {
	case OnlyOld:
		return "The new side does not have it" + seenIn(row.Old, len(d.Old.Runs))
	case OnlyNew:
		return "The old side does not have it" + seenIn(row.New, len(d.New.Runs))
	case NotAKernel:
		return ""
	case NotComparable:
		return notComparable(row)
	case CannotTell:
		return d.cannotTellText(row)
	case Unchanged:
		return d.unchangedText(row)
	}
	var s []string
	if len(row.Changes) > 0 {
		s = append(s, changeText(row.Changes))
	}
	if row.Verdict == Faster {
		s = append(s, timeText(row.time()))
	}
	if text := d.oppositeText(row); text != "" {
		s = append(s, text)
	} else {
		s = append(append(s, d.loadedText(row)...), d.movedText(row))
	}
	if launchChanged(row.Changes) || d.otherDevice {
		s = append(s, d.residualText(row))
	}
	s = append(s, d.partsText(row)...)
	if t := timeText(row.time()); t != "" && row.Verdict != Faster {
		s = append(s, t)
	}
	return sentences(s)
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

func changeText(changes []Change) string {
	words := make([]string, len(changes))
	for i, c := range changes {
		words[i] = c.String()
	}
	return "Changed: " + strings.Join(words, ", ")
}

// notComparable says what is missing.
func notComparable(row *Row) string {
	missing := func(l *Launch, s *Sample) string {
		switch {
		case s.N > 0:
			return ""
		case l.Unmeasurable > 0:
			return "unmeasurable"
		}
		return "absent"
	}
	a, b := missing(row.Old, &row.Measured().Old), missing(row.New, &row.Measured().New)
	side := func(word, both string) string {
		switch {
		case a == word && b == word:
			return both
		case a == word:
			return "on the old side"
		case b == word:
			return "on the new side"
		}
		return ""
	}
	var s []string
	if len(row.Changes) > 0 {
		s = append(s, changeText(row.Changes))
	}
	if where := side("unmeasurable", "on both sides"); where != "" {
		s = append(s, "the kernel is unmeasurable "+where+"; collect with a shorter gpu-sampling-interval or more "+
			"work per launch")
	}
	if where := side("absent", "on either side"); where != "" {
		s = append(s, "there is no measured occupancy "+where)
	}
	if row.Measured().Change.Present() {
		s = append(s, otherConditions(row))
	} else if t := timeText(row.time()); t != "" {
		s = append(s, t)
	}
	return sentences(s)
}

// otherConditions says why two measured occupancies are not compared.
func otherConditions(row *Row) string {
	from := fromTo(row.Measured(), "%.1f", " %")
	if x := max(row.Old.Crosstalk.Or(0), row.New.Crosstalk.Or(0)); x > compare.CrosstalkMedium {
		return fmt.Sprintf("up to %s of all instructions were counted in rows of no kernel, so measured occupancies "+
			"(%s) are not compared", fmt.Sprintf("%.0f %%", x.Percent()), from)
	}
	return timeText(row.time()) + ", so measured occupancies (" + from + ") are of different launches"
}

// unchangedText is worth reading only where the medians moved and a test holds them back.
func (d *Result) unchangedText(row *Row) string {
	m := row.Measured()
	c, floor := m.Change.Or(0), d.measuredFloor(row)
	switch {
	case m.Insignificant() && unit.Points(math.Abs(c)) > floor+digit:
		return fmt.Sprintf("The medians differ by %+.1f points (%s), but not significantly (%s): more runs would "+
			"decide.",
			c, fromTo(m, "%.1f", " %"), testText(m))
	case m.Insignificant():
		return "Not significant (" + testText(m) + ")."
	case m.P.Present():
		return fmt.Sprintf("Significant (%s), but within %g points.", testText(m), float64(floor))
	}
	return fmt.Sprintf("Within %g points.", float64(floor))
}

// cannotTellText says below what nothing can be told.
func (d *Result) cannotTellText(row *Row) string {
	s := fmt.Sprintf("measured occupancy moved by %+.1f points (%s), and single runs of one program differ by up to %g",
		zero(row.Measured().Change.Or(0)), fromTo(row.Measured(), "%.1f", " %"), float64(d.measuredFloor(row)))
	if t := timeText(row.time()); t != "" {
		return sentences([]string{s, t})
	}
	return sentences([]string{s})
}

// loadedText says how the occupancy of XVEs that ran moved, empty where both sides do not tell it.
func (d *Result) loadedText(row *Row) []string {
	l, limit := row.loaded(), d.loadedLimit(row)
	c, known := l.Change.Value()
	if !known {
		return nil
	}
	from := fromTo(l, "%.1f", " %")
	switch {
	case l.fell(limit), l.rose(limit):
		s := fmt.Sprintf("occupancy of XVEs that ran %s by %.1f points (%s), beyond %g", fellOrRose(c),
			unit.Points(math.Abs(c)), from, float64(limit))
		if l.Significant.Present() {
			s += ", " + testText(l)
		}
		return []string{s}
	case unit.Points(math.Abs(c)) <= limit+digit:
		return []string{fmt.Sprintf("XVEs that ran held as much as before (%s, within %g "+
			"points)", from, float64(limit))}
	}
	return []string{fmt.Sprintf("occupancy of XVEs that ran did not move significantly (%s; %s)", from, testText(l))}
}

// oppositeText says what fell and what rose where the two occupancies moved in opposite directions, empty where they
// did not: the measured one then is what the verdict is about, and time without threads is why.
func (d *Result) oppositeText(row *Row) string {
	l, limit := row.loaded(), d.loadedLimit(row)
	ran, whole := l.Change.Or(0), row.Measured().Change.Or(0)
	time, held := "less", "less"
	switch {
	case l.rose(limit) && whole < 0:
		time, held = "more", "more"
	case l.fell(limit) && whole > 0:
	default:
		return ""
	}
	return fmt.Sprintf("%s. XVEs had no thread for %s of the time, though those that ran held %s: their occupancy %s "+
		"by %.1f points (%s)", d.movedText(row), time, held, fellOrRose(ran), math.Abs(ran), fromTo(l, "%.1f", " %"))
}

// movedText says how the measured occupancy moved and how sure that is.
func (d *Result) movedText(row *Row) string {
	m := row.Measured()
	c := m.Change.Or(0)
	floor := d.measuredFloor(row)
	switch {
	case m.Insignificant():
		return fmt.Sprintf("measured occupancy did not move significantly (%s; %s)", fromTo(m, "%.1f", " %"),
			testText(m))
	case unit.Points(math.Abs(c)) <= floor+digit && row.Verdict != Faster:
		return fmt.Sprintf("measured occupancy moved by %+.1f points (%s), within %g", c, fromTo(m, "%.1f", " %"),
			float64(floor))
	}
	s := fmt.Sprintf("measured occupancy %s by %.1f points (%s)", fellOrRose(c), unit.Points(math.Abs(c)),
		fromTo(m, "%.1f", " %"))
	switch {
	case m.Significant.Present():
		return s + ", " + testText(m)
	case row.Verdict == Faster:
		return s
	}
	return s + fmt.Sprintf(", beyond the %g that single runs differ by", float64(floor))
}

// partsText says which parts of the account moved: "empty +9.1, underfilled -0.3".
func (d *Result) partsText(row *Row) []string {
	var moved []string
	for _, p := range compare.Parts()[1:] { // what was used is what was measured
		if c, ok := row.Delta(string(p)).Change.Value(); ok && unit.Points(math.Abs(c)) >= 0.05 {
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
	c, ok := r.Change.Value()
	if !ok {
		return "there is no prediction for both sides, so whether the change explains it is unknown"
	}
	s := fmt.Sprintf("the prediction went from %s", fromTo(p, "%.1f", " %"))
	if pc := p.Change.Or(0); unit.Points(math.Abs(pc)) < 0.05 {
		s = fmt.Sprintf("the prediction stayed at %.1f %%", p.New.Median.Or(0))
	}
	floor := d.measuredFloor(row)
	s += fmt.Sprintf(", the residual (measured - predicted) from %s", fromTo(r, "%+.1f", " points"))
	switch {
	case r.Insignificant():
		return s + ", not significantly: as predicted (" + testText(r) + ")"
	case r.fell(floor) && row.Verdict == Regression:
		return s + ": the change does not explain the fall"
	case r.fell(floor):
		return s + ": the measurement did not follow the prediction"
	case r.rose(floor):
		return s + ": better than the change explains"
	}
	return s + fmt.Sprintf(", by %+.1f: as predicted", c)
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
	if t.Insignificant() {
		return fmt.Sprintf("times do not differ significantly (%s to %s per launch, %s)", a, b, testText(t))
	}
	if SameTime(x) {
		return fmt.Sprintf("a launch takes as long as before (%s to %s)", a, b)
	}
	return fmt.Sprintf("a launch takes %.2f times as long (%s to %s)", x, a, b)
}

func fellOrRose(c float64) string {
	if c < 0 {
		return "fell"
	}
	return "rose"
}

// fromTo prints both medians: "62.7 to 48.6 %".
func fromTo(d *Delta, format, suffix string) string {
	return fmt.Sprintf(format+" to "+format+"%s", zero(d.Old.Median.Or(0)), zero(d.New.Median.Or(0)), suffix)
}

// zero keeps a minus away from what is printed as 0.0.
func zero(x float64) float64 {
	if x > -0.05 && x < 0 {
		return 0
	}
	return x
}

// testText prints p and n: "p = 0.029, 4 + 4 runs".
func testText(d *Delta) string {
	p, ok := d.P.Value()
	switch {
	case !ok && d.Significant.Present():
		return "by the spread of the history, " + runsText(d)
	case !ok:
		return runsText(d)
	case d.Insignificant() && p < DefaultOptions().Alpha:
		return fmt.Sprintf("p = %.3f, %s, which one of so many kernels reaches by chance", p, runsText(d))
	case p < 0.001:
		return fmt.Sprintf("p < 0.001, %s", runsText(d))
	}
	return fmt.Sprintf("p = %.3f, %s", p, runsText(d))
}

func runsText(d *Delta) string { return fmt.Sprintf("%d + %d runs", d.Old.N, d.New.N) }
