package diffdoc

import (
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// source is a file of a run in the table of what was compared.
type source struct {
	side, run string
	of        *compare.Result
	input     ingest.Input
}

// sourcesOf are the files of a run.
func sourcesOf(side, run string, r *compare.Result) []source {
	return report.ListOf(r.Inputs, func(in ingest.Input) source { return source{side, run, r, in} })
}

// sourceTable says of each file which run it belongs to, and what that ran on.
func sourceTable(list []source) *report.Table {
	text := func(key, title string, of func(*source) string) report.Col[source] {
		return report.Define(column{Key: key, Title: title, Kind: report.Text, In: report.Files}, func(s *source) cell { return report.TextCell(of(s)) })
	}
	t := report.NewTable("inputs", "Inputs", list, slices.Concat([]report.Col[source]{
		text("side", "Side", func(s *source) string { return s.side }),
		text("run", "Run", func(s *source) string { return s.run }),
	}, report.Within("", "", func(s *source) *ingest.Input { return &s.input }, rundoc.InputColumns()), []report.Col[source]{
		text("device", "Device", func(s *source) string {
			if s.of.Device == nil {
				return ""
			}
			return s.of.Device.Key
		}),
		text("chosen_by", "Named by", func(s *source) string { return s.of.ChosenBy }),
		text("driver", "Driver", func(s *source) string { return s.of.Platform.Driver }),
		text("vtune", "VTune", func(s *source) string { return s.of.Platform.VTune }),
		text("host", "Host", func(s *source) string { return s.of.Platform.Host }),
		text("collected", "Collected", func(s *source) string {
			if s.of.Platform.Collected.IsZero() {
				return ""
			}
			return s.of.Platform.Collected.Format("2006-01-02 15:04:05 MST")
		}),
	})).Show()
	t.In = report.Files
	return t
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
