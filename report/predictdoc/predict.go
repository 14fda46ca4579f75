package predictdoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// Question is a launch and the devices that it is asked about.
type Question struct {
	Launch    predict.Launch
	Registers int // per thread, that the kernel needs: picks the GRF mode of each device; 0 leaves that of the launch
	On        []arch.Choice
	Driver    bool // add the driver's formula as a second opinion
}

// prediction is the JSON output of `predict`: a launch, and a prediction for each device. Absent values are null,
// percentages are 0..100 of all thread slots at full precision, a resource without a limit is null.
type prediction struct {
	Schema      string     `json:"schema"`
	Launch      launch     `json:"launch"`
	Predictions []onDevice `json:"predictions"`
}

// onDevice is what the model says of the launch on one device, and a row of the table of devices.
// One value serves JSON, CSV, the table of devices and the document: what a launch gives is computed once for all.
type onDevice struct {
	Device      *report.DeviceValue  `json:"device" csv:",inline"`
	Local       *unit.Size3          `json:"local,omitempty" jsonschema:"where the compiler chooses the work-group size: the best and the worst"`
	Status      string               `json:"status"`
	Message     *string              `json:"message"`
	Predicted   *predicted           `json:"predicted" csv:",inline"`
	OtherPolicy *otherPolicy         `json:"other_policy"`
	Driver      *predict.DriverLimit `json:"driver" csv:",inline"`
	Steps       []step               `json:"steps"`
	Notes       *report.Table        `json:"notes"`

	Launch launch      `json:"-" csv:",inline"`
	Reason report.Cell `json:"-" csv:"reason" col:"Remark; in=terminal"`
	Remark report.Cell `json:"-" csv:"message" col:"Remark; in=page+sheet"`

	target  *arch.Choice
	launch  predict.Launch
	model   *predict.Prediction // nil when the launch cannot run
	other   *predict.Prediction // under the policy that was not taken; nil where that gives the same
	refusal error
}

// otherPolicy is what the policy that was not taken would give.
type otherPolicy struct {
	Policy         string               `json:"policy"`
	PeakPercent    unit.Opt[unit.Ratio] `json:"peak_percent"`
	AveragePercent unit.Opt[unit.Ratio] `json:"average_percent"`
}

// Predict answers what occupancy a launch reaches: with every step of the reasoning on one device, side by side on
// several. The error says why it runs on none of them.
func Predict(q *Question) (*report.Answer, error) {
	if q.Launch.Global.Present() && !q.Launch.Local.Present() {
		return q.anyLocal()
	}
	list := make([]onDevice, len(q.On))
	ran := 0
	for i := range q.On {
		if list[i] = q.on(&q.On[i], q.Launch); list[i].model != nil {
			ran++
		}
	}
	switch {
	// A launch that runs on some devices is an answer; one that runs on none is a mistake in the launch, and so an
	// error.
	case ran == 0 && len(list) == 1:
		return nil, list[0].refusal
	case ran == 0 && len(list) > 0:
		return nil, fmt.Errorf("the launch runs on none of the %d devices; on %s: %w", len(list), list[0].Device.Key,
			list[0].refusal)
	}
	v := prediction{Schema: predictSchema, Launch: newLaunch(&q.Launch), Predictions: list}
	several := sideBySide(q, list)
	ans := several.answer(v)
	if len(list) == 1 {
		v.Launch = list[0].Launch // with its GRF mode
		ans.Doc, ans.Value = single(&list[0]), v
	}
	return ans, nil
}

// anyLocal answers for a launch that leaves the work-group size to the compiler: the best and the worst size on each
// device.
func (q *Question) anyLocal() (*report.Answer, error) {
	var list []onDevice
	var closing []string
	for i := range q.On {
		t := &q.On[i]
		best, worst, tried, err := predict.LocalRange(t.Device, q.Launch)
		if err != nil {
			return nil, err
		}
		ends, words := []predict.Setting{best, worst}, []string{"best size", "worst size"}
		if best.Prediction.Average == worst.Prediction.Average {
			ends, words = ends[:1], []string{"any size"}
		}
		for k, s := range ends {
			c := q.on(t, s.Launch)
			c.Local = &s.Launch.Local
			c.Reason, c.Remark = report.TextCell(words[k]), report.TextCell(words[k])
			list = append(list, c)
		}
		closing = append(closing, fmt.Sprintf("On %s average %s to %s, over %s that divide the global size and leave no "+
			"lane idle.", t.Device.Key, percent(worst.Prediction.Average), percent(best.Prediction.Average),
			unit.Counted(tried, "work-group size", "work-group sizes")))
	}
	v := prediction{Schema: predictSchema, Launch: newLaunch(&q.Launch), Predictions: list}
	pg := sideBySide(q, list)
	keys := outcome(false, false)
	keys[slices.Index(keys, "local")] = "local: Work-group"
	pg.heading, pg.table = "Prediction by work-group size", rowsOf("predictions", list, keys...)
	pg.headline = []string{launchLine(&q.Launch) + "; the compiler chooses the work-group size, --local gives it"}
	pg.closing = strings.Join(closing, " ")
	return pg.answer(v), nil
}

// on predicts the launch on a device, with what there is to say beside it.
func (q *Question) on(t *arch.Choice, l predict.Launch) onDevice {
	c := onDevice{target: t, launch: l, Device: deviceValue(t), Status: "error",
		Notes: report.Notes(t.Notes)}
	if q.Registers > 0 {
		c.launch, c.refusal = l.ForRegisters(t.Device, q.Registers)
	}
	c.Launch = newLaunch(&c.launch)
	var p predict.Prediction
	if c.refusal == nil {
		p, c.refusal = predict.Predict(t.Device, c.launch)
	}
	if c.refusal != nil {
		c.Message = report.Filled(errorText(c.refusal))
		c.Reason, c.Remark = report.StatusCell(refusalWord(c.refusal), report.Bad),
			report.StatusCell(errorText(c.refusal), report.Bad)
		return c
	}
	// Auto takes the policy by SLM and barriers, and who gave neither may not know of them: so both are shown.
	c.model, c.other, c.Status, c.Predicted = &p, predict.OtherPolicy(t.Device, c.launch, &p), "ok", newPredicted(&p)
	if o := newPredicted(c.other); o != nil {
		c.OtherPolicy = &otherPolicy{o.Policy, o.PeakPercent, o.AveragePercent}
	}
	if p.Partial {
		c.Reason, c.Remark = report.TextCell("partial work-groups"), report.TextCell(partialText(&c.launch, &p))
	}
	// The steps are asked of the model and not made from its figures: who checks one by hand goes the model's own way.
	steps, _ := predict.Explain(t.Device, c.launch) // it runs
	for _, s := range steps {
		// The driver's formula has a section of its own, when it is asked for.
		if s.Label != predict.StepDriver {
			c.Steps = append(c.Steps, newStep(s.Label, s.Formula, s.Value, s.Binds))
		}
	}
	if q.Driver {
		if r, err := predict.DriverMaxGroups(t.Device, c.launch); err == nil {
			c.Driver = &r
		}
	}
	return c
}

// single is the document of one launch on one device, with every step of the reasoning.
// The other policy is a step of it, for people ask why the profiler's peak is another one.
func single(c *onDevice) *report.Document {
	steps := c.Steps
	if o := c.other; o != nil {
		// The steps are those of JSON as well, which has the other policy in a member: hence a copy.
		steps = append(steps[:len(steps):len(steps)], newStep("GPU under policy "+o.Policy.String(),
			"the policy that was not taken",
			fmt.Sprintf("peak %s, average %s", percent(o.Peak), percent(o.Average)), false))
	}
	p := c.model
	closing := report.UpperFirst(reached(p)) + "."
	// Large GRF halves the threads of an XVE: then 50 % is full, and the figure alone would look like a loss.
	if p.XeCoreOfMode != p.XeCore {
		closing += fmt.Sprintf(" VTune divides by all thread slots; of those that the GRF mode leaves, an Xe-core "+
			"fills %s.", percent(p.XeCoreOfMode))
	}
	if p.IdleLanes > 0 {
		closing += " " + lostLanes(unit.Ratio(p.IdleLanes)/unit.Ratio(p.GroupSize+p.IdleLanes), p.GroupSize,
			c.launch.SIMD)
	}
	closing += partialSentence(&c.launch, p)
	pg := page{title: "Predicted occupancy", key: "prediction", heading: "Prediction",
		headline: []string{deviceLine(c.target), launchLine(&c.launch)},
		closing:  closing, table: rowsOf("steps", steps)}
	for _, n := range c.target.Notes {
		pg.items = append(pg.items, report.Item{Lead: n.Severity.String(), Text: noteText(n)})
	}
	d := pg.document()
	if c.Driver != nil {
		d.Sections = append(d.Sections, driverSection(c))
	}
	return d
}

// driverRow is a resource in the second opinion.
type driverRow struct {
	Resource string `csv:"resource" col:"Work-groups on the GPU"`
	Driver   string `csv:"driver" col:"Driver's formula"`
	Model    string `csv:"model" col:"Model"`
}

// driverSection holds the driver's formula against the model, resource by resource.
func driverSection(c *onDevice) report.Section {
	r, p := c.Driver, c.model
	groups := func(n, times int64) string {
		if n == predict.Unlimited {
			return "no limit"
		}
		return report.Thousands(n * times)
	}
	// The driver counts for the whole GPU, the model for an Xe-core.
	cores := int64(c.target.Device.XeCores)
	rows := []driverRow{
		{"by threads", groups(r.ByThreads.Or(predict.Unlimited), 1), groups(p.ByThreads, cores)},
		{"by SLM", groups(r.BySLM.Or(predict.Unlimited), 1), groups(p.BySLM, cores)},
		{"by barriers", groups(r.ByBarriers.Or(predict.Unlimited), 1), groups(p.ByBarriers, cores)},
		{"by work-group slots", "no limit", groups(p.BySlots, cores)},
		{"resident at once", report.Thousands(r.Groups), report.Thousands(r.Model)},
	}
	s := report.Section{Key: "driver", Title: "Second opinion: the driver's formula",
		ItemsIn: report.Terminal | report.Page,
		Text:    []string{"What the compute driver admits for a cooperative kernel, on the whole GPU."},
		Tables:  []*report.Table{rowsOf("driver", rows)}}
	if !r.Differs {
		s.Items = []report.Item{{Lead: "driver", Text: "The driver's formula and the model agree."}}
	}
	for _, reason := range r.Reasons {
		s.Items = append(s.Items, report.Item{Lead: "driver", Text: reason})
	}
	return s
}

// sideBySide holds one launch on several devices side by side.
// A device that cannot run the launch keeps its row with the reason: it would be missed.
func sideBySide(q *Question, list []onDevice) page {
	pg := page{title: "Predicted occupancy", key: "prediction", heading: "Prediction by device",
		headline: []string{launchLine(&list[0].launch) + "; on " + unit.Counted(len(list), "device", "devices")},
		closing:  bestDevice(list), table: rowsOf("predictions", list, outcome(false, q.Driver)...),
		items: refusals(list)}
	for i := range list {
		for _, n := range list[i].target.Notes {
			pg.items = append(pg.items, report.Item{Lead: list[i].Device.Key, Text: noteText(n)})
		}
	}
	return pg
}

// refusalWord says in a word or three why a launch cannot run, for a table.
func refusalWord(err error) string {
	if refused, ok := errors.AsType[*predict.LaunchError](err); ok {
		return strings.ReplaceAll(refused.Code, "-", " ")
	}
	return "cannot run"
}

// refusals explains each kind of refusal once, by the first device that has it.
func refusals(list []onDevice) []report.Item {
	var items []report.Item
	count := map[string]int{}
	for i := range list {
		if err := list[i].refusal; err != nil {
			word := refusalWord(err)
			if count[word]++; count[word] == 1 {
				items = append(items, report.Item{Lead: word, Text: errorText(err), Status: report.Bad})
			}
		}
	}
	for i := range items {
		if n := count[items[i].Lead] - 1; n > 0 {
			items[i].Text += "; alike on " + unit.Counted(n, "more device", "more devices")
		}
	}
	return items
}

// bestDevice says which device does best, and how many cannot run the launch.
// Devices are compared by the share of their own slots, which is no speed: the sentence says occupancy and nothing
// more.
func bestDevice(list []onDevice) string {
	text, key, what := "", "", ""
	most, ties, refused := unit.Ratio(-1), 0, 0
	for i := range list {
		c := &list[i]
		if c.model == nil {
			refused++
			continue
		}
		f, of := figure(c.model)
		if f > most {
			most, key, what, ties = f, c.Device.Key, of, 0
		} else if f == most {
			ties++
		}
	}
	if key != "" {
		text = fmt.Sprintf("Highest %s: %s on %s", what, percent(most), key)
		if ties > 0 {
			text += fmt.Sprintf(" and %d more", ties)
		}
		text += "."
	}
	if refused > 0 {
		text += fmt.Sprintf(" It cannot run on %d of %d devices.", refused, len(list))
	}
	return strings.TrimSpace(text)
}
