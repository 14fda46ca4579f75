package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/ingest/note"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// prediction is the command predict with its own flags and the flags of the
// launch. It only selects the model and the kind of prediction. Formulas are in
// package predict and its subpackages, and the texts of outputs are in
// report/predictdoc.
type prediction struct {
	launch
	predictFlags
}

type predictFlags struct {
	// Devices replaces the shared flag --device, because predict accepts
	// several devices.
	Devices        []string `flag:"device" arg:"NAME" help:"GPU: a key, name, alias, or PCI id of 'occudiff devices'; several with commas, or all"`
	Policy         string   `flag:"policy" expert:"true" arg:"POLICY" default:"auto" words:"auto free whole partial" help:"dispatch policy: auto, free, or whole; with --timeline also partial, a what-if with --ports"`
	Ports          int      `flag:"ports" expert:"true" arg:"N" default:"1" range:"1 Inf a number of dispatch ports above 0" help:"dispatch ports of --policy partial, instead of the number in the device table"`
	Batch          string   `flag:"batch" arg:"FILE" files:"csv" help:"predict every line of this CSV file; - reads standard input"`
	Sweep          string   `flag:"sweep" arg:"SETTING" hints:"local slm simd grf groups" help:"vary one setting: local, slm, simd, grf (register modes), or groups (work-groups); groups=1,2,8 or groups=1-48 lists the numbers"`
	Timeline       bool     `flag:"timeline" expert:"true" help:"show the dispatch over time"`
	Explain        bool     `flag:"explain" expert:"true" help:"add the driver's formula as a second opinion"`
	Compat         string   `flag:"compat" expert:"true" arg:"TOOL" words:"calculator" help:"reproduce the results of another tool, including its errors: calculator"`
	CompileOptions string   `flag:"compile-options" expert:"true" arg:"OPTIONS" help:"options of the OpenCL compiler for source files, for example -cl-intel-256-GRF-per-thread"`
}

// predictCommand returns the command that predicts one launch, a launch on many
// devices, a sweep, a timeline, a batch, or the kernels of a binary.
func (a *app) predictCommand() *cobra.Command {
	p := &prediction{launch: launch{app: a}}
	return a.command(command{text: "predict", flags: []any{&p.launchFlags, &p.predictFlags}, args: cobra.ArbitraryArgs,
		share: deviceFlags + outputFlags, check: p.check, run: p.run})
}

// check returns an error for contradicting flags.
func (p *prediction) check(paths []string) error {
	f := p.flags
	p.named, p.policy = p.Devices, p.Policy
	if len(paths) > 0 {
		if p.Sweep != "" && p.Sweep != "grf" {
			return cli.Errorf("--sweep %q: for a file, only the register modes can be varied: --sweep grf", p.Sweep)
		}
		return cli.RejectFlags(f, "a file: the binary contains the value, or the flag requests another output",
			"simd slm barriers grf registers policy batch timeline explain compat model")
	}
	if err := p.launch.check(); err != nil {
		return err
	}
	// An empty --batch is an error. Otherwise, an unset variable in a script
	// would turn a batch into the prediction of one launch.
	if f.Changed("batch") && p.Batch == "" {
		return cli.Errorf("--batch is empty: give a CSV file, or - for standard input")
	}
	// Each request has flags that do not work with it. RejectFlags returns an
	// error if one of them was given.
	units, partial := p.Model == "compute-unit", p.policy == "partial"
	for _, r := range []struct {
		on          bool
		what, flags string
	}{
		{p.Batch != "", "--batch, whose columns have the values", "global local simd slm barriers grf registers sweep timeline explain"},
		{p.Timeline, "--timeline", "sweep explain"},
		{p.Sweep != "", "--sweep", "explain"},
		{!partial, "a policy other than partial; add --policy partial", "ports"},
		{partial, "--policy partial, which computes a timeline", "batch sweep explain"},
		{p.Compat != "", "--compat calculator", "model explain sweep policy barrier-slots work-group-slots registers timeline platform platform-file"},
		{units, "--model compute-unit", "device barriers grf policy barrier-slots work-group-slots timeline sweep xve explain"},
		{!units, "the model of Intel GPUs; add --model compute-unit", "platform platform-file"},
	} {
		if err := cli.RejectFlags(f, r.what, r.flags); r.on && err != nil {
			return err
		}
	}
	switch {
	case p.Batch != "" && p.Format != "table" && p.Format != "csv":
		return cli.Errorf("--format %q: a batch reads CSV and writes CSV", p.Format)
	case p.Batch != "" && len(p.Outputs) > 1:
		return cli.Errorf("-o: a batch writes one file")
	case p.Batch != "":
		p.endings = []string{".csv"}
	case p.Sweep != "" || p.Timeline || p.policy == "partial":
		// These outputs can be written as SVG, because they have a chart (see
		// Output.Chart).
		p.endings = append([]string{".svg"}, fileEndings()...)
	}
	return nil
}

// run returns the output that the flags request.
func (p *prediction) run(ctx context.Context, paths []string) (*report.Output, error) {
	switch {
	case len(paths) > 0:
		return p.predictFiles(ctx, paths)
	case p.Batch != "":
		return nil, p.predictBatch(ctx)
	case p.Model == "compute-unit":
		return p.computeUnit()
	case p.Compat != "":
		return p.calculator()
	case p.Sweep != "":
		over, groups, err := p.sweep()
		if err != nil {
			return nil, err
		}
		c, launch, err := p.onDevice("--sweep")
		if err != nil {
			return nil, err
		}
		return predictdoc.Sweep(&c, launch, over, groups...)
	case p.Timeline || p.policy == "partial":
		c, launch, err := p.onDevice("--timeline")
		if err != nil {
			return nil, err
		}
		ports := 0 // no what-if, unless the policy is partial
		if p.policy == "partial" {
			ports = p.Ports
			if known := c.Device.Ports(launch.Barriers > 0); known > 0 && !p.flags.Changed("ports") {
				ports = known
			}
		}
		return predictdoc.Timeline(ctx, &c, launch, ports)
	}
	launch, registers, err := p.read()
	if err != nil {
		return nil, err
	}
	on, err := p.chooseDevices()
	if err != nil {
		return nil, err
	}
	return predictdoc.Predict(&predictdoc.Question{Launch: launch, Registers: registers, On: on, Driver: p.Explain})
}

// sweep returns the setting of --sweep. For the setting groups, it also returns
// the numbers of work-groups, if the flag lists them.
func (p *prediction) sweep() (over string, groups []int64, err error) {
	over, list, numbered := strings.Cut(p.Sweep, "=")
	switch {
	case !slices.Contains([]string{"local", "slm", "simd", "grf", "groups"}, over) || numbered && over != "groups":
		return "", nil, cli.Errorf("--sweep %q: expected local, slm, simd, grf, groups, groups=1,2,8, or groups=1-48",
			p.Sweep)
	case over == "groups" && p.Local.Size == "":
		return "", nil, cli.Errorf("--sweep groups varies the number of work-groups: give their size with --local")
	case !numbered:
		return over, nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(word, "-")
		if !ranged {
			to = from
		}
		first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 32)
		last, lastErr := strconv.ParseInt(strings.TrimSpace(to), 10, 32)
		if errors.Join(err, lastErr) != nil || first < 1 || last < first || last-first >= mostGroups {
			return "", nil, cli.Errorf("--sweep %q: expected numbers of work-groups, for example groups=1,2,8 or "+
				"groups=1-48, at most %d in a range", p.Sweep, mostGroups)
		}
		for n := first; n <= last; n++ {
			groups = append(groups, n)
		}
	}
	return over, groups, nil
}

// mostGroups is the largest number of work-groups that a range of --sweep may
// contain.
const mostGroups = 100_000

// computeUnit predicts a kernel on a compute unit.
func (p *prediction) computeUnit() (*report.Output, error) {
	platform, kernel, err := p.unitLaunch()
	if err != nil {
		return nil, err
	}
	global, err := p.Global.Size("global")
	if err != nil {
		return nil, err
	}
	local, _ := p.Local.Size.Size("local") // no error, because unitLaunch has already parsed the size
	switch {
	case p.Local.Size == "":
		return nil, cli.Errorf("no work-group size is given: add --local, for example --local 64")
	case p.SIMD.N == 0:
		return nil, cli.Errorf("no sub-group size is given: add --simd, for example --simd 16")
	}
	if _, err := itemsOf("global", global); err != nil {
		return nil, err
	}
	return predictdoc.ComputeUnit(&platform, kernel, computeunit.WorkGroups(global, local))
}

// calculator returns the result of Intel's calculator. The sizes of its form
// are strings in its own notation (64*64, 1,2,3). Rounding and error messages
// come from the calculator; see predict/calculator.
func (p *prediction) calculator() (*report.Output, error) {
	t, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	// The devices of the calculator have their own keys (fam:gen12, pci:E20B) and
	// are not in the device table.
	names := p.names(func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if len(names) != 1 || slices.Contains(names, "all") {
		return nil, cli.Errorf(
			"--compat calculator accepts one device of the calculator: give --device KEY, for example " +
				"fam:gen12 or pci:E20B")
	}
	d, err := t.Find(names[0], p.XVE)
	if err != nil {
		return nil, err
	}
	slm, err := cli.Bytes("slm", p.SLM)
	switch {
	case err != nil:
		return nil, err
	// The calculator's form accepts SLM only in whole KB.
	case slm%1024 != 0 || slm/1024 > 1<<20:
		return nil, cli.Errorf("--slm %q: Intel's calculator accepts whole KB up to 1 GB, for example 16K", p.SLM)
	case p.Local.Size == "":
		return nil, cli.Errorf("no work-group size is given: add --local, for example --local 256")
	case p.SIMD.N == 0:
		return nil, cli.Errorf("no sub-group size is given: add --simd, for example --simd 16")
	}
	in := calculator.Input{Global: string(p.Global), Local: string(p.Local.Size), SIMD: p.SIMD.N,
		SLMKB:   int(slm / 1024),
		Barrier: p.Barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(p.GRF); err != nil {
		return nil, cli.Errorf("--grf %v", err)
	}
	return predictdoc.Calculator(&d, in)
}

// predictBatch predicts every line of a CSV file. It does not return an output.
// It writes rows while it reads the next ones, so that the memory does not
// depend on the length of the file.
func (p *prediction) predictBatch(ctx context.Context) error {
	run, err := p.batchRun()
	if err != nil {
		return err
	}
	in, file, err := p.open(ctx, p.Batch)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return note.Errorf("batch-file", note.InFile(file), "give a CSV file, or - for standard input",
			"the batch file cannot be opened: %v", note.Reason(err))
	}
	defer in.Close()
	// Garbage collection runs less often than usual, which saves 20% of the
	// time. It needs little memory, because rows are short-lived and little
	// else is in memory.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var done batch.Report
	err = p.stream(p.output("csv"), func(w io.Writer) (err error) { done, err = run(ctx, file, in, w); return err })
	if err != nil {
		return err
	}
	p.sayBatch(done)
	return nil
}

// batchRun returns the function that runs a batch with the requested model.
// Flags of a launch apply to all rows. --device applies to rows whose device
// column is empty, so only one device is allowed.
func (p *prediction) batchRun() (batch.Run, error) {
	names := p.names(p.devices.Knows)
	if len(names) > 1 {
		return nil, cli.Errorf(
			"--batch reads the device from its column; --device accepts one device, for rows with an empty column")
	}
	shared := batch.Shared{XVEs: p.XVE}
	if len(names) == 1 {
		shared.Device = names[0]
	}
	switch {
	case p.Model == "compute-unit":
		t, platform, err := p.platforms()
		if err != nil {
			return nil, err
		}
		return batch.ComputeUnits(t, string(platform.Key)), nil
	case p.Compat != "":
		t, err := calculator.Builtin()
		if err != nil {
			return nil, err
		}
		return batch.Calculator(t, shared), nil
	}
	launch, _, err := p.read()
	if err != nil {
		return nil, err
	}
	return batch.Launches(p.devices, launch, shared), nil
}

// sayBatch prints the summary of a batch to standard error, because standard
// output contains only results.
func (p *prediction) sayBatch(r batch.Report) {
	p.printNotes(r.Notes)
	if r.Failed > 0 {
		p.printMessage("%d of %d rows have the status error; the first is shown above", r.Failed, r.Rows)
	}
	if len(p.Outputs) > 0 {
		p.printMessage("wrote %s: %d rows", p.Outputs[0], r.Rows)
	}
}

// predictFiles predicts the kernels in files.
func (p *prediction) predictFiles(ctx context.Context, paths []string) (*report.Output, error) {
	opt := batch.Options{Compiler: p.CompileOptions}
	var err error
	if opt.Global, err = p.Global.Size("global"); err != nil {
		return nil, err
	}
	if opt.Local, err = p.Local.ByName(); err != nil {
		return nil, err
	}
	// If no device or "all" is given, each image is predicted for its own
	// device, because a binary cannot run on other devices.
	if len(p.Devices) > 0 && !slices.Equal(p.Devices, []string{"all"}) {
		chosen, err := p.chooseDevices()
		if err != nil {
			return nil, err
		}
		for _, c := range chosen {
			opt.Devices = append(opt.Devices, c.Device)
		}
	}
	predict := batch.Read
	if p.Sweep == "grf" {
		predict = batch.Registers
	}
	kernels, notes, err := predict(ctx, paths, p.devices, opt)
	if err != nil {
		return nil, err
	}
	notes = append(notes, batch.UnmatchedNames(opt, kernels)...)
	p.printWarnings(notes)
	return predictdoc.Kernels(kernels, notes, opt.Global, p.Sweep == "grf"), nil
}
