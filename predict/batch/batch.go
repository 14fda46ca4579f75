// Package batch predicts many launches: those of a CSV file, and the kernels of binaries and sources.
//
// Of a CSV file rows come in, and the same rows with what a model says of them go out.
//
// A row that cannot be predicted does not stop the rest. It comes back with the status error and a message in the place
// of figures, whether its line cannot be read, a cell makes no sense or the launch cannot run. Cells come back as they
// were written. Figures have full precision, and a resource that sets no limit has an empty cell, never a 0.
//
// Three models can be asked: the project's own, Intel's calculator with its own texts and faults, and the register-file
// model of compute units. Files may be of any length: a chunk of rows is in memory at a time.
//
// Of binaries each kernel is predicted on the device that its image was compiled for ([Read]), or in each register mode
// of it ([Registers]): what ingest/zebin reads and compiles, joined with the model of package predict.
//
// The package does not know flags, profilers or runs.
package batch

import (
	"cmp"
	"context"
	"io"
	"strings"

	"occudiff/ingest/note"
)

// Run predicts all rows of a file into a writer. The name of the file is for messages.
type Run func(ctx context.Context, file string, r io.Reader, w io.Writer) (Report, error)

// Report is what a batch says of itself when it is done.
type Report struct {
	Rows, Failed int
	Notes        []note.Note // columns that nothing reads, and the first row that failed
}

// Shared is the device of the rows that name none.
type Shared struct {
	Device string
	XVEs   int // 0 for the device's own
}

// The words of the column status.
const (
	statusOK    = "ok"
	statusError = "error"
)

// maxKnown bounds what is remembered of look-ups: a file may name a million devices that do not exist.
const maxKnown = 1024

// known remembers look-ups of devices by name and XVE count, failed ones too.
type known[D any] struct {
	look   func(name string, xves int) (D, string, error)
	shared Shared
	found  map[[2]string]found[D]
}

// found is a device with what there is to note on it.
type found[D any] struct {
	device D
	notes  string
	err    error
}

// find gives the device that two cells name.
func (k *known[D]) find(device, xve string) (D, string, error) {
	key := [2]string{device, xve}
	f, ok := k.found[key]
	if !ok {
		var c row
		n := c.whole("xve", xve, 1)
		if f.err = c.err; f.err == nil {
			f.device, f.notes, f.err = k.look(cmp.Or(strings.TrimSpace(device), k.shared.Device), cmp.Or(n, k.shared.XVEs))
		}
		// All are forgotten at once: which of them come again is not known.
		if k.found == nil || len(k.found) >= maxKnown {
			k.found = map[[2]string]found[D]{}
		}
		k.found[key] = f
	}
	return f.device, f.notes, f.err
}
