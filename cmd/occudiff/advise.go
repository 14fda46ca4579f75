package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/launchdoc"
)

// adviseCommand is advise, with its flags beside those of the launch.
type adviseCommand struct {
	launchCommand
	fix   []string
	free  []string
	below float64
}

// Advise searches settings of higher occupancy.
func newAdvise(a *app) *cobra.Command {
	v := adviseCommand{launchCommand: launchCommand{app: a}, below: 90}
	c := &cobra.Command{
		Use:   "advise [flags] [PATH...]",
		Short: "Find the settings with the highest occupancy, and the smallest change",
		Long: `Find the settings with the highest peak and average occupancy, the smallest change that helps, and
how far the binding limit is from its next step. Work-group size, sub-group size, SLM and GRF mode
may change unless --fix names them; settings that you leave out are searched. Advice never raises
SLM, never drops it to zero, and never makes the sub-group smaller, because that takes more threads
for the same work.

With paths, advise reads a run as 'occudiff validate' does and advises on each kernel with a low
predicted or measured occupancy, by the largest part of what it does not use. With only a device, it
prints the work-groups that fill an Xe-core. With --model compute-unit, it searches the settings
that you leave out for the highest occupancy on compute units of any vendor, and prints how many
work-groups fill the whole GPU without a tail.`,
		Example: `  # A launch: change anything, or only the work-group size
  occudiff advise --device tgl --global 80K --local 320 --simd 8 --slm 24K
  occudiff advise --device pvc --xve 512 --global 1M --free local

  # The kernels of a run with low occupancy
  occudiff advise --device mtl --xve 112 run.hotspots.csv

  # What fills a device
  occudiff advise --device tgl
  occudiff advise --model compute-unit --platform rtx2080ti --simd 32`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := v.check(c.Flags(), args); err != nil {
				return err
			}
			return v.answer(deliver.Endings(), func() (*report.Answer, error) {
				return v.advise(c.Context(), c.Flags(), args)
			})
		},
	}
	f := c.Flags()
	v.launchCommand.add(f)
	cli.Define(f, []cli.Flag{
		{Name: "fix", Value: &v.fix, Arg: "SETTINGS", Hints: settingWords,
			Usage: "keep these settings: local, simd, slm, grf"},
		{Name: "free", Value: &v.free, Arg: "SETTINGS", Hints: settingWords,
			Usage: "change only these settings (default: all of them)"},
		{Name: "policy", Value: &v.policy, Arg: "POLICY", Words: "auto free whole",
			Usage: "dispatch: auto, free or whole"},
		{Name: "below", Value: &v.below, Arg: "PERCENT", Usage: "of a run: advise for kernels below this, predicted " +
			"average or measured"},
	}...)
	v.share(c, deviceFlags, "tolerance model-tolerance sampling-interval progress", answerFlags)
	return c
}

// settingWords are what --fix and --free name.
const settingWords = "local simd slm grf"

// settings takes lists of settings apart.
func settingWordsOf(lists []string) []string {
	return strings.FieldsFunc(strings.Join(lists, ","), func(r rune) bool { return r == ',' || r == ' ' })
}

func (v *adviseCommand) check(f *pflag.FlagSet, paths []string) error {
	if err := v.launchCommand.check(f); err != nil {
		return err
	}
	units := v.model == "compute-unit"
	switch {
	case len(v.fix) > 0 && len(v.free) > 0:
		return cli.Errorf("--fix and --free exclude each other: give one of them")
	case !(v.below > 0 && v.below <= 100):
		return cli.Errorf("--below %v: expected a percentage above 0 and up to 100", v.below)
	case units && len(paths) > 0:
		return cli.Errorf("--model compute-unit advises on one kernel, not on a run: leave %s out", paths[0])
	case len(paths) == 0 && f.Changed("below"):
		return cli.Errorf("--below selects kernels of a run: give the files of a run")
	}
	for _, w := range settingWordsOf(slices.Concat(v.fix, v.free)) {
		if !slices.Contains(strings.Fields(settingWords), w) {
			return cli.Errorf("--fix and --free take %s, not %q", strings.ReplaceAll(settingWords, " ", ", "), w)
		}
	}
	const ofRuns = " tolerance model-tolerance sampling-interval progress"
	switch {
	case units:
		return cli.Refuse(f, "--model compute-unit", "device device-file global barriers grf policy barrier-slots "+
			"work-group-slots xve fix free below"+ofRuns)
	case len(paths) > 0:
		return cli.Refuse(f, "the files of a run, which say it",
			"global slm barriers grf registers policy platform platform-file")
	}
	return cli.Refuse(f, "a launch on an Intel GPU", "platform platform-file"+ofRuns)
}

// vary turns --fix and --free into what may change.
func (v *adviseCommand) vary() predict.Vary {
	may := func(setting string) bool {
		return (len(v.free) == 0 || slices.Contains(settingWordsOf(v.free), setting)) &&
			!slices.Contains(settingWordsOf(v.fix), setting)
	}
	return predict.Vary{Local: may("local"), SIMD: may("simd"), SLM: may("slm"), GRF: may("grf")}
}

// advise answers what the flags ask for.
func (v *adviseCommand) advise(ctx context.Context, f *pflag.FlagSet, paths []string) (*report.Answer, error) {
	switch {
	case v.model == "compute-unit":
		return v.computeUnit()
	case len(paths) > 0:
		return v.adviseRun(ctx, paths)
	case !slices.ContainsFunc([]string{"global", "local", "simd", "slm", "barriers", "grf", "registers", "policy",
		"fix", "free"}, f.Changed):
		c, err := v.oneDevice("advise")
		if err != nil {
			return nil, err
		}
		return launchdoc.FullOccupancy(&c, v.groupSlots), nil
	}
	c, launch, err := v.launchOnDevice("advise")
	if err != nil {
		return nil, err
	}
	return launchdoc.Advise(&c, launch, v.vary())
}

// computeUnit searches the settings of the highest occupancy of a compute unit; what is given is fixed.
func (v *adviseCommand) computeUnit() (*report.Answer, error) {
	platform, launch, err := v.unitLaunch()
	if err != nil {
		return nil, err
	}
	var want computeunit.Want
	if launch.GroupSize > 0 {
		want.GroupSize = unit.Some(launch.GroupSize)
	}
	if launch.SubgroupSize > 0 {
		want.SubgroupSize = unit.Some(launch.SubgroupSize)
	}
	if v.slm != "" {
		want.SLM = unit.Some(launch.SLM)
	}
	if v.registers != "" {
		want.RegisterBytes = unit.Some(launch.RegisterBytes)
	}
	return launchdoc.ComputeUnitAdvice(&platform, want)
}

// adviseRun reads a run and advises for each kernel that is predicted or measured low.
func (v *adviseCommand) adviseRun(ctx context.Context, paths []string) (*report.Answer, error) {
	t, err := v.table()
	if err != nil {
		return nil, err
	}
	names := v.names(t.Knows)
	if len(names) > 1 {
		return nil, cli.Errorf("a run is of one device: give one --device, or none when the inputs name it")
	}
	v.device = strings.Join(names, "")
	if runs := ingest.Runs(ctx, paths, formats.All()); len(runs) > 1 {
		return nil, cli.Errorf("these paths hold %d runs; advise reads one at a time: give %s alone, for example",
			len(runs), runs[0][0])
	}
	flags := runOptions{local: v.local, simd: v.simd, digest: "auto"}
	run, err := v.readRun(ctx, paths, flags)
	if err != nil {
		return nil, err
	}
	r, err := v.compareRun(run, flags, compare.Refused)
	if err != nil {
		return nil, err
	}
	if r.Device == nil {
		return nil, cli.Errorf("nothing to advise on: the run holds no kernel with a launch size")
	}
	v.sayNotes(r.Notes)
	return launchdoc.AdviseRun(r, v.below, v.vary(), func(row *compare.Row) predict.Launch {
		l := r.LaunchOf(row)
		l.BarrierSlots, l.GroupSlots = v.barrierSlots, v.groupSlots
		return l
	}), nil
}
