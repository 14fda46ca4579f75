package diffdoc

import (
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
	row := runRow{Name: report.OneLine(r.Name), Kernels: r.Summary.Kernels, Lacks: r.Lacks, GPUTime: r.Summary.GPUTime,
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
	Schema  string        `json:"schema"`
	Runs    []ValidateRun `json:"runs"`
	Kernels []manyRow     `json:"kernels" jsonschema:"each over all runs, by time"`
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
	return ValidateRuns{runsSchema, runs, kernels}
}
