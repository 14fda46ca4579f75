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
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

const (
	leastShare = 0.01 // a kernel with a smaller share of the kernels' time does not come first
	mostChecks = 3    // maximum number of commands
	hintRows   = 6    // a summary with more rows is long enough without a hint
	nameWidth  = 32   // maximum width of a name; the tables below have the whole name

	// The table of a series has narrower names, because it has more columns and
	// the names differ only in numbers.
	seriesWidth = 24
	seriesRows  = 3 * report.SummaryRows // a reader compares neighboring rows of a series, so all are shown
)

// line is a row of the summary. The struct is small, because a run can have
// 100,000 lines, of which only ten are shown.
type line struct {
	*compare.Row // first row of the group
	group        *compare.Group
	share        percent // share of the kernels' time
	fix          compare.PossibleFix
	rank         rank
	host         seconds
	number       int    // row number, starting at 1; 0 if the row needs no action
	name         string // set only for visible lines
}

// rank is the group of rows to which a row belongs. Groups come one after the
// other in the summary.
type rank int

const (
	leading rank = iota // a change may save time
	following
	light // the time is too small for the first rows and for the impact
)

// remedy returns the line's remedy. If it has none, it returns the remedy that
// applies if a measurement confirms the cause.
func (l *line) remedy() compare.Remedy {
	return cmp.Or(l.fix.Remedy, l.IfConfirmed())
}

// savesTime reports whether a remedy may save time.
func (l *line) savesTime() bool {
	return l.rank != light && l.remedy().SavesTime()
}

// isOpen reports whether a measurement can confirm the line's cause, and no
// possible fix is known before. If the time is too small, no measurement is
// proposed.
func (l *line) isOpen() bool {
	return l.rank != light && l.UnconfirmedCause() != nil && l.fix.Remedy == compare.NoRemedy &&
		l.Verdict != compare.Match
}

// kernels returns the number of kernels in the line.
func (l *line) kernels() int { return len(l.group.Rows) }

// kernelsIn returns the number of kernels in lines.
func kernelsIn(lines []line) (n int) {
	for i := range lines {
		n += lines[i].kernels()
	}
	return n
}

// linesOf returns a run's kernels in summary order. Kernels with a possible
// gain come first, sorted by slot time below the prediction and then by time.
// The others follow, sorted by time. Kernels with little time come last.
//
// Kernels with the same finding and similar names are one line, so that the
// order of the lines does not depend on how many names share the time. Rows are
// not grouped if the user sorted or limited them, or if they are a few launches
// of one kernel.
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
	number, sameForAll := 0, withoutCounter(r) // without the counter, all rows need the same collection
	for i := range list {
		if list[i].rank == leading || list[i].isOpen() && !sameForAll {
			number++
			list[i].number = number
		}
	}
	return list
}

// linesOfGroups returns a line for each group, with its rank.
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
		// If no row can save time, the rows that can be measured better come
		// first instead.
		if l := &list[i]; l.rank != light && !l.savesTime() &&
			(anyGain || l.Verdict != compare.Unmeasurable || r.NextStep(l.Row).Action == compare.NoAction) {
			l.rank = following
		}
	}
	return list
}

// summaryOf returns the summary of a run.
func summaryOf(r *compare.Result, lines []line, show report.Selection) *report.Summary {
	s := &report.Summary{Notes: notesFirst(r)}
	most, hostOnly := max(show.Top, report.SummaryRows), fromLog(r)
	if isSeries(lines) {
		most = max(most, seriesRows)
	}
	if hostOnly {
		most = seriesRows
	}
	ordered := show.Sort == "" && (hostOnly || isSweep(lines))
	if ordered {
		sortByGroups(lines)
	}
	most = min(len(lines), most)
	shown, rest := lines[:most], lines[most:]
	nameLines(r, shown)
	switch {
	case hostOnly:
		s.Headline, s.Impact = logWords(r, lines), secondWave(lines)
	case len(lines) == 0 && len(r.Timings) > 0:
		s.Headline = deviceName(r) + ": " + unit.Plural(len(r.Timings), "host time") +
			" of a log, nothing predicted"
		s.Impact = "A log has neither work-group nor sub-group size"
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
	if most > 0 {
		total := r.Summary.Total
		if show.Kernel != nil { // the mean covers all kernels, not only the shown ones
			total = nil
		}
		s.Rows = summaryTable(r, shown, total, show.Sort)
	}
	if len(rest) > 0 {
		s.More = "and " + unit.Plural(kernelsIn(rest), "more kernel")
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
	s.ConfirmReason, s.Confirm = checksOf(r, shown)
	ask, lacking := missing(r)
	for _, c := range lacking {
		if s.ConfirmReason != "" {
			c.Result = report.LowerFirst(ask)
		}
		if !slices.ContainsFunc(s.Confirm, func(x report.NextCommand) bool { return x.Command == c.Command }) {
			s.Confirm = append(s.Confirm, c)
		}
	}
	s.ConfirmReason = cmp.Or(s.ConfirmReason, ask)
	if len(lines) == 1 && r.Summary.Kernels == 1 {
		oneKernel(s, r, &shown[0])
	}
	return s
}

// slots returns a bar for each row with a mark at the predicted average, or nil
// if no row has a thread-slot breakdown. A row without a breakdown has no
// parts.
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
				bar.MarkTo = unit.Maybe(s.high.Percent(), s.wide(r))
			}
		}
		bars.Rows = append(bars.Rows, bar)
	}
	if !known {
		return nil
	}
	return bars
}

// PartNames returns the names of a bar's parts. Each part has one color in
// every report.
func PartNames() []string {
	return report.ListOf(compare.Parts(), func(p compare.Part) string {
		name := report.LowerFirst(p.Title())
		if p == compare.PartLastWave || p == compare.PartLaunchLimit {
			name += " (predicted)"
		}
		return name
	})
}

// oneKernel reduces the summary of a run with one kernel to four lines: the
// kernel, the cause, the possible fix, and the command that confirms the cause.
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
	// These columns are hidden, because the impact sentence already has their
	// values.
	case l.Verdict == compare.Match && l.fix.Remedy == compare.LimitedElsewhere && s.Impact != "":
		if t.Hide(report.Terminal, "help"); whyText(r, l.Row) == "matches" {
			t.Hide(report.Terminal, "why")
		}
		return
	case l.Verdict == compare.Match && !l.savesTime() || l.Verdict == compare.Possible:
	case l.Verdict == compare.NoPrediction && l.Cause != nil:
		s.Impact = strings.TrimSpace(sentence(l.Cause.Evidence) + " " + s.Impact)
	case l.Verdict.Compared() || l.Verdict == compare.Unmeasurable:
		s.Impact = ""
	case s.Impact != "": // with the reason
		t.Hide(report.Terminal, "why")
	}
	before, cells := ": ", t.Row(0, nil)
	for _, key := range []string{"measured", "predicted", "idle", "stalled"} {
		if i := t.Column(key); i >= 0 && cells[i].Kind != report.Absent {
			s.Headline += before + cells[i].Text + " " + report.LowerFirst(t.Columns[i].Title)
			before = ", "
		}
	}
}

// logWords describes a run whose only input is a log. Such a run has host times
// and predictions.
func logWords(r *compare.Result, lines []line) string {
	lowest, highest := unit.Ratio(math.Inf(1)), unit.Ratio(0)
	for i := range lines {
		if p := lines[i].Predicted; p != nil {
			lowest, highest = min(lowest, p.Peak), max(highest, p.Peak)
		}
	}
	what := deviceName(r) + ", " + unit.FormatCount(kernelsIn(lines), "launch", "launches")
	if highest > 0 {
		what += ": predicted peak " + shortest(lowest)
		if shortest(lowest) != shortest(highest) {
			what += " to " + shortest(highest)
		}
		what += "%"
	}
	return what + ". A log has host times, nothing was measured"
}

// nameLines sets the names of the rows. If several rows have the same name,
// their names include the launch size.
func nameLines(r *compare.Result, lines []line) {
	count := map[string]int{}
	for i := range lines {
		lines[i].name = commonName(r, lines[i].group.Rows)
		count[lines[i].name]++
	}
	for i := range lines {
		if l := &lines[i]; count[l.name] > 1 && l.kernels() == 1 {
			l.name += " " + LaunchSize(l.Kernel)
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

// commonName returns the name of a kernel. For several kernels, "*" replaces
// the part that differs.
func commonName(r *compare.Result, rows []int) string {
	first := report.KernelName(r.Rows[rows[0]].Task)
	prefix, suffix := first, first
	const most = 100 // maximum number of compared names; more names would hardly change the result
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
	if len(prefix)+len(suffix) > len(first) { // the prefix and the suffix overlap if a name repeats itself
		suffix = ""
	}
	return strings.ToValidUTF8(prefix, "") + "*" + strings.ToValidUTF8(suffix, "")
}

// checksOf returns the commands for the rows, each once. It also returns a
// heading with the confidence of the causes that the commands confirm.
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
	in := func(before string, rows []int) string { // one kernel needs no number
		if len(lines) == 1 {
			return ""
		}
		return before + rangeText(rows)
	}
	for i := range checks {
		checks[i].Rows = in("", of[checks[i].Command])
	}
	var confidences []string
	for _, sure := range []compare.Confidence{compare.Medium, compare.Low} {
		if rows := unproven[sure]; len(rows) > 0 {
			confidences = append(confidences, sure.String()+" confidence"+in(" in ", rows))
		}
	}
	ask = "Confirm first"
	switch {
	case lines[0].Verdict == compare.Unmeasurable:
		ask = "To measure them"
	case len(confidences) > 0:
		ask += " (" + strings.Join(confidences, "; ") + ")"
	}
	return ask, checks[:min(len(checks), mostChecks)] // the first commands belong to rows with the largest gain
}

// confirmWith returns the next measurement that can change the confidence in a
// row's cause. A command that only predicts does not count, because a
// prediction confirms nothing. If it is known why more threads do not help,
// only a command and no advice in words is worth a line.
func confirmWith(r *compare.Result, l *line) []report.NextCommand {
	c, next := l.UnconfirmedCause(), r.NextStep(l.Row)
	switch {
	case c != nil && c.Next.Action == compare.NoAction &&
		(l.isOpen() || l.Verdict.Compared() && l.Verdict != compare.Match && l.fix.Remedy != compare.LimitedElsewhere):
		return []report.NextCommand{{Command: report.OneLine(c.ConfirmWith), Prose: true}}
	case !next.Action.Measures():
		return nil
	case next.Action == compare.Export:
		return []report.NextCommand{{Command: report.OneLine(c.ConfirmWith), Prose: true}, {Command: exportCommand}}
	}
	return []report.NextCommand{{Command: commandOf(r, l.Row, next), Result: runs[next.Action].gives}}
}

// exportCommand is the command that exports all columns of a VTune result.
const exportCommand = "vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma " +
	"-report-output run.csv -r RESULT_DIR"

// ValidateCommand returns the command that validates a run on a device, or
// without --device if device is "". It returns "" if the run has no inputs.
func ValidateCommand(r *compare.Result, device string) string {
	if len(r.Inputs) == 0 {
		return ""
	}
	command := []string{"occudiff", "validate"}
	if device != "" {
		command = append(command, "--device", device)
	}
	for _, in := range r.Inputs {
		command = append(command, in.Path)
	}
	return note.CommandLine(command...)
}

// missing returns the command that provides the inputs that are missing for a
// prediction, if there is such a command.
func missing(r *compare.Result) (ask string, checks []report.NextCommand) {
	lacks, lacksSize := false, "" // whether a measured row has no global size, and the flags for other missing sizes
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict != compare.NoPrediction || !row.Measured.Present() {
			continue
		}
		switch l := r.LaunchOf(row); {
		case !l.Global.Present():
			lacks = true
		case !l.Local.Present():
			lacksSize = " --local SIZE"
		case l.SIMD == 0:
			lacksSize = cmp.Or(lacksSize, " --simd N")
		}
	}
	onlyDevice := "" // command with the only device that fits
	if (r.Device == nil || r.Fit.Contradiction != "") && len(r.Fit.Devices) == 1 {
		onlyDevice = ValidateCommand(r, r.Fit.Devices[0].Key)
	}
	switch lacksCounter := withoutCounter(r); {
	case lacksCounter && (r.Device == nil || r.Device.IsBeforeXe()):
		return "To measure the occupancy", []report.NextCommand{{Command: "vtune -collect gpu-hotspots -knob " +
			"characterization-mode=full-compute -- " + application(r)}}
	case lacksCounter:
		return "To measure the occupancy", []report.NextCommand{{Command: exportCommand}}
	case onlyDevice != "":
		return "With the device", []report.NextCommand{{Command: onlyDevice, Reads: true}}
	case r.Device == nil:
	case r.Trace != nil && lacks:
		command := runs[compare.Binary].command + " " + application(r)
		return "To get the launch sizes", []report.NextCommand{{Command: command}}
	case lacks:
		return "To get the launch sizes", []report.NextCommand{{Command: exportCommand}}
	case lacksSize != "":
		return "To predict them", []report.NextCommand{{Command: exportCommand},
			{Command: ValidateCommand(r, r.Device.Key) + lacksSize, Reads: true}}
	}
	return "", nil
}

// threadsAsPredicted reports whether each kernel started exactly the predicted
// number of threads.
func threadsAsPredicted(r *compare.Result) bool {
	return !r.HasRow(func(row *compare.Row) bool {
		return row.Verdict != compare.NotAKernel && (!row.Threads.Present() || row.Threads != row.ThreadsPredicted())
	})
}

// measured reports whether any row has a measured occupancy.
func measured(r *compare.Result) bool {
	return r.HasRow(func(row *compare.Row) bool { return row.Measured.Present() })
}

// withoutCounter reports whether the run is a VTune export without measured
// occupancy.
func withoutCounter(r *compare.Result) bool {
	return !measured(r) && slices.ContainsFunc(r.Inputs, func(in ingest.Input) bool { return in.Traits.ColumnsVary })
}

// rangeText returns a list of numbers as text: "1, 3", or "1 to 3" for three or
// more consecutive numbers.
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

// shellWords are the characters that a shell interprets. People and agents
// paste the command of a run, and an attacker may have written its file.
const shellWords = ";|&`$<>(){}\\!#*?\n"

// runs contains the command for each action, and what the command provides.
var runs = map[compare.Action]struct{ command, gives string }{
	compare.Trace:      {"unitrace --chrome-kernel-logging", "give validate its .json, too"},
	compare.Query:      {"unitrace -q", "counters around each launch"},
	compare.Binary:     {"unitrace --device-timing --verbose", "shows registers and SLM"},
	compare.EachLaunch: {gives: "the values of each launch"},
	compare.Probe:      {gives: "settings with fewer threads, to be measured"},
}

// commandOf returns the next command for a row, or "" if there is none.
func commandOf(r *compare.Result, row *compare.Row, next compare.NextStep) string {
	collect := runs[next.Action].command
	switch l, seconds := r.KnownLaunch(row), next.Setting.Or(0); next.Action {
	case compare.NoAction:
		return ""
	case compare.Export:
		return exportCommand
	case compare.EachLaunch:
		return ValidateCommand(r, r.Device.Key) + " --instances --format csv"
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
	// unitrace accepts the application without dashes before it.
	return collect + " " + application(r)
}

// application returns the command of the run, or ./app if it is unknown or not
// safe to paste into a shell.
func application(r *compare.Result) string {
	app := report.OneLine(r.Platform.Command)
	if app == "" || strings.ContainsAny(app, shellWords) {
		return "./app"
	}
	return app
}

// launchCommand returns a predict or advise command with flags for all known
// properties of a launch, followed by the arguments in more.
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
	return note.CommandLine(append(list, more...)...)
}
