package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"

	"occudiff/ingest/note"
)

// Traits are a format's properties that matter for joining files. Files of a
// format without traits are joined as they are.
type Traits struct {
	// ColumnsVary reports that users choose the format's columns: a row may
	// lack parts of the launch that another such file has.
	ColumnsVary bool
	// XVEColumns is set if its columns count XVEs. Exports of Gen9 and Gen11
	// GPUs count EUs.
	XVEColumns bool
	// NoLaunchSize reports that a row without a launch size belongs to the only
	// kernel with the same name in another tool's output.
	NoLaunchSize bool
	// NotARun is the error, and Hint its hint, for a run that has only files of
	// this format. For example, a kernel binary is not a run.
	NotARun, Hint string
}

// A Format reads one kind of file. Formats do not know each other. The command
// lists all formats in the order in which they are tried. A new format is a
// package with a Format and an entry in that list.
type Format struct {
	Kind        string // Input.Kind
	Description string // the file kind's name in messages, for example "a VTune export"
	// Sniff reports whether a file that begins with head has this format. head
	// is at most 64 KiB, decompressed. Sniff must not guess, because the first
	// format that returns true reads the file.
	Sniff func(head []byte) bool
	// Read reads the complete file. An unusable row becomes a note and counts
	// as bad. An error (note.Errorf) means that nothing in the file can be
	// used. It states what was expected and what to do.
	Read func(ctx context.Context, src *Source, opt ReadOptions) (*File, error)
	// ReadFolder reads a folder as one file. path is its name in messages. It
	// is nil for most formats.
	ReadFolder func(ctx context.Context, fsys fs.FS, path string, opt ReadOptions) (*File, error)
	// Shared reports that a file may belong to all runs of the folders next to
	// it. For example, a summary.
	Shared bool
	// RunAlone reports that a shared file can be a run without other files. For
	// example, a log can be one, and a kernel binary cannot.
	RunAlone bool
}

// A Source is an opened file.
type Source struct {
	Path string      // path from the user, for positions
	Size int64       // in bytes; -1 if unknown (compressed, standard input)
	At   io.ReaderAt // random access to a large uncompressed file, otherwise nil
	R    io.Reader   // the bytes from the start; never nil
}

// ReadOptions are settings for a reader. The zero value is correct for most
// uses.
type ReadOptions struct {
	// Result selects a result if a file contains several, starting with 1. For
	// example, a difference report has two results, and an archive may have
	// more. If Result is 0, reading such a file returns a MultipleResultsError.
	Result    int
	Samples   bool        // keep occupancies over time
	Instances bool        // also keep each launch, in addition to the kernels
	Hash      bool        // let a large file's format compute File.Digest, which is faster than SHA-256
	Progress  func(int64) // called regularly with the byte count read so far; may be nil
	Threads   int         // 0: as many as the machine has
}

// A File is the content that a format read from one file.
type File struct {
	// The format sets Traits, Rows, and BadRows. It sets Digest if it computed
	// the digest itself.
	Input
	Kernels      []Kernel
	Launches     *Launches // nil unless requested and known
	Summary      []Kernel
	Timings      []Timing
	Props        []Kernel // kernels without measured values, from binaries and tracers
	Stalls       []TaskStalls
	Instructions Instructions
	Samples      []Samples
	Trace        *Trace     // nil if the file has no launch times
	Recording    *Recording // nil if samples or launches are unknown
	Platform     Platform
	Notes        []note.Note
	Further      []*File // other exports in the same file, as if each had its own file

	part  bool // another part lists the file among the inputs
	lacks int  // launch parts that this file lacks and the run's other files have, see Join
}

// parts returns one File for each export in the file.
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

// content returns a digest of a file's rows and machine description (see
// Input.Content). Stored runs are identified by it. Therefore a kernel's fields
// must keep their order, but their Go names may.
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
	p.Pos, p.OccupancyPos, p.JobID = note.Pos{}, note.Pos{}, "" // may come from the file name
	fmt.Fprintf(h, "%+v", p)
	return digest("rows", h)
}
