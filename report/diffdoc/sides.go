package diffdoc

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const sidesSchema = "occudiff/diff-sides/1"

// SidesOutput is the JSON output of `occudiff diff` of more than two sides.
type SidesOutput struct {
	Schema string        `json:"schema"`
	Sides  []*DiffOutput `json:"sides" jsonschema:"each of the others against the first"`

	Sensitivities *report.Table `json:"sensitivities" jsonschema:"time per work-item against occupancy over all sides, if nothing else was changed"`
}

// several answers how several sides compare with a first one: a row for each kernel with a column for each side, then
// each side against the first.
// All sides are held against one, and not against each other: of five that would be ten comparisons.
func several(s *diff.Sides, prov report.Provenance) *report.Answer {
	v := SidesOutput{sidesSchema, report.ListOf(s.Against, newOutput), sensitivityTable(sensitivitiesOfSides(s))}
	return &report.Answer{Doc: sidesDocument(s, prov), Value: v, Table: sidesCSV(s, prov.Show),
		Card: func() *report.Card { return report.Unusable("a card is of two sides: give OLD and one NEW", 0, 0) },
		Tests: func() *report.TestSuite {
			var host string
			all := joined("diff", sideNames(s), prov, func(i int, prov report.Provenance) *report.TestSuite {
				one := suite(s.Against[i], prov)
				host = one.Host
				return one
			})
			all.Host = host
			return all
		}}
}

// sideNames are those of all sides: the ends of their paths, whole paths where these are alike.
func sideNames(s *diff.Sides) []string {
	var short, long []string
	for _, d := range s.Against {
		name := report.OneLine(d.New.Name)
		short, long = append(short, path.Base(name)), append(long, name)
	}
	// Sides are often folders of one name under different ones: base/run, new/run.
	if sorted := slices.Sorted(slices.Values(short)); len(slices.Compact(sorted)) < len(short) {
		return long
	}
	return short
}

func sidesDocument(s *diff.Sides, prov report.Provenance) *report.Document {
	first, names := s.Against[0], sideNames(s)
	view, left := *s, []string(nil)
	view.Kernels, left = shownKernels(s.Kernels, prov.Show, func(k *diff.KernelOfSides) report.Candidate {
		return candidate(k.Worst(), prov.Show)
	})
	m := matrix{
		doc: &report.Document{Title: "GPU occupancy of " + strconv.Itoa(len(names)+1) + " sides",
			Version: prov.Version, Subject: "Each side against the first, kernel by kernel",
			Headline: []string{"First: " + sideText(&first.Old)}, Closing: sidesClosing(s, names)},
		attention: report.Section{Title: "Kernels that differ", Items: sidesAttention(s, names, prov.Show)},
		none:      "None.",
		overview:  report.Section{Key: "sides", Title: "Sides", Tables: []*report.Table{sidesTable(s, names)}},
		kernels: append(sensitivitySections(sensitivitiesOfSides(&view)), report.Section{
			Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels",
			Text: []string{"Kernels with a regression on any side come first. Changes are in points against the " +
				"first side."},
			Tables: []*report.Table{sidesKernels(&view, names)}}),
		heat: sidesHeatMap(&view, names),
		last: []report.Section{ruleSection(first), report.NoteSection(report.RunNotes(SidesNotes(s))),
			sidesProvenance(s, prov)},
	}
	for i, r := range s.Against {
		m.doc.Headline = append(m.doc.Headline, names[i]+": "+sideText(&r.New)+"; changed: "+changedText(r.Changes))
		m.dates = append(m.dates, dateOf(r))
		r = shown(r, prov.Show)
		t := kernelTable(r)
		// A terminal has the one table of all sides; these are sheets and sections to look things up in.
		t.Key, t.Form, t.In = sideKey(i)+"-kernels", report.Grid, report.Files
		m.columns = append(m.columns, report.Section{Key: sideKey(i), Title: names[i] + " against the first",
			Sheet: strconv.Itoa(i+1) + " " + names[i], In: report.Files, Text: append(headline(r), closing(r)),
			Tables: []*report.Table{t}})
	}
	m.doc.Headline = append(m.doc.Headline, left...)
	return m.document()
}

func sideKey(i int) string { return "side-" + strconv.Itoa(i+1) }

// SidesNotes are the notes of all sides; what several of them say stands once.
func SidesNotes(s *diff.Sides) (notes []note.Note) {
	for _, d := range s.Against {
		for _, n := range d.Notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// sidesProvenance says what was compared: the runs of the first side once, those of each other side.
func sidesProvenance(s *diff.Sides, prov report.Provenance) report.Section {
	all := *s.Against[0]
	all.New.Runs = nil
	for _, r := range s.Against {
		all.New.Runs = append(all.New.Runs, r.New.Runs...)
	}
	return provenanceSection(&all, prov)
}

// sidesClosing says how many regressions each side has.
func sidesClosing(s *diff.Sides, names []string) string {
	var parts []string
	for i, d := range s.Against {
		n := "none"
		if k := d.Summary.Regressions; k > 0 {
			n = report.Thousands(int64(k))
		}
		parts = append(parts, n+" in "+names[i])
	}
	return fmt.Sprintf("Regressions in %s against the first side, at a threshold of %s points: %s.",
		unit.Counted(len(s.Kernels), "kernel", "kernels"),
		report.Shortest(float64(s.Against[0].Options.Threshold)), strings.Join(parts, ", "))
}

// sideRow is a side in the table of sides.
type sideRow struct {
	Name         string            `col:"Side; cut; role=code"`
	Runs         int               `col:"Runs; drop=2"`
	Regressions  report.Cell       `col:"regression; group=Verdicts; kind=integer"`
	Changed      int               `col:"changed launch; group=Verdicts; drop=3"`
	Faster       int               `col:"faster; group=Verdicts"`
	Improvements int               `col:"improvement; group=Verdicts; drop=4"`
	Unchanged    int               `col:"unchanged; group=Verdicts"`
	Rest         int               `col:"not compared; group=Verdicts; drop=5"`
	Time         unit.Opt[float64] `col:"Time, side / first; decimals=2; drop=1"`
}

func sidesTable(s *diff.Sides, names []string) *report.Table {
	t := report.Rows("sides", len(s.Against), func(i int) sideRow {
		d := s.Against[i]
		m := &d.Summary
		r := sideRow{Name: names[i], Runs: len(d.New.Runs), Regressions: report.IntCell(m.Regressions),
			Faster:  m.Faster,
			Changed: m.ChangedLaunch + m.ChangedDevice, Improvements: m.Improvements, Unchanged: m.Unchanged,
			Rest: m.NotComparable + m.OnlyOld + m.OnlyNew, Time: m.TimeRatio}
		if m.Regressions > 0 {
			r.Regressions.Status = report.Bad
		}
		return r
	})
	for i := range s.Against {
		t.Leads = append(t.Leads, sideKey(i))
	}
	return t
}

// sidesKernels has a row for each kernel, and for each side what it measures and how far that is from the first.
// Its columns are made by functions, for their number is that of the sides.
func sidesKernels(s *diff.Sides, names []string) *report.Table {
	const all = report.Everywhere
	t := &report.Table{Key: report.SectionKernels, Len: len(s.Kernels), Main: len(s.Kernels), In: all,
		Form: report.Browser, Columns: []report.Column{
			{Key: "task", Title: "Kernel", Kind: report.Text, In: all, Cut: true, Role: report.Code},
			{Key: "shape", Title: "Launch", Kind: report.Text, In: all, Drop: 1, Role: report.Code},
			{Key: "first_percent", Title: "First", Unit: "%", Kind: report.Percent, In: all, Role: report.Heat}}}
	words := verdictWords()
	for i, name := range names {
		key := sideKey(i)
		t.Columns = append(t.Columns,
			report.Column{Key: key + "_percent", Group: name, Title: "measured", Unit: "%", Kind: report.Percent,
				In: all, Drop: 2, Role: report.Heat},
			report.Column{Key: key + "_change", Group: name, Title: "change", Unit: "points", Kind: report.Points,
				In: all},
			report.Column{Key: key + "_verdict", Group: name, Title: "verdict", Kind: report.Text, In: report.Files,
				Words: words})
	}
	t.Columns = append(t.Columns, report.Column{Key: "verdict", Title: "Worst", Kind: report.Text, In: all,
		Words: words, Role: report.Choice})
	for t.Attention < len(s.Kernels) && s.Kernels[t.Attention].Worst().Verdict != diff.Unchanged {
		t.Attention++
	}
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		k := &s.Kernels[i]
		worst := k.Worst()
		dst = append(dst, report.TextCell(report.KernelName(worst.Task)), report.TextCell(shapeText(worst)),
			report.OptNum(report.Percent, firstMedian(k), 1))
		for _, r := range k.Rows {
			// The side does not have this kernel, nor has the first.
			if r == nil {
				dst = append(dst, report.Cell{}, report.Cell{}, report.Cell{})
				continue
			}
			dst = append(dst, report.OptNum(report.Percent, r.Measured().New.Median, 1),
				changeCell(r.Measured(), report.Points), verdictCell(r.Verdict))
		}
		return append(dst, verdictCell(worst.Verdict))
	}
	return t
}

// firstMedian is what the first side measures.
func firstMedian(k *diff.KernelOfSides) unit.Opt[float64] {
	if r := k.First(); r != nil {
		return r.Measured().Old.Median
	}
	return unit.Opt[float64]{}
}

// sidesAttention says of each side which kernels are not the same, and why.
func sidesAttention(s *diff.Sides, names []string, show report.Selection) (items []report.Item) {
	for i, d := range s.Against {
		for _, it := range movedSection(shown(d, show)).Items {
			it.Text = names[i] + ": " + it.Text
			items = append(items, it)
		}
	}
	return items
}

// sidesHeatMap shows what every side measures.
func sidesHeatMap(s *diff.Sides, names []string) *report.Plot {
	rows := report.ListOf(s.Kernels, func(k diff.KernelOfSides) report.HeatRow {
		row := report.HeatRow{Name: report.KernelName(k.Worst().Task),
			Values: []float64{firstMedian(&k).Or(math.NaN())}}
		for _, r := range k.Rows {
			x := math.NaN()
			if r != nil {
				x = r.Measured().New.Median.Or(x)
			}
			row.Values = append(row.Values, x)
		}
		return row
	})
	return heatMap("side", "", append([]string{"first"}, names...), rows)
}

// sidesCSV has the rows of each side, with the side in the first column.
// Sides stand below each other there, as data frames group by a column.
func sidesCSV(s *diff.Sides, show report.Selection) *report.Table {
	type row struct {
		side string
		*kernel
	}
	columns := append([]report.Col[row]{report.Define(column{Key: "side", Kind: report.Text, In: report.Data},
		func(r *row) cell { return report.TextCell(r.side) })},
		report.Within("", "", func(r *row) *kernel { return r.kernel }, kernelColumns)...)
	var rows []row
	for _, d := range s.Against {
		list := rowsOf(shown(d, show))
		for i := range list {
			rows = append(rows, row{d.New.Name, &list[i]})
		}
	}
	return report.NewTable("rows", "", rows, columns)
}
