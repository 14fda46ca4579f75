package predictdoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
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
	Schema      string        `json:"schema"`
	Launch      *report.Table `json:"launch"`
	Predictions *report.Table `json:"predictions"`
}

// onDevice is what the model says of the launch on one device.
type onDevice struct {
	arch.Choice
	launch  predict.Launch
	model   *predict.Prediction // nil when the launch cannot run
	other   *predict.Prediction // under the policy that was not taken; nil where that gives the same
	driver  *predict.DriverLimit
	steps   []predict.Step
	refusal error
	chosen  bool   // the compiler chooses the work-group size, and this is one end of what that gives
	end     string // which
}

// onDeviceColumns are of a launch on a device, in the order of CSV.
var onDeviceColumns = slices.Concat(
	report.Within("", "device", choiceOf, deviceColumns[:2]),
	unpathed(report.Within("", "", launchOf, launchColumns[:6])),
	report.Within("", "device", choiceOf, deviceColumns[2:]),
	[]report.Col[onDevice]{
		report.Define(column{Path: "local", Optional: true, Kind: report.Size, Doc: "where the compiler chooses the work-group size: the best and the worst"},
			func(c *onDevice) cell {
				if !c.chosen {
					return cell{}
				}
				return report.SizeCell(c.launch.Local)
			}),
		report.Define(column{Path: "status", Always: true, Kind: report.Text}, func(c *onDevice) cell { return report.TextCell(statusOf(c.refusal)) }),
		report.Define(column{Path: "message", Kind: report.Text}, func(c *onDevice) cell { return report.TextCell(errorText(c.refusal)) }),
	},
	object("predicted", "", func(c *onDevice) *predict.Prediction { return c.model }, predictionColumns),
	object("other_policy", "what the policy that was not taken would give", func(c *onDevice) *predict.Prediction { return c.other },
		inJSON(slices.DeleteFunc(slices.Clone(predictionColumns), func(c report.Col[predict.Prediction]) bool {
			return !slices.Contains([]string{"policy", "peak_percent", "average_percent"}, c.Path)
		}))),
	object("driver", "", func(c *onDevice) *predict.DriverLimit { return c.driver }, driverColumns),
	[]report.Col[onDevice]{
		rows("steps", "", func(c *onDevice) []predict.Step { return c.steps }, stepColumns),
		rows("notes", "", func(c *onDevice) []note.Note { return c.Notes }, report.NoteColumns()),
		report.Define(column{Key: "reason", Title: "Remark", Kind: report.Text, In: report.Terminal | report.Data}, func(c *onDevice) cell { return c.remark(refusalWord, "partial work-groups") }),
		report.Define(column{Key: "message", Title: "Remark", Kind: report.Text, In: files}, func(c *onDevice) cell { return c.remark(errorText, partialText(&c.launch, c.model)) }),
	})

func choiceOf(c *onDevice) *arch.Choice    { return &c.Choice }
func launchOf(c *onDevice) *predict.Launch { return &c.launch }

// driverColumns are what the driver's formula admits.
var driverColumns = []report.Col[predict.DriverLimit]{
	report.Define(column{Key: "resident_work_groups", Path: "model_work_groups", Always: true, Group: "Resident", Title: "model", Kind: report.Integer, In: all}, func(r *predict.DriverLimit) cell { return report.IntCell(r.Model) }),
	report.Define(column{Key: "driver_work_groups", Path: "work_groups", Always: true, Group: "Resident", Title: "driver's formula", Kind: report.Integer, In: all}, func(r *predict.DriverLimit) cell { return report.IntCell(r.Groups) }),
	report.Define(column{Path: "by_threads", Kind: report.Integer}, func(r *predict.DriverLimit) cell { return report.OptInt(r.ByThreads) }),
	report.Define(column{Path: "by_slm", Kind: report.Integer}, func(r *predict.DriverLimit) cell { return report.OptInt(r.BySLM) }),
	report.Define(column{Path: "by_barriers", Kind: report.Integer}, func(r *predict.DriverLimit) cell { return report.OptInt(r.ByBarriers) }),
	report.Define(column{Path: "differs", Always: true, Kind: report.Bool}, func(r *predict.DriverLimit) cell { return report.BoolCell(r.Differs) }),
	report.Define(column{Path: "reasons", Always: true, Kind: report.Array}, func(r *predict.DriverLimit) cell { return report.ListCell(r.Reasons) }),
}

// remark is what stands beside the figures: why there are none, that work-groups are smaller at the edges, or which end
// of a range they are.
func (c *onDevice) remark(why func(error) string, partial string) cell {
	switch {
	case c.refusal != nil:
		return report.StatusCell(why(c.refusal), report.Bad)
	case c.chosen:
		return report.TextCell(c.end)
	case c.model.Partial:
		return report.TextCell(partial)
	}
	return cell{}
}

func statusOf(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}

func stepTable(steps []predict.Step) *report.Table {
	return report.NewTable("steps", "", steps, stepColumns)
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
	several := sideBySide(q, list)
	v := prediction{Schema: predictSchema, Launch: launchValue(&q.Launch), Predictions: several.table}
	if len(list) > 1 {
		return several.answer(v), nil
	}
	v.Launch = launchValue(&list[0].launch) // with its GRF mode
	return &report.Answer{Doc: single(&list[0]), Value: v, Table: several.table}, nil
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
			c.chosen, c.end = true, words[k]
			list = append(list, c)
		}
		closing = append(closing, fmt.Sprintf("On %s average %s to %s, over %s that divide the global size and leave no "+
			"lane idle.", t.Device.Key, percent(worst.Prediction.Average), percent(best.Prediction.Average),
			unit.Counted(tried, "work-group size", "work-group sizes")))
	}
	pg := sideBySide(q, list)
	pg.heading = "Prediction by work-group size"
	local := &pg.table.Columns[pg.table.Column("local")]
	local.Title, local.In = "Work-group", all
	pg.headline = []string{launchLine(&q.Launch) + "; the compiler chooses the work-group size, --local gives it"}
	pg.closing = strings.Join(closing, " ")
	return pg.answer(prediction{Schema: predictSchema, Launch: launchValue(&q.Launch), Predictions: pg.table}), nil
}

// on predicts the launch on a device, with what there is to say beside it.
func (q *Question) on(t *arch.Choice, l predict.Launch) onDevice {
	c := onDevice{Choice: *t, launch: l}
	if q.Registers > 0 {
		c.launch, c.refusal = l.ForRegisters(t.Device, q.Registers)
	}
	var p predict.Prediction
	if c.refusal == nil {
		p, c.refusal = predict.Predict(t.Device, c.launch)
	}
	if c.refusal != nil {
		return c
	}
	// Auto takes the policy by SLM and barriers, and who gave neither may not know of them: so both are shown.
	c.model, c.other = &p, predict.OtherPolicy(t.Device, c.launch, &p)
	// The steps are asked of the model and not made from its figures: who checks one by hand goes the model's own way.
	// The driver's formula has a section of its own, when it is asked for.
	c.steps, _ = predict.Explain(t.Device, c.launch) // it runs
	c.steps = slices.DeleteFunc(c.steps, func(s predict.Step) bool { return s.Label == predict.StepDriver })
	if q.Driver {
		if r, err := predict.DriverMaxGroups(t.Device, c.launch); err == nil {
			c.driver = &r
		}
	}
	return c
}

// single is the document of one launch on one device, with every step of the reasoning.
// The other policy is a step of it, for people ask why the profiler's peak is another one.
func single(c *onDevice) *report.Document {
	steps := c.steps
	if o := c.other; o != nil {
		// The steps are those of JSON as well, which has the other policy in a member: hence a copy.
		steps = append(steps[:len(steps):len(steps)], predict.Step{Label: "GPU under policy " + o.Policy.String(),
			Formula: "the policy that was not taken",
			Value:   fmt.Sprintf("peak %s, average %s", percent(o.Peak), percent(o.Average))})
	}
	p := c.model
	closing := report.UpperFirst(reached(p)) + "."
	// Large GRF halves the threads of an XVE: then 50 % is full, and the figure alone would look like a loss.
	if p.XeCoreOfMode != p.XeCore {
		closing += fmt.Sprintf(" VTune divides by all thread slots; of those that the GRF mode leaves, an Xe-core "+
			"fills %s.", percent(p.XeCoreOfMode))
	}
	if p.IdleLanes > 0 {
		closing += fmt.Sprintf(" %s of the lanes are lost: %s in sub-groups of %d.",
			percent(unit.Ratio(p.IdleLanes)/unit.Ratio(p.GroupSize+p.IdleLanes)),
			unit.Counted(p.GroupSize, "work-item", "work-items"), c.launch.SIMD)
	}
	closing += partialSentence(&c.launch, p)
	pg := page{title: "Predicted occupancy", key: "prediction", heading: "Prediction",
		headline: []string{deviceLine(&c.Choice), launchLine(&c.launch)},
		closing:  closing, table: stepTable(steps)}
	for _, n := range c.Notes {
		pg.items = append(pg.items, report.Item{Lead: n.Severity.String(), Text: noteText(n)})
	}
	d := pg.document()
	if c.driver != nil {
		d.Sections = append(d.Sections, driverSection(c))
	}
	return d
}

// driverSection holds the driver's formula against the model, resource by resource.
func driverSection(c *onDevice) report.Section {
	r, p := c.driver, c.model
	groups := func(n, times int64) string {
		if n == predict.Unlimited {
			return "no limit"
		}
		return report.Thousands(n * times)
	}
	// The driver counts for the whole GPU, the model for an Xe-core.
	cores := int64(c.Device.XeCores)
	col := func(key, title string, i int) report.Col[[3]string] {
		return report.Define(column{Key: key, Title: title, Kind: report.Text, In: all}, func(row *[3]string) cell { return report.TextCell(row[i]) })
	}
	rows := [][3]string{
		{"by threads", groups(r.ByThreads.Or(predict.Unlimited), 1), groups(p.ByThreads, cores)},
		{"by SLM", groups(r.BySLM.Or(predict.Unlimited), 1), groups(p.BySLM, cores)},
		{"by barriers", groups(r.ByBarriers.Or(predict.Unlimited), 1), groups(p.ByBarriers, cores)},
		{"by work-group slots", "no limit", groups(p.BySlots, cores)},
		{"resident at once", report.Thousands(r.Groups), report.Thousands(r.Model)},
	}
	s := report.Section{Key: "driver", Title: "Second opinion: the driver's formula",
		ItemsIn: report.Terminal | report.Page,
		Text:    []string{"What the compute driver admits for a cooperative kernel, on the whole GPU."},
		Tables: []*report.Table{report.NewTable("driver", "", rows, []report.Col[[3]string]{
			col("resource", "Work-groups on the GPU", 0), col("driver", "Driver's formula", 1), col("model", "Model", 2)})}}
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
		closing:  bestDevice(list), table: report.NewTable("predictions", "", list, onDeviceColumns), items: refusals(list)}
	if !q.Driver {
		pg.table.Hide(all, "resident_work_groups", "driver_work_groups")
	}
	for i := range list {
		for _, n := range list[i].Notes {
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
