package launchdoc

import (
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// AdviseSchema names the version of the JSON contract of `advise`.
const AdviseSchema = "occudiff/advise/1"

// AdviseJSON is the JSON output of `occudiff advise`: one launch, or the kernels of a run.
type AdviseJSON struct {
	Schema  string              `json:"schema"`
	Device  *report.DeviceValue `json:"device"`
	Kernels []AdviceJSON        `json:"kernels"`
	Notes   []report.NoteValue  `json:"notes"`
}

// AdviceJSON is what would raise the occupancy of one launch.
type AdviceJSON struct {
	Task            *string            `json:"task"` // of a run; null for a launch from the command line
	File            *string            `json:"file"`
	Line            *int               `json:"line"`
	MeasuredPercent *float64           `json:"measured_percent"`
	Verdict         *string            `json:"verdict"`
	Cause           *report.CauseValue `json:"cause"`
	Launch          LaunchJSON         `json:"launch"`
	Current         *PredictedJSON     `json:"current" jsonschema:"null when the launch cannot run; message says why"` // null when the launch cannot run
	Message         *string            `json:"message"`                                                                // why it cannot
	Best            []SettingJSON      `json:"best"`
	Least           *SettingJSON       `json:"least_change"`
	Next            []NextStepJSON     `json:"next_steps"`
	FillLeast       *int64             `json:"work_groups_that_fill"`
	FillMultiple    *int64             `json:"work_groups_without_tail" jsonschema:"multiples of it leave no tail"` // multiples of it leave no tail
	SLMRoomBytes    *int64             `json:"slm_room_bytes"`
	Rules           []RuleJSON         `json:"rules"`
}

// SettingJSON is a launch that is proposed.
type SettingJSON struct {
	Launch    LaunchJSON     `json:"launch"`
	Changes   []ChangeJSON   `json:"changes"`
	Predicted *PredictedJSON `json:"predicted"`
}

// ChangeJSON is one setting that differs from the launch that was asked about.
type ChangeJSON struct {
	Setting string `json:"setting"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Text    string `json:"text"`
}

// NextStepJSON is what it takes to move one limit a step.
type NextStepJSON struct {
	Limits        []string   `json:"limits"`
	Change        ChangeJSON `json:"change"`
	Of            string     `json:"of"`
	BeforePercent float64    `json:"before_percent"`
	AfterPercent  float64    `json:"after_percent"`
	Alone         bool       `json:"alone"`
	Text          string     `json:"text"`
}

// RuleJSON is a rule of the guides that bears on the launch.
type RuleJSON struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Limit string `json:"limit"`
	Why   string `json:"why"`
}

// AdviseValue gives the value of the JSON contract.
func AdviseValue(cases []AdviceCase, notes []note.Note) AdviseJSON {
	v := AdviseJSON{Schema: AdviseSchema, Kernels: []AdviceJSON{}, Notes: report.NoteValues(notes)}
	for i := range cases {
		c := &cases[i]
		v.Device = deviceValue(c.Device, c.ChosenBy)
		v.Kernels = append(v.Kernels, adviceValue(c))
	}
	return v
}

func adviceValue(c *AdviceCase) AdviceJSON {
	a := &c.Advice
	j := AdviceJSON{Launch: launchValue(&c.Launch), Current: PredictedValue(a.Current), Message: report.Filled(errorText(a.Refusal)),
		Best: []SettingJSON{}, Next: []NextStepJSON{}, Rules: []RuleJSON{},
		FillLeast: above(a.Fill.Least), FillMultiple: above(a.Fill.Multiple), SLMRoomBytes: above(int64(a.SLMRoom))}
	if r := c.Row; r != nil {
		j.Task, j.File, j.Line = &r.Task, report.Filled(r.Pos.File), report.Positive(r.Pos.Line)
		j.MeasuredPercent, j.Verdict, j.Cause = report.PercentOrNull(r.Measured), report.Filled(string(r.Verdict)), report.NewCauseValue(r.Cause)
	}
	for i := range a.Best {
		j.Best = append(j.Best, settingValue(&a.Best[i]))
	}
	if a.Least != nil {
		s := settingValue(a.Least)
		j.Least = &s
	}
	for _, n := range a.Next {
		j.Next = append(j.Next, NextStepJSON{n.Limit.Names(), changeValue(n.Change), n.Of, n.Before.Percent(), n.After.Percent(), n.Alone, n.Text})
	}
	for _, r := range a.Rules {
		j.Rules = append(j.Rules, RuleJSON{r.Code, r.Text, r.Limit, r.Why})
	}
	return j
}

func settingValue(s *predict.Setting) SettingJSON {
	j := SettingJSON{Launch: launchValue(&s.Launch), Changes: []ChangeJSON{}, Predicted: PredictedValue(&s.Prediction)}
	for _, c := range s.Changes {
		j.Changes = append(j.Changes, changeValue(c))
	}
	return j
}

func changeValue(c predict.Change) ChangeJSON { return ChangeJSON{c.Setting, c.From, c.To, c.String()} }

// above gives nil for a count that nobody knows.
func above(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return report.Pointer(unit.Some(n))
}
