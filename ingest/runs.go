package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// Runs returns the paths of each run:
//
//   - If there are several folders, each folder is a run.
//   - In a folder of folders, each subfolder with profiler output is a run,
//     together with the shared files next to the subfolders. All other files
//     and folders are added to the first run, which notes that they are
//     skipped.
//   - Otherwise, all paths are one run.
func Runs(paths []string, formats []Format) [][]string {
	if len(paths) > 1 && slices.ContainsFunc(paths, func(p string) bool { return !isFolder(p) }) {
		return [][]string{paths}
	}
	if slices.IsSorted(paths) { // the order in which a shell lists folders
		paths = slices.SortedStableFunc(slices.Values(paths), naturally)
	}
	var runs [][]string
	for _, p := range paths {
		runs = append(runs, runsOf(p, formats)...)
	}
	return runs
}

// runsOf returns the runs in a folder of folders. Any other path is one run.
func runsOf(path string, formats []Format) (runs [][]string) {
	f, err := listFolder(path)
	if err != nil || f.result || len(f.folders) == 0 {
		return [][]string{{path}}
	}
	var shared, others []string
	for _, file := range f.files {
		format, known := recognized(file, formats)
		if format.Shared {
			shared = append(shared, file)
		} else if known {
			return [][]string{{path}} // the folder itself is a run
		} else {
			others = append(others, file)
		}
	}
	for _, sub := range f.folders {
		in, err := listFolder(sub)
		holds := func(file string) bool {
			format, known := recognized(file, formats)
			return known && (!format.Shared || format.RunAlone)
		}
		if err == nil && (in.result || slices.ContainsFunc(in.files, holds)) {
			runs = append(runs, append([]string{sub}, shared...))
		} else if len(in.files) > 0 {
			others = append(others, sub)
		}
	}
	if len(runs) == 0 {
		return [][]string{{path}}
	}
	runs[0] = append(runs[0], others...)
	return runs
}

// recognized returns a file's format if it can be detected. known is also true
// for a damaged file, whose format may be unknown.
func recognized(path string, formats []Format) (f Format, known bool) {
	o, err := open(context.Background(), path, Options{})
	if err != nil {
		return f, note.HasCode(err, codeDamaged)
	}
	defer o.close()
	f, _, err = detect(o.src, formats)
	return f, err == nil || note.HasCode(err, codeDamaged)
}

// EachRun passes each run of the paths to a function, with the name of its
// folder or file. read reads the runs in one element of Runs, see ReadRuns.
func EachRun(paths []string, formats []Format, read func(paths []string) ([]*Run, error),
	each func(name string, run *Run) error) error {
	seen := map[string]int{}
	for _, paths := range Runs(paths, formats) {
		base := filepath.Base(filepath.Clean(paths[0]))
		name := base
		if seen[base]++; seen[base] > 1 { // for example, x/run and y/run
			name = fmt.Sprintf("%s-%d", base, seen[base])
		}
		runs, err := read(paths)
		if err != nil {
			return err
		}
		for i, run := range runs {
			switch {
			case len(runs) > 1 && ResultsOfOneFile(runs):
				name = fmt.Sprintf("%s, result %d", base, i+1)
			case len(runs) > 1:
				name = filepath.Base(run.Inputs[0].Path)
			}
			if err := each(name, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// ResultsOfOneFile reports whether several runs are results from one file. For
// example, a difference report has two results.
func ResultsOfOneFile(runs []*Run) bool {
	return len(runs) > 1 && runs[0].Inputs[0].Path == runs[1].Inputs[0].Path
}

// ReadRuns returns the run in the paths, or several runs if they contain
// several: a file's results, or a folder with several exports of the same
// kernels. For example, a folder with repeats has a run per export. Each file
// is read once, except for a file with several results, which is read once per
// result.
func ReadRuns(ctx context.Context, paths []string, opt Options) ([]*Run, error) {
	list, err := readPaths(ctx, paths, opt)
	if err != nil {
		return nil, err
	}
	run, err := joinContents(list, paths)
	switch {
	case ResultCount(err) > 0:
		var runs []*Run
		for opt.Result = 1; opt.Result <= ResultCount(err); opt.Result++ {
			run, err := Read(ctx, paths, opt)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
		return runs, nil
	case note.HasCode(err, codeTwoRuns) && isFolder(paths[0]):
		return repeats(list, paths[0])
	case err != nil:
		return nil, err
	}
	return []*Run{run}, nil
}

// File ranks in a folder with repeats. The files with the highest rank are the
// repeats.
const (
	useless   = iota
	ofAllRuns // contains no kernels
	ofTasks   // has a summary's tasks
	traced    // has kernels from a log or a trace
	exported  // has kernels without counters
	measuresKernels
)

// repeats returns the runs in a folder that contains several runs of one
// program. Each run is joined with the files that belong to all runs: the
// folder's files with a lower rank, and the files in other paths. Files with
// measured occupancy are repeats. If there are none, the exports are repeats;
// if there are no exports, the traces; otherwise the summaries that name tasks.
// An export without counters does not identify its run. If other files have
// counters, it is left out.
func repeats(list []content, folder string) (runs []*Run, err error) {
	var shared, files []content
	for _, c := range list {
		if c.root != folder {
			shared = append(shared, c)
			continue
		}
		c.listed = true // each file is judged as if the user had named it
		files = append(files, c)
	}
	var faults []note.Note
	rank, top := make([]int, len(files)), useless
	for i, c := range files {
		run, err := joinContents([]content{c}, []string{c.path})
		switch {
		case note.HasCode(err, CodeUnknown, codeBinary):
		case note.HasCode(err, codeNoKernels): // a summary that describes only the platform
			rank[i] = ofAllRuns
		case err != nil:
			faults = append(faults, notUsed(c.path, err))
		default:
			rank[i] = rankOf(run)
		}
		top = max(top, rank[i])
	}
	for i, c := range files {
		switch {
		case rank[i] == exported && top > exported:
			faults = append(faults, note.Warningf("run-not-used", note.InFile(c.path),
				"put each run into its own folder",
				"not used: this export has no occupancy, and it may belong to any of the other runs"))
		case rank[i] > useless && rank[i] < top:
			shared = append(shared, c)
		}
	}
	for i, c := range files {
		if rank[i] < max(top, ofTasks) {
			continue
		}
		run, err := joinContents(append([]content{c}, shared...), []string{c.path})
		if err != nil {
			return nil, err
		}
		run.Notes = append(run.Notes, faults...)
		faults = nil // report them only once
		runs = append(runs, run)
	}
	return runs, nil
}

func rankOf(run *Run) int {
	switch {
	case slices.ContainsFunc(run.Kernels, func(k Kernel) bool { return k.Measured.Present() }):
		return measuresKernels
	case len(run.Kernels) > 0 && run.Inputs[0].Traits.ColumnsVary:
		return exported
	case len(run.Kernels) > 0:
		return traced
	case len(run.Summary) > 0 && run.Summary[0].Task != WholeRun:
		return ofTasks
	}
	return ofAllRuns
}

// notUsed returns a note about a file that is not used, with the reason.
func notUsed(path string, err error) note.Note {
	text := err.Error()
	var f *note.InputError
	if errors.As(err, &f) { // without the hint
		text = strings.TrimPrefix(f.Pos.String()+": "+f.Text, ": ")
	}
	return note.Warningf("run-not-used", note.InFile(path), "repair it or take it out of the folder",
		"not used: %s", text)
}

type candidate struct {
	root   string // path from the user, which is the file or its folder
	path   string
	listed bool // named by the user, not found in a folder
	folder bool // a VTune result folder, which is read as a whole
}

// folder lists a folder's content by name, without hidden entries and without
// entries that are neither files nor folders.
type folder struct {
	files, folders []string
	result         bool // is a VTune result folder
}

func listFolder(path string) (f folder, err error) {
	entries, err := os.ReadDir(path)
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return naturally(a.Name(), b.Name()) })
	for _, e := range entries {
		f.result = f.result || filepath.Ext(e.Name()) == ResultExtension
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

// naturally returns the order of two names by the numbers in them: n2 is before
// n10.
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

// ResultExtension is the file name extension that every VTune result folder
// contains.
const ResultExtension = ".vtune"

// IsResult reports whether a folder is a VTune result folder.
func IsResult(path string) bool {
	f, err := listFolder(path)
	return err == nil && f.result
}

// isText reports whether a file name looks like an export.
func isText(path string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	return strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".txt")
}

// isExport reports whether a file name looks like profiler output. Such a file
// is empty only if a collection failed.
func isExport(path string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	return isText(path) || strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".json")
}

// expand returns the files in the paths, without duplicates.
func expand(paths []string) ([]candidate, error) {
	var files []candidate
	seen := map[string]bool{}
	add := func(root, p string, listed, folder bool) {
		key, err := filepath.Abs(p)
		if err != nil || p == "-" {
			key = p
		}
		if !seen[key] {
			seen[key] = true
			files = append(files, candidate{root, p, listed, folder})
		}
	}
	for _, p := range paths {
		if p == "-" || !isFolder(p) {
			add(p, p, true, false)
			continue
		}
		f, err := listFolder(p)
		switch {
		case err != nil:
			return nil, openError(p, err)
		case f.result:
			add(p, p, true, true)
		case len(f.files) == 0 && !slices.ContainsFunc(f.folders, IsResult):
			if len(f.folders) > 0 {
				return nil, note.Errorf(codeNoFiles, note.InFile(p),
					"name the folder of a run, for example "+f.folders[0], "the folder contains only folders")
			}
			return nil, note.Errorf(codeNoFiles, note.InFile(p), exportHint, "the folder contains no files")
		}
		for _, file := range f.files {
			if !f.result || isText(file) { // in a result folder, only exports that a user put there
				add(p, file, false, false)
			}
		}
		for _, sub := range f.folders {
			if !f.result && IsResult(sub) {
				add(p, sub, true, true)
			}
		}
	}
	return files, nil
}

// sizeOf returns a file's size in bytes, or 0 if it is unknown.
func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// Size returns how many bytes Read would read, for a progress bar.
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
