// Package excel renders a report as a workbook: the summary with a native
// chart, followed by sheets with tables. The tables have filters, frozen
// headings with explanatory comments, and formatted numbers. The package
// contains no code for kernels, statistics, or sorting.
package excel

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// Render writes the workbook. If the context ends, it stops within the time of
// one row. The content depends only on the document, but the order of the
// file's parts may differ.
func Render(ctx context.Context, w io.Writer, d *report.Document) error {
	b := &book{file: excelize.NewFile(), styles: map[style]int{}, words: map[report.Status]int{}, stopped: ctx.Err}
	defer b.file.Close()
	if err := b.build(d); err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	if err := b.pack(w); err != nil {
		return fmt.Errorf("writing the workbook: %w", err)
	}
	return nil
}

// pack writes the file. It bypasses the library's buffer and uses the fastest
// compression level. Compression is the slowest step for a large workbook, and
// a higher level would save little, because sheets are so repetitive.
func (b *book) pack(w io.Writer) error {
	packer, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return err
	}
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		z := zip.NewWriter(w)
		// The parts of the file are written one after the other, so they share
		// one compressor, which needs much memory.
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
	words   map[report.Status]int // conditional formats by status
	sheets  int
	stopped func() error // returns an error if writing must stop
}

// build writes the document's summary to the first sheet and each section to
// the sheet that it names. Sheets are in the order in which sections first name
// them.
func (b *book) build(d *report.Document) error {
	var names []string
	sections := map[string][]*report.Section{} // sections by sheet name
	for i := range d.Sections {
		s := &d.Sections[i]
		if !s.Shown(report.Sheet) {
			continue
		}
		name := sheetName(cmp.Or(s.Sheet, s.Title))
		if sections[name] == nil {
			names = append(names, name)
		}
		sections[name] = append(sections[name], s)
	}
	if d.Summary != nil && !slices.Contains(names, summaryName) {
		names = slices.Insert(names, 0, summaryName)
	}
	for _, name := range names {
		s := &sheet{name: name}
		if name == summaryName && d.Summary != nil {
			s.summary(d)
		}
		s.sections(sections[name])
		if err := b.write(s); err != nil {
			return fmt.Errorf("sheet %s: %w", s.name, err)
		}
	}
	return b.properties(d)
}

// newSheet returns a writer for an empty sheet that is one printed page wide.
// Page properties come before the rows in the file, so they are set here. A
// property that is set later is lost without an error.
func (b *book) newSheet(s *sheet) (*excelize.StreamWriter, error) {
	var err error
	// The library begins every file with a sheet, which becomes the first one.
	if b.sheets++; b.sheets == 1 {
		err = b.file.SetSheetName("Sheet1", s.name)
	} else {
		_, err = b.file.NewSheet(s.name)
	}
	if err != nil {
		return nil, err
	}
	fit, landscape, margin, grid, wide, tall := true, "landscape", 0.4, s.list() != nil, 1, 0
	if s.onePage {
		tall = 1
	}
	if err := errors.Join(
		b.file.SetSheetProps(s.name, &excelize.SheetPropsOptions{FitToPage: &fit}),
		b.file.SetPageLayout(s.name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &wide,
			FitToHeight: &tall}),
		b.file.SetPageMargins(s.name, &excelize.PageLayoutMarginsOptions{Left: &margin, Right: &margin, Top: &margin,
			Bottom: &margin}),
		b.file.SetSheetView(s.name, 0, &excelize.ViewOptions{ShowGridLines: &grid})); err != nil {
		return nil, err
	}
	return b.file.NewStreamWriter(s.name)
}

// noDate is the date in the workbook if the date of the run is unknown. If no
// date were set, the library would write its own date.
var noDate = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// properties sets the properties of the workbook. Its date is the date of the
// run and not the current date, so that the same run results in the same
// workbook.
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

// notInSheetNames matches the characters that Excel rejects in a sheet name,
// and the apostrophe. Excel rejects an apostrophe only at the ends, but
// formulas would have to double it.
var notInSheetNames = regexp.MustCompile(`[:\\/?*\[\]']`)

// sheetName returns a text as a valid sheet name.
func sheetName(s string) string {
	s = strings.Trim(notInSheetNames.ReplaceAllString(report.OneLine(s), "-"), " ")
	if r := []rune(s); len(r) > excelize.MaxSheetNameLength {
		s = string(r[:excelize.MaxSheetNameLength])
	}
	return cmp.Or(s, "Sheet")
}
