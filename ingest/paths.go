package ingest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"occudiff/ingest/note"
)

type candidate struct {
	path   string
	listed bool // named by the user, not found in a folder
}

func expand(paths []string) ([]candidate, error) {
	var files []candidate
	seen := map[string]bool{}
	add := func(p string, listed bool) {
		key, err := filepath.Abs(p)
		if err != nil || p == "-" {
			key = p
		}
		if !seen[key] {
			seen[key] = true
			files = append(files, candidate{p, listed})
		}
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if p == "-" || err != nil || !info.IsDir() {
			add(p, true)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, openFault(p, err)
		}
		n := len(files)
		isResult := false
		for _, e := range entries { // sorted by name
			isResult = isResult || strings.HasSuffix(e.Name(), ".vtune")
			if e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 {
				if strings.HasPrefix(e.Name(), ".") {
					continue
				}
				if i, err := os.Stat(filepath.Join(p, e.Name())); err == nil && i.Mode().IsRegular() {
					add(filepath.Join(p, e.Name()), false)
				}
			}
		}
		if isResult {
			return nil, note.Faultf("vtune-result", note.Pos{File: p}, strings.Replace(exportHint, "RESULT_DIR", p, 1),
				"this is a VTune result folder, not an export")
		}
		if n == len(files) {
			return nil, note.Faultf("empty-folder", note.Pos{File: p}, exportHint, "the folder holds no files")
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

// Runs splits paths into runs: several folders are a run each, a folder that holds nothing but folders is a run for each
// of those that holds files, and everything else is one run.
func Runs(paths []string) [][]string {
	all := len(paths) > 1
	for _, p := range paths {
		info, err := os.Stat(p)
		all = all && err == nil && info.IsDir()
	}
	if !all && len(paths) > 1 {
		return [][]string{paths}
	}
	var runs [][]string
	for _, p := range paths {
		if below := foldersOnly(p); len(below) > 0 {
			for _, b := range below {
				runs = append(runs, []string{b})
			}
			continue
		}
		runs = append(runs, []string{p})
	}
	return runs
}

// foldersOnly gives the folders below a folder that hold files, and nothing when it holds files itself.
func foldersOnly(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	var below []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !e.IsDir() {
			return nil
		}
		sub := filepath.Join(path, e.Name())
		if files, err := expand([]string{sub}); err == nil && len(files) > 0 {
			below = append(below, sub)
		}
	}
	return below
}
