package diffdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

const (
	manyRuns     = 8  // above this many a terminal lists only those that stand out
	mostOutliers = 10 // how many outlying values are listed
	mostNamed    = 6  // how many runs a headline names
	runsSchema   = "occudiff/validate-runs/1"
)

// Runs gives several runs in every form: what stands out first, then the kernels over all runs, then each run.
func Runs(s *diff.Runs, prov report.Provenance) *report.Answer {
	results := make([]*compare.Result, len(s.Runs))
	for i := range s.Runs {
		results[i] = s.Runs[i].Result
	}
	return &report.Answer{
		Make:  func() *report.Document { return runsDocument(s, prov) },
		Card:  func() *report.Card { return report.Unusable("a card is of one run: give the files of one", 0, 0) },
		Value: runsValue(s), Table: rundoc.Rows(prov.Show, results...), Tests: func() *report.TestSuite {
			return joined("validate", runNames(s), prov, func(i int, prov report.Provenance) *report.TestSuite {
				return rundoc.TestSuiteFrom(s.Runs[i].Result, prov)
			})
		},
	}
}

// runNames are the names of the runs.
func runNames(s *diff.Runs) []string {
	return report.ListOf(s.Runs, func(r diff.RunOfMany) string { return r.Name })
}

// runsDocument is the summary, what stands out, the kernels over all runs, and each run.
// Runs of one program on several nodes are held against their median: no run is the right one.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	view, left := *s, []string(nil)
	view.Kernels, left = shownKernels(s.Kernels, prov.Show, func(k *diff.KernelOfMany) report.Candidate {
		nan := unit.Ratio(math.NaN())
		// NaN is for kernels without a value, which come last in any order.
		off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
		return report.Candidate{Task: k.Task, Value: prov.Show.Value(-off*time, time, off)}
	})
	m := matrix{
		doc: &report.Document{Title: "GPU occupancy of " + unit.Counted(len(s.Runs), "run", "runs"),
			Subject: "Measured occupancy, kernel by run", Version: prov.Version,
			Headline: append(runsHeadline(s), left...), Closing: runsClosing(s)},
		attention: report.Section{Title: "What stands out", Items: runItems(s)}, none: "Nothing.",
		overview: report.Section{Key: "runs", Title: "Runs", Tables: []*report.Table{runTable(s)}},
		kernels: []report.Section{
			{Key: report.SectionKernels, Title: "Kernels over all runs", Sheet: "Kernels",
				Tables: []*report.Table{report.Rows(report.SectionKernels, len(view.Kernels),
					func(i int) manyRow { return rowOfMany(s, &view.Kernels[i]) })}},
			{Key: "by-run", Title: "Measured, by run", Sheet: "By run", In: report.Files,
				Tables: []*report.Table{matrixTable(&view)}}},
		heat: runsHeatMap(&view), last: []report.Section{runNotes(s), runsProvenance(s, prov)},
	}
	for i := range s.Runs {
		m.dates = append(m.dates, s.Runs[i].Platform.Collected)
		m.columns = append(m.columns, runSection(&s.Runs[i], i, prov.Show))
	}
	return m.document()
}

// runsHeadline says what ran where, and which runs stand out: that is what somebody with many runs wants to know first.
func runsHeadline(s *diff.Runs) []string {
	var devices, out, copies []string
	for i := range s.Runs {
		r := &s.Runs[i]
		name := "an unknown device"
		if r.Device != nil {
			name = report.OneLine(r.Device.Name)
		}
		if !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
		if say := report.OneLine(r.Name) + " (" + findings(r) + worstOf(s, i) + ")"; r.CopyOf != "" {
			copies = append(copies, say)
		} else if len(r.Findings) > 0 {
			out = append(out, say)
		}
	}
	lines := []string{fmt.Sprintf("%s of %s on %s", unit.Counted(len(s.Runs), "run", "runs"),
		unit.Counted(len(s.Kernels), "kernel", "kernels"), strings.Join(devices, ", "))}
	if len(devices) > 1 {
		lines = append(lines, "The runs are on different devices, so their differences may be those of the devices.")
	}
	// A copy is a slip of whoever collected and no property of a node, so it comes after what was measured.
	out = append(out, copies...)
	switch n := len(out); {
	// The median of two runs is as far from the one as from the other.
	case n == 0 && len(s.Runs) < 3:
		lines = append(lines, "With two runs nobody can say which one is off: compare them with 'occudiff diff'.")
	case n == 0:
		lines = append(lines, "No run stands out.")
	default:
		lines = append(lines, unit.Counted(n, "run stands out: ", "runs stand out: ")+
			strings.Join(report.Few(out, mostNamed), ", "))
	}
	for i := range s.Runs {
		lines = append(lines, report.NotWhole(s.Runs[i].Notes)...)
	}
	return append(lines, stakeOfRuns(s)...)
}

// stakeOfRuns says which kernels lose the most slot time over all runs, and what tells why.
func stakeOfRuns(s *diff.Runs) []string {
	const most = 3
	kernels, lost := make([]*diff.KernelOfMany, 0, most+1), map[*diff.KernelOfMany]unit.Seconds{}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		// GPU time times the share of the thread slots that stayed empty against the prediction: seconds of the whole
		// GPU.
		t := k.Total.Or(0) * unit.Seconds(k.Predicted.Or(0)-k.Median.Or(k.Predicted.Or(0)))
		if t <= 0 {
			continue
		}
		lost[k] = t
		kernels = append(kernels, k)
		// Four at most: the three largest are kept while kernels go by, instead of sorting all of them.
		slices.SortStableFunc(kernels, func(a, b *diff.KernelOfMany) int { return cmp.Compare(lost[b], lost[a]) })
		if len(kernels) > most {
			delete(lost, kernels[most])
			kernels = kernels[:most]
		}
	}
	if len(kernels) == 0 {
		return nil
	}
	words := report.CutApart(report.ListOf(kernels, func(k *diff.KernelOfMany) string {
		return report.KernelName(k.Task)
	}), report.LabelWidth)
	for i, k := range kernels {
		words[i] = rundoc.SlotTime(lost[k]) + " in " + words[i]
	}
	// The run in which the first kernel is lowest shows its causes best, alone.
	lowest, args := &s.Runs[max(kernels[0].Lowest, 0)], []string{"occudiff", "validate"}
	if lowest.Device != nil {
		args = append(args, "--device", lowest.Device.Key)
	}
	for _, in := range lowest.Inputs {
		args = append(args, in.Path)
	}
	return []string{"At stake, in slot time of all runs: " + strings.Join(words, ", "),
		"Run: " + report.CommandLine(args)}
}

// worstOf names the kernel that is the farthest off in a run that is not off as a whole.
func worstOf(s *diff.Runs, run int) string {
	for _, o := range s.Outside {
		if o.Run == run {
			kernel := report.KernelName(s.Kernels[o.Kernel].Task)
			return ": " + kernel + " " + report.Signed(float64(o.Off), 1) + " points"
		}
	}
	return ""
}

// runsClosing sums up over all runs.
func runsClosing(s *diff.Runs) string {
	matched, compared, unmeasurable := 0, 0, 0
	for i := range s.Runs {
		m := &s.Runs[i].Summary
		matched, compared = matched+m.Matched, compared+m.Compared()
		unmeasurable += m.Unmeasurable
	}
	text := fmt.Sprintf("Over all runs, %s of %s match the prediction within %s points",
		report.Thousands(int64(matched)),
		unit.Counted(compared, "kernel value", "kernel values"), report.Shortest(float64(s.Runs[0].Options.Tolerance)))
	if unmeasurable > 0 {
		text += "; " + report.Thousands(int64(unmeasurable)) + " were unmeasurable"
	}
	return text + "."
}

// inOrder gives the runs that stand out first.
// Among those that stand out, and those that do not, the order is that of the command line, which people know.
func inOrder(s *diff.Runs) (order []int, out int) {
	for _, first := range []bool{true, false} {
		for i := range s.Runs {
			if (len(s.Runs[i].Findings) > 0) == first {
				order = append(order, i)
			}
		}
		if first {
			out = len(order)
		}
	}
	return order, out
}

// runTable lists the runs, those that stand out first. With many a terminal shows only these.
func runTable(s *diff.Runs) *report.Table {
	order, out := inOrder(s)
	t := report.Rows("runs", len(order), func(i int) runRow { return rowOfRun(&s.Runs[order[i]]) })
	t.Attention = out
	for _, i := range order {
		t.Leads = append(t.Leads, runKey(i))
	}
	if len(order) > manyRuns {
		t.Main = out
	}
	return t
}

// runItems says of each run that stands out in which way, then which values are off in the others.
// A run that is off as a whole has one item, or its kernels would fill the list.
func runItems(s *diff.Runs) []report.Item {
	var items []report.Item
	for i := range s.Runs {
		if r := &s.Runs[i]; len(r.Findings) > 0 && !inPart(r.Findings[0]) {
			items = append(items, report.Item{Lead: report.OneLine(r.Name), Text: runText(r), Status: findingStatus(r)})
		}
	}
	for i, o := range s.Outside {
		// They come by how far off they are.
		if i == mostOutliers {
			items = append(items, report.Item{Status: report.Unsure,
				Text: fmt.Sprintf("%s in runs that do not stand out as a whole.",
					unit.Counted(len(s.Outside)-i, "more value is off its median",
						"more values are off their medians"))})
			break
		}
		k := &s.Kernels[o.Kernel]
		items = append(items, report.Item{Lead: report.OneLine(s.Runs[o.Run].Name), Status: report.Unsure,
			Text: fmt.Sprintf("%s measures %s %%, %s points from the median of %s (%s %%, MAD %s).",
				report.KernelName(k.Task), report.Decimal(k.Measured[o.Run].Or(0).Percent(), 1),
				report.Signed(float64(o.Off), 1), unit.Counted(k.N, "run", "runs"),
				report.Decimal(k.Median.Or(0).Percent(), 1), report.Decimal(float64(k.MAD.Or(0)), 2))})
	}
	return items
}

// runText says in which way a run stands out.
func runText(r *diff.RunOfMany) string {
	parts := []string{findings(r) + "."}
	if r.CopyOf != "" {
		parts = append(parts, "It has the same content as "+report.OneLine(r.CopyOf)+" and is left out: a copy is "+
			"not a second run.")
	}
	if r.Findings[0] == diff.RunIdle {
		parts = append(parts, fmt.Sprintf("It ran %s in %s of GPU time.",
			unit.Counted(r.Summary.Kernels, "kernel", "kernels"), unit.Span(r.Summary.KernelTime.Or(0))))
	}
	if x, ok := r.Off.Value(); ok {
		by := report.Signed(float64(x), 1) + " points"
		if r.Compared == 1 {
			parts = append(parts, "Its kernel differs from the median over all runs by "+by+".")
		} else {
			parts = append(parts, fmt.Sprintf("Its %d kernels differ from their medians over all runs by %s (median).",
				r.Compared, by))
		}
	}
	if x, ok := r.TimeRatio.Value(); ok {
		times := report.Decimal(x, 2) + " times as long"
		if diff.SameTime(x) {
			times = "as long"
		}
		parts = append(parts, "A launch takes "+times+" as in the median run.")
	}
	if r.Lacks > 0 {
		parts = append(parts, "It lacks "+unit.Counted(r.Lacks, "kernel", "kernels")+" that most runs have.")
	}
	if host := report.OneLine(r.Platform.Host); host != "" {
		parts = append(parts, "Host "+host+".")
	}
	return strings.Join(parts, " ")
}

// runsHeatMap shows the kernels with the most time, run by run.
func runsHeatMap(s *diff.Runs) *report.Plot {
	var rows []report.HeatRow
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.N > 0 {
			rows = append(rows, report.HeatRow{Name: report.KernelName(k.Task),
				Values: report.ListOf(k.Measured, func(v unit.Opt[unit.Ratio]) float64 {
					return v.Or(unit.Ratio(math.NaN())).Percent()
				})})
		}
	}
	return heatMap("run", " by time", report.ListOf(runNames(s), report.OneLine), rows)
}

// matrixTable has a column for each run.
func matrixTable(s *diff.Runs) *report.Table {
	// Made by hand: how many columns it has is known from the runs and not from a struct.
	t := &report.Table{Key: "by-run", Len: len(s.Kernels), Main: len(s.Kernels), In: report.Files,
		Columns: []report.Column{
			{Key: "kernel", Title: "Kernel", Kind: report.Text, In: report.Files, Role: report.Code},
			{Key: "shape", Title: "Launch", Kind: report.Text, In: report.Files, Role: report.Code}}}
	for i := range s.Runs {
		t.Columns = append(t.Columns, report.Column{Key: "run_" + strconv.Itoa(i+1),
			Title: report.OneLine(s.Runs[i].Name), Unit: "%",
			Kind: report.Percent, In: report.Files, Role: report.Heat})
	}
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		k := &s.Kernels[i]
		dst = append(dst, report.TextCell(report.KernelName(k.Task)), report.TextCell(rundoc.Shape(&k.Kernel)))
		for _, v := range k.Measured {
			dst = append(dst, report.OptPercent(v))
		}
		return dst
	}
	return t
}

func runKey(run int) string { return "run-" + strconv.Itoa(run+1) }

// runSection is one run among others: its headline, its kernels and what is said of them.
func runSection(r *diff.RunOfMany, number int, show report.Selection) report.Section {
	s := rundoc.RunSection(r.Result, show)
	s.Key = runKey(number)
	s.Title, s.Sheet = "Run "+report.OneLine(r.Name), strconv.Itoa(number+1)+" "+report.OneLine(r.Name)
	for _, t := range s.Tables {
		t.Key = s.Key + "-kernels"
	}
	return s
}

// runNotes are the notes of all runs, each with its run.
func runNotes(s *diff.Runs) report.Section {
	var list []report.TaskNote
	for i := range s.Runs {
		for _, n := range report.RunNotes(s.Runs[i].Notes) {
			// A note with a file names its run by that.
			if n.Pos.File == "" {
				n.Text = report.OneLine(s.Runs[i].Name) + ": " + n.Text
			}
			list = append(list, n)
		}
	}
	return report.NoteSection(list)
}

func runsProvenance(s *diff.Runs, prov report.Provenance) report.Section {
	// All runs were read with the flags of one command line, so the options of the first are those of all; its inputs
	// are left out, for the table below has everybody's.
	p := rundoc.ProvenanceSection(&compare.Result{Options: s.Runs[0].Options}, prov)
	p.Sheet = "Sources"
	var inputs []report.InputValue
	for i := range s.Runs {
		inputs = append(inputs, report.InputValues(s.Runs[i].Result)...)
	}
	p.Tables = append(p.Tables, report.List("inputs", "Inputs", inputs, report.InputColumns()...))
	return p
}
