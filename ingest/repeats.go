package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// repeats reads the runs of a folder of repeats.
type repeats struct {
	ctx  context.Context
	read func(paths ...string) (*Run, error)
}

// Repeats gives the runs that a path holds, samples of one program: a file or a folder of the files of one run is one.
// A folder is one of repeats when folders below it hold runs, or when its files measured the same kernels differently;
// then each such folder and each export is a run, and the summaries and logs beside them belong to all of them. read
// reads paths as one run.
func Repeats(ctx context.Context, path string, read func(paths ...string) (*Run, error)) ([]*Run, error) {
	r := repeats{ctx, read}
	if !isFolder(path) {
		return r.one(path)
	}
	f, err := listFolder(path)
	if err != nil {
		return nil, openFault(path, err)
	}
	if len(f.folders) > 0 && !f.result && !f.oneResult() {
		runs, err := r.below(f)
		if err != nil || len(runs) > 0 {
			return runs, err
		}
	}
	runs, err := r.one(path)
	if isCode(err, codeTwoRuns) || err == nil && summariesDiffer(runs[0]) {
		p, err := r.partition(f.files)
		if err != nil {
			return nil, err
		}
		return r.samples(p)
	}
	return runs, err
}

func (r *repeats) one(path string) ([]*Run, error) {
	run, err := r.read(path)
	if err != nil {
		return nil, err
	}
	return []*Run{run}, nil
}

// below reads the folders below a folder as runs, together with what lies beside them. It gives none when no folder
// below holds a run.
func (r *repeats) below(f folder) ([]*Run, error) {
	p, err := r.partition(f.files)
	if err != nil {
		return nil, err
	}
	var runs []*Run
	for _, below := range f.folders {
		// Alone first: the files beside it would make a run of any folder.
		run, err := r.read(below)
		if err == nil && len(p.shared) > 0 {
			run, err = r.read(append([]string{below}, p.shared...)...)
		}
		switch {
		case r.ctx.Err() != nil:
			return nil, r.ctx.Err()
		case isCode(err, codeTwoRuns):
			return nil, note.Faultf(codeTwoRuns, note.Pos{File: below}, "give each run a folder of its own",
				"this folder of a folder of repeats holds several runs itself: %s", faultText(err))
		case isCode(err, codeNoFiles, codeNothing):
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
	faults := p.faults
	p.faults = nil
	more, err := r.samples(p)
	if err != nil {
		return nil, err
	}
	runs = append(runs, more...)
	runs[0].Notes = append(runs[0].Notes, faults...)
	return runs, nil
}

// samples reads every sample of a folder as a run, together with what belongs to all.
func (r *repeats) samples(p parts) ([]*Run, error) {
	var runs []*Run
	for _, file := range p.samples {
		run, err := r.read(append([]string{file}, p.shared...)...)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if len(runs) > 0 {
		runs[0].Notes = append(runs[0].Notes, p.faults...)
	}
	return runs, nil
}

// notUsed notes a run or file that is left out, and why.
func notUsed(path string, err error) note.Note {
	return note.Note{Severity: note.Warning, Code: "run-not-used", Pos: note.Pos{File: path},
		Text: "not used: " + faultText(err), Hint: "repair it or take it out of the folder"}
}

// faultText is an error without what to do about it.
func faultText(err error) string {
	var f *note.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}
	return strings.TrimPrefix(f.Pos.String()+": "+f.Text, ": ")
}

// parts are the files of a folder of repeats: the samples and what belongs to all of them.
type parts struct {
	samples, shared []string
	faults          []note.Note // of files that nothing can be made of
}

// The ranks of a file in a folder of repeats: those of the highest are samples.
const (
	useless   = iota
	ofAllRuns // what says nothing of kernels
	ofTasks   // of a summary
	ofKernels
	measuresKernels
)

// partition tells the samples from what belongs to all by what each file holds: the files with measured occupancy are
// samples; without any the exports are, and without exports the summaries that name tasks.
func (r *repeats) partition(files []string) (p parts, err error) {
	rank := make([]int, len(files))
	top := useless
	for i, file := range files {
		run, err := r.read(file)
		switch {
		case r.ctx.Err() != nil:
			return p, r.ctx.Err()
		case isCode(err, codeUnknown, codeBinary):
		case isCode(err, codeNoKernels): // a summary that names the platform only
			rank[i] = ofAllRuns
		case err != nil:
			p.faults = append(p.faults, notUsed(file, err))
		default:
			rank[i] = rankOf(run)
		}
		top = max(top, rank[i])
	}
	for i, file := range files {
		switch {
		case rank[i] == top && top > ofAllRuns:
			p.samples = append(p.samples, file)
		case rank[i] > useless:
			p.shared = append(p.shared, file)
		}
	}
	return p, nil
}

func rankOf(run *Run) int {
	switch {
	case slices.ContainsFunc(run.Kernels, func(k Kernel) bool { return k.Measured.Present() }):
		return measuresKernels
	case len(run.Kernels) > 0:
		return ofKernels
	case len(run.Summary) > 0 && run.Summary[0].Task != WholeRun:
		return ofTasks
	}
	return ofAllRuns
}

// summariesDiffer says whether a folder without exports holds summaries that measured a task differently.
func summariesDiffer(run *Run) bool {
	if len(run.Kernels) > 0 {
		return false
	}
	type seen struct {
		file     string
		measured unit.Ratio
	}
	first := map[Key]seen{}
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

// EachRun reads every run that paths hold and gives each with its name: that of its folder or file. A difference report
// is two runs, an archive of results as many, and so is each export of a folder whose exports measured the same kernels
// differently. read reads paths as one run; side is the result of a file that holds several, 0 for others.
func EachRun(ctx context.Context, paths []string, formats []Format, read func(side int, paths ...string) (*Run, error),
	each func(name string, run *Run) error) error {
	runs := Runs(paths, formats)
	for i, name := range runNames(runs) {
		of, err := several(ctx, runs[i], read)
		if err != nil {
			return err
		}
		for side, run := range of {
			switch path := run.Inputs[0].Path; {
			case len(of) > 1 && path == of[0].Inputs[0].Path && path == of[1].Inputs[0].Path:
				name = fmt.Sprintf("%s, result %d", filepath.Base(runs[i][0]), side+1)
			case len(of) > 1:
				name = filepath.Base(path)
			}
			if err := each(name, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// several reads paths as one run, or as those that they turn out to be.
func several(ctx context.Context, paths []string, read func(side int, paths ...string) (*Run, error)) ([]*Run, error) {
	one := func(paths ...string) (*Run, error) { return read(0, paths...) }
	run, err := one(paths...)
	switch {
	case Sides(err) > 0:
		var all []*Run
		for side := range Sides(err) {
			run, err := read(side+1, paths...)
			if err != nil {
				return nil, err
			}
			all = append(all, run)
		}
		return all, nil
	case isCode(err, codeTwoRuns) && len(paths) == 1:
		return Repeats(ctx, paths[0], one)
	case err != nil:
		return nil, err
	}
	return []*Run{run}, nil
}
