package diffdoc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// hint is where more is.
const hint = "'occudiff explain WORD' explains any word; -v shows the evidence; -o report.html everything"

// screenRow is a row of the screen of a diff.
type screenRow struct {
	number unit.Opt[string] // absent where no row has one
	side   string           // of several sides, the one that it is of
	row    *diff.Row
	name   string
	what   string
}

var screenColumns = []report.Col[screenRow]{
	report.Define(column{Key: "n", Title: "#", Kind: report.Text, In: report.Everywhere}, func(r *screenRow) cell { return report.OptText(r.number) }),
	report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, In: report.Everywhere, Role: report.Code},
		func(r *screenRow) cell { return report.TextCell(r.name) }),
	report.Define(column{Key: "side", Title: "Side", Kind: report.Text, In: report.Everywhere, Cut: true}, func(r *screenRow) cell { return report.TextCell(r.side) }),
	report.Define(column{Key: "measured", Title: "Measured", Kind: report.Number, In: report.Everywhere}, func(r *screenRow) cell { return report.TextCell(fromTo(r.row)) }),
	report.Define(column{Key: "change", Title: "Points", Kind: report.Number, In: report.Everywhere}, func(r *screenRow) cell {
		c, ok := r.row.Measured().Change.Value()
		if !ok {
			return cell{}
		}
		text := report.Signed(c, 1)
		if news(r.row.Verdict) || r.row.Verdict == diff.Unchanged {
			return report.StatusCell(text, statusOf(r.row.Verdict))
		}
		return report.TextCell("(" + text + ")") // nothing follows from it
	}),
	report.Define(column{Key: "time", Title: "Time", Kind: report.Number, In: report.Everywhere}, func(r *screenRow) cell {
		x, ok := r.row.Delta(compare.MetricTime).Ratio.Value()
		if !ok {
			return cell{}
		}
		return report.TextCell(report.Decimal(x, 2) + "x")
	}),
	report.Define(column{Key: "verdict", Title: "Verdict", Kind: report.Text, In: report.Everywhere, Fold: true},
		func(r *screenRow) cell { return report.StatusCell(r.what, statusOf(r.row.Verdict)) }),
}

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
	return side(&m.Old) + " -> " + side(&m.New) + " %"
}

// news says whether a verdict is news of a kernel by itself; kernels of the others have one row together.
func news(v diff.Verdict) bool {
	return v != diff.Unchanged && v != diff.CannotTell && v != diff.NotComparable && v != diff.NotAKernel
}

// screen is what every form of a diff begins with.
func screen(s *diff.Sides, names []string, show report.Selection) *report.Screen {
	first := s.Against[0]
	sc := &report.Screen{Line: screenLine(s, names), Means: screenMeans(s, names),
		Hint: hint}
	var rows []screenRow
	left := 0
	for i, d := range s.Against {
		d = shown(d, show)
		for _, note := range report.NotWhole(d.Notes) {
			if !slices.Contains(sc.Notes, note) {
				sc.Notes = append(sc.Notes, note)
			}
		}
		name := ""
		if len(s.Against) > 1 {
			name = names[i]
		}
		for _, r := range screenRows(d) {
			r.side = name
			rows = append(rows, r)
		}
	}
	// Of several sides the rows with news come first, and these are what is left out last.
	if len(s.Against) > 1 {
		rows = newsFirst(rows)
	}
	if n := len(rows); n > report.ScreenRows {
		left, rows = n-report.ScreenRows, rows[:report.ScreenRows]
		sc.More = "and " + unit.Counted(left, "more row", "more rows")
	}
	number := 0
	var worse []string
	for i := range rows {
		if v := rows[i].row.Verdict; v == diff.Regression || rows[i].row.Missing() || rows[i].row.Unexplained() {
			number++
			rows[i].number = unit.Some(strconv.Itoa(number))
			if v == diff.Regression {
				worse = append(worse, strconv.Itoa(number))
			}
		}
	}
	for i := range rows {
		if number > 0 {
			rows[i].number = unit.Some(rows[i].number.Or(""))
		}
	}
	if len(rows) > 0 {
		const nameWidth = 24 // whatever the verdict needs: that is broken into lines
		tasks := report.ListOf(rows, func(r screenRow) string { return report.KernelName(r.row.Task) })
		for i, name := range report.CutApart(tasks, nameWidth) {
			rows[i].name = name
		}
		sc.Rows = report.NewTable("screen", "", rows, screenColumns).Show()
	}
	for _, d := range s.Against {
		if d.Summary.CannotTell > 0 {
			sc.Do = append(sc.Do, fmt.Sprintf("To tell %s points: 4 runs a side in two folders, then occudiff diff; or "+
				"--noise HISTORY", report.Shortest(float64(d.Options.Threshold))))
			break
		}
	}
	if len(worse) > 0 && len(s.Against) == 1 {
		if args := again(first.New.Runs); args != nil {
			sc.Ask = "Why it holds less now"
			if n := len(worse); n > 3 { // they stand below each other
				worse = []string{worse[0] + "-" + worse[n-1]}
			}
			sc.Sure = []report.Check{{Rows: strings.Join(worse, ", "), Command: report.CommandLine(args)}}
		}
	}
	return sc
}

// newsFirst puts rows that are news before those that are not; both keep their order.
func newsFirst(rows []screenRow) (list []screenRow) {
	for _, wanted := range []bool{true, false} {
		for _, r := range rows {
			if news(r.row.Verdict) == wanted {
				list = append(list, r)
			}
		}
	}
	return list
}

// again is the command that validates the first run of a side; nil without inputs.
func again(runs []*compare.Result) []string {
	if len(runs) == 0 || len(runs[0].Inputs) == 0 {
		return nil
	}
	return validateArgs(runs[0])
}

// screenRows are the rows of one side: what is news, then one for each verdict that is none.
func screenRows(d *diff.Result) (rows []screenRow) {
	quiet := map[diff.Verdict][]*diff.Row{}
	for i := range d.Rows {
		switch r := &d.Rows[i]; {
		case !r.IsKernel:
		case news(r.Verdict):
			rows = append(rows, screenRow{row: r, what: screenWhat(r, d)})
		default:
			quiet[r.Verdict] = append(quiet[r.Verdict], r)
		}
	}
	for _, v := range []diff.Verdict{diff.NotComparable, diff.CannotTell, diff.Unchanged} {
		if list := quiet[v]; len(list) > 0 {
			rows = append(rows, quietRow(list, d))
		}
	}
	return rows
}

// quietRow stands for all rows of a verdict that is no news: it is the one that moved most.
func quietRow(list []*diff.Row, d *diff.Result) screenRow {
	most := list[0]
	moved := func(r *diff.Row) float64 { return math.Abs(r.Measured().Change.Or(0)) }
	for _, r := range list {
		if moved(r) > moved(most) {
			most = r
		}
	}
	row := screenRow{row: most, what: screenWhat(most, d)}
	if len(list) == 1 {
		return row
	}
	low, high, told := math.Inf(1), math.Inf(-1), false
	for _, r := range list {
		if c, ok := r.Measured().Change.Value(); ok && r != most {
			low, high, told = min(low, c), max(high, c), true
		}
	}
	row.what += fmt.Sprintf("; %s more", report.Thousands(int64(len(list)-1)))
	if told {
		row.what += fmt.Sprintf(", %s to %s", report.Signed(low, 1), report.Signed(high, 1))
	}
	return row
}

// screenWhat says a verdict in few words.
func screenWhat(r *diff.Row, d *diff.Result) string {
	tested := r.Measured().Significant.Present() || r.Delta(compare.MetricLoaded).Significant.Present()
	beyond := fmt.Sprintf(": single runs differ by %s points at most", report.Shortest(float64(singles(d))))
	switch r.Verdict {
	case diff.Regression, diff.Improvement:
		word := "worse"
		if r.Verdict == diff.Improvement {
			word = "better"
		}
		if p, ok := r.Measured().P.Value(); ok && tested {
			return fmt.Sprintf("%s: p = %.3f", word, p)
		}
		if tested {
			return word + ", by the noise of the history"
		}
		return word + beyond
	case diff.OnlyOld, diff.OnlyNew:
		if share, ok := r.Share.Value(); ok {
			return fmt.Sprintf("%s, %s %% of its time", r.Verdict, report.Decimal(share.Percent(), 1))
		}
	case diff.CannotTell:
		return fmt.Sprintf("cannot be told below %s points", report.Shortest(float64(singles(d))))
	case diff.NotComparable:
		return "not comparable: " + incomparable(r)
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

// incomparable says in few words why two sides are not compared.
func incomparable(r *diff.Row) string {
	m := r.Measured()
	x, timed := r.Delta(compare.MetricTime).Ratio.Value()
	switch {
	case m.Old.N+m.New.N == 0:
		return "measured on neither side"
	case m.Old.N == 0:
		return "not measured on the old side"
	case m.New.N == 0:
		return "not measured on the new side"
	case timed && !diff.SameLaunch(x):
		return "launches take another time"
	}
	return "counted in rows of no kernel"
}

// screenLine says in one sentence what came of it.
func screenLine(s *diff.Sides, names []string) string {
	d := s.Against[0]
	if len(s.Against) == 1 {
		return unit.Counted(d.Summary.Kernels, "kernel", "kernels") + ", " + runsText(len(d.Old.Runs), len(d.New.Runs)) + ": " +
			strings.Join(screenParts(d), ", ")
	}
	var parts []string
	for i, d := range s.Against {
		parts = append(parts, names[i]+": "+strings.Join(screenParts(d), ", "))
	}
	return unit.Counted(len(s.Kernels), "kernel", "kernels") + ", " + strconv.Itoa(len(names)) + " sides against " +
		report.OneLine(d.Old.Name) + ". " + strings.Join(report.Few(parts, report.MostTasks), "; ")
}

func runsText(older, newer int) string {
	switch {
	case older == 1 && newer == 1:
		return "one run a side"
	case older == newer:
		return strconv.Itoa(older) + " runs a side"
	}
	return fmt.Sprintf("%d and %d runs", older, newer)
}

// screenParts count the verdicts of a side, and name what needs attention.
func screenParts(d *diff.Result) (parts []string) {
	s := &d.Summary
	if s.Kernels == 0 {
		return []string{"there is nothing to compare"}
	}
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Missing() {
			text := nameOf(r) + " is on one side alone"
			if s.Missing > 1 {
				text = fmt.Sprintf("%s and %d more are on one side alone", nameOf(r), s.Missing-1)
			} else if share, ok := r.Share.Value(); ok {
				text += fmt.Sprintf(" (%s %% of its time)", report.Decimal(share.Percent(), 1))
			}
			parts = append(parts, text)
			break
		}
	}
	for _, v := range []struct {
		verdict   diff.Verdict
		n         int
		one, many string
	}{{diff.Regression, s.Regressions, "worse", "are worse"}, {diff.Improvement, s.Improvements, "better", "are better"}} {
		if v.n == 0 {
			continue
		}
		for i := range d.Rows {
			r := &d.Rows[i]
			if r.Verdict != v.verdict {
				continue
			}
			points := report.Signed(r.Measured().Change.Or(0), 1) + " points"
			if v.n == 1 {
				parts = append(parts, nameOf(r)+" is "+v.one+" ("+points+")")
			} else {
				parts = append(parts, fmt.Sprintf("%d %s, %s most of all (%s)", v.n, v.many, nameOf(worstOfVerdict(d, v.verdict)),
					report.Signed(worstOfVerdict(d, v.verdict).Measured().Change.Or(0), 1)+" points"))
			}
			break
		}
	}
	for _, p := range []struct {
		n         int
		one, many string
	}{{s.Faster, "is faster at lower occupancy", "are faster at lower occupancy"},
		{s.ChangedLaunch, "has another launch", "have another launch"},
		{s.ChangedDevice, "ran on another device", "ran on another device"},
		{s.OnlyOld + s.OnlyNew - s.Missing, "is on one side, in no time", "are on one side, in no time"},
		{s.NotComparable, "is not comparable", "are not comparable"},
		{s.CannotTell, "cannot be told from noise", "cannot be told from noise"},
		{s.Unchanged, "is as before", "are as before"}} {
		switch {
		case p.n == 1 && s.Kernels == 1:
			parts = append(parts, nameOf(&d.Rows[0])+" "+p.one)
		case p.n == s.Kernels && p.n > 0:
			parts = append(parts, "all "+p.many)
		case p.n > 0:
			parts = append(parts, unit.Counted(p.n, p.one, p.many))
		}
	}
	return parts
}

// worstOfVerdict is the row of a verdict that moved most.
func worstOfVerdict(d *diff.Result, v diff.Verdict) (most *diff.Row) {
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict == v && (most == nil || math.Abs(r.Measured().Change.Or(0)) > math.Abs(most.Measured().Change.Or(0))) {
			most = r
		}
	}
	return most
}

func nameOf(r *diff.Row) string { return report.ShortName(r.Task, 40) }

// screenMeans says what is compared, and what changed beside the kernels.
func screenMeans(s *diff.Sides, names []string) string {
	if len(s.Against) > 1 {
		return ""
	}
	d := s.Against[0]
	var parts []string
	if d.Old.Name+d.New.Name != "" {
		parts = append(parts, report.OneLine(d.Old.Name)+" -> "+report.OneLine(d.New.Name))
	}
	if len(d.Changes) > 0 {
		parts = append(parts, "changed: "+changedText(d.Changes))
	}
	if x, ok := d.Summary.TimeRatio.Value(); ok && !diff.SameTime(x) {
		parts = append(parts, fmt.Sprintf("a launch takes %s times as long (%s)", report.Decimal(x, 2),
			unit.Counted(d.Summary.TimePairs, "kernel", "kernels")))
	}
	return strings.Join(parts, "; ")
}

// runsScreen is what every form of several runs begins with: which of them stand out, the worst first, or else the first
// kernels.
func runsScreen(s *diff.Runs, kernels []diff.KernelOfMany) *report.Screen {
	sc := &report.Screen{Line: runsLine(s), Means: stakeOfRuns(s), Hint: hint}
	for i := range s.Runs {
		sc.Notes = append(sc.Notes, report.NotWhole(s.Runs[i].Notes)...)
	}
	if len(s.Findings) == 0 {
		n := min(len(kernels), report.ScreenRows)
		if left := len(kernels) - n; left > 0 {
			sc.More = "and " + unit.Counted(left, "more kernel", "more kernels")
		}
		sc.Rows = report.NewTable("screen", "", kernelsOfMany(s, kernels[:n]), manyColumns).Show()
		sc.Rows.Only([]string{"task", "predicted_average_percent", "median_percent", "lowest", "highest", "runs"})
		return sc
	}
	rows := findingRows(s)
	if n := len(rows); n > report.ScreenRows {
		sc.More = "and " + unit.Counted(n-report.ScreenRows, "more run", "more runs")
		rows = rows[:report.ScreenRows]
	}
	for i := range rows {
		if r := rows[i].run; len(sc.Sure) < mostChecks && rows[i].number.Or("") != "" && len(r.Inputs) > 0 {
			sc.Sure = append(sc.Sure, report.Check{Rows: rows[i].number.Or(""), Command: report.CommandLine(validateArgs(r.Result))})
		}
	}
	if len(sc.Sure) > 0 {
		sc.Ask = "What such a run measures, alone"
	}
	sc.Rows = report.NewTable("screen", "", rows, findingColumns).Show(findingShown...)
	return sc
}

// mostChecks is how many runs a screen gives the command of.
const mostChecks = 3

// runsLine says in one sentence which runs stand out.
func runsLine(s *diff.Runs) string {
	devices := devicesOf(s)
	text := unit.Counted(len(s.Runs), "run", "runs") + " of " + unit.Counted(len(s.Kernels), "kernel", "kernels") + " on " +
		strings.Join(devices, ", ")
	if len(devices) > 1 {
		text += " (which may be why they differ)"
	}
	order, out := inOrder(s)
	switch {
	case out == 0 && len(s.Runs) < 3:
		return text + ". With two nobody can say which one is off: compare them with 'occudiff diff'"
	case out == 0:
		return text + ". All are alike: none is off by more than chance makes it"
	}
	names := report.ListOf(order[:out], func(i int) string {
		return report.OneLine(s.Runs[i].Name) + " (" + findings(&s.Runs[i]) + worstOf(s, i) + ")"
	})
	return text + ". " + unit.Counted(out, "stands out: ", "stand out: ") + strings.Join(report.Few(names, 3), ", ")
}

// worstOf says how far a run is off, as a whole or in the kernel that is the farthest off.
func worstOf(s *diff.Runs, run int) string {
	i := slices.IndexFunc(s.Findings, func(f diff.Finding) bool { return f.Run == run && f.Off.Present() })
	if i < 0 {
		return ""
	}
	f, of := s.Findings[i], ""
	if f.Kernel >= 0 {
		of = report.KernelName(s.Kernels[f.Kernel].Task) + " "
	}
	return ": " + of + report.Signed(float64(f.Off.Or(0)), 1) + " points"
}
