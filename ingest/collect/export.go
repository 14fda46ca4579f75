package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/vtune"
)

// ExportResults exports the VTune result folders among some paths where vtune is on PATH, and gives folders that hold
// the exports and the result instead: the tables are VTune's then, and the result adds the rest. done removes them.
// What the programs print goes to out; a result that cannot be exported is read by itself.
func ExportResults(ctx context.Context, paths []string, out io.Writer) (list []string, done func(), err error) {
	done = func() {}
	for _, p := range paths {
		if !isResult(p) || !Found("vtune") {
			list = append(list, p)
			continue
		}
		temp, err := os.MkdirTemp("", "occudiff-export-")
		if err != nil {
			return nil, done, err
		}
		before := done
		done = func() { before(); os.RemoveAll(temp) }
		dir := filepath.Join(temp, filepath.Base(filepath.Clean(p))) // a run of several is called by its folder
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, done, err
		}
		if err := Run(ctx, exportSteps(p, dir), out); err != nil {
			if ctx.Err() != nil {
				return nil, done, err
			}
			fmt.Fprintf(out, "occudiff: %v; the result folder is read without it\n", err)
			dir = p
		} else if whole, err := filepath.Abs(p); err == nil {
			_ = os.Symlink(whole, filepath.Join(dir, filepath.Base(dir))) // without links, the exports alone
		}
		list = append(list, dir)
	}
	return list, done, nil
}

// isResult says whether a folder is a result of VTune: it holds a file with that ending, and no export.
func isResult(path string) bool {
	marks, err := filepath.Glob(filepath.Join(path, "*.vtune"))
	if err != nil || len(marks) == 0 {
		return false
	}
	_, err = os.Stat(filepath.Join(path, "run.hotspots.csv"))
	return errors.Is(err, fs.ErrNotExist)
}

// RunProbe runs the first short run, and gives the mean time of a launch of the kernel that took the most time in it,
// with its name.
func RunProbe(ctx context.Context, o Options, out io.Writer) (launch time.Duration, task string, err error) {
	if err := Run(ctx, Probe(o), out); err != nil {
		return 0, "", err
	}
	run, err := ingest.Read(ctx, []string{o.probeFile()}, ingest.Options{Formats: []ingest.Format{vtune.Format{}}})
	if err != nil {
		return 0, "", fmt.Errorf("the first short run cannot be read: %w", err)
	}
	most := 0.0
	for _, k := range run.Kernels {
		n := k.Instances.Or(0)
		if total := float64(k.Total.Or(0)); n >= 1 && k.Global.Present() && total > most {
			most, task = total, k.Task
			launch = time.Duration(total / float64(n) * float64(time.Second))
		}
	}
	if launch == 0 {
		return 0, "", note.Faultf("no-kernel", note.Pos{File: o.probeFile()},
			"does the application use the GPU? 'occudiff collect --check' looks for what is missing",
			"the first short run saw no kernel")
	}
	return launch, task, nil
}
