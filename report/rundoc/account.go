package rundoc

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// AccountValue says where the thread slots of the GPU were while a kernel ran, and how sure that is: what JSON and CSV
// have of it, and the columns of tables. The parts are in points of all thread slots.
type AccountValue struct {
	Used        unit.Points `json:"used" csv:"used_points" col:"Measured [%]; drop=12" jsonschema:"held a thread; the parts add up to 100"`
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
	Room          string            `json:"room" csv:"-" jsonschema:"the word of worth.verdict in earlier versions"`
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

// set takes over an account, without its causes.
// The memory of its causes is kept: a run of a million kernels has one value, filled again and again.
func (v *AccountValue) set(a *compare.Account) {
	c := &a.Certainty
	*v = AccountValue{Used: a.Used, Underfilled: a.Underfilled, Empty: a.Empty, Shortfall: a.Shortfall, Tail: a.LastWaveLoss,
		Limits:        a.Limits,
		PredictedIdle: a.PredictedIdle, Intervals: c.Intervals, OwnShare: share(c.OwnShare), Edges: share(c.Edges),
		Foreign:   share(c.Foreign),
		Crosstalk: share(c.Crosstalk), Lost: a.Lost, Causes: v.Causes[:0]}
	if a.Policy != predict.Auto {
		v.Policy = unit.Some(a.Policy.String())
	}
}

// setCauses takes over the causes of an account.
func (v *AccountValue) setCauses(a *compare.Account) {
	for _, x := range a.Causes {
		v.Causes = append(v.Causes, AccountCauseValue{string(x.Part), x.Name, x.Confidence, x.Because,
			unit.NonZero(x.Decide)})
	}
}

// parts are the parts of an account as people read them: to one decimal, in which they still add up, and as a bar.
type parts struct {
	Printed compare.ByPart[unit.Opt[unit.Points]] `csv:"part_used part_underfilled part_empty part_shortfall part_tail part_limits"`
	Slots   string                                `csv:"slots" col:"\u2592 empty \u2591 last \u00b7 limits; group=\u2588 measured \u2593 underfilled; in=terminal; drop=1; role=shades"`
}

// set takes the parts of a row. What was measured is used, also where there is no account.
func (v *parts) set(r *compare.Row, accounted bool, of *compare.Result) {
	*v = parts{}
	if accounted {
		a := of.Parts(r)
		v.Printed, v.Slots = a.Printed(), slotBar(a.Drawn())
	} else if m, ok := r.Measured.Value(); ok && r.Verdict != compare.NotAKernel {
		v.Printed[0] = unit.Some(unit.Points(m.Percent()))
	}
}

// partShades are the letters of the parts.
var partShades = compare.ByPart[string]{"\u2588", "\u2593", "\u2592", "\u2593", "\u2591", "\u00b7"}

// slotBar draws the parts as letters of five shades, a twentieth of all slots each.
func slotBar(drawn compare.ByPart[float64]) string {
	// Each part ends at the rounded sum up to it, so that the bar is never longer or shorter than the whole.
	const width = 20
	var b strings.Builder
	sum, done := 0.0, 0
	for i, part := range drawn {
		sum += part
		to := int(math.Round(sum / 100 * width))
		b.WriteString(strings.Repeat(partShades[i], max(to-done, 0)))
		done = max(done, to)
	}
	return b.String()
}

// share is a part of one, where percent would be read as a percentage.
func share(r percent) unit.Opt[float64] {
	if v, ok := r.Value(); ok {
		return unit.Some(float64(v))
	}
	return unit.Opt[float64]{}
}

// shownParts are the parts that any account of the run has.
// A column that is empty in every row would ask a question that nobody can answer.
func (s *rowSet) shownParts() []compare.Part {
	return slices.DeleteFunc(compare.Parts(), func(p compare.Part) bool {
		switch p {
		case compare.PartShortfall:
			return s.split == s.accounts
		case compare.PartUnderfilled, compare.PartEmpty:
			return s.split == 0
		}
		return false
	})
}

// legend are the parts that a bar of these rows shows.
// A color in the legend that no bar has makes people search for it.
func (s *rowSet) legend(rows []int) []compare.Part {
	var most compare.ByPart[float64]
	for _, i := range rows {
		a := s.result.Parts(s.result.Row(i, nil))
		drawn := a.Drawn()
		for k := range drawn {
			most[k] = max(most[k], drawn[k])
		}
	}
	return slices.DeleteFunc(s.shownParts(), func(p compare.Part) bool {
		return p != compare.PartUsed && most.Of(p) < leastDrawn
	})
}

// leastDrawn is what a part is printed as 0.0 below, in points.
const leastDrawn = 0.05

// accountPlot is the picture of the run: the slots of each kernel, in the order of the table. False where no kernel has
// an account.
func accountPlot(rows *rowSet) (report.Plot, bool) {
	if rows.accounts == 0 {
		return report.Plot{}, false
	}
	first := rows.accounted[:min(len(rows.accounted), report.PlotRows)]
	shown := rows.legend(first)
	// Bars are drawn from parts that are at least 0: a part below 0 is a difference of counters and predictions, which
	// the table has as it is.
	bars := &report.StackedBars{X: "Thread slots of the GPU", Parts: legendOf(shown)}
	for _, i := range first {
		row := rows.result.Row(i, nil)
		a := rows.result.Parts(row)
		drawn := a.Drawn()
		bar := report.StackedRow{Name: report.KernelName(row.Task)}
		if t, ok := row.Total.Value(); ok {
			bar.Detail = unit.Span(t)
		}
		for k, p := range shown {
			bar.Shares = append(bar.Shares, report.Share{Part: k, Value: drawn.Of(p)})
		}
		bars.Rows = append(bars.Rows, bar)
	}
	report.CutNames(len(bars.Rows), func(i int) *string { return &bars.Rows[i].Name })
	short := "those of XVEs that ran underfilled and of XVEs without any thread"
	if rows.split == 0 {
		short = "those that are short of the prediction"
	}
	p := report.Plot{Key: "account", Title: "Where the thread slots went", Unit: "%", Max: 100, StackedBars: bars,
		Text: "A bar per kernel: the slots that held a thread, " + short + ", and what was predicted to stay empty."}
	if rows.accounts > len(bars.Rows) {
		p.Title += ", the first " + report.Thousands(int64(len(bars.Rows))) + " of " +
			report.Thousands(int64(rows.accounts))
	}
	return p, true
}

// legendOf gives a part the hue of its place among all parts, so that it has one color in every report.
func legendOf(shown []compare.Part) []report.Part {
	return report.ListOf(shown, func(p compare.Part) report.Part {
		return report.Part{Name: partName(p), Hue: 1 + slices.Index(compare.Parts(), p)}
	})
}

// sectionAccount is the sheet of the accounts.
const sectionAccount = "account"

// accountRow is a row of that sheet: the parts as they are, how sure that is, and the parts as the chart draws them.
type accountRow struct {
	Task    string      `csv:"task" col:"Kernel; wrap"`
	Shape   string      `csv:"shape" col:"Launch"`
	Total   seconds     `csv:"total" col:"GPU time [s]"`
	Verdict report.Cell `csv:"verdict" col:"Verdict"`
	AccountValue
	parts
	Worth  WorthValue `csv:",inline"`
	Causes string     `csv:"account_causes" col:"Causes; wrap"`
	Decide string     `csv:"account_decide" col:"To decide; wrap"`
	Label  string     `csv:"label" col:"Label in the chart; in=sheet"`

	// Drawn are the parts as a chart draws them: none is negative, and they add up.
	Drawn compare.ByPart[float64] `csv:"drawn_used drawn_underfilled drawn_empty drawn_shortfall drawn_tail drawn_limits"`

	row compare.Row // memory
}

//go:embed account.txt
var accountColumns string

// accountSections are a sheet with a chart of its own rows, none where no kernel has an account.
func accountSections(rows *rowSet) []report.Section {
	if rows.accounts == 0 {
		return nil
	}
	s := report.Section{Key: sectionAccount, Title: "Where the thread slots went", Sheet: "Account", In: report.Sheet}
	// Charts take whole columns: parts that the legend leaves out have no column to draw from.
	has := map[string]bool{"split": rows.split > 0, "shortfall": rows.split < rows.accounts}
	n := min(len(rows.accounted), report.PlotRows)
	shown := rows.legend(rows.accounted[:n])
	for _, p := range compare.Parts() {
		has["drawn_"+string(p)] = slices.Contains(shown, p)
	}
	series := report.ListOf(shown, func(p compare.Part) string { return "drawn_" + string(p) })
	t := report.RowsInto(sectionAccount, len(rows.accounted), rows.fillAccount,
		report.ColumnKeys(accountColumns, has)...)
	t.In = report.Sheet
	for _, key := range []string{"total", "lost_seconds"} {
		t.Columns[t.Column(key)].Decimals = rows.decimals
	}
	s.Text = []string{"In points of all thread slots of the GPU; the parts of each kernel add up to 100. A part " +
		"below zero means that the counters show more than was predicted: the chart leaves it out and takes it off " +
		"the predicted parts. The chart is drawn from the columns on the right."}
	s.Tables = []*report.Table{t}
	s.Plots = []report.Plot{{Key: "account-chart", Title: "Where the thread slots went", Table: sectionAccount,
		Label: "label", Stacked: legendOf(shown), Series: series, Rows: n, Unit: "%", Max: 100}}
	if rest := rows.accounts - len(rows.accounted); rest > 0 {
		s.Text = append(s.Text,
			"The first "+report.Thousands(int64(len(rows.accounted)))+" kernels are listed; JSON and CSV have the "+
				"accounts of all.")
	}
	return []report.Section{s}
}

func (s *rowSet) fillAccount(k int, into *accountRow) {
	i := s.accounted[k]
	r := s.result.Row(i, &into.row)
	a := s.result.Account(r)
	into.Task, into.Shape, into.Total, into.Verdict = r.Task, Shape(&r.Kernel), r.Total,
		report.StatusCell(string(r.Verdict), statusOf(r.Verdict))
	into.AccountValue.set(a)
	into.parts.set(r, true, s.result)
	into.Worth.set(s.result.Worth(r))
	into.Causes, into.Decide, into.Label = "", "", ""
	for _, c := range a.Causes {
		into.Causes += fmt.Sprintf("%s: %s (%s). %s\n", c.Part, c.Name, c.Confidence, c.Because)
		if into.Decide == "" {
			into.Decide = c.Decide
		}
	}
	into.Causes = strings.TrimSpace(into.Causes)
	into.Drawn = a.Drawn()
	if i < len(s.labels) {
		into.Label = s.labels[i]
	}
}
