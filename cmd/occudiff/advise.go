package main

import (
	"slices"
	"strings"

	"occudiff/report"
	"occudiff/report/launchdoc"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/computeunit"
)

// adviseFlags are the flags of `advise` beside the launch.
type adviseFlags struct {
	launchFlags
	fix   []string
	free  []string
	below float64
	unitFlags
}

// adviseCommand searches settings of higher occupancy.
func (a *app) adviseCommand() *cobra.Command {
	var v adviseFlags
	c := &cobra.Command{
		Use:   "advise [flags] [PATH...]",
		Short: "Find settings that reach the highest occupancy, and the nearest change that helps",
		Long: `Find the settings that reach the highest peak and average occupancy, the least change that helps, and how far the binding
limit is from its next step. Work-group size, sub-group size, SLM and GRF mode may change unless --fix names them; what the
launch lacks is searched. SLM is never raised nor dropped altogether.

With paths it reads a run as 'occudiff validate' does and advises for each kernel that is predicted or measured low.
With a device alone it prints what a work-group has to be for an Xe-core to be full.
With --model compute-unit what is not given is searched: the settings of the highest occupancy on compute units of any
vendor, and how many work-groups fill the whole GPU without a tail.`,
		Example: `  occudiff advise --device tgl --global 81920 --local 320 --simd 8 --slm 24K --barriers 1
  occudiff advise --device tgl --global 81920 --local 320 --simd 8 --slm 24K --fix slm,simd
  occudiff advise --device pvc --xve 512 --global 1048576 --free local
  occudiff advise --device tgl --work-group-slots 16
  occudiff advise --model compute-unit --platform rtx2080ti --simd 32
  occudiff advise --device mtl --xve 112 run.hotspots.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.noGate("advise"); err != nil {
				return err
			}
			if err := v.check(c.Flags(), args); err != nil {
				return err
			}
			return a.answer(answerEndings, func() (*report.Answer, error) {
				switch {
				case v.model == "compute-unit":
					return a.adviseUnit(&v)
				case len(args) > 0:
					return a.adviseRun(c.Context(), args, &v)
				case v.empty(c.Flags()):
					return a.adviseDevice(&v)
				}
				return a.adviseLaunch(&v)
			})
		},
	}
	f := c.Flags()
	v.launchFlags.add(f)
	v.unitFlags.add(f)
	f.StringVar(&v.policy, "policy", "auto", "dispatch: auto, free or whole")
	f.StringSliceVar(&v.fix, "fix", nil, "what must not change: local, simd, slm, grf")
	f.StringSliceVar(&v.free, "free", nil, "what alone may change: local, simd, slm, grf (default: all)")
	f.Float64Var(&v.below, "below", 90, "of a run: advise for kernels below this percentage, predicted average or measured")
	return c
}

// settingWords are what --fix and --free name.
var settingWords = []string{"local", "simd", "slm", "grf"}

func (v *adviseFlags) check(f *pflag.FlagSet, paths []string) error {
	if err := v.launchFlags.check(f); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]string{"auto", "free", "whole"}, v.policy):
		return usageErrorf("--policy %q: expected one of auto, free, whole", v.policy)
	case !slices.Contains([]string{"intel", "compute-unit"}, v.model):
		return usageErrorf("--model %q: expected one of intel, compute-unit", v.model)
	case len(v.fix) > 0 && len(v.free) > 0:
		return usageErrorf("--fix says what stays and --free what may change: give one of them")
	case !(v.below > 0 && v.below <= 100):
		return usageErrorf("--below %v: expected a percentage above 0 and up to 100", v.below)
	}
	for _, w := range append(append([]string{}, v.fix...), v.free...) {
		if !slices.Contains(settingWords, strings.TrimSpace(w)) {
			return usageErrorf("--fix and --free take %s, not %q", strings.Join(settingWords, ", "), w)
		}
	}
	var refused []string
	what := ""
	switch {
	case v.model == "compute-unit":
		what, refused = "--model compute-unit", []string{"device", "global", "barriers", "grf", "policy", "barrier-slots", "work-group-slots", "xve", "fix", "free", "below"}
		if len(paths) > 0 {
			return usageErrorf("--model compute-unit advises on one kernel, not on a run: leave %s out", paths[0])
		}
	case len(paths) > 0:
		what, refused = "the files of a run, which say it", []string{"global", "slm", "barriers", "grf", "registers", "policy", "platform", "platform-file"}
	default:
		what, refused = "a launch on an Intel GPU", []string{"platform", "platform-file"}
		if f.Changed("below") {
			return usageErrorf("--below chooses kernels of a run: give the files of one")
		}
	}
	for _, flag := range refused {
		if f.Changed(flag) {
			return usageErrorf("--%s does not go with %s", flag, what)
		}
	}
	return nil
}

// empty says whether the flags describe no launch at all.
func (v *adviseFlags) empty(f *pflag.FlagSet) bool {
	for _, flag := range []string{"global", "local", "simd", "slm", "barriers", "grf", "registers", "policy", "fix", "free"} {
		if f.Changed(flag) {
			return false
		}
	}
	return true
}

// vary turns --fix and --free into what may change.
func (v *adviseFlags) vary() predict.Vary {
	may := map[string]bool{}
	for _, w := range settingWords {
		may[w] = len(v.free) == 0
	}
	for _, w := range v.free {
		may[strings.TrimSpace(w)] = true
	}
	for _, w := range v.fix {
		may[strings.TrimSpace(w)] = false
	}
	return predict.Vary{Local: may["local"], SIMD: may["simd"], SLM: may["slm"], GRF: may["grf"]}
}

// adviseLaunch advises on one launch.
func (a *app) adviseLaunch(v *adviseFlags) (*report.Answer, error) {
	t, launch, err := a.launchOnDevice(&v.launchFlags, "advise")
	if err != nil {
		return nil, err
	}
	return launchdoc.Advise(&t, launch, v.vary())
}

// adviseDevice says what a work-group has to be for an Xe-core of a device to be full.
func (a *app) adviseDevice(v *adviseFlags) (*report.Answer, error) {
	t, err := a.oneDevice(&v.launchFlags, "advise")
	if err != nil {
		return nil, err
	}
	return launchdoc.FullOccupancy(&t, v.groupSlots), nil
}

// adviseUnit searches the settings of the highest occupancy of a compute unit; what is given is fixed.
func (a *app) adviseUnit(v *adviseFlags) (*report.Answer, error) {
	platform, err := v.onePlatform()
	if err != nil {
		return nil, err
	}
	launch, err := v.unitLaunch()
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
