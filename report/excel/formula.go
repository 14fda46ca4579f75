package excel

import (
	"strings"

	"occudiff/report"
)

// The formulas of the what-if sheet. They say what package predict computes, in functions that every spreadsheet
// program has: no LET, no XLOOKUP, no arrays that spill. {name} stands for the cell of that name, {d:column} for the
// picked row of the table of devices, {r:column} for that of the launches. An absent figure is the empty text.

// formulaLine is a value of the sheet, a line each.
type formulaLine struct {
	name, label string
	formula     string
	run         string // the column of the launches that has the value as the run had it
	column      report.Column
	how         string // in words
}

func percentLine(name, label, formula, run, how string) formulaLine {
	return formulaLine{name, label + " [%]", formula, run, report.Column{Kind: report.Percent}, how}
}

func countLine(name, label, formula, how string) formulaLine {
	return formulaLine{name, label, formula, "", report.Column{Kind: report.Integer}, how}
}

func textLine(name, label, formula, how string) formulaLine {
	return formulaLine{name, label, formula, "", report.Column{Kind: report.Text}, how}
}

// resultLines are what a person looks for.
func resultLines() []formulaLine {
	n := countLine("n", "Work-groups per Xe-core", running("MIN({by_threads},{by_slm},{by_slots},{by_barriers})"),
		"the least of the four under Steps")
	n.run = "run_n"
	limits := textLine("limits", "Limited by", limitsFormula(), "all that bind")
	limits.run = "run_limits"
	return []formulaLine{
		textLine("status", "Can it run?", statusFormula(), ""),
		percentLine("xe_core", "Occupancy of an Xe-core", running("100*{threads_per_group}*{n}/{slots}"), "run_xe_core",
			"threads per work-group x work-groups / thread slots"),
		percentLine("peak", "Peak of the GPU", onGrid("100*MIN({thread_total},{capacity})/{gpu_slots}"), "run_peak",
			"while the waves are full"), percentLine("average", "Average of the GPU",
			onGrid("MIN({peak},100*{thread_total}/(({full}+IF({rest}>0,1,0))*{gpu_slots}))"), "run_average",
			"over all waves, the last one counted as long as a full one"),
		percentLine("average_high", "Average at most", onGrid(highFormula()), "",
			"where the last wave takes as much less time as its XVEs hold fewer threads"),
		{"waves", "Waves", onGrid("{thread_total}/{capacity}"), "run_waves",
			report.Column{Kind: report.Number, Decimals: 2}, "all threads / what the GPU holds at once"},
		percentLine("tail", "Last wave", onGrid("100*{rest}/{gpu_slots}"), "run_tail", "0 when it is full"),
		limits, n,
		textLine("remarks", "Remarks", remarksFormula(), ""),
	}
}

// running is a formula of launches that can run; onGrid is one of those that have a global size as well.
func running(formula string) string { return `IF({status}="runs",` + formula + `,"")` }
func onGrid(formula string) string  { return `IF({thread_total}="","",` + formula + `)` }

// seenLines hold the prediction against what was measured, as package compare does.
func seenLines() []formulaLine {
	const seen = `IF({measured}<>"",{measured},{vtune_peak})`
	const unmeasurable = `AND({measured}<>"",OR({counters}="of others",AND({nearest}<{tolerance},` +
		`{difference}<={tolerance}+0.000000001)))`
	const idle = `AND({run_verdict}="idle",ABS({run_average}-{average})<0.05)`
	verdict := textLine("verdict", "Verdict",
		`IF({device_row}=0,"",IF({thread_total}="","no prediction",IF({difference}="","no measurement",`+
			`IF(`+unmeasurable+
			`,"unmeasurable",IF(ABS({difference})<={tolerance}+0.000000001,"match",IF({difference}>0,"above",`+
			`IF(`+idle+`,"idle","below")))))))`, "gray where launch or device was changed: the measurement is of "+
			"the launch as it ran")
	verdict.run = "run_verdict"
	return []formulaLine{
		percentLine("measured", "Measured", "{r:measured}", "", "of the kernel as it ran, whatever is changed here"),
		percentLine("vtune_peak", "VTune peak", "{r:vtune_peak}", "", "VTune's own prediction"),
		textLine("basis", "Compared",
			`IF(OR({thread_total}="",{difference}=""),"",IF({measured}<>"","measured with predicted average","VTune `+
				`peak with predicted peak"))`, ""),
		{"difference", "Difference [points]", `IF(OR({thread_total}="",` + seen + `=""),"",` + seen +
			`-IF({measured}<>"",{nearest},{model_peak}))`, "", report.Column{Kind: report.Points},
			"what was seen - the nearest of what is predicted"},
		verdict,
		{"total", "Time [s]", "{r:total}", "", report.Column{Kind: report.Number, Decimals: 6}, "of all launches"},
		{"launch_time", "Time per launch [s]", "{r:launch_time}", "", report.Column{Kind: report.Number, Decimals: 6},
			""},
		textLine("counters", "Counters", "{r:counters}", "of others: the values are not this kernel's"),
	}
}

// stepLines are how the results come about.
func stepLines() []formulaLine {
	dims := func(f string) string {
		return strings.ReplaceAll(f, "#", "x") + "*" + strings.ReplaceAll(f, "#", "y") + "*" +
			strings.ReplaceAll(f, "#", "z")
	}
	return []formulaLine{
		countLine("group_size", "Work-items per work-group", orEmpty(`IF({lx}="","",`+dims("{l#}")+`)`), "x * y * z"),
		countLine("threads_per_group", "Threads per work-group", orEmpty("ROUNDUP({group_size}/{simd},0)"),
			"work-items / sub-group size, rounded up"),
		countLine("idle_lanes", "Idle lanes per work-group", orEmpty("{threads_per_group}*{simd}-{group_size}"),
			"of the last sub-group; occupancy does not show them"),
		countLine("slots", "Thread slots of an Xe-core", orEmpty("{d_xve}*{d_threads}"), "XVEs x threads per XVE"),
		countLine("mode_slots", "Thread slots in the register mode",
			orEmpty("{d_xve}*MIN({d_threads},"+pick("{d_modes}", `{grf}&":"`)+")"),
			"XVEs x threads per XVE with so many registers"),
		countLine("group_max", "Maximum work-items per work-group", "IFERROR("+pick("{d_group_extra}",
			`{simd}&"/"&{grf}&"="`)+",{d_group_max})", "of the device, or lower for such kernels"),
		{"slm_allocated", "SLM as allocated [KB]",
			orEmpty(`IF({slm}<=0,0,IF(COUNTIF({steps},">="&{slm})=0,{slm},INDEX({steps},1,COUNTIF({steps},` +
				`"<"&{slm})+1)))`), "", report.Column{Kind: report.Number, Decimals: 3},
			"rounded up to a step of the device"},
		countLine("by_threads", "Work-groups by threads", running("INT({mode_slots}/{threads_per_group})"),
			"slots in the register mode / threads per work-group, rounded down"),
		countLine("by_slm", "Work-groups by SLM", running(`IF({slm}=0,"no limit",INT({d_slm}/{slm_allocated}))`),
			"SLM per Xe-core / SLM as allocated, rounded down"),
		countLine("by_slots", "Work-groups by slots", running(`IF({d_group_slots}="","no limit",{d_group_slots})`),
			"work-groups that an Xe-core can keep track of"), countLine("by_barriers", "Work-groups by barriers",
			running(`IF(OR({barriers}=0,{d_barrier_slots}=""),"no limit",INT({d_barrier_slots}/{barriers}))`),
			"barriers per Xe-core / barriers of a work-group, rounded down"),
		countLine("by_others", "Work-groups by the last three",
			running(`IF(COUNT({by_slm},{by_slots},{by_barriers})=0,`+unlimited+`,MIN({by_slm},{by_slots},`+
				`{by_barriers}))`), "10^18: no limit"),
		percentLine("of_mode", "Occupancy of the register mode", running("100*{threads_per_group}*{n}/{mode_slots}"),
			"", "100 where a kernel fills what its registers leave"),
		countLine("groups", "Work-groups", onGrid(groupsFormula()), "global / local in each dimension, rounded up"),
		countLine("thread_total", "Threads of the launch",
			`IF(AND({status}="runs",{gx}<>""),`+groupsFormula()+`*{threads_per_group},"")`,
			"work-groups x threads per work-group"),
		countLine("gpu_slots", "Thread slots of the GPU", onGrid("{d_xe_cores}*{slots}"),
			"Xe-cores x thread slots of one"),
		countLine("capacity", "Threads that the GPU holds at once", onGrid(capacityFormula("{mode_slots}")),
			"whole: Xe-cores x work-groups x threads; free: all slots of the mode, or what SLM, slots and barriers "+
				"admit"), percentLine("model_peak", "Peak to compare VTune's with",
			onGrid("100*MIN({thread_total},"+capacityFormula("{slots}")+")/{gpu_slots}"), "",
			"in the register mode of the most threads: VTune does not know the mode"),
		percentLine("nearest", "Average nearest to measured",
			onGrid("MIN({average_high},MAX({average},N({measured})))"), "", "within the range of the average"),
		countLine("full", "Full waves", onGrid("INT({thread_total}/{capacity})"),
			"all threads / what the GPU holds at once, rounded down"),
		countLine("rest", "Threads of the last wave", onGrid("{thread_total}-{full}*{capacity}"), "what is left"),
	}
}

// unlimited stands for work-groups without a limit where they are multiplied.
const unlimited = "1000000000000000000"

func orEmpty(formula string) string { return "IFERROR(" + formula + `,"")` }

func groupsFormula() string {
	return "INT(({gx}+{lx}-1)/{lx})*INT(({gy}+{ly}-1)/{ly})*INT(({gz}+{lz}-1)/{lz})"
}

// pick gives the number after a key in a text of pairs between blanks: 8 after "128:" in "128:8 256:4". It is an error
// when the key is not there.
func pick(text, key string) string {
	all := `(" "&` + text + `&" ")`
	at := `FIND(" "&` + key + `,` + all + `)`
	from := at + `+LEN(` + key + `)+1`
	return `VALUE(MID(` + all + `,` + from + `,FIND(" ",` + all + `,` + at + `+1)-(` + from + `)))`
}

// capacityFormula is the threads of this launch that the GPU holds at once when an Xe-core has so many thread slots.
func capacityFormula(slots string) string {
	const cores = `MAX(1,{d_xe_cores})*`
	return `IF({policy}="whole",` + cores + "{threads_per_group}*MIN(INT(" + slots +
		"/{threads_per_group}),{by_others})," + cores + "MIN(" + slots + ",{threads_per_group}*{by_others}))"
}

// highFormula is the upper end of the range of the average, by the most threads that an XVE holds in a full wave and in
// the last one.
func highFormula() string {
	most := func(threads string) string {
		return `IF({policy}="whole",ROUNDUP(ROUNDUP(` + threads + `/{threads_per_group}/{d_xe_cores},0)*` +
			`{threads_per_group}/{d_xve},0),ROUNDUP(` + threads + `/({d_xe_cores}*{d_xve}),0))`
	}
	full, last := most("{capacity}"), most("{rest}")
	return `IF(OR({full}=0,{rest}=0),{average},MAX({average},100*({full}*{capacity}*` + full + `+{rest}*` + last +
		`)/({gpu_slots}*({full}*` + full + `+` + last + `))))`
}

// limitsFormula names what binds, in the order of package predict.
func limitsFormula() string {
	const core = `IF({n}={by_threads},", threads","")&IF({n}={by_slm},", slm","")&IF({n}={by_slots},", slots",` +
		`"")&IF({n}={by_barriers},", barriers","")`
	registers := `IF(` + capacityFormula("{slots}") + `>` + capacityFormula("{mode_slots}") + `,", registers","")`
	const tail = `IF(AND({full}>0,{rest}>0,({capacity}-{rest})*100>{tail_points}*({full}+1)*{gpu_slots}),", tail","")`
	return running(`IF({thread_total}="",MID(` + core + `&` + registers + `,3,99),` +
		`IF(AND({full}=0,{capacity}>={gpu_slots}),"grid",` +
		`MID(` + core + `&` + registers + `&IF({full}=0,", grid","")&` + tail + `,3,99)))`)
}

// statusFormula is "runs", or why the launch cannot run: the checks of package predict, in their order and words.
func statusFormula() string {
	const admitted = `" (at most "&{group_max}&" work-items fit)"`
	bad := func(axis string) string {
		return `NOT(ISNUMBER({` + axis + `})),{` + axis + `}<1,{` + axis + `}<>INT({` + axis + `})`
	}
	size := func(p string) string { return `{` + p + `x}&"x"&{` + p + `y}&"x"&{` + p + `z}` }
	memory := func(kb string) string {
		return `IF(` + kb + `=INT(` + kb + `),` + kb + `&" KB",` + kb + `*1024&" bytes")`
	}
	checks := []struct{ when, text string }{
		{`{device_row}=0`, `"pick a device from the list"`},
		{`OR({d_xve}="",{d_threads}="")`, `"no prediction without a device that has XVEs and thread slots"`},
		{`{lx}=""`, `"the launch has no work-group size"`},
		{sizeCheck(bad, "l"), `"the work-group size "&` + size("l") +
			`&" has a dimension that is no whole number above 0"`},
		{`{simd}=""`, `"the launch has no sub-group size (SIMD width)"`},
		{`IF({d_simd}="",{simd}<1,ISERROR(FIND(" "&{simd}&" "," "&{d_simd}&" ")))`,
			`{d_name}&" has no sub-group size (SIMD width) "&{simd}&" (it offers "&{d_simd}&")"`},
		{`IF(ISNUMBER({mode_slots}),{mode_slots}=0,TRUE)`,
			`{d_name}&" has no mode with "&{grf}&" registers per thread (it has "&{d_modes}&", registers:threads)"`},
		{`IF({group_max}="",FALSE,{group_size}>{group_max})`,
			`"a work-group of "&{group_size}&" work-items is above the "&{group_max}&" that "&{d_name}&" admits"&` +
				`IF({group_max}={d_group_max},""," at SIMD"&{simd}&" and "&{grf}&" registers per thread")&` + admitted},
		{`{threads_per_group}>{mode_slots}`,
			`"a work-group of "&{threads_per_group}&" threads ("&{group_size}&" work-items at SIMD"&{simd}&") is ` +
				`above the "&{mode_slots}&` +
				`" thread slots of an Xe-core"&IF({mode_slots}<{slots}," with "&{grf}&" registers per thread","")&" ` +
				`(at most "&{mode_slots}*{simd}&" work-items fit)"`},
		{`NOT(ISNUMBER({slm}))`, `"SLM is not a number"`},
		{`{slm}<0`, `{slm}*1024&" bytes of SLM per work-group are below 0"`},
		{`AND({slm}>0,OR({slm}>{d_slm_group},{slm_allocated}>{d_slm}))`,
			memory("{slm}") + `&" of SLM per work-group are above the "&` +
				memory("MIN({d_slm_group},{d_slm})") + `&" that "&{d_name}&" gives to one work-group"`},
		{`IF(ISNUMBER({barriers}),OR({barriers}<0,{barriers}<>INT({barriers})),TRUE)`,
			`"barriers "&{barriers}&" must be a whole number, 0 or more"`},
		{`IF({d_barrier_slots}="",FALSE,{barriers}>{d_barrier_slots})`,
			`"a work-group that uses "&{barriers}&" barriers needs more than the "&{d_barrier_slots}&" barrier ` +
				`slots of an Xe-core"`},
		{`AND({policy}<>"free",{policy}<>"whole")`, `"the policy is auto, free or whole"`},
		{`AND({gx}<>"",{d_xe_cores}="")`, `"the number of Xe-cores of "&{d_name}&" is not known"`},
		{`IF({gx}="",FALSE,` + sizeCheck(bad, "g") + `)`, `"the global size "&` + size("g") +
			`&" has a dimension that is no whole number above 0"`},
		{`IF({gx}="",FALSE,` + groupsFormula() + `*{threads_per_group}>1E+15)`,
			`"the launch has more than 10^15 threads, which this sheet does not count exactly"`},
	}
	var b strings.Builder
	for _, c := range checks {
		b.WriteString(`IF(` + c.when + `,"cannot run: "&` + c.text + `,`)
	}
	return b.String() + `"runs"` + strings.Repeat(")", len(checks))
}

// sizeCheck is true when a dimension is no whole number above 0. It is nested, since OR looks at all its arguments.
func sizeCheck(bad func(string) string, prefix string) string {
	check := "FALSE"
	for _, axis := range []string{"z", "y", "x"} {
		tests := strings.SplitN(bad(prefix+axis), ",", 2)
		check = `IF(` + tests[0] + `,TRUE,IF(OR(` + tests[1] + `),TRUE,` + check + `))`
	}
	return check
}

func remarksFormula() string {
	partial := func(axis string) string {
		return "INT({g" + axis + "}/{l" + axis + "})*{l" + axis + "}<>{g" + axis + "}"
	}
	return running(`MID(IF({gx}="","",IF(OR(` + partial("x") + "," + partial("y") + "," + partial("z") +
		`),"; the last work-group of a dimension is smaller and counts as a whole one",""))` +
		`&IF({idle_lanes}>0,"; "&{idle_lanes}&" idle lanes in each work-group","")` +
		`&IF(OR({run_device}="",{run_device}={device}),"","; it was measured on "&{run_device}),3,400)`)
}
