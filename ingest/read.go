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

// Options are settings for reading paths as a Run.
type Options struct {
	Formats []Format // tried in order; the first that recognizes a file reads it
	Stdin   io.Reader
	ReadOptions
	// Content also computes row digests (see Input.Content).
	Content bool
}

// hashLimit is the size above which a format may compute its own digest.
// SHA-256 of a larger file takes longer than reading it: 0.83 ms per MB on one
// core, and it cannot be parallelized.
const hashLimit = 64 << 20

// sniffSize is the maximum number of bytes that Format.Sniff receives.
const sniffSize = 64 << 10

// Read returns one run from files or folders. For a folder, it reads its files,
// but not its subfolders. A path that does not exist or cannot be opened is an
// error. If another path is usable, an unusable file becomes an error note.
// Otherwise it is included in the returned error.
func Read(ctx context.Context, paths []string, opt Options) (*Run, error) {
	list, err := readPaths(ctx, paths, opt)
	if err != nil {
		return nil, err
	}
	return joinContents(list, paths)
}

// content is the result for a path: the exports in its file, or an error.
type content struct {
	candidate
	files []File
	err   error
}

// readPaths returns the content of each file in the paths, read once. It
// returns an error only if the remaining files cannot be a run without the
// unusable one.
func readPaths(ctx context.Context, paths []string, opt Options) ([]content, error) {
	candidates, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var list []content
	progress, done := opt.Progress, int64(0)
	for _, c := range candidates {
		// A format reports its own file's bytes, and Progress reports all
		// files' bytes.
		if progress != nil {
			opt.Progress = func(n int64) { progress(done + n) }
		}
		file, err := readCandidate(ctx, c, opt)
		done += sizeOf(c.path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.listed && note.HasCode(err, codeMissing, codeUnreadable), note.HasCode(err, codeDamaged):
			return nil, err // an incomplete run may look like a different run
		case err != nil:
			list = append(list, content{c, nil, err})
		default:
			list = append(list, content{c, file.parts(), nil})
		}
	}
	return list, nil
}

// noOutput reports whether a file in a folder is not profiler output. For
// example, a job's folder contains scripts, programs, and an empty error log.
func (c *content) noOutput() bool {
	return !c.listed && (note.HasCode(c.err, CodeUnknown, codeBinary) ||
		note.HasCode(c.err, codeEmpty) && !isExport(c.path))
}

// joinContents returns the contents of paths, joined to one run. It does not
// change them.
func joinContents(list []content, paths []string) (*Run, error) {
	var joined []File
	var faults []error
	// A single file from the user is joined once, so its kernels need no copy.
	once := len(list) == 1 && list[0].path == list[0].root
	for _, c := range list {
		switch {
		case c.noOutput():
			joined = append(joined, File{Notes: []note.Note{note.Newf(note.Info, "skipped-file",
				note.InFile(c.path), "", "skipped: no profiler output")}})
		case c.err != nil:
			faults = append(faults, c.err)
		}
		for _, f := range c.files {
			if !once {
				f.Kernels = slices.Clone(f.Kernels)
			}
			joined = append(joined, f)
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
	// Unusable files end the reading only if no run was found. A folder with
	// one bad file still has a run.
	for _, f := range faults {
		run.Notes = append(run.Notes, ErrorNote(f))
	}
	// Hide secrets once, so that no output needs to do it.
	run.Platform.Command = HideSecrets(run.Platform.Command)
	return run, nil
}

// dropNotMeasured drops the notes about files without occupancy if another file
// in the run has it.
func (r *Run) dropNotMeasured() {
	if slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return k.Measured.Present() }) {
		r.Notes = slices.DeleteFunc(r.Notes, func(n note.Note) bool { return n.Code == note.NotMeasured })
	}
}

// ErrorNote returns a note about an input that cannot be used.
func ErrorNote(err error) note.Note {
	f, ok := errors.AsType[*note.InputError](err)
	switch {
	case !ok:
		return note.Newf(note.Error, "unusable-file", note.Pos{}, "", "%v", err)
	case note.HasCode(err, CodeUnknown, codeBinary):
		return note.Warningf("skipped-file", f.Pos, "", "skipped: %s", f.Text)
	}
	return f.Note
}

// A MultipleResultsError means that a file contains several results. Each
// result is a run.
type MultipleResultsError struct {
	error
	Results int
}

// Unwrap returns the underlying error.
func (e *MultipleResultsError) Unwrap() error { return e.error }

// NewMultipleResultsError returns the error for a file with several results.
func NewMultipleResultsError(results int, fault error) error {
	return &MultipleResultsError{fault, results}
}

// ResultCount returns the file's result count if err is a MultipleResultsError,
// otherwise 0.
func ResultCount(err error) int {
	if e, ok := errors.AsType[*MultipleResultsError](err); ok {
		return e.Results
	}
	return 0
}

// CodeUnknown is the error code for a file that contains nothing for a run. In
// a folder such a file is skipped: for example, a program without a device
// image next to the export.
const CodeUnknown = "unknown-format"

// Other error codes that determine how a path is handled.
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
			faults = append(faults, note.Errorf(codeNoKernels, note.InFile(in.Path), t.Hint+"; "+exportHint,
				"%s", t.NotARun))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if len(run.Inputs) > 0 {
		return note.Errorf(codeNoKernels, note.InFile(run.Inputs[0].Path),
			"give the computing-task export along with it; "+exportHint,
			"the %s file names no kernel", run.Inputs[0].Kind)
	}
	return note.Errorf(codeNothing, note.InFile(what), exportHint, "nothing here is profiler output")
}

// ReadFS returns one run from the named files in a file system, for example
// embedded files.
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

// readCandidate returns the content of a file, or of a whole VTune result
// folder.
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
		if f.ReadFolder == nil {
			continue
		}
		root, err := os.OpenRoot(c.path) // links cannot lead outside it
		if err != nil {
			return nil, openError(c.path, err)
		}
		defer root.Close()
		file, err := f.ReadFolder(ctx, root.FS(), c.path, opt.ReadOptions)
		if err == nil {
			file.name(f, c.path, opt)
		}
		return file, err
	}
	return nil, note.Errorf("vtune-result", note.InFile(c.path),
		strings.Replace(exportHint, "RESULT_DIR", c.path, 1), "this is a VTune result folder, not an export")
}

// detect returns a file's format, and reports whether the file is a notebook,
// whose outputs replace its content.
func detect(src *Source, formats []Format) (f Format, notebook bool, err error) {
	var head []byte
	if notebook, err = fromNotebook(src); err == nil {
		head, err = peek(src)
	}
	if err != nil {
		return f, notebook, readError(src.Path, err)
	}
	f, err = sniff(src.Path, head, formats)
	return f, notebook, ofNotebook(notebook, err)
}

// readSource returns a file's content in the detected format. sum has hashed
// all bytes when src.R is at its end.
func readSource(ctx context.Context, src *Source, sum hash.Hash, opt Options) (*File, error) {
	path := src.Path
	format, notebook, err := detect(src, opt.Formats)
	if err != nil {
		return nil, err
	}
	ro := opt.ReadOptions
	ro.Hash = src.At != nil
	file, err := format.Read(ctx, src, ro)
	if err == nil && file.Digest == "" {
		// A format may stop before the end of the file, but a compressed file
		// has its checksum there.
		_, err = io.Copy(io.Discard, src.R)
	}
	if err != nil {
		return nil, ofNotebook(notebook, readError(path, err))
	}
	if notebook {
		file.ForgetColumns() // columns in the output, not in the file
	}
	file.Digest = cmp.Or(file.Digest, digest("sha256", sum))
	file.name(format, path, opt)
	if opt.Result > 0 { // a file's results are different runs
		file.Content = fmt.Sprintf("%s#%d", cmp.Or(file.Content, file.Digest), opt.Result)
	}
	return file, nil
}

// name sets the file's path, kind, and, if requested, content digest.
func (f *File) name(format Format, path string, opt Options) {
	f.Path, f.Kind = path, format.Kind
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
	// secretValue matches a flag or variable with a name that suggests a
	// secret, and its value.
	secretValue = regexp.MustCompile(`(?i)(--?[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*(?:[=:\s]\s*)|` +
		`[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*=)("[^"]*"|'[^']*'|-?[^-\s]\S*)`)
	// linkPassword matches the password in a URL.
	linkPassword = regexp.MustCompile(`(://[^\s/:@]*:)\S*@`)
	// homeFolder matches a user's home folder on Linux, macOS, and Windows.
	homeFolder = regexp.MustCompile(`(?i)(^|[\s"'=:,])((?:/[\w.-]+)*?/(?:home|users)/|[a-z]:\\users\\)[^\s/\\"']+`)
)

// HideSecrets returns a command line that is safe to share in a report. It
// masks the flag values and variables whose names contain key, token, passw,
// secret, or credential, and the URL passwords. It replaces home folders by ~.
func HideSecrets(line string) string {
	line = secretValue.ReplaceAllString(line, "${1}xxxxx")
	return homeFolder.ReplaceAllString(linkPassword.ReplaceAllString(line, "${1}xxxxx@"), "${1}~")
}
