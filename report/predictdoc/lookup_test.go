package predictdoc_test

import (
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/compare/trend"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/predictdoc"
)

// TestEveryWordIsExplained checks that every value in an output and every
// column in a report has an explanation.
func TestEveryWordIsExplained(t *testing.T) {
	var words []string
	for _, c := range compare.Causes {
		words = append(words, c.Name)
	}
	words = append(words, report.Strings([]compare.Verdict{compare.Match, compare.MatchWhileBusy, compare.Below, compare.Above, compare.PeaksAgree, compare.Possible,
		compare.Unmeasurable, compare.NoPrediction, compare.NoMeasurement, compare.NotAKernel})...)
	words = append(words, report.Strings([]diff.Verdict{diff.Regression, diff.ChangedLaunch, diff.ChangedDevice, diff.Faster, diff.Improvement, diff.OnlyOld, diff.OnlyNew,
		diff.NotComparable, diff.Inconclusive, diff.Unchanged, diff.NotAKernel})...)
	words = append(words, report.Strings(compare.Parts())...)
	words = append(words, report.Strings(diff.BuildVerdicts())...)
	words = append(words, report.Strings([]trend.Outcome{trend.Learning, trend.OK, trend.Alarm, trend.Regression})...)
	words = append(words, predict.Limit(^predict.Limit(0)).Names()...)
	words = append(words, predict.Free.String(), predict.Whole.String(), predict.Auto.String(), "partial")
	for _, c := range sample.Find(sample.Output(sample.Gaussian()).Document(), report.SectionKernels).Columns {
		words = append(words, c.Heading(), c.Key)
	}
	words = append(words, "matches while it runs", "cannot run", "XVEs were idle", "mean over time", "incident")
	for _, run := range []*compare.Result{sample.Gaussian(), sample.Many(40), sample.Absent()} { // the cells of a summary
		rows := sample.Output(run).Document().Summary.Rows
		for i := range rows.Len {
			for _, key := range []string{"why", "help"} {
				if at := rows.Column(key); at >= 0 {
					words = append(words, strings.Split(rows.Columns[at].Print(rows.Row(i, nil)[at]), ", ")...)
				}
			}
		}
	}
	for _, w := range words {
		if strings.Trim(w, "-") == "" {
			continue
		}
		ans, err := predictdoc.Explain(w)
		if err != nil {
			t.Errorf("%q: %v", w, err)
			continue
		}
		if len(ans.Doc.Sections) == 0 || len(ans.Doc.Sections[0].Items) == 0 {
			t.Errorf("%q has no text", w)
		}
	}
}

// TestEveryCauseIsDocumented checks that the glossary has all texts for every
// cause, in the order in which compare lists the causes.
func TestEveryCauseIsDocumented(t *testing.T) {
	terms := report.Terms()[0].Terms
	if len(terms) != len(compare.Causes) {
		t.Fatalf("%d texts for %d causes", len(terms), len(compare.Causes))
	}
	for i, info := range compare.Causes {
		if c := terms[i]; c.Name != info.Name || c.Meaning == "" || c.DetectedBy == "" || c.Action == "" || c.With == "" {
			t.Errorf("text %d: %+v, want all of %s", i, c, info.Name)
		}
	}
}

// TestKinds checks that paragraphs of the same kind are next to each other in
// the glossary, and that each has a meaning. A misspelled keyword would be read
// as a new kind.
func TestKinds(t *testing.T) {
	for _, k := range report.Terms() {
		for _, term := range k.Terms {
			if term.Kind != k.Kind || term.Name == "" || term.Meaning == "" {
				t.Errorf("among the terms of the kind %s is %+v", k.Kind, term)
			}
		}
	}
}

// TestNamesAreUnique checks that no two terms of the same kind have the same
// name.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	ans := predictdoc.Glossary()
	for i := range ans.Table.Len {
		row := ans.Table.Row(i, nil)
		key := row[ans.Table.Column("kind")].Text + " " + strings.ToLower(row[ans.Table.Column("name")].Text)
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
	}
}
