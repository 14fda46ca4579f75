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
	"runtime"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// Limits for archives. A two-hour result's needed part has a few GiB when
// unpacked.
const (
	maxEntries  = 1 << 18
	maxUnpacked = 8 << 30
	inMemory    = 64 << 20 // maximum archive size without random access, which is kept in memory
	maxDepth    = 4        // folders above a result
)

// FS is where results are: a folder, or a folder's archive.
type FS struct {
	fs.FS
	Path    string // as the user entered it
	Archive bool
}

// pos returns a file's position for messages.
func (f FS) pos(name string) note.Pos {
	if f.Archive {
		return note.InFile(f.Path + "(" + name + ")")
	}
	return note.InFile(filepath.Join(f.Path, filepath.FromSlash(name)))
}

// damaged returns the error for a damaged file.
func (f FS) damaged(name, format string, args ...any) error {
	return note.Errorf(codeDamaged, f.pos(name), "copy the result folder again", format, args...)
}

func (f FS) unreadable(name, hint string, err error) error {
	return note.Errorf("unreadable-result", f.pos(name), hint, "cannot be read: %v", note.Reason(err))
}

// results returns the .vtune files in the folders that are results. It limits
// the depth, because otherwise it would search a complete home folder that was
// passed by mistake.
func (f FS) results() (marks []string, err error) {
	err = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir() && path.Ext(name) == ingest.ResultExtension:
			marks = append(marks, name)
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= maxDepth:
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, f.unreadable("", "", err)
	}
	return marks, nil
}

// isZip reports whether a file begins like a zip archive. Office documents are
// zip archives, too, and are excluded.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) && !bytes.Contains(head, []byte("[Content_Types].xml"))
}

func isTar(head []byte) bool {
	return len(head) > 262 && bytes.Equal(head[257:262], []byte("ustar"))
}

// wanted reports whether an archive's file may be needed.
func wanted(name string) bool {
	dir, base := path.Split(name)
	switch path.Ext(base) {
	case ingest.ResultExtension, ".trace", ".aux", ".vtss":
		return true
	// A result's other files are large and not needed: one result had 116 MB,
	// but only 1.3 MB were needed.
	case ".cfg":
		return strings.HasPrefix(base, "gen_metrics") || base == "context_values.cfg"
	}
	return base == "runsa.options" || base == "dicer.db" || strings.Contains(dir, "/timelinedb/")
}

// openArchive returns the files in a zip or tar archive. done removes the
// unpacked files, and must be called even after an error.
func openArchive(ctx context.Context, src *ingest.Source, head []byte) (f FS, done func(), err error) {
	f, done = FS{Path: src.Path, Archive: true}, func() {}
	// A tar archive is a stream without a file list, but a result's files are
	// read in a different order. Therefore it is unpacked to the disk. A zip
	// archive is read directly.
	if isTar(head) {
		if runtime.GOOS == "js" {
			return f, done, errors.New("a browser has no disk to unpack it to: give the folder, or a zip archive of it")
		}
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
			return f, done, fmt.Errorf("a zip archive of more than %d MiB must be a file: its list of files is "+
				"at its end", inMemory>>20)
		}
		at, size = bytes.NewReader(b), int64(len(b))
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return f, done, err
	}
	used := admission{}
	for _, e := range z.File {
		if _, err := used.admit(strings.TrimSuffix(e.Name, "/"), e.FileInfo()); err != nil {
			return f, done, err
		}
	}
	f.FS = z
	return f, done, nil
}

// admission counts an archive's accepted content.
type admission struct{ entries, bytes int64 }

// admit reports whether an entry should be read. It returns an error for an
// entry that is outside the folder, that is neither a file nor a folder, or
// that is too large. An archive reader returns no more bytes than the entry's
// header states. A backslash is rejected, because on Windows it is a separator
// and could lead outside the folder.
func (a *admission) admit(name string, info fs.FileInfo) (bool, error) {
	mode, size := info.Mode(), info.Size()
	a.entries++
	switch {
	case a.entries > maxEntries:
		return false, fmt.Errorf("it has more than %d entries", maxEntries)
	case !fs.ValidPath(name) || strings.Contains(name, `\`):
		return false, fmt.Errorf("the entry %q is not a path inside it", name)
	case !mode.IsRegular() && !mode.IsDir():
		return false, fmt.Errorf("the entry %q is a link or a device", name)
	case mode.IsDir() || !wanted(name):
		return false, nil
	case size < 0 || size > maxUnpacked-a.bytes:
		return false, fmt.Errorf("it unpacks to more than %d GiB", maxUnpacked>>30)
	}
	a.bytes += size
	return true, nil
}

// unpack writes an archive's needed files to a folder.
func unpack(ctx context.Context, t *tar.Reader, dir string) error {
	for used := (admission{}); ; {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
		if name == "" || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if read, err := used.admit(name, h.FileInfo()); err != nil {
			return err
		} else if !read {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		// Use O_EXCL, because if two entries have the same name, it is unknown
		// which one is correct.
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, t)
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
}

// data returns the files in all data.N folders in a result. VTune numbers them
// by concurrent collectors. Their content is known only after opening a file.
func (f FS) data(dir string) (files []string, err error) {
	entries, err := fs.ReadDir(f, dir)
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "data.") {
			inside, err := fs.ReadDir(f, path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			for _, file := range inside {
				files = append(files, path.Join(dir, e.Name(), file.Name()))
			}
		}
	}
	return files, err
}
