package rundoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// statusOf is the color that says a verdict again.
func statusOf(v compare.Verdict) report.Status {
	switch v {
	case compare.Match, compare.Idle:
		return report.Good
	case compare.Below, compare.Above:
		return report.Bad
	case compare.Unmeasurable:
		return report.Unsure
	}
	return report.Muted
}

// verdictWord is the word of a verdict with its color.
type verdictWord compare.Verdict

// Cell implements the cells of report.Rows.
func (v verdictWord) Cell() report.Cell {
	return report.StatusCell(string(v), statusOf(compare.Verdict(v)))
}

// Words implements the words of report.Rows.
func (v verdictWord) Words() []report.Word {
	return report.ListOf(compare.Verdicts(), func(v compare.Verdict) report.Word {
		return report.Word{Text: string(v), Status: statusOf(v)}
	})
}
