package diffdoc

import (
	"path"
	"slices"
	"strconv"

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
			return joined("diff", sideNames(s), prov, func(i int, prov report.Provenance) *report.TestSuite {
				return suite(s.Against[i], prov)
			})
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
	view := *s
	var left []note.Note
	view.Kernels, left = report.Select(prov.Show, s.Kernels, "kernels", func(k *diff.KernelOfSides) report.Candidate {
		return candidate(k.Worst(), prov.Show)
	})
	m := matrix{
		doc: &report.Document{Title: "GPU occupancy of " + strconv.Itoa(len(names)+1) + " sides", Version: prov.Version,
			Screen: screen(s, names, prov.Show), Subject: "Each side against the first, kernel by kernel"},
		overview: []report.Section{sidesAttention(s, names, prov.Show)},
		kernels: append(sensitivitySections(sensitivitiesOfSides(&view)), report.Section{
			Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels",
			Text: []string{"Kernels with a regression on any side come first. Changes are in points against the " +
				"first side."},
			Tables: []*report.Table{sidesKernels(&view, names)}}),
		heat: sidesHeatMap(&view, names),
		last: []report.Section{ruleSection(first), report.NoteSection(report.RunNotes(append(left, SidesNotes(s)...))),
			sidesProvenance(s, prov)},
	}
	for i, r := range s.Against {
		m.dates = append(m.dates, dateOf(r))
		t := kernelTable(shown(r, prov.Show))
		// A terminal has the one table of all sides; these are sheets and sections to look things up in.
		t.Key, t.Form, t.In = sideKey(i)+"-kernels", report.Grid, report.Files
		m.columns = append(m.columns, report.Section{Key: sideKey(i), Title: names[i] + " against the first",
			Sheet: strconv.Itoa(i+1) + " " + names[i], In: report.Files,
			Text:   []string{sideText(&r.New) + "; changed: " + changedText(r.Changes)},
			Tables: []*report.Table{t}})
	}
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

// sidesKernels has a row for each kernel, and for each side what it measures and how far that is from the first.
func sidesKernels(s *diff.Sides, names []string) *report.Table {
	type kernel = diff.KernelOfSides
	words := verdictWords()
	t := matrixTable(report.SectionKernels, s.Kernels, []report.Col[kernel]{
		report.Define(column{Key: "task", Title: "Kernel", Kind: report.Name, In: report.Everywhere, Cut: true, Role: report.Code},
			func(k *kernel) cell { return report.NameCell(k.Worst().Task) }),
		report.Define(column{Key: "shape", Title: "Launch", Kind: report.Text, In: report.Everywhere, Drop: 1, Role: report.Code},
			func(k *kernel) cell { return report.TextCell(shapeText(k.Worst())) }),
		report.Define(column{Key: "first_percent", Title: "First", Kind: report.Percent, In: report.Everywhere, Role: report.Heat},
			func(k *kernel) cell { return report.OptNum(report.Percent, firstMedian(k), 1) }),
	}, len(names), func(i int) []report.Col[kernel] {
		key := sideKey(i)
		return report.Within("", "", func(k *kernel) *diff.Row { return k.Rows[i] }, []report.Col[diff.Row]{
			report.Define(column{Key: key + "_percent", Group: names[i], Title: "measured", Kind: report.Percent, In: report.Everywhere, Drop: 2, Role: report.Heat},
				func(r *diff.Row) cell { return report.OptNum(report.Percent, r.Measured().New.Median, 1) }),
			report.Define(column{Key: key + "_change", Group: names[i], Title: "change", Kind: report.Points, In: report.Everywhere},
				func(r *diff.Row) cell { return changeCell(r.Measured(), report.Points) }),
			report.Define(column{Key: key + "_verdict", Group: names[i], Title: "verdict", Kind: report.Text, In: report.Files, Words: words},
				func(r *diff.Row) cell { return verdictCell(r.Verdict) }),
		})
	}, report.Define(column{Key: "verdict", Title: "Worst", Kind: report.Text, In: report.Everywhere, Words: words, Role: report.Choice},
		func(k *kernel) cell { return verdictCell(k.Worst().Verdict) }))
	t.Form = report.Browser
	for t.Attention < len(s.Kernels) && s.Kernels[t.Attention].Worst().Verdict != diff.Unchanged {
		t.Attention++
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
func sidesAttention(s *diff.Sides, names []string, show report.Selection) report.Section {
	all := movedSection(shown(s.Against[0], show))
	all.Items, all.Text = nil, nil
	for i, d := range s.Against {
		for _, it := range movedSection(shown(d, show)).Items {
			it.Text = names[i] + ": " + it.Text
			all.Items = append(all.Items, it)
		}
	}
	if len(all.Items) == 0 {
		all.Text = []string{"None."}
	}
	return all
}

// sidesHeatMap shows what every side measures.
func sidesHeatMap(s *diff.Sides, names []string) *report.Plot {
	return heatMap("side", "", append([]string{"first"}, names...), s.Kernels, func(k *diff.KernelOfSides) (string, []unit.Opt[float64]) {
		return k.Worst().Task, append([]unit.Opt[float64]{firstMedian(k)}, report.ListOf(k.Rows, func(r *diff.Row) unit.Opt[float64] {
			if r == nil {
				return unit.Opt[float64]{}
			}
			return r.Measured().New.Median
		})...)
	})
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
