// Package summary reads VTune's summary report as text, HTML, and CSV: the
// machine's description and the collection, the tables with the hottest
// computing tasks, and the whole-run occupancy. Tasks in a summary have no
// launch size. The package does not know the device table or any other report.
package summary

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// Format reads a VTune summary report.
var Format = ingest.Format{Kind: "vtune-summary", Description: "a VTune summary",
	Sniff: sniff, Read: readSource, Shared: true, RunAlone: true}

const (
	expected = "expected the output of vtune -report summary, as text, HTML or CSV"
	hint     = "make one with: vtune -report summary -report-output summary.txt -r RESULT_DIR"

	platformHead = "Collection and Platform Info"
	elapsedMark  = "Elapsed Time:"
	hottestMark  = "Hottest GPU Computing Tasks"
	busyMark     = "GPU Time, % of Elapsed time"
)

// sniff reports whether the file has headings that only this report has.
func sniff(head []byte) bool {
	// VTune's other reports have lists and tables as well. The metric class and
	// a name that other reports do not contain identify this one.
	if isHTML(head) {
		return bytes.Contains(head, []byte(`class="metric-name"`)) &&
			(bytes.Contains(head, []byte("VTune")) || bytes.Contains(head, []byte(platformHead)))
	}
	if isCSV(head) {
		return true
	}
	elapsed, gpu := false, false
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(string(table.Plain(line)))
		if text == platformHead || strings.HasPrefix(text, hottestMark) {
			return true
		}
		elapsed = elapsed || strings.Contains(text, elapsedMark)
		gpu = gpu || strings.HasPrefix(text, "GPU Time") || strings.HasPrefix(text, "XVE Array") ||
			strings.HasPrefix(text, "EU Array")
	}
	// Without the platform info (in a filtered report), no single line is
	// sufficient. Another tool may print an elapsed time or a GPU time, but not
	// both with these names.
	return elapsed && gpu
}

// isHTML reports whether the file begins with markup, after spaces and a byte
// order mark.
func isHTML(head []byte) bool {
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	for _, mark := range []string{"<?xml", "<html", "<HTML", "<!DOCTYPE", "<!doctype"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return false
}

// readSource returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	// Detect the form from the first 4 KiB instead of the file extension,
	// because users name all three forms .txt.
	in := bufio.NewReaderSize(table.NewStream(ctx, src, opt), 4096)
	head, err := in.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, err
	}
	b := &builder{path: src.Path, adapters: map[string]bool{}, stacks: map[string]bool{}, byName: map[string][]int{}}
	switch {
	case isHTML(head):
		err = readHTML(in, b)
	case isCSV(head):
		d := &delimited{to: b}
		err = b.lines(ctx, in, d.line)
	default:
		t := &text{to: b}
		err = b.lines(ctx, in, t.line)
	}
	if err != nil {
		return nil, err
	}
	return b.finish(len(bytes.TrimSpace(head)) == 0)
}

// inputError returns the error for a file in which nothing can be used.
func (b *builder) inputError(empty bool) error {
	pos := note.InFile(b.path)
	switch {
	case empty:
		return note.Errorf("empty-file", pos, "the collection or the report failed: run it again and look at what "+
			"vtune printed", "the file is empty; %s", expected)
	case b.bad.Count > 0:
		first := b.bad.Notes()[0]
		return note.Errorf("empty-summary", first.Pos, hint, "none of the %d rows can be used; the first: %s",
			b.bad.Count, first.Text)
	}
	return note.Errorf("empty-summary", pos, hint, "the summary names neither a GPU nor a computing task; %s", expected)
}
