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
	Schema  string              `json:"schema"`
	Device  *report.DeviceValue `json:"device"`
	Launch  launch              `json:"launch"`
	Current *predicted          `json:"current"`
	Probes  []probe             `json:"probes" jsonschema:"from most to least residency"`
}

// probe is the launch with one setting changed, and the occupancy that it must show.
// One setting is changed and the work stays the same, so that times per work-item can be compared.
type probe struct {
	Change    string               `json:"change" col:"Change"`
	SLM       unit.Opt[unit.Bytes] `json:"slm_bytes" csv:"slm" col:"SLM [bytes]; in=sheet" jsonschema:"in all, per work-group, to ask for; null where the probe changes something else"`
	Local     unit.Size3           `json:"local" col:"Work-group; in=sheet"`
	Registers *int                 `json:"registers" col:"Registers; in=sheet" jsonschema:"GRF mode; null is that of the launch"`
	Groups    int64                `json:"work_groups_per_xe_core" col:"Per Xe-core"`
	Peak      unit.Ratio           `json:"peak_percent" col:"Peak [%]"`
	Average   unit.Ratio           `json:"average_percent" col:"Average [%]"`
	Source    string               `json:"-" csv:"source" col:"In the source; fold"`
}

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
	v := probeList{adviseSchema, deviceValue(t), newLaunch(&l), newPredicted(&now), []probe{}}
	short := strings.NewReplacer(" per work-group", "", " per thread", "")
	for i := range found {
		s := &found[i]
		p := probe{Change: short.Replace(s.Changes[0].Text), Local: s.Launch.Local,
			Registers: report.Positive(s.Launch.GRF), Groups: s.Prediction.GroupsPerXeCore,
			Peak: s.Prediction.Peak, Average: s.Prediction.Average}
		// The words are those to paste: names of SYCL and OpenCL, and the option of the compiler.
		switch s.Changes[0].Setting {
		case predict.SettingSLM:
			p.SLM = unit.Some(s.Launch.SLM)
			// What the kernel has already is not asked for again.
			p.Source = fmt.Sprintf("local_accessor<char> of %d bytes", s.Launch.SLM-l.SLM)
		case predict.SettingLocal:
			p.Source = "local size " + s.Launch.Local.String()
		default:
			p.Source = "-ze-opt-large-register-file"
		}
		v.Probes = append(v.Probes, p)
	}
	pg := page{title: "Probes", key: "probes", heading: "Probes", table: rowsOf("probes", v.Probes),
		headline: []string{deviceLine(t), launchLine(&l), "Now: " + reached(&now)},
		closing: "Measure the launch as it is and with each probe, several times each, and compare them with " +
			"'occudiff diff BASE PROBE...'. Where less occupancy takes no more time per work-item, occupancy " +
			"is enough."}
	if len(v.Probes) == 0 {
		pg.closing = fmt.Sprintf("No setting lowers the occupancy by %s points or more.",
			strings.TrimSuffix(report.Decimal(float64(predict.MinProbe), 1), ".0"))
	}
	pg.items = probeItems(v.Probes)
	return pg.answer(v), nil
}

// probeItems say how a probe is put into the source, for the kinds that there are.
func probeItems(probes []probe) (items []report.Item) {
	said := map[string]bool{}
	for i := range probes {
		lead, text := "work-group", "only where the kernel computes the same in work-groups of any size"
		switch p := &probes[i]; {
		case p.SLM.Present():
			lead, text = "SLM", "SYCL: sycl::local_accessor<char>; OpenCL: a `__local char *` argument, set with "+
				"clSetKernelArg(kernel, i, BYTES, NULL). Write a byte of it under a condition that the compiler "+
				"cannot see to be false, or it drops the SLM"
		case strings.HasPrefix(p.Source, "-ze"):
			lead, text = "GRF mode", "an option of the build of the kernels; OpenCL: -cl-intel-256-GRF-per-thread. "+
				"It also compiles other code: fewer spills may hide what the threads cost"
		}
		if !said[lead] {
			said[lead] = true
			items = append(items, report.Item{Lead: lead, Text: text})
		}
	}
	return items
}
