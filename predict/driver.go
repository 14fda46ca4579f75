package predict

import (
	"fmt"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// neoBarrierSlots is the number of barrier slots per Xe-core that the driver's
// formula uses for every GPU.
const neoBarrierSlots = 32

// A DriverLimit is a second opinion: how many work-groups can be resident on
// the whole GPU according to the compute driver. The driver uses it as the
// maximum for a cooperative kernel.
type DriverLimit struct {
	// Groups is the number of co-resident work-groups.
	Groups int64
	// Number that each resource alone would allow on the whole GPU. It is
	// absent if the resource sets no limit.
	ByThreads    unit.Opt[int64]
	BySLM        unit.Opt[int64]
	ByBarriers   unit.Opt[int64]
	BarrierSlots int // per Xe-core, in the driver's formula

	// Model is the prediction's Xe-cores x N.
	Model   int64
	Differs bool
	Reasons []string // why they differ; never nil
}

// DriverMaxGroups returns the driver's maximum number of co-resident
// work-groups:
//
// threads available = XVEs x min(threads per XVE, threads of the GRF mode)
// work-groups = min(Xe-cores x floor(available / Xe-cores / T), Xe-cores x
// floor(32 / barriers), floor(Xe-cores x largest SLM of a work-group / SLM as
// allocated))
//
// It differs from Xe-cores x N in three ways. It ignores work-group slots. It
// has 32 barrier slots on every GPU. It uses the SLM limit for one work-group,
// pooled over the Xe-cores, instead of an Xe-core's SLM. It returns an error if
// Predict does.
func DriverMaxGroups(d *arch.Device, l Launch) (DriverLimit, error) {
	l.Global = l.Local // only the Xe-core matters here
	p, err := Predict(d, l)
	if err != nil {
		return DriverLimit{}, err
	}
	if d.XeCores < 1 {
		var s resolvedLaunch
		return DriverLimit{}, s.reject(noXeCores, d, l)
	}
	cores := int64(d.XeCores)
	threads := cores * (modeSlots(d, l.GRF) / p.ThreadsPerGroup)
	r := DriverLimit{ByThreads: unit.Some(threads), BarrierSlots: neoBarrierSlots, Model: cores * p.GroupsPerXeCore,
		Reasons: []string{}}
	for _, b := range d.BarrierSlots {
		if b.Source == "neo" {
			r.BarrierSlots = b.Count
		}
	}
	if l.Barriers > 0 {
		r.ByBarriers = unit.Some(cores * int64(r.BarrierSlots/l.Barriers))
	}
	if p.SLMAllocated > 0 {
		r.BySLM = unit.Some(cores * int64(d.SLMPerGroupMax) / int64(p.SLMAllocated))
	}
	r.Groups = min(threads, r.ByBarriers.Or(threads), r.BySLM.Or(threads))
	r.explain(d, l, &p)
	return r, nil
}

// explain adds reasons why the driver's number differs from the model's.
func (r *DriverLimit) explain(d *arch.Device, l Launch, p *Prediction) {
	r.Differs = r.Groups != r.Model
	if !r.Differs {
		return
	}
	cores := int64(d.XeCores)
	add := func(format string, args ...any) { r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...)) }
	if p.ByBarriers != Unlimited && r.ByBarriers != unit.Some(cores*p.ByBarriers) {
		used := barrierSlots(d, l)
		add("barriers: %d slots per Xe-core in the driver's formula, %d (%s) in the model",
			r.BarrierSlots, used.Count, used.Source)
	}
	if r.BySLM.Present() && r.BySLM != unit.Some(cores*p.BySLM) {
		add("SLM: the driver's formula distributes %d x %s, the maximum of one work-group, over the GPU; the model "+
			"uses %s per Xe-core", cores, unit.FormatBytes(d.SLMPerGroupMax), unit.FormatBytes(d.SLMPerXeCore))
	}
	if p.ByGroupSlots != Unlimited && p.ByGroupSlots == p.GroupsPerXeCore && p.ByGroupSlots < p.ByThreads {
		add("work-group slots: the driver's formula has none, the model has %d per Xe-core", p.ByGroupSlots)
	}
}

// barrierSlots returns how many barrier slots a prediction for the launch uses,
// with the source.
func barrierSlots(d *arch.Device, l Launch) arch.SourcedCount {
	switch {
	case l.BarrierSlots > 0:
		return arch.SourcedCount{Source: "given", Count: l.BarrierSlots}
	case len(d.BarrierSlots) > 0:
		return d.BarrierSlots[0]
	}
	return arch.SourcedCount{}
}
