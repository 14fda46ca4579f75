package diffdoc

import (
	"slices"
	"strconv"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// runColumns are a run among others, for people.
var runColumns = func() []report.Col[diff.RunOfMany] {
	type run = diff.RunOfMany
	count := func(key, title string, drop int, of func(*run) int) report.Col[run] {
		return report.Define(column{Key: key, Title: title, Kind: report.Integer, Drop: drop, In: report.Everywhere}, func(r *run) cell { return report.IntCell(of(r)) })
	}
	return []report.Col[run]{
		report.Define(column{Key: "name", Title: "Run", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere}, func(r *run) cell { return report.TextCell(report.OneLine(r.Name)) }),
		report.Define(column{Key: "finding", Title: "Stands out", Kind: report.Text, In: report.Everywhere}, func(r *run) cell {
			return report.StatusCell(findings(r), findingStatus(r))
		}),
		count("kernels", "Kernels", 3, func(r *run) int { return r.Summary.Kernels }),
		count("kernels_missing", "Missing", 2, func(r *run) int { return r.Lacks }),
		report.Define(column{Key: "gpu_seconds", Title: "GPU time", Kind: report.Duration, Decimals: 3, Drop: 1, In: report.Everywhere}, func(r *run) cell { return report.OptDuration(r.Summary.GPUTime) }),
		report.Define(column{Key: "off_points", Title: "Off the others", Brief: "Off", Kind: report.Points, In: report.Everywhere}, func(r *run) cell { return report.OptPoints(r.Off) }),
		report.Define(column{Key: "time_ratio", Title: "Time / others", Brief: "Time ratio", Kind: report.Number, Decimals: 2, In: report.Everywhere}, func(r *run) cell { return report.OptNum(report.Number, r.TimeRatio, 1) }),
	}
}()

// manyKernel is a kernel over all runs.
type manyKernel struct {
	*diff.KernelOfMany
	off string // the runs in which it is off
}

func kernelsOfMany(s *diff.Runs, kernels []diff.KernelOfMany) []manyKernel {
	off := map[ingest.Key][]string{}
	for _, f := range allFindings(s) {
		if f.kernel != nil {
			key := f.kernel.Key()
			off[key] = append(off[key], report.OneLine(f.run.Name)+" "+report.Signed(float64(f.Off.Or(0)), 1))
		}
	}
	list := make([]manyKernel, len(kernels))
	for i := range kernels {
		list[i] = manyKernel{&kernels[i], strings.Join(off[kernels[i].Key()], ", ")}
	}
	return list
}

// at is what a run measures, with nothing for no run.
func (k *manyKernel) at(run int) cell {
	if run < 0 {
		return cell{}
	}
	return report.OptPercent(k.Measured[run])
}

// manyColumns are a kernel over all runs.
var manyColumns = func() []report.Col[manyKernel] {
	const in = report.Everywhere
	measured := report.ListColumns(report.Percent, func(o *unit.Opt[unit.Ratio]) cell { return report.OptPercent(*o) })
	return []report.Col[manyKernel]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, Role: report.Code, In: in, Doc: "as printed, line ends included"}, func(k *manyKernel) cell { return report.NameCell(k.Task) }),
		report.Define(column{Key: "shape", Title: "Launch", Kind: report.Text, Drop: 2, Cut: true, Role: report.Code, In: in}, func(k *manyKernel) cell { return report.TextCell(rundoc.Shape(&k.Kernel)) }),
		report.Define(column{Path: "global", Always: true, Kind: report.Size}, func(k *manyKernel) cell { return report.SizeCell(k.Global) }),
		report.Define(column{Path: "local", Always: true, Kind: report.Size}, func(k *manyKernel) cell { return report.SizeCell(k.Local) }),
		report.Define(column{Path: "simd", Kind: report.Integer}, func(k *manyKernel) cell { return report.OptInt(k.SIMD) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(k *manyKernel) cell { return report.OptText(unit.NonZero(string(k.Direction))) }),
		report.Define(column{Key: "runs", Path: "runs", Always: true, Title: "Runs", Kind: report.Integer, Drop: 6, In: in, Doc: "with a measured value"}, func(k *manyKernel) cell { return report.IntCell(k.N) }),
		report.Define(column{Key: "predicted_average_percent", Path: "predicted_average_percent", Title: "Predicted average", Brief: "Predicted", Kind: report.Percent, Drop: 5, In: in}, func(k *manyKernel) cell { return report.OptPercent(k.Predicted) }),
		report.Define(column{Key: "median_percent", Path: "median_percent", Group: "Measured", Title: "median", Kind: report.Percent, In: in}, func(k *manyKernel) cell { return report.OptPercent(k.Median) }),
		report.Define(column{Key: "lowest", Group: "Measured", Title: "lowest", Kind: report.Percent, In: in}, func(k *manyKernel) cell { return k.at(k.Lowest) }),
		report.Define(column{Key: "highest", Group: "Measured", Title: "highest", Kind: report.Percent, Drop: 8, In: in}, func(k *manyKernel) cell { return k.at(k.Highest) }),
		report.Define(column{Key: "spread", Path: "mad_points", Title: "MAD", Unit: "points", Kind: report.Number, Decimals: 2, Drop: 4, In: in}, func(k *manyKernel) cell { return report.OptNum(report.Number, k.MAD, 1) }),
		report.Define(column{Key: "off", Title: "Off in", Kind: report.Text, Fold: true, In: in}, func(k *manyKernel) cell { return report.TextCell(k.off) }),
		report.Define(column{Path: "measured_percent", Always: true, Kind: report.Array, Of: report.ColumnsOf(measured), Doc: "of each run, in their order"},
			func(k *manyKernel) cell { return report.RowsCell(report.NewTable("", "", k.Measured, measured)) }),
	}
}()

// byRun has a column for each run, for files.
func byRun(s *diff.Runs) (list []report.Col[manyKernel]) {
	for i := range s.Runs {
		list = append(list, report.Define(column{Key: "run_" + strconv.Itoa(i+1), Title: report.OneLine(s.Runs[i].Name), Kind: report.Percent, In: report.Files, Role: report.Heat},
			func(k *manyKernel) cell { return report.OptPercent(k.Measured[i]) }))
	}
	return list
}

// ValidateRuns is the value of `validate` over several runs, schema occudiff/validate-runs/1.
// Each run has the value that validate gives of it alone, so that a script reads both with the same code.
type ValidateRuns struct {
	Schema   string        `json:"schema"`
	Findings *report.Table `json:"findings" jsonschema:"what stands out, the worst first"`
	Runs     []ValidateRun `json:"runs"`
	Kernels  *report.Table `json:"kernels" jsonschema:"each over all runs, by time"`
}

// ValidateRun is one of several runs. Counts of its verdicts are in the summary of the run.
type ValidateRun struct {
	Name      string                 `json:"name"`
	Lacks     int                    `json:"kernels_missing"`
	GPUTime   unit.Opt[unit.Seconds] `json:"gpu_seconds"`
	Off       unit.Opt[unit.Points]  `json:"off_points"`
	TimeRatio unit.Opt[float64]      `json:"time_ratio"`
	Findings  []string               `json:"findings" jsonschema:"in which ways the run stands out"`
	Run       *rundoc.Validate       `json:"run"`
}

func runsValue(s *diff.Runs) ValidateRuns {
	runs := report.ListOf(s.Runs, func(r diff.RunOfMany) ValidateRun {
		return ValidateRun{r.Name, r.Lacks, r.Summary.GPUTime, r.Off, r.TimeRatio, report.Words(r.Findings), rundoc.Value(r.Result)}
	})
	return ValidateRuns{runsSchema, report.NewTable("findings", "", allFindings(s), findingColumns), runs,
		report.NewTable("kernels", "", kernelsOfMany(s, s.Kernels), manyColumns)}
}

// findingShown are the columns that people see, in their order.
var findingShown = []string{"n", "run", "kernel", "measured", "points", "time", "finding"}

var findingColumns = slices.Concat([]report.Col[findingRow]{
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
	report.Define(column{Key: "kernel", Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere}, func(f *findingRow) cell {
		if f.kernel == nil {
			return report.TextCell("all")
		}
		return report.TextCell(report.KernelName(f.kernel.Task))
	}),
	report.Define(column{Key: "points", Path: "points", Title: "Off", Kind: report.Points, In: report.Everywhere, Doc: "off the other runs; of a whole run the median over its kernels"},
		func(f *findingRow) cell { return report.OptPoints(f.Off) }),
	report.Define(column{Key: "time", Path: "time_ratio", Title: "Time / others", Brief: "Time", Kind: report.Number, Decimals: 2, In: report.Everywhere, Doc: "of a launch, against the other runs"},
		func(f *findingRow) cell { return report.OptNum(report.Number, f.run.TimeRatio, 1) }),
}, report.Within("", "", func(f *findingRow) *findingRow {
	if f.kernel == nil {
		return nil
	}
	return f
}, []report.Col[findingRow]{ // of a finding that is not of the whole run
	report.Define(column{Path: "kernel", Kind: report.Name, Doc: "null where it is the whole run"}, func(f *findingRow) cell { return report.NameCell(f.kernel.Task) }),
	report.Define(column{Path: "measured_percent", Kind: report.Percent, Doc: "of the kernel in this run"}, func(f *findingRow) cell { return report.OptPercent(f.kernel.Measured[f.Run]) }),
	report.Define(column{Path: "median_percent", Kind: report.Percent, Doc: "of the kernel over all runs"}, func(f *findingRow) cell { return report.OptPercent(f.kernel.Median) }),
	report.Define(column{Key: "measured", Title: "Measured", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell {
		return report.TextCell(report.Decimal(f.kernel.Measured[f.Run].Or(0).Percent(), 1) + " of " + report.PercentText(f.kernel.Median.Or(0).Percent()))
	}),
}))
