package rundoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// row returns the texts of a row, by path or key.
func row[R any](r *R, cols []report.Col[R]) string {
	var parts []string
	for _, c := range cols {
		if c.Kind != report.Object {
			parts = append(parts, strings.Trim(c.Path+"/"+c.Key, "/")+"="+c.Print(c.Of(r)))
		}
	}
	return strings.Join(parts, " ")
}

// edited returns a result with the given rows after a change.
func edited(edit func(*compare.Result), rows ...*compare.Row) *compare.Result {
	r := of(rows...)
	edit(r)
	return r
}

// TestNotes checks the notes before the numbers of a run, and the reason why a
// run supports no conclusion.
func TestNotes(t *testing.T) {
	notes := func(edit func(*compare.Result), rows ...*compare.Row) string {
		return strings.Join(notesFirst(edited(edit, rows...)), "\n")
	}
	unknown := func(edit func(*compare.Result)) string {
		return notes(func(r *compare.Result) {
			r.Device = nil
			edit(r)
		})
	}
	conflict := func(r *compare.Row) {
		r.Notes = []note.Note{{Code: "x"}, {Code: compare.CodeIdleContradicts, Text: "idle and 98% occupied"}}
	}
	nothing := func(row *compare.Row, sum compare.Summary, edits ...func(*compare.Result)) string {
		r := of(row)
		r.Summary = sum
		for _, edit := range edits {
			edit(r)
		}
		return undeterminedText(r, linesOf(r, report.Selection{}))
	}
	absent := func(r *compare.Row) { r.Measured = percent{} }
	unusableOf := func(edit func(*compare.Result)) string {
		return unusable(edited(func(r *compare.Result) {
			r.Summary.Judged = 1
			edit(r)
		}))
	}
	lost := func(r *compare.Result) { r.Notes = []note.Note{{Severity: note.Error, Text: "row 3 is cut off"}} }
	for _, c := range []struct{ why, got, want string }{
		{"nothing to note", notes(func(*compare.Result) {}), ""},
		{"a forced device", notes(func(r *compare.Result) {
			r.Notes = []note.Note{{Code: "x", Text: "no"}, {Code: arch.CodeForced, Text: "the device is forced"}}
		}), "The device is forced"},
		{"a device that contradicts the run", notes(func(r *compare.Result) { r.Fit.Contradiction = "it has 96 XVEs" }), "The device cannot be the GPU that ran: it has 96 XVEs"},
		{"no device", unknown(func(*compare.Result) {}), "Predictions need the device or the VTune summary of the run"},
		{"one of the listed devices", unknown(func(r *compare.Result) {
			r.Fit = compare.Fit{Listed: true, Devices: []*arch.Device{meteorLake()}, Of: 2}
		}), "Predictions need the device: of the 2 GPUs that the summary lists, only mtl-112 fits"},
		{"devices that fit the peaks", unknown(func(r *compare.Result) { r.Fit = compare.Fit{Launches: 1, Devices: []*arch.Device{meteorLake()}} }), "Predictions need the device: VTune's peaks are consistent with mtl-112 only"},
		{"a contradiction", notes(func(*compare.Result) {}, reduce(compare.Below, conflict)), "reduce: idle and 98% occupied"},
		{"a contradiction in one of two launches", notes(func(*compare.Result) {}, reduce(compare.Below, func(r *compare.Row) { r.SIMD = unit.Some(16) }), reduce(compare.Below, conflict)), "reduce 114688 in 256, SIMD32: idle and 98% occupied"},
		{"two contradictions", notes(func(*compare.Result) {}, reduce(compare.Below, conflict), reduce(compare.Below, conflict)), "reduce 114688 in 256, SIMD32: idle and 98% occupied; 1 other kernel also has cells that contradict each other"},
		{"an input that is cut off", notes(lost), "Not all of the input could be read, so kernels may be missing: error: row 3 is cut off"},
		{"no kernel", nothing(reduce(compare.NotAKernel), compare.Summary{}), "There is nothing to compare"},
		{"no prediction", nothing(reduce(compare.NoPrediction, func(r *compare.Row) { r.NoPrediction = "no size" }), compare.Summary{Kernels: 1, NoPrediction: 1}),
			"Nothing is predicted: no size"},
		{"only bounds", nothing(reduce(compare.Possible, absent), compare.Summary{Kernels: 1, Possible: 1}), "Nothing was measured: the idle time of the XVEs is consistent with the prediction"},
		{"only peaks", nothing(reduce(compare.PeaksAgree, absent), compare.Summary{Kernels: 1, PeaksAgree: 1}), "Nothing was measured: VTune's peak is a prediction, too, and agrees with this one"},
		{"no counter", nothing(reduce(compare.NoMeasurement, absent), compare.Summary{Kernels: 1, NoMeasurement: 1}, func(r *compare.Result) {
			r.Inputs = []ingest.Input{{Traits: ingest.Traits{ColumnsVary: true}}}
		}), "Nothing was measured: the input has no thread occupancy"},
		{"no occupancy", nothing(reduce(compare.NoMeasurement, absent), compare.Summary{Kernels: 1, NoMeasurement: 1}), "Nothing was measured: no input has the occupancy of a kernel; a VTune export of gpu-hotspots has it, or unitrace -q"},
		{"some kernels were measured", nothing(reduce(compare.NoMeasurement), compare.Summary{Kernels: 1, NoMeasurement: 1}), ""},
		{"kernels of several kinds", nothing(reduce(compare.NoMeasurement, absent), compare.Summary{Kernels: 2, NoMeasurement: 1, Possible: 1}), ""},
		{"a usable run", unusableOf(func(*compare.Result) {}), ""},
		{"no device for an agent", unusableOf(func(r *compare.Result) { r.Device = nil }), "the device is unknown, so nothing is predicted: give --device, or the VTune summary along with the export"},
		{"another device", unusableOf(func(r *compare.Result) { r.Fit.Contradiction = "it has 96 XVEs" }), "the device cannot be the GPU that ran: it has 96 XVEs"},
		{"nothing judged", unusableOf(func(r *compare.Result) { r.Summary = compare.Summary{Kernels: 3, Unmeasurable: 1, NoMeasurement: 2} }), "no kernel could be judged: 1 unmeasurable, 2 without a measurement"},
		{"a part of a run", unusableOf(lost), "Not all of the input could be read, so kernels may be missing: error: row 3 is cut off"},
		{"no size is needed", notPredicted(edited(func(r *compare.Result) { r.Device = nil }), reduce(compare.NoPrediction)), "device not known"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestMissing checks the command for the inputs that are missing, and the
// command that confirms a cause.
func TestMissing(t *testing.T) {
	absent := func(r *compare.Row) { r.Measured = percent{} }
	noSize := func(r *compare.Row) { r.Global = unit.Size3{} }
	varies := func(r *compare.Result) {
		r.Inputs = []ingest.Input{{Path: "a b.csv", Traits: ingest.Traits{ColumnsVary: true}}}
	}
	old := meteorLake()
	for _, d := range devices(t) {
		if d.IsBeforeXe() {
			old = &d
			break
		}
	}
	of := func(row *compare.Row, edits ...func(*compare.Result)) string {
		r := of(row)
		for _, edit := range edits {
			edit(r)
		}
		ask, checks := missing(r)
		for _, c := range checks {
			ask += "\n" + c.Text()
		}
		return ask
	}
	confirm := func(row *compare.Row) string {
		res := &compare.Result{Device: meteorLake(), Options: compare.DefaultOptions(), Rows: []compare.Row{*row}}
		var texts []string
		for _, c := range confirmWith(res, &line{Row: &res.Rows[0], fix: row.Fix}) {
			texts = append(texts, fmt.Sprint(c.Text(), " ", c.Prose))
		}
		return strings.Join(texts, "\n")
	}
	next := func(action compare.Action) func(*compare.Row) {
		return func(r *compare.Row) { r.Cause.Next = compare.NextStep{Action: action} }
	}
	dispatch := cause(compare.CauseDispatch, compare.Medium)
	for _, c := range []struct{ why, got, want string }{
		{"nothing", of(reduce(compare.Below)), ""},
		{"no counter", of(reduce(compare.NoMeasurement, absent), varies), `To measure the occupancy
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR`},
		{"no counter on an old device", of(reduce(compare.NoMeasurement, absent), varies, func(r *compare.Result) { r.Device = old }), `To measure the occupancy
vtune -collect gpu-hotspots -knob characterization-mode=full-compute -- ./app`},
		{"no counter on an unknown device", of(reduce(compare.NoMeasurement, absent), varies, func(r *compare.Result) { r.Device = nil }), `To measure the occupancy
vtune -collect gpu-hotspots -knob characterization-mode=full-compute -- ./app`},
		{"the only device that fits", of(reduce(compare.NoPrediction), varies, func(r *compare.Result) {
			r.Device, r.Fit.Devices = nil, []*arch.Device{meteorLake()}
		}), `With the device
occudiff validate --device mtl-112 'a b.csv'`},
		{"two devices that fit", of(reduce(compare.NoPrediction), varies, func(r *compare.Result) {
			r.Device, r.Fit.Devices = nil, []*arch.Device{meteorLake(), meteorLake()}
		}), ""},
		{"a device that fits already", of(reduce(compare.Below), varies, func(r *compare.Result) { r.Fit.Devices = []*arch.Device{meteorLake()} }), ""},
		{"no command without inputs", ValidateCommand(&compare.Result{}, "d"), ""},
		{"no size", of(reduce(compare.NoPrediction, noSize)), `To get the launch sizes
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR`},
		{"no size, but a trace", of(reduce(compare.NoPrediction, noSize), func(r *compare.Result) { r.Trace = &ingest.Trace{} }), `To get the launch sizes
unitrace --device-timing --verbose ./app`},
		{"no work-group size", of(reduce(compare.NoPrediction, func(r *compare.Row) { r.Local = unit.Size3{} }), varies), `To predict them
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR
occudiff validate --device mtl-112 'a b.csv' --local SIZE`},
		{"no SIMD width", of(reduce(compare.NoPrediction, func(r *compare.Row) { r.SIMD = unit.Opt[int]{} }), varies), `To predict them
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR
occudiff validate --device mtl-112 'a b.csv' --simd N`},
		{"no size and no value", of(reduce(compare.NoPrediction, noSize, absent)), ""},
		{"a measurement in words", confirm(reduce(compare.Below, dispatch)), "a trace true"},
		{"a match needs none", confirm(reduce(compare.Match, dispatch)), ""},
		{"no threads, no words", confirm(reduce(compare.Below, dispatch, func(r *compare.Row) { r.Fix.Remedy = compare.LimitedElsewhere })), ""},
		{"an export", confirm(reduce(compare.Below, dispatch, next(compare.Export))), `a trace true
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR false`},
		{"a trace", confirm(reduce(compare.Below, dispatch, next(compare.Trace))), "unitrace --chrome-kernel-logging ./app   (give validate its .json, too) false"},
		{"a row without a prediction", confirm(reduce(compare.NoPrediction, cause(compare.CauseAdapters, compare.High))), "a trace true"},
		{"a row that cannot be measured", confirm(reduce(compare.Unmeasurable, cause(compare.CauseNoActivity, 0))), "a trace true"},
		{"a longer launch is the possible fix", confirm(reduce(compare.Unmeasurable, cause(compare.CauseSampling, 0), func(r *compare.Row) { r.Fix.Remedy = compare.LongerLaunch })), ""},
		{"a prediction confirms nothing", confirm(reduce(compare.Below, dispatch, next(compare.Grid))), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

func devices(t *testing.T) []arch.Device {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table.Devices()
}

// TestRanges checks the ranges of predicted and measured values.
func TestRanges(t *testing.T) {
	s := func(low, high unit.Ratio) span { return span{low, high, true} }
	group := func(spans ...span) string {
		rows, l := make([]*compare.Row, len(spans)), &line{group: &compare.Group{}}
		for i := range spans {
			rows[i] = &compare.Row{Kernel: &ingest.Kernel{Instances: unit.Some(int64(i))}}
			l.group.Rows = append(l.group.Rows, i)
		}
		return fmt.Sprint(spanOf(of(rows...), l, func(r *compare.Row) span { return spans[r.Instances.Or(0)] }))
	}
	interval := func(low, high unit.Ratio) *compare.Row {
		return reduce(compare.Below, func(r *compare.Row) { r.MeasuredLow, r.MeasuredHigh = unit.Some(low), unit.Some(high) })
	}
	bounds := func(r *compare.Row) { r.BoundLow, r.BoundHigh = unit.Some[unit.Ratio](0.2), unit.Some[unit.Ratio](0.5) }
	word := func(row *compare.Row) string { return fmt.Sprint(measuredWord(&line{Row: row}, measuredSpan(row))) }
	noPrediction := func(r *compare.Row) { r.Predicted, r.Peak = nil, unit.Some[unit.Ratio](0.75) }
	as := func(rows ...*compare.Row) string {
		r := of(rows...)
		lines := linesOf(r, report.Selection{})
		nameLines(r, lines)
		return asPredicted(r, lines)
	}
	for _, c := range []struct{ why, got, want string }{
		{"unknown", span{}.text(5), ""},
		{"one value", s(0.5, 0.54).text(5), "50.0%"},
		{"a range", s(0.5, 0.55).text(5), "50-55%"},
		{"no row is known", group(span{}, span{}), "{0 0 false}"},
		{"all rows", group(span{}, s(0.4, 0.5), s(0.3, 0.45), s(0.35, 0.6)), "{0.3 0.6 true}"},
		{"a narrow interval", fmt.Sprint(measuredSpan(interval(0.35, 0.44))), "{0.4 0.4 true}"},
		{"a wide interval", fmt.Sprint(measuredSpan(interval(0.35, 0.45))), "{0.35 0.45 true}"},
		{"only bounds", fmt.Sprint(measuredSpan(reduce(compare.Possible, bounds))), "{0.2 0.5 true}"},
		{"nothing measured", fmt.Sprint(measuredSpan(reduce(compare.Below, func(r *compare.Row) { r.Measured = percent{} }))), "{0 0 false}"},
		{"a value", word(reduce(compare.Below)), "{40.0% 0}"},
		{"an estimate", word(interval(0.35, 0.45)), "{(35-45%) 3}"},
		{"an unmeasurable value", word(reduce(compare.Unmeasurable)), "{(40.0%) 3}"},
		{"no value", word(reduce(compare.Unmeasurable, func(r *compare.Row) { r.Measured = percent{} })), "{ 0}"},
		{"bounds are no estimate", word(reduce(compare.Possible, bounds, func(r *compare.Row) { r.Measured = percent{} })), "{20-50% 0}"},
		{"a predicted peak", fmt.Sprint(predictedSpan(reduce(compare.Match), true)), "{1 1 true}"},
		{"a predicted average", fmt.Sprint(predictedSpan(reduce(compare.Match), false)), "{0.9 0.98 true}"},
		{"only an Xe-core", fmt.Sprint(predictedSpan(reduce(compare.Match, func(r *compare.Row) { r.Predicted.Groups = 0 }), true)), "{0.5 0.5 true}"},
		{"VTune's peak", fmt.Sprint(predictedSpan(reduce(compare.Match, noPrediction, func(r *compare.Row) { r.Basis = compare.BasisMeasuredPeak }), false)), "{0.75 0.75 true}"},
		{"VTune's peak is not compared", fmt.Sprint(predictedSpan(reduce(compare.Match, noPrediction), false)), "{0.75 0.75 false}"},
		{"no average", fmt.Sprint(averageSpan(reduce(compare.Match, noPrediction))), "{0 0 false}"},
		{"an average", fmt.Sprint(averageSpan(reduce(compare.Match))), "{0.9 0.98 true}"},
		{"a full GPU", as(reduce(compare.Match)), "reduce fills the GPU as predicted (40 of 90 to 98%)"},
		{"a range of exactly the tolerance", as(reduce(compare.Match, func(r *compare.Row) { r.Predicted.Average, r.Predicted.AverageHigh = 0.5, 0.55 })),
			"reduce has the predicted occupancy (40 of 50 to 55%)"},
		{"exactly a full GPU", as(reduce(compare.Match, func(r *compare.Row) { r.Predicted.Average, r.Predicted.AverageHigh = 0.8, 0.8 })),
			"reduce fills the GPU as predicted (40 of 80%)"},
		{"just not a full GPU", as(reduce(compare.Match, func(r *compare.Row) { r.Predicted.Average, r.Predicted.AverageHigh = 0.78, 0.799 })),
			"reduce has the predicted occupancy (40 of 78%)"},
		{"no prediction", as(reduce(compare.Match, noPrediction)), "reduce has the predicted occupancy (40 of 75%)"},
		{"two kernels", as(reduce(compare.Match), reduce(compare.Match, func(r *compare.Row) { r.Task = "copy" })), "2 kernels have the predicted occupancy"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestAgentSummary checks the findings for agents.
func TestAgentSummary(t *testing.T) {
	of := func(rows ...*compare.Row) string {
		r := of(rows...)
		r.Summary.Judged = len(rows)
		text, err := json.Marshal(agentSummary(r))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(string(text), `{"schema":"occudiff/summary/1",`)
	}
	many := slices.Repeat([]*compare.Row{reduce(compare.Match)}, 25)
	bounded := func(v compare.SpeedupVerdict) func(*compare.Row) {
		return func(r *compare.Row) {
			r.Speedup = compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{v}, MoreThreads: compare.Bound{Max: unit.Some(1.5)}}
		}
	}
	for _, c := range []struct{ why, got, want string }{
		{"a match", of(reduce(compare.Match, bounded(compare.MoreThreadsMayHelp))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"reduce","verdict":"match","predicted_percent":90,"measured_percent":40,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"more threads may help","bound":1.5,"points":null,"next_command":null}],"judged":1,"not_judged":0}`},
		{"lost time", of(reduce(compare.Below, cause(compare.CauseDispatch, compare.Medium), bounded(compare.SpeedupUndetermined))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"reduce","verdict":"below","predicted_percent":90,"measured_percent":40,"lost_seconds":0.005,"cause":"dispatch","confidence":"medium","potential_speedup":"undetermined","bound":null,"points":null,"next_command":"occudiff advise --device mtl-112 --global 112K --local 256 --simd 32 --probe"}],"judged":1,"not_judged":0}`},
		{"two launches of a kernel", strings.Join(regexp.MustCompile(`"kernel":"[^"]*"`).FindAllString(of(reduce(compare.Match), reduce(compare.Match, func(r *compare.Row) { r.SIMD = unit.Some(16) })), -1), " "),
			`"kernel":"reduce 114688 in 256, SIMD32" "kernel":"reduce 114688 in 256, SIMD16"`},
		{"no measured value", of(reduce(compare.Below, cause(compare.CauseDispatch, 0), func(r *compare.Row) { r.Measured = percent{} })), `"usable":true,"reason":null,"device":"mtl-112","findings":[],"judged":1,"not_judged":0}`},
		{"a row that cannot be judged", of(reduce(compare.Unmeasurable, cause(compare.CauseSampling, 0))), `"usable":true,"reason":null,"device":"mtl-112","findings":[],"judged":1,"not_judged":0}`},
		{"at most 20 findings", fmt.Sprint(strings.Count(of(many...), `"kernel"`)), "20"},
		{"groups come first", fmt.Sprint(strings.Index(of(append(many, reduce(compare.Below, cause(compare.CauseDispatch, 0), func(r *compare.Row) { r.Task, r.Total = "slow", unit.Some[unit.Seconds](1) }))...), "slow") > 0), "true"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestElsewhere checks the predictions for other devices.
func TestElsewhere(t *testing.T) {
	other := devices(t)
	d := &other[slices.IndexFunc(other, func(d arch.Device) bool { return d.Key == "tgl-96" })]
	of := func(rows ...*compare.Row) *compare.Result {
		r := of(rows...)
		r.Options.Also = []*arch.Device{d}
		return r
	}
	sum := func(r *compare.Result) string {
		lines := linesOf(r, report.Selection{})
		return row(&lines[0], elsewhereFigures(r))
	}
	noSize := func(r *compare.Row) { r.Global = unit.Size3{} }
	table := elsewhereTable(of(reduce(compare.Below), reduce(compare.NotAKernel), reduce(compare.Below, noSize)))
	for _, c := range []struct{ why, got, want string }{
		{"a table", rowsOf(table), `task=reduce global=114688 local=256 simd=32 device=tgl-96 predicted_policy=free threads_per_work_group=8 work_groups=448 work_groups_per_xe_core=14 limits=threads, tail predicted_xe_core_percent=100.0 predicted_peak_percent=100.0 predicted_average_percent=88.9 predicted_average_high_percent=94.7 waves=5.33 tail_percent=33.3
task=reduce local=256 simd=32 device=tgl-96 message=the input has no global work size; an export with the columns Work Size:Global and Work Size:Local has it`},
		{"a summary", sum(of(reduce(compare.Match))), "also_tgl-96=88.9-94.7% threads"},
		{"no prediction", sum(of(reduce(compare.NoPrediction, noSize))), "also_tgl-96=not predicted"},
		{"no other device", fmt.Sprint(len(elsewhereSection(edited(func(*compare.Result) {}, reduce(compare.Below))).Tables)), "0"},
		{"another device", fmt.Sprint(len(elsewhereSection(of(reduce(compare.Match))).Tables[0].Columns)), "16"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// traced returns a run with two launches of a kernel, a copy, and samples of
// the kernel, in microseconds.
func traced(edits ...func(*ingest.Run)) *compare.Result {
	t := &ingest.Trace{}
	t.AddLane("GPU 1")
	t.AddLane("GPU 1")
	k := ingest.Key{Task: "reduce", Global: unit.Size(114688), Local: unit.Size(256), SIMD: 32}
	add := func(key ingest.Key, lane uint32, start, end int64) {
		t.Add(ingest.Launch{Start: start * 1000, End: end * 1000, Task: t.Task(key), Lane: lane})
	}
	add(k, 0, 1000, 2000)
	add(ingest.Key{Task: "copy"}, 1, 1500, 2500)
	add(k, 0, 3000, 5000)
	t.Finish()
	run := &ingest.Run{Trace: t, Kernels: []ingest.Kernel{{Task: "reduce", Global: k.Global, Local: k.Local, SIMD: unit.Some(32),
		Instances: unit.Some[int64](2), Total: unit.Some[unit.Seconds](0.003), Measured: unit.Some[unit.Ratio](0.4)}}}
	for _, edit := range edits {
		edit(run)
	}
	return compare.Compare(run, compare.Choice{Choice: arch.Choice{Device: meteorLake()}}, compare.DefaultOptions())
}

// sampled returns an edit that adds samples of 100 us to a run.
func sampled(key ingest.Key, n int) func(*ingest.Run) {
	return func(run *ingest.Run) {
		s := ingest.Samples{Key: key}
		for i := range n {
			s.List = append(s.List, ingest.CounterSample{At: 900_000 + int64(i)*100_000, Length: 100_000, Measured: 0.5, Active: 0.5})
		}
		run.Samples = append(run.Samples, s)
	}
}

// TestTrace checks the events of a run over time.
func TestTrace(t *testing.T) {
	key := ingest.Key{Task: "reduce", Global: unit.Size(114688), Local: unit.Size(256), SIMD: 32}
	// A launch is drawn with the mean of its kernel.
	const means = `{"ph":"M","name":"process_name","pid":0,"tid":0,"ts":0,"args":{"name":"GPU 1"}}
{"ph":"X","name":"reduce","pid":0,"tid":0,"ts":0,"dur":1000,"args":{"global":"114688","local":"256","predicted_percent":100,"predicted_peak_percent":100,"measured_percent":40,"mean_of_launches":2,"verdict":"unmeasurable","cause":"sampling"}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":0,"args":{"predicted_percent":100}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":0,"args":{"measured_percent":40}}
{"ph":"X","name":"copy","pid":0,"tid":1,"ts":500,"dur":1000,"args":{}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":1000,"args":{"predicted_percent":0}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":1000,"args":{"measured_percent":0}}
{"ph":"X","name":"reduce","pid":0,"tid":0,"ts":2000,"dur":2000,"args":{"global":"114688","local":"256","predicted_percent":100,"predicted_peak_percent":100,"measured_percent":40,"mean_of_launches":2,"verdict":"unmeasurable","cause":"sampling"}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":2000,"args":{"predicted_percent":100}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":2000,"args":{"measured_percent":40}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":4000,"args":{"predicted_percent":0}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":4000,"args":{"measured_percent":0}}
`
	for _, c := range []struct {
		why  string
		r    *compare.Result
		want string
	}{
		{"no launches", of(reduce(compare.Below)), ""},
		{"launches", traced(), means},
		{"samples instead of means", traced(sampled(ingest.Key{}, 2)), `{"ph":"M","name":"process_name","pid":0,"tid":0,"ts":0,"args":{"name":"GPU 1"}}
{"ph":"X","name":"reduce","pid":0,"tid":0,"ts":200,"dur":1000,"args":{"global":"114688","local":"256","predicted_percent":100,"predicted_peak_percent":100,"measured_percent":40,"mean_of_launches":2,"verdict":"unmeasurable","cause":"sampling"}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":200,"args":{"predicted_percent":100}}
{"ph":"X","name":"copy","pid":0,"tid":1,"ts":700,"dur":1000,"args":{}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":1200,"args":{"predicted_percent":0}}
{"ph":"X","name":"reduce","pid":0,"tid":0,"ts":2200,"dur":2000,"args":{"global":"114688","local":"256","predicted_percent":100,"predicted_peak_percent":100,"measured_percent":40,"mean_of_launches":2,"verdict":"unmeasurable","cause":"sampling"}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":2200,"args":{"predicted_percent":100}}
{"ph":"C","name":"Predicted occupancy [%]","pid":0,"tid":0,"ts":4200,"args":{"predicted_percent":0}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":0,"args":{"measured_percent":50}}
{"ph":"C","name":"Measured occupancy [%]","pid":0,"tid":0,"ts":100,"args":{"measured_percent":50}}
`},
		{"samples of a kernel are not drawn", traced(sampled(key, 2)), means},
	} {
		got := ""
		if f, ok := traceOf(c.r).(*traceFile); ok {
			for _, e := range f.Events {
				text, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				got += string(text) + "\n"
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// TestSequences checks the section about launches, and a kernel over time.
func TestSequences(t *testing.T) {
	section := func(r *compare.Result) string {
		s := launchSection(r)
		text := strings.Join(s.Text, "\n")
		for _, table := range s.Tables {
			text += "\n" + table.Title
			for cells := range table.All() {
				text += "\n"
				for i, c := range cells {
					text += table.Columns[i].Key + "=" + table.Columns[i].Print(c) + " "
				}
			}
		}
		return text
	}
	over := func(edit func(*OverTime)) string {
		k := overTimeOf(&compare.OverTime{Length: 0.002, From: "the trace", Launches: 2, Tail: unit.Some[unit.Seconds](0.001),
			Curve: []compare.Step{{At: 0, Simulated: 1}, {At: 0.002, Simulated: 0.5}},
			Bins:  []compare.Bin{{Start: 0, End: 0.001, Measured: 0.25}, {Start: 0.001, End: 0.002, Measured: 0.75}},
			Bars:  []compare.Bin{{Start: 0, End: 0.0001, Measured: 0.5}}})
		k.Task, k.mean = "reduce", unit.Some[unit.Ratio](0.4)
		edit(&k)
		p := k.plot(1)
		text := fmt.Sprint(p.Key, ": ", p.Title, ": ", p.Text, " ", p.Max)
		for _, s := range p.LineChart.Series {
			text += fmt.Sprint("; ", s.Name, " ", s.Style, " ", s.Points)
		}
		return text
	}
	key := ingest.Key{Task: "reduce", Global: unit.Size(114688), Local: unit.Size(256), SIMD: 32}
	sections := func(r *compare.Result) string {
		var text []string
		for _, s := range overTimeSections(r) {
			text = append(text, s.Key, strings.Join(s.Text, " "), fmt.Sprint(s.Tables[0].Len, " ", s.Tables[0].Main))
		}
		return strings.Join(text, "\n")
	}
	many := overTimeOf(&compare.OverTime{Bars: make([]compare.Bin, 4001)})
	for _, c := range []struct{ why, got, want string }{
		{"no trace", section(of()), ""},
		{"a trace", section(traced()), `A gap is time before a launch in which nothing ran on the GPU; its share refers to the time from the first launch to the end of the last.
The times of the trace are multiples of 1 us: shorter gaps are invisible.
Tasks of the trace
task=reduce global=114688 local=256 simd=32 launches=2 total_seconds=3.000 launch_p10_seconds=1,100.0 launch_p90_seconds=1,900.0 gap_mean_seconds=500.0 gap_median_seconds=500.0 gap_p90_seconds=500.0 gap_percent=12.5 shared_percent=16.7 shared_with=copy 
task=copy global=- local=- simd=- launches=1 total_seconds=1.000 launch_p10_seconds=1,000.0 launch_p90_seconds=1,000.0 gap_mean_seconds=0.0 gap_median_seconds=0.0 gap_p90_seconds=0.0 gap_percent=0.0 shared_percent=50.0 shared_with=reduce 
Devices of the trace
name=GPU 1 launches=3 window_seconds=4.000 busy_seconds=3.500 busy_percent=87.5 launches_at_once=1.14 `},
		{"a trace in nanoseconds", strings.SplitN(section(traced(func(r *ingest.Run) {
			r.Trace.Add(ingest.Launch{Start: 6_000_001, End: 6_000_002, Task: 0})
			r.Trace.Finish()
		})), "\n", 3)[1], "Tasks of the trace"},
		{"a device", row(&launches.Device{Name: "GPU", Launches: 3, Window: 0.004, Busy: 0.003, AtOnce: 1.5}, deviceColumns), `name/name=GPU launches/launches=3 window_seconds/window_seconds=4.000 busy_seconds/busy_seconds=3.000 busy_percent/busy_percent=75.0 launches_at_once/launches_at_once=1.50`},
		{"a device without time", row(&launches.Device{}, deviceColumns), `name/name= launches/launches=0 window_seconds/window_seconds=0.000 busy_seconds/busy_seconds=0.000 busy_percent/busy_percent=0.0 launches_at_once/launches_at_once=0.00`},
		{"a profile", over(func(*OverTime) {}), `overtime-2: Occupancy over time: reduce: Mean measured occupancy of the launches, and the simulated launch. Each sample is a bar as long as its time. 100; simulated 1 [{0 100} {2 50}]; measured 1 [{0 25} {1 75} {2 75}]; samples 0 [{0 50} {0.1 50} {NaN 0}]; simulated tail begins 0 [{1 0} {1 100}]`},
		{"a mean", over(func(k *OverTime) { k.Bins = nil }), `overtime-2: Occupancy over time: reduce: Mean measured occupancy of the launches, and the simulated launch. Each sample is a bar as long as its time. 100; simulated 1 [{0 100} {2 50}]; measured mean 1 [{0 40} {2 40}]; samples 0 [{0 50} {0.1 50} {NaN 0}]; simulated tail begins 0 [{1 0} {1 100}]`},
		{"nothing measured, and no tail", over(func(k *OverTime) { k.Bins, k.mean, k.Tail = nil, percent{}, unit.Opt[unit.Seconds]{} }), `overtime-2: Occupancy over time: reduce: Mean measured occupancy of the launches, and the simulated launch. Each sample is a bar as long as its time. 100; simulated 1 [{0 100} {2 50}]; measured 1 []; samples 0 [{0 50} {0.1 50} {NaN 0}]`},
		{"as many samples as are drawn", fmt.Sprint(strings.Contains(over(func(k *OverTime) { k.Bars = make([]compare.Bin, 60) }), "samples")), "true"},
		{"too many samples", fmt.Sprint(strings.Contains(over(func(k *OverTime) { k.Bars = make([]compare.Bin, 61) }), "samples")), "false"},
		{"every third sample", fmt.Sprint(many.Samples.Len, len(overTimeOf(&compare.OverTime{Bars: make([]compare.Bin, 2000)}).Bars)), "1334 2000"},
		{"samples of a kernel", sections(traced(sampled(key, 40))), `overtime-1
1 launch, overlaid on one of 1.5 ms (from the trace).
32 32`},
		{"no samples", sections(traced()), ""},
		{"a kernel with samples", fmt.Sprint(Sampled(traced(sampled(key, 40))), Sampled(traced())), "true false"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestSummaryLines checks the summary of a run that is not a plain list of
// compared kernels.
func TestSummaryLines(t *testing.T) {
	vecAdd := func(groups int64, edits ...func(*compare.Row)) *compare.Row {
		return reduce(compare.NoMeasurement, append([]func(*compare.Row){func(r *compare.Row) {
			r.Task, r.Measured, r.Total = fmt.Sprintf("VectorAdd<%d>", groups), percent{}, unit.Some(unit.Seconds(groups)/100)
			r.Predicted.Groups, r.Predicted.Waves, r.Predicted.Peak = groups, float64(groups)/112, unit.Ratio(min(1, float64(groups)/112))
			r.Global = unit.Size(256 * groups)
		}}, edits...)...)
	}
	host := func(r *compare.Row) { r.FromLog, r.Total = true, seconds{} }
	log := func(rows ...*compare.Row) *compare.Result {
		r := of(rows...)
		for i, row := range rows {
			r.Timings = append(r.Timings, compare.Timing{Row: i, Timing: ingest.Timing{Kernel: row.Task, Seconds: unit.Seconds(row.Predicted.Groups) / 10}})
		}
		return r
	}
	counted := func(r *compare.Result) *compare.Result {
		r.Summary.Kernels, r.Summary.NoMeasurement = len(r.Rows), len(r.Rows)
		return r
	}
	started := func(r *compare.Row) { r.Threads = r.ThreadsPredicted() }
	summary := func(r *compare.Result) string {
		return strings.TrimPrefix(summaryLines(FromResult(r, report.Provenance{}).Summary), "Meteor Lake Arc")
	}
	timings := of()
	for i := range 31 {
		timings.Timings = append(timings.Timings, compare.Timing{Row: -1, Timing: ingest.Timing{Kernel: fmt.Sprint("k", i), Seconds: 1}})
	}
	hint := func(n int) string {
		var rows []*compare.Row
		for i := range n {
			rows = append(rows, reduce(compare.Match, func(r *compare.Row) { r.Task = string(rune('a' + i)) }))
		}
		return FromResult(of(rows...), report.Provenance{}).Summary.Hint
	}
	unpredicted := reduce(compare.NoMeasurement, func(r *compare.Row) {
		r.Predicted, r.Task, r.Measured, r.Peak = nil, "copy", percent{}, unit.Some[unit.Ratio](0.5)
	})
	wave := func(a, b float64, edits ...func(*compare.Row)) string {
		pair := []line{{Row: vecAdd(112, func(r *compare.Row) { r.Predicted.Waves = a })},
			{Row: vecAdd(120, append([]func(*compare.Row){func(r *compare.Row) { r.Predicted.Waves = b }}, edits...)...)}}
		return secondWave(pair)
	}
	for _, c := range []struct{ why, got, want string }{
		{"a log", summary(log(vecAdd(120, host), vecAdd(8, host), vecAdd(112, host))), `, 3 launches: predicted peak 7.1 to 100%. A log has host times, nothing was measured
It takes longer where a second wave begins: 112 groups 11.200 s, 120 groups 12.000 s (112 fill the GPU)
VectorAdd<8>|8|2,048|8|64|50.0|0.07|7.1|800.0|90-98%
VectorAdd<112>|112|28,672|8|896|50.0|1.00|100.0|11,200.0|90-98%
VectorAdd<120>|120|30,720|8|960|50.0|1.07|100.0|12,000.0|90-98%`},
		{"a log of equal launches", strings.SplitN(summary(log(vecAdd(8, host), vecAdd(8, host))), "\n", 2)[0], ", 2 launches: predicted peak 7.1%. A log has host times, nothing was measured"},
		{"a log of one launch without a prediction", strings.SplitN(summary(log(reduce(compare.NoPrediction, host, func(r *compare.Row) { r.Predicted = &predict.Prediction{} }))), "\n", 2)[0], ", 1 launch. A log has host times, nothing was measured"},
		{"only host times", strings.SplitN(summary(timings), "\n", 3)[1], "A log has neither work-group nor sub-group size"},
		{"as many host times as are shown", fmt.Sprint(strings.Count(summary(timings), "\n")), "31"},
		{"a sweep", summary(counted(of(vecAdd(120), vecAdd(8), vecAdd(112)))), `: 3 kernels. 3 not measured
It takes longer where a second wave begins: 112 groups 1.120 s, 120 groups 1.200 s (112 fill the GPU)
VectorAdd<8>|8|2,048|8|64|50.0|0.07|7.1|80.0|90-98%|not measured
VectorAdd<112>|112|28,672|8|896|50.0|1.00|100.0|1,120.0|90-98%|not measured
VectorAdd<120>|120|30,720|8|960|50.0|1.07|100.0|1,200.0|90-98%|not measured`},
		{"a sweep with the predicted threads", strings.SplitN(summary(counted(of(vecAdd(120, started), vecAdd(8, started), vecAdd(112, started)))), "\n", 3)[1], `It takes longer where a second wave begins: 112 groups 1.120 s, 120 groups 1.200 s (112 fill the GPU). Each kernel started as many threads as predicted`},
		{"a second wave", wave(1, 1.07), "It takes longer where a second wave begins: 112 groups 1.120 s, 120 groups 1.200 s (112 fill the GPU)"},
		{"no second wave", wave(0.9, 1), ""},
		{"two second waves", wave(1.01, 1.07), ""},
		{"an unknown number of waves", wave(0, 1.07), ""},
		{"a time that does not grow", wave(1, 1.07, func(r *compare.Row) { r.Total = unit.Some[unit.Seconds](1.12) }), ""},
		{"no prediction after it", wave(1, 1.07, func(r *compare.Row) { r.Predicted = nil }), ""},
		{"a row of a series", row(&line{Row: vecAdd(120, func(r *compare.Row) {
			r.Peak, r.Threads = unit.Some[unit.Ratio](0.5), unit.Some[int64](7)
		}), host: unit.Some[unit.Seconds](0.002)}, seriesColumns(true, true)), "groups=120 items=30,720 group_threads=8 threads=960 xe_core=50.0 waves=1.07 peak=100.0 vtune_peak=50.0 started=7 gpu_time=1,200.0 host=2.0"},
		{"a hint below six rows", hint(6), report.SummaryHint},
		{"no hint below seven rows", hint(7), ""},
		{"nothing predicted", strings.Join(report.ListOf(FromResult(of(unpredicted, reduce(compare.NoPrediction, func(r *compare.Row) { r.Predicted = nil })),
			report.Provenance{}).Summary.Rows.Columns, func(c report.Column) string { return c.Key + "=" + c.Title }), " "), "kernel=Kernel measured=Measured measured=Measured why=Why"},
		{"a series that is not measured", strings.Join(report.ListOf(FromResult(counted(of(vecAdd(120), vecAdd(8), vecAdd(112))), report.Provenance{}).Summary.Rows.Columns,
			func(c report.Column) string { return c.Key }), " "), "kernel groups items group_threads threads xe_core waves peak gpu_time predicted predicted predicted_high why"},
		{"an average for each number of work-groups", fmt.Sprint(len(averages(of(), vecAdd(2048)).Points), len(averages(of(), vecAdd(2049)).Points)), "2048 0"},
		{"the first average", fmt.Sprint(averages(of(), vecAdd(8)).Points[0].X), "1"},
		{"no series", row(&line{Row: reduce(compare.NoPrediction, func(r *compare.Row) { r.Predicted = nil })}, seriesColumns(true, true)), "groups=- items=- group_threads=- threads=- xe_core=- waves=- peak=- vtune_peak=- started=- gpu_time=10.0 host=-"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestLineNames checks the names of rows, their order, and their bars.
func TestLineNames(t *testing.T) {
	sized := func(groups int64) *compare.Row {
		return reduce(compare.Match, func(r *compare.Row) { r.Global, r.Predicted.Groups = unit.Size(256*groups), groups })
	}
	linesFor := func(r *compare.Result, show report.Selection) []line {
		list := linesOf(r, show)
		nameLines(r, list)
		return list
	}
	names := func(rows ...*compare.Row) string {
		return strings.Join(report.ListOf(linesFor(of(rows...), report.Selection{Sort: report.SortName}), func(l line) string { return l.name }), ", ")
	}
	sorted := func(numbers ...int) string {
		var list []line
		for i, n := range numbers {
			list = append(list, line{Row: sized(int64(9 - i)), number: n})
		}
		sortByGroups(list)
		return fmt.Sprint(report.ListOf(list, func(l line) string { return fmt.Sprint(l.groups(), " ", l.number) }))
	}
	two := of(reduce(compare.Below, cause(compare.CauseDispatch, compare.High)), reduce(compare.Below, cause(compare.CauseImbalance, compare.High)))
	bars := func(edits ...func(*compare.Row)) string {
		r := of(reduce(compare.Below, append([]func(*compare.Row){cause(compare.CauseDispatch, compare.High), parts(20, 30)}, edits...)...))
		b := slots(r, linesFor(r, report.Selection{}))
		if b == nil {
			return "none"
		}
		return fmt.Sprint(b.Rows[0].Name, " ", b.Rows[0].Shares, " ", b.Rows[0].Mark, " ", b.Rows[0].MarkTo)
	}
	for _, c := range []struct{ why, got, want string }{
		{"different names", names(reduce(compare.Match), reduce(compare.Match, func(r *compare.Row) { r.Task = "copy" })), "reduce, copy"},
		{"two sizes of one kernel", names(sized(1), sized(2)), "reduce 256 in 256, SIMD32, reduce 512 in 256, SIMD32"},
		{"rows with numbers are numbered again", sorted(2, 0, 1), "[7 1 8 0 9 2]"},
		{"parts", strings.Join(PartNames(), ", "), "measured, underfilled XVEs, idle XVEs, shortfall, last wave (predicted), launch limit (predicted)"},
		{"a bar", bars(), "reduce [{0 0} {1 30} {2 20} {3 0} {4 0} {5 0}] {90 true} {98 true}"},
		{"a narrow prediction", bars(func(r *compare.Row) { r.Predicted.AverageHigh = 0.949 }), "reduce [{0 0} {1 30} {2 20} {3 0} {4 0} {5 0}] {90 true} {0 false}"},
		{"a prediction of exactly the tolerance", bars(func(r *compare.Row) { r.Predicted.Average, r.Predicted.AverageHigh = 0.5, 0.55 }), "reduce [{0 0} {1 30} {2 20} {3 0} {4 0} {5 0}] {50 true} {55 true}"},
		{"no global size", bars(func(r *compare.Row) { r.Predicted.Groups = 0 }), "reduce [{0 0} {1 30} {2 20} {3 0} {4 0} {5 0}] {0 false} {0 false}"},
		{"causes by lost time", byCause(two, []line{{Row: &two.Rows[0], group: &compare.Group{Rows: []int{0}, Lost: 1}}, {Row: &two.Rows[1], group: &compare.Group{Rows: []int{1}, Lost: 2}}}),
			"uneven work-groups 1, very short threads 1"},
		{"no breakdown", bars(func(r *compare.Row) { r.Breakdown = nil }), "none"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestTotal checks the row of totals, as texts and as numbers.
func TestTotal(t *testing.T) {
	cells := func(edits ...func(*compare.Total)) string {
		r := of(reduce(compare.Below, cause(compare.CauseDispatch, compare.High)))
		r.Summary.Kernels, r.Summary.KernelTime = 3, unit.Some[unit.Seconds](1)
		total := &compare.Total{Kernels: 2, TimeShare: 0.925, Predicted: unit.Some[unit.Ratio](0.5), PredictedHigh: unit.Some[unit.Ratio](0.6), Measured: 0.25}
		for _, edit := range edits {
			edit(total)
		}
		table, text := summaryTable(r, linesOf(r, report.Selection{}), total, ""), ""
		for _, c := range table.Columns {
			if !c.Total.Blank() {
				text += fmt.Sprintf("%s=%s, ", c.Key, c.Print(c.Total))
			}
		}
		return text
	}
	for _, c := range []struct{ why, got, want string }{
		{"some kernels", cells(), `kernel=mean over time, time=92.5%, time=92.5, predicted=50-60%, predicted=50.0, predicted_high=60.0, measured=25.0%, measured=25.0, why=2 of 3 kernels, `},
		{"all kernels", cells(func(t *compare.Total) { t.Kernels = 3 }), `kernel=mean over time, time=92.5%, time=92.5, predicted=50-60%, predicted=50.0, predicted_high=60.0, measured=25.0%, measured=25.0, why=all kernels, `},
		{"a range of exactly the tolerance", cells(func(t *compare.Total) { t.PredictedHigh = unit.Some[unit.Ratio](0.55) }), `kernel=mean over time, time=92.5%, time=92.5, predicted=50-55%, predicted=50.0, predicted_high=55.0, measured=25.0%, measured=25.0, why=2 of 3 kernels, `},
		{"one predicted value", cells(func(t *compare.Total) { t.PredictedHigh = percent{} }), `kernel=mean over time, time=92.5%, time=92.5, predicted=50.0%, predicted=50.0, measured=25.0%, measured=25.0, why=2 of 3 kernels, `},
		{"no prediction", cells(func(t *compare.Total) { t.Predicted, t.PredictedHigh = percent{}, percent{} }), `kernel=mean over time, time=92.5%, time=92.5, measured=25.0%, measured=25.0, why=2 of 3 kernels, `},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestTables checks the lists of a row in JSON, and the rows that people see.
func TestTables(t *testing.T) {
	value := func(r any) string {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	full := reduce(compare.Below, cause(compare.CauseDispatch, compare.High), parts(20, 30), func(r *compare.Row) {
		r.Counters = &ingest.Counters{MemoryRead: unit.Some(43.0)}
	})
	list := func(path string) string {
		for _, c := range kernelColumns {
			if c.Path == path {
				return rowsOf(c.Of(&kernel{Row: full}).Rows)
			}
		}
		return "no column " + path
	}
	table := func(rows ...*compare.Row) string {
		r := of(rows...)
		k := kernelTable(r)
		at := k.Column("spill_bytes")
		return fmt.Sprint(k.Len, " ", k.Main, " ", at >= 0 && k.Columns[at].In&report.Terminal != 0, " ", k.Column("host_seconds") >= 0)
	}
	spill := func(n unit.Bytes) func(*compare.Row) { return func(r *compare.Row) { r.Spill = unit.Some(n) } }
	host := func(r *compare.Row) { r.FromLog = true }
	noted := func(edits ...func(*compare.Row)) string {
		return fmt.Sprint(report.ListOf(rowNotes(reduce(compare.NoPrediction, append([]func(*compare.Row){func(r *compare.Row) {
			r.Predicted, r.NoPrediction, r.Notes = nil, "no size", []note.Note{{Text: "first"}}
		}}, edits...)...)), func(n note.Note) string { return n.Code + n.Text }))
	}
	sampling := func(edit func(*compare.Result)) string { return samplingText(edited(edit)) }
	timed := of(reduce(compare.Below, host))
	timed.Timings = []compare.Timing{{Row: 0, Timing: ingest.Timing{Kernel: "k<1>", Groups: unit.Some[int64](1), Seconds: 2, Printed: "2.0", UnitAsPrinted: "s", Pos: note.Pos{File: "a.log", Line: 3}}},
		{Row: -1}}
	first, last := edited(func(r *compare.Result) { r.Platform = ingest.Platform{Host: "a", Driver: "1", Collected: at(1)} }),
		edited(func(r *compare.Result) { r.Platform = ingest.Platform{Host: "b", VTune: "2", Collected: at(2)} })
	platform := edited(func(r *compare.Result) {
		d := *r.Device
		d.Source, r.Device = "a document", &d
		r.Inputs = []ingest.Input{{Path: "a.csv", Kind: "vtune", Rows: 3, BadRows: 1, Digest: "sha256:1"}, {Path: "b.csv", Kind: "vtune", Rows: 1}}
		r.Summary.ModelCompared, r.Summary.ModelMatched = 1, 1
		r.Platform = ingest.Platform{Device: "Arc", DeviceFrom: "the summary", NodeProperty: "gpu", XVEs: unit.Some(112), ThreadsPerXVE: unit.Some(8),
			Adapters: unit.Some(2), Stacks: unit.Some(3), MaxFrequency: unit.Some(2.25e9), Occupancy: unit.Some[unit.Ratio](0.5), Collected: at(3),
			Host: "h", Command: "./a", OS: "Linux", VTune: "2025", Driver: "24", JobID: "7", VectorSize: unit.Some[int64](1024)}
	})
	properties := func(s *report.TestSuite) string {
		text := s.Host + " " + s.Collected.Format("2006-01-02")
		for _, p := range s.Properties {
			text += "; " + p.Name + "=" + p.Value
		}
		return text
	}
	noisy := func(task, text string) *compare.Row {
		return reduce(compare.Below, func(r *compare.Row) { r.Task, r.Notes = task, []note.Note{{Text: text}} })
	}
	items := func(s report.Section) string {
		return strings.Join(report.ListOf(s.Items, func(i report.Item) string { return i.Lead + " (" + i.Detail + "): " + i.Text }), "; ")
	}
	twice := []compare.Timing{{Row: 0}, {Row: 0}}
	for _, c := range []struct{ why, got, want string }{
		{"causes", list("slot_breakdown.causes"), `part=idle cause=dispatch confidence=high evidence=the figures show it confirm_with=a trace
part=underfilled cause=imbalance confidence=low evidence=groups differ.
part=underfilled cause=simd confidence=low
part=underfilled cause=slm confidence=medium`},
		{"counters", list("counters"), "name=GPU Memory Bandwidth:Read unit=GB/s value=43 static=no"},
		{"a bin", row(&compare.Bin{Start: 0.001, End: 0.002, Measured: 0.3, Low: 0.4, High: 0.5, Simulated: 0.6}, binColumns), `start_seconds/start_seconds=1.000 end_seconds/end_seconds=2.000 measured_percent/measured_percent=30.0 measured_low_percent/measured_low_percent=40.0 measured_high_percent/measured_high_percent=50.0 simulated_percent/simulated_percent=60.0`},
		{"timings", rowsOf(timingTable(timed)), `kernel=k<1> groups=1 seconds=2.000000 printed=2.0 unit_as_printed=s task=reduce file=a.log line=3
seconds=0.000000`},
		{"other tasks come last", table(reduce(compare.Match), reduce(compare.NotAKernel)), "2 1 false false"},
		{"no kernel", table(reduce(compare.NotAKernel)), "1 0 false false"},
		{"the host times of a log", fmt.Sprint(kernelTable(edited(func(r *compare.Result) { r.Timings = twice[:1] }, reduce(compare.Below, host))).Column("host_seconds") >= 0), "true"},
		{"properties of a run", rowsOf(report.NameValue("", madeFrom(platform, report.Provenance{Version: "v1", Label: "nightly"}))), `name=Made by value=occudiff v1
name=Label value=nightly
name=Input value=a.csv: vtune, 3 rows, 1 unreadable
name=Digest value=sha256:1
name=Input value=b.csv: vtune, 1 row
name=Tolerance value=5 points; 0.1 points for VTune's peak
name=Sampling interval value=1 ms, assumed; 853 us in hardware
name=Device value=Meteor Lake Arc Graphics (mtl-112), 7 Xe-cores x 16 XVE x 8 threads = 896 thread slots
name=Chosen by value=the summary: 112 XVE
name=Memory bandwidth value=at most 119.5 GB/s, with the fastest memory that it supports (LPDDR5X-7467)
name=Source of its figures value=a document
name=VTune's peak value=agrees with the prediction on 1 of 1
name=Device as printed value=Arc
name=Named by value=the summary
name=Node property value=gpu
name=XVEs value=112
name=Threads per XVE value=8
name=Adapters value=2
name=Stacks per adapter value=3
name=Maximum frequency [MHz] value=2,250
name=Occupancy of the whole run [%] value=50.0
name=Collected value=2026-01-03 00:00:00 UTC
name=Host value=h
name=Command value=./a
name=Operating system value=Linux
name=VTune value=2025
name=Driver value=24
name=Job value=7
name=Vector size value=1,024`},
		{"properties of a suite", properties(TestSuiteFrom(platform, report.Provenance{Version: "v1", Label: "nightly", CommandLine: []string{"occudiff", "validate"}})), `h 2026-01-03; occudiff.version=v1; command=occudiff validate; label=nightly; device=mtl-112; device.name=Meteor Lake Arc Graphics; device.architecture=Xe-LPG; device.thread_slots=896; device.chosen_by=the summary: 112 XVE; driver=24; vtune.version=2025; os=Linux; job=7; tolerance_points=5; model_tolerance_points=0.1; sampling_interval_seconds=0.001; sampling_interval_assumed=true; kernels.judged=0; kernels.not_judged=0; input.1=a.csv sha256:1; input.2=b.csv`},
		{"notes, each text once", items(noteSection(edited(func(r *compare.Result) { r.Notes = []note.Note{{Text: "of the run"}} }, noisy("a", "x"), noisy("b", "x"), noisy("c", "y"), noisy("d", "x")))), "info (): of the run; info (a): x; 2 more kernels have the same note; info (c): y"},
		{"an input", row(&ingest.Input{Path: "a", Kind: "vtune", Digest: "d", Rows: 3, BadRows: 2}, inputColumns()), "path/path=a kind/kind=vtune digest/digest=d rows/rows=3 bad_rows/bad_rows=2"},
		{"times that the kernels do not have", fmt.Sprint(len(timingSection(timed).Tables), len(timingSection(of()).Tables)), "1 0"},
		{"times that the kernels have", fmt.Sprint(len(timingSection(edited(func(r *compare.Result) { r.Timings = twice[:1] }, reduce(compare.Below, host))).Tables)), "0"},
		{"no spill on a terminal", table(reduce(compare.Match, spill(0))), "1 1 false false"},
		{"a spill", table(reduce(compare.Match, spill(1))), "1 1 true false"},
		{"the reason for no prediction", noted(), "[first no-predictionno size]"},
		{"the reason is a note already", noted(func(r *compare.Row) { r.Notes = append(r.Notes, note.Note{Text: "no size"}) }), "[first no size]"},
		{"no reason for a copy", noted(func(r *compare.Row) { r.Verdict = compare.NotAKernel }), "[first]"},
		{"a prediction", noted(func(r *compare.Row) { r.Predicted = &predict.Prediction{} }), "[first]"},
		{"a sampling interval", sampling(func(*compare.Result) {}), "1 ms, assumed; 853 us in hardware"},
		{"an assumed interval", sampling(func(r *compare.Result) { r.Options.SamplingAssumed = true }), "1 ms, assumed; 853 us in hardware"},
		{"an interval that the clock does not allow", sampling(func(r *compare.Result) { r.Options.SamplingInterval = 0.0015 }), "1.5 ms, assumed; 853 us in hardware"},
		{"the interval of the samples", sampling(func(r *compare.Result) { r.Platform.SamplingInterval = unit.Some[unit.Seconds](0.002) }), "2 ms, from the samples"},
		{"the origin of two runs", Origin(first, last), "host a and b, driver 1, VTune 2"},
		{"the last collection", Collected(first, last, first).Format("2006-01-02"), "2026-01-02"},
		{"the title of two runs", Title("what", first, last), "what on Meteor Lake Arc, 2026-01-02"},
		{"the device of a run", originOf(first), "Device from the summary: 112 XVE, host a, driver 1"},
		{"no device", originOf(edited(func(r *compare.Result) { r.Device = nil })), ""},
		{"one time per row", fmt.Sprint(hostTimes(timed)), "map[0:2]"},
		{"two times of one row", fmt.Sprint(hostTimes(edited(func(r *compare.Result) { r.Timings = twice })) == nil), "true"},
		{"a log", fmt.Sprint(fromLog(timed), fromLog(edited(func(r *compare.Result) { r.Timings = twice[:1] }, reduce(compare.Below, host))), fromLog(of())), "false true false"},
		{"programs see every row", fmt.Sprint(len(value(Value(of(reduce(compare.Match), reduce(compare.Match))))) > 0), "true"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

func at(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }

// rowsOf returns the texts of a table, with a line per row.
func rowsOf(t *report.Table) string {
	var lines []string
	for cells := range t.All() {
		var texts []string
		for i, c := range cells {
			if text := t.Columns[i].Print(c); text != "-" && text != "" {
				texts = append(texts, cmp.Or(t.Columns[i].Key, t.Columns[i].Path)+"="+text)
			}
		}
		lines = append(lines, strings.Join(texts, " "))
	}
	return strings.Join(lines, "\n")
}
