package diffdoc

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// because says which figures a verdict stands on: what changed, how occupancies moved and what that is held against, what
// was predicted where something changed, the parts of the account, and the time.
func because(r *diff.Row) string {
	switch r.Verdict {
	case diff.NotAKernel:
		return ""
	case diff.OnlyOld:
		return "Only the old side has it, in " + unit.Counted(r.Old.Runs, "run", "runs") + "."
	case diff.OnlyNew:
		return "Only the new side has it, in " + unit.Counted(r.New.Runs, "run", "runs") + "."
	}
	var parts []string
	if len(r.Changes) > 0 {
		parts = append(parts, "changed: "+changesText(r))
	}
	if r.Verdict == diff.NotComparable {
		parts = append(parts, incomparable(r))
	}
	if r.Unexplained() {
		parts = append(parts, "no prediction says what the change does")
	}
	judged := r.Verdict == diff.Regression || r.Verdict == diff.Improvement || r.Verdict == diff.Faster
	printed := func(d *diff.Delta) bool { return math.Abs(d.Change.Or(0)) >= 0.05 } // with one decimal it moved
	explained := len(r.Changes) > 0 || printed(r.Delta(compare.MetricPredicted))
	for _, f := range figures {
		d := r.Delta(f.metric)
		switch f.metric {
		case compare.MetricLoaded, compare.MetricMeasured, compare.MetricTime:
			parts = append(parts, movedText(f.title, f.unit, d))
		case compare.MetricPredicted, compare.MetricResidual:
			if explained {
				parts = append(parts, movedText(f.title, f.unit, d))
			}
		default:
			if judged && printed(d) {
				parts = append(parts, movedText(f.title, f.unit, d))
			}
		}
	}
	if r.Worth.Verdict() != compare.WorthUntold && (r.Verdict == diff.Regression || r.Verdict == diff.Faster) {
		parts = append(parts, "on the new side, "+r.Worth.Words()+": "+r.Worth.Because)
	}
	var text strings.Builder
	for _, p := range parts {
		if p != "" {
			text.WriteString(report.UpperFirst(p) + ". ")
		}
	}
	return report.OneLine(strings.TrimSpace(text.String()))
}

func changesText(r *diff.Row) string {
	return strings.Join(report.ListOf(r.Changes, diff.Change.String), ", ")
}

// figures are those that a verdict stands on, in the order in which they are told.
var figures = []struct{ metric, title, unit string }{
	{compare.MetricMeasured, "measured occupancy", "%"},
	{compare.MetricLoaded, "occupancy of XVEs that ran", "%"},
	{compare.MetricPredicted, "predicted average", "%"},
	{compare.MetricResidual, "residual (measured - predicted average)", "points"},
	{compare.MetricTime, "time per launch", ""},
	{string(compare.PartUnderfilled), "slots of underfilled XVEs", "points"},
	{string(compare.PartEmpty), "slots of empty XVEs", "points"},
	{string(compare.PartShortfall), "slots below the prediction", "points"},
}

// movedText says how a figure moved, and what that is held against; nothing of one that a side does not tell.
func movedText(title, unit string, d *diff.Delta) string {
	text := title + " "
	switch {
	case d.Ratio.Present():
		text += span(&d.Old) + " -> " + span(&d.New) + ": " + report.Decimal(d.Ratio.Or(0), 2) + "x"
	case d.Change.Present():
		text += fromTo(d, unit) + ": " + report.Signed(d.Change.Or(0), 1) + " points"
	default:
		return ""
	}
	if d.Limit > 0 && !d.Insignificant() {
		where, limit := "within", report.Shortest(float64(d.Limit))
		if d.Moved() != 0 {
			where = "beyond"
		}
		if !d.Significant.Present() {
			limit = "the " + limit + " that single runs differ by"
		}
		text += ", " + where + " " + limit
	}
	if by := tested(d); by != "" && (d.Limit > 0 || d.Ratio.Present()) { // of what is judged
		text += " (" + by + ")"
	}
	return text
}

func span(s *diff.Sample) string { return unit.Span(unit.Seconds(s.Median.Or(0))) }

// fromTo prints both medians: "62.7 -> 48.6%", with a dash for a side that has none.
func fromTo(d *diff.Delta, unit string) string {
	side := func(s *diff.Sample) string {
		if x, ok := s.Median.Value(); ok {
			return report.Decimal(x, 1)
		}
		return "-"
	}
	return report.WithUnit(side(&d.Old)+" -> "+side(&d.New), unit)
}

// tested says what tells a change from noise: "p = 0.029, 4 + 4 runs"; nothing where nothing was tested.
func tested(d *diff.Delta) string {
	p, ok := d.P.Value()
	text := fmt.Sprintf("p = %.3f", p)
	switch {
	case !d.Significant.Present():
		return ""
	case !ok:
		text = "by the spread of the history"
	case p < 0.001:
		text = "p < 0.001"
	}
	text += fmt.Sprintf(", %d + %d runs", d.Old.N, d.New.N)
	if d.Insignificant() && ok && p < diff.Alpha {
		text += ", which one of so many kernels reaches by chance"
	}
	if d.Insignificant() {
		return "not significant: " + text
	}
	return text
}

// incomparable says why the measured occupancies of two sides are not compared.
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
	if x := max(r.Old.Crosstalk.Or(0), r.New.Crosstalk.Or(0)); x > compare.CrosstalkMedium {
		return fmt.Sprintf("%.0f%% of all instructions were counted in rows of no kernel", x.Percent())
	}
	return "launches take another time"
}
