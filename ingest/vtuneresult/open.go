package vtuneresult

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// The limits of archives. What is asked for of a result of two hours unpacks to some GiB.
const (
	maxEntries  = 1 << 18
	maxUnpacked = 8 << 30
	inMemory    = 64 << 20 // an archive up to this size that cannot be read at any place is held in memory
	maxDepth    = 4        // of folders above a result
)

// FS is where results lie: a folder, or an archive of one.
type FS struct {
	fs.FS
	Path    string // as the user gave it
	Archive bool
}

// pos is the place of a file in messages.
func (f FS) pos(name string) note.Pos {
	if f.Archive {
		return note.Pos{File: f.Path + "(" + name + ")"}
	}
	return note.Pos{File: filepath.Join(f.Path, filepath.FromSlash(name))}
}

// results finds the folders that are results: each holds a file that ends in .vtune.
func (f FS) results() (marks []string, err error) {
	err = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir() && path.Ext(name) == ".vtune":
			marks = append(marks, name)
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= maxDepth:
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, note.Faultf(codeUnreadable, f.pos(""), "", "cannot be read: %v", note.Reason(err))
	}
	return marks, nil
}

// isZip and isTar say what an archive begins like. Office documents are zip archives too.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) && !bytes.Contains(head, []byte("[Content_Types].xml"))
}

func isTar(head []byte) bool {
	return len(head) > 262 && bytes.Equal(head[257:262], []byte("ustar"))
}

// wanted says whether a file of an archive is one that may be read.
func wanted(name string) bool {
	dir, base := path.Split(name)
	switch path.Ext(base) {
	case ".vtune", ".trace", ".aux", ".vtss":
		return true
	case ".cfg":
		return strings.HasPrefix(base, "gen_metrics") || base == "context_values.cfg"
	}
	return base == "runsa.options" || base == "dicer.db" || strings.Contains(dir, "/timelinedb/")
}

// openArchive opens a zip or tar archive. done removes what was unpacked for it.
func openArchive(ctx context.Context, src *ingest.Source, head []byte) (f FS, done func(), err error) {
	f, done = FS{Path: src.Path, Archive: true}, func() {}
	defer func() {
		if err != nil {
			done()
			err = archiveFault(src.Path, err)
		}
	}()
	if isTar(head) {
		dir, err := os.MkdirTemp("", "occudiff-result-")
		if err != nil {
			return f, done, err
		}
		done = func() { os.RemoveAll(dir) }
		f.FS = os.DirFS(dir)
		return f, done, unpack(ctx, tar.NewReader(src.R), dir)
	}
	at, size := src.At, src.Size
	if at == nil || size < 0 {
		b, err := io.ReadAll(io.LimitReader(src.R, inMemory+1))
		if err != nil {
			return f, done, err
		}
		if len(b) > inMemory {
			return f, done, fmt.Errorf("a zip archive of more than %d MiB must be a file: its list of files stands at "+
				"its end", inMemory>>20)
		}
		at, size = bytes.NewReader(b), int64(len(b))
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return f, done, err
	}
	var left int64 = maxUnpacked
	if len(z.File) > maxEntries {
		return f, done, errEntries
	}
	for _, e := range z.File {
		name := strings.TrimSuffix(e.Name, "/")
		if err := checkEntry(name, e.Mode()); err != nil {
			return f, done, err
		}
		if wanted(name) {
			if e.UncompressedSize64 > uint64(left) {
				return f, done, errUnpacked
			}
			left -= int64(e.UncompressedSize64) // archive/zip gives no more bytes than these
		}
	}
	f.FS = z
	return f, done, nil
}

var (
	errEntries  = fmt.Errorf("it has more than %d entries", maxEntries)
	errUnpacked = fmt.Errorf("it unpacks to more than %d GiB", maxUnpacked>>30)
)

func archiveFault(path string, err error) error {
	if _, ok := errors.AsType[*note.Fault](err); ok || errors.Is(err, context.Canceled) {
		return err
	}
	return note.Faultf(codeDamaged, note.Pos{File: path}, "pack the result folder again, or give the folder",
		"the archive cannot be read: %v", note.Reason(err))
}

// checkEntry refuses what would lie outside the folder or is neither file nor folder.
func checkEntry(name string, mode fs.FileMode) error {
	switch {
	case !fs.ValidPath(name) || strings.Contains(name, `\`):
		return fmt.Errorf("the entry %q is no path within it", name)
	case !mode.IsRegular() && !mode.IsDir():
		return fmt.Errorf("the entry %q is a link or a device", name)
	}
	return nil
}

// unpack writes the files that may be read of an archive into a folder.
func unpack(ctx context.Context, t *tar.Reader, dir string) error {
	left := int64(maxUnpacked)
	for n := 0; ; n++ {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case n == maxEntries:
			return errEntries
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
		if name == "" || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if err := checkEntry(name, h.FileInfo().Mode()); err != nil {
			return err
		}
		if !wanted(name) || h.FileInfo().IsDir() {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		written, err := io.Copy(out, io.LimitReader(t, left+1))
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
		if left -= written; left < 0 {
			return errUnpacked
		}
	}
}

// pair is the counters of one adapter or tile: a metric set and the samples beside it.
type pair struct{ set, samples string }

// pairs finds them in all folders data.N of a result.
func (f FS) pairs(dir string) (list []pair, folders []string, err error) {
	entries, err := fs.ReadDir(f, dir)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), "data.") {
			continue
		}
		folders = append(folders, path.Join(dir, e.Name()))
		files, err := fs.ReadDir(f, path.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		has := func(name string) bool {
			return slices.ContainsFunc(files, func(e fs.DirEntry) bool { return e.Name() == name })
		}
		for _, file := range files {
			stem, ok := strings.CutSuffix(file.Name(), ".cfg")
			if ok && strings.HasPrefix(stem, "gen_metrics") && has(stem+".vtss") {
				at := path.Join(dir, e.Name(), stem)
				list = append(list, pair{at + ".cfg", at + ".vtss"})
			}
		}
	}
	return list, folders, err
}
