package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"occudiff/ingest/note"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/report/outfile"
)

// predictBatch predicts every line of a CSV file.
func (a *app) predictBatch(ctx context.Context, p *predictFlags) error {
	if a.format != "table" && a.format != "csv" {
		return usageErrorf("--format %s: a batch is CSV in and CSV out", a.format)
	}
	if len(a.outputs) > 1 {
		return usageErrorf("-o: a batch is written once; give one file")
	}
	run, err := a.batchRun(p)
	if err != nil {
		return err
	}
	file, in, err := a.openBatch(p.batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := a.openOutputs(a.outputs, ".csv")
	if err != nil {
		return err
	}
	defer out.discard()
	// Rows live for a moment and there is next to nothing beside them: collecting them less often is a fifth of the
	// time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var done batch.Report
	write := func(w io.Writer) (err error) { done, err = run(ctx, file, in, w); return err }
	if len(out.files) == 0 {
		err = write(a.plainOut())
	} else {
		err = out.write(map[string]writer{".csv": write})
	}
	if err != nil {
		return err
	}
	a.sayBatch(done, out)
	return nil
}

// batchRun makes the model that the flags ask for.
func (a *app) batchRun(p *predictFlags) (batch.Run, error) {
	all, err := a.table()
	if err != nil {
		return nil, err
	}
	names := p.names(all.Knows)
	if len(names) > 1 {
		return nil, usageErrorf("--batch takes the device from its column; " +
			"--device names one for the rows that leave it empty")
	}
	shared := batch.Shared{XVEs: a.xve}
	if len(names) == 1 {
		shared.Device = names[0]
	}
	switch {
	case p.model == "compute-unit":
		t, key, err := p.platforms()
		if err != nil {
			return nil, err
		}
		return batch.ComputeUnits(t, key), nil
	case p.compat != "":
		t, err := calculator.Builtin()
		if err != nil {
			return nil, err
		}
		return batch.Calculator(t, shared), nil
	}
	launch, err := p.launch()
	if err != nil {
		return nil, err
	}
	return batch.Launches(all, launch, shared), nil
}

// openBatch opens the batch file; - is standard input.
func (a *app) openBatch(name string) (string, io.ReadCloser, error) {
	if name == "-" {
		return "standard input", io.NopCloser(a.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", nil, note.Faultf("batch-file", note.Pos{File: name}, "give a CSV file, or - for standard input",
			"the batch file cannot be opened: %v", outfile.Reason(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return "", nil, note.Faultf("batch-file", note.Pos{File: name}, "give a CSV file in it",
			"the batch file is a folder")
	}
	return name, f, nil
}

// sayBatch sums a batch up on standard error: results alone are on standard output.
func (a *app) sayBatch(r batch.Report, out *outputs) {
	for _, n := range r.Notes {
		a.say("%s", n)
	}
	if r.Failed > 0 {
		a.say("%d of %d rows have the status error; the first is above", r.Failed, r.Rows)
	}
	if len(out.files) > 0 {
		a.say("wrote %s: %d rows", out.names(), r.Rows)
	}
}
