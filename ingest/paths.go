package ingest

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

type candidate struct {
	path   string
	listed bool // named by the user, not found in a folder
	folder bool // a result of VTune's own, which is read as a whole
}

// folder is what lies directly in a folder, by name, without hidden entries and whatever is neither file nor folder.
type folder struct {
	files, folders []string
	result         bool // of VTune's own
}

func listFolder(path string) (f folder, err error) {
	entries, err := os.ReadDir(path)
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return naturally(a.Name(), b.Name()) })
	for _, e := range entries {
		f.result = f.result || strings.HasSuffix(e.Name(), ".vtune")
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		p := filepath.Join(path, e.Name())
		switch info, err := os.Stat(p); {
		case err != nil:
		case info.IsDir():
			f.folders = append(f.folders, p)
		case info.Mode().IsRegular():
			f.files = append(f.files, p)
		}
	}
	return f, err
}

// naturally orders names as people count: n2 before n10.
func naturally(a, b string) int {
	number := func(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }
	for a != "" && b != "" {
		x, y := number(a), number(b)
		if x == "" || y == "" {
			x, y = a[:1], b[:1]
		}
		v, w := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isResult says whether a folder is a result of VTune's own.
func isResult(path string) bool {
	f, err := listFolder(path)
	return err == nil && f.result
}

// isText says whether a file's name is one that exports have.
func isText(path string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	return strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".txt")
}

// expand gives the files of paths, each once.
func expand(paths []string) ([]candidate, error) {
	var files []candidate
	seen := map[string]bool{}
	add := func(p string, listed, folder bool) {
		key, err := filepath.Abs(p)
		if err != nil || p == "-" {
			key = p
		}
		if !seen[key] {
			seen[key] = true
			files = append(files, candidate{p, listed, folder})
		}
	}
	for _, p := range paths {
		if p == "-" || !isFolder(p) {
			add(p, true, false)
			continue
		}
		f, err := listFolder(p)
		switch {
		case err != nil:
			return nil, openFault(p, err)
		case f.result:
			add(p, true, true)
		case len(f.files) == 0 && !slices.ContainsFunc(f.folders, isResult):
			return nil, note.Faultf(codeNoFiles, note.Pos{File: p}, exportHint, "the folder holds no files")
		}
		for _, file := range f.files {
			if !f.result || isText(file) { // of a result's own files only exports that were put there
				add(file, false, false)
			}
		}
		for _, sub := range f.folders {
			if !f.result && isResult(sub) {
				add(sub, true, true)
			}
		}
	}
	return files, nil
}

// sizeOf gives the bytes of a path on the disk, 0 when nobody knows.
func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// Size gives the bytes that Read would read of the paths, for a progress bar.
func Size(paths []string) int64 {
	files, err := expand(paths)
	if err != nil {
		return 0
	}
	var n int64
	for _, f := range files {
		n += sizeOf(f.path)
	}
	return n
}
