package predictdoc

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// adviceList is the JSON output of `advise`: one launch, or the kernels of a run.
// Kernels are a stream: the advice on a run of a million kernels is searched for while it is written.
type adviceList struct {
	Schema  string                `json:"schema"`
	Device  *report.DeviceValue   `json:"device"`
	Kernels report.Stream[advice] `json:"kernels"`
	Notes   *report.Table         `json:"notes"`
}

// advice is what would raise the occupancy of one launch. For a kernel of a run it also says what was seen there.
// The unexported fields are what the texts are made of; the exported ones are the JSON contract, whose names stay.
type advice struct {
	Task            *string              `json:"task" jsonschema:"of a run; null for a launch from the command line"`
	File            *string              `json:"file"`
	Line            *int                 `json:"line"`
	MeasuredPercent unit.Opt[unit.Ratio] `json:"measured_percent"`
	Verdict         *string              `json:"verdict"`
	Cause           *report.CauseValue   `json:"cause"`
	Part            *string              `json:"part" jsonschema:"of the account, to which most of the unused slots went; advice follows it"`
	Do              *string              `json:"do" jsonschema:"for that part, where it is no matter of launch settings"`
	Launch          launch               `json:"launch"`
	Current         *predicted           `json:"current" jsonschema:"null when the launch cannot run; message says why"`
	Message         *string              `json:"message"`
	Best            []setting            `json:"best"`
	Least           *setting             `json:"least_change"`
	Next            []predict.NextStep   `json:"next_steps"`
	FillLeast       *int64               `json:"work_groups_that_fill"`
	FillMultiple    *int64               `json:"work_groups_without_tail" jsonschema:"multiples of it leave no tail"`
	SLMRoomBytes    *int64               `json:"slm_room_bytes"`
	Rules           []predict.Rule       `json:"rules"`

	// What the texts are made of.
	launch predict.Launch
	found  predict.Advice
	row    *compare.Row // of a run, nil for a launch from the command line
}

// setting is a launch that is proposed, and a row of the table of settings, which also shows the launch as it is.
type setting struct {
	Launch    launch           `json:"launch" csv:",inline"`
	Changes   []predict.Change `json:"changes"`
	Predicted *predicted       `json:"predicted" csv:",inline"`

	Task  string `json:"-" csv:"task" col:"Kernel; cut"`
	What  string `json:"-" csv:"what" col:"Setting"`
	Words string `json:"-" csv:"changes" col:"Change; fold"`
}

// newAdvice keeps the numbers of a search that found nothing as null: 0 work-groups that fill would be an answer.
func newAdvice(l predict.Launch, a predict.Advice, r *compare.Row) advice {
	v := advice{Launch: newLaunch(&l), Current: newPredicted(a.Current), Message: report.Filled(errorText(a.Refusal)),
		Best: report.ListOf(a.Best, newSetting), Next: a.Next, Rules: a.Rules,
		launch: l, found: a, row: r, FillLeast: report.Positive(a.Fill.Least),
		FillMultiple: report.Positive(a.Fill.Multiple), SLMRoomBytes: report.Positive(int64(a.SLMRoom))}
	if r != nil {
		v.Task, v.File, v.Line = &r.Task, report.Filled(r.Pos.File), report.Positive(r.Pos.Line)
		v.MeasuredPercent, v.Verdict, v.Cause = r.Measured, report.Filled(string(r.Verdict)),
			report.NewCauseValue(r.Cause)
	}
	if a.Least != nil {
		s := newSetting(*a.Least)
		v.Least = &s
	}
	return v
}

func newSetting(s predict.Setting) setting {
	return setting{Launch: newLaunch(&s.Launch), Changes: s.Changes, Predicted: newPredicted(&s.Prediction),
		Words: strings.Join(report.ListOf(s.Changes, func(c predict.Change) string { return c.Text }), ", ")}
}

// Advise answers what would raise the occupancy of a launch.
func Advise(t *arch.Choice, l predict.Launch, may predict.Vary) (*report.Answer, error) {
	found, err := predict.Advise(t.Device, l, may)
	if err != nil {
		return nil, err
	}
	c := newAdvice(l, found, nil)
	pg := page{title: "Advice", key: "advice", heading: "Settings of the highest occupancy", closing: c.best(),
		items: c.items(),
		table: rowsOf("best", c.settings(false), settingKeys(false)...), headline: []string{deviceLine(t)}}
	if line := launchLine(&l); line != "" {
		pg.headline = append(pg.headline, line)
	}
	pg.headline = append(pg.headline, c.now())
	// A stream, since a run has the same contract and may have a million kernels.
	one := report.Stream[advice]{Seq: func(yield func(*advice) bool) { yield(&c) }}
	return pg.answer(adviceList{adviseSchema, deviceValue(t), one, report.Notes(t.Notes)}), nil
}

//go:embed settings.txt
var settingColumns string

// settingKeys are the columns of the table that shows each launch as it is and what is proposed. A run has many kernels
// and shows the first proposal of each.
func settingKeys(run bool) []string {
	return report.ColumnKeys(settingColumns, map[string]bool{"run": run})
}

func (c *advice) settings(run bool) []setting {
	var list []setting
	if c.Current != nil {
		list = append(list, setting{What: "now", Launch: c.Launch, Predicted: c.Current})
	}
	// A list of kernels has room for one proposal of each.
	best := c.Best
	if run && len(best) > 1 {
		best = best[:1]
	}
	// With few settings free the least change is often the best one, and stands once.
	if l := c.Least; l != nil && (len(best) == 0 || l.Words != best[0].Words) {
		list = append(list, *l)
		list[len(list)-1].What = "least change"
	}
	for _, b := range best {
		if len(b.Changes) == 0 && c.Current != nil { // the launch as it is
			list[0].What = "now, best"
			continue
		}
		b.What = "best"
		list = append(list, b)
	}
	for i := range list {
		if c.Task != nil {
			list[i].Task = *c.Task
		}
	}
	return list
}

// now says where the launch stands.
func (c *advice) now() string {
	// Without a prediction there are two cases: what was left open is searched, or what was given is refused.
	p := c.found.Current
	switch {
	case p == nil && !c.launch.Local.Present():
		return "The work-group size is searched."
	case p == nil && c.launch.SIMD == 0:
		return "The sub-group size is searched."
	// The reason names both figures and what would fit, see predict.LaunchError.
	case p == nil:
		return "Now: cannot run, " + errorText(c.found.Refusal)
	}
	return "Now: " + reached(p)
}

// best sums the advice up.
func (c *advice) best() string {
	// That is no fault: with --fix everything may be held that keeps the launch from running.
	if len(c.found.Best) == 0 {
		return "No setting that may change makes the launch run."
	}
	best := &c.found.Best[0]
	if len(best.Changes) == 0 && c.found.Current != nil {
		return "No setting that may change does better than the launch as it is."
	}
	return "Best: " + best.Words() + "."
}

// least words the least change and what it gains.
func (c *advice) least() string {
	return c.Least.Words + ": " + gain(c.found.Current, &c.found.Least.Prediction)
}

// items are what else there is to say: the least change, the next steps, how many work-groups fill, the rules.
func (c *advice) items() []report.Item {
	var items []report.Item
	add := func(lead, text string) { items = append(items, report.Item{Lead: lead, Text: text}) }
	a := &c.found
	if a.Least != nil {
		add("least change", c.least())
	}
	for _, n := range a.Next {
		add("next step", stepText(n))
	}
	// A grid of fewer work-groups leaves XVEs empty whatever their size is, so this is said even where settings change
	// nothing.
	if a.Fill.Least > 0 {
		text := unit.Counted(a.Fill.Least, "work-group", "work-groups") + " fill the GPU"
		if a.Fill.Multiple > 0 {
			text += fmt.Sprintf("; multiples of %s leave no tail", report.Thousands(a.Fill.Multiple))
		}
		add("grid", text)
	}
	if c.launch.SLM > 0 && a.SLMRoom > c.launch.SLM {
		add("SLM", fmt.Sprintf("up to %s per work-group leave the number of work-groups per Xe-core as it is",
			unit.Memory(a.SLMRoom)))
	}
	for _, r := range a.Rules {
		add("rule", fmt.Sprintf("%s: %s %s", r.Why, r.Text, r.Limit))
	}
	return items
}

// stepText is the text of a next step, and what it would cost beside.
func stepText(n predict.NextStep) string {
	if n.Prediction.Partial {
		return n.Text + fmt.Sprintf(" (a what-if: %s work-items do not divide the global size)",
			report.Thousands(n.Prediction.GroupSize))
	}
	return n.Text
}

// gain words what a setting reaches against what there is.
func gain(now, then *predict.Prediction) string {
	switch {
	// A launch that cannot run has no figures to begin from.
	case now == nil && then.HasGrid():
		return fmt.Sprintf("it runs, with peak %s, average %s", percent(then.Peak), percent(then.Average))
	case now == nil:
		return "it runs, with Xe-core occupancy " + percent(then.XeCore)
	case then.HasGrid():
		return fmt.Sprintf("peak %s -> %s, average %s -> %s", report.Decimal(now.Peak.Percent(), 1), percent(then.Peak),
			report.Decimal(now.Average.Percent(), 1), percent(then.Average))
	}
	return fmt.Sprintf("Xe-core occupancy %s -> %s", report.Decimal(now.XeCore.Percent(), 1), percent(then.XeCore))
}

// fullOccupancy is the JSON output of `advise` without a launch.
type fullOccupancy struct {
	Schema string              `json:"schema"`
	Device *report.DeviceValue `json:"device"`
	predict.FullOccupancy
}

// FullOccupancy answers what a work-group has to be for an Xe-core to be full: the table that Intel's guides print for
// Tiger Lake, for any device. groupSlots is how many work-groups an Xe-core holds, 0 for the device's own figure.
func FullOccupancy(t *arch.Choice, groupSlots int) *report.Answer {
	f := predict.FullOccupancyOf(t.Device, groupSlots)
	v := fullOccupancy{adviseSchema, deviceValue(t), f}
	words := report.ListOf(f.Threads, func(n int64) string { return strconv.FormatInt(n, 10) })
	pg := page{title: "Full occupancy", key: "full", heading: "Full occupancy", table: rowsOf("full", v.Least),
		headline: []string{deviceLine(t),
			fmt.Sprintf("Work-groups: at most %d threads, sub-group size %d to %d, threads x sub-group size at most %d",
				f.MaxThreads, f.MinSIMD, f.MaxSIMD, f.MaxGroup)},
		closing: "Smaller work-groups cannot fill the thread slots, because an Xe-core holds no more of them. A " +
			"work-group that stays whole (SLM or barrier) fills them exactly at " +
			strings.Join(words, ", ") + " threads."}
	return pg.answer(v)
}
