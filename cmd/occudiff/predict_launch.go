package main

import (
	"context"
	"slices"

	"occudiff/report"
	"occudiff/report/launchdoc"

	"github.com/spf13/pflag"

	"occudiff/predict"
	"occudiff/predict/arch"
)

// driverStep is the label of the step that package predict adds for the driver's formula; --explain shows it whole instead.
const driverStep = "driver's formula"

// check finds flags that contradict each other.
func (p *predictFlags) check(f *pflag.FlagSet) error {
	if err := p.launchFlags.check(f); err != nil {
		return err
	}
	for _, c := range []struct {
		flag, value string
		words       []string
	}{
		{"policy", p.policy, []string{"auto", "free", "whole", "partial"}},
		{"compat", p.compat, []string{"", "calculator"}},
		{"model", p.model, []string{"intel", "compute-unit"}},
		{"sweep", p.sweep, []string{"", "local", "slm", "simd"}},
	} {
		if !slices.Contains(c.words, c.value) {
			return usageErrorf("--%s %q: expected one of %s", c.flag, c.value, wordList(c.words))
		}
	}
	modes := 0
	for _, on := range []bool{f.Changed("batch"), p.sweep != "", p.timeline} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return usageErrorf("--batch, --sweep and --timeline are three answers: ask for one of them")
	case f.Changed("batch") && p.batch == "":
		return usageErrorf("--batch is empty: give a CSV file, or - for standard input")
	case p.compat != "" && p.model == "compute-unit":
		return usageErrorf("--compat calculator and --model compute-unit are two models: give one of them")
	case p.ports < 1:
		return usageErrorf("--ports %d: expected a number of dispatch ports above 0", p.ports)
	case f.Changed("ports") && p.policy != "partial":
		return usageErrorf("--ports belongs to --policy partial")
	case p.policy == "partial" && (p.batch != "" || p.sweep != "" || p.explain):
		return usageErrorf("--policy partial is a what-if of the dispatch over time: it goes with --timeline only")
	case p.explain && (modes > 0 || p.compat != "" || p.model == "compute-unit"):
		return usageErrorf("--explain belongs to the prediction of one launch")
	}
	return p.checkModel(f, modes)
}

// checkModel finds flags that another model has than the one that was asked for.
func (p *predictFlags) checkModel(f *pflag.FlagSet, modes int) error {
	refused := map[string][]string{}
	if p.batch != "" {
		refused["--batch, whose columns say it"] = []string{"global", "local", "simd", "slm", "barriers", "grf", "registers"}
	}
	if p.compat != "" {
		refused["--compat calculator"] = []string{"policy", "barrier-slots", "work-group-slots", "registers", "timeline", "platform", "platform-file"}
	}
	if p.model == "compute-unit" {
		refused["--model compute-unit"] = []string{"device", "barriers", "grf", "policy", "barrier-slots", "work-group-slots", "timeline", "sweep", "xve"}
	} else {
		refused["the model of Intel GPUs; add --model compute-unit"] = []string{"platform", "platform-file"}
	}
	for _, what := range sortedKeys(refused) {
		for _, flag := range refused[what] {
			if f.Changed(flag) {
				return usageErrorf("--%s does not go with %s", flag, what)
			}
		}
	}
	return nil
}

// predict answers what the flags ask for.
func (a *app) predict(ctx context.Context, p *predictFlags) error {
	switch {
	case p.batch != "":
		return a.predictBatch(ctx, p)
	case p.model == "compute-unit":
		return a.predictUnit(p)
	case p.compat != "":
		return a.predictCalculator(p)
	case p.sweep != "":
		return a.predictSweep(p)
	case p.timeline || p.policy == "partial":
		return a.predictTimeline(ctx, p)
	}
	return a.predictLaunch(p)
}

// predictLaunch predicts one launch on one device, or on several side by side.
func (a *app) predictLaunch(p *predictFlags) error {
	out, err := a.openOutputs(a.outputs, ".md", ".json", ".csv")
	if err != nil {
		return err
	}
	defer out.discard()
	launch, err := p.launch()
	if err != nil {
		return err
	}
	devices, err := a.chooseDevices(&p.launchFlags)
	if err != nil {
		return err
	}
	cases := make([]launchdoc.LaunchCase, 0, len(devices))
	ran := 0
	for _, c := range devices {
		k := launchdoc.LaunchCase{Device: c.Device, ChosenBy: c.By, Launch: launch, Notes: c.Notes}
		if k.Launch, k.Refusal = p.on(c.Device, launch); k.Refusal == nil {
			predictCase(&k, p.explain)
		}
		if k.Prediction != nil {
			ran++
		}
		cases = append(cases, k)
	}
	if ran == 0 {
		if len(cases) == 1 {
			return cases[0].Refusal
		}
		return usageErrorf("the launch runs on none of the %d devices; on %s: %v", len(cases), cases[0].Device.Key, cases[0].Refusal)
	}
	all := launchdoc.FromPredictions(cases, version())
	doc := all
	if len(cases) == 1 {
		doc = launchdoc.FromPrediction(&cases[0], version())
	}
	return a.deliver(&report.Answer{Doc: doc, Value: launchdoc.PredictValue(cases), Table: all.Table(launchdoc.TablePredictions)}, out)
}

// predictCase predicts a launch on a device, with what there is to say beside it.
func predictCase(k *launchdoc.LaunchCase, explain bool) {
	p, err := predict.Predict(k.Device, k.Launch)
	if err != nil {
		k.Refusal = err
		return
	}
	k.Prediction = &p
	k.Other = otherPolicy(k.Device, k.Launch, &p)
	if steps, err := predict.Explain(k.Device, k.Launch); err == nil {
		for _, s := range steps {
			if s.Label != driverStep {
				k.Steps = append(k.Steps, s)
			}
		}
	}
	if explain {
		if r, err := predict.DriverMaxGroups(k.Device, k.Launch); err == nil {
			k.Driver = &r
		}
	}
}

// otherPolicy predicts a launch under the policy that was not taken, nil where that gives the same.
func otherPolicy(d *arch.Device, l predict.Launch, p *predict.Prediction) *predict.Prediction {
	if !p.HasGrid() {
		return nil
	}
	l.Policy = predict.Free
	if p.Policy == predict.Free {
		l.Policy = predict.Whole
	}
	o, err := predict.Predict(d, l)
	if err != nil || o.Peak == p.Peak && o.Average == p.Average {
		return nil
	}
	return &o
}
