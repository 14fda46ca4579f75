package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/cmd/cli"
	"occudiff/ingest/note"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/launchdoc"
	"occudiff/report/outfile"
)

// predictFlags are the flags of `predict` beside the launch.
type predictFlags struct {
	launchFlags
	batch          string
	sweep          string
	timeline       bool
	explain        bool
	ports, early   int
	compat         string
	compileOptions string
}

// predictCommand predicts one launch, a launch on many devices, a sweep, a timeline, a batch, or the kernels of a
// binary.
func (a *app) predictCommand() *cobra.Command {
	p := predictFlags{ports: 1}
	c := &cobra.Command{
		Use:   "predict [flags] [FILE...]",
		Short: "Predict the occupancy of a launch, with the reasoning step by step",
		Long: `Predict the occupancy of a kernel launch from its sizes and the device's resources, with every step
of the reasoning: what each resource admits, which limits bind, Xe-core and GPU occupancy, waves and
tail. Nothing is measured.

Without --slm and --barriers threads go to any free slot (policy free); with them a work-group stays
whole on one Xe-core (policy whole). Without --global one Xe-core is predicted. With several
devices, or all, they stand side by side.

Each FILE is a kernel binary of ocloc or a SYCL compiler, an archive of them, a folder of dumps, or
a source (.cl, .spv) that ocloc compiles: every kernel in it is predicted with what the compiler
fixed. --device picks the image, or the devices to compile for; without --global a full GPU is
predicted, without --local the best work-group size.

--batch predicts every line of a CSV file with the columns
id,device,xve,global,local,simd,slm_kb,barriers,grf; a line that cannot be predicted gets the status
error and a message, and the rest go on.

--compat calculator answers as Intel's GPU Occupancy Calculator does; its devices are fam:...,
pci:... and url:... keys. --model compute-unit predicts compute units of any vendor from their
register file.`,
		Example: `  # One launch, step by step; or the same on every device
  occudiff predict --device tgl --global 80K --local 320 --simd 32 --slm 16K
  occudiff predict --device all --global 512x512 --local 16x16 --simd 16

  # What another work-group size would give, as a chart; or over time
  occudiff predict --device tgl --global 80K --local 256 --simd 16 \
      --sweep local -o sweep.svg

  # The kernels of a binary, or every line of a table
  occudiff predict kernel.zebin --global 1M
  occudiff predict --batch launches.csv -o predicted.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.predictFiles(c, args, &p)
			}
			if err := p.check(c.Flags()); err != nil {
				return err
			}
			if p.batch != "" {
				return a.predictBatch(c.Context(), &p)
			}
			endings := deliver.Endings()
			if p.sweep != "" || p.timeline || p.policy == "partial" {
				endings = append([]string{".svg"}, endings...)
			}
			return a.answer(endings, func() (*report.Answer, error) { return a.predict(c.Context(), &p) })
		},
	}
	p.add(c.Flags())
	a.share(c, deviceFlags, answerFlags)
	return c
}

// add declares the flags of predict.
func (p *predictFlags) add(f *pflag.FlagSet) {
	p.launchFlags.add(f)
	cli.Define(f, []cli.Flag{
		{Name: "policy", Value: &p.policy, Arg: "POLICY", Words: "auto free whole partial",
			Usage: "dispatch: auto, free, whole, or partial, a what-if of --timeline with --ports"},
		{Name: "ports", Value: &p.ports, Arg: "N", Usage: "dispatch ports of --policy partial"},
		{Name: "early", Value: &p.early, Arg: "N",
			Usage: "with --policy partial: one work-group of Xe-core N ends before all others"},
		{Name: "batch", Value: &p.batch, Arg: "FILE", Files: "csv",
			Usage: "predict every line of this CSV file; - reads standard input"},
		{Name: "sweep", Value: &p.sweep, Arg: "SETTING", Words: "local slm simd",
			Usage: "vary one setting: local, slm or simd"},
		{Name: "timeline", Value: &p.timeline, Usage: "show the dispatch over time"},
		{Name: "explain", Value: &p.explain, Usage: "add the driver's formula as a second opinion"},
		{Name: "compat", Value: &p.compat, Arg: "TOOL", Words: "calculator",
			Usage: "answer as another tool does, faults included: calculator"},
		{Name: "compile-options", Value: &p.compileOptions, Arg: "OPTIONS",
			Usage: "of the OpenCL compiler, for sources, as in -cl-intel-256-GRF-per-thread"},
	}...)
}

// check finds flags that contradict each other.
func (p *predictFlags) check(f *pflag.FlagSet) error {
	if err := p.launchFlags.check(f); err != nil {
		return err
	}
	modes := 0
	for _, on := range []bool{f.Changed("batch"), p.sweep != "", p.timeline} {
		if on {
			modes++
		}
	}
	units := p.model == "compute-unit"
	switch {
	case modes > 1:
		return usageErrorf("--batch, --sweep and --timeline are three answers: ask for one of them")
	case f.Changed("batch") && p.batch == "":
		return usageErrorf("--batch is empty: give a CSV file, or - for standard input")
	case p.compat != "" && units:
		return usageErrorf("--compat calculator and --model compute-unit are two models: give one of them")
	case p.ports < 1:
		return usageErrorf("--ports %d: expected a number of dispatch ports above 0", p.ports)
	case (f.Changed("ports") || f.Changed("early")) && p.policy != "partial":
		return usageErrorf("--ports and --early belong to --policy partial")
	case p.policy == "partial" && (p.batch != "" || p.sweep != "" || p.explain):
		return usageErrorf("--policy partial is a what-if of the dispatch over time: it goes with --timeline only")
	case p.explain && (modes > 0 || p.compat != "" || units):
		return usageErrorf("--explain belongs to the prediction of one launch")
	}
	for _, r := range []struct {
		on          bool
		what, flags string
	}{
		{p.batch != "", "--batch, whose columns say it", "global local simd slm barriers grf registers"},
		{p.compat != "", "--compat calculator", "policy barrier-slots work-group-slots registers timeline platform " +
			"platform-file"},
		{units, "--model compute-unit", "device barriers grf policy barrier-slots work-group-slots timeline sweep xve"},
		{!units, "the model of Intel GPUs; add --model compute-unit", "platform platform-file"},
	} {
		if err := cli.Refuse(f, r.what, r.flags); r.on && err != nil {
			return err
		}
	}
	return nil
}

// predict answers what the flags ask for.
func (a *app) predict(ctx context.Context, p *predictFlags) (*report.Answer, error) {
	switch {
	case p.model == "compute-unit":
		return p.computeUnit()
	case p.compat != "":
		return a.calculator(p)
	case p.sweep != "":
		c, launch, err := a.launchOnDevice(&p.launchFlags, "--sweep")
		if err != nil {
			return nil, err
		}
		return launchdoc.Sweep(&c, launch, p.sweep)
	case p.timeline || p.policy == "partial":
		c, launch, err := a.launchOnDevice(&p.launchFlags, "--timeline")
		if err != nil {
			return nil, err
		}
		if p.policy != "partial" {
			p.ports, p.early = 0, 0
		}
		return launchdoc.Timeline(ctx, &c, launch, p.ports, p.early)
	}
	q := launchdoc.Question{Driver: p.explain}
	var err error
	if q.Launch, err = p.launch(); err != nil {
		return nil, err
	}
	if q.Registers, err = p.needs(); err != nil {
		return nil, err
	}
	if q.On, err = a.chooseDevices(&p.launchFlags); err != nil {
		return nil, err
	}
	return launchdoc.Predict(&q)
}

// computeUnit predicts a kernel on a compute unit.
func (p *predictFlags) computeUnit() (*report.Answer, error) {
	platform, kernel, err := p.unitLaunch()
	if err != nil {
		return nil, err
	}
	launch, err := p.launch()
	if err != nil {
		return nil, err
	}
	switch {
	case p.local == "":
		return nil, usageErrorf("no work-group size is given: --local, as in 64")
	case p.simd == 0:
		return nil, usageErrorf("no sub-group size is given: --simd, as in 16 or 32")
	}
	if _, err := itemsOf("global", launch.Global); err != nil {
		return nil, err
	}
	return launchdoc.ComputeUnit(&platform, kernel, computeunit.WorkGroups(launch.Global, launch.Local))
}

// calculator answers as Intel's calculator does. The sizes of its form are texts, in its own notation (64*64, 1,2,3).
func (a *app) calculator(p *predictFlags) (*report.Answer, error) {
	t, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	names := p.names(func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if len(names) != 1 || slices.Contains(names, "all") {
		return nil, usageErrorf("--compat calculator takes one device of the calculator: give --device KEY as in " +
			"fam:gen12 or pci:E20B")
	}
	d, err := t.Find(names[0], a.xve)
	if err != nil {
		return nil, err
	}
	slm, err := cli.Bytes("slm", p.slm)
	switch {
	case err != nil:
		return nil, err
	case slm%1024 != 0 || slm/1024 > 1<<20:
		return nil, usageErrorf("--slm %s: Intel's calculator counts whole KB up to 1 GB, as in 16K", p.slm)
	case p.local == "":
		return nil, usageErrorf("no work-group size is given: --local, as in 256")
	case p.simd == 0:
		return nil, usageErrorf("no sub-group size is given: --simd, as in 16")
	}
	in := calculator.Input{Global: string(p.global), Local: string(p.local), SIMD: p.simd, SLMKB: int(slm / 1024),
		Barrier: p.barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(p.grf); err != nil {
		return nil, usageErrorf("--grf %v", err)
	}
	ans, err := launchdoc.Calculator(&d, in)
	if err != nil || p.sweep == "" {
		return ans, err
	}
	return launchdoc.CalculatorSweep(&d, in, p.sweep)
}

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
	defer out.Discard()
	// Rows live for a moment and there is next to nothing beside them: collecting them less often is a fifth of the
	// time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var done batch.Report
	write := func(w io.Writer) (err error) { done, err = run(ctx, file, in, w); return err }
	if out.Names() == "" {
		err = write(a.plainOut())
	} else {
		err = out.WriteAll(write)
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
func (a *app) sayBatch(r batch.Report, out *deliver.Files) {
	for _, n := range r.Notes {
		a.say("%s", n)
	}
	if r.Failed > 0 {
		a.say("%d of %d rows have the status error; the first is above", r.Failed, r.Rows)
	}
	if out.Names() != "" {
		a.say("wrote %s: %d rows", out.Names(), r.Rows)
	}
}
