package rundoc

import (
	"occudiff/compare"
	"occudiff/predict/arch"
	"occudiff/report"
)

// Answer gives a compared run in every form. label tells the test cases of several runs apart; empty leaves that of
// prov. devices are those that a workbook can predict for, beside that of the run.
func Answer(r *compare.Result, prov report.Provenance, label string, devices []arch.Device) *report.Answer {
	return &report.Answer{
		Make:  func() *report.Document { return FromResult(r, prov, devices...) },
		Value: validateValue(r),
		Table: csvTable(r),
		Tests: func() *report.TestSuite {
			if label != "" {
				prov.Label = label
			}
			return TestSuiteFrom(r, prov)
		},
	}
}

// Together gives several runs, each named by its folder, in the forms that are one value: JSON and CSV.
func Together(names []string, results []*compare.Result) *report.Answer {
	v := ValidateRuns{Schema: "occudiff/validate-runs/1", Runs: []ValidateRun{}}
	for i, r := range results {
		v.Runs = append(v.Runs, ValidateRun{Name: names[i], Run: validateValue(r)})
	}
	return &report.Answer{Value: v, Table: csvTable(results...)}
}
