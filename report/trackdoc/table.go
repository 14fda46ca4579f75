package trackdoc

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/report"
)

// timestamp is a time for programs, in RFC 3339; people read it to the minute.
type timestamp string

func stamp(t time.Time) timestamp { return timestamp(t.UTC().Format(time.RFC3339Nano)) }

// Cell implements the cell of a table.
// JSON and CSV have the whole time: two runs of one minute stay apart.
func (t timestamp) Cell() report.Cell {
	at, err := time.Parse(time.RFC3339Nano, string(t))
	if err != nil {
		return report.TextCell(string(t))
	}
	return report.TextCell(when(at))
}

// commit is a commit, of which people read the beginning.
type commit string

// Cell implements the cell of a table.
func (c commit) Cell() report.Cell { return report.TextCell(shortCommit(string(c))) }

// probability is printed in few characters.
type probability float64

// Cell implements the cell of a table.
func (p probability) Cell() report.Cell { return report.TextCell(p.String()) }

// Three decimals, but never 0.000: a p of a permutation or of Student's t is small and not 0.
func (p probability) String() string {
	if p > 0 && p < 0.0005 {
		return strconv.FormatFloat(float64(p), 'e', 0, 64)
	}
	return report.Decimal(float64(p), 3)
}

// inputs are the files of a run, of which people read the names.
type inputs []report.InputValue

// Cell implements the cell of a table.
func (list inputs) Cell() report.Cell {
	names := report.ListOf(list, func(in report.InputValue) string { return in.Path })
	return report.TextCell(strings.Join(names, ", "))
}

// finding is a verdict with its color.
type finding report.Cell

// Cell implements the cell of a table.
func (f finding) Cell() report.Cell { return report.Cell(f) }

// Words are the verdicts that it may begin with.
func (finding) Words() []report.Word {
	return report.ListOf(outcomes, func(o trend.Outcome) report.Word {
		return report.Word{Text: string(o), Status: outcomeStatus(o)}
	})
}

// keyColumns begin a table of series: a device, driver or program that all share stands in the headline of a terminal
// only.
func keyColumns(list []*track.Series) []string {
	part := func(column string, of func(*history.Key) string) string {
		for _, s := range list {
			if of(&s.Key) != of(&list[0].Key) {
				return column
			}
		}
		return column + "; in=page+sheet"
	}
	columns := []string{"series", part("device: Device; cut; drop=5", func(k *history.Key) string { return k.Device }),
		part("driver: Driver; cut; drop=4", func(k *history.Key) string { return k.Driver })}
	if slices.ContainsFunc(list, func(s *track.Series) bool { return s.Key.Program != "" }) {
		columns = append(columns,
			part("program: Program; cut; drop=4", func(k *history.Key) string { return k.Program }))
	}
	return columns
}

// gateColumns are the occupancies that the newest run has, its value, the figures of the gate and its word. In a report
// all series have the window that the rule names.
func (m metric) gateColumns(inReport bool, list []*track.Series) []string {
	var both []string
	if m.Metric.Metric == history.Occupancy {
		on := func(what history.Metric, column string) string {
			if slices.ContainsFunc(list, func(s *track.Series) bool { return s.On == what }) {
				return column
			}
			return column + "; in=page+sheet"
		}
		both = []string{"judged_by", on(history.Loaded, m.heading("measured", "Measured")+"; drop=6"),
			m.heading("loaded", "Loaded") + "; in=page+sheet"}
	}
	window, n := "window", "n"
	if inReport {
		window, n = "window: Window; in=sheet", "n: Earlier runs; brief=n; drop=2; in=page+sheet"
	}
	return append(both, m.heading("value", "Newest"), m.heading("median", "Median")+"; drop=6", m.madColumn(3),
		m.heading("threshold", "Threshold"), n, window, "in_a_row", "finding", "verdict", "against",
		"first_bad=first_bad_run: First bad run; in=sheet", "first_bad_commit: First bad commit; in=sheet",
		"last_good=last_good_run: Last good run; in=sheet", "last_good_commit: Last good commit; in=sheet")
}

// seriesTable lists series, of which row makes rows. The first of them need attention.
func seriesTable[T any](list []*track.Series, row func(*track.Series) T, columns ...[]string) *report.Table {
	t := report.Rows(report.SectionSeries, len(list), func(i int) T { return row(list[i]) },
		append(keyColumns(list), slices.Concat(columns...)...)...)
	for _, s := range list {
		if s.NeedsAttention() {
			t.Attention++
		}
	}
	return t
}
