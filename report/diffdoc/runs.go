package diffdoc

import (
	"cmp"
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
	manyRuns   = 8 // above this many a terminal lists only those that stand out
	runsSchema = "occudiff/validate-runs/1"
)

// Runs gives several runs in every form: what stands out first, then the kernels over all runs, then each run.
func Runs(s *diff.Runs, prov report.Provenance) *report.Answer {
	results := report.ListOf(s.Runs, func(r diff.RunOfMany) *compare.Result { return r.Result })
	return &report.Answer{
		Make:  func() *report.Document { return runsDocument(s, prov) },
		Card:  func() *report.Card { return runsCard(s) },
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

// runsDocument is what stands out, the runs, the kernels over all of them, and each run.
func runsDocument(s *diff.Runs, prov report.Provenance) *report.Document {
	kernels, left := report.Select(prov.Show, s.Kernels, "kernels", func(k *diff.KernelOfMany) report.Candidate {
		return manyCandidate(k, prov.Show)
	})
	many := report.NewTable(report.SectionKernels, "", kernelsOfMany(s, kernels), manyColumns).Show()
	m := matrix{
		doc: &report.Document{Title: "GPU occupancy of " + unit.Counted(len(s.Runs), "run", "runs"),
			Subject: "Measured occupancy, kernel by run", Version: prov.Version, Screen: runsScreen(s, kernels)},
		overview: []report.Section{findingSection(s), {Key: "runs", Title: "Runs", Sheet: "Summary", Tables: []*report.Table{runTable(s)}}},
		kernels: []report.Section{
			{Key: report.SectionKernels, Title: "Kernels over all runs", Sheet: "Kernels", Tables: []*report.Table{many}},
			{Key: "by-run", Title: "Measured, by run", Sheet: "By run", In: report.Files, Tables: []*report.Table{byRun(s, kernels)}}},
		heat: runsHeatMap(s, kernels), last: []report.Section{runNotes(s), runsProvenance(s, prov)},
	}
	m.doc.Screen.Notes = append(m.doc.Screen.Notes, report.NotWhole(left)...)
	for i := range s.Runs {
		m.dates = append(m.dates, s.Runs[i].Platform.Collected)
		m.columns = append(m.columns, runSection(&s.Runs[i], i, prov.Show))
	}
	return m.document()
}

// manyCandidate is what a selection considers of a kernel.
func manyCandidate(k *diff.KernelOfMany, show report.Selection) report.Candidate {
	nan := unit.Ratio(math.NaN())
	// NaN is for kernels without a value, which come last in any order.
	off, time := float64(k.Median.Or(nan)-k.Predicted.Or(nan)), float64(k.Total.Or(unit.Seconds(nan)))
	return report.Candidate{Task: k.Task, Value: show.Value(-off*time, time, off)}
}

// devicesOf lists the devices of the runs.
func devicesOf(s *diff.Runs) (devices []string) {
	for i := range s.Runs {
		name := "an unknown device"
		if r := &s.Runs[i]; r.Device != nil {
			name = report.OneLine(r.Device.Name)
		}
		if !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
	}
	return devices
}

// stakeOfRuns says which kernels lose the most slot time over all runs, and what tells why.
func stakeOfRuns(s *diff.Runs) string {
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
		return ""
	}
	words := report.CutApart(report.ListOf(kernels, func(k *diff.KernelOfMany) string {
		return report.KernelName(k.Task)
	}), report.LabelWidth)
	for i, k := range kernels {
		words[i] = rundoc.SlotTime(lost[k]) + " in " + words[i]
	}
	return "At stake, in slot time of all runs: " + strings.Join(words, ", ")
}

// validateArgs is the command that validates a run.
func validateArgs(r *compare.Result) []string {
	args := []string{"occudiff", "validate"}
	if r.Device != nil {
		args = append(args, "--device", r.Device.Key)
	}
	for _, in := range r.Inputs {
		args = append(args, in.Path)
	}
	return args
}

// inOrder gives the runs that stand out first, the worst before the others; the rest is in the order of the command line,
// which people know.
func inOrder(s *diff.Runs) (order []int, out int) {
	for _, f := range s.Findings {
		if !slices.Contains(order, f.Run) {
			order = append(order, f.Run)
		}
	}
	out = len(order)
	for i := range s.Runs {
		if len(s.Runs[i].Findings) == 0 {
			order = append(order, i)
		}
	}
	return order, out
}

// runTable lists the runs, those that stand out first. With many a terminal shows only these.
func runTable(s *diff.Runs) *report.Table {
	order, out := inOrder(s)
	t := report.NewTable("runs", "", report.ListOf(order, func(i int) diff.RunOfMany { return s.Runs[i] }), runColumns).Show()
	t.Attention = out
	for _, i := range order {
		t.Leads = append(t.Leads, runKey(i))
	}
	if len(order) > manyRuns {
		t.Main = out
	}
	return t
}

// runsHeatMap shows the kernels with the most time, run by run.
func runsHeatMap(s *diff.Runs, kernels []diff.KernelOfMany) *report.Plot {
	return heatMap("run", " by time", report.ListOf(runNames(s), report.OneLine), kernels, func(k *diff.KernelOfMany) (string, []unit.Opt[float64]) {
		return k.Task, report.ListOf(k.Measured, percentOf)
	})
}

func percentOf(o unit.Opt[unit.Ratio]) unit.Opt[float64] {
	x, ok := o.Value()
	return unit.Maybe(x.Percent(), ok)
}

// byRun has a column for each run.
func byRun(s *diff.Runs, kernels []diff.KernelOfMany) *report.Table {
	type kernel = diff.KernelOfMany
	return matrixTable("by-run", kernels, []report.Col[kernel]{
		report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Name, In: report.Files, Role: report.Code}, func(k *kernel) cell { return report.NameCell(k.Task) }),
		report.Define(column{Key: "shape", Title: "Launch", Kind: report.Text, In: report.Files, Role: report.Code}, func(k *kernel) cell { return report.TextCell(rundoc.Shape(&k.Kernel)) }),
	}, len(s.Runs), func(i int) []report.Col[kernel] {
		return []report.Col[kernel]{report.Define(column{Key: "run_" + strconv.Itoa(i+1), Title: report.OneLine(s.Runs[i].Name), Kind: report.Percent, In: report.Files, Role: report.Heat},
			func(k *kernel) cell { return report.OptPercent(k.Measured[i]) })}
	})
}

// findingSection lists what stands out, the worst first.
func findingSection(s *diff.Runs) report.Section {
	sec := report.Section{Key: report.SectionAttention, Title: "What stands out", Sheet: "Summary", In: report.Files}
	if len(s.Findings) == 0 {
		sec.Text = []string{"Nothing."}
		return sec
	}
	sec.Tables = []*report.Table{findingTable(s).Show(findingShown[1:]...)}
	return sec
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
	p.Tables = append(p.Tables, report.InputTable(inputs))
	return p
}
