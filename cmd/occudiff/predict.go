package main

import (
	"context"
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

// prediction is the command predict, with its flags next to those of the
// launch. It only picks the model and the question: formulas are in predict and
// its subpackages, words and figures of an answer in report/predictdoc.
type prediction struct {
	launch
	predictFlags
}

type predictFlags struct {
	// It takes the place of the flag that other commands share, for it may name
	// several.
	Devices        []string `flag:"device" arg:"NAME" help:"GPU: a key, name, alias, or PCI id of 'occudiff devices'; several with commas, or all"`
	Policy         string   `flag:"policy" expert:"true" arg:"POLICY" default:"auto" words:"auto free whole partial" help:"dispatch policy: auto, free, or whole; with --timeline also partial, a what-if with --ports"`
	Ports          int      `flag:"ports" expert:"true" arg:"N" default:"1" help:"dispatch ports of --policy partial"`
	Batch          string   `flag:"batch" arg:"FILE" files:"csv" help:"predict every line of this CSV file; - reads standard input"`
	Sweep          string   `flag:"sweep" arg:"SETTING" hints:"local slm simd grf groups" help:"vary one setting: local, slm, simd, grf (register modes), or groups (work-groups); groups=1,2,8 lists the numbers"`
	Timeline       bool     `flag:"timeline" expert:"true" help:"show the dispatch over time"`
	Explain        bool     `flag:"explain" expert:"true" help:"add the driver's formula as a second opinion"`
	Compat         string   `flag:"compat" expert:"true" arg:"TOOL" words:"calculator" help:"reproduce the results of another tool, including its errors: calculator"`
	CompileOptions string   `flag:"compile-options" expert:"true" arg:"OPTIONS" help:"options of the OpenCL compiler for source files, for example -cl-intel-256-GRF-per-thread"`
}

// predictCommand predicts one launch, a launch on many devices, a sweep, a
// timeline, a batch, or the kernels of a binary.
func (a *app) predictCommand() *cobra.Command {
	p := &prediction{launch: launch{app: a}}
	return a.command(command{text: "predict", flags: []any{&p.launchFlags, &p.predictFlags}, args: cobra.ArbitraryArgs,
		share: deviceFlags + outputFlags, check: p.check, run: p.run})
}

// check finds flags that contradict each other.
func (p *prediction) check(paths []string) error {
	f := p.flags
	p.named, p.policy = p.Devices, p.Policy
	if len(paths) > 0 {
		if p.Sweep != "" && p.Sweep != "grf" {
			return cli.Errorf("--sweep %q: of a file only the register modes can be varied: --sweep grf", p.Sweep)
		}
		return cli.RejectFlags(f, "a file: the binary says it, or it asks for another answer",
			"simd slm barriers grf registers policy batch timeline explain compat model")
	}
	if err := p.launch.check(); err != nil {
		return err
	}
	switch {
	// An unset variable of a script must not turn a batch into the prediction
	// of one launch.
	case f.Changed("batch") && p.Batch == "":
		return cli.Errorf("--batch is empty: give a CSV file, or - for standard input")
	case p.Ports < 1:
		return cli.Errorf("--ports %d: expected a number of dispatch ports above 0", p.Ports)
	}
	// Refuse looks at the flags that were given; which of the groups are wrong
	// depends on what is asked for.
	units, partial := p.Model == "compute-unit", p.policy == "partial"
	for _, r := range []struct {
		on          bool
		what, flags string
	}{
		{p.Batch != "", "--batch, whose columns say it", "global local simd slm barriers grf registers sweep timeline explain"},
		{p.Timeline, "--timeline", "sweep explain"},
		{p.Sweep != "", "--sweep", "explain"},
		{!partial, "another policy than partial; add --policy partial", "ports"},
		{partial, "--policy partial, a what-if of --timeline", "batch sweep explain"},
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
		// These answers have one curve, which a chart can hold; see
		// Answer.Chart.
		p.endings = append([]string{".svg"}, fileEndings()...)
	}
	return nil
}

// run returns what the flags ask for.
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
		// 0 ports ask for no what-if; the flag has 1 by default.
		if p.policy != "partial" {
			p.Ports = 0
		}
		return predictdoc.Timeline(ctx, &c, launch, p.Ports)
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

// sweep reads what --sweep varies: a word, and for groups perhaps their
// numbers.
func (p *prediction) sweep() (over string, groups []int64, err error) {
	over, list, numbered := strings.Cut(p.Sweep, "=")
	switch {
	case !slices.Contains([]string{"local", "slm", "simd", "grf", "groups"}, over) || numbered && over != "groups":
		return "", nil, cli.Errorf("--sweep %q: expected local, slm, simd, grf, groups, or groups=1,2,8", p.Sweep)
	case over == "groups" && p.Local.Size == "":
		return "", nil, cli.Errorf("--sweep groups varies how many work-groups there are: give their size with --local")
	case !numbered:
		return over, nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil || n < 1 {
			return "", nil, cli.Errorf("--sweep %q: expected numbers of work-groups as in groups=1,2,8", p.Sweep)
		}
		groups = append(groups, n)
	}
	return over, groups, nil
}

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
	local, _ := p.Local.Size.Size("local") // unitLaunch has read it
	switch {
	case p.Local.Size == "":
		return nil, cli.Errorf("no work-group size is given: --local, as in 64")
	case p.SIMD.N == 0:
		return nil, cli.Errorf("no sub-group size is given: --simd, as in 16 or 32")
	}
	if _, err := itemsOf("global", global); err != nil {
		return nil, err
	}
	return predictdoc.ComputeUnit(&platform, kernel, computeunit.WorkGroups(global, local))
}

// calculator answers as Intel's calculator does. The sizes of its form are
// texts, in its own notation (64*64, 1,2,3). Rounding and errors are the
// calculator's own; see predict/calculator.
func (p *prediction) calculator() (*report.Output, error) {
	t, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	// The devices of the calculator have their own keys (fam:gen12, pci:E20B),
	// so the device table is not asked.
	names := p.names(func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if len(names) != 1 || slices.Contains(names, "all") {
		return nil, cli.Errorf("--compat calculator takes one device of the calculator: give --device KEY as in " +
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
	// The form has a field for whole KB.
	case slm%1024 != 0 || slm/1024 > 1<<20:
		return nil, cli.Errorf("--slm %q: Intel's calculator counts whole KB up to 1 GB, as in 16K", p.SLM)
	case p.Local.Size == "":
		return nil, cli.Errorf("no work-group size is given: --local, as in 256")
	case p.SIMD.N == 0:
		return nil, cli.Errorf("no sub-group size is given: --simd, as in 16")
	}
	in := calculator.Input{Global: string(p.Global), Local: string(p.Local.Size), SIMD: p.SIMD.N,
		SLMKB:   int(slm / 1024),
		Barrier: p.Barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(p.GRF); err != nil {
		return nil, cli.Errorf("--grf %v", err)
	}
	return predictdoc.Calculator(&d, in)
}

// predictBatch predicts every line of a CSV file. It gives no answer: rows are
// written while the next ones are read, so that a file of any length takes the
// same memory.
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
		return note.Errorf("batch-file", note.Pos{File: file}, "give a CSV file, or - for standard input",
			"the batch file cannot be opened: %v", note.Reason(err))
	}
	defer in.Close()
	// Rows live for a moment and there is next to nothing next to them:
	// collecting them less often is 20% of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var done batch.Report
	err = p.stream(p.output("csv"), func(w io.Writer) (err error) { done, err = run(ctx, file, in, w); return err })
	if err != nil {
		return err
	}
	p.sayBatch(done)
	return nil
}

// batchRun makes the model that the flags ask for. Flags of a launch hold for
// all rows. --device is for rows whose column is empty, so one device is
// enough.
func (p *prediction) batchRun() (batch.Run, error) {
	names := p.names(p.devices.Knows)
	if len(names) > 1 {
		return nil, cli.Errorf("--batch takes the device from its column; --device names one for the rows that leave " +
			"it empty")
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

// sayBatch sums a batch up on standard error: results alone are on standard
// output.
func (p *prediction) sayBatch(r batch.Report) {
	p.printNotes(r.Notes)
	if r.Failed > 0 {
		p.printMessage("%d of %d rows have the status error; the first is above", r.Failed, r.Rows)
	}
	if len(p.Outputs) > 0 {
		p.printMessage("wrote %s: %d rows", p.Outputs[0], r.Rows)
	}
}

// predictFiles predicts what is in the files of the command line.
func (p *prediction) predictFiles(ctx context.Context, paths []string) (*report.Output, error) {
	opt := batch.Options{Compiler: p.CompileOptions}
	var err error
	if opt.Global, err = p.Global.Size("global"); err != nil {
		return nil, err
	}
	if opt.Local, err = p.Local.ByName(); err != nil {
		return nil, err
	}
	// Without a device each image is predicted for its own; so is all, since a
	// binary runs on no other.
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
	p.printWarnings(notes)
	return predictdoc.Kernels(kernels, notes, opt.Global, p.Sweep == "grf"), nil
}
