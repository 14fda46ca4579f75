package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writer writes one output format.
type writer func(io.Writer) error

// outputs are the files of -o: opened as temporary files beside their targets before any work, so that a path that cannot
// be written is found first, and renamed at the end, so that a failure leaves no half of a file.
type outputs struct {
	files []*output
	// stopped says whether the work was called off; nil when nobody may. A large report stops in the middle of its rows
	// then, and none of the files is put in place.
	stopped func() error
}

// stoppable is a writer that fails once the work is called off.
type stoppable struct {
	w       io.Writer
	stopped func() error
}

// Write implements io.Writer.
func (s stoppable) Write(p []byte) (int, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

// until gives a writer that fails once the work is called off.
func (o *outputs) until(w io.Writer) io.Writer {
	if o.stopped == nil {
		return w
	}
	return stoppable{w, o.stopped}
}

type output struct {
	path, ending string
	tmp          *os.File
	own          writer // instead of that of the ending; nil when there is none
	beside       bool   // it belongs to another file and goes without saying
}

// openOutputs checks the endings and opens the temporary files.
func openOutputs(paths []string, endings ...string) (*outputs, error) {
	o := &outputs{}
	seen := map[string]bool{}
	for _, p := range paths {
		ending := strings.ToLower(filepath.Ext(p))
		var err error
		switch {
		case !slices.Contains(endings, ending):
			err = usageErrorf("-o %s: this command writes %s; the ending picks the format", p, strings.Join(endings, " "))
		case seen[filepath.Clean(p)]:
			err = usageErrorf("-o %s is given twice", p)
		default:
			err = o.open(p, ending)
		}
		if err != nil {
			o.discard()
			return nil, err
		}
		seen[filepath.Clean(p)] = true
	}
	return o, nil
}

func (o *outputs) open(p, ending string) error {
	if info, err := os.Stat(p); err == nil && info.IsDir() {
		return usageErrorf("-o %s is a folder; give a file in it", p)
	}
	p = throughLink(p)
	tmp, err := os.CreateTemp(filepath.Dir(p), ".occudiff-*"+ending)
	if err != nil {
		return usageErrorf("-o %s cannot be written: %v; give a path in a folder that exists and may be written", p, reason(err))
	}
	o.files = append(o.files, &output{path: p, ending: ending, tmp: tmp})
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
	return p
}

// avoidInputs refuses outputs that are inputs: a report must not take the place of what it is made from.
func avoidInputs(outputs, inputs []string) error {
	for _, o := range outputs {
		out, err := os.Stat(o)
		if err != nil {
			continue
		}
		for _, in := range withFiles(inputs) {
			if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
				return usageErrorf("-o %s would overwrite the input %s; give another name", o, in)
			}
		}
	}
	return nil
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

// reason takes the path of a temporary file out of an error.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// write writes every output with the writer of its ending and puts them in place: all are written before any is renamed.
func (o *outputs) write(writers map[string]writer) error {
	defer o.discard()
	for _, f := range o.files {
		b := bufio.NewWriterSize(o.until(f.tmp), 64<<10)
		write := writers[f.ending]
		if f.own != nil {
			write = f.own
		}
		err := write(b)
		if err == nil {
			err = b.Flush()
		}
		if err == nil {
			err = f.tmp.Chmod(0o666 &^ umask())
		}
		if cerr := f.tmp.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, reason(err))
		}
	}
	if o.stopped != nil && o.stopped() != nil {
		return o.stopped()
	}
	for _, f := range o.files {
		if err := os.Rename(f.tmp.Name(), f.path); err != nil {
			return fmt.Errorf("%s was not written: %w", f.path, reason(err))
		}
	}
	return nil
}

// discard removes what has not been put in place; it may be called more than once.
func (o *outputs) discard() {
	for _, f := range o.files {
		f.tmp.Close()
		os.Remove(f.tmp.Name())
	}
}

// names lists the paths for a message.
func (o *outputs) names() string {
	var n []string
	for _, f := range o.files {
		if !f.beside {
			n = append(n, f.path)
		}
	}
	return strings.Join(n, ", ")
}
