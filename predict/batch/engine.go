package batch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// chunkRows is how many rows are read, predicted and written together: enough that what gocsv does once per call does
// not count, few enough that memory stays small.
const chunkRows = 512

// engine is what one kind of batch reads and computes. In and Out have csv tags; Out begins with the columns of In.
type engine[In, Out any] struct {
	required []string                  // columns that the header has to have
	predict  func(in *In) (Out, error) // an error refuses the row
	refuse   func(in *In, why string) Out
}

// with is the batch with a device for the rows that name none: then the file may leave its column out, which stands first
// in required.
func (e *engine[In, Out]) with(s Shared) Run {
	if s.Device != "" {
		e.required = e.required[1:]
	}
	return e.run
}

// run implements Run, chunk by chunk.
func (e *engine[In, Out]) run(ctx context.Context, file string, r io.Reader, w io.Writer) (report Report, err error) {
	columns, _ := table.Columns[In]()
	lines := table.NewReader(file, r, table.Format{
		Code: "batch-header", What: "batch file", Columns: columns, Required: e.required})
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
	var in []In
	var out []Out
	for {
		var sheet *table.Sheet
		err := interruptible(ctx, func() (err error) {
			sheet, err = lines.Sheet(chunkRows)
			return err
		})
		if err != nil || len(sheet.Records) == 0 {
			return report, err
		}
		var faults []*note.Fault
		in, faults = table.Decode(sheet, in)
		out = out[:0]
		for i := range in {
			row, err := e.predictRow(&in[i], faults, i)
			if err != nil {
				row = e.refuse(&in[i], err.Error())
				if report.Failed++; report.Failed == 1 {
					report.Notes = append(report.Notes, note.Note{Severity: note.Warning, Code: "bad-row",
						Pos: sheet.Pos(i, ""), Text: err.Error()})
				}
			}
			out = append(out, row)
		}
		report.Rows += len(in)
		if err := table.Marshal(w, out, false); err != nil {
			return report, fmt.Errorf("writing the batch: %w", err)
		}
	}
}

// predictRow predicts a row; one that cannot be read is refused as one that cannot run is.
func (e *engine[In, Out]) predictRow(in *In, faults []*note.Fault, i int) (out Out, err error) {
	if faults != nil && faults[i] != nil {
		return out, errors.New(faults[i].Text)
	}
	return e.predict(in)
}

// interruptible waits for a function or for the context, whichever ends first: nobody may ever type the next line.
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
