package diffdoc

import (
	"slices"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/report"
)

// origin says what a run was read from and what it ran on.
func origin(r *compare.Result) string {
	p, parts := &r.Platform, report.InputLines(r)
	if r.Device != nil {
		parts = append(parts, r.Device.Key+" ("+r.ChosenBy+")")
	}
	if !p.Collected.IsZero() {
		parts = append(parts, "collected "+p.Collected.Format("2006-01-02 15:04:05 MST"))
	}
	for _, said := range [][2]string{{"driver ", p.Driver}, {"VTune ", p.VTune}, {"host ", p.Host}} {
		if said[1] != "" {
			parts = append(parts, said[0]+said[1])
		}
	}
	return report.OneLine(strings.Join(parts, "; "))
}

// provenance says what was compared and how, so that it can be done again.
func provenance(pairs report.Pairs) report.Section {
	return report.Section{Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources",
		Tables: []*report.Table{report.NameValue("provenance", "", pairs)}}
}

// latest is when the last of some runs was collected.
func latest(runs []*compare.Result) (date time.Time) {
	for _, r := range runs {
		if t := r.Platform.Collected; t.After(date) {
			date = t
		}
	}
	return date
}

// devicesOf lists the devices of runs, each once.
func devicesOf(runs []*compare.Result) (devices []string) {
	for _, r := range runs {
		name := "an unknown device"
		if r.Device != nil {
			name = report.OneLine(r.Device.ShortName())
		}
		if !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
	}
	return devices
}

// validateArgs is the command that validates a run.
func validateArgs(r *compare.Result) []string {
	args := []string{"occudiff", "validate"}
	if r.Device != nil {
		args = append(args, "--device", r.Device.Key)
	}
	for _, in := range r.Inputs {
		args = append(args, in.Path)
	}
	return args
}

// joined has the test cases of each run or side, whose classes name it.
func joined(command string, names []string, prov report.Provenance,
	of func(i int, prov report.Provenance) *report.TestSuite) *report.TestSuite {
	all := report.NewTestSuite(command, prov)
	label := prov.Label
	for i, name := range names {
		// The class of a case holds the label, and equal cases of two runs must not look like one that ran twice.
		prov.Label = strings.TrimPrefix(label+"/"+name, "/")
		one := of(i, prov)
		if i == 0 {
			all.Host = one.Host
		} else if one.Host != all.Host {
			all.Host = ""
		}
		all.Join(report.OneLine(name), one)
	}
	return all
}
