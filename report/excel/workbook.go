// Package excel renders a report as a workbook: a sheet per part, tables with filter and frozen heading, numbers that
// stay numbers, verdicts colored by rule, and native charts. It does not know kernels, statistics or sorting.
package excel

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// Render writes the workbook. The same document gives the same content; its bytes may differ in the order of the parts.
func Render(w io.Writer, d *report.Document) error {
	b := newBook(excelize.TotalRows)
	defer b.file.Close()
	if err := b.build(d); err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	if err := b.write(w); err != nil {
		return fmt.Errorf("writing the workbook: %w", err)
	}
	return nil
}

// write makes the file. It goes straight to w, not through the library's buffer, and at the fastest level: sheets are so
// repetitive that more effort saves little and costs the most time of a large workbook.
func (b *book) write(w io.Writer) error {
	packer, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return err
	}
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		z := zip.NewWriter(w)
		// The parts of the file follow each other, so one compressor, which is large, serves all.
		z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			packer.Reset(out)
			return packer, nil
		})
		return z
	})
	return b.file.Write(io.Discard)
}

// book is a workbook being built.
type book struct {
	file    *excelize.File
	styles  map[style]int
	rules   map[report.Status]int
	names   []string // of sheets, in order
	maxRows int      // of a sheet
	// placed is where tables begin: plots draw from these cells.
	placed map[string]place
	sheets map[string]string // of sections, by their keys
}

// place is where a table stands: its sheet, and the sheet's column of every table column.
// Columns are known by their keys: which of them a sheet shows, and where, depends on the table.
type place struct {
	sheet   string
	columns map[string]int
	row     int // of the first cell below the heading
}

func newBook(maxRows int) *book {
	return &book{
		file: excelize.NewFile(), styles: map[style]int{}, rules: map[report.Status]int{}, maxRows: maxRows,
		sheets: map[string]string{}, placed: map[string]place{},
	}
}

// part is the sections of one sheet.
type part struct {
	name     string
	sections []*report.Section
}

func (b *book) build(d *report.Document) error {
	parts := gather(d)
	// Where tables stand is known before any sheet is written: charts and links name their cells.
	for _, p := range parts {
		if t := listOf(p); t != nil {
			b.place(p.name, t, 2)
		}
		for _, s := range p.sections {
			b.sheets[s.Key] = p.name
		}
	}
	if d.Screen != nil {
		pg, err := b.answer(d)
		if err == nil {
			err = b.writePage(pg)
		}
		if err != nil {
			return fmt.Errorf("sheet %s: %w", answerSheet, err)
		}
	}
	var err error
	pages := make([]*sheet, len(parts))
	for i, p := range parts {
		if listOf(p) == nil {
			if pages[i], err = b.layOut(p, d); err != nil {
				return fmt.Errorf("sheet %s: %w", p.name, err)
			}
		}
	}
	for i, p := range parts {
		if pages[i] != nil {
			err = b.writePage(pages[i])
		} else {
			err = b.list(p.name, listOf(p))
		}
		if err != nil {
			return fmt.Errorf("sheet %s: %w", p.name, err)
		}
	}
	return b.properties(d)
}

// gather puts the sections on their sheets, in the order in which sheets are first named.
func gather(d *report.Document) []part {
	var parts []part
	for i := range d.Sections {
		s := &d.Sections[i]
		if !s.Shown(report.Sheet) {
			continue
		}
		name := sheetName(cmp.Or(s.Sheet, s.Title))
		k := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if k < 0 {
			k = len(parts)
			parts = append(parts, part{name: name})
		}
		parts[k].sections = append(parts[k].sections, s)
	}
	return parts
}

// listOf gives the table of a sheet that is nothing but a table; its heading then is the first row, with a filter.
// A table beside texts or charts has no filter: the sheet is for reading then.
func listOf(p part) *report.Table {
	if len(p.sections) != 1 || len(p.sections[0].Tables) != 1 || len(p.sections[0].Plots) > 0 {
		return nil
	}
	t := p.sections[0].Tables[0]
	if t.In&report.Sheet == 0 || t.Len == 0 || p.sections[0].ItemsIn&report.Sheet != 0 && len(p.sections[0].Items) > 0 {
		return nil
	}
	return t
}

// place notes where a table stands, for charts and links, which name its cells.
func (b *book) place(sheet string, t *report.Table, row int) {
	at := place{sheet: sheet, row: row, columns: map[string]int{}}
	for k, i := range t.ColumnsIn(report.Sheet) {
		at.columns[t.Columns[i].Key] = k + 1
	}
	b.placed[t.Key] = at
}

// addSheet makes an empty sheet and a writer of its rows, printed on so many pages beside and below each other, 0 for as
// many as it takes. What has to stand before the rows in the file - how it is
// printed, on how many pages side by side - is set first: a property that is set later is lost without an error.
func (b *book) addSheet(name string, list bool, wide, tall int) (*excelize.StreamWriter, error) {
	// The library begins every file with a sheet, which becomes the first one.
	if len(b.names) == 0 {
		if err := b.file.SetSheetName("Sheet1", name); err != nil {
			return nil, err
		}
	} else if _, err := b.file.NewSheet(name); err != nil {
		return nil, err
	}
	b.names = append(b.names, name)
	fit, landscape, margin := true, "landscape", 0.4
	if err := b.file.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return nil, err
	}
	if err := b.file.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &wide,
		FitToHeight: &tall}); err != nil {
		return nil, err
	}
	if err := b.file.SetPageMargins(name, &excelize.PageLayoutMarginsOptions{Left: &margin, Right: &margin,
		Top: &margin, Bottom: &margin}); err != nil {
		return nil, err
	}
	if err := b.file.SetSheetView(name, 0, &excelize.ViewOptions{ShowGridLines: &list}); err != nil {
		return nil, err
	}
	return b.file.NewStreamWriter(name)
}

// noDate stands for a run whose date nobody knows: the library would write a date of its own.
var noDate = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// The date is that of the run and not of the clock, so that the same run gives the same workbook.
func (b *book) properties(d *report.Document) error {
	date := d.Date
	if date.IsZero() {
		date = noDate
	}
	stamp := date.UTC().Format(time.RFC3339)
	maker := strings.TrimSpace("occudiff " + d.Version)
	return b.file.SetDocProps(&excelize.DocProperties{
		Title: d.Title, Subject: d.Subject, Creator: maker, LastModifiedBy: maker, Created: stamp, Modified: stamp,
	})
}

// sheetName makes a text fit for a sheet's name.
func sheetName(s string) string {
	// The characters are those that Excel refuses, and the apostrophe, which it refuses at the ends only: within a name
	// formulas would have to double it.
	s = strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]'`, r) {
			return '-'
		}
		return r
	}, report.OneLine(s)), " ")
	if r := []rune(s); len(r) > excelize.MaxSheetNameLength {
		s = string(r[:excelize.MaxSheetNameLength])
	}
	if s == "" {
		return "Sheet"
	}
	return s
}
