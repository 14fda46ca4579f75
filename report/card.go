package report

import (
	"encoding/json"

	"occudiff/ingest/unit"
)

// CardSchema names the version of the JSON contract of a card.
const CardSchema = "occudiff/card/1"

// The bounds of a card: what an agent reads at a glance, and a comment of CI takes.
const (
	cardFindings = 20
	cardBytes    = 8 << 10
	cardName     = 80
)

// Card is what an agent or a comment needs of a run: what was found, kernel by kernel, and what may be concluded. It
// fails closed: of input that carries no conclusion it has the reason, and no findings.
type Card struct {
	Schema    string           `json:"schema"`
	Usable    bool             `json:"usable" jsonschema:"false: conclude nothing from this input"`
	Reason    unit.Opt[string] `json:"reason" jsonschema:"why it is not usable"`
	Device    unit.Opt[string] `json:"device" jsonschema:"key of what predictions were made for"`
	Findings  []Finding        `json:"findings" jsonschema:"the first 20 at most, what needs attention first"`
	Judged    int              `json:"judged"`
	NotJudged int              `json:"not_judged"`
}

// Finding is what a card says of a kernel.
type Finding struct {
	Run        string                 `json:"run,omitempty" jsonschema:"of several runs, the one that stands out; of several sides, the one that it is of"`
	Kernel     string                 `json:"kernel" jsonschema:"cut in the middle where it is long; empty where it is the whole run"`
	Verdict    string                 `json:"verdict"`
	Predicted  unit.Opt[unit.Ratio]   `json:"predicted_percent" jsonschema:"average; of the new side in a comparison"`
	Measured   unit.Opt[unit.Ratio]   `json:"measured_percent"`
	Lost       unit.Opt[unit.Seconds] `json:"lost_seconds" jsonschema:"slot time below the prediction"`
	Cause      unit.Opt[string]       `json:"cause"`
	Confidence unit.Opt[string]       `json:"confidence"`
	Worth      string                 `json:"worth"`
	Bound      unit.Opt[float64]      `json:"bound" jsonschema:"times as fast at most by hiding latency"`
	Points     unit.Opt[unit.Points]  `json:"points" jsonschema:"of several runs, how far off the others it is; of a comparison, new - old"`
	Next       unit.Opt[string]       `json:"next_command"`
}

// Unusable is the card of input that carries no conclusion.
func Unusable(reason string, judged, notJudged int) *Card {
	return &Card{Schema: CardSchema, Reason: unit.Some(CutMiddle(OneLine(reason), 1000)), Findings: []Finding{},
		Judged: judged, NotJudged: notJudged}
}

// Add puts a finding behind the others; false when the card is full.
func (c *Card) Add(f Finding) bool {
	f.Kernel = CutMiddle(KernelName(f.Kernel), cardName)
	c.Findings = append(c.Findings, f)
	text, err := json.MarshalIndent(c, "", "  ")
	if err == nil && len(text) < cardBytes && len(c.Findings) <= cardFindings {
		return true
	}
	c.Findings = c.Findings[:len(c.Findings)-1]
	return false
}
