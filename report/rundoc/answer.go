package rundoc

import (
	"occudiff/compare"
	"occudiff/predict/arch"
	"occudiff/report"
)

// Answer gives a compared run in every form. devices are those that a workbook can predict for, beside that of the run.
func Answer(r *compare.Result, prov report.Provenance, devices []arch.Device) *report.Answer {
	return &report.Answer{
		Chart: overTimeChart(r),
		Make:  func() *report.Document { return FromResult(r, prov, devices...) },
		Value: validateValue(r),
		Table: csvTable(r),
		Tests: func() *report.TestSuite { return TestSuiteFrom(r, prov) },
	}
}
