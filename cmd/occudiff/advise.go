package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// advise is the command, with its flags beside those of the launch.
// It searches and judges nothing itself: predict finds the settings, and report/predictdoc says what they bring.
type advise struct {
	launch
	adviseFlags
}

type adviseFlags struct {
	Fix    []string `flag:"fix" arg:"SETTINGS" hints:"local simd slm grf" help:"keep these settings: local, simd, slm, grf"`
	Free   []string `flag:"free" arg:"SETTINGS" hints:"local simd slm grf" help:"change only these settings (default: all of them)"`
	Policy string   `flag:"policy" expert:"true" arg:"POLICY" default:"auto" words:"auto free whole" help:"dispatch: auto, free or whole"`
	Probe  bool     `flag:"probe" help:"settings that lower the occupancy in steps and leave the work as it is: measuring them tells whether occupancy matters"`
}

// adviseCommand searches settings of higher occupancy.
func (a *app) adviseCommand() *cobra.Command {
	v := &advise{launch: launch{app: a}}
	return a.command(command{text: "advise", flags: []any{&v.launchFlags, &v.adviseFlags}, args: noFiles,
		share: deviceFlags + answerFlags, check: v.check, answer: v.answer})
}

// noFiles says who advises on the kernels of a run.
func noFiles(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Errorf("advise is about one launch; 'occudiff validate %s' says of each kernel of a run what may help, "+
			"and prints its advise command", args[0])
	}
	return nil
}

// settingWords are what --fix and --free name.
const settingWords = "local simd slm grf"

// settingWordsOf takes lists of settings apart.
func settingWordsOf(lists []string) []string {
	return strings.FieldsFunc(strings.Join(lists, ","), func(r rune) bool { return r == ',' || r == ' ' })
}

// check finds flags that contradict each other. There are two questions, of a launch and of a compute unit: each refuses
// the flags of the other instead of ignoring them, so that no answer looks as if it had used them.
func (v *advise) check([]string) error {
	v.named, v.policy = []string{v.Device}, v.Policy
	if err := v.launch.check(); err != nil {
		return err
	}
	units := v.Model == "compute-unit"
	switch {
	case v.Probe && (units || v.Global == "" || v.Local.Size == "" || v.SIMD.N == 0):
		return cli.Errorf("--probe is of a launch on an Intel GPU: give --global, --local and --simd")
	case v.Probe && len(v.Fix)+len(v.Free) > 0:
		return cli.Errorf("--probe changes one setting at a time: leave out --fix and --free")
	case len(v.Fix) > 0 && len(v.Free) > 0:
		return cli.Errorf("--fix and --free exclude each other: give one of them")
	}
	for _, w := range settingWordsOf(slices.Concat(v.Fix, v.Free)) {
		if !slices.Contains(strings.Fields(settingWords), w) {
			return cli.Errorf("--fix and --free take %s, not %q", strings.ReplaceAll(settingWords, " ", ", "), w)
		}
	}
	if units {
		return cli.Refuse(v.flags, "--model compute-unit",
			"device device-file global barriers grf policy barrier-slots work-group-slots xve fix free")
	}
	return cli.Refuse(v.flags, "a launch on an Intel GPU", "platform platform-file")
}

// vary turns --fix and --free into what may change.
// What is in neither list may change: without the flags everything may.
func (v *advise) vary() predict.Vary {
	may := func(setting string) bool {
		return (len(v.Free) == 0 || slices.Contains(settingWordsOf(v.Free), setting)) &&
			!slices.Contains(settingWordsOf(v.Fix), setting)
	}
	return predict.Vary{Local: may("local"), SIMD: may("simd"), SLM: may("slm"), GRF: may("grf")}
}

// answer gives what the flags ask for.
func (v *advise) answer(context.Context, []string) (*report.Answer, error) {
	if v.Model == "compute-unit" {
		return v.computeUnit()
	}
	c, launch, err := v.onDevice("advise")
	if err != nil {
		return nil, err
	}
	if v.Probe {
		return predictdoc.Probe(&c, launch)
	}
	return predictdoc.Advise(&c, launch, v.vary())
}

// computeUnit searches the settings of the highest occupancy of a compute unit; what is given is fixed.
func (v *advise) computeUnit() (*report.Answer, error) {
	platform, launch, err := v.unitLaunch()
	if err != nil {
		return nil, err
	}
	// No work-group has 0 work-items, so 0 is a size that was not given; of SLM and registers 0 is an amount, and only
	// the text of the flag tells whether it was given.
	want := computeunit.Want{GroupSize: unit.NonZero(launch.GroupSize), SubgroupSize: unit.NonZero(launch.SubgroupSize)}
	if v.SLM != "" {
		want.SLM = unit.Some(launch.SLM)
	}
	if v.Registers != "" || v.DCLTemps > 0 {
		want.RegisterBytes = unit.Some(launch.RegisterBytes)
	}
	return predictdoc.ComputeUnitAdvice(&platform, want)
}
