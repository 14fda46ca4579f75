package diffdoc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// hint is where more is.
const hint = "'occudiff explain WORD' explains any word; -v shows the evidence; -o report.html everything"

// screenRow is a row of the screen of a diff: a kernel with news, or one that stands for all of a verdict without.
type screenRow struct {
	row
	number string // empty where nothing is to do
	name   string
	what   string
}

var screenColumns = func() []report.Col[screenRow] {
	define := func(key, title string, kind report.Kind, of func(*screenRow) cell) report.Col[screenRow] {
		return report.Define(column{Key: key, Title: title, Kind: kind, In: report.Everywhere}, of)
	}
	list := []report.Col[screenRow]{
		define("n", "#", report.Text, func(r *screenRow) cell { return report.OptText(unit.Some(r.number)) }),
		define("kernel", "Kernel", report.Text, func(r *screenRow) cell { return report.TextCell(r.name) }),
		define("side", "Side", report.Text, func(r *screenRow) cell { return report.TextCell(r.side) }),
		define("measured", "Measured", report.Number, func(r *screenRow) cell { return report.TextCell(fromTo(r.Row)) }),
		define("change", "Points", report.Number, func(r *screenRow) cell {
			c, ok := r.Measured().Change.Value()
			switch {
			case !ok:
				return cell{}
			case r.Verdict == diff.CannotTell || r.Verdict == diff.NotComparable:
				return report.TextCell("(" + report.Signed(c, 1) + ")") // nothing follows from it
			}
			return report.StatusCell(report.Signed(c, 1), statusOf(r.Verdict))
		}),
		define("ratio", "Time", report.Number, func(r *screenRow) cell {
			if x, ok := r.Delta(compare.MetricTime).Ratio.Value(); ok {
				return report.TextCell(report.Decimal(x, 2) + "x")
			}
			return cell{}
		}),
		define("verdict", "Verdict", report.Text, func(r *screenRow) cell { return report.StatusCell(r.what, statusOf(r.Verdict)) }),
	}
	list[1].Role, list[2].Cut, list[len(list)-1].Fold = report.Code, true, true
	return list
}()

// fromTo prints what both sides measure: "83.8 -> 59.8 %".
func fromTo(r *diff.Row) string {
	m := r.Measured()
	side := func(s *diff.Sample) string {
		if x, ok := s.Median.Value(); ok {
			return report.Decimal(x, 1)
		}
		return "-"
	}
	if m.Old.N+m.New.N == 0 {
		return ""
	}
	return side(&m.Old) + " -> " + side(&m.New) + "%"
}

// screen is what every form of a diff begins with.
func (c *comparison) screen(rows []row, notes []note.Note) *report.Screen {
	d := c.sides[0]
	sc := &report.Screen{Line: c.line(), Means: c.means(), Notes: report.NotWhole(notes), Hint: hint}
	list := screenRows(rows)
	shown := min(len(list), report.ScreenRows)
	sc.More, list = andMore(len(list)-shown, "row"), list[:shown]
	var worse []string
	number := 0
	for i := range list {
		if r := &list[i]; r.Verdict == diff.Regression || r.Missing() || r.Unexplained() {
			number++
			r.number = strconv.Itoa(number)
			if r.Verdict == diff.Regression {
				worse = append(worse, r.number)
			}
		}
	}
	const nameWidth = 24 // whatever the verdict needs: that is broken into lines
	for i, name := range report.CutApart(report.ListOf(list, func(r screenRow) string { return report.KernelName(r.Task) }), nameWidth) {
		list[i].name = name
	}
	if len(list) > 0 {
		columns := screenColumns
		if number == 0 {
			columns = columns[1:]
		}
		sc.Rows = report.NewTable("screen", "", list, columns).Show()
	}
	if CannotTell(c.sides) != "" {
		sc.Do = []string{fmt.Sprintf("To tell %s points: 4 runs a side in two folders, then occudiff diff; or --noise HISTORY",
			report.Shortest(float64(d.Options.Threshold)))}
	}
	if len(worse) > 0 && len(c.sides) == 1 && len(d.New.Runs[0].Inputs) > 0 {
		if n := len(worse); n > 3 { // they stand below each other
			worse = []string{worse[0] + "-" + worse[n-1]}
		}
		sc.Ask = "Why it holds less now"
		sc.Sure = []report.Check{{Rows: strings.Join(worse, ", "), Command: report.CommandLine(validateArgs(d.New.Runs[0]))}}
	}
	return sc
}

// screenRows are those with news, then one for each verdict that is none: the one that moved most.
func screenRows(rows []row) (list []screenRow) {
	quiet := map[diff.Verdict][]*row{}
	for i := range rows {
		switch r := &rows[i]; {
		case !r.IsKernel:
		case r.Verdict == diff.Unchanged || r.Verdict == diff.CannotTell || r.Verdict == diff.NotComparable:
			quiet[r.Verdict] = append(quiet[r.Verdict], r)
		default:
			list = append(list, screenRow{row: *r, what: verdictText(r)})
		}
	}
	for _, v := range []diff.Verdict{diff.NotComparable, diff.CannotTell, diff.Unchanged} {
		of := quiet[v]
		if len(of) == 0 {
			continue
		}
		most := mostMoved(of)
		s := screenRow{row: *most, what: verdictText(most)}
		low, high := math.Inf(1), math.Inf(-1)
		for _, r := range of {
			if c, ok := r.Measured().Change.Value(); ok && r != most {
				low, high = min(low, c), max(high, c)
			}
		}
		if n := len(of) - 1; n > 0 {
			s.side, s.what = "", s.what+"; "+report.Thousands(int64(n))+" more" // of any side
		}
		if low <= high {
			s.what += fmt.Sprintf(", %s to %s", report.Signed(low, 1), report.Signed(high, 1))
		}
		list = append(list, s)
	}
	return list
}

// mostMoved is the row whose measured occupancy moved most.
func mostMoved(rows []*row) *row {
	most := rows[0]
	for _, r := range rows {
		if math.Abs(r.Measured().Change.Or(0)) > math.Abs(most.Measured().Change.Or(0)) {
			most = r
		}
	}
	return most
}

// verdictText says a verdict in few words.
func verdictText(r *row) string {
	switch r.Verdict {
	case diff.Regression:
		return "worse" + proof(r)
	case diff.Improvement:
		return "better" + proof(r)
	case diff.OnlyOld, diff.OnlyNew:
		return string(r.Verdict) + shareText(r)
	case diff.CannotTell:
		return "cannot be told below " + report.Shortest(float64(singles(r.of))) + " points"
	case diff.NotComparable:
		return "not comparable: " + r.Incomparable()
	case diff.Unchanged:
		return "as before"
	case diff.ChangedLaunch, diff.ChangedDevice:
		if r.Unexplained() {
			return string(r.Verdict) + ": no prediction says what that does"
		}
		return string(r.Verdict) + ": as predicted"
	}
	return string(r.Verdict)
}

// proof says what tells a change from noise.
func proof(r *row) string {
	if p, tested := r.Measured().P.Value(); tested {
		return fmt.Sprintf(": p = %.3f", p)
	}
	if r.Measured().Significant.Present() || r.Delta(compare.MetricLoaded).Significant.Present() {
		return ", by the noise of the history"
	}
	return ": single runs differ by " + report.Shortest(float64(singles(r.of))) + " points at most"
}

// line says in one sentence what came of it.
func (c *comparison) line() string {
	d := c.sides[0]
	if len(c.sides) == 1 {
		a, b := len(d.Old.Runs), len(d.New.Runs)
		runs := fmt.Sprintf("%d and %d runs", a, b)
		if a == b && a == 1 {
			runs = "one run a side"
		} else if a == b {
			runs = strconv.Itoa(a) + " runs a side"
		}
		return unit.Counted(d.Summary.Kernels, "kernel", "kernels") + ", " + runs + ": " + strings.Join(c.parts(0), ", ")
	}
	var sides []string
	for i, name := range c.names {
		sides = append(sides, name+": "+strings.Join(c.parts(i), ", "))
	}
	return strconv.Itoa(len(sides)) + " sides against " + report.OneLine(d.Old.Name) + ". " +
		strings.Join(report.Few(sides, report.MostTasks), "; ")
}

// kinds are what a sentence says of kernels, in its order; those with a figure are named.
var kinds = []struct {
	one, many string
	is        func(*row) bool
	figure    func(*row) string
}{
	{"is on one side alone", "are on one side alone", func(r *row) bool { return r.Missing() }, shareText},
	{"is worse", "are worse", is(diff.Regression), pointsText},
	{"is better", "are better", is(diff.Improvement), pointsText},
	{"is faster at lower occupancy", "are faster at lower occupancy", is(diff.Faster), nil},
	{"has another launch", "have another launch", is(diff.ChangedLaunch), nil},
	{"ran on another device", "ran on another device", is(diff.ChangedDevice), nil},
	{"is on one side, in no time", "are on one side, in no time", func(r *row) bool { return (r.Old == nil || r.New == nil) && !r.Missing() }, nil},
	{"is not comparable", "are not comparable", is(diff.NotComparable), nil},
	{"cannot be told from noise", "cannot be told from noise", is(diff.CannotTell), nil},
	{"is as before", "are as before", is(diff.Unchanged), nil},
}

func is(v diff.Verdict) func(*row) bool { return func(r *row) bool { return r.Verdict == v } }

func pointsText(r *row) string {
	return " (" + report.Signed(r.Measured().Change.Or(0), 1) + " points)"
}

func shareText(r *row) string {
	if share, ok := r.Share.Value(); ok {
		return " (" + report.PercentText(share) + " of its time)"
	}
	return ""
}

// parts count the verdicts of a side, and name what needs attention.
func (c *comparison) parts(side int) (parts []string) {
	var kernels []*row
	for i := range c.rows {
		if r := &c.rows[i]; r.IsKernel && r.of == c.sides[side] {
			kernels = append(kernels, r)
		}
	}
	if len(kernels) == 0 {
		return []string{"there is nothing to compare"}
	}
	for _, k := range kinds {
		of := slices.DeleteFunc(slices.Clone(kernels), func(r *row) bool { return !k.is(r) })
		switch n := len(of); {
		case n == 0:
		case n == 1 && k.figure != nil:
			parts = append(parts, nameOf(of[0].Row)+" "+k.one+k.figure(of[0]))
		case n == 1 && len(kernels) == 1:
			parts = append(parts, nameOf(of[0].Row)+" "+k.one)
		case k.figure != nil:
			parts = append(parts, fmt.Sprintf("%s%s and %d more %s", nameOf(of[0].Row), k.figure(of[0]), n-1, k.many))
		case n == len(kernels):
			parts = append(parts, "all "+k.many)
		default:
			parts = append(parts, unit.Counted(n, k.one, k.many))
		}
	}
	return parts
}

func nameOf(r *diff.Row) string { return report.ShortName(r.Task, 40) }

// means says what is compared, and what changed beside the kernels.
func (c *comparison) means() string {
	if len(c.sides) > 1 {
		return ""
	}
	d := c.sides[0]
	var parts []string
	if d.Old.Name+d.New.Name != "" {
		parts = append(parts, report.OneLine(d.Old.Name)+" -> "+report.OneLine(d.New.Name))
	}
	if changed := changedText(d.Changes); changed != "" {
		parts = append(parts, "changed: "+changed)
	}
	if x, ok := d.Summary.TimeRatio.Value(); ok && !diff.SameTime(x) {
		parts = append(parts, fmt.Sprintf("a launch takes %s times as long (%s)", report.Decimal(x, 2),
			unit.Counted(d.Summary.TimePairs, "kernel", "kernels")))
	}
	return strings.Join(parts, "; ")
}

// changedText lists the changes, equal ones of several kernels as one: a recompilation may change the SIMD width of every
// kernel, and that is one sentence.
func changedText(changes []diff.Change) string {
	var list []string
	tasks := map[string][]string{}
	for _, c := range changes {
		text := report.OneLine(c.String())
		if _, known := tasks[text]; !known {
			list, tasks[text] = append(list, text), nil
		}
		if task, ok := c.Task.Value(); ok {
			tasks[text] = append(tasks[text], report.CutMiddle(report.KernelName(task), report.LabelWidth))
		}
	}
	for i, text := range list {
		if of := tasks[text]; len(of) > 0 {
			list[i] += " (" + strings.Join(report.Few(of, report.MostTasks), ", ") + ")"
		}
	}
	return strings.Join(list, "; ")
}
