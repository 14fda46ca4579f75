package main

import (
	"context"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/launchdoc"
)

// adviseRun reads a run and advises for each kernel that is predicted or measured low.
func (a *app) adviseRun(ctx context.Context, paths []string, v *adviseFlags) (*report.Answer, error) {
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	names := v.names(t.Knows)
	if len(names) > 1 {
		return nil, usageErrorf("a run is of one device: give one --device, or none when the inputs name it")
	}
	a.device = strings.Join(names, "")
	if runs := ingest.Runs(paths); len(runs) > 1 {
		return nil, usageErrorf("these paths hold %d runs; advise reads one at a time: give %s alone, for example", len(runs), runs[0][0])
	}
	flags := validateFlags{local: v.local, simd: v.simd, digest: "auto"}
	run, err := a.readRun(ctx, paths, flags)
	if err != nil {
		return nil, err
	}
	r, err := a.compareRun(run, flags)
	if err != nil {
		return nil, err
	}
	if r.Device == nil {
		return nil, usageErrorf("nothing to advise on: the run holds no kernel with a launch size")
	}
	a.sayNotes(r.Notes)
	return launchdoc.AdviseRun(r, v.below, v.vary(), func(row *compare.Row) predict.Launch {
		l := r.LaunchOf(row)
		l.BarrierSlots, l.GroupSlots = v.barrierSlots, v.groupSlots
		return l
	}), nil
}
