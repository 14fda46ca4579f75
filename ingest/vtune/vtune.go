// Package vtune reads delimited exports of Intel VTune Profiler that are
// grouped by computing task or computing instance. It accepts any delimiter,
// any columns in any order, and both the old (EU) and the new (XVE) names. It
// knows these files' names, units, and quirks. It does not know devices, and it
// does not interpret the values.
//
// Rows with the same key are added: times, counts, threads, and barriers as
// sums, and occupancies and array states as means weighted by time. All sums
// use integers: times and shares with the unit 1e-9, and their products in 128
// bits. Therefore the result is exact and does not depend on how many blocks
// and threads there are.
package vtune

import (
	"cmp"
	"context"
	"errors"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/scan"
)

// Format reads VTune exports.
var Format = ingest.Format{Kind: "vtune", Description: "a VTune export", Sniff: sniff, Read: readSource}

// sniff reports whether the text begins like an export: with a header whose
// first field is a key column, or with nothing but messages from the vtune
// command.
func sniff(head []byte) bool {
	_, _, ok := findHeader(head)
	return ok || onlyMessages(head)
}

// readSource returns an export's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	return read(ctx, src.Path, scan.New(scan.Input{At: src.At, Size: src.Size, R: src.R},
		scan.Options{Threads: opt.Threads, Hash: opt.Hash, Progress: opt.Progress}), opt)
}

func read(ctx context.Context, path string, s *scan.Scanner, opt ingest.ReadOptions) (*ingest.File, error) {
	head, err := s.Head()
	if err != nil {
		return nil, err
	}
	offset, delim, ok := findHeader(head)
	if !ok {
		return nil, noHeader(path, head)
	}
	var files []*ingest.File
	var faults []error
	for ok {
		f, next, err := readExport(ctx, path, s, delim, offset, opt)
		switch {
		case err == nil:
			files = append(files, f)
		case ingest.ResultCount(err) > 0 || !errors.As(err, new(*note.InputError)):
			return nil, err
		default:
			faults = append(faults, err)
		}
		offset, delim, ok = headerIn(next)
	}
	if len(files) == 0 {
		return nil, errors.Join(faults...)
	}
	f := files[0]
	f.Further, f.Digest = files[1:], s.Digest()
	for _, err := range faults {
		n := ingest.ErrorNote(err)
		if n.Code == codeHeaderOnly { // no data was lost
			n.Severity = note.Warning
		}
		f.Notes = append(f.Notes, n)
	}
	return f, nil
}

// readExport reads one export in a file. It returns the next export's header
// line.
func readExport(ctx context.Context, path string, s *scan.Scanner, delim byte, offset int, opt ingest.ReadOptions) (
	f *ingest.File, next []byte, err error) {
	h, err := readHeader(ctx, path, s, delim, offset, opt.Result)
	if h == nil || ingest.ResultCount(err) > 0 {
		return nil, nil, err
	}
	// Each worker has its own adder. Nothing is shared until all rows are read,
	// so rows need no lock.
	adders := make([]*adder, s.Threads())
	handlers := make([]scan.Handler, len(adders))
	for i := range adders {
		a := &adder{h: h, instance: opt.Instances, table: map[rowKey]*entry{}, firsts: map[any]note.Note{},
			points: ^uint64(0), all: adders}
		for q := range a.absent {
			a.absent[q] = none
		}
		adders[i], handlers[i] = a, a
	}
	next, rowsErr := s.Rows(ctx, h.sel, h.columns, handlers, h.nextExport())
	if err = cmp.Or(rowsErr, err); err != nil {
		return nil, next, err
	}
	f, err = newResult(h, adders).file(opt.Instances)
	return f, next, err
}

// readHeader reads the header and determines the columns that are read. If the
// rows after it cannot be used, it returns the header and an error. If nothing
// can be read, it returns no header.
func readHeader(ctx context.Context, path string, s *scan.Scanner, delim byte, offset, side int) (
	_ *header, err error) {
	if err := s.Begin(delim, offset); err != nil {
		return nil, err
	}
	h := &header{pos: note.InFile(path), delim: delim, side: side}
	if h.pos.Line, err = s.Record(ctx, h.add); err == scan.ErrQuote {
		return nil, note.Errorf("open-quote", h.pos, "the file may be cut off: export it again",
			"the header line opens a quote that is never closed")
	} else if err != nil {
		return nil, err
	}
	if !h.has(task) { // for example, because a quote joins the first columns
		return nil, note.Errorf("no-columns", h.pos, exportHint,
			"the header has no column for the kernel; expected one that begins with \"Computing Task\"")
	}
	switch {
	case h.sides && side == 0:
		err = ingest.NewMultipleResultsError(2, note.Errorf("two-results", h.pos,
			"compare the two with: occudiff diff "+path,
			"this is a difference report of two results: two runs in one file"))
	case h.hostTasks():
		err = note.Errorf("host-tasks", h.pos, exportHint, "this export is grouped by host task, not per kernel: it "+
			"has no launch size and no occupancy; expected one grouped by computing-task or computing-instance")
	case !h.has(global, total, average, count, measured, peak, active, threads): // columns that describe a kernel
		err = note.Errorf("no-columns", h.pos, exportHint,
			"the export has no column with a work size, a time or an occupancy; expected names like \"Work "+
				"Size:Global\" and \"XVE Threads Occupancy(%%)\"")
	}
	h.complete()
	return h, err
}
