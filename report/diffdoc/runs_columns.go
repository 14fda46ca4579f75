package diffdoc

import (
	"slices"
	"strconv"

	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// manyColumns are a kernel over all runs.
var manyColumns = func() []report.Col[diff.KernelOfMany] {
	const in = report.Everywhere
	measured := report.ListColumns(report.Percent, func(o *unit.Opt[unit.Ratio]) cell { return report.OptPercent(*o) })
	return []report.Col[diff.KernelOfMany]{
		report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, Role: report.Code, In: in, Doc: "as printed, line ends included"}, func(k *diff.KernelOfMany) cell { return report.NameCell(k.Task) }),
		report.Define(column{Key: "shape", Title: "Launch", Kind: report.Text, Drop: 2, Cut: true, Role: report.Code, In: in}, func(k *diff.KernelOfMany) cell { return report.TextCell(rundoc.Shape(&k.Kernel)) }),
		report.Define(column{Path: "global", Always: true, Kind: report.Size}, func(k *diff.KernelOfMany) cell { return report.SizeCell(k.Global) }),
		report.Define(column{Path: "local", Always: true, Kind: report.Size}, func(k *diff.KernelOfMany) cell { return report.SizeCell(k.Local) }),
		report.Define(column{Path: "simd", Kind: report.Integer}, func(k *diff.KernelOfMany) cell { return report.OptInt(k.SIMD) }),
		report.Define(column{Path: "direction", Kind: report.Text}, func(k *diff.KernelOfMany) cell { return report.OptText(unit.NonZero(string(k.Direction))) }),
		report.Define(column{Key: "runs", Path: "runs", Always: true, Title: "Runs", Kind: report.Integer, Drop: 6, In: in, Doc: "with a measured value"}, func(k *diff.KernelOfMany) cell { return report.IntCell(k.N) }),
		report.Define(column{Key: "predicted_average_percent", Path: "predicted_average_percent", Title: "Predicted average", Brief: "Predicted", Kind: report.Percent, Drop: 5, In: in}, func(k *diff.KernelOfMany) cell { return report.OptPercent(k.Predicted) }),
		report.Define(column{Key: "median_percent", Path: "median_percent", Group: "Measured", Title: "median", Kind: report.Percent, In: in}, func(k *diff.KernelOfMany) cell { return report.OptPercent(k.Median) }),
		report.Define(column{Key: "lowest", Group: "Measured", Title: "lowest", Kind: report.Percent, In: in}, func(k *diff.KernelOfMany) cell { return report.OptPercent(k.Lowest) }),
		report.Define(column{Key: "highest", Group: "Measured", Title: "highest", Kind: report.Percent, Drop: 8, In: in}, func(k *diff.KernelOfMany) cell { return report.OptPercent(k.Highest) }),
		report.Define(column{Path: "measured_percent", Always: true, Kind: report.Array, Of: report.ColumnsOf(measured), Doc: "of each run, in their order"},
			func(k *diff.KernelOfMany) cell { return report.RowsCell(report.NewTable("", "", k.Measured, measured)) }),
	}
}()

// byRun says in which runs a kernel is off and how far, and has a column for each run, for files.
func byRun(s *diff.Runs) []report.Col[diff.KernelOfMany] {
	list := []report.Col[diff.KernelOfMany]{report.Define(column{Key: "off", Title: "Off in", Kind: report.Text, Fold: true, In: report.Everywhere}, func(k *diff.KernelOfMany) cell {
		return report.ListCell(report.ListOf(k.Findings, func(f diff.Finding) string {
			return report.OneLine(s.Runs[f.Run].Name) + " " + report.Signed(float64(f.Off.Or(0)), 1)
		}))
	})}
	for i := range s.Runs {
		list = append(list, report.Define(column{Key: "run_" + strconv.Itoa(i+1), Title: report.OneLine(s.Runs[i].Name), Kind: report.Percent, In: report.Files, Role: report.Heat},
			func(k *diff.KernelOfMany) cell { return report.OptPercent(k.Measured[i]) }))
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
		report.NewTable("kernels", "", s.Kernels, manyColumns)}
}

// findingTable is what stands out, for people.
func findingTable(rows []findingRow) *report.Table {
	return report.NewTable("findings", "", rows, findingColumns).Show("n", "run", "kernel", "measured", "points", "time", "finding")
}

var findingColumns = slices.Concat([]report.Col[findingRow]{
	report.Define(column{Key: "n", Title: "#", Kind: report.Text, In: report.Everywhere}, func(f *findingRow) cell { return report.OptText(f.number) }),
	report.Define(column{Key: "run", Path: "run", Always: true, Title: "Run", Kind: report.Text, Cut: true, Role: report.Code, In: report.Everywhere},
		func(f *findingRow) cell { return report.TextCell(f.run.Name) }),
	report.Define(column{Path: "finding", Always: true, Kind: report.Text}, func(f *findingRow) cell { return report.TextCell(string(f.What)) }),
	report.Define(column{Key: "finding", Title: "Stands out", Kind: report.Text, Fold: true, In: report.Everywhere}, func(f *findingRow) cell {
		text := f.ways()
		switch {
		case f.run.CopyOf != "":
			text += " of " + report.OneLine(f.run.CopyOf) + ", left out"
		case f.more > 0:
			text += "; " + unit.Counted(f.more, "more kernel is off", "more kernels are off")
		}
		return report.StatusCell(text, f.status())
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
		return report.TextCell(report.Decimal(f.kernel.Measured[f.Run].Or(0).Percent(), 1) + " of " + report.PercentText(f.kernel.Median.Or(0)))
	}),
}))
