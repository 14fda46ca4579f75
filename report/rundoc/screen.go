package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// line is a row of the screen: small, since a run can have 100,000 of which ten are shown.
type line struct {
	*compare.Row
	share  unit.Opt[unit.Ratio] // of the kernels' time
	lever  compare.Lever        // what may help, of a line that has weight
	at     int32                // of the result
	number int32                // from 1; 0 where nothing is to do
	*shownLine
}

// shownLine is what only a line that people see needs.
type shownLine struct {
	name   string
	help   compare.Help
	next   compare.Next
	checks string // the command that settles something about it
}

// light says whether the kernel takes so little time that it neither leads a screen nor counts for what it means.
func (l *line) light() bool { return l.share.Or(1) < leastShare }

// gains says whether something may save time.
func (l *line) gains() bool { return l.lever.Gains() }

// leastShare is the part of the kernels' time below which a kernel does not lead a screen.
const leastShare = 0.01

// linesOf gives the kernels of a run in the order of the screen: what can be gained, by slot time below the prediction
// and then by time; then the others by time; kernels of no weight last. Rows that somebody sorted stay as they are.
func linesOf(r *compare.Result, show report.Selection) []line {
	all := r.Summary.KernelTime.Or(0)
	list := make([]line, 0, len(r.Rows))
	anyGain := false
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict == compare.NotAKernel {
			continue
		}
		l := line{Row: row, at: int32(i)}
		if t, timed := row.Total.Value(); timed && all > 0 {
			l.share = unit.Some(unit.Ratio(t / all))
		}
		if !l.light() {
			l.lever = r.HelpFor(row).Lever
			anyGain = anyGain || l.gains()
		}
		list = append(list, l)
	}
	const leading, following, light = 0, 1, 2
	ranks := make([]int8, len(r.Rows)) // by the place in the result
	for i := range list {
		l := &list[i]
		leads := l.gains()
		if !anyGain && !l.light() { // where nothing can be gained, what can be measured better comes first
			leads = l.Verdict == compare.Unmeasurable && r.NextOf(l.Row).Do != compare.NoAction
		}
		switch {
		case l.light():
			ranks[l.at] = light
		case !leads:
			ranks[l.at] = following
		}
	}
	if show.Sort == "" {
		slices.SortStableFunc(list, func(a, b line) int {
			x, y := ranks[a.at], ranks[b.at]
			lost := 0
			if x == leading && y == leading {
				lost = cmp.Compare(b.Lost(), a.Lost())
			}
			return cmp.Or(cmp.Compare(x, y), lost, cmp.Compare(b.Total.Or(0), a.Total.Or(0)))
		})
	}
	number := int32(0)
	for i := range list {
		if l := &list[i]; ranks[l.at] == leading {
			number++
			l.number = number
		}
	}
	return list
}

// screenOf makes the screen of a run.
func screenOf(r *compare.Result, show report.Selection) *report.Screen {
	lines := linesOf(r, show)
	s := &report.Screen{Notes: notesFirst(r),
		Hint: "'occudiff explain WORD' explains any word; -v shows the evidence; -o report.html everything"}
	switch times := hostTimes(r); {
	case times != nil:
		logScreen(s, r, lines, times)
		return s
	case len(lines) == 0 && len(r.Timings) > 0:
		s.Line = deviceName(r) + ": " + unit.Counted(len(r.Timings), "host time", "host times") + " of a log, nothing predicted"
		s.Means = "A log has neither work-group nor sub-group size" +
			r.Options.Naming.Words(": --local and --simd give them", "")
		s.Rows = timingTable(r).Show(firstTimings...)
		s.Rows.Len = min(s.Rows.Len, seriesRows)
		s.Rows.Hide(report.Terminal, "task")
		return s
	}
	s.Line, s.Means = deviceName(r)+": "+countsOf(r, lines), ""
	if r.Summary.PeaksAgree == len(lines) && show.Sort == "" && isSeries(lines) {
		s.Means = secondWave(lines, func(l *line) unit.Seconds { return l.Total.Or(0) })
	}
	s.Means = cmp.Or(s.Means, meaning(r, lines))
	most := max(show.Top, report.ScreenRows)
	if isSeries(lines) {
		most = max(most, seriesRows)
	}
	shown := lines[:min(len(lines), most)]
	nameLines(shown)
	for i := range shown {
		l := &shown[i]
		l.help, l.next = r.HelpFor(l.Row), r.NextOf(l.Row)
		l.checks = commandOf(r, l.Row, l.next)
	}
	if len(shown) > 0 {
		s.Rows = report.NewTable("screen", "", shown, screenColumns(r, shown, show.Sort)).Show()
	}
	if rest := lines[len(shown):]; len(rest) > 0 {
		s.More = "and " + report.Thousands(int64(len(rest))) + " more"
		if share, ok := shareOf(rest); ok {
			s.More += ", " + roundShare(share) + " of the time"
		}
	}
	s.Bars = screenBars(r, shown)
	if s.Ask, s.Sure = checksOf(shown); len(s.Sure) == 0 {
		s.Ask, s.Sure = missing(r)
	}
	if len(lines) == 1 && r.Summary.Kernels == 1 {
		oneKernel(s, r, &shown[0])
	}
	return s
}

// oneKernel makes the screen of a run of one kernel four lines: what it is, why, what may help, and how to make sure.
func oneKernel(s *report.Screen, r *compare.Result, l *line) {
	s.Rows.Form = report.Facts
	s.Rows.Hide(report.Terminal, "n", "kernel", "time", "predicted", "measured", "idle", "stalled")
	s.Line = deviceName(r) + ": " + l.name
	if t, timed := l.Total.Value(); timed {
		s.Line += ", " + unit.Span(t)
		if n, known := l.Instances.Value(); known && n > 1 {
			s.Line += " in " + unit.Counted(n, "launch", "launches")
		}
	}
	if l.Verdict == compare.Match && !l.gains() && s.Means != "" { // which has the figures
		s.Rows.Hide(report.Terminal, "why", "help")
		return
	}
	if l.Verdict == compare.NoPrediction || l.Verdict == compare.NoMeasurement {
		s.Rows.Hide(report.Terminal, "why") // which says so
	} else {
		s.Means = ""
	}
	predicted := "predicted"
	if l.Predicted == nil {
		predicted = "VTune's peak"
	}
	var figures []string
	for _, f := range []struct {
		cell
		of string
	}{{measuredCell(l.Row), "measured"}, {predictedCell(r, l.Row), predicted}, {untold(l, l.Idle), "idle"},
		{untold(l, l.Stalled), "stalled"}} {
		if f.cell.Kind != report.Absent {
			figures = append(figures, f.cell.Text+" "+f.of)
		}
	}
	if len(figures) > 0 {
		s.Line += ": " + strings.Join(figures, ", ")
	}
}

// untold is a figure of a row of which nothing was predicted: the rest of what was measured is all there is.
func untold(l *line, o unit.Opt[unit.Ratio]) cell {
	if l.Predicted != nil {
		return cell{}
	}
	return percentCell(o)
}

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
	short := true
	for i := range lines {
		if l := &lines[i]; l.Verdict == compare.Unmeasurable && l.Certainty.Intervals.Or(1) >= 1 {
			short = false
		}
	}
	above, unmeasurable := "above prediction", "not measurable"
	if s.Below > 0 {
		above = "above it"
	}
	if short {
		unmeasurable = "too short to measure"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.Below, "below prediction"}, {s.Above, above}, {s.Matched, "match"},
		{s.Idle, "as predicted while running"}, {s.PeaksAgree, "not measured: peaks agree"},
		{s.Unmeasurable, unmeasurable}, {s.NoPrediction, "not predicted"}, {s.NoMeasurement, "not measured"}} {
		if p.n > 0 {
			parts = append(parts, report.Thousands(int64(p.n))+" "+p.what)
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + ". " + strings.Join(parts, ", ")
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

func roundShare(s unit.Ratio) string {
	if p := s.Percent(); p > 0 && p < 0.5 {
		return "less than 1 %"
	}
	return report.Decimal(s.Percent(), 0) + " %"
}

// meaning says in a sentence what the rows mean for the time that the run takes.
func meaning(r *compare.Result, lines []line) string {
	if r.Fit.Contradiction != "" || r.Fit.Doubt != "" && len(lines) > 1 {
		return ""
	}
	var gain, none, untold []line
	between := true
	for _, l := range lines {
		switch {
		case l.light():
		case l.number > 0 && l.gains():
			gain = append(gain, l)
			between = between && l.lever == compare.ShorterGaps
		case l.lever == compare.NotThreads:
			none = append(none, l)
		case l.Verdict.Compared() && l.Measured.Present():
			untold = append(untold, l)
		}
	}
	var parts []string
	if n := len(gain); n > 0 {
		text, which := "occupancy may cost time in ", "kernel 1"
		if between {
			text = "time between launches may cost time in "
		}
		if n > 1 {
			which = "kernels " + rangeText(report.ListOf(gain, func(l line) int { return int(l.number) }))
		}
		parts = append(parts, text+which+inBrackets(gain))
	}
	switch {
	case len(none) == 0:
	case len(gain)+len(untold) == 0 && allMatch(none):
		parts = append(parts, asPredicted(r, none), "more threads will not help: "+bindsText(none[0].Row, r.HelpFor(none[0].Row)))
	default:
		parts = append(parts, "more threads will not help "+theLines(none)+inBrackets(none))
	}
	if len(untold) > 0 {
		if text := theLines(untold) + inBrackets(untold); len(parts) > 0 {
			parts = append(parts, "of "+text+" it cannot be told")
		} else {
			parts = append(parts, "whether occupancy costs time in "+text+" cannot be told")
		}
	}
	if len(parts) == 0 {
		return notSaid(r, lines)
	}
	if len(gain) == 0 && len(none) > 0 {
		return strings.Join(parts, "; ")
	}
	return report.UpperFirst(strings.Join(parts, "; "))
}

// notSaid says why there is nothing to say of a run: what is missing, by name.
func notSaid(r *compare.Result, lines []line) string {
	s := &r.Summary
	switch n := s.Kernels; {
	case n == 0:
		return "There is nothing to compare"
	case s.NoPrediction == n:
		return "Nothing is predicted: " + report.OneLine(strings.Replace(lines[0].NoPrediction, " for it", "", 1))
	case s.PeaksAgree == n:
		return "Nothing was measured: VTune's peak is a prediction, too, and agrees with this one"
	case s.NoMeasurement == n && !lines[0].Measured.Present():
		return "Nothing was measured: no input has the occupancy of a kernel; a VTune export of gpu-hotspots has it, or " +
			"unitrace -q"
	}
	return ""
}

// missing is the command that brings what a prediction needs, where one does.
func missing(r *compare.Result) (ask string, checks []report.Check) {
	lacks := func(row compare.Row) bool {
		return row.Verdict == compare.NoPrediction && !row.Global.Present() && row.Measured.Present()
	}
	switch {
	case (r.Device == nil || r.Fit.Contradiction != "") && len(r.Fit.Devices) == 1:
		command := []string{"occudiff", "validate", "--device", r.Fit.Devices[0].Key}
		for _, in := range r.Inputs {
			command = append(command, in.Path)
		}
		return "With the device", []report.Check{{Command: report.CommandLine(command)}}
	case r.Device != nil && slices.ContainsFunc(r.Rows, lacks):
		return "To get the launch sizes", []report.Check{{Command: "vtune -report hotspots -group-by computing-task -format csv " +
			"-csv-delimiter comma -report-output run.csv -r RESULT_DIR"}}
	}
	return "", nil
}

// asPredicted says that rows hold what is predicted, one with its figures.
func asPredicted(r *compare.Result, lines []line) string {
	if len(lines) > 1 {
		return theLines(lines) + " hold what is predicted"
	}
	row := lines[0].Row
	text := " holds what is predicted"
	if row.Predicted != nil && row.Predicted.AverageHigh.Percent() >= 80 {
		text = " fills the GPU as predicted"
	}
	predicted := strings.Replace(strings.Replace(predictedCell(r, row).Text, "-", " to ", 1), ".0 %", " %", 1)
	return theLines(lines) + text + " (" + shortest(row.Measured.Or(0)) + " of " + predicted + ")"
}

func allMatch(lines []line) bool {
	return !slices.ContainsFunc(lines, func(l line) bool { return l.Verdict != compare.Match })
}

// theLines names one row, and counts several.
func theLines(lines []line) string {
	if len(lines) == 1 {
		return report.CutApart([]string{report.KernelName(lines[0].Task)}, report.LabelWidth)[0]
	}
	return report.Thousands(int64(len(lines))) + " kernels"
}

func inBrackets(lines []line) string {
	if share, ok := shareOf(lines); ok {
		return " (" + roundShare(share) + ")"
	}
	return ""
}

// notesFirst are what stands before any figure: a device that cannot be the one that ran, and input that is not whole.
func notesFirst(r *compare.Result) []string {
	var notes []string
	if not := r.Fit.Against(); not != "" && r.Device != nil {
		notes = append(notes, report.OneLine(not))
	}
	if r.Device == nil {
		text := "Predictions need the device: " + r.Options.Naming.Words("--device names it", "choose it above") +
			", or the VTune summary of the run"
		if r.Fit.Launches > 0 {
			text = "Predictions need the device" + r.Options.Naming.Words(", --device", "") +
				": VTune's peaks are consistent with " + r.Fit.String()
		}
		notes = append(notes, text)
	}
	return append(notes, report.NotWhole(r.Notes)...)
}

// nameLines names rows; rows of one name are told apart by their shape.
func nameLines(lines []line) {
	count := map[string]int{}
	for i := range lines {
		lines[i].shownLine = &shownLine{name: report.KernelName(lines[i].Task)}
		count[lines[i].name]++
	}
	for i := range lines {
		if l := &lines[i]; count[l.name] > 1 {
			l.name += " " + Shape(&l.Kernel)
		}
	}
	names := report.ListOf(lines, func(l line) string { return l.name })
	for i, name := range report.CutApart(names, nameWidth) {
		lines[i].name = name
	}
}

// nameWidth is how long a name is on a screen; what is behind it has the whole.
const nameWidth = 32

// screenColumns are those of the rows of a screen.
func screenColumns(r *compare.Result, lines []line, by report.SortKey) []report.Col[line] {
	const in = report.Everywhere
	text := func(key, title string, kind report.Kind, of func(*line) cell) report.Col[line] {
		return report.Define(column{Key: key, Title: title, Kind: kind, In: in}, of)
	}
	seen, title := func(l *line) cell { return measuredCell(l.Row) }, "Measured"
	if !slices.ContainsFunc(lines, func(l line) bool { return l.Measured.Present() }) {
		seen, title = func(l *line) cell { return percentCell(l.Peak) }, "VTune's peak"
	}
	any := func(of func(*line) bool) bool {
		return slices.ContainsFunc(lines, func(l line) bool { return of(&l) })
	}
	numbered := any(func(l *line) bool { return l.number > 0 })
	helped := any(func(l *line) bool { return helpText(l) != "" })
	predicted := "VTune's peak"
	if any(func(l *line) bool { return l.Predicted != nil }) {
		predicted = "Predicted"
	}
	list := []report.Col[line]{
		text("n", "#", report.Text, func(l *line) cell {
			if !numbered {
				return cell{}
			}
			if l.number == 0 {
				return report.OptText(unit.Some(""))
			}
			return report.TextCell(strconv.Itoa(int(l.number)))
		}),
		report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, In: in, Cut: true, Role: report.Code},
			func(l *line) cell { return report.TextCell(l.name) }),
		text("time", "Time", report.Number, func(l *line) cell { return percentCell(l.share) }),
		text("predicted", predicted, report.Number, func(l *line) cell { return predictedCell(r, l.Row) }),
		text("measured", title, report.Number, seen),
		report.Define(column{Key: "why", Title: "Why", Kind: report.Text, In: in, Fold: true},
			func(l *line) cell { return report.StatusCell(whyText(r, l.Row), statusOf(l.Verdict)) }),
	}
	// Where nothing can be held against what was measured, the rest of it is all there is.
	if predicted != "Predicted" && !any(func(l *line) bool { return l.Basis == compare.BasisMeasuredPeak }) {
		list = slices.Insert(list, len(list)-1,
			text("idle", "Idle", report.Number, func(l *line) cell { return percentCell(l.Idle) }),
			text("stalled", "Stalled", report.Number, func(l *line) cell { return percentCell(l.Stalled) }))
	}
	if sorted, ok := sortColumn(by); ok {
		list = append(list, sorted)
	}
	return append(list,
		report.Define(column{Key: "help", Title: "What may help", Kind: report.Text, In: in, Fold: true, Drop: 1},
			func(l *line) cell {
				if !helped {
					return cell{}
				}
				return report.OptText(unit.Some(helpText(l))) // nothing is no dash: there is no question
			}))
}

// sortColumn shows what the rows are sorted by, where no other column does.
func sortColumn(by report.SortKey) (report.Col[line], bool) {
	var c column
	var of func(l *line) cell
	switch by {
	case report.SortWorth:
		c.Title, c.Doc = "At most gained", "time x (1 - 1 / bound)"
		of = func(l *line) cell { return spanCell(l.Worth.Stake(l.Row)) }
	case report.SortLost:
		c.Title = "Slot time lost"
		of = func(l *line) cell { return spanCell(float64(l.Lost())) }
	case report.SortDifference:
		c.Title = "Difference"
		of = func(l *line) cell { return report.OptPoints(l.Difference) }
	default:
		return report.Col[line]{}, false
	}
	c.Key, c.Kind, c.In = "sorted_by", report.Number, report.Everywhere
	return report.Define(c, of), true
}

// spanCell is a time in the unit that fits it.
func spanCell(seconds float64) cell {
	if math.IsNaN(seconds) {
		return cell{}
	}
	return report.TextCell(unit.Span(unit.Seconds(seconds)))
}

// percentCell is a percentage with its sign, for the columns that have ranges and brackets.
func percentCell(o unit.Opt[unit.Ratio]) cell {
	if v, ok := o.Value(); ok {
		return report.TextCell(report.PercentText(v.Percent()))
	}
	return cell{}
}

// predictedCell is the predicted average, or its range; of the profiler where nothing is predicted.
func predictedCell(r *compare.Result, row *compare.Row) cell {
	p := row.Predicted
	switch {
	case p == nil && row.Basis == compare.BasisMeasuredPeak:
		return percentCell(row.Peak)
	case p == nil:
		return cell{}
	case p.Groups <= 0:
		return report.TextCell(report.PercentText(p.XeCore.Percent()))
	case row.Basis == compare.BasisPeak:
		return report.TextCell(report.PercentText(p.Peak.Percent()))
	case p.AverageHigh.Minus(p.Average) >= r.Options.Tolerance:
		return report.TextCell(shortest(p.Average) + "-" + shortest(p.AverageHigh) + " %")
	}
	return report.TextCell(report.PercentText(p.Average.Percent()))
}

// shortest prints a share to a decimal, without one that is zero.
func shortest(v unit.Ratio) string { return report.Shortest(math.Round(v.Percent()*10) / 10) }

// wideInterval is how wide, in points, the interval of an estimated value is when it stands in its place.
const wideInterval = 10

// measuredCell is what was measured; in brackets where nothing follows from it, or where an estimate is a wide interval.
func measuredCell(row *compare.Row) cell {
	c := percentCell(row.Measured)
	low, high := row.MeasuredLow.Or(0), row.MeasuredHigh.Or(0)
	if c.Kind != report.Absent && high.Minus(low) >= wideInterval {
		return report.StatusCell("("+shortest(low)+"-"+shortest(high)+" %)", report.Unsure)
	}
	if c.Kind != report.Absent && row.Verdict == compare.Unmeasurable {
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
	if row.Cause == nil {
		return string(row.Verdict)
	}
	text := causeText(row)
	if row.Cause.Confidence == "low" && row.Cause.Name != compare.CauseUnexplained {
		text += "?"
	}
	return text
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

func causeText(row *compare.Row) string {
	c := row.Cause
	switch {
	case c.Name == compare.CauseGRF && c.Registers > 0:
		return fmt.Sprintf("%d registers (GRF)", c.Registers)
	case c.Name == compare.CauseSampling && row.Verdict == compare.Unmeasurable && row.Certainty.Intervals.Or(1) < 1:
		if avg, timed := row.Average().Value(); timed {
			return "launches of " + shortSpan(avg)
		}
	}
	return cmp.Or(shortCauses[c.Name], c.Name)
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
	case tailed(row):
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
		return "not threads: " + bindsText(l.Row, h)
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
func bindsText(row *compare.Row, help compare.Help) string {
	binds := row.Worth.Binds
	switch most := help.Most.Or(1); {
	case binds == "slots" && most >= 1.05:
		return report.Decimal(most, 1) + "x at most"
	case binds == "slots":
		return "slots are full"
	case binds == "memory":
		return "memory is busy"
	case binds == "stalls":
		return "no stall that they hide"
	case strings.HasPrefix(binds, "pipe "):
		return binds + " is busy"
	}
	return "something else binds"
}

// checksOf gathers the commands of the rows, each once, and says how sure the causes are that they settle.
func checksOf(lines []line) (ask string, checks []report.Check) {
	var of [][]int
	var unproven []int
	sure := ""
	for i := range lines {
		l := &lines[i]
		if l.checks == "" || l.number == 0 && len(lines) > 1 {
			continue
		}
		if !l.Proven() {
			unproven = append(unproven, int(l.number))
			sure = cmp.Or(sure, l.Cause.Confidence)
			if l.Cause.Confidence == "low" {
				sure = "low"
			}
		}
		at := slices.IndexFunc(checks, func(c report.Check) bool { return c.Command == l.checks })
		if at < 0 {
			at, checks, of = len(checks), append(checks, report.Check{Command: l.checks, Gives: given(l.next.Do)}), append(of, nil)
		}
		of[at] = append(of[at], int(l.number))
	}
	for i := range checks {
		checks[i].Rows = numbersText(of[i])
	}
	checks = checks[:min(len(checks), mostChecks)] // the first are for the rows with most to gain
	if len(checks) == 0 {
		return "", nil
	}
	ask = "First make sure"
	if lines[0].Verdict == compare.Unmeasurable {
		ask = "To measure them"
	} else if len(unproven) > 0 && len(lines) > 1 {
		ask += fmt.Sprintf(" (why %s is likely, not proven: %s confidence)", rangeText(unproven), sure)
	} else if len(unproven) > 0 {
		ask += " (likely, not proven: " + sure + " confidence)"
	}
	return ask, checks
}

// mostChecks is how many commands a screen has at most.
const mostChecks = 3

// numbersText names the rows of a command; of the only row there is nothing to name.
func numbersText(list []int) string {
	if len(list) == 1 && list[0] == 0 {
		return ""
	}
	return rangeText(list)
}

// rangeText lists numbers: "1, 3", and "1 to 3" for three or more in a row.
func rangeText(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i+1 {
			parts, i = append(parts, fmt.Sprintf("%d to %d", list[i], list[j])), j+1
			continue
		}
		parts, i = append(parts, strconv.Itoa(list[i])), i+1
	}
	return strings.Join(parts, ", ")
}

// given says what comes of a command.
func given(do compare.Action) string {
	switch do {
	case compare.Trace:
		return "give validate its .json, too"
	case compare.Binary, compare.Properties:
		return "shows registers and SLM"
	case compare.Query:
		return "counters around each launch"
	case compare.Probe:
		return "settings with fewer threads, to be measured"
	}
	return ""
}

// screenBars are the bars of the rows, nil where nothing tells where their thread slots went.
func screenBars(r *compare.Result, lines []line) *report.StackedBars {
	bars := &report.StackedBars{X: "Thread slots of the GPU", Parts: legendOf(compare.Parts())}
	any := false
	for i := range lines {
		row := report.StackedRow{Name: lines[i].name}
		if r.Accounted(lines[i].Row) {
			any = true
			a := r.Parts(lines[i].Row)
			for k, v := range a.Drawn() {
				row.Shares = append(row.Shares, report.Share{Part: k, Value: v})
			}
		}
		bars.Rows = append(bars.Rows, row)
	}
	if !any {
		return nil
	}
	return bars
}

// logScreen is the screen of a log alone: host times beside predictions, in the order of the numbers.
func logScreen(s *report.Screen, r *compare.Result, lines []line, times map[int]unit.Seconds) {
	lowest, highest := unit.Ratio(math.Inf(1)), unit.Ratio(0)
	for i := range lines {
		if p := lines[i].Predicted; p != nil {
			lowest, highest = min(lowest, p.Peak), max(highest, p.Peak)
		}
	}
	s.Line = deviceName(r) + ", " + unit.Counted(len(lines), "launch", "launches")
	if highest > 0 {
		s.Line += ": predicted " + shortest(lowest) + " to " + shortest(highest) + " %"
	}
	s.Line += ". A log has host times, nothing was measured"
	s.Means = secondWave(lines, func(l *line) unit.Seconds { return times[int(l.at)] })
	shown := lines[:min(len(lines), seriesRows)]
	if rest := len(lines) - len(shown); rest > 0 {
		s.More = "and " + report.Thousands(int64(rest)) + " more"
	}
	nameLines(shown)
	s.Rows = report.NewTable("screen", "", shown, []report.Col[line]{
		report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, In: report.Everywhere, Cut: true, Role: report.Code},
			func(l *line) cell { return report.TextCell(report.KernelName(l.Task)) }),
		report.Define(column{Key: "groups", Title: "Work-groups", Kind: report.Integer, In: report.Everywhere},
			func(l *line) cell { return report.OptInt(unit.NonZero(groupsOf(l))) }),
		report.Define(column{Key: "host", Title: "Host time", Kind: report.Duration, Unit: "s", Decimals: 4, In: report.Everywhere},
			func(l *line) cell { return report.DurationCell(times[int(l.at)]) }),
		report.Define(column{Key: "predicted", Title: "Predicted", Kind: report.Number, In: report.Everywhere},
			func(l *line) cell { return predictedCell(r, l.Row) }),
		report.Define(column{Key: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: report.Everywhere}, func(l *line) cell {
			if p := l.Predicted; p != nil && p.Groups > 0 {
				return report.NumCell(report.Number, p.Waves)
			}
			return cell{}
		}),
	}).Show()
}

func groupsOf(l *line) int64 {
	if l.Predicted == nil {
		return 0
	}
	return l.Predicted.Groups
}

// seriesRows is how many rows of a series are shown: in a series it is the step from one to the next that tells.
const seriesRows = 2 * report.ScreenRows

// isSeries says whether all rows are launches of one kernel in several sizes: their names differ in numbers alone.
func isSeries(lines []line) bool {
	name := func(l *line) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return -1
			}
			return c
		}, l.Task)
	}
	for i := range lines {
		if name(&lines[i]) != name(&lines[0]) {
			return false
		}
	}
	return len(lines) > 2
}

// secondWave puts launches of one kernel in the order of their work-groups and says what they show: it takes longer
// where a second wave begins. It is empty where they do not.
func secondWave(lines []line, time func(*line) unit.Seconds) string {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(groupsOf(&a), groupsOf(&b)) })
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1].Predicted, lines[i].Predicted
		before, after := time(&lines[i-1]), time(&lines[i])
		if a == nil || b == nil || a.Waves <= 0 || a.Waves > 1 || b.Waves <= 1 || after <= before {
			continue
		}
		return fmt.Sprintf("It takes longer where a second wave begins: %d groups %s s, %d groups %s s (%d fill the GPU)",
			a.Groups, report.Decimal(float64(before), 3), b.Groups, report.Decimal(float64(after), 3),
			int64(math.Floor(float64(b.Groups)/b.Waves+1e-9)))
	}
	return ""
}
