package predictdoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
)

// linesOf returns the first lines, the last line, and the items of a document.
func linesOf(t *testing.T) func(*report.Output, error) string {
	return func(o *report.Output, err error) string {
		t.Helper()
		if err != nil {
			return "error: " + err.Error()
		}
		lines := append(slices.Clone(o.Doc.Headline), o.Doc.Closing)
		for _, s := range o.Doc.Sections {
			for _, i := range s.Items {
				line := fmt.Sprintf("%s (%s) %d: %s", i.Lead, i.Detail, i.Status, i.Text)
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
		return strings.Join(lines, "\n")
	}
}

// firstCells returns the first cells of each row of the output's table.
func firstCells(o *report.Output, err error, n int) string {
	if err != nil {
		return err.Error()
	}
	var lines []string
	for cells := range o.Table.Show().All() {
		var texts []string
		for _, c := range cells[:min(n, len(cells))] {
			texts = append(texts, fact(c))
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	return strings.Join(lines, "\n")
}

// TestKernelPages checks the page about the kernels of binaries.
func TestKernelPages(t *testing.T) {
	d := tgl(t)
	k := func(name string, registers int, edits ...func(*batch.Kernel)) batch.Kernel {
		k := batch.Kernel{Kernel: zebin.Kernel{Name: name, SIMD: 16, Registers: registers}, Device: d}
		for _, edit := range edits {
			edit(&k)
		}
		return k
	}
	message := func(k *batch.Kernel) { k.Message = "no work-group fits" }
	lines := linesOf(t)
	page := func(modes bool, notes []note.Note, kernels ...batch.Kernel) string {
		return lines(Kernels(kernels, notes, unit.Size3{}, modes), nil)
	}
	limits := Kernels(nil, nil, unit.Size3{}, false).Table
	for _, c := range []struct{ reason, got, want string }{
		{"kernels", page(false, nil, k("a", 128), k("b", 256)), `2 kernels on tgl-96; predicted for a full GPU
Predicted from the binary alone: an upper bound on what a run can show.`},
		{"a message", page(false, nil, k("a", 128, message), k("a", 128, message)), `2 kernels on tgl-96; predicted for a full GPU
Predicted from the binary alone: an upper bound on what a run can show.
a (tgl-96) 0: no work-group fits`},
		{"register modes", page(true, nil, k("a", 128), k("a", 256), k("b", 128)), `Register modes of kernels on tgl-96; predicted for a full GPU
More registers do not always spill less, and another mode may have another SIMD width. To find out, compile for both modes and measure them. The build option applies to all kernels of a module.
128 registers () 0: the default
256 registers () 0: OpenCL -cl-intel-256-GRF-per-thread, Level Zero -ze-opt-large-register-file`},
		{"a failed compilation", page(false, []note.Note{{Code: batch.NotCompiled, Text: "k.cl for d", Severity: note.Warning}}, k("a", 128)), `1 kernel on tgl-96; predicted for a full GPU
K.cl for d
Predicted from the binary alone: an upper bound on what a run can show.
warning () 3: k.cl for d`},
		{"limits in all outputs", fmt.Sprint(limits.Columns[limits.Column("limits")].In == report.All), "true"},
		{"a note", fmt.Sprint(noteItems([]note.Note{{Severity: note.Warning, Text: "x", Hint: "do y", Pos: note.Pos{File: "f", Line: 2, Column: 1}}, {Text: "z"}})), "[{warning false f:2:1 x (do y) 3} {info false  z 0}]"},
		{"no device", fmt.Sprint(deviceOf(&batch.Kernel{}) == nil, DeviceOf(nil, arch.Source{}).Len, DeviceOf(d, arch.Source{}).Len), "true 0 1"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestAdvice checks the sentences of advice for launches in each case.
func TestAdvice(t *testing.T) {
	on := arch.Choice{Device: tgl(t)}
	whole := predict.Launch{Global: unit.Size(81920), Local: unit.Size(256), SIMD: 16}
	edited := func(edit func(*predict.Launch)) predict.Launch {
		l := whole
		edit(&l)
		return l
	}
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	found, err := table.Find(arch.Query{Name: "max1550"})
	if err != nil {
		t.Fatal(err)
	}
	max, lines := found.Device, linesOf(t)
	may := predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}
	prediction := func(average unit.Ratio) predict.Prediction {
		return predict.Prediction{Groups: 10, Peak: 0.8, Average: average, AverageHigh: average}
	}
	proposal := func(changes ...predict.Change) predict.Setting {
		return predict.Setting{Launch: whole, Prediction: prediction(0.75), Changes: changes}
	}
	now, larger, least := prediction(0.5), predict.Change{Setting: predict.SettingLocal, Text: "work-group 64 -> 128", To: 128}, proposal(predict.Change{Text: "SLM 2 -> 1 KB", To: 1})
	small := predict.NextStep{Text: "a small gain", Alone: true, Prediction: prediction(0.7)}
	step := predict.NextStep{Text: "more work-groups", Alone: true, Prediction: prediction(0.75)}
	of := func(found predict.Advice, edits ...func(*advice)) *advice {
		c := &advice{launch: whole, found: found}
		for _, edit := range edits {
			edit(c)
		}
		return c
	}
	rows := func(c *advice) string {
		return strings.Join(report.ListOf(c.settings(), func(s setting) string { return s.what + ": " + s.words() }), "; ")
	}
	items := func(c *advice) string {
		return strings.Join(report.ListOf(c.items(), func(i report.Item) string { return i.Lead + ": " + i.Text }), "; ")
	}
	for _, c := range []struct{ reason, got, want string }{
		{"nothing runs", of(predict.Advice{}).best(), "No change of the allowed settings makes the launch run."},
		{"the launch is the best", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal()}}).best(),
			"No change of the allowed settings does better than the launch as it is."},
		{"a step without a search", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal()}, Next: []predict.NextStep{{After: 1}, small, step, small}}).best(),
			"More work-groups. No other setting does better."},
		{"less SLM per work-item", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal(larger)}, LessSLM: true}).best(),
			"Best: work-group 256, sub-group 16: peak 80.0%, average 75.0%. This needs less SLM per work-item than the launch. With the same SLM per work-item, no setting does better than the launch."},
		{"the same SLM per work-item", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal(larger)}, LessSLM: true, SameSLM: &least}).best(),
			"Best: work-group 256, sub-group 16: peak 80.0%, average 75.0%. This needs less SLM per work-item than the launch. With the same SLM per work-item: work-group 256, sub-group 16: peak 80.0%, average 75.0%."},
		{"a row for the same SLM per work-item", rows(of(predict.Advice{Current: &now, Best: []predict.Setting{proposal(larger)}, SameSLM: &least})), "now: ; best, same SLM: SLM 2 -> 1 KB; best: work-group 64 -> 128"},
		{"too few work-groups for an Xe-core's limit", lines(Advise(&arch.Choice{Device: max}, predict.Launch{Global: unit.Size(7168), Local: unit.Size(256), SIMD: 32, SLM: 60 << 10}, predict.VariableSettings{})), `Intel(R) Data Center GPU Max 1550 (max1550), 128 Xe-cores x 8 XVE x 8 threads = 8,192 thread slots
7168 work-items in work-groups of 256, SIMD32, 60 KB SLM per work-group
Now: peak 2.7%, average 2.7%, limited by grid (policy whole). A full Xe-core has 25.0%, limited by slm
228 more work-groups for a full GPU: peak 2.7 -> 25.0%. No other setting does better.
next step () 0: 228 more work-groups for a full GPU: peak 2.7 -> 25.0%
grid () 0: 256 work-groups fill the GPU; multiples of 256 leave no partial last wave
SLM () 0: up to 64 KB per work-group do not change the number of work-groups per Xe-core`},
		{"one setting", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal(larger)}, Equal: 1}).best(), "Best: work-group 256, sub-group 16: peak 80.0%, average 75.0%."},
		{"equal settings", of(predict.Advice{Current: &now, Best: []predict.Setting{proposal(larger)}, Equal: 2}).best(), "2 settings reach peak 80.0%, average 75.0%. The list begins with the smallest change, the largest sub-group, and the smallest work-group."},
		{"a launch that did not run", of(predict.Advice{Best: []predict.Setting{proposal()}}).best(), "Best: work-group 256, sub-group 16: peak 80.0%, average 75.0%."},
		{"the current launch", of(predict.Advice{Current: &now}).now(), "Now: peak 80.0%, average 50.0%, limited by  (policy auto)"},
		{"idle lanes", of(predict.Advice{Current: &predict.Prediction{Peak: 1, Groups: 1, Average: 1, AverageHigh: 1, GroupSize: 48, IdleLanes: 16}}).now(),
			"Now: peak 100.0%, average 100.0%, limited by  (policy auto). 25.0% of the lanes are idle, and the ranking counts only the others"},
		{"a rejected launch", of(predict.Advice{Rejection: errors.New("too large")}).now(), "Now: cannot run, too large"},
		{"no SIMD width", of(predict.Advice{}, func(c *advice) { c.launch.SIMD = 0 }).now(), "All sub-group sizes are searched."},
		{"no work-group size", of(predict.Advice{}, func(c *advice) { c.launch.Local = unit.Size3{} }).now(), "All work-group sizes are searched."},
		{"rows", rows(of(predict.Advice{Current: &now, Least: &least, Best: []predict.Setting{proposal(larger), proposal(larger)}})), "now: ; least change: SLM 2 -> 1 KB; best: work-group 64 -> 128; best: work-group 64 -> 128"},
		{"the least change is the best", rows(of(predict.Advice{Current: &now, Least: &least, Best: []predict.Setting{least}})), "now: ; best: SLM 2 -> 1 KB"},
		{"now is the best", rows(of(predict.Advice{Current: &now, Best: []predict.Setting{proposal()}})), "now, best: "},
		{"now is the best of the search", rows(of(predict.Advice{Current: &now, Best: []predict.Setting{proposal()}, Next: []predict.NextStep{step}})), "now: "},
		{"no current launch", rows(of(predict.Advice{Best: []predict.Setting{proposal()}})), "best: "},
		{"items", items(of(predict.Advice{Least: &least, Next: []predict.NextStep{{Text: "in the table", Change: predict.Change{Text: "without the SLM per work-item", To: 1}}, step},
			FullGrid: predict.FullGrid{Least: 12, Multiple: 24}, SLMRoom: 4096}, func(c *advice) { c.launch.SLM = 1024 })), `next step: more work-groups; grid: 12 work-groups fill the GPU; multiples of 24 leave no partial last wave; SLM: up to 4 KB per work-group do not change the number of work-groups per Xe-core`},
		{"all SLM is used", items(of(predict.Advice{SLMRoom: 1024}, func(c *advice) { c.launch.SLM = 1024 })), ""},
		{"no SLM", items(of(predict.Advice{SLMRoom: 1024})), ""},
		{"no launch", lines(Advise(&on, predict.Launch{}, may)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
All work-group sizes are searched.
24 settings reach Xe-core 100.0%. The list begins with the smallest change, the largest sub-group, and the smallest work-group.
grid () 0: 672 work-groups fill the GPU; multiples of 672 leave no partial last wave
full occupancy () 0: a work-group has at most the 112 threads of an Xe-core, and needs 7 to fill it with 16 work-groups, the smallest published limit (guide_2021).`},
		{"a launch", lines(Advise(&on, whole, may)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
81920 work-items in work-groups of 256, SIMD16
Now: peak 100.0%, average 95.2 to 96.5%, limited by threads (policy free)
No change of the allowed settings does better than the launch as it is.
grid () 0: 42 work-groups fill the GPU; multiples of 42 leave no partial last wave`},
		{"probes", lines(Probe(&on, edited(func(l *predict.Launch) { l.SLM = 4096 }))), "TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots\n81920 work-items in work-groups of 256, SIMD16, 4 KB SLM per work-group\nNow: peak 100.0%, average 95.2 to 96.5%, limited by threads (policy whole)\nMeasure the launch as it is and with each probe, several times each, and compare them with 'occudiff diff BASE PROBE...'. If less occupancy takes no more time per work-item, occupancy is sufficient.\nSLM () 0: SYCL: sycl::local_accessor<char>; OpenCL: a `__local char *` argument, set with clSetKernelArg(kernel, i, BYTES, NULL). Write a byte of it under a condition that the compiler cannot see to be false, or it drops the SLM"},
		{"cells of probes", firstCellsOf(Probe(&on, whole)), `SLM 0 KB -> 16 KB|16,384|256|4|57.143%|54.422%|local_accessor<char> of 16384 bytes
SLM 0 KB -> 32 KB|32,768|256|2|28.571%|28.219%|local_accessor<char> of 32768 bytes
SLM 0 KB -> 64 KB|65,536|256|1|14.286%|14.109%|local_accessor<char> of 65536 bytes`},
		{"a probe of the register mode", firstCellsOf(Probe(&arch.Choice{Device: max}, predict.Launch{Global: unit.Size(1 << 20), Local: unit.Size(256), SIMD: 16, GRF: 128})), `SLM 0 KB -> 48 KB|49,152|256|128|2|50%|50%|local_accessor<char> of 49152 bytes
registers 128 -> 256||256|256|2|50%|50%|-ze-opt-large-register-file
SLM 0 KB -> 96 KB|98,304|256|128|1|25%|25%|local_accessor<char> of 98304 bytes`},
		{"barriers of a small work-group", lines(Predict(&Question{Launch: edited(func(l *predict.Launch) { l.Barriers, l.Local = 1, unit.Size(16) }), On: []arch.Choice{on}})), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
81920 work-items in work-groups of 16, SIMD16, 1 barrier
Peak 57.1%, average 54.4 to 55.7%, limited by barriers (policy whole).
barriers () 0: a work-group has at most the 112 threads of an Xe-core, and needs 7 to fill it with 16 work-groups, the smallest published limit (guide_2021).`},
		{"barriers of a large work-group", lines(Predict(&Question{Launch: edited(func(l *predict.Launch) { l.Barriers, l.Local = 1, unit.Size(512) }), On: []arch.Choice{on}})), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
81920 work-items in work-groups of 512, SIMD16, 1 barrier
Peak 85.7%, average 84.7%, limited by threads (policy whole); under policy free peak 100.0%, average 95.2%.`},
		{"the driver disagrees", lines(Predict(&Question{Launch: edited(func(l *predict.Launch) { l.Barriers, l.Local = 1, unit.Size(16) }), On: []arch.Choice{on}, Driver: true})), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
81920 work-items in work-groups of 16, SIMD16, 1 barrier
Peak 57.1%, average 54.4 to 55.7%, limited by barriers (policy whole).
barriers () 0: a work-group has at most the 112 threads of an Xe-core, and needs 7 to fill it with 16 work-groups, the smallest published limit (guide_2021).
driver () 0: 192 work-groups fit on the GPU at once by the compute driver's formula, and 384 by the model: barriers: 32 slots per Xe-core in the driver's formula, 64 (calculator) in the model.`},
		{"no probe", strings.Split(lines(Probe(&on, edited(func(l *predict.Launch) { l.Global, l.Local = unit.Size(8), unit.Size(8); l.SIMD = 8 }))), "\n")[3], "No setting lowers the occupancy by 5 points or more."},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

func firstCellsOf(o *report.Output, err error) string { return firstCells(o, err, 8) }

// TestSweeps checks the points, columns, and curves of each sweep.
func TestSweeps(t *testing.T) {
	on := arch.Choice{Device: tgl(t)}
	l := predict.Launch{Global: unit.Size(81920), Local: unit.Size(256), SIMD: 16}
	slm := l
	slm.SLM = 1500
	telling := func(over string, l predict.Launch, groups ...int64) string {
		a := axisOf(over, groups)
		return fmt.Sprint(report.ListOf(a.telling(a.vary(on.Device, l), on.Device, &l), func(p predict.Point) int64 { return p.X }))
	}
	var every []int64
	for i := range int64(100) {
		every = append(every, i+1)
	}
	columns := func(over string, l predict.Launch, groups ...int64) string {
		o, err := Sweep(&on, l, over, groups...)
		if err != nil {
			return err.Error()
		}
		var names []string
		for _, c := range o.Table.Show().Columns {
			names = append(names, fmt.Sprint(c.Heading(), " ", c.Decimals))
		}
		return strings.Join(names, ", ")
	}
	curves := func(over string, l predict.Launch, groups ...int64) string {
		o, err := Sweep(&on, l, over, groups...)
		if err != nil {
			return err.Error()
		}
		text := fmt.Sprint(o.Chart.Title, " / ", o.Chart.LineChart.X, " / ", o.Chart.LineChart.XStep, " / ", o.Chart.LineChart.XAlone)
		for _, s := range o.Chart.LineChart.Series {
			p := s.Points[len(s.Points)-1]
			text += fmt.Sprintf("; %s %d %d %.4g %.4g", s.Name, s.Style, len(s.Points), p.X, p.Y)
		}
		return text
	}
	own, other := predict.Point{Err: errors.New("own"), Own: true}, predict.Point{Err: errors.New("other")}
	lines := linesOf(t)
	for _, c := range []struct{ reason, got, want string }{
		{"sizes of 2^n sub-groups", telling(overLocal, predict.Launch{Local: unit.Size(48), SIMD: 16}), "[16 32 48 64 128 256 512]"},
		{"sizes of SLM", telling(overSLM, slm), "[0 1024 1500 2048 4096 8192 16384 32768 65536]"},
		{"waves", telling(overGroups, l, every...), "[1 2 3 4 5 6 7 42 43 84 85 100 320]"},
		{"columns of SLM", columns(overSLM, slm), `SLM per work-group [KB] 3, Threads per work-group 0, Work-groups per Xe-core by threads 0, Work-groups per Xe-core by SLM 0, Work-groups per Xe-core by slots 0, Work-groups per Xe-core 0, Work-groups 0, Xe-core [%] 0, Xe-core of the GRF mode [%] 0, Predicted peak [%] 0, Predicted average [%] 0, Waves 2, Last-wave occupancy [%] 0, Limited by 0, Remark 0`},
		{"columns of whole SLM", columns(overSLM, l), `SLM per work-group [KB] 0, Threads per work-group 0, Work-groups per Xe-core by threads 0, Work-groups per Xe-core by SLM 0, Work-groups per Xe-core by slots 0, Work-groups per Xe-core 0, Work-groups 0, Xe-core [%] 0, Xe-core of the GRF mode [%] 0, Predicted peak [%] 0, Predicted average [%] 0, Waves 2, Last-wave occupancy [%] 0, Limited by 0, Remark 0`},
		{"columns of work-groups", columns(overGroups, l, 1, 42), `Work-groups 0, Work-items 0, Threads 0, Xe-core share [%] 0, Predicted peak [%] 0, Predicted average [%] 0, Waves 2, Last-wave occupancy [%] 0, Remark 0`},
		{"columns of registers", columns(overGRF, l), `Registers per thread 0, Threads per XVE 0, Largest work-group 0, Xe-core [%] 0, Predicted peak [%] 0, Predicted average [%] 0, Limited by 0, How to request it 0, Remark 0`},
		{"curves of sub-group sizes", curves(overSIMD, l), `Predicted occupancy, TGL Iris Xe Graphics (96 EU) / Sub-group size / 8 / [8 16 32]; Xe-core 0 3 32 100; GPU peak 0 3 32 100; GPU average 0 3 32 95.24; this launch 2 3 32 NaN`},
		{"curves of work-groups", curves(overGroups, l, every...), `Predicted occupancy, TGL Iris Xe Graphics (96 EU) / Work-groups / 0 / []; Xe-core share 2 101 320 100; GPU peak 2 101 320 100; GPU average 2 101 320 95.24; this launch 2 101 320 95.24`},
		{"some work-groups", curves(overGroups, l, 1, 42), `Predicted occupancy, TGL Iris Xe Graphics (96 EU) / Work-groups / 0 / []; Xe-core share 2 3 320 100; GPU peak 2 3 320 100; GPU average 2 3 320 95.24; this launch 2 3 320 95.24`},
		{"a curve without a global size", curves(overSLM, predict.Launch{Local: unit.Size(256), SIMD: 16}), "Predicted occupancy, TGL Iris Xe Graphics (96 EU) / SLM per work-group [KB] / 4 / []; Xe-core 0 65 64 14.29; this launch 2 65 64 NaN"},
		{"registers", lines(Sweep(&on, l, overGRF)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
81920 work-items in work-groups of 256, SIMD16
Highest average: 95.2%, reached first at 128; this launch has it.
128 registers () 0: the default`},
		{"a long sweep", lines(Sweep(&on, l, overGroups, every...)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
work-groups of 256, SIMD16; 13 of 101 values, -v shows all
Highest average: 100.0%, reached first at 42; this launch has 95.2%.`},
		{"all points fail", fmt.Sprint(rejection([]predict.Point{other, own, other})), "own"},
		{"the first failure", fmt.Sprint(rejection([]predict.Point{other, {Err: errors.New("third")}})), "other"},
		{"one point runs", fmt.Sprint(rejection([]predict.Point{other, {}})), "<nil>"},
		{"no point is whole", fmt.Sprint(highest([]predict.Point{{Prediction: predict.Prediction{Partial: true}}}, true) == nil), "true"},
		{"a timeline", lines(Timeline(t.Context(), &on, predict.Launch{Global: unit.Size(2560), Local: unit.Size(320), SIMD: 8}, 0)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
2560 work-items in work-groups of 320, SIMD8; policy free
Peak 47.6%; average over time 47.6%. Times are in run times of a thread, 1 in total.
what-if () 0: policy partial with 2 dispatch ports lets the threads of a work-group enter one by one. This number of ports explains the published phases of this GPU.`},
		{"a timeline with ports", lines(Timeline(t.Context(), &on, predict.Launch{Global: unit.Size(2560), Local: unit.Size(320), SIMD: 8}, 2)), `TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots
2560 work-items in work-groups of 320, SIMD8; policy partial
A what-if, not a prediction: policy partial with 2 dispatch ports lets the threads of a work-group enter one by one.
Peak 33.3%; average over time 23.8%. Times are in run times of a thread, 2 in total. The prediction (policy free) is peak 47.6%, average 47.6%.`},
		{"no global size", lines(Timeline(t.Context(), &on, predict.Launch{Local: unit.Size(320), SIMD: 8}, 2)), "error: --timeline needs the whole launch: give --global"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestOtherModels checks the pages of Intel's calculator and of compute units.
func TestOtherModels(t *testing.T) {
	platforms, err := computeunit.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Find("gen11")
	if err != nil {
		t.Fatal(err)
	}
	devices, err := calculator.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d, err := devices.Find("fam:xe2_hpg", 160)
	if err != nil {
		t.Fatal(err)
	}
	lines := linesOf(t)
	steps := func(o *report.Output, err error) string {
		if err != nil {
			return err.Error()
		}
		var text []string
		for cells := range o.Table.All() {
			text = append(text, strings.Join(report.ListOf(cells[:3], report.Cell.String), " | ")+" "+strings.TrimSpace(cells[len(cells)-1].Text))
		}
		return strings.Join(text, "\n")
	}
	launch := computeunit.Launch{GroupSize: 256, SubgroupSize: 16, RegisterBytes: 128, SLM: 4096}
	for _, c := range []struct{ reason, got, want string }{
		{"a compute unit", lines(ComputeUnit(&p, launch, 0)), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
work-groups of 256, sub-groups of 16, 4 KB SLM per work-group, 128 bytes of registers per work-item
Compute-unit occupancy: 85.7%, limited by subgroups; 100.0% of the lanes are in use.`},
		{"a whole GPU", lines(ComputeUnit(&p, launch, 100)), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
work-groups of 256, sub-groups of 16, 4 KB SLM per work-group, 128 bytes of registers per work-item
Compute-unit occupancy: 85.7%, limited by subgroups; 100.0% of the lanes are in use. GPU peak 85.7%, average 71.4%.`},
		{"steps", steps(ComputeUnit(&p, launch, 100)), `sub-groups per work-group | ceil(256 / 16) | 16 
registers per work-item, most | ceil(4096 / 16) bytes | 256 bytes 
work-groups by registers | floor(229376 / (128 x 256)) | 7 
work-groups by SLM | floor(65536 / 4096) | 16 
work-groups by sub-groups | floor(8 x 7 / 16) | 3 limits
work-groups by hardware | active work-groups | 16 
work-groups per compute unit | the least of these | 3 
sub-group occupancy | 16 x 3 / 56 | 85.7% 
lane occupancy | 256 / (16 x 16) | 100.0% 
work-groups that fill the GPU | 8 compute units x 3; multiples leave no partial last wave | 24 
waves | 100 work-groups / 24 | 4.167 `},
		{"no registers and no SLM", steps(ComputeUnit(&p, computeunit.Launch{GroupSize: 256, SubgroupSize: 16}, 0)), `sub-groups per work-group | ceil(256 / 16) | 16 
registers per work-item, most | ceil(4096 / 16) bytes | 256 bytes 
work-groups by registers | no registers given | no limit 
work-groups by SLM | no SLM used | no limit 
work-groups by sub-groups | floor(8 x 7 / 16) | 3 limits
work-groups by hardware | active work-groups | 16 
work-groups per compute unit | the least of these | 3 
sub-group occupancy | 16 x 3 / 56 | 85.7% 
lane occupancy | 256 / (16 x 16) | 100.0% 
work-groups that fill the GPU | 8 compute units x 3; multiples leave no partial last wave | 24 `},
		{"a spill", lines(ComputeUnit(&p, computeunit.Launch{GroupSize: 256, SubgroupSize: 16, RegisterBytes: 4096}, 0)), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
work-groups of 256, sub-groups of 16, 4 KB of registers per work-item
No work-group fits: registers. A work-item uses 4 KB of registers, but only 256 bytes are allowed at this sub-group size: the kernel spills.`},
		{"the step of a spill", steps(ComputeUnit(&p, computeunit.Launch{GroupSize: 256, SubgroupSize: 16, RegisterBytes: 4096}, 0)), `sub-groups per work-group | ceil(256 / 16) | 16 
registers per work-item, most | ceil(4096 / 16) bytes | 256 bytes 
work-groups by registers | 4096 bytes per work-item are above that: spilled | 0 limits
work-groups by SLM | no SLM used | no limit 
work-groups by sub-groups | floor(8 x 7 / 16) | 3 
work-groups by hardware | active work-groups | 16 
work-groups per compute unit | the least of these | 0 
sub-group occupancy | 16 x 0 / 56 | 0.0% 
lane occupancy | 256 / (16 x 16) | 100.0% `},
		{"all settings", lines(ComputeUnitAdvice(&p, computeunit.Target{})), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
12 settings reach full occupancy with all lanes in use. Multiples of the work-groups that fill the GPU leave no partial last wave.`},
		{"no setting is full", lines(ComputeUnitAdvice(&p, computeunit.Target{GroupSize: unit.Some[int64](64), SLM: unit.Some[unit.Bytes](65536)})), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
With the fixed settings, full occupancy is not possible; the highest is 14.3%.
least change () 0: 65536 -> 9362 bytes of SLM per work-group: full occupancy at a work-group of 64 and sub-groups of 8`},
		{"no setting fits", lines(ComputeUnitAdvice(&p, computeunit.Target{RegisterBytes: unit.Some[unit.Bytes](1 << 20)})), `Intel Gen11 (Ice Lake GT2) (gen11), a compute unit with 8 processing blocks x 7 sub-groups, 224 KB of registers, 64 KB of SLM; 8 compute units
No work-group fits with the fixed settings.
least change () 0: 1048576 -> 512 bytes of registers per work-item (128 registers of 4 bytes): full occupancy at a work-group of 32 and sub-groups of 8`},
		{"the calculator", lines(Calculator(&d, calculator.Input{Global: "24080", Local: "1,16,1", SIMD: 32, SLMKB: 17})), `Xe2 HPG: discrete Arc, Battlemage (fam:xe2_hpg) as the calculator has it: 20 Xe-cores x 8 XVE, 64 threads per Xe-core
24080 work-items in work-groups of 1,16,1, SIMD32, 17 KB SLM per work-group
As Intel's GPU Occupancy Calculator computes it, including rounding and errors.`},
		{"the calculator without a global size", lines(Calculator(&d, calculator.Input{Local: "1,16,1", SIMD: 32})), `Xe2 HPG: discrete Arc, Battlemage (fam:xe2_hpg) as the calculator has it: 20 Xe-cores x 8 XVE, 64 threads per Xe-core
no global size in work-groups of 1,16,1, SIMD32
As Intel's GPU Occupancy Calculator computes it, including rounding and errors.`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestLookups checks the pages about devices and terms.
func TestLookups(t *testing.T) {
	d := tgl(t)
	explain := func(name string) string {
		o, err := Explain(name)
		if err != nil {
			return err.Error()
		}
		return o.Doc.Title + ": " + strings.Join(report.ListOf(o.Doc.Sections, func(s report.Section) string { return s.Key + " " + s.Title }), ", ")
	}
	items := func(w report.Term) string {
		s := section(&w, "k")
		return s.Title + strings.Join(report.ListOf(s.Items, func(i report.Item) string { return "; " + i.Lead + ": " + i.Text }), "")
	}
	names := Names()
	brief := Devices(slices.Repeat([]arch.Device{*d}, 16)).Doc
	for _, c := range []struct{ reason, got, want string }{
		{"a cause", explain("gaps"), "Gaps: word-1 gaps (cause, found with below: idle)"},
		{"a column", explain("Predicted peak [%]"), "Predicted peak: word-1 Predicted peak (column)"},
		{"a counter", explain("XVE Stall Reasons:Send"), "XVE Stall Reasons: word-1 XVE Stall Reasons (word of the field)"},
		{"the end of a key", explain("run"), `Run: word-1 Run (column), word-2 run (field), word-3 validate-runs.findings.run (field), word-4 runs.run (field), word-5 summary.findings.run (field), word-6 renamed.run (field), word-7 track-check.run (field), word-8 incidents.run (field)`},
		{"an unknown term", explain("xyzzy"), `no output has the term "xyzzy"`},
		{"a cause with everything", items(report.Term{Name: "n", Kind: "cause", Meaning: "m", DetectedBy: "d", Action: "a", Source: "s", With: "w"}), "n (cause, found with w); Meaning: m; Detected by: d; What to do: a; Source: s"},
		{"a flag", items(report.Term{Name: "n", Kind: FlagKind, Meaning: "m", With: "w"}), "n (flag of w); Meaning: m"},
		{"a formula", items(report.Term{Name: "n", Kind: columnKind, Meaning: "m", DetectedBy: "d"}), "n (column); Meaning: m; Formula: d"},
		{"names for completion", fmt.Sprint(slices.IsSorted(names), slices.ContainsFunc(names, func(n string) bool { return strings.ContainsAny(n, ". ") }), len(slices.Compact(names)) == len(names)), "true false true"},
		{"keys by architecture", fmt.Sprint(byArchitecture([]arch.Device{{Key: "a", Architecture: "Xe"}, {Key: "b", Architecture: "Gen"}, {Key: "c", Architecture: "Xe"}})), "[{Xe false  a, c 0} {Gen false  b 0}]"},
		{"more devices than a terminal shows", brief.Headline[0] + fmt.Sprint(len(brief.Sections[0].Items)), "16 devices; 'occudiff devices KEY' shows one with its sources, -v shows all with their values1"},
		{"as many devices as a terminal shows", Devices(slices.Repeat([]arch.Device{*d}, 15)).Doc.Headline[0], "15 devices; 'occudiff devices KEY' shows one with its sources"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}
