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

// Question is a launch and the devices for its prediction.
type Question struct {
	Launch predict.Launch
	// Registers is the number of registers per thread that the kernel needs.
	// This number selects the GRF mode on each device. If it is 0, the launch
	// keeps its own mode.
	Registers int
	On        []arch.Choice
	Driver    bool // add the result of the driver's formula, as a second opinion
}

// prediction is the JSON output of `predict`: a launch, and a prediction for
// each device. Absent values are null, percentages are 0..100 of all thread
// slots at full precision, and a resource without a limit is null.
type prediction struct {
	Schema      string        `json:"schema"`
	Launch      *report.Table `json:"launch"`
	Predictions *report.Table `json:"predictions"`
}

// onDevice is the prediction of a launch on one device.
type onDevice struct {
	arch.Choice
	launch    predict.Launch
	model     *predict.Prediction // nil if the launch cannot run
	other     *predict.Prediction // prediction under the other policy; nil if its result is the same
	driver    *predict.DriverLimit
	steps     []predict.Step
	rejection error
	end       string // "best size", "worst size", or "any size" if the compiler chooses the work-group size
}

// onDeviceColumns are the columns for a launch on a device, in CSV order.
var onDeviceColumns = slices.Concat(
	report.Within("", "device", choiceOf, deviceColumns[:2]),
	report.EachAs(report.Within("", "", launchOf, launchColumns[:6]), report.Path("")),
	report.Within("", "device", choiceOf, deviceColumns[2:]),
	[]report.Col[onDevice]{
		report.JSON("local", func(c *onDevice) unit.Size3 {
			if c.end == "" {
				return unit.Size3{}
			}
			return c.launch.Local
		}, report.Optional, report.NonZero),
		report.JSON("status",
			func(c *onDevice) string { return statusOf(c.rejection) }),
		report.JSON("message",
			func(c *onDevice) string { return errorText(c.rejection) },
			report.NonZero),
	},
	report.Part("", "predicted",
		func(c *onDevice) *predict.Prediction { return c.model },
		predictionColumns),
	report.Part("", "other_policy",
		func(c *onDevice) *predict.Prediction { return c.other },
		otherColumns),
	report.Part("", "driver",
		func(c *onDevice) *predict.DriverLimit { return c.driver },
		driverColumns),
	[]report.Col[onDevice]{
		report.List("steps",
			func(c *onDevice) []predict.Step { return c.steps },
			stepColumns),
		report.List("notes",
			func(c *onDevice) []note.Note { return c.Notes },
			report.NoteColumns()),
		report.Shown("reason", "Remark", (*onDevice).remark),
		report.Shown("message", "",
			func(c *onDevice) string { return errorText(c.rejection) },
			report.Data,
			report.NonZero),
	})

func choiceOf(c *onDevice) *arch.Choice {
	return &c.Choice
}
func launchOf(c *onDevice) *predict.Launch {
	return &c.launch
}

// otherColumns are the columns for the prediction under the other policy.
var otherColumns = report.InJSON([]report.Col[predict.Prediction]{policy, peak, average})

// driverColumns are the columns for the result of the driver's formula.
var driverColumns = []report.Col[predict.DriverLimit]{
	report.Define("resident_work_groups", "model",
		func(r *predict.DriverLimit) int64 { return r.Model },
		report.Group("Resident"), report.Path("model_work_groups")),
	report.Define("driver_work_groups", "driver's formula",
		func(r *predict.DriverLimit) int64 { return r.Groups },
		report.Group("Resident"), report.Path("work_groups")),
	report.JSON("by_threads",
		func(r *predict.DriverLimit) unit.Opt[int64] { return r.ByThreads }),
	report.JSON("by_slm",
		func(r *predict.DriverLimit) unit.Opt[int64] { return r.BySLM }),
	report.JSON("by_barriers",
		func(r *predict.DriverLimit) unit.Opt[int64] { return r.ByBarriers }),
	report.JSON("differs",
		func(r *predict.DriverLimit) bool { return r.Differs }),
	report.JSON("reasons",
		func(r *predict.DriverLimit) []string { return r.Reasons }),
}

// remark returns the remark next to the values of a device. It is the reason
// for missing values, a remark about smaller work-groups at the edges, or the
// end of the range, such as "best size".
func (c *onDevice) remark() report.Word {
	switch {
	case c.rejection != nil:
		return report.Bad.Word(rejectionWord(c.rejection))
	case c.end != "":
		return report.Word{Text: c.end}
	case c.model.Partial:
		return report.Word{Text: "partial work-groups"}
	}
	return report.Word{}
}

func statusOf(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}

// Predict returns the occupancy of a launch. For one device, the output has
// every step of the calculation. For several devices, it has one row per
// device. If the launch cannot run on any of them, the error contains the
// reason.
func Predict(q *Question) (*report.Output, error) {
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
	// If the launch can run on some of the devices, the output contains the
	// reasons for the others. If it can run on none, the user probably made a
	// mistake, so the result is an error.
	case ran == 0 && len(list) == 1:
		return nil, list[0].rejection
	case ran == 0 && len(list) > 0:
		return nil, fmt.Errorf("the launch runs on none of the %d devices; on %s: %w", len(list), list[0].Device.Key,
			list[0].rejection)
	}
	pg := sideBySide(q, list)
	v := prediction{
		Schema:      predictSchema,
		Launch:      launchValue(&q.Launch),
		Predictions: pg.table,
	}
	if len(list) > 1 {
		return pg.output(v), nil
	}
	v.Launch = launchValue(&list[0].launch) // the launch with the GRF mode that was selected
	one := list[0].reasoning()
	ans := one.output(v)
	ans.Table = pg.table
	return ans, nil
}

// anyLocal returns predictions for a launch whose work-group size the compiler
// chooses: the best and the worst size on each device.
func (q *Question) anyLocal() (*report.Output, error) {
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
			c.end = words[k]
			list = append(list, c)
		}
		span := worst.Prediction.Average.String()
		if high := best.Prediction.Average.String(); high != span {
			span += " to " + high
		}
		closing = append(closing, fmt.Sprintf("On %s, the average is %s over %s that divide the global size "+
			"and leave no lane idle.", t.Device.Key, span, unit.Plural(tried, "work-group size")))
	}
	pg := sideBySide(q, list)
	pg.heading = "Prediction by work-group size"
	local := &pg.table.Columns[pg.table.Column("local")]
	local.Title, local.In = "Work-group", report.All
	pg.headline = []string{launchLine(&q.Launch) + "; the compiler chooses the work-group size, --local sets it"}
	pg.closing = strings.Join(closing, " ")
	return pg.output(prediction{
		Schema:      predictSchema,
		Launch:      launchValue(&q.Launch),
		Predictions: pg.table,
	}), nil
}

// on returns the prediction for the launch on a device, with its remarks.
func (q *Question) on(t *arch.Choice, l predict.Launch) onDevice {
	c := onDevice{Choice: *t, launch: l}
	if q.Registers > 0 {
		c.launch, c.rejection = l.ForRegisters(t.Device, q.Registers)
	}
	var p predict.Prediction
	if c.rejection == nil {
		p, c.rejection = predict.Predict(t.Device, c.launch)
	}
	if c.rejection != nil {
		return c
	}
	// Policy auto depends on whether the kernel uses SLM or barriers. A user
	// who gave neither may not know whether the kernel uses them, so the
	// results of both policies are shown.
	c.model, c.other = &p, predict.OtherPolicy(t.Device, c.launch, &p)
	// The steps come from the model and are not derived from its results, so
	// that a check by hand follows the model's own calculation.
	c.steps, _ = predict.Explain(t.Device, c.launch) // no error, because the launch can run
	if q.Driver {
		if r, err := predict.DriverMaxGroups(t.Device, c.launch); err == nil {
			c.driver = &r
		}
	}
	return c
}

// reasoning returns the page for one launch on one device, with the steps of
// the calculation.
func (c *onDevice) reasoning() page {
	pg := page{
		title:    "Predicted occupancy",
		key:      "prediction",
		heading:  "Prediction",
		headline: []string{DeviceLine(c.Device), launchLine(&c.launch)},
		closing:  report.UpperFirst(reached(c.model)),
		items:    noteItems(c.Notes),
	}
	pg.setSteps(c.steps)
	// If the launch uses barriers and the work-group is smaller than the
	// published limit requires, it fills the Xe-core only if the actual limit
	// is higher.
	ranges, limit := predict.FullRanges(c.Device)
	if c.launch.Barriers > 0 && len(ranges) > 0 && c.model.ThreadsPerGroup < ranges[0].LeastThreads {
		pg.items = append(pg.items, report.Item{Lead: "barriers",
			Text: fullText(c.Device, ranges[0].LeastThreads, limit)})
	}
	// The other policy is mentioned, because it can explain why the profiler's
	// peak differs.
	if o := c.other; o != nil {
		pg.closing += "; under policy " + o.Policy.String() + " " + peakText(o)
	}
	pg.closing += "."
	if r := c.driver; r != nil {
		text := fmt.Sprintf("The compute driver's formula and the model agree: %s work-groups fit on the GPU at once.",
			report.Thousands(r.Groups))
		if r.Differs {
			text = fmt.Sprintf(
				"%s work-groups fit on the GPU at once by the compute driver's formula, and %s by the model: "+
					"%s.", report.Thousands(r.Groups), report.Thousands(r.Model), strings.Join(r.Reasons, "; "))
		}
		pg.items = append(pg.items, report.Item{Lead: "driver", Text: text})
	}
	return pg
}

// sideBySide returns the page for one launch on several devices. A device that
// cannot run the launch keeps its row, which contains the reason, so that
// readers do not miss the device.
func sideBySide(q *Question, list []onDevice) page {
	pg := page{
		title:    "Predicted occupancy",
		key:      "prediction",
		heading:  "Prediction by device",
		headline: []string{launchLine(&list[0].launch) + "; on " + unit.Plural(len(list), "device")},
		closing:  bestDevice(list),
		items:    rejections(list),
		table:    report.NewTable("predictions", "", list, onDeviceColumns),
	}
	if !q.Driver {
		pg.table.Hide(report.All, "resident_work_groups", "driver_work_groups")
	}
	for i := range list {
		pg.items = append(pg.items, noteItems(list[i].Notes)...)
	}
	return pg
}

// rejectionWord returns the reason why a launch cannot run in up to three
// words, for a table.
func rejectionWord(err error) string {
	if refused, ok := errors.AsType[*predict.LaunchError](err); ok {
		return strings.ReplaceAll(refused.Code, "-", " ")
	}
	return "cannot run"
}

// rejections returns an item for each kind of rejection, with the explanation
// for the first device that has this rejection.
func rejections(list []onDevice) (items []report.Item) {
	for i := range list {
		if err := list[i].rejection; err != nil {
			items = addOnce(items, report.Item{
				Lead:   rejectionWord(err),
				Text:   errorText(err),
				Status: report.Bad,
			})
		}
	}
	return items
}

// bestDevice returns a sentence with the device that has the highest occupancy,
// and with the number of devices that cannot run the launch. Occupancy is the
// share of a device's own slots and does not compare the speed of devices, so
// the sentence only mentions occupancy.
func bestDevice(list []onDevice) string {
	var best []string // keys of devices
	var most unit.Ratio
	refused, text := 0, ""
	for i := range list {
		c := &list[i]
		if c.model == nil {
			refused++
			continue
		}
		share, what := figure(c.model)
		if len(best) == 0 || share > most {
			best, most = nil, share
			text = fmt.Sprintf("Highest %s: %s on ", what, share)
		}
		if share == most {
			best = append(best, c.Device.Key)
		}
	}
	if best != nil {
		text += strings.Join(report.FirstFew(best, 1), " and ") + "."
	}
	if refused > 0 {
		text += fmt.Sprintf(" It cannot run on %d of %d devices.", refused, len(list))
	}
	return strings.TrimSpace(text)
}
