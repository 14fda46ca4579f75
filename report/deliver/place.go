package deliver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"occudiff/ingest/note"
)

// Files are the files that one command writes.
type Files struct {
	// Inputs are the paths that the command reads; a folder stands for the files in it.
	Inputs []string
	// Stopped says whether the work was called off; nil when nobody may. A large report stops in the middle then, and
	// none of the files is put in place.
	Stopped func() error

	files   []*file
	folders []string // that were made
	read    []input  // what Inputs are, once it was asked for
}

// file is one of them.
type file struct {
	path   string // what is replaced or written to, links followed
	info   fs.FileInfo
	tmp    *os.File // nil when path is written to
	direct *os.File // standard output or standard error; nil when path is opened

	ending string
	own    Writer // instead of that of the ending; nil when there is none
	beside bool   // it belongs to another file and goes without saying
}

// open takes a path in. It opens the temporary file, so that a path that cannot be written is found before the work. An
// error does not name the path.
func (s *Files) open(path, ending string) error {
	f := &file{path: path, ending: ending}
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
	folder := filepath.Dir(f.path)
	if f.tmp, err = os.CreateTemp(folder, ".occudiff-*"+filepath.Ext(path)); err != nil {
		return fmt.Errorf("cannot be written: %w; give a path in a folder that exists and may be written",
			note.Reason(err))
	}
	lock(f.tmp)
	removeStale(folder)
	s.files = append(s.files, f)
	return nil
}

// check refuses what must not be replaced and cannot be written to.
func (s *Files) check(f *file) error {
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

// input is a file that the command reads.
type input struct {
	path string
	info fs.FileInfo
}

// input gives the input that a file is, by whatever name; empty when it is none.
func (s *Files) input(info fs.FileInfo) string {
	if s.read == nil {
		s.read = []input{}
		for _, p := range withFiles(s.Inputs) {
			if info, err := os.Stat(p); err == nil {
				s.read = append(s.read, input{p, info})
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
func (s *Files) makeFolder(path string) error {
	_, missing := os.Stat(path)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	if missing != nil {
		s.folders = append(s.folders, path)
	}
	return nil
}

// write writes every file, in the order of Open, and puts them in place when all are written.
func (s *Files) write(write func(f *file, w io.Writer) error) error {
	defer s.Discard()
	for _, f := range s.files {
		if err := s.fill(f, func(w io.Writer) error { return write(f, w) }); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	for _, f := range s.files { // open until now, which tells other runs that somebody is at it
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
func (s *Files) fill(f *file, write func(io.Writer) error) (err error) {
	to := f.direct
	switch {
	case f.tmp != nil:
		to = f.tmp
	case to == nil:
		if to, err = s.openWaiting(f.path); err != nil {
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

// openWaiting opens a pipe or a device; a pipe that nobody reads from blocks in that, and is given up when the work is
// called off.
func (s *Files) openWaiting(path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	for {
		select {
		case o := <-done:
			return o.f, o.err
		case <-time.After(50 * time.Millisecond):
			if err := s.stopped(); err != nil {
				return nil, err
			}
		}
	}
}

// stopped says whether the work was called off.
func (s *Files) stopped() error {
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

// Discard removes what has not been put in place; it may be called more than once.
func (s *Files) Discard() {
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
