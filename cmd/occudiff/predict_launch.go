package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"occudiff/report"
	"occudiff/report/launchdoc"
)

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
func (a *app) predict(ctx context.Context, p *predictFlags) (*report.Answer, error) {
	switch {
	case p.model == "compute-unit":
		return a.predictUnit(p)
	case p.compat != "":
		return a.predictCalculator(p)
	case p.sweep != "":
		t, launch, err := a.launchOnDevice(&p.launchFlags, "--sweep")
		if err != nil {
			return nil, err
		}
		return launchdoc.Sweep(&t, launch, p.sweep)
	case p.timeline || p.policy == "partial":
		t, launch, err := a.launchOnDevice(&p.launchFlags, "--timeline")
		if err != nil {
			return nil, err
		}
		ports := 0
		if p.policy == "partial" {
			ports = p.ports
		}
		return launchdoc.Timeline(ctx, &t, launch, ports)
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
