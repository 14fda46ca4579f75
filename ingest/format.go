package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Traits are all that merging asks of a format. Files of a format without any
// go with the run as they are.
type Traits struct {
	// ColumnsVary states that people choose its columns: a row may lack parts
	// of the launch that another such file has.
	ColumnsVary bool
	// XVEColumns is set if its columns count XVEs. Exports of Gen9 and Gen11
	// GPUs count EUs.
	XVEColumns bool
	// NoLaunchSize states that its rows without a launch size go with the one
	// kernel that another tool names so.
	NoLaunchSize bool
	// NotARun is the error of a run that has nothing else, with what to do: the
	// format holds no run.
	NotARun, Hint string
}

// Format reads one kind of file. Formats know nothing of each other; the
// command says which exist, in the order in which they are asked. A new one is
// a package with this interface, and a line where the command lists them.
type Format interface {
	// Kind is the word for Input.Kind.
	Kind() string
	// Description is how a message calls a file of this format, as in "a VTune
	// export".
	Description() string
	// Sniff reports whether the beginning of a file (up to 64 KiB,
	// decompressed) is of this format. It must not guess: the first format that
	// says yes reads the file.
	Sniff(head []byte) bool
	// Read reads the whole file. A row that cannot be used is a note and counts
	// as bad; an error means that nothing of the file can be used, and says
	// what was expected and what to do (note.Errorf).
	Read(ctx context.Context, src *Source, opt ReadOptions) (*File, error)
}

// FolderReader is a format that a folder may have, which is read as one file
// then.
type FolderReader interface {
	// ReadFolder reads a folder; path is its name in messages.
	ReadFolder(ctx context.Context, fsys fs.FS, path string, opt ReadOptions) (*File, error)
}

// Shared is a format whose files may belong to all runs of the folders next to
// them, such as a summary.
type Shared interface {
	// RunAlone reports whether such a file can be a run without other files.
	// For example, a log can be one, and a kernel binary cannot.
	RunAlone() bool
}

// Source is an opened file.
type Source struct {
	Path string      // as given, for positions
	Size int64       // bytes, -1 when not known (compressed, standard input)
	At   io.ReaderAt // random access to the plain bytes of a large file, otherwise nil
	R    io.Reader   // the bytes from the start; always there
}

// ReadOptions is what a reader may be asked. The zero value is right for most.
type ReadOptions struct {
	// Result picks one of the results of a file that holds several, from 1 on:
	// a difference report has two, an archive may have more. Without it such a
	// file is a MultipleResultsError.
	Result    int
	Samples   bool        // keep occupancies over time
	Instances bool        // keep every launch, too, next to the kernels that add up rows of one key
	Hash      bool        // take File.Digest while reading, where that is faster than SHA-256 (of large files)
	Progress  func(int64) // called now and then with the bytes read so far; may be nil
	Threads   int         // 0: as many as the machine has
}

// File is what a format understood of one file.
type File struct {
	Input        // the format sets Traits, Rows and BadRows, and Digest where the bytes as they are read do not tell it
	Kernels      []Kernel
	Launches     *Launches // nil unless asked for and known
	Summary      []Kernel
	Timings      []Timing
	Props        []Kernel // of binaries and tracers: kernels without measured values
	Stalls       []TaskStalls
	Instructions Instructions
	Samples      []Samples
	Trace        *Trace     // nil when it does not say when launches ran
	Recording    *Recording // nil when samples or launches are not known
	Platform     Platform
	Notes        []note.Note
	Further      []*File // other exports in the same file, each as if it had a file of its own

	part  bool // of a file that is listed with another part
	lacks int  // parts of the launch that others of the run have, see Join
}

// parts returns the file as a list of one File for each export in it.
func (f *File) parts() []File {
	list := []File{*f}
	for _, p := range f.Further {
		list[0].Rows, list[0].BadRows = list[0].Rows+p.Rows, list[0].BadRows+p.BadRows
		p.Path, p.Kind, p.part = f.Path, f.Kind, true
		list = append(list, *p)
	}
	return list
}

// ForgetColumns removes the columns from the positions of all notes.
func (f *File) ForgetColumns() {
	for i := range f.Notes {
		f.Notes[i].Pos.Column = 0
	}
	for _, p := range f.Further {
		p.ForgetColumns()
	}
}

// content is a digest of the rows that a format made of a file, and of what it
// says of the machine (see Input.Content). Stored runs are known by it: the
// values of kernels have a fixed order, whatever they are called.
func (f *File) content() string {
	h := sha256.New()
	for _, p := range f.Further {
		sumKernels(h, p.Kernels)
	}
	sumKernels(h, f.Kernels)
	sumKernels(h, f.Summary)
	sumKernels(h, f.Props)
	for _, t := range f.Timings {
		t.Pos = note.Pos{}
		fmt.Fprintf(h, "%+v", t)
	}
	for _, s := range f.Stalls {
		fmt.Fprintf(h, "%q%v", s.Task, s.Stalls)
	}
	p := f.Platform
	p.Pos, p.OccupancyPos, p.JobID = note.Pos{}, note.Pos{}, "" // which may come from the name of the file
	fmt.Fprintf(h, "%+v", p)
	return digest("rows", h)
}

// sumKernels adds what rows say, wherever they stand. The spread over launches,
// whose medians are estimates, is left out.
func sumKernels(h hash.Hash, list []Kernel) {
	var line []byte
	for i := range list {
		k := &list[i]
		line = fmt.Appendf(line[:0], "%q %v %v %v %s %q %d %t", k.Task, k.Global, k.Local, k.SIMD, k.Direction, k.Device,
			k.Reading, k.Uneven)
		for _, v := range [...]unit.Opt[float64]{plain(k.Instances), plain(k.Total), plain(k.Measured), plain(k.Printed),
			plain(k.Active), plain(k.Stalled), plain(k.Idle), plain(k.BarrierStall), plain(k.Threads), plain(k.Barriers),
			plain(k.Peak), plain(k.PeakWork), plain(k.PeakSLM), plain(k.PeakBarrier), plain(k.Spill), plain(k.SLM),
			plain(k.Registers), plain(k.Mean), plain(k.MeasuredLow), plain(k.MeasuredHigh), plain(k.IdleLow),
			plain(k.IdleHigh), plain(k.Interval), k.CounterTimeRatio, plain(k.Private), plain(k.SpilledRegisters)} {
			x, present := v.Value()
			if line = append(line, 0); present {
				line = binary.LittleEndian.AppendUint64(append(line, 1), math.Float64bits(x))
			}
		}
		h.Write(append(line, '\n'))
	}
}

// plain is a value without its unit.
func plain[T ~int | ~int64 | ~float64](o unit.Opt[T]) unit.Opt[float64] {
	v, present := o.Value()
	return unit.Maybe(float64(v), present)
}
