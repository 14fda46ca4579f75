package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/gocarina/gocsv"

	"occudiff/ingest/note"
)

// batchChunk is how many rows are read, predicted and written together: enough that what gocsv does once per call does not
// count, few enough that memory stays small.
const batchChunk = 512

// batchModel is what one kind of batch reads and computes. In and Out are gocsv structs; Out begins with the columns of In.
type batchModel[In, Out any] struct {
	columns  []string // all that are read, in the order of the contract
	required []string // those of them that the header has to have
	// worker makes a function that predicts rows, one after the other. It is called once per goroutine, so that the function
	// may keep devices that it has looked up.
	worker func() func(in *In) Out
	// refuse makes the row of a line that cannot be read.
	refuse func(in *In, why string) Out
	// failed says whether a row has the status error, and why.
	failed func(out *Out) (string, bool)
}

// batchReport is what a batch says of itself when it is done.
type batchReport struct {
	rows, failed int
	first        note.Pos // the first row that failed, and why
	why          string
	extra        []string // columns that nothing read
}

// chunk is a part of the file on its way through the stages.
type chunk struct {
	records [][]string // the header first; what gocsv reads
	lines   []int      // of the records after the header
	faults  []string
	out     bytes.Buffer
	failed  int
	line    int // of the first row that failed
	why     string
	err     error
	done    chan struct{}
}

// Read and ReadAll make a chunk a gocsv.CSVReader.
func (c *chunk) Read() ([]string, error) { return nil, errors.New("a chunk is read as a whole") }

// ReadAll gives the header and the records.
func (c *chunk) ReadAll() ([][]string, error) { return c.records, nil }

// run reads rows from a CSV file, predicts them on all processors, and writes them in the order of the file. It holds a few
// chunks in memory, however long the file is.
func (m *batchModel[In, Out]) run(ctx context.Context, file string, r io.Reader, w io.Writer) (batchReport, error) {
	var report batchReport
	lines := newLineReader(r)
	head, err := readHead(ctx, lines)
	if errors.Is(err, io.EOF) {
		return report, note.Faultf("batch-empty", note.Pos{File: file}, "the first line names the columns, each further one is a launch", "the batch file is empty")
	} else if err != nil {
		return report, fmt.Errorf("%s: %w", file, err)
	}
	names, extra, err := batchHeader(file, head, m.columns, m.required)
	if err != nil {
		return report, err
	}
	report.extra = extra
	out := csv.NewWriter(w)
	if err := gocsv.MarshalCSV(&[]Out{}, out); err != nil {
		return report, fmt.Errorf("writing the batch: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := max(runtime.GOMAXPROCS(0), 1)
	work, inOrder := make(chan *chunk, workers), make(chan *chunk, 2*workers)
	for range workers {
		go m.work(work)
	}
	readErr := make(chan error, 1)
	go func() {
		readErr <- readChunks(ctx, lines, names, work, inOrder)
		close(work)
		close(inOrder)
	}()
	if err := collect(ctx, w, file, inOrder, &report); err != nil {
		return report, err
	}
	if err := <-readErr; err != nil {
		return report, fmt.Errorf("%s: %w", file, err)
	}
	return report, nil
}

// readHead reads the first record, or gives up with the context: nobody may ever type it.
func readHead(ctx context.Context, lines *lineReader) (batchLine, error) {
	type first struct {
		rec batchLine
		err error
	}
	read := make(chan first, 1)
	go func() {
		rec, err := lines.read()
		read <- first{rec, err}
	}()
	select {
	case f := <-read:
		return f.rec, f.err
	case <-ctx.Done():
		return batchLine{}, ctx.Err()
	}
}

// collect writes the chunks in the order of the file. It stops with the context also while the reader waits for input.
func collect(ctx context.Context, w io.Writer, file string, inOrder <-chan *chunk, report *batchReport) error {
	for {
		var c *chunk
		select {
		case c = <-inOrder:
			if c == nil {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		<-c.done
		if c.err != nil {
			return c.err
		}
		if _, err := w.Write(c.out.Bytes()); err != nil {
			return fmt.Errorf("writing the batch: %w", err)
		}
		if report.failed == 0 && c.failed > 0 {
			report.first, report.why = note.Pos{File: file, Line: c.line}, c.why
		}
		report.rows += len(c.lines)
		report.failed += c.failed
	}
}

// readChunks cuts the file into chunks and hands each to the workers and, in order, to the writer.
func readChunks(ctx context.Context, lines *lineReader, names []string, work, inOrder chan<- *chunk) error {
	for end := false; !end; {
		c := &chunk{records: make([][]string, 1, batchChunk+1), done: make(chan struct{})}
		c.records[0] = names
		for len(c.lines) < batchChunk {
			rec, err := lines.read()
			if end = errors.Is(err, io.EOF); end {
				break
			} else if err != nil {
				return err
			}
			c.add(rec, len(names))
		}
		if len(c.lines) == 0 {
			break
		}
		for _, to := range []chan<- *chunk{work, inOrder} {
			select {
			case to <- c:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// add takes a record in, with as many cells as there are columns.
func (c *chunk) add(rec batchLine, columns int) {
	if n := len(rec.cells); n != columns {
		if rec.fault == "" {
			rec.fault = fmt.Sprintf("the row has %d cells, the header %d", n, columns)
		}
		cells := make([]string, columns)
		copy(cells, rec.cells)
		rec.cells = cells
	}
	c.records = append(c.records, rec.cells)
	c.lines = append(c.lines, rec.line)
	c.faults = append(c.faults, rec.fault)
}

// work predicts the rows of chunks until there are no more.
func (m *batchModel[In, Out]) work(chunks <-chan *chunk) {
	predict := m.worker()
	var in []In
	var out []Out
	for c := range chunks {
		if in = in[:0]; cap(in) >= len(c.lines) { // gocsv makes a slice of its own unless this one has the length
			in = in[:len(c.lines)]
		}
		out = out[:0]
		if c.err = gocsv.UnmarshalCSV(c, &in); c.err == nil {
			for i := range in {
				if c.faults[i] != "" {
					out = append(out, m.refuse(&in[i], c.faults[i]))
				} else {
					out = append(out, predict(&in[i]))
				}
				if why, failed := m.failed(&out[i]); failed {
					if c.failed++; c.failed == 1 {
						c.line, c.why = c.lines[i], why
					}
				}
			}
			c.err = gocsv.MarshalCSVWithoutHeaders(&out, csv.NewWriter(&c.out))
		}
		c.records, c.faults = nil, nil
		close(c.done)
	}
}
