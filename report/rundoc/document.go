package rundoc

import (
	"fmt"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// FromResult builds the report of a compared run: summary, kernels that do not match, all kernels, timings, device,
// notes, provenance. It keeps r: rows are read when a renderer asks for them.
func FromResult(r *compare.Result, prov report.Provenance) *report.Document {
	r = shown(r, prov.Show)
	rows := newRowSet(r)
	d := &report.Document{
		Title:    "Predicted and measured GPU occupancy",
		Subject:  subject(r),
		Date:     r.Platform.Collected,
		Screen:   screenOf(r, prov.Show),
		Headline: headline(r),
		Closing:  closing(r),
		Version:  prov.Version,
	}
	d.Sections = append(d.Sections, summarySection(r, rows, d))
	d.Sections = append(d.Sections, attentionSection(r, rows), kernelSection(r, rows))
	if s, ok := tailSection(r, rows); ok {
		d.Sections = append(d.Sections, s)
	}
	if s, ok := launchSection(r); ok {
		d.Sections = append(d.Sections, s)
	}
	d.Sections = append(d.Sections, overTimeSections(r)...)
	if len(r.Timings) > 0 {
		d.Sections = append(d.Sections, timingSection(r, rows))
	}
	d.Sections = append(d.Sections, deviceSection(r), noteSection(r), ProvenanceSection(r, prov))
	return d
}

func subject(r *compare.Result) string {
	if r.Device == nil {
		return "Run without a known device"
	}
	return "Run on " + report.OneLine(r.Device.Name)
}

// headline says in two lines what was run on what, and which of it is not whole.
func headline(r *compare.Result) []string {
	lines := []string{"The device is not known, so nothing can be predicted"}
	if r.Fit.Launches > 0 {
		lines[0] = "The device is not known, so measurements are compared with VTune's peak. The peaks are " +
			"consistent with " + r.Fit.String()
	}
	// Who named the device stands with it: a wrong --device is the most frequent reason for a wrong report.
	if d := r.Device; d != nil {
		lines[0] = fmt.Sprintf("%s, %d Xe-cores x %d XVE x %d threads = %s thread slots",
			report.OneLine(d.Name), d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, report.Thousands(int64(d.Slots())))
		if r.ChosenBy != "" {
			lines[0] += " (from " + report.OneLine(r.ChosenBy) + ")"
		}
		// What ran fits no such device. The predictions are made all the same, and this line says what they are worth.
		if not := r.Fit.Against(); not != "" {
			lines = append(lines, report.OneLine(not))
		}
	}
	s := &r.Summary
	b := unit.Counted(s.Kernels, "kernel", "kernels")
	if n := r.LaunchCount(); n > 0 {
		b += " in " + unit.Counted(n, "launch", "launches")
	}
	if s.NotKernels > 0 {
		b += ", " + unit.Counted(s.NotKernels, "other task", "other tasks")
	}
	if n := len(r.Timings); n > 0 {
		b += ", " + unit.Counted(n, "log timing", "log timings")
	}
	if t, ok := s.GPUTime.Value(); ok {
		b += ", " + unit.Span(t) + " of GPU time"
	}
	if t, known := r.Platform.SamplingInterval.Value(); known {
		b += "; the counters were sampled every " + unit.Significant(1e3*float64(t)) + " ms"
	} else if dt := r.Options.SamplingInterval; dt > 0 {
		b += "; sampling interval " + unit.Span(dt)
		var more []string
		if r.Options.SamplingAssumed {
			more = append(more, "assumed")
		}
		// The counters' clock allows only some intervals, see predict/arch.
		if real := r.SamplingInterval(); real != dt {
			more = append(more, unit.Significant(1e3*float64(real))+" ms in hardware")
		}
		if len(more) > 0 {
			b += " (" + strings.Join(more, "; ") + ")"
		}
	}
	lines = append(lines, b)
	lines = append(lines, busyText(r)...)
	return append(lines, report.NotWhole(r.Notes)...)
}

// closing says how much matches, and how much could be judged.
func closing(r *compare.Result) string {
	s := &r.Summary
	compared := s.Compared()
	const rows = "kernels"
	var b strings.Builder
	switch {
	case s.Kernels == 0:
		return "No kernel in this run: there is nothing to compare."
	// VTune's peak is a prediction itself. To call that a match of measurements would say more than was seen.
	case compared == 0 && s.PeaksAgree > 0:
		b.WriteString("Nothing was measured, so this compares two predictions")
	case compared == 0:
		b.WriteString("No kernel can be compared: " + uncompared(s))
	default:
		fmt.Fprintf(&b, "%s of %s measurable %s match within %s points",
			report.Thousands(int64(s.Matched)), report.Thousands(int64(compared)), rows,
			report.Shortest(float64(r.Options.Tolerance)))
	}
	if s.ModelCompared > 0 {
		fmt.Fprintf(&b, "; the model agrees with VTune's peak on %s of %s", report.Thousands(int64(s.ModelMatched)),
			report.Thousands(int64(s.ModelCompared)))
	}
	b.WriteByte('.')
	if s.Judged > 0 && s.NotJudged > 0 {
		b.WriteString(" " + judgedText(r, s.Judged, uncompared(s)) + ".")
	}
	if n := s.Mismatched(); s.Unexplained > 0 {
		fmt.Fprintf(&b, " Unexplained: %s of %s (%s %%).", report.Thousands(int64(s.Unexplained)),
			unit.Counted(n, "mismatch", "mismatches"), report.Decimal(unexplainedPercent(s), 1))
	}
	return b.String()
}

// uncompared is what no verdict is about, with the reasons.
func uncompared(s *compare.Summary) string {
	return strings.Join(report.ListOf(uncomparedKernels(s), func(k report.UnjudgedKernels) string { return k.Text }), ", ")
}
