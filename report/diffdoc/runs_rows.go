package diffdoc

import (
	"strconv"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// runRow is a run in the table of runs.
// The order of drop is that in which a narrow terminal leaves columns out: matches and shortfalls stay longest.
type runRow struct {
	Name         string                 `json:"name" col:"Run; cut; role=code"`
	Host         string                 `json:"-" col:"Host; in=page+sheet"`
	Finding      report.Cell            `json:"-" col:"Stands out"`
	Kernels      int                    `json:"kernels" col:"Kernels; drop=7"`
	Lacks        int                    `json:"kernels_missing" col:"Missing; drop=6"`
	GPUTime      unit.Opt[unit.Seconds] `json:"gpu_seconds" col:"GPU time [s]; decimals=3; drop=5"`
	Off          unit.Opt[unit.Points]  `json:"off_points" col:"Off the median; brief=Off"`
	TimeRatio    unit.Opt[float64]      `json:"time_ratio" col:"Time / median; brief=Time ratio; decimals=2"`
	Matched      int                    `json:"matched" col:"match; group=Verdicts; drop=3"`
	Idle         int                    `json:"idle" col:"idle; group=Verdicts; drop=1"`
	Below        int                    `json:"below" col:"below; group=Verdicts; drop=4"`
	Above        int                    `json:"above" col:"above; group=Verdicts; drop=2"`
	Unmeasurable int                    `json:"unmeasurable" col:"unmeasurable; group=Verdicts; drop=1"`
}

func rowOfRun(r *diff.RunOfMany) runRow {
	row := runRow{Name: report.OneLine(r.Name), Host: report.OneLine(r.Platform.Host), Kernels: r.Summary.Kernels, Lacks: r.Lacks, GPUTime: r.Summary.GPUTime,
		Off:       r.Off,
		TimeRatio: r.TimeRatio, Matched: r.Summary.Matched, Idle: r.Summary.Idle,
		Below: r.Summary.Below, Above: r.Summary.Above, Unmeasurable: r.Summary.Unmeasurable}
	if len(r.Findings) > 0 {
		row.Finding = report.StatusCell(findings(r), findingStatus(r))
	}
	return row
}

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

// manyRow is a kernel over all runs.
// MAD is the median absolute deviation from the median; Spread is the same for people, with the decimals that small
// values need.
type manyRow struct {
	Task       report.Symbol          `json:"task" col:"Kernel; cut; role=code" jsonschema:"as printed, line ends included"`
	Global     unit.Size3             `json:"global" col:"Global; drop=2; role=code"`
	Local      unit.Size3             `json:"local" col:"Local; drop=1; role=code"`
	SIMD       unit.Opt[int]          `json:"simd" col:"SIMD; drop=3"`
	Direction  unit.Opt[string]       `json:"direction"`
	Runs       int                    `json:"runs" col:"Runs; drop=6" jsonschema:"with a measured value"`
	Predicted  unit.Opt[unit.Ratio]   `json:"predicted_average_percent" col:"Predicted average; brief=Predicted; drop=5"`
	Median     unit.Opt[unit.Ratio]   `json:"median_percent" col:"median [%]; group=Measured"`
	Lowest     unit.Opt[unit.Ratio]   `json:"-" col:"lowest [%]; group=Measured"`
	Highest    unit.Opt[unit.Ratio]   `json:"-" col:"highest [%]; group=Measured; drop=8"`
	LowestRun  string                 `json:"-" col:"Lowest in; cut; role=code"`
	HighestRun string                 `json:"-" col:"Highest in; cut; role=code; drop=7"`
	MAD        unit.Opt[unit.Points]  `json:"mad_points"`
	Spread     report.Cell            `json:"-" col:"MAD [points]; decimals=2; drop=4; kind=number"`
	Measured   []unit.Opt[unit.Ratio] `json:"measured_percent" jsonschema:"of each run, in their order"`
}

func rowOfMany(s *diff.Runs, k *diff.KernelOfMany) manyRow {
	row := manyRow{Task: report.Symbol(k.Task), Global: k.Global, Local: k.Local, SIMD: k.SIMD,
		Direction: unit.NonZero(string(k.Direction)),
		Runs:      k.N, Predicted: k.Predicted, Median: k.Median, MAD: k.MAD, Measured: k.Measured}
	if mad, ok := k.MAD.Value(); ok {
		row.Spread = report.NumCell(report.Number, float64(mad))
	}
	if k.Lowest >= 0 {
		row.Lowest, row.LowestRun = k.Measured[k.Lowest], report.OneLine(s.Runs[k.Lowest].Name)
		row.Highest, row.HighestRun = k.Measured[k.Highest], report.OneLine(s.Runs[k.Highest].Name)
	}
	return row
}

// ValidateRuns is the value of `validate` over several runs, schema occudiff/validate-runs/1.
// Each run has the value that validate gives of it alone, so that a script reads both with the same code.
type ValidateRuns struct {
	Schema   string        `json:"schema"`
	Findings *report.Table `json:"findings" jsonschema:"what stands out, the worst first"`
	Runs     []ValidateRun `json:"runs"`
	Kernels  []manyRow     `json:"kernels" jsonschema:"each over all runs, by time"`
}

// ValidateRun is one of several runs.
type ValidateRun struct {
	runRow
	Findings []string         `json:"findings" jsonschema:"in which ways the run stands out"`
	Run      *rundoc.Validate `json:"run"`
}

func runsValue(s *diff.Runs) ValidateRuns {
	runs := report.ListOf(s.Runs, func(r diff.RunOfMany) ValidateRun {
		row := rowOfRun(&r)
		// Programs get the name as it is, people on one line.
		row.Name = r.Name
		return ValidateRun{row, report.Words(r.Findings), rundoc.Value(r.Result)}
	})
	kernels := report.ListOf(s.Kernels, func(k diff.KernelOfMany) manyRow { return rowOfMany(s, &k) })
	return ValidateRuns{runsSchema, findingTable(s), runs, kernels}
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
