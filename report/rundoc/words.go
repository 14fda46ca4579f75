package rundoc

import (
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// deviceName is the short name of the device, and who named it: a wrong --device is the most frequent reason for a
// wrong report.
func deviceName(r *compare.Result) string {
	if r.Device == nil {
		return "Device not known"
	}
	name := report.OneLine(r.Device.ShortName())
	if by := report.OneLine(r.ChosenBy); by != "" {
		by, _, _ = strings.Cut(by, ": ")
		by, _, _ = strings.Cut(by, ", ")
		name += " (" + by + ")"
	}
	return name
}

// countsOf says how many kernels there are, how long they took, and how many of each verdict.
func countsOf(r *compare.Result, lines []line) string {
	s := &r.Summary
	text := unit.Counted(s.Kernels, "kernel", "kernels")
	if t, ok := s.KernelTime.Value(); ok {
		text += ", " + unit.Span(t)
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
		{s.Idle, "as predicted while running"}, {s.PeaksAgree, "not measured: peaks agree"},
		{s.Unmeasurable, unmeasurable}, {s.NoPrediction, "not predicted"}, {s.NoMeasurement, "not measured"}} {
		if p.n > 0 {
			text += before + report.Thousands(int64(p.n)) + " " + p.what
			before = ", "
		}
	}
	return text
}

// meaning says in a sentence what the rows mean for the time that the run takes.
func meaning(r *compare.Result, lines []line) string {
	if r.Fit.Contradiction != "" || r.Fit.Doubt != "" && len(lines) > 1 {
		return ""
	}
	var gain, none, untold []line
	what := "time between launches"
	for _, l := range lines {
		switch {
		case l.rank == light:
		case l.number > 0 && l.gains():
			gain = append(gain, l)
			if l.help.Lever != compare.ShorterGaps {
				what = "occupancy"
			}
		case l.help.Lever == compare.NotThreads:
			none = append(none, l)
		case l.Verdict.Compared() && l.Measured.Present():
			untold = append(untold, l)
		}
	}
	var parts []string
	begin := report.UpperFirst
	if n := len(gain); n > 0 {
		numbers := report.ListOf(gain, func(l line) int { return l.number })
		parts = append(parts, what+" may cost time in "+[]string{"kernel ", "kernels "}[min(n-1, 1)]+
			rangeText(numbers)+inBrackets(gain))
	}
	switch {
	case len(none) == 0:
	case len(gain)+len(untold) == 0 && !slices.ContainsFunc(none, func(l line) bool { return l.Verdict != compare.Match }):
		begin = strings.Clone // it may begin with a name
		parts = append(parts, asPredicted(r, none), "more threads will not help: "+bindsText(&none[0]))
	default:
		parts = append(parts, "more threads will not help "+theLines(none)+inBrackets(none))
	}
	switch {
	case len(parts) > 0:
	case len(untold) > 0:
		return "Whether occupancy costs time in " + theLines(untold) + inBrackets(untold) + " cannot be told"
	default:
		return notSaid(r, lines)
	}
	return begin(strings.Join(parts, "; "))
}

// notSaid says why there is nothing to say of a run: what is missing, by name.
func notSaid(r *compare.Result, lines []line) string {
	s := &r.Summary
	switch s.Kernels {
	case 0:
		return "There is nothing to compare"
	case s.NoPrediction:
		return "Nothing is predicted: " + report.OneLine(strings.Replace(lines[0].NoPrediction, " for it", "", 1))
	case s.PeaksAgree:
		return "Nothing was measured: VTune's peak is a prediction, too, and agrees with this one"
	case s.NoMeasurement:
		if !lines[0].Measured.Present() {
			return "Nothing was measured: no input has the occupancy of a kernel; a VTune export of gpu-hotspots has it, or " +
				"unitrace -q"
		}
	}
	return ""
}

// asPredicted says that rows hold what is predicted, one with its figures.
func asPredicted(r *compare.Result, lines []line) string {
	if len(lines) > 1 {
		return theLines(lines) + " hold what is predicted"
	}
	row, text := lines[0].Row, " holds what is predicted"
	if row.Predicted != nil && row.Predicted.AverageHigh.Percent() >= 80 {
		text = " fills the GPU as predicted"
	}
	predicted := strings.Replace(strings.Replace(predictedCell(r, row).Text, "-", " to ", 1), ".0%", "%", 1)
	return theLines(lines) + text + " (" + shortest(row.Measured.Or(0)) + " of " + predicted + ")"
}

// theLines names one row, and counts several.
func theLines(lines []line) string {
	if len(lines) == 1 {
		return report.ShortName(lines[0].Task, report.LabelWidth)
	}
	return report.Thousands(int64(len(lines))) + " kernels"
}

// shareOf adds up the shares of lines; false where no time is known.
func shareOf(lines []line) (share unit.Ratio, known bool) {
	for i := range lines {
		if s, ok := lines[i].share.Value(); ok {
			share, known = share+s, true
		}
	}
	return share, known
}

func inBrackets(lines []line) string {
	if share, ok := shareOf(lines); ok {
		return " (" + roundShare(share) + ")"
	}
	return ""
}

func roundShare(s unit.Ratio) string {
	if p := s.Percent(); p > 0 && p < 0.5 {
		return "less than 1%"
	}
	return report.Decimal(s.Percent(), 0) + "%"
}

// notesFirst are what stands before any figure: a device that cannot be the one that ran, and input that is not whole.
func notesFirst(r *compare.Result) []string {
	var notes []string
	if not := r.Fit.Against(); not != "" && r.Device != nil {
		notes = append(notes, report.OneLine(not))
	}
	switch naming := r.Options.Naming; {
	case r.Device != nil:
	case r.Fit.Launches > 0:
		notes = append(notes, "Predictions need the device"+naming.Words(", --device", "")+
			": VTune's peaks are consistent with "+r.Fit.String())
	default:
		notes = append(notes, "Predictions need the device: "+naming.Words("--device names it", "choose it above")+
			", or the VTune summary of the run")
	}
	return append(notes, report.NotWhole(r.Notes)...)
}
