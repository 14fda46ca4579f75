package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// folder is what lies directly in a folder, without hidden entries.
type folder struct{ files, folders []string }

// listFolder gives false for what is no folder.
func listFolder(path string) (folder, bool) {
	var f folder
	entries, err := os.ReadDir(path)
	if err != nil {
		return f, false
	}
	for _, e := range entries { // sorted by name
		p := filepath.Join(path, e.Name())
		if info, err := os.Stat(p); err != nil || strings.HasPrefix(e.Name(), ".") {
			continue
		} else if info.IsDir() {
			f.folders = append(f.folders, p)
		} else if info.Mode().IsRegular() {
			f.files = append(f.files, p)
		}
	}
	return f, true
}

// readRepeats reads one side of a diff: one run, or the repeats that a folder holds. What decides stands in the help.
func (a *app) readRepeats(ctx context.Context, path string, v validateFlags) ([]*ingest.Run, error) {
	f, ok := listFolder(path)
	if !ok {
		run, err := a.readRun(ctx, []string{path}, v)
		return []*ingest.Run{run}, err
	}
	if len(f.folders) > 0 {
		runs, err := a.readBelow(ctx, f, v)
		if err != nil || len(runs) > 0 {
			return runs, err
		}
	}
	run, err := a.readRun(ctx, []string{path}, v)
	if faultCode(err) == "two-runs" || (err == nil && summariesDiffer(run)) {
		return a.readExports(ctx, f.files, v)
	}
	return []*ingest.Run{run}, err
}

// readBelow reads the folders below a folder as runs, together with what lies beside them. It gives none when no folder
// below holds a run.
func (a *app) readBelow(ctx context.Context, f folder, v validateFlags) ([]*ingest.Run, error) {
	p, err := a.partition(ctx, f.files, v)
	if err != nil {
		return nil, err
	}
	var runs []*ingest.Run
	for _, below := range f.folders {
		// Alone first: the files beside it would make a run of any folder.
		run, err := a.readRun(ctx, []string{below}, v)
		if err == nil && len(p.shared) > 0 {
			run, err = a.readRun(ctx, append([]string{below}, p.shared...), v)
		}
		switch code := faultCode(err); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case code == "two-runs":
			return nil, note.Faultf("two-runs", note.Pos{File: below}, "give each run a folder of its own",
				"this folder of a folder of repeats holds several runs itself: %s", faultText(err))
		case code == "empty-folder" || code == "vtune-result" || code == "nothing-usable":
			// a folder of something else
		case err != nil:
			p.faults = append(p.faults, notUsed(below, err))
		default:
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		return nil, nil
	}
	more, err := a.readEach(ctx, p, v)
	if err != nil {
		return nil, err
	}
	runs = append(runs, more...)
	runs[0].Notes = append(runs[0].Notes, p.faults...)
	return runs, nil
}

// notUsed notes a run or file that is left out, and why.
func notUsed(path string, err error) note.Note {
	return note.Note{Severity: note.Warning, Code: "run-not-used", Pos: note.Pos{File: path}, Text: "not used: " + faultText(err),
		Hint: "repair it or take it out of the folder"}
}

// faultText is an error without what to do about it.
func faultText(err error) string {
	var f *note.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}
	return strings.TrimPrefix(f.Pos.String()+": "+f.Text, ": ")
}

// readExports reads every export of a folder as a run, together with the summaries and logs beside them.
func (a *app) readExports(ctx context.Context, files []string, v validateFlags) ([]*ingest.Run, error) {
	p, err := a.partition(ctx, files, v)
	if err != nil {
		return nil, err
	}
	runs, err := a.readEach(ctx, p, v)
	if err == nil && len(runs) > 0 {
		runs[0].Notes = append(runs[0].Notes, p.faults...)
	}
	return runs, err
}

func (a *app) readEach(ctx context.Context, p parts, v validateFlags) ([]*ingest.Run, error) {
	var runs []*ingest.Run
	for _, file := range p.samples {
		run, err := a.readRun(ctx, append([]string{file}, p.shared...), v)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// parts are the files of a folder of repeats: the samples and what belongs to all of them.
type parts struct {
	samples, shared []string
	faults          []note.Note // of files that nothing can be made of
}

// partition tells the samples from what belongs to all by what each file holds: the files with measured occupancy are
// samples; without any the exports are, and without exports the summaries that name tasks.
func (a *app) partition(ctx context.Context, files []string, v validateFlags) (parts, error) {
	var p parts
	rank := make([]int, len(files)) // 0: of no use, 1: of all runs, above: the highest are samples
	top := 0
	for i, file := range files {
		run, err := a.readRun(ctx, []string{file}, v)
		switch code := faultCode(err); {
		case ctx.Err() != nil:
			return p, ctx.Err()
		case code == "unknown-format" || code == "binary-file":
		case code == "no-kernels": // a summary that tells the platform only
			rank[i] = 1
		case err != nil:
			p.faults = append(p.faults, notUsed(file, err))
		default:
			rank[i] = sampleRank(run)
		}
		top = max(top, rank[i])
	}
	for i, file := range files {
		switch {
		case rank[i] == top && top > 1:
			p.samples = append(p.samples, file)
		case rank[i] > 0:
			p.shared = append(p.shared, file)
		}
	}
	return p, nil
}

// sampleRank is 4 for a file with measured occupancies of launches, 3 for one with launches, 2 for a summary's tasks,
// 1 for what has neither.
func sampleRank(run *ingest.Run) int {
	for s := range run.Kernels.Shapes() {
		if k := run.Kernels.ShapeKernel(s); k.Measured.Present() {
			return 4
		}
	}
	switch {
	case run.Kernels.Len() > 0:
		return 3
	case len(run.Summary) > 0:
		return 2
	}
	return 1
}

// summariesDiffer says whether a folder without exports holds summaries that measured a task differently.
func summariesDiffer(run *ingest.Run) bool {
	if run.Kernels.Len() > 0 {
		return false
	}
	type seen struct {
		file     string
		measured unit.Ratio
	}
	first := map[ingest.Key]seen{}
	for i := range run.Summary {
		k := &run.Summary[i]
		m, ok := k.Measured.Value()
		if !ok {
			continue
		}
		if s, ok := first[k.Key()]; ok && s.file != k.Pos.File && s.measured != m {
			return true
		}
		first[k.Key()] = seen{k.Pos.File, m}
	}
	return false
}
