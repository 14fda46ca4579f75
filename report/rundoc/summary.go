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
	"occudiff/predict"
	"occudiff/report"
)

const (
	leastShare = 0.01 // the part of the kernels' time below which a kernel does not lead a screen
	mostChecks = 3    // commands
	hintRows   = 6    // above so many rows a screen is long enough without a hint
	nameWidth  = 32   // of a name; what is behind a screen has the whole

	// Names of a series differ in numbers alone, and its table has more columns.
	seriesWidth = 24
	seriesRows  = 3 * report.SummaryRows // in a series it is the step from one row to the next that tells
)

// line is a row of the screen: small, since a run can have 100,000 of which ten
// are shown.
type line struct {
	*compare.Row // the first one of the group
	group        *compare.Group
	share        percent // of the kernels' time
	fix          compare.PossibleFix
	rank         rank
	host         seconds
	number       int    // from 1; 0 where nothing is to do
	name         string // of a line that people see
}

// rank is where a row stands on the screen.
type rank int

const (
	leading rank = iota // something can be gained
	following
	light // its finding takes so little time that it neither leads a screen nor counts for what it means
)

// remedy is the remedy of the line, otherwise the one that a measurement may
// confirm.
func (l *line) remedy() compare.Remedy { return cmp.Or(l.fix.Remedy, l.IfConfirmed()) }

// savesTime reports whether something may save time.
func (l *line) savesTime() bool { return l.rank != light && l.remedy().SavesTime() }

// kernels is the number of kernels in the line.
func (l *line) kernels() int { return len(l.group.Rows) }

// kernelsIn returns the number of kernels in lines.
func kernelsIn(lines []line) (n int) {
	for i := range lines {
		n += lines[i].kernels()
	}
	return n
}

// linesOf returns the kernels of a run in the order of the screen: what can be
// gained, by slot time below the prediction and then by time; then the others
// by time; kernels of no weight last. Kernels with one finding and like names
// are one line, so that the order does not depend on how the time is divided
// among names. Rows that somebody sorted or counted stay as they are, and so do
// a few launches of one kernel.
func linesOf(r *compare.Result, show report.Selection) []line {
	asked := show.Sort != "" || show.Top > 0
	list := linesOfGroups(r, r.Groups(asked))
	if !asked && kernelsIn(list) > len(list) && kernelsIn(list) <= seriesRows {
		if each := linesOfGroups(r, r.Groups(true)); isSeries(each) {
			list = each
		}
	}
	if show.Sort == "" {
		slices.SortStableFunc(list, func(a, b line) int {
			lost := 0
			if a.rank == leading {
				lost = cmp.Compare(b.group.Lost, a.group.Lost)
			}
			return cmp.Or(cmp.Compare(a.rank, b.rank), lost, cmp.Compare(b.group.Total.Or(0), a.group.Total.Or(0)))
		})
	}
	number := 0
	for i := range list {
		if list[i].rank == leading {
			number++
			list[i].number = number
		}
	}
	return list
}

// linesOfGroups returns a line with a rank for each group.
func linesOfGroups(r *compare.Result, groups []compare.Group) []line {
	all, times := r.Summary.KernelTime.Or(0), hostTimes(r)
	list, anyGain := make([]line, 0, len(groups)), false
	for i := range groups {
		g := &groups[i]
		l := line{Row: &r.Rows[g.Rows[0]], group: g, fix: g.Fix}
		if t, timed := times[g.Rows[0]]; timed {
			l.host = unit.Some(t)
		}
		if t, timed := g.Total.Value(); timed && all > 0 {
			l.share = unit.Some(unit.Ratio(t / all))
			if unit.Ratio(g.Alike/all) < leastShare {
				l.rank = light
			}
		}
		list, anyGain = append(list, l), anyGain || l.savesTime()
	}
	for i := range list {
		// Where nothing can be gained, what can be measured better comes first.
		if l := &list[i]; l.rank != light && !l.savesTime() &&
			(anyGain || l.Verdict != compare.Unmeasurable || r.NextStep(l.Row).Action == compare.NoAction) {
			l.rank = following
		}
	}
	return list
}

// summaryOf makes the screen of a run.
func summaryOf(r *compare.Result, lines []line, show report.Selection) *report.Summary {
	s := &report.Summary{Notes: notesFirst(r)}
	most, hostOnly := max(show.Top, report.SummaryRows), fromLog(r)
	if isSeries(lines) {
		most = max(most, seriesRows)
	}
	ordered := show.Sort == "" && (hostOnly || isSweep(lines))
	if ordered {
		sortByGroups(lines)
	}
	switch {
	case hostOnly:
		s.Headline, s.Impact = logWords(r, lines), secondWave(lines)
		most = seriesRows
	case len(lines) == 0 && len(r.Timings) > 0:
		s.Headline = deviceName(r) + ": " + unit.FormatCount(len(r.Timings), "host time", "host times") +
			" of a log, nothing predicted"
		s.Impact = "A log has neither work-group nor sub-group size" +
			r.Options.Naming.Words(": --local and --simd give them", "")
		s.Rows = timingTable(r).Show(firstTimings...)
		s.Rows.Len = min(s.Rows.Len, seriesRows)
		return s
	default:
		s.Headline = deviceName(r) + ": " + countsOf(r, lines)
		if !measured(r) && ordered {
			s.Impact = secondWave(lines)
			if s.Impact != "" && threadsAsPredicted(r) {
				s.Impact += ". Each kernel started as many threads as predicted"
			}
		}
		s.Impact = cmp.Or(s.Impact, impactText(r, lines))
	}
	most = min(len(lines), most)
	shown, rest := lines[:most], lines[most:]
	nameLines(r, shown)
	if most > 0 {
		s.Rows = summaryTable(r, shown, show.Sort)
	}
	if len(rest) > 0 {
		s.More = "and " + unit.FormatCount(kernelsIn(rest), "more kernel", "more kernels")
		if share := shareText(rest); share != "" {
			s.More += ", " + share + " of the time"
		}
	}
	if len(shown) <= hintRows {
		s.Hint = report.SummaryHint
	}
	if hostOnly {
		return s
	}
	s.Bars = slots(r, shown)
	if s.ConfirmReason, s.Confirm = checksOf(r, shown); len(s.Confirm) == 0 {
		s.ConfirmReason, s.Confirm = missing(r)
	}
	if len(lines) == 1 && r.Summary.Kernels == 1 {
		oneKernel(s, r, &shown[0])
	}
	return s
}

// slots returns a bar for each row with a mark at the predicted average, nil if
// no row has a thread-slot breakdown. A row without one has no parts.
func slots(r *compare.Result, lines []line) *report.StackedBars {
	bars, known := &report.StackedBars{Parts: PartNames(), Mark: "predicted average"}, false
	for i := range lines {
		bar := report.StackedRow{Name: lines[i].name}
		if drawn, ok := r.Drawn(lines[i].group); ok {
			known = true
			for k, v := range drawn {
				bar.Shares = append(bar.Shares, report.Share{Part: k, Value: v})
			}
			if s := spanOf(r, &lines[i], averageSpan); s.known {
				bar.Mark = unit.Some(s.low.Percent())
				bar.MarkTo = unit.Maybe(s.high.Percent(), s.high.Minus(s.low) >= r.Options.Tolerance)
			}
		}
		bars.Rows = append(bars.Rows, bar)
	}
	if !known {
		return nil
	}
	return bars
}

// PartNames returns the parts of a bar, each of which has one color in every
// report.
func PartNames() []string {
	return report.ListOf(compare.Parts(), func(p compare.Part) string {
		name := report.LowerFirst(partColumns[p].title)
		if p == compare.PartLastWave || p == compare.PartLaunchLimit {
			name += " (predicted)"
		}
		return name
	})
}

// oneKernel makes the screen of a run of one kernel four lines: what it is,
// why, what may help, and how to make sure.
func oneKernel(s *report.Summary, r *compare.Result, l *line) {
	t := s.Rows
	t.Form = report.Facts
	t.Hide(report.Terminal, "n", "kernel", "time", "predicted", "measured", "idle", "stalled")
	s.Headline = deviceName(r) + ": " + l.name
	if total, timed := l.Total.Value(); timed {
		s.Headline += ", " + unit.FormatDuration(total)
		if n, known := l.Instances.Value(); known && n > 1 {
			s.Headline += " in " + unit.FormatCount(n, "launch", "launches")
		}
	}
	switch {
	// The impact has the values.
	case l.Verdict == compare.Match && l.fix.Remedy == compare.LimitedElsewhere && s.Impact != "":
		t.Hide(report.Terminal, "why", "help")
		return
	case l.Verdict == compare.Match && !l.savesTime():
	case l.Verdict == compare.NoPrediction || l.Verdict == compare.NoMeasurement: // which s.Means says
		t.Hide(report.Terminal, "why")
	default:
		s.Impact = ""
	}
	before, cells := ": ", t.Row(0, nil)
	for _, key := range []string{"measured", "predicted", "idle", "stalled"} {
		if i := t.Column(key); i >= 0 && cells[i].Kind != report.Absent {
			s.Headline += before + cells[i].Text + " " + report.LowerFirst(t.Columns[i].Title)
			before = ", "
		}
	}
}

// logWords say what a log alone has: host times next to predictions.
func logWords(r *compare.Result, lines []line) string {
	lowest, highest := unit.Ratio(math.Inf(1)), unit.Ratio(0)
	for i := range lines {
		if p := lines[i].Predicted; p != nil {
			lowest, highest = min(lowest, p.Peak), max(highest, p.Peak)
		}
	}
	what := deviceName(r) + ", " + unit.FormatCount(len(lines), "launch", "launches")
	if highest > 0 {
		what += ": predicted peak " + shortest(lowest)
		if shortest(lowest) != shortest(highest) {
			what += " to " + shortest(highest)
		}
		what += "%"
	}
	return what + ". A log has host times, nothing was measured"
}

// nameLines names rows; rows of one name are told apart by their shape.
func nameLines(r *compare.Result, lines []line) {
	count := map[string]int{}
	for i := range lines {
		lines[i].name = commonName(r, lines[i].group.Rows)
		count[lines[i].name]++
	}
	for i := range lines {
		if l := &lines[i]; count[l.name] > 1 && l.kernels() == 1 {
			l.name += " " + LaunchSize(&l.Kernel)
		}
	}
	width := nameWidth
	if isSweep(lines) {
		width = seriesWidth
	}
	for i, name := range report.CutDistinct(report.ListOf(lines, func(l line) string { return l.name }), width) {
		lines[i].name = name
	}
}

// commonName returns the name of a kernel, with "*" for what differs between
// several.
func commonName(r *compare.Result, rows []int) string {
	first := report.KernelName(r.Rows[rows[0]].Task)
	prefix, suffix := first, first
	const most = 100 // names that are compared: digits are cut off, so that more would change nothing
	for at := 1; at < len(rows); at += max(len(rows)/most, 1) {
		name := report.KernelName(r.Rows[rows[at]].Task)
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		for !strings.HasSuffix(name, suffix) {
			suffix = suffix[1:]
		}
	}
	if len(prefix) == len(first) && len(suffix) == len(first) {
		return first
	}
	const digit = "0123456789"
	prefix, suffix = strings.TrimRight(prefix, digit), strings.TrimLeft(suffix, digit)
	if len(prefix)+len(suffix) > len(first) { // of names that repeat themselves
		suffix = ""
	}
	return strings.ToValidUTF8(prefix, "") + "*" + strings.ToValidUTF8(suffix, "")
}

// checksOf gathers the commands of the rows, each once, and says how sure the
// causes are that they settle.
func checksOf(r *compare.Result, lines []line) (ask string, checks []report.NextCommand) {
	of := map[string][]int{}
	unproven := map[compare.Confidence][]int{}
	for i := range lines {
		l := &lines[i]
		confirm := confirmWith(r, l)
		if len(confirm) == 0 || l.number == 0 && len(lines) > 1 {
			continue
		}
		if !l.Proven() {
			unproven[l.Cause.Confidence] = append(unproven[l.Cause.Confidence], l.number)
		}
		for _, check := range confirm {
			if of[check.Command] == nil {
				checks = append(checks, check)
			}
			of[check.Command] = append(of[check.Command], l.number)
		}
	}
	if len(checks) == 0 {
		return "", nil
	}
	for i := range checks {
		if len(lines) > 1 {
			checks[i].Rows = rangeText(of[checks[i].Command])
		}
	}
	var confidences []string
	for _, sure := range []compare.Confidence{compare.Medium, compare.Low} {
		if rows := unproven[sure]; len(rows) > 0 && len(lines) > 1 {
			confidences = append(confidences, sure.String()+" confidence in "+rangeText(rows))
		} else if len(rows) > 0 {
			confidences = append(confidences, sure.String()+" confidence")
		}
	}
	ask = "Confirm first"
	switch {
	case lines[0].Verdict == compare.Unmeasurable:
		ask = "To measure them"
	case len(confidences) > 0:
		ask += " (" + strings.Join(confidences, "; ") + ")"
	}
	return ask, checks[:min(len(checks), mostChecks)] // the first are for the rows with most to gain
}

// confirmWith returns the measurement that can change how sure the cause of a
// row is. A prediction confirms nothing. If more threads do not help for a
// known reason, only a command is worth a line.
func confirmWith(r *compare.Result, l *line) []report.NextCommand {
	c, next := l.UnconfirmedCause(), r.NextStep(l.Row)
	switch {
	case c != nil && c.Next.Action == compare.NoAction && l.Verdict.Compared() && l.Verdict != compare.Match &&
		l.fix.Remedy != compare.LimitedElsewhere:
		return []report.NextCommand{{Command: report.OneLine(c.ConfirmWith)}}
	case !next.Action.Measures():
		return nil
	case next.Action == compare.Export:
		return []report.NextCommand{{Command: report.OneLine(c.ConfirmWith)}, {Command: exportCommand}}
	}
	return []report.NextCommand{{Command: commandOf(r, l.Row, next), Result: runs[next.Action].gives}}
}

// exportCommand exports all columns of a result.
const exportCommand = "vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma " +
	"-report-output run.csv -r RESULT_DIR"

// missing is the command that brings what a prediction needs, where one does.
func missing(r *compare.Result) (ask string, checks []report.NextCommand) {
	lacks := func(row compare.Row) bool {
		return row.Verdict == compare.NoPrediction && !row.Global.Present() && row.Measured.Present()
	}
	switch lacksCounter := withoutCounter(r); {
	case lacksCounter && (r.Device == nil || r.Device.IsBeforeXe()):
		return "To measure the occupancy", []report.NextCommand{{Command: "vtune -collect gpu-hotspots -knob " +
			"characterization-mode=full-compute -- " + application(r)}}
	case lacksCounter:
		return "To measure the occupancy", []report.NextCommand{{Command: exportCommand}}
	case (r.Device == nil || r.Fit.Contradiction != "") && len(r.Fit.Devices) == 1:
		command := []string{"occudiff", "validate", "--device", r.Fit.Devices[0].Key}
		for _, in := range r.Inputs {
			command = append(command, in.Path)
		}
		return "With the device", []report.NextCommand{{Command: report.CommandLine(command)}}
	case r.Device != nil && r.Trace != nil && slices.ContainsFunc(r.Rows, lacks):
		command := runs[compare.Binary].command + " " + application(r)
		return "To get the launch sizes", []report.NextCommand{{Command: command}}
	case r.Device != nil && slices.ContainsFunc(r.Rows, lacks):
		return "To get the launch sizes", []report.NextCommand{{Command: exportCommand}}
	}
	return "", nil
}

// threadsAsPredicted reports whether each kernel started exactly the number of
// threads that is predicted.
func threadsAsPredicted(r *compare.Result) bool {
	return !slices.ContainsFunc(r.Rows, func(row compare.Row) bool {
		return row.Verdict != compare.NotAKernel && (!row.Threads.Present() || row.Threads != row.ThreadsPredicted())
	})
}

// measured reports whether any row has a measured occupancy.
func measured(r *compare.Result) bool {
	return slices.ContainsFunc(r.Rows, func(row compare.Row) bool { return row.Measured.Present() })
}

// withoutCounter reports whether VTune exported a run without the thread
// occupancy.
func withoutCounter(r *compare.Result) bool {
	return !measured(r) && slices.ContainsFunc(r.Inputs, func(in ingest.Input) bool { return in.Traits.ColumnsVary })
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

// shellWords are what a shell does more with than start a program: people and
// agents paste the command of a run, and anybody may have written its file.
const shellWords = ";|&`$<>(){}\\!#*?\n"

// runs are what to run next, and what comes of it.
var runs = map[compare.Action]struct{ command, gives string }{
	compare.Trace:  {"unitrace --chrome-kernel-logging", "give validate its .json, too"},
	compare.Query:  {"unitrace -q", "counters around each launch"},
	compare.Binary: {"unitrace --device-timing --verbose", "shows registers and SLM"},
	compare.Probe:  {gives: "settings with fewer threads, to be measured"},
}

// commandOf words what to run next about a row; "" where there is nothing.
func commandOf(r *compare.Result, row *compare.Row, next compare.NextStep) string {
	collect := runs[next.Action].command
	switch l, seconds := r.KnownLaunch(row), next.Setting.Or(0); next.Action {
	case compare.NoAction:
		return ""
	case compare.Export:
		return exportCommand
	case compare.Advise:
		return launchCommand(r, l, "advise")
	case compare.Probe:
		return launchCommand(r, l, "advise", "--probe")
	case compare.Grid:
		l.Global = unit.Size(row.Fix.At * l.Local.Dim(0))
		l.Local = l.Local.Trim()
		return launchCommand(r, l, "predict")
	case compare.Interval:
		collect = fmt.Sprintf("vtune -collect gpu-hotspots -knob gpu-sampling-interval=%.4g --", seconds*1e3)
		if row.Certainty.Own {
			collect = fmt.Sprintf("oneprof -k -i --sampling-interval %.4g", seconds*1e6)
		}
	}
	// unitrace takes the application without dashes before it.
	return collect + " " + application(r)
}

// application returns the command of the run, or ./app if it is not known or
// not safe to paste into a shell.
func application(r *compare.Result) string {
	app := report.OneLine(r.Platform.Command)
	if app == "" || strings.ContainsAny(app, shellWords) {
		return "./app"
	}
	return app
}

// launchCommand is predict or advise with flags that say all that is known of a
// launch, and more.
func launchCommand(r *compare.Result, l predict.Launch, command string, more ...string) string {
	global := l.Global.String()
	if n := l.Global.Dim(0); l.Global.Rank() == 1 && n > 0 && n%1024 == 0 {
		global = strconv.FormatInt(n/1024, 10) + "K"
	}
	list := []string{"occudiff", command, "--device", r.Device.Key,
		"--global", global, "--local", l.Local.String(), "--simd", strconv.Itoa(l.SIMD)}
	add := func(flag string, n int64) {
		if n > 0 {
			list = append(list, flag, strconv.FormatInt(n, 10))
		}
	}
	add("--registers", int64(l.GRF))
	add("--slm", int64(l.SLM))
	add("--barriers", int64(l.Barriers))
	bySLM, byBarriers := l.GroupsBySLM, l.GroupsByBarriers
	add("--work-group-slots", int64(cmp.Or(min(bySLM, byBarriers), max(bySLM, byBarriers))))
	if whole := l.SLM > 0 || l.Barriers > 0; l.Policy == predict.Whole && !whole || l.Policy == predict.Free && whole {
		list = append(list, "--policy", l.Policy.String())
	}
	return report.CommandLine(append(list, more...))
}
