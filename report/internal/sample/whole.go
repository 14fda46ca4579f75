package sample

import (
	"occudiff/compare"
	"occudiff/report/rundoc"
)

// Whole gives the value of the JSON contract with all its rows; outputs write them one by one instead.
func Whole(r *compare.Result) *rundoc.Validate {
	v := rundoc.ValidateFrame(r)
	for row := range rundoc.ValidateRows(r) {
		v.Rows = append(v.Rows, row)
	}
	return v
}
