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
func (a *app) predictCalculator(p *predictFlags) (*report.Answer, error) {
	t, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	name, err := p.one("--compat calculator", func(name string) bool { _, err := t.Find(name, 0); return err == nil })
	if err != nil {
		return nil, usageErrorf("--compat calculator takes one device of the calculator: " +
			"give --device KEY as in fam:gen12 or pci:E20B")
	}
	d, err := t.Find(name, a.xve)
	if err != nil {
		return nil, err
	}
	in, err := p.calculatorForm()
	if err != nil {
		return nil, err
	}
	ans, err := launchdoc.Calculator(&d, in)
	if err != nil || p.sweep == "" {
		return ans, err
	}
	return launchdoc.CalculatorSweep(&d, in, p.sweep)
}
