package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/launchdoc"
)

// predictFlags are the flags of `predict` beside the launch.
type predictFlags struct {
	launchFlags
	batch          string
	sweep          string
	timeline       bool
	explain        bool
	ports          int
	compat         string
	compileOptions string
}

// predictCommand predicts one launch, a launch on many devices, a sweep, a timeline, a batch, or the kernels of a binary.
func (a *app) predictCommand() *cobra.Command {
	p := predictFlags{ports: 1}
	c := &cobra.Command{
		Use:   "predict [flags] [FILE...]",
		Short: "Predict the occupancy of a launch, with the reasoning step by step",
		Long: `Predict the occupancy of a kernel launch from its sizes and the device's resources, with every step of the reasoning: what
each resource admits, which limits bind, Xe-core and GPU occupancy, waves and tail. Nothing is measured.

Without --slm and --barriers threads go to any free slot (policy free); with them a work-group stays whole on one Xe-core
(policy whole). Without --global one Xe-core is predicted. With several devices, or all, they stand side by side.

Each FILE is a kernel binary of ocloc or a SYCL compiler, an archive of them, a folder of dumps, or a source (.cl, .spv)
that ocloc compiles: every kernel in it is predicted with what the compiler fixed. --device picks the image, or the devices
to compile for; without --global a full GPU is predicted, without --local the best work-group size.

--batch predicts every line of a CSV file with the columns id,device,xve,global,local,simd,slm_kb,barriers,grf; a line that
cannot be predicted gets the status error and a message, and the rest go on.

--compat calculator answers as Intel's GPU Occupancy Calculator does; its devices are fam:..., pci:... and url:... keys.
--model compute-unit predicts compute units of any vendor from their register file.`,
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
			endings := reportEndings
			if p.sweep != "" || p.timeline || p.policy == "partial" {
				endings = append([]string{".svg"}, endings...)
			}
			return a.answer(endings, func() (*report.Answer, error) { return a.predict(c.Context(), &p) })
		},
	}
	p.launchFlags.add(c.Flags())
	define(c.Flags(), []flagDef{
		{name: "policy", value: &p.policy, arg: "POLICY", words: "auto free whole partial",
			usage: "dispatch: auto, free, whole, or partial, a what-if of --timeline with --ports"},
		{name: "ports", value: &p.ports, arg: "N", usage: "dispatch ports of --policy partial"},
		{name: "batch", value: &p.batch, arg: "FILE", files: "csv", usage: "predict every line of this CSV file; - reads standard input"},
		{name: "sweep", value: &p.sweep, arg: "SETTING", words: "local slm simd", usage: "vary one setting: local, slm or simd"},
		{name: "timeline", value: &p.timeline, usage: "show the dispatch over time"},
		{name: "explain", value: &p.explain, usage: "add the driver's formula as a second opinion"},
		{name: "compat", value: &p.compat, arg: "TOOL", words: "calculator", usage: "answer as another tool does, faults included: calculator"},
		{name: "compile-options", value: &p.compileOptions, arg: "OPTIONS", usage: "of the OpenCL compiler, for sources, as in -cl-intel-256-GRF-per-thread"},
	}...)
	a.share(c, deviceFlags, answerFlags)
	return c
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
	case f.Changed("ports") && p.policy != "partial":
		return usageErrorf("--ports belongs to --policy partial")
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
		{p.compat != "", "--compat calculator", "policy barrier-slots work-group-slots registers timeline platform platform-file"},
		{units, "--model compute-unit", "device barriers grf policy barrier-slots work-group-slots timeline sweep xve"},
		{!units, "the model of Intel GPUs; add --model compute-unit", "platform platform-file"},
	} {
		if err := refuse(f, r.what, r.flags); r.on && err != nil {
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
			p.ports = 0
		}
		return launchdoc.Timeline(ctx, &c, launch, p.ports)
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
		return nil, usageErrorf("--compat calculator takes one device of the calculator: give --device KEY as in fam:gen12 or pci:E20B")
	}
	d, err := t.Find(names[0], a.xve)
	if err != nil {
		return nil, err
	}
	slm, err := bytesOf("slm", p.slm)
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
	in := calculator.Input{Global: string(p.global), Local: string(p.local), SIMD: p.simd, SLMKB: int(slm / 1024), Barrier: p.barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(p.grf); err != nil {
		return nil, usageErrorf("--grf %v", err)
	}
	ans, err := launchdoc.Calculator(&d, in)
	if err != nil || p.sweep == "" {
		return ans, err
	}
	return launchdoc.CalculatorSweep(&d, in, p.sweep)
}
