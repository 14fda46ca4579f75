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
	"occudiff/compare/binary"
	"occudiff/ingest/note"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/binarydoc"
	"occudiff/report/deliver"
	"occudiff/report/launchdoc"
)

// predictCommand is predict, with its flags beside those of the launch.
type predictCommand struct {
	launchCommand
	batch          string
	sweep          string
	timeline       bool
	explain        bool
	ports, early   int
	compat         string
	compileOptions string
}

// Predict predicts one launch, a launch on many devices, a sweep, a timeline, a batch, or the kernels of a
// binary.
func newPredict(a *app) *cobra.Command {
	p := predictCommand{launchCommand: launchCommand{app: a}, ports: 1}
	c := &cobra.Command{
		Use:   "predict [flags] [FILE...]",
		Short: "Predict the occupancy of a launch, with the reasoning step by step",
		Long: `Predict the occupancy of a kernel launch from its sizes and the device's resources, and show every
step: what each resource admits, which limits bind, Xe-core and GPU occupancy, waves and tail.
Nothing is measured.

Without --slm and --barriers, threads go to any free slot (policy free). With them, a work-group
stays on one Xe-core (policy whole). Without --global, one Xe-core is predicted. Several devices,
or all, are shown side by side.

FILE is a kernel binary from ocloc or a SYCL compiler, an archive of them, a folder of dumps, or a
source file (.cl, .spv) that ocloc compiles. Every kernel in it is predicted with the values that
the compiler fixed. --device selects the image, or the devices to compile for. Without --global a
full GPU is predicted; without --local the best work-group size is used.

--batch predicts every line of a CSV file with the columns
id,device,xve,global,local,simd,slm_kb,barriers,grf. A line that cannot be predicted gets the status
error and a message; the other lines are still predicted.

--compat calculator gives the answers of Intel's GPU Occupancy Calculator, whose devices have keys
like fam:..., pci:... and url:.... --model compute-unit predicts compute units of any vendor from
their register file.`,
		Example: `  # One launch, step by step; or the same on every device
  occudiff predict --device tgl --global 80K --local 320 --simd 32 --slm 16K
  occudiff predict --device all --global 512x512 --local 16x16 --simd 16

  # Other work-group sizes, as a chart
  occudiff predict --device tgl --global 80K --local 256 --simd 16 \
      --sweep local -o sweep.svg

  # The kernels of a binary, or every line of a table
  occudiff predict kernel.zebin --global 1M
  occudiff predict --batch launches.csv -o predicted.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return p.predictFiles(c, args)
			}
			if err := p.check(c.Flags()); err != nil {
				return err
			}
			if p.batch != "" {
				return p.predictBatch(c.Context())
			}
			endings := deliver.Endings()
			if p.sweep != "" || p.timeline || p.policy == "partial" {
				endings = append([]string{".svg"}, endings...)
			}
			return p.answer(endings, func() (*report.Answer, error) { return p.predict(c.Context()) })
		},
	}
	p.add(c.Flags())
	p.share(c, deviceFlags, answerFlags)
	return c
}

// add declares the flags of predict.
func (p *predictCommand) add(f *pflag.FlagSet) {
	p.launchCommand.add(f)
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
			Usage: "give the answers of another tool, including its faults: calculator"},
		{Name: "compile-options", Value: &p.compileOptions, Arg: "OPTIONS",
			Usage: "of the OpenCL compiler, for sources, as in -cl-intel-256-GRF-per-thread"},
	}...)
}

// check finds flags that contradict each other.
func (p *predictCommand) check(f *pflag.FlagSet) error {
	if err := p.launchCommand.check(f); err != nil {
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
		return cli.Errorf("--batch, --sweep and --timeline exclude each other: give one of them")
	case f.Changed("batch") && p.batch == "":
		return cli.Errorf("--batch is empty: give a CSV file, or - for standard input")
	case p.compat != "" && units:
		return cli.Errorf("--compat calculator and --model compute-unit exclude each other: give one of them")
	case p.ports < 1:
		return cli.Errorf("--ports %d: expected a number of dispatch ports above 0", p.ports)
	case (f.Changed("ports") || f.Changed("early")) && p.policy != "partial":
		return cli.Errorf("--ports and --early need --policy partial")
	case p.policy == "partial" && (p.batch != "" || p.sweep != "" || p.explain):
		return cli.Errorf("--policy partial is a what-if of the dispatch over time: it needs --timeline")
	case p.explain && (modes > 0 || p.compat != "" || units):
		return cli.Errorf("--explain needs the prediction of one launch")
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
func (p *predictCommand) predict(ctx context.Context) (*report.Answer, error) {
	switch {
	case p.model == "compute-unit":
		return p.computeUnit()
	case p.compat != "":
		return p.calculator()
	case p.sweep != "":
		c, launch, err := p.launchOnDevice("--sweep")
		if err != nil {
			return nil, err
		}
		return launchdoc.Sweep(&c, launch, p.sweep)
	case p.timeline || p.policy == "partial":
		c, launch, err := p.launchOnDevice("--timeline")
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
	if q.On, err = p.chooseDevices(); err != nil {
		return nil, err
	}
	return launchdoc.Predict(&q)
}

// computeUnit predicts a kernel on a compute unit.
func (p *predictCommand) computeUnit() (*report.Answer, error) {
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
		return nil, cli.Errorf("no work-group size is given: --local, as in 64")
	case p.simd == 0:
		return nil, cli.Errorf("no sub-group size is given: --simd, as in 16 or 32")
	}
	if _, err := itemsOf("global", launch.Global); err != nil {
		return nil, err
	}
	return launchdoc.ComputeUnit(&platform, kernel, computeunit.WorkGroups(launch.Global, launch.Local))
}

// calculator answers as Intel's calculator does. The sizes of its form are texts, in its own notation (64*64, 1,2,3).
func (p *predictCommand) calculator() (*report.Answer, error) {
	t, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	names := p.names(func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if len(names) != 1 || slices.Contains(names, "all") {
		return nil, cli.Errorf("--compat calculator takes one device of the calculator: give --device KEY as in " +
			"fam:gen12 or pci:E20B")
	}
	d, err := t.Find(names[0], p.xve)
	if err != nil {
		return nil, err
	}
	slm, err := cli.Bytes("slm", p.slm)
	switch {
	case err != nil:
		return nil, err
	case slm%1024 != 0 || slm/1024 > 1<<20:
		return nil, cli.Errorf("--slm %s: Intel's calculator counts whole KB up to 1 GB, as in 16K", p.slm)
	case p.local == "":
		return nil, cli.Errorf("no work-group size is given: --local, as in 256")
	case p.simd == 0:
		return nil, cli.Errorf("no sub-group size is given: --simd, as in 16")
	}
	in := calculator.Input{Global: string(p.global), Local: string(p.local), SIMD: p.simd, SLMKB: int(slm / 1024),
		Barrier: p.barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(p.grf); err != nil {
		return nil, cli.Errorf("--grf %v", err)
	}
	ans, err := launchdoc.Calculator(&d, in)
	if err != nil || p.sweep == "" {
		return ans, err
	}
	return launchdoc.CalculatorSweep(&d, in, p.sweep)
}

// predictBatch predicts every line of a CSV file.
func (p *predictCommand) predictBatch(ctx context.Context) error {
	if p.format != "table" && p.format != "csv" {
		return cli.Errorf("--format %s: a batch reads CSV and writes CSV", p.format)
	}
	if len(p.outputs) > 1 {
		return cli.Errorf("-o: a batch writes one file")
	}
	run, err := p.batchRun()
	if err != nil {
		return err
	}
	file, in, err := p.openBatch(p.batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := p.openOutputs(p.outputs, ".csv")
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
		err = write(p.plainOut())
	} else {
		err = out.WriteAll(write)
	}
	if err != nil {
		return err
	}
	p.sayBatch(done, out)
	return nil
}

// batchRun makes the model that the flags ask for.
func (p *predictCommand) batchRun() (batch.Run, error) {
	all, err := p.table()
	if err != nil {
		return nil, err
	}
	names := p.names(all.Knows)
	if len(names) > 1 {
		return nil, cli.Errorf("--batch takes the device from its column; --device names one for the rows that leave " +
			"it empty")
	}
	shared := batch.Shared{XVEs: p.xve}
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
func (p *predictCommand) openBatch(name string) (string, io.ReadCloser, error) {
	if name == "-" {
		return "standard input", io.NopCloser(p.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", nil, note.Faultf("batch-file", note.Pos{File: name}, "give a CSV file, or - for standard input",
			"the batch file cannot be opened: %v", note.Reason(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return "", nil, note.Faultf("batch-file", note.Pos{File: name}, "give a CSV file in it",
			"the batch file is a folder")
	}
	return name, f, nil
}

// sayBatch sums a batch up on standard error: results alone are on standard output.
func (p *predictCommand) sayBatch(r batch.Report, out *deliver.Files) {
	for _, n := range r.Notes {
		p.say("%s", n)
	}
	if r.Failed > 0 {
		p.say("%d of %d rows have the status error; the first is above", r.Failed, r.Rows)
	}
	if out.Names() != "" {
		p.say("wrote %s: %d rows", out.Names(), r.Rows)
	}
}

// predictFiles predicts what is in the files of the command line.
func (p *predictCommand) predictFiles(c *cobra.Command, paths []string) error {
	err := cli.Refuse(c.Flags(), "a file: the binary says it, or it asks for another answer",
		"simd slm barriers grf registers policy batch sweep timeline explain compat model")
	if err != nil {
		return err
	}
	opt := binary.Options{Compiler: p.compileOptions}
	if opt.Global, err = p.global.Size("global"); err != nil {
		return err
	}
	if opt.Local, err = p.local.Size("local"); err != nil {
		return err
	}
	if len(p.devices) > 0 && !slices.Equal(p.devices, []string{"all"}) {
		chosen, err := p.chooseDevices()
		if err != nil {
			return err
		}
		for _, c := range chosen {
			opt.Devices = append(opt.Devices, c.Device)
		}
	}
	return p.answer(deliver.Endings(), func() (*report.Answer, error) {
		kernels, notes, err := p.readBinaries(c.Context(), paths, opt)
		if err != nil {
			return nil, err
		}
		p.sayNotes(notes)
		return binarydoc.Predict(kernels, notes, opt.Global, p.provenance()), nil
	})
}
