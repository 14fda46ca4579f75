package main

import (
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/launchdoc"
)

// calculatorForm fills the calculator's form from the flags. Its sizes are texts, in its own notation (64*64, 1,2,3).
func (p *predictFlags) calculatorForm() (calculator.Input, error) {
	in := calculator.Input{Global: p.global, Local: p.local, SIMD: p.simd, Barrier: p.barriers > 0}
	slm, err := parseBytes("slm", p.slm)
	if err != nil {
		return in, err
	}
	if slm%1024 != 0 || slm/1024 > 1<<20 {
		return in, usageErrorf("--slm %s: Intel's calculator counts whole KB up to 1 GB, as in 16K", p.slm)
	}
	in.SLMKB = int(slm / 1024)
	if in.LargeGRF, err = calculator.LargeGRF(p.grf); err != nil {
		return in, usageErrorf("--grf %v", err)
	}
	switch {
	case p.local == "":
		return in, usageErrorf("no work-group size is given: --local, as in 256")
	case p.simd == 0:
		return in, usageErrorf("no sub-group size is given: --simd, as in 16")
	}
	return in, nil
}

// predictCalculator answers as Intel's calculator does.
func (a *app) predictCalculator(p *predictFlags) error {
	endings := []string{".md", ".json", ".csv"}
	if p.sweep != "" {
		endings = curveEndings
	}
	out, err := a.openOutputs(a.outputs, endings...)
	if err != nil {
		return err
	}
	defer out.discard()
	t, err := calculator.Builtin()
	if err != nil {
		return err
	}
	name, err := p.one("--compat calculator", func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if err != nil {
		return usageErrorf("--compat calculator takes one device of the calculator: give --device KEY as in fam:gen12 or pci:E20B")
	}
	d, err := t.Find(name, a.xve)
	if err != nil {
		return usageErrorf("%v", err)
	}
	in, err := p.calculatorForm()
	if err != nil {
		return err
	}
	k := launchdoc.CalculatorCase{Device: &d, Input: in, Output: calculator.Run(&d, in)}
	if k.Output.Refusal != 0 {
		return usageErrorf("%s", k.Output.Refusal.Explain(&d, in))
	}
	if p.sweep != "" {
		return a.calculatorSweep(p, &d, in, out)
	}
	doc := launchdoc.FromCalculator(&k, version())
	return a.deliver(&report.Answer{Doc: doc, Value: launchdoc.CalculatorValue(&k), Table: doc.Table("calculator")}, out)
}

// calculatorSweep gives one of the calculator's two impact charts.
func (a *app) calculatorSweep(p *predictFlags, d *calculator.Device, in calculator.Input, out *outputs) error {
	kind := launchdoc.SweepKind(p.sweep)
	var points []calculator.Point
	switch kind {
	case launchdoc.SweepLocal:
		points = calculator.SweepLocal(d, in)
	case launchdoc.SweepSLM:
		points = calculator.SweepSLM(d, in)
	default:
		return usageErrorf("--sweep %s: Intel's calculator charts local and slm", p.sweep)
	}
	s := report.LineSeries{Name: "Xe-core"}
	for _, pt := range points {
		s.Points = append(s.Points, report.Point{X: float64(pt.X), Y: pt.XeCorePercent})
	}
	doc := launchdoc.FromCalculatorSweep(d, kind, points, version())
	return a.deliver(&report.Answer{
		Doc: doc, Value: launchdoc.CalculatorSweepValue(d, kind, points), Table: doc.Table("sweep"),
		Chart: occupancyChart("Intel GPU Occupancy Calculator, "+d.Name, kind.AxisTitle(), kind.Step(), s),
	}, out)
}
