package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// AccountValue says where the thread slots of the GPU were while a kernel ran, and how sure that is: what JSON and CSV have of
// it, and the columns of tables. The parts are in points of all thread slots.
type AccountValue struct {
	Used        unit.Points `json:"used" csv:"used_points" col:"Used [%]; drop=12" jsonschema:"held a thread; the parts add up to 100"`
	Underfilled points      `json:"underfilled" csv:"underfilled_points" col:"Underfilled XVEs; drop=11" jsonschema:"of XVEs that ran"`
	Empty       points      `json:"empty" csv:"empty_points" col:"Empty XVEs; drop=11" jsonschema:"beyond those that the launch itself leaves empty"`
	Shortfall   points      `json:"shortfall" csv:"shortfall_points" col:"Shortfall; drop=11" jsonschema:"underfilled and empty, where nothing tells them apart"`
	Tail        points      `json:"tail" csv:"tail_points" col:"Last wave; drop=10" jsonschema:"predicted: the partial wave at the end"`
	Limits      unit.Points `json:"limits" csv:"limits_points" col:"Limits; drop=10" jsonschema:"predicted: what keeps the launch from more"`

	Policy        text              `json:"policy" csv:"account_policy" col:"Policy; in=sheet" jsonschema:"that the parts are taken from"`
	PredictedIdle percent           `json:"predicted_idle_percent" col:"Predicted idle; in=sheet" jsonschema:"of the XVEs, which the launch leaves empty"`
	Intervals     unit.Opt[float64] `json:"launch_intervals" col:"Sampling intervals per launch; decimals=2; in=sheet" jsonschema:"mean time of a launch"`
	OwnShare      unit.Opt[float64] `json:"own_share" col:"Share of busy time; decimals=3; in=sheet" jsonschema:"0..1 of the time in which the GPU ran any task"`
	Edges         unit.Opt[float64] `json:"edges" col:"Edges; decimals=3; in=sheet" jsonschema:"0..1 of the values' time can lie outside the launches"`
	Foreign       unit.Opt[float64] `json:"foreign" col:"Foreign; decimals=3; in=sheet" jsonschema:"0..1 of the values can be of other tasks"`
	Crosstalk     unit.Opt[float64] `json:"crosstalk" col:"Crosstalk; decimals=3; in=sheet" jsonschema:"of the run: 0..1 of all instructions stand in rows of no kernel"`
	Room          string            `json:"room" col:"Room; in=sheet" jsonschema:"whether more occupancy may hide more latency"`
	Lost          seconds           `json:"lost_seconds" col:"Lost [s]; in=sheet" jsonschema:"slot time below the prediction"`

	Causes []AccountCauseValue `json:"causes" jsonschema:"of a row that does not match, by part, the most probable first"`
}

// AccountCauseValue is a cause of a part of the account.
type AccountCauseValue struct {
	Part       string `json:"part"`
	Name       string `json:"name"`
	Confidence string `json:"confidence"`
	Because    string `json:"because"`
	Decide     text   `json:"decide" jsonschema:"what would settle it"`
}

// set takes over an account.
func (v *AccountValue) set(a *compare.Account) {
	c := &a.Certainty
	*v = AccountValue{Used: a.Used, Underfilled: a.Underfilled, Empty: a.Empty, Shortfall: a.Shortfall, Tail: a.Tail, Limits: a.Limits,
		PredictedIdle: a.PredictedIdle, Intervals: c.Intervals, OwnShare: share(c.OwnShare), Edges: share(c.Edges), Foreign: share(c.Foreign),
		Crosstalk: share(c.Crosstalk), Room: string(a.Room), Lost: a.Lost, Causes: v.Causes[:0]}
	if a.Policy != predict.Auto {
		v.Policy = unit.Some(a.Policy.String())
	}
	for _, x := range a.Causes {
		v.Causes = append(v.Causes, AccountCauseValue{string(x.Part), x.Name, x.Confidence, x.Because, filled(x.Decide)})
	}
	if v.Causes == nil {
		v.Causes = []AccountCauseValue{} // never null
	}
}

// share is a part of one, where percent would be read as a percentage.
func share(r percent) unit.Opt[float64] {
	if v, ok := r.Value(); ok {
		return unit.Some(float64(v))
	}
	return unit.Opt[float64]{}
}
