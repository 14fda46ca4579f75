package main

import (
	"bufio"
	"crypto/rand"
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
// when all of them are written. A link is followed to the file that it names. What is no regular file is refused; so is
// every file that the command reads, by whatever name.
type outputFiles struct {
	inputs  []string     // what the command reads; a folder stands for the files in it
	stopped func() error // whether the work was called off: a large report stops in the middle then
	files   []*outputFile
}

// outputFile is one of them.
type outputFile struct {
	path   string      // what is replaced, links followed
	old    fs.FileInfo // of what is there already; nil when nothing is
	tmp    *os.File
	ending string
	write  formWriter // set before it is put in place
}

// open takes a path in. It opens the temporary file, so that a path that cannot be written is found before the work. An
// error does not name the path.
func (s *outputFiles) open(path, ending string) (*outputFile, error) {
	f := &outputFile{path: throughLink(path), ending: ending}
	var err error
	if f.old, err = os.Stat(path); err == nil {
		switch in := s.input(f.old); {
		case f.old.IsDir():
			return nil, errors.New("is a folder; give a file in it")
		case !f.old.Mode().IsRegular():
			return nil, errors.New("is not a file; give the name of one")
		case in != "":
			return nil, fmt.Errorf("would overwrite the input %s; give another name", in)
		}
	}
	for _, other := range s.files {
		if other.path == f.path || other.old != nil && f.old != nil && os.SameFile(other.old, f.old) {
			return nil, errors.New("is given twice")
		}
	}
	// Not os.CreateTemp, which makes files for their owner alone: a report can be read as any new file.
	temporary := filepath.Join(filepath.Dir(f.path), ".occudiff-"+rand.Text()+filepath.Ext(path))
	if f.tmp, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, fmt.Errorf("cannot be written: %w; give a path in a folder that exists and may be written",
			note.Reason(err))
	}
	s.files = append(s.files, f)
	return f, nil
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

// input gives the input that a file is, by whatever name; empty when it is none. Folders stand for the files in them, and
// in folders in them: as deep as runs are looked for.
func (s *outputFiles) input(info fs.FileInfo) string {
	for _, p := range s.inputs {
		names := []string{"."}
		for _, pattern := range []string{"*", "*/*"} {
			below, _ := fs.Glob(os.DirFS(p), pattern) // what is no folder has none
			names = append(names, below...)
		}
		for _, name := range names {
			path := filepath.Join(p, filepath.FromSlash(name))
			if in, err := os.Stat(path); err == nil && os.SameFile(in, info) {
				return path
			}
		}
	}
	return ""
}

// place writes every file, in the order in which they were opened, and puts them in place when all are written.
func (s *outputFiles) place() error {
	defer s.discard()
	for _, f := range s.files {
		if err := s.fill(f); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	if err := s.stopped(); err != nil {
		return err
	}
	for _, f := range s.files {
		if err := os.Rename(f.tmp.Name(), f.path); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, note.Reason(err))
		}
	}
	return nil
}

// fill writes one file. A file that is replaced keeps its permissions.
func (s *outputFiles) fill(f *outputFile) error {
	b := bufio.NewWriterSize(stoppable{f.tmp, s.stopped}, 64<<10)
	if err := f.write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if f.old != nil {
		if err := f.tmp.Chmod(f.old.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.tmp.Close()
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
		f.tmp.Close()
		os.Remove(f.tmp.Name())
	}
}
