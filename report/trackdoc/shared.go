package trackdoc

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// sharedItems are the items about what many series have in common.
func (m metric) sharedItems(list []track.Shared) []report.Item {
	var items []report.Item
	for i := range list {
		s := &list[i]
		status := report.Bad
		if s.Anew {
			status = report.Muted
		}
		items = append(items, report.Item{Lead: report.OneLine(s.Device), Text: m.sharedText(s),
			Links: m.refLinks(&s.First, &s.Before), Status: status})
	}
	return items
}

// sharedTitle is a shared finding in a few words.
// It gives both counts: 150 of 300 series of a device say more of the machine than two of three.
func sharedTitle(s *track.Shared) string {
	if s.Anew && s.GoesOn {
		return fmt.Sprintf("%s: %d of %d series go on with a change", report.OneLine(s.Device), len(s.Series), s.Of)
	}
	if s.Anew {
		return fmt.Sprintf("%s: %d of %d series begin anew", report.OneLine(s.Device), len(s.Series), s.Of)
	}
	return fmt.Sprintf("%s: %d of %d series moved at once", report.OneLine(s.Device), len(s.Series), s.Of)
}

// sharedText says what many series have in common.
func (m metric) sharedText(s *track.Shared) string {
	text := "With " + runName(&s.First) + ". "
	if len(s.Changed) > 0 {
		text = report.UpperFirst(changedText(s)) + " w" + text[1:]
	}
	if s.Anew && s.GoesOn {
		return text + fmt.Sprintf("%d of %s of %s go on with it, %s the runs before in the median, by which "+
			"they are judged.", len(s.Series), unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device),
			m.side(s.Median))
	}
	if s.Anew {
		return text + fmt.Sprintf("%d of %s of %s begin anew, and %s needed for a verdict.", len(s.Series),
			unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device),
			unit.Counted(m.Gate.Learning-s.Series[0].Gate.Index, "more run is", "more runs are"))
	}
	alarms := 0
	for _, t := range s.Series {
		if t.Severity() == track.SeverityAlarm {
			alarms++
		}
	}
	text += fmt.Sprintf("%d of %s of %s moved at once, by %s in the median", len(s.Series),
		unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device), m.difference(s.Median))
	// Alarms are of the newest run alone, and one run that is off in many kernels may be one bad run.
	switch alarms {
	case 0:
	case len(s.Series):
		text += "; the next run confirms that or not"
	default:
		text += fmt.Sprintf("; of %d the next run confirms that or not", alarms)
	}
	return text + ". One cause is more likely than as many."
}

// changedText says what changed: host node7 -> node9.
func changedText(s *track.Shared) string {
	var words []string
	for _, c := range s.Changed {
		words = append(words, c.What+" "+report.OneLine(c.From)+" -> "+report.OneLine(c.To))
	}
	return strings.Join(words, ", ")
}

// fewSeries is up to how many series a terminal lists all of them, whatever their verdicts are.
const fewSeries = 20

// findingsFirst makes a terminal list of many series those that somebody should look at; the closing line counts the
// rest.
func findingsFirst(t *report.Table, list []*track.Series, show report.Selection) *report.Table {
	if len(list) <= fewSeries || show.Chosen() {
		return t
	}
	t.Main = 0
	for _, s := range list {
		if s.NeedsAttention() && s.Shared == nil {
			t.Main++
		}
	}
	return t
}

// shown gives the series that people want to see, and says what is left out.
func shown(list []*track.Series, show report.Selection) (some []*track.Series, left []string) {
	some, notes := report.Select(show, list, "series", func(s **track.Series) report.Candidate {
		return report.Candidate{Task: (*s).Key.Task, Value: math.Abs((*s).Off())}
	})
	return some, report.NotWhole(notes)
}
