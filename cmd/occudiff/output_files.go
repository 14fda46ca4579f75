package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"occudiff/ingest/note"
)

// outputFiles are the files that one command writes. They are opened before the work, so that one that cannot be written
// is found first, and put in place whole or not at all: each is written as a temporary file beside its target and renamed
// when all of them are written. A link is followed to the file that it names, a pipe, a terminal or another character
// device is written to, and anything else that is no regular file is refused; so is every file that the command reads, by
// whatever name.
type outputFiles struct {
	// Inputs are the paths that the command reads; a folder stands for the files in it.
	Inputs []string
	// Stopped says whether the work was called off; nil when nobody may. A large report stops in the middle then, and
	// none of the files is put in place.
	Stopped func() error

	files   []*outputFile
	folders []string    // that were made
	read    []inputFile // what Inputs are, once it was asked for
}

// outputFile is one of them.
type outputFile struct {
	path   string // what is replaced or written to, links followed
	info   fs.FileInfo
	tmp    *os.File // nil when path is written to
	direct *os.File // standard output or standard error; nil when path is opened

	ending string
	own    formWriter // instead of that of the ending; nil when there is none
	beside bool       // it belongs to another file and goes without saying
}

// open takes a path in. It opens the temporary file, so that a path that cannot be written is found before the work. An
// error does not name the path.
func (s *outputFiles) open(path, ending string) error {
	f := &outputFile{path: path, ending: ending}
	var err error
	if f.info, err = os.Stat(path); err == nil {
		if err := s.check(f); err != nil {
			return err
		}
		if f.direct = standardStream(f.info); f.direct != nil || !f.info.Mode().IsRegular() {
			s.files = append(s.files, f)
			return nil
		}
	}
	f.path = throughLink(path)
	for _, other := range s.files {
		if other.path == f.path || other.info != nil && f.info != nil && os.SameFile(other.info, f.info) {
			return errors.New("is given twice")
		}
	}
	if f.tmp, err = os.CreateTemp(filepath.Dir(f.path), ".occudiff-*"+filepath.Ext(path)); err != nil {
		return fmt.Errorf("cannot be written: %w; give a path in a folder that exists and may be written",
			note.Reason(err))
	}
	s.files = append(s.files, f)
	return nil
}

// check refuses what must not be replaced and cannot be written to.
func (s *outputFiles) check(f *outputFile) error {
	mode := f.info.Mode()
	switch {
	case mode.IsDir():
		return errors.New("is a folder; give a file in it")
	case mode&fs.ModeCharDevice != 0 || standardStream(f.info) != nil:
		return nil
	case !mode.IsRegular() && mode&fs.ModeNamedPipe == 0:
		return errors.New("is neither a file nor a pipe nor a terminal; give a file")
	}
	if in := s.input(f.info); in != "" {
		return fmt.Errorf("would overwrite the input %s; give another name", in)
	}
	return nil
}

// standardStream gives standard output or standard error when a path, such as a link to /dev/stdout, leads there: a
// file that the shell has opened for them is written on and not replaced.
func standardStream(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if i, err := f.Stat(); err == nil && os.SameFile(i, info) {
			return f
		}
	}
	return nil
}

// throughLink gives the file that a symbolic link names, also one that is not there yet: the link stays a link.
func throughLink(p string) string {
	if target, err := filepath.EvalSymlinks(p); err == nil {
		return target
	}
	if target, err := os.Readlink(p); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(p), target)
		}
		return target
	}
	return filepath.Clean(p)
}

// inputFile is a file that the command reads.
type inputFile struct {
	path string
	info fs.FileInfo
}

// input gives the input that a file is, by whatever name; empty when it is none.
func (s *outputFiles) input(info fs.FileInfo) string {
	if s.read == nil {
		s.read = []inputFile{}
		for _, p := range withFiles(s.Inputs) {
			if info, err := os.Stat(p); err == nil {
				s.read = append(s.read, inputFile{p, info})
			}
		}
	}
	for _, in := range s.read {
		if os.SameFile(in.info, info) {
			return in.path
		}
	}
	return ""
}

// withFiles adds the files of folders, and of folders in them: as deep as runs are looked for.
func withFiles(paths []string) []string {
	all := append([]string{}, paths...)
	for _, pattern := range []string{"*", filepath.Join("*", "*")} {
		for _, p := range paths {
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				if below, err := fs.Glob(os.DirFS(p), filepath.ToSlash(pattern)); err == nil {
					for _, b := range below {
						all = append(all, filepath.Join(p, filepath.FromSlash(b)))
					}
				}
			}
		}
	}
	return all
}

// makeFolder makes a folder for files of the command. It goes away again when none is put in it.
func (s *outputFiles) makeFolder(path string) error {
	_, missing := os.Stat(path)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	if missing != nil {
		s.folders = append(s.folders, path)
	}
	return nil
}

// place writes every file, in the order of openFiles, and puts them in place when all are written.
func (s *outputFiles) place(write func(f *outputFile, w io.Writer) error) error {
	defer s.discard()
	for _, f := range s.files {
		if err := s.fill(f, func(w io.Writer) error { return write(f, w) }); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	for _, f := range s.files {
		if f.tmp == nil {
			continue
		}
		if err := f.tmp.Close(); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	if err := s.stopped(); err != nil {
		return err
	}
	for _, f := range s.files {
		if f.tmp == nil {
			continue
		}
		if err := os.Rename(f.tmp.Name(), f.path); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	return nil
}

// fill writes one file. A file that is replaced keeps its permissions.
func (s *outputFiles) fill(f *outputFile, write func(io.Writer) error) (err error) {
	to := f.direct
	switch {
	case f.tmp != nil:
		to = f.tmp
	case to == nil:
		if to, err = os.OpenFile(f.path, os.O_WRONLY, 0); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
	}
	b := bufio.NewWriterSize(stoppable{to, s.stopped}, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil || f.tmp == nil {
		return err
	}
	mode := 0o666 &^ umask()
	if f.info != nil {
		mode = f.info.Mode().Perm()
	}
	return f.tmp.Chmod(mode)
}

// stopped says whether the work was called off.
func (s *outputFiles) stopped() error {
	if s.Stopped == nil {
		return nil
	}
	return s.Stopped()
}

// stoppable is a writer that fails once the work is called off.
type stoppable struct {
	io.Writer
	stopped func() error
}

// Write implements io.Writer.
func (s stoppable) Write(p []byte) (int, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

// discard removes what has not been put in place; it may be called more than once.
func (s *outputFiles) discard() {
	for _, f := range s.files {
		if f.tmp != nil {
			f.tmp.Close()
			os.Remove(f.tmp.Name())
		}
	}
	for _, folder := range s.folders {
		os.Remove(folder) // fails where it holds files
	}
}
