package sample

import (
	"occudiff/compare"
	"occudiff/report"
)

// Whole gives the value of the JSON contract with all its rows; outputs write them one by one instead.
func Whole(r *compare.Result) *report.Validate {
	v := report.ValidateFrame(r)
	for row := range report.ValidateRows(r) {
		v.Rows = append(v.Rows, row)
	}
	return v
}
