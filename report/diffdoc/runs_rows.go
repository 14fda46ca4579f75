package diffdoc

import (
	"strconv"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// runColumns are a run among others, for people.
// The order of drop is that in which a narrow terminal leaves columns out: matches and shortfalls stay longest.
var runColumns = func() []report.Col[diff.RunOfMany] {
	type run = diff.RunOfMany
	count := func(key, group, title string, drop int, of func(*run) int) report.Col[run] {
		return report.Define(column{Key: key, Group: group, Title: title, Kind: report.Integer, Drop: drop, In: report.Everywhere}, func(r *run) cell { return report.IntCell(of(r)) })
	}
	return []report.Col[run]{
		report.Define(column{Key: "name", Title: "Run", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere}, func(r *run) cell { return report.TextCell(report.OneLine(r.Name)) }),
		report.Define(column{Key: "host", Title: "Host", Kind: report.Text, In: report.Files}, func(r *run) cell { return report.TextCell(report.OneLine(r.Platform.Host)) }),
		report.Define(column{Key: "finding", Title: "Stands out", Kind: report.Text, In: report.Everywhere}, func(r *run) cell {
			if len(r.Findings) == 0 {
				return cell{}
			}
			return report.StatusCell(findings(r), findingStatus(r))
		}),
		count("kernels", "", "Kernels", 7, func(r *run) int { return r.Summary.Kernels }),
		count("kernels_missing", "", "Missing", 6, func(r *run) int { return r.Lacks }),
		report.Define(column{Key: "gpu_seconds", Title: "GPU time", Kind: report.Duration, Decimals: 3, Drop: 5, In: report.Everywhere}, func(r *run) cell { return report.OptDuration(r.Summary.GPUTime) }),
		report.Define(column{Key: "off_points", Title: "Off the others", Brief: "Off", Kind: report.Points, In: report.Everywhere}, func(r *run) cell { return report.OptPoints(r.Off) }),
		report.Define(column{Key: "time_ratio", Title: "Time / others", Brief: "Time ratio", Kind: report.Number, Decimals: 2, In: report.Everywhere}, func(r *run) cell { return report.OptNum(report.Number, r.TimeRatio, 1) }),
		count("matched", "Verdicts", "match", 3, func(r *run) int { return r.Summary.Matched }),
		count("idle", "Verdicts", "idle", 1, func(r *run) int { return r.Summary.Idle }),
		count("below", "Verdicts", "below", 4, func(r *run) int { return r.Summary.Below }),
		count("above", "Verdicts", "above", 2, func(r *run) int { return r.Summary.Above }),
		count("unmeasurable", "Verdicts", "unmeasurable", 1, func(r *run) int { return r.Summary.Unmeasurable }),
	}
}()

// findings are the ways in which a run stands out.
func findings(r *diff.RunOfMany) string { return strings.Join(report.Words(r.Findings), ", ") }

func findingStatus(r *diff.RunOfMany) report.Status {
	for _, f := range r.Findings {
		if f != diff.RunHigh && f != diff.RunFast && !inPart(f) {
			// A run that is higher or faster than the rest is odd and no loss.
			return report.Bad
		}
	}
	return report.Unsure
}

// inPart says that a run stands out in some of its kernels; the items of these say it.
func inPart(f diff.RunFinding) bool { return f == diff.RunDips || f == diff.RunPeaks }

// manyKernel is a kernel over all runs, with the runs.
type manyKernel struct {
	*diff.KernelOfMany
	runs []diff.RunOfMany
}

func kernelsOfMany(s *diff.Runs, kernels []diff.KernelOfMany) []manyKernel {
	list := make([]manyKernel, len(kernels))
	for i := range kernels {
		list[i] = manyKernel{&kernels[i], s.Runs}
	}
	return list
}

// manyColumns are a kernel over all runs.
var manyColumns = func() []report.Col[manyKernel] {
	const in = report.Everywhere
	measured := report.ListColumns(report.Percent, func(o *unit.Opt[unit.Ratio]) cell { return report.OptPercent(*o) })
	at := func(key, title string, drop int, run func(*manyKernel) int) report.Col[manyKernel] {
		return report.Define(column{Key: key, Group: "Measured", Title: title, Kind: report.Percent, Drop: drop, In: in}, func(k *manyKernel) cell {
			if run(k) < 0 {
				return cell{}
			}
			return report.OptPercent(k.Measured[run(k)])
		})
	}
	name := func(key, title string, drop int, run func(*manyKernel) int) report.Col[manyKernel] {
		return report.Define(column{Key: key, Title: title, Kind: report.Text, Cut: true, Role: report.Code, Drop: drop, In: in}, func(k *manyKernel) cell {
			if run(k) < 0 {
				return cell{}
			}
			return report.TextCell(report.OneLine(k.runs[run(k)].Name))
		})
	}
	lowest, highest := func(k *manyKernel) int { return k.Lowest }, func(k *manyKernel) int { return k.Highest }
	return []report.Col[manyKernel]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, Role: report.Code, In: in, Doc: "as printed, line ends included"}, func(k *manyKernel) cell { return report.NameCell(k.Task) }),
		report.Define(column{Key: "global", Path: "global", Always: true, Title: "Global", Kind: report.Size, Drop: 2, Role: report.Code, In: in}, func(k *manyKernel) cell { return report.SizeCell(k.Global) }),
		report.Define(column{Key: "local", Path: "local", Always: true, Title: "Local", Kind: report.Size, Drop: 1, Role: report.Code, In: in}, func(k *manyKernel) cell { return report.SizeCell(k.Local) }),
		report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, Drop: 3, In: in}, func(k *manyKernel) cell { return report.OptInt(k.SIMD) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(k *manyKernel) cell { return report.OptText(unit.NonZero(string(k.Direction))) }),
		report.Define(column{Key: "runs", Path: "runs", Always: true, Title: "Runs", Kind: report.Integer, Drop: 6, In: in, Doc: "with a measured value"}, func(k *manyKernel) cell { return report.IntCell(k.N) }),
		report.Define(column{Key: "predicted_average_percent", Path: "predicted_average_percent", Title: "Predicted average", Brief: "Predicted", Kind: report.Percent, Drop: 5, In: in}, func(k *manyKernel) cell { return report.OptPercent(k.Predicted) }),
		report.Define(column{Key: "median_percent", Path: "median_percent", Group: "Measured", Title: "median", Kind: report.Percent, In: in}, func(k *manyKernel) cell { return report.OptPercent(k.Median) }),
		at("lowest", "lowest", 0, lowest), at("highest", "highest", 8, highest),
		name("lowestrun", "Lowest in", 0, lowest), name("highestrun", "Highest in", 7, highest),
		report.Define(column{Key: "spread", Path: "mad_points", Title: "MAD", Unit: "points", Kind: report.Number, Decimals: 2, Drop: 4, In: in}, func(k *manyKernel) cell { return report.OptNum(report.Number, k.MAD, 1) }),
		report.Define(column{Path: "measured_percent", Always: true, Kind: report.Array, Of: report.ColumnsOf(measured), Doc: "of each run, in their order"},
			func(k *manyKernel) cell { return report.RowsCell(report.NewTable("", "", k.Measured, measured)) }),
	}
}()

// ValidateRuns is the value of `validate` over several runs, schema occudiff/validate-runs/1.
// Each run has the value that validate gives of it alone, so that a script reads both with the same code.
type ValidateRuns struct {
	Schema   string        `json:"schema"`
	Findings *report.Table `json:"findings" jsonschema:"what stands out, the worst first"`
	Runs     []ValidateRun `json:"runs"`
	Kernels  *report.Table `json:"kernels" jsonschema:"each over all runs, by time"`
}

// ValidateRun is one of several runs.
type ValidateRun struct {
	Name         string                 `json:"name"`
	Kernels      int                    `json:"kernels"`
	Lacks        int                    `json:"kernels_missing"`
	GPUTime      unit.Opt[unit.Seconds] `json:"gpu_seconds"`
	Off          unit.Opt[unit.Points]  `json:"off_points"`
	TimeRatio    unit.Opt[float64]      `json:"time_ratio"`
	Matched      int                    `json:"matched"`
	Idle         int                    `json:"idle"`
	Below        int                    `json:"below"`
	Above        int                    `json:"above"`
	Unmeasurable int                    `json:"unmeasurable"`
	Findings     []string               `json:"findings" jsonschema:"in which ways the run stands out"`
	Run          *rundoc.Validate       `json:"run"`
}

func runsValue(s *diff.Runs) ValidateRuns {
	runs := report.ListOf(s.Runs, func(r diff.RunOfMany) ValidateRun {
		m := &r.Summary
		return ValidateRun{r.Name, m.Kernels, r.Lacks, m.GPUTime, r.Off, r.TimeRatio, m.Matched, m.Idle, m.Below, m.Above,
			m.Unmeasurable, report.Words(r.Findings), rundoc.Value(r.Result)}
	})
	return ValidateRuns{runsSchema, findingTable(s), runs, report.NewTable("kernels", "", kernelsOfMany(s, s.Kernels), manyColumns)}
}

// findingRow is what stands out, with what its columns are read from. People have one of each run, which counts the
// others.
type findingRow struct {
	diff.Finding
	run    *diff.RunOfMany
	kernel *diff.KernelOfMany // nil for the whole run
	number unit.Opt[string]   // absent where no row has one
	more   int                // kernels of the run that are off as well
}

// findingShown are the columns that people see, in their order.
var findingShown = []string{"n", "run", "kernel", "measured", "points", "time", "finding"}

var findingColumns = []report.Col[findingRow]{
	report.Define(column{Key: "n", Title: "#", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell { return report.OptText(f.number) }),
	report.Define(column{Key: "run", Path: "run", Always: true, Title: "Run", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere},
		func(f *findingRow) cell { return report.TextCell(f.run.Name) }),
	report.Define(column{Path: "finding", Always: true, Kind: report.Text}, func(f *findingRow) cell { return report.TextCell(string(f.What)) }),
	report.Define(column{Key: "finding", Title: "Stands out", Kind: report.Text, Fold: true, In: report.Everywhere}, func(f *findingRow) cell {
		text := findings(f.run)
		switch {
		case f.run.CopyOf != "":
			text += " of " + report.OneLine(f.run.CopyOf) + ", left out"
		case f.more > 0:
			text += "; " + unit.Counted(f.more, "more kernel is off", "more kernels are off")
		}
		return report.StatusCell(text, findingStatus(f.run))
	}),
	report.Define(column{Path: "kernel", Kind: report.Name, Doc: "null where it is the whole run"}, func(f *findingRow) cell {
		if f.kernel == nil {
			return cell{}
		}
		return report.NameCell(f.kernel.Task)
	}),
	report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere}, func(f *findingRow) cell {
		if f.kernel == nil {
			return report.TextCell("all")
		}
		return report.TextCell(report.KernelName(f.kernel.Task))
	}),
	report.Define(column{Key: "points", Path: "points", Title: "Off", Kind: report.Points, In: report.Everywhere, Doc: "off the other runs; of a whole run the median over its kernels"},
		func(f *findingRow) cell { return report.OptPoints(f.Off) }),
	report.Define(column{Key: "measured", Title: "Measured", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell {
		if f.kernel == nil {
			return cell{}
		}
		return report.TextCell(report.Decimal(f.kernel.Measured[f.Run].Or(0).Percent(), 1) + " of " + report.Decimal(f.kernel.Median.Or(0).Percent(), 1) + " %")
	}),
	report.Define(column{Path: "measured_percent", Kind: report.Percent, Doc: "of the kernel in this run"}, func(f *findingRow) cell {
		if f.kernel == nil {
			return cell{}
		}
		return report.OptPercent(f.kernel.Measured[f.Run])
	}),
	report.Define(column{Path: "median_percent", Kind: report.Percent, Doc: "of the kernel over all runs"}, func(f *findingRow) cell {
		if f.kernel == nil {
			return cell{}
		}
		return report.OptPercent(f.kernel.Median)
	}),
	report.Define(column{Key: "time", Path: "time_ratio", Title: "Time / others", Brief: "Time", Kind: report.Number, Decimals: 2, In: report.Everywhere, Doc: "of a launch, against the other runs"},
		func(f *findingRow) cell { return report.OptNum(report.Number, f.run.TimeRatio, 1) }),
}

// allFindings gives the findings with what their columns are read from.
func allFindings(s *diff.Runs) []findingRow {
	return report.ListOf(s.Findings, func(f diff.Finding) findingRow {
		row := findingRow{Finding: f, run: &s.Runs[f.Run]}
		if f.Kernel >= 0 {
			row.kernel = &s.Kernels[f.Kernel]
		}
		return row
	})
}

// findingRows gives one finding of each run, with numbers for those to look at: a run that is off as a whole, or in
// several kernels, would fill the list.
func findingRows(s *diff.Runs) (rows []findingRow) {
	at, number := map[int]int{}, 0
	for _, f := range allFindings(s) {
		i, known := at[f.Run]
		if known {
			rows[i].more += min(f.Kernel+1, 1)
			continue
		}
		f.number = unit.Some("")
		if f.run.CopyOf == "" && (findingStatus(f.run) == report.Bad || f.What == diff.RunDips) {
			number++
			f.number = unit.Some(strconv.Itoa(number))
		}
		at[f.Run] = len(rows)
		rows = append(rows, f)
	}
	return rows
}

// findingTable has the findings for JSON.
func findingTable(s *diff.Runs) *report.Table {
	return report.NewTable("findings", "", allFindings(s), findingColumns)
}

// runsCard answers which runs stand out in few words.
func runsCard(s *diff.Runs) *report.Card {
	c := report.Card{Schema: report.CardSchema, Usable: true, Findings: []report.Finding{}}
	var lost []string
	left := 0
	for i := range s.Runs {
		r := &s.Runs[i]
		lost = append(lost, report.NotWhole(r.Notes)...)
		if r.Device != nil {
			c.Device = unit.Some(r.Device.Key)
		}
		if r.CopyOf != "" {
			left++
		}
	}
	for i := range s.Kernels {
		if s.Kernels[i].N >= 3 {
			c.Judged++
		} else {
			c.NotJudged++
		}
	}
	switch {
	case len(lost) > 0:
		return report.Unusable(strings.Join(lost, "; "), c.Judged, c.NotJudged)
	case len(s.Runs)-left < 3:
		return report.Unusable("of two runs nobody can say which one is off: compare them with 'occudiff diff'", 0, c.Judged+c.NotJudged)
	}
	for _, f := range s.Findings {
		finding := report.Finding{Run: s.Runs[f.Run].Name, Verdict: string(f.What)}
		if f.Kernel >= 0 {
			k := &s.Kernels[f.Kernel]
			finding.Kernel, finding.Predicted, finding.Measured = k.Task, k.Predicted, k.Measured[f.Run]
		}
		finding.Points = f.Off
		if args := validateArgs(s.Runs[f.Run].Result); f.What != diff.RunCopy {
			finding.Next = unit.Some(report.CommandLine(args))
		}
		if !c.Add(finding) {
			break
		}
	}
	return &c
}
