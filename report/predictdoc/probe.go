package predictdoc

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// probeList is the JSON output of `advise --probe`.
type probeList struct {
	Schema  string        `json:"schema"`
	Device  *report.Table `json:"device"`
	Launch  *report.Table `json:"launch"`
	Current *report.Table `json:"current"`
	Probes  *report.Table `json:"probes" jsonschema:"from most to least residency"`
}

// probe is the launch with one setting changed, and the occupancy that it must show.
// One setting is changed and the work stays the same, so that times per work-item can be compared.
type probe struct {
	predict.Setting
	slm    unit.Opt[unit.Bytes] // where that is what is changed
	source string               // what to write into the source
}

var probeColumns = []report.Col[probe]{
	report.Define(column{Key: "change", Path: "change", Always: true, Title: "Change", Kind: report.Text, In: all}, func(p *probe) cell { return text(briefly.Replace(p.Changes[0].Text)) }),
	report.Define(column{Key: "slm", Path: "slm_bytes", Title: "SLM", Unit: "bytes", Kind: report.Integer, In: kept, Doc: "in all, per work-group, to ask for; null where the probe changes something else"},
		func(p *probe) cell { return report.OptInt(p.slm) }),

	report.Define(column{Key: "local", Path: "local", Always: true, Title: "Work-group", Kind: report.Size, In: kept}, func(p *probe) cell { return report.SizeCell(p.Launch.Local) }),
	report.Define(column{Key: "registers", Path: "registers", Title: "Registers", Kind: report.Integer, In: kept, Doc: "GRF mode; null is that of the launch"}, func(p *probe) cell { return count(p.Launch.GRF) }),
	report.Define(column{Key: "work_groups_per_xe_core", Path: "work_groups_per_xe_core", Always: true, Title: "Per Xe-core", Kind: report.Integer, In: all}, func(p *probe) cell { return report.IntCell(p.Prediction.GroupsPerXeCore) }),
	report.Define(column{Key: "peak_percent", Path: "peak_percent", Always: true, Title: "Peak", Kind: report.Percent, In: all}, func(p *probe) cell { return report.RatioCell(p.Prediction.Peak) }),
	report.Define(column{Key: "average_percent", Path: "average_percent", Always: true, Title: "Average", Kind: report.Percent, In: all}, func(p *probe) cell { return report.RatioCell(p.Prediction.Average) }),
	report.Define(column{Key: "source", Title: "In the source", Kind: report.Text, Fold: true, In: all}, func(p *probe) cell { return report.TextCell(p.source) }),
}

var briefly = strings.NewReplacer(" per work-group", "", " per thread", "")

// Probe answers which settings lower the occupancy of a launch in steps and leave its work as it is: the experiment
// that tells whether occupancy matters to a kernel.
func Probe(t *arch.Choice, l predict.Launch) (*report.Answer, error) {
	now, err := predict.Predict(t.Device, l)
	if err != nil {
		return nil, err
	}
	found, err := predict.Probes(t.Device, l)
	if err != nil {
		return nil, err
	}
	probes, items := []probe{}, []report.Item(nil)
	for i := range found {
		p := probe{Setting: found[i]}
		// The words are those to paste: names of SYCL and OpenCL, and the option of the compiler.
		how := report.Item{Lead: "work-group", Text: "only where the kernel computes the same in work-groups of any size"}
		switch p.Changes[0].Setting {
		case predict.SettingSLM:
			p.slm = unit.Some(p.Launch.SLM)
			// What the kernel has already is not asked for again.
			p.source = fmt.Sprintf("local_accessor<char> of %d bytes", p.Launch.SLM-l.SLM)
			how = report.Item{Lead: "SLM", Text: "SYCL: sycl::local_accessor<char>; OpenCL: a `__local char *` argument, set with " +
				"clSetKernelArg(kernel, i, BYTES, NULL). Write a byte of it under a condition that the compiler " +
				"cannot see to be false, or it drops the SLM"}
		case predict.SettingLocal:
			p.source = "local size " + p.Launch.Local.String()
		default:
			p.source = "-ze-opt-large-register-file"
			how = report.Item{Lead: "GRF mode", Text: "an option of the build of the kernels; OpenCL: -cl-intel-256-GRF-per-thread. " +
				"It also compiles other code: fewer spills may hide what the threads cost"}
		}
		probes, items = append(probes, p), addOnce(items, how)
	}
	v := probeList{adviseSchema, deviceValue(t), launchValue(&l), predictedValue(&now), report.NewTable("probes", "", probes, probeColumns)}
	pg := page{title: "Probes", key: "probes", heading: "Probes", table: v.Probes, items: items,
		headline: []string{DeviceLine(t.Device), launchLine(&l), "Now: " + reached(&now)},
		closing: "Measure the launch as it is and with each probe, several times each, and compare them with " +
			"'occudiff diff BASE PROBE...'. Where less occupancy takes no more time per work-item, occupancy " +
			"is enough."}
	if len(probes) == 0 {
		pg.closing = fmt.Sprintf("No setting lowers the occupancy by %s points or more.",
			strings.TrimSuffix(report.Decimal(float64(predict.MinProbe), 1), ".0"))
	}
	return pg.answer(v), nil
}
