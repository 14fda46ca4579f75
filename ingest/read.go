package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// Options say how paths become a Run.
type Options struct {
	Formats []Format // asked in order; the first that recognizes a file reads it
	Stdin   io.Reader
	ReadOptions
	// Content also takes digests of the rows (see Input.Content).
	Content bool
}

// hashLimit is the size above which a format may take a digest in its own pass:
// SHA-256 of more costs longer than the reading itself (0.83 ms per MB on one
// core, and it cannot be split).
const hashLimit = 64 << 20

// sniffSize is how much of a file formats see to decide whether it is theirs.
const sniffSize = 64 << 10

// Read reads the paths, files or folders of files, as one run. A folder means
// its files, not those of folders below. A path that does not exist or cannot
// be opened is an error; a file that nothing can be made of is an error note as
// long as another path gives something, and otherwise part of the error.
func Read(ctx context.Context, paths []string, opt Options) (*Run, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var joined []File
	var faults []error
	progress, done := opt.Progress, int64(0)
	for _, f := range files {
		// Formats tell the bytes of their own file; a bar is of all files.
		if progress != nil {
			opt.Progress = func(n int64) { progress(done + n) }
		}
		file, err := readCandidate(ctx, f, opt)
		done += sizeOf(f.path)
		switch {
		case err == nil:
			joined = append(joined, file.parts()...)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case f.listed && isCode(err, codeMissing, codeUnreadable), isCode(err, codeDamaged):
			return nil, err // a run without a part of it may look like another run
		case !f.listed && (isCode(err, CodeUnknown, codeBinary) || isCode(err, codeEmpty) && !isExport(f.path)):
			// The folder of a job has scripts, programs, and an empty log of
			// errors.
			joined = append(joined, File{Notes: []note.Note{{Severity: note.Info, Code: "skipped-file",
				Pos:  note.Pos{File: f.path},
				Text: "skipped: no profiler output"}}})
		default:
			faults = append(faults, err)
		}
	}
	run, err := Join(joined)
	if err != nil {
		return nil, err
	}
	run.dropNotMeasured()
	if len(run.Kernels) == 0 && len(run.Summary) == 0 && len(run.Timings) == 0 {
		return nil, nothingUsable(paths, run, faults)
	}
	// an error ends the reading only when nothing else was found: a folder with
	// one bad file still has a run.
	for _, f := range faults {
		run.Notes = append(run.Notes, ErrorNote(f))
	}
	// At the door, so that no output has to think of it.
	run.Platform.Command = HideSecrets(run.Platform.Command)
	return run, nil
}

// dropNotMeasured drops the notes of files that lack occupancy where another
// file of the run has it.
func (r *Run) dropNotMeasured() {
	if slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return k.Measured.Present() }) {
		r.Notes = slices.DeleteFunc(r.Notes, func(n note.Note) bool { return n.Code == note.NotMeasured })
	}
}

// ErrorNote returns the note on a part of the input that cannot be used.
func ErrorNote(err error) note.Note {
	f, ok := errors.AsType[*note.InputError](err)
	switch {
	case !ok:
		return note.Note{Severity: note.Error, Code: "unusable-file", Text: err.Error()}
	case isCode(err, CodeUnknown, codeBinary):
		return note.Note{Severity: note.Warning, Code: "skipped-file", Pos: f.Pos, Text: "skipped: " + f.Text}
	}
	return f.Note
}

func isCode(err error, codes ...string) bool {
	f, ok := errors.AsType[*note.InputError](err)
	return ok && slices.Contains(codes, f.Code)
}

// MultipleResultsError is the error that a file holds several results: it is as
// many runs.
type MultipleResultsError struct {
	error
	Results int
}

// Unwrap returns the error.
func (e *MultipleResultsError) Unwrap() error { return e.error }

// NewMultipleResultsError makes the error that a file holds several results.
func NewMultipleResultsError(results int, fault error) error {
	return &MultipleResultsError{fault, results}
}

// ResultCount returns the results of the file that an error is about, 0 when it
// is another error.
func ResultCount(err error) int {
	if e, ok := errors.AsType[*MultipleResultsError](err); ok {
		return e.Results
	}
	return 0
}

// CodeUnknown is the code of the error that a file contains nothing for a run.
// In a folder such a file is skipped: for example, a program without a device
// image next to the export.
const CodeUnknown = "unknown-format"

// The codes of other errors that decide how a path is treated.
const (
	codeMissing    = "missing-file"
	codeUnreadable = "unreadable-file"
	codeDamaged    = "damaged-file"
	codeBinary     = "binary-file"
	codeEmpty      = "empty-file"
	codeTwoRuns    = "two-runs"
	codeNoKernels  = "no-kernels"
	codeNothing    = "nothing-usable"
	codeNoFiles    = "empty-folder"
)

const exportHint = "export one with: vtune -report hotspots -group-by computing-task -format csv -csv-delimiter " +
	"comma -report-output run.csv -r RESULT_DIR"

func nothingUsable(paths []string, run *Run, faults []error) error {
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	what := strings.Join(paths, ", ")
	for _, in := range run.Inputs {
		if t := &in.Traits; t.NotARun != "" {
			faults = append(faults, note.Errorf(codeNoKernels, note.Pos{File: in.Path}, t.Hint+"; "+exportHint, "%s", t.NotARun))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if len(run.Inputs) > 0 {
		return note.Errorf(codeNoKernels, note.Pos{File: run.Inputs[0].Path},
			"give the computing-task export along with it; "+exportHint,
			"the %s file names no kernel", run.Inputs[0].Kind)
	}
	return note.Errorf(codeNothing, note.Pos{File: what}, exportHint, "nothing here is profiler output")
}

// ReadFS reads named files of a file system, such as embedded ones, as one run.
func ReadFS(ctx context.Context, fsys fs.FS, names []string, opt Options) (*Run, error) {
	var files []File
	for _, name := range names {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, openError(name, err)
		}
		sum := sha256.New()
		sum.Write(b)
		src := &Source{Path: name, Size: int64(len(b)), R: bufio.NewReaderSize(bytes.NewReader(b), sniffSize)}
		file, err := readSource(ctx, src, sum, opt)
		if err != nil {
			return nil, err
		}
		files = append(files, file.parts()...)
	}
	return Join(files)
}

// readCandidate reads a file, or a folder as a whole.
func readCandidate(ctx context.Context, c candidate, opt Options) (*File, error) {
	if !c.folder {
		o, err := open(ctx, c.path, opt)
		if err != nil {
			return nil, err
		}
		defer o.close()
		return readSource(ctx, o.src, o.sum, opt)
	}
	for _, f := range opt.Formats {
		reader, ok := f.(FolderReader)
		if !ok {
			continue
		}
		root, err := os.OpenRoot(c.path) // links do not lead out of it
		if err != nil {
			return nil, openError(c.path, err)
		}
		defer root.Close()
		file, err := reader.ReadFolder(ctx, root.FS(), c.path, opt.ReadOptions)
		if err == nil {
			file.name(f, c.path, opt)
		}
		return file, err
	}
	return nil, note.Errorf("vtune-result", note.Pos{File: c.path},
		strings.Replace(exportHint, "RESULT_DIR", c.path, 1), "this is a VTune result folder, not an export")
}

// readSource finds the format and reads. sum has seen all bytes when src.R is
// at its end.
func readSource(ctx context.Context, src *Source, sum hash.Hash, opt Options) (*File, error) {
	path := src.Path
	notebook, err := fromNotebook(src)
	if err != nil {
		return nil, readError(path, err)
	}
	head, err := peek(src)
	if err != nil {
		return nil, readError(path, err)
	}
	format, err := sniff(path, head, opt.Formats)
	if err != nil {
		return nil, ofNotebook(notebook, err)
	}
	ro := opt.ReadOptions
	ro.Hash = src.At != nil
	file, err := format.Read(ctx, src, ro)
	if err == nil && file.Digest == "" {
		// A format may know enough before the end, and there stands the
		// checksum of a compressed file.
		_, err = io.Copy(io.Discard, src.R)
	}
	if err != nil {
		return nil, ofNotebook(notebook, readError(path, err))
	}
	if notebook {
		file.ForgetColumns() // of what was printed, not of the file
	}
	file.Digest = cmp.Or(file.Digest, digest("sha256", sum))
	file.name(format, path, opt)
	if opt.Result > 0 { // the results of a file are not the same run
		file.Content = fmt.Sprintf("%s#%d", cmp.Or(file.Content, file.Digest), opt.Result)
	}
	return file, nil
}

// name describes what was read.
func (f *File) name(format Format, path string, opt Options) {
	f.Path, f.Kind = path, format.Kind()
	if opt.Content {
		f.Content = f.content()
	}
}

func digest(kind string, sum hash.Hash) string { return kind + ":" + hex.EncodeToString(sum.Sum(nil)) }

func readError(path string, err error) error {
	var f *note.InputError
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	return openError(path, err)
}

var (
	// secretValue is a flag or variable whose name says that its value is a
	// secret, and the value.
	secretValue = regexp.MustCompile(`(?i)(--?[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*(?:[=:\s]\s*)|` +
		`[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*=)("[^"]*"|'[^']*'|-?[^-\s]\S*)`)
	// linkPassword is the password of a URL.
	linkPassword = regexp.MustCompile(`(://[^\s/:@]*:)\S*@`)
	// homeFolder is the home of a user on Linux, macOS and Windows.
	homeFolder = regexp.MustCompile(`(?i)(^|[\s"'=:,])((?:/[\w.-]+)*?/(?:home|users)/|[a-z]:\\users\\)[^\s/\\"']+`)
)

// HideSecrets returns a command line without the values of flags and variables
// that are called key, token, password or secret, without the passwords of
// URLs, and with ~ for the home of a user: reports are handed on.
func HideSecrets(line string) string {
	line = secretValue.ReplaceAllString(line, "${1}xxxxx")
	return homeFolder.ReplaceAllString(linkPassword.ReplaceAllString(line, "${1}xxxxx@"), "${1}~")
}
