package main

import (
	"context"
	"strings"

	"occudiff/report"
	"occudiff/report/launchdoc"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// adviseRun reads a run and advises for each kernel that is predicted or measured low.
func (a *app) adviseRun(ctx context.Context, paths []string, v *adviseFlags) error {
	out, err := a.openOutputs(a.outputs, ".md", ".json", ".csv")
	if err != nil {
		return err
	}
	defer out.discard()
	t, err := a.table()
	if err != nil {
		return err
	}
	names := v.names(t.Knows)
	if len(names) > 1 {
		return usageErrorf("a run is of one device: give one --device, or none when the inputs name it")
	}
	a.device = strings.Join(names, "")
	if runs := ingest.Runs(paths); len(runs) > 1 {
		return usageErrorf("these paths hold %d runs; advise reads one at a time: give %s alone, for example", len(runs), runs[0][0])
	}
	flags := validateFlags{local: v.local, simd: v.simd, digest: "auto"}
	run, err := a.readRun(ctx, paths, flags)
	if err != nil {
		return err
	}
	r, err := a.compareRun(run, flags)
	if err != nil {
		return err
	}
	if r.Device == nil {
		return usageErrorf("nothing to advise on: the run holds no kernel with a launch size")
	}
	cases, kernels := a.lowKernels(r, v)
	doc := launchdoc.FromAdvices(cases, v.below, kernels, version())
	err = a.deliver(&report.Answer{Doc: doc, Value: launchdoc.AdviseValue(cases, r.Notes), Table: doc.Table(launchdoc.TableBest)}, out)
	if err == nil {
		a.sayNotes(r.Notes)
	}
	return err
}

// lowKernels advises for the kernels below the threshold, in the order of the run: those that need attention first. It also
// counts the kernels that have a prediction.
func (a *app) lowKernels(r *compare.Result, v *adviseFlags) ([]launchdoc.AdviceCase, int) {
	cases := []launchdoc.AdviceCase{}
	kernels := 0
	for i := range r.Len() {
		row := r.Row(i, nil)
		if row.Predicted == nil || row.Verdict == compare.NotAKernel {
			continue
		}
		kernels++
		low := unit.FromPercent(v.below)
		if row.Predicted.Average >= low && row.Measured.Or(1) >= low {
			continue
		}
		k := launchdoc.AdviceCase{Device: r.Device, ChosenBy: r.ChosenBy, Launch: launchOf(r, row, v), Row: row}
		advice, err := predict.Advise(r.Device, k.Launch, v.vary())
		if err != nil {
			continue // the row has a prediction, so that this launch runs
		}
		k.Advice = advice
		cases = append(cases, k)
	}
	return cases, kernels
}

// launchOf is the launch of a row as it was predicted, with the slots that were asked for.
func launchOf(r *compare.Result, row *compare.Row, v *adviseFlags) predict.Launch {
	l := r.LaunchOf(row)
	l.BarrierSlots, l.GroupSlots = v.barrierSlots, v.groupSlots
	return l
}
