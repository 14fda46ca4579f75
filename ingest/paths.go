package ingest

import (
	"cmp"
	"fmt"
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

// oneResult says whether a folder holds one result of VTune's own beside exports: these are of one run.
func (f *folder) oneResult() bool {
	n := 0
	for _, sub := range f.folders {
		if isResult(sub) {
			n++
		}
	}
	return n == 1 && slices.ContainsFunc(f.files, isText)
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

// Runs splits paths into runs: several folders are a run each, a folder of folders is a run for each of those that
// holds profiler output, and everything else is one run. What else a folder of folders holds goes with the first run,
// which notes that it is skipped.
func Runs(paths []string, formats []Format) [][]string {
	all := true
	for _, p := range paths {
		all = all && isFolder(p)
	}
	if !all && len(paths) > 1 {
		return [][]string{paths}
	}
	if slices.IsSorted(paths) { // as a shell lists folders
		paths = slices.SortedStableFunc(slices.Values(paths), naturally)
	}
	var runs [][]string
	holds := func(files []string) bool {
		return slices.ContainsFunc(files, func(file string) bool { return recognized(file, formats) })
	}
	for _, p := range paths {
		below, others := foldersOfRuns(p, holds)
		if len(below) == 0 {
			runs = append(runs, []string{p})
			continue
		}
		for i, b := range below {
			run := []string{b}
			if i == 0 {
				run = append(run, others...)
			}
			runs = append(runs, run)
		}
	}
	return runs
}

// foldersOfRuns gives the folders below a folder that hold profiler output, and what else there is; none when the
// folder holds such files itself.
func foldersOfRuns(path string, holds func(files []string) bool) (below, others []string) {
	f, err := listFolder(path)
	if err != nil || f.result || len(f.folders) == 0 || holds(f.files) {
		return nil, nil
	}
	for _, sub := range f.folders {
		switch in, err := listFolder(sub); {
		case err == nil && in.result:
			below = append(below, sub)
		case err != nil || len(in.files) == 0:
		case holds(in.files):
			below = append(below, sub)
		default:
			others = append(others, sub)
		}
	}
	return below, append(others, f.files...)
}

// recognized says whether a file is of one of the formats, as far as can be told.
func recognized(path string, formats []Format) bool {
	o, err := open(path, Options{})
	if err != nil {
		return isCode(err, codeDamaged)
	}
	defer o.close()
	if _, err := fromNotebook(o.src); err != nil {
		return isCode(err, codeDamaged)
	}
	head, err := peek(o.src)
	if err != nil {
		return isCode(err, codeDamaged)
	}
	_, err = sniff(path, head, formats)
	return err == nil
}

// runNames gives each run the name of its folder or first file, and a number where there are several of a name: x/run
// and y/run.
func runNames(runs [][]string) []string {
	names, seen := make([]string, len(runs)), map[string]int{}
	for i, p := range runs {
		names[i] = filepath.Base(filepath.Clean(p[0]))
		if seen[names[i]]++; seen[names[i]] > 1 {
			names[i] = fmt.Sprintf("%s-%d", names[i], seen[names[i]])
		}
	}
	return names
}
