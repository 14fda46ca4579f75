package launchdoc

import (
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// PredictSchema names the version of the JSON contract of `predict`.
const PredictSchema = "occudiff/predict/1"

// PredictJSON is the JSON output of `occudiff predict`: a launch, and a prediction for each device. Absent values are null,
// percentages are 0..100 of all thread slots at full precision, a resource without a limit is null.
type PredictJSON struct {
	Schema      string                `json:"schema"`
	Launch      LaunchJSON            `json:"launch"`
	Predictions []PredictOnDeviceJSON `json:"predictions"`
}

// LaunchJSON is a launch as it was asked about.
type LaunchJSON struct {
	Global         []int64 `json:"global"`
	Local          []int64 `json:"local"`
	SIMD           *int    `json:"simd"`
	SLMBytes       int64   `json:"slm_bytes"`
	Barriers       int     `json:"barriers"`
	Registers      *int    `json:"registers_per_thread" jsonschema:"GRF mode; null is the device's default"`
	Policy         string  `json:"policy"`
	BarrierSlots   *int    `json:"barrier_slots"`
	WorkGroupSlots *int    `json:"work_group_slots"`
}

// PredictOnDeviceJSON is what the model says of the launch on one device.
type PredictOnDeviceJSON struct {
	Device      *report.DeviceValue `json:"device"`
	Status      string              `json:"status"` // ok or error
	Message     *string             `json:"message"`
	Predicted   *PredictedJSON      `json:"predicted"`
	OtherPolicy *OtherPolicyJSON    `json:"other_policy"`
	Driver      *DriverJSON         `json:"driver"`
	Steps       []StepJSON          `json:"steps"`
	Notes       []report.NoteValue  `json:"notes"`
}

// PredictedJSON is a prediction with all its figures; the first are those of `validate`.
type PredictedJSON struct {
	Policy              string   `json:"policy"`
	ThreadsPerWorkGroup int64    `json:"threads_per_work_group"`
	WorkGroups          *int64   `json:"work_groups"`
	WorkGroupsPerXeCore int64    `json:"work_groups_per_xe_core"`
	Limits              []string `json:"limits"`
	XeCorePercent       *float64 `json:"xe_core_percent"`
	PeakPercent         *float64 `json:"peak_percent"`
	AveragePercent      *float64 `json:"average_percent"`
	Waves               *float64 `json:"waves"`
	TailPercent         *float64 `json:"tail_percent"`
	WorkGroupSize       int64    `json:"work_group_size"`
	ByThreads           *int64   `json:"by_threads" jsonschema:"work-groups per Xe-core that thread slots admit"`
	BySLM               *int64   `json:"by_slm" jsonschema:"work-groups per Xe-core that SLM admits; null without a limit"`
	BySlots             *int64   `json:"by_slots" jsonschema:"work-groups per Xe-core that work-group slots admit"`
	ByBarriers          *int64   `json:"by_barriers" jsonschema:"work-groups per Xe-core that barriers admit; null without a limit"`
	SLMBytesAllocated   int64    `json:"slm_bytes_allocated"`
	XeCoreLimits        []string `json:"xe_core_limits"`
	XeCoreOfModePercent *float64 `json:"xe_core_of_grf_mode_percent" jsonschema:"of the slots that the GRF mode leaves"`
	IdleLanes           int64    `json:"idle_lanes_per_work_group"`
	Partial             bool     `json:"partial_work_groups"`
}

// OtherPolicyJSON is what the policy that was not taken would give.
type OtherPolicyJSON struct {
	Policy         string   `json:"policy"`
	PeakPercent    *float64 `json:"peak_percent"`
	AveragePercent *float64 `json:"average_percent"`
}

// DriverJSON is the driver's formula; counts are work-groups on the whole GPU.
type DriverJSON struct {
	WorkGroups int64    `json:"work_groups"`
	ByThreads  *int64   `json:"by_threads"`
	BySLM      *int64   `json:"by_slm"`
	ByBarriers *int64   `json:"by_barriers"`
	Model      int64    `json:"model_work_groups"`
	Differs    bool     `json:"differs"`
	Reasons    []string `json:"reasons"`
}

// StepJSON is one line of the reasoning, worded for people.
type StepJSON struct {
	Step        string `json:"step"`
	Calculation string `json:"calculation"`
	Value       string `json:"value"`
	Binds       bool   `json:"binds"`
}

// PredictValue gives the value of the JSON contract.
func PredictValue(cases []LaunchCase) PredictJSON {
	v := PredictJSON{Schema: PredictSchema, Predictions: []PredictOnDeviceJSON{}}
	for i := range cases {
		c := &cases[i]
		v.Launch = launchValue(&c.Launch)
		j := PredictOnDeviceJSON{Device: deviceValue(c.Device, c.ChosenBy), Status: "ok", Message: report.Filled(errorText(c.Refusal)),
			Predicted: PredictedValue(c.Prediction), Steps: []StepJSON{}, Notes: report.NoteValues(c.Notes)}
		if c.Prediction == nil {
			j.Status = "error"
		}
		if o := c.Other; o != nil {
			j.OtherPolicy = &OtherPolicyJSON{o.Policy.String(), report.PercentOrNull(unit.Some(o.Peak)), report.PercentOrNull(unit.Some(o.Average))}
		}
		if r := c.Driver; r != nil {
			j.Driver = &DriverJSON{r.Groups, limited(r.ByThreads), limited(r.BySLM), limited(r.ByBarriers), r.Model, r.Differs, r.Reasons}
		}
		for _, s := range c.Steps {
			j.Steps = append(j.Steps, StepJSON{s.Label, s.Formula, s.Value, s.Binds})
		}
		v.Predictions = append(v.Predictions, j)
	}
	return v
}

// PredictedValue gives a prediction for JSON, nil without one.
func PredictedValue(p *predict.Prediction) *PredictedJSON {
	if p == nil {
		return nil
	}
	v := report.NewPredictionValue(p)
	return &PredictedJSON{Policy: v.Policy, ThreadsPerWorkGroup: v.ThreadsPerWorkGroup, WorkGroups: v.WorkGroups, WorkGroupsPerXeCore: v.WorkGroupsPerXeCore,
		Limits: v.Limits, XeCorePercent: v.XeCorePercent, PeakPercent: v.PeakPercent, AveragePercent: v.AveragePercent, Waves: v.Waves, TailPercent: v.TailPercent,
		WorkGroupSize: p.GroupSize, ByThreads: limited(p.ByThreads), BySLM: limited(p.BySLM),
		BySlots: limited(p.BySlots), ByBarriers: limited(p.ByBarriers), SLMBytesAllocated: int64(p.SLMAllocated), XeCoreLimits: p.XeCoreLimits.Names(),
		XeCoreOfModePercent: report.PercentOrNull(unit.Some(p.XeCoreOfMode)), IdleLanes: p.IdleLanes, Partial: p.Partial}
}

func launchValue(l *predict.Launch) LaunchJSON {
	return LaunchJSON{Global: l.Global.List(), Local: l.Local.List(), SIMD: report.Positive(l.SIMD), SLMBytes: int64(l.SLM), Barriers: l.Barriers,
		Registers: report.Positive(l.GRF), Policy: l.Policy.String(), BarrierSlots: report.Positive(l.BarrierSlots), WorkGroupSlots: report.Positive(l.GroupSlots)}
}

func deviceValue(d *arch.Device, chosenBy string) *report.DeviceValue {
	if d == nil {
		return nil
	}
	return &report.DeviceValue{Key: d.Key, Name: d.Name, Architecture: d.Architecture, XeCores: d.XeCores, XVEPerXeCore: d.XVEPerXeCore, ThreadsPerXVE: d.ThreadsPerXVE, ThreadSlots: d.Slots(), ChosenBy: report.Filled(chosenBy)}
}

// limited is the work-groups that a resource admits, nil where it sets no limit.
func limited(n int64) *int64 {
	if n == predict.Unlimited {
		return nil
	}
	return &n
}
