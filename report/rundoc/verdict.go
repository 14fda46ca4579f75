package rundoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// statusOf is the color that says a verdict again.
func statusOf(v compare.Verdict) report.Status {
	switch v {
	case compare.Match, compare.Idle, compare.PeaksAgree:
		return report.Good
	case compare.Below, compare.Above:
		return report.Bad
	case compare.Unmeasurable:
		return report.Unsure
	}
	return report.Muted
}

// verdictCell is the word of a verdict with its color.
func verdictCell(v compare.Verdict) report.Cell { return report.StatusCell(string(v), statusOf(v)) }
