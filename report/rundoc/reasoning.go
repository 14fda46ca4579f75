package rundoc

import (
	"fmt"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// stepsOf is the reasoning behind a row: how it was predicted, and what was seen against that.
func stepsOf(of *compare.Result, row *compare.Row) []report.Step {
	return append(predictionSteps(of, row), measurementSteps(of, row)...)
}

// predictionSteps is the model's own reasoning. It is left out where the row alone does not give the same prediction.
func predictionSteps(r *compare.Result, row *compare.Row) []report.Step {
	if row.Predicted == nil || r.Device == nil {
		return nil
	}
	l := r.LaunchOf(row)
	// A prediction may rest on more than the row; steps that lead to another figure would mislead.
	if p, err := predict.Predict(r.Device, l); err != nil || p != *row.Predicted {
		return nil
	}
	reasons, err := predict.Explain(r.Device, l)
	if err != nil {
		return nil
	}
	steps := make([]report.Step, 0, len(reasons)+6)
	for _, s := range reasons {
		if s.Label == "dispatch policy" && l.Policy != predict.Auto {
			s.Formula = policyText(l)
		}
		steps = append(steps, report.Step{Part: "Prediction", Label: report.UpperFirst(s.Label), From: s.Formula,
			Value: s.Value, Binds: s.Binds})
	}
	return steps
}

// policyText says why a row has its dispatch policy: Explain only knows that it was given one.
func policyText(l predict.Launch) string {
	if l.Policy == predict.Free {
		return "no sign of SLM or barriers: threads go to any free slot"
	}
	return "a work-group stays whole on one Xe-core"
}

// measurementSteps holds what was seen against the prediction.
func measurementSteps(r *compare.Result, row *compare.Row) []report.Step {
	// Each step names what it is computed from, so that a reader can follow it with the cells of the export.
	const part = "Measurement"
	var steps []report.Step
	add := func(label, from, value string) {
		steps = append(steps, report.Step{Part: part, Label: label, From: from, Value: value, Binds: false})
	}
	if peak, ok := row.Peak.Value(); ok {
		from := "as exported"
		if d, ok := row.PeakDifference.Value(); ok {
			from = report.Signed(float64(d), 1) + " points from the predicted peak"
		}
		add("VTune's peak", from, report.PercentText(peak.Percent()))
	}
	measured, hasMeasured := row.Measured.Value()
	if hasMeasured {
		add("Measured occupancy", "as exported, over the whole kernel", report.PercentText(measured.Percent()))
	}
	loaded, hasLoaded := row.BusyOccupancy.Value()
	if idle, ok := row.Idle.Value(); ok && hasLoaded && hasMeasured {
		add("Occupancy of XVEs that ran", fmt.Sprintf("%s / (1 - %s idle)", report.PercentText(measured.Percent()),
			report.PercentText(idle.Percent())), report.PercentText(loaded.Percent()))
	}
	if life, ok := row.ThreadLife.Value(); ok {
		slots := "thread slots"
		if n := r.AveragedGPUs(row); n > 1 {
			slots += fmt.Sprintf(" of %d GPUs", n)
			if working := r.WorkedGPUs(row); working > 1 {
				slots += fmt.Sprintf(" / %d that worked at once", working)
			}
		}
		add("Mean life of a thread", "Little's law: measured x "+slots+" x time per launch / threads per launch",
			unit.Span(life))
	}
	if rate, ok := row.DispatchRate().Value(); ok {
		add("Dispatch rate", "threads per launch / time per launch", unit.Significant(rate/1e6)+" threads/us")
	}
	if started, ok := row.Threads.Value(); ok {
		// Two counts of one thing that differ are a hint of other tasks, and no error of either.
		from := "as exported; a sampled counter"
		if n, ok := row.ThreadsPredicted().Value(); ok {
			from += ", " + report.Thousands(n) + " predicted over all launches"
		}
		add("Threads started", from, report.Thousands(started))
	}
	if share, ok := row.TimeShare.Value(); ok {
		add("Share of GPU time", "of all tasks together", report.PercentText(share.Percent()))
	}
	if d, ok := row.Difference.Value(); ok {
		add("Difference",
			report.BasisText(row.Basis)+", tolerance "+report.Shortest(float64(r.Options.Tolerance))+" points",
			report.Signed(float64(d), 1)+" points")
	}
	if c := row.Cause; c != nil {
		add("Cause", strings.Trim(confidenceText(c), " ()"), c.Name)
	}
	return append(steps, accountSteps(r, row)...)
}

// accountSteps are the parts of the account and how sure it is.
func accountSteps(r *compare.Result, row *compare.Row) []report.Step {
	a := row.Account
	if a == nil {
		return nil
	}
	const part = "Account"
	var steps []report.Step
	printed := a.Printed()
	for _, p := range compare.Parts() {
		if v, known := printed.Of(p).Value(); known {
			steps = append(steps, report.Step{Part: part, Label: report.UpperFirst(partName(p)),
				From: partFormula(p, row), Value: report.Decimal(float64(v), 1) + " points"})
		}
	}
	return append(steps, report.Step{Part: part, Label: "How sure", From: r.CertaintyText(row), Value: ""})
}

// partFormula says where a part comes from.
func partFormula(p compare.Part, row *compare.Row) string {
	held := row.PredictedAt()
	limit, floor := report.PercentText(held.Loaded.Percent()), report.PercentText(held.Idle.Percent())
	switch p {
	case compare.PartUsed:
		return "measured"
	case compare.PartUnderfilled:
		return limit + " of the XVEs that the launch uses x (1 - idle) - measured"
	case compare.PartEmpty:
		return limit + " x (idle - " + floor + " that the launch itself leaves empty)"
	case compare.PartShortfall:
		return "predicted - measured"
	case compare.PartTail:
		return "predicted peak - " + report.PercentText(held.Average.Percent()) + ", of the range of the average"
	}
	return "100 - predicted peak"
}

// facts is what a row has beyond its cells, in a line; empty when that is nothing.
// They are of use when a reader opens a row, and would make every row of a list longer.
func facts(r *compare.Result, row *compare.Row) string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if loaded, ok := row.BusyOccupancy.Value(); ok {
		add("XVEs that ran held %s", report.PercentText(loaded.Percent()))
	}
	if life, ok := row.ThreadLife.Value(); ok {
		add("mean thread life %s", unit.Span(life))
	}
	if rate, ok := row.DispatchRate().Value(); ok {
		add("%s threads/us dispatched", unit.Significant(rate/1e6))
	}
	predicted, known := row.ThreadsPredicted().Value()
	switch started, counted := row.Threads.Value(); {
	case counted && known:
		add("threads started %s by a sampled counter, predicted %s", report.Thousands(started),
			report.Thousands(predicted))
	case known:
		add("threads predicted %s", report.Thousands(predicted))
	}
	if lanes, ok := row.IdleLanes().Value(); ok && lanes > 0 {
		add("%s of the lanes idle", report.PercentText(lanes.Percent()))
	}
	if share, ok := row.TimeShare.Value(); ok {
		add("%s of the GPU time", report.PercentText(share.Percent()))
	}
	if len(list) == 0 {
		return ""
	}
	return report.UpperFirst(strings.Join(list, ", ")) + "."
}
