package timeline

import (
	"context"
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// WhatIf asks for policy partial where it has ports, with one work-group of an Xe-core that ends first where Early is
// that Xe-core's number, from 1 on. The zero value asks for the policy of the prediction.
type WhatIf struct{ Ports, Early int }

// Simulate gives the phases of a launch, as shares of all thread slots of the device.
func Simulate(ctx context.Context, d *arch.Device, l *predict.Launch, p *predict.Prediction, w WhatIf) (
	Result, error) {
	r, err := Run(ctx, input(d, l, p, w))
	if err != nil {
		return r, err
	}
	ofAllSlots(&r, d)
	return r, nil
}

// input puts a prediction's launch into the simulation's words.
func input(d *arch.Device, l *predict.Launch, p *predict.Prediction, w WhatIf) Input {
	// Those that the GRF mode leaves.
	slots := int(math.Round(float64(p.ThreadsPerGroup*p.GroupsPerXeCore) / float64(p.XeCoreOfMode)))
	// No resource admits more than a slot each
	others := int64(slots)
	for _, n := range []int64{p.BySLM, p.BySlots, p.ByBarriers} {
		if n != predict.Unlimited {
			others = min(others, n)
		}
	}
	in := Input{XeCores: d.XeCores, SlotsPerXeCore: slots, ThreadsPerGroup: int(p.ThreadsPerGroup),
		Groups: p.Groups, GroupsPerXeCore: int(others), Ports: w.Ports, Early: w.Early, Barrier: l.Barriers > 0}
	switch {
	case w.Ports > 0:
		in.Policy = Partial
	case p.Policy == predict.Whole:
		in.Policy = Whole
	default: // as in the prediction, few work-group slots cap an Xe-core under Free too
		in.SlotsPerXeCore = int(min(int64(slots), p.ThreadsPerGroup*others))
	}
	return in
}

// ofAllSlots turns a result into shares of all thread slots of the device: a GRF mode may leave fewer to the launch.
func ofAllSlots(r *Result, d *arch.Device) {
	all := float64(d.Slots())
	share := float64(r.Slots) / all
	for i := range r.Phases {
		r.Phases[i].Occupancy = unit.Ratio(float64(r.Phases[i].Threads) / all)
	}
	if share != 1 {
		r.Peak, r.Average = unit.Ratio(float64(r.Peak)*share), unit.Ratio(float64(r.Average)*share)
	}
	r.Slots = int64(d.Slots())
}
