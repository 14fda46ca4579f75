package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// chunkRows is how many rows are read, predicted and written together: enough that what gocsv does once per call does
// not count, few enough that memory stays small.
const chunkRows = 512

// engine is what one kind of batch reads and computes. In and Out have csv tags; Out begins with the columns of In.
type engine[In, Out any] struct {
	required []string // columns that the header has to have
	// worker makes a function that predicts rows, one after the other. It is called once per goroutine, so that the
	// function may keep devices that it has looked up. An error refuses the row.
	worker func() func(in *In) (Out, error)
	refuse func(in *In, why string) Out
}

// chunk is a part of the file on its way through the stages.
type chunk struct {
	sheet  *table.Sheet
	rows   int
	out    bytes.Buffer
	failed int
	first  note.Note // on the first row that failed
	err    error
	done   chan struct{}
}

// with is the batch with a device for the rows that name none: then the file may leave its column out, which stands first
// in required.
func (e *engine[In, Out]) with(s Shared) Run {
	if s.Device != "" {
		e.required = e.required[1:]
	}
	return e.run
}

// onDevices makes workers that predict rows on the devices that their cells name.
func onDevices[In, Out, D any](s Shared, look func(name string, xves int) (D, string, error),
	names func(*In) (device, xve string), predict func(in *In, d D, notes string) (Out, error)) func() func(*In) (Out, error) {
	return func() func(*In) (Out, error) {
		devices := known[D]{look: look, shared: s}
		return func(in *In) (out Out, err error) {
			d, notes, err := devices.find(names(in))
			if err != nil {
				return out, err
			}
			return predict(in, d, notes)
		}
	}
}

// run implements Run: one goroutine reads, one per processor predicts, this one writes in the order of the file.
func (e *engine[In, Out]) run(ctx context.Context, file string, r io.Reader, w io.Writer) (Report, error) {
	var report Report
	columns, _ := table.Columns[In]()
	lines := table.NewReader(file, r, table.Format{
		Code: "batch-header", What: "batch file", Columns: columns, Required: e.required})
	// Reading gives up with the context: nobody may ever type the first line.
	if err := interruptible(ctx, lines.Header); errors.Is(err, io.EOF) {
		return report, note.Faultf("batch-empty", note.Pos{File: file},
			"the first line names the columns, each further one is a launch", "the batch file is empty")
	} else if err != nil {
		return report, err
	}
	for _, c := range lines.Unknown {
		report.Notes = append(report.Notes, note.Note{Severity: note.Warning, Code: "unknown-column",
			Pos: note.Pos{File: file, Line: 1}, Text: fmt.Sprintf("the column %q is not known and was left out", c),
			Hint: "see 'occudiff predict --help' for the columns"})
	}
	if err := table.Marshal[Out](w, nil, true); err != nil {
		return report, fmt.Errorf("writing the batch: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := max(runtime.GOMAXPROCS(0), 1)
	// The bounds are what is in memory at once: the reader waits when the writer is behind.
	work, inOrder := make(chan *chunk, workers), make(chan *chunk, 2*workers)
	for range workers {
		go e.work(work)
	}
	readErr := make(chan error, 1)
	go func() {
		readErr <- readChunks(ctx, lines, work, inOrder)
		close(work)
		close(inOrder)
	}()
	if err := report.collect(ctx, w, inOrder); err != nil {
		return report, err
	}
	return report, <-readErr
}

// interruptible waits for a function or for the context, whichever ends first.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readChunks cuts the file into chunks and hands each to the workers and, in order, to the writer.
func readChunks(ctx context.Context, lines *table.Reader, work, inOrder chan<- *chunk) error {
	for {
		s, err := lines.Sheet(chunkRows)
		if err != nil || len(s.Records) == 0 {
			return err
		}
		c := &chunk{sheet: s, done: make(chan struct{})}
		// To the workers first: the writer waits for a chunk that somebody has.
		for _, to := range []chan<- *chunk{work, inOrder} {
			select {
			case to <- c:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// work predicts the rows of chunks until there are no more.
func (e *engine[In, Out]) work(chunks <-chan *chunk) {
	predict := e.worker()
	var in []In
	var out []Out
	for c := range chunks {
		var faults []*note.Fault
		in, faults = table.Decode(c.sheet, in)
		out = out[:0]
		for i := range in {
			var row Out
			var err error
			// A row that cannot be read is refused as one that cannot run is.
			if faults != nil && faults[i] != nil {
				err = errors.New(faults[i].Text)
			} else {
				row, err = predict(&in[i])
			}
			if err != nil {
				row = e.refuse(&in[i], err.Error())
				if c.failed++; c.failed == 1 {
					c.first = note.Note{Severity: note.Warning, Code: "bad-row", Pos: c.sheet.Pos(i, ""),
						Text: err.Error()}
				}
			}
			out = append(out, row)
		}
		c.err = table.Marshal(&c.out, out, false)
		c.rows, c.sheet = len(in), nil
		close(c.done)
	}
}

// collect writes the chunks in the order of the file. It stops with the context also while the reader waits for input.
func (r *Report) collect(ctx context.Context, w io.Writer, inOrder <-chan *chunk) error {
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
		// The first of the file, as chunks come in its order.
		if r.Failed == 0 && c.failed > 0 {
			r.Notes = append(r.Notes, c.first)
		}
		r.Rows += c.rows
		r.Failed += c.failed
	}
}
