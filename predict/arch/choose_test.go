package arch

import (
	"errors"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

func TestChoose(t *testing.T) {
	log := ingest.Platform{Device: "Intel(R) UHD Graphics P630 [0x3e96]", DeviceFrom: "the log", Pos: note.Pos{File: "run.log", Line: 3}}
	summary := ingest.Platform{Device: "Meteor Lake-P [Intel Arc Graphics]", DeviceFrom: "the summary", XVEs: unit.Some(112), ThreadsPerXVE: unit.Some(8)}
	two := ingest.Platform{DeviceFrom: "the summary", Listed: [2]ingest.ListedGPU{{Name: "b580"}, {Name: "mtl", XVEs: unit.Some(128)}}}
	unknown := ingest.Platform{Device: "Voodoo 2", DeviceFrom: "the log"}
	node := unknown
	node.NodeProperty = "gen9"
	for _, c := range []struct {
		reason    string
		o         Options
		key, by   string
		notes     string // texts of the notes, joined with newlines
		wantFault string // beginning of the error
	}{
		{"no device is given, and none is required", Options{}, "", "", "", ""},
		{"no device is given", Options{Needed: true}, "", "", "", "the inputs do not identify the GPU"},
		{"the user names a device", Options{Name: "tgl", Needed: true}, "tgl-96", "the user", "", ""},
		{"the user gives the count", Options{Name: "mtl", XVEs: 112}, "mtl-112", "the user", "", ""},
		{"the inputs give the count", Options{Name: "mtl", Run: summary}, "mtl-112", "the user", "", ""},
		{"the inputs give a wrong count", Options{Name: "tgl", Run: ingest.Platform{XVEs: unit.Some(7), Pos: note.Pos{File: "s.txt"}}}, "tgl-96", "the user",
			"s.txt: warning: the input contains 7 EUs, but the device table has 96 for tgl-96 (check the device and its number of XVEs)", ""},
		{"the user's device is not known", Options{Name: "voodoo"}, "", "", "", `device "voodoo" is not in the device table`},
		{"the user contradicts an input", Options{Name: "tgl", Inputs: []ingest.Platform{log}}, "", "", "",
			"run.log:3: the log names Intel(R) UHD Graphics P630 [0x3e96] (uhd-p630), not tgl-96 (the user) (choose uhd-p630)"},
		{"and insists", Options{Name: "tgl", Inputs: []ingest.Platform{log}, Force: true}, "tgl-96", "the user",
			"run.log:3: warning: the log names Intel(R) UHD Graphics P630 [0x3e96] (uhd-p630), not tgl-96; the prediction is for tgl-96", ""},
		{"the count of an input does not make a part of another GPU", Options{Name: "max1100", Inputs: []ingest.Platform{summary}, Run: summary}, "", "", "",
			"the summary names Meteor Lake-P [Intel Arc Graphics] (mtl-112), not max1100 (the user)"},
		{"the same if the user forces the device", Options{Name: "max1100", Inputs: []ingest.Platform{summary}, Run: summary, Force: true}, "max1100", "the user",
			"warning: the summary names Meteor Lake-P [Intel Arc Graphics] (mtl-112), not max1100; the prediction is for max1100", ""},
		{"a count without a name does not make a part, either", Options{Name: "max1100", Run: ingest.Platform{XVEs: unit.Some(112)}}, "", "", "",
			"the inputs count 112 XVEs, but max1100 (the user) has 448 (check the device and its number " +
				"of XVEs)"},
		{"a count from the user makes a part", Options{Name: "max1100", XVEs: 112, Run: ingest.Platform{XVEs: unit.Some(112)}}, "max1100-112", "the user", "", ""},
		{"the user corrects the count of an input", Options{Name: "mtl", XVEs: 128, Inputs: []ingest.Platform{summary}}, "mtl-128", "the user",
			"warning: the summary names Meteor Lake-P [Intel Arc Graphics] (mtl-112), but mtl-128 is " +
				"used", ""},
		{"the user names a stack of the GPU", Options{Name: "max1550-1t", Inputs: []ingest.Platform{{Device: "max1550", DeviceFrom: "the log", XVEs: unit.Some(1024)}}},
			"max1550-1t", "the user", "warning: the log names max1550 (max1550), but max1550-1t is used", ""},
		{"an input names several GPUs, none of which is the user's", Options{Name: "max1100", Inputs: []ingest.Platform{{Device: "lnl", DeviceFrom: "the log"}}}, "", "", "",
			"the log names lnl (lnl-64, lnl-56 or lnl-32), not max1100 (the user)"},
		{"a machine has several GPUs", Options{Name: "max1100", Inputs: []ingest.Platform{two}}, "", "", "",
			"the summary names b580 and mtl (b580 or mtl-128), not max1100 (the user) (choose b580 or mtl-128)"},
		{"one of them is the user's", Options{Name: "b580", Inputs: []ingest.Platform{two}}, "b580", "the user", "", ""},
		{"an export with XVE columns is not from the GPU of a log", Options{Inputs: []ingest.Platform{log}, XVEColumns: "run.csv"}, "", "", "",
			"run.log:3: the log names Intel(R) UHD Graphics P630 [0x3e96] (uhd-p630), but exports of Gen9 GPUs count EUs and run.csv counts XVEs"},
		{"the device of such a log does not contradict the user", Options{Name: "b580", Inputs: []ingest.Platform{log}, XVEColumns: "run.csv"}, "b580", "the user", "", ""},
		{"an input identifies the device", Options{Inputs: []ingest.Platform{summary}, Run: summary}, "mtl-112", "the summary: 112 XVE", "", ""},
		{"two inputs contradict each other", Options{Inputs: []ingest.Platform{summary, log}}, "", "", "",
			"run.log:3: this is from Intel(R) UHD Graphics P630 [0x3e96] (uhd-p630), but the summary: 112 XVE names Meteor Lake-P [Intel Arc Graphics] (mtl-112)"},
		{"an input names an unknown device", Options{Inputs: []ingest.Platform{unknown}}, "", "", "", `the log names the device "Voodoo 2": device "Voodoo 2" is not`},
		{"its node property is known", Options{Inputs: []ingest.Platform{node}}, "uhd-p630", "the DevCloud node property gen9", "", ""},
		{"another input names a known device", Options{Inputs: []ingest.Platform{unknown, summary}}, "mtl-112", "the summary: 112 XVE",
			`warning: the log names the device "Voodoo 2": device "Voodoo 2" is not in the device table`, ""},
		{"another input has the deciding count", Options{Inputs: []ingest.Platform{{Device: "mtl", DeviceFrom: "the log"}}, Run: ingest.Platform{XVEs: unit.Some(112)}},
			"mtl-112", "the log: mtl", "", ""},
		{"the threads differ", Options{Name: "mtl", XVEs: 112, Run: ingest.Platform{ThreadsPerXVE: unit.Some(7)}}, "mtl-112", "the user",
			"warning: the input contains 7 threads per XVE, but the device table has 8 for mtl-112 (check the device and its number of XVEs)", ""},
	} {
		if c.o.Name != "" {
			c.o.By.Name = "the user"
		}
		got, err := builtin(t).Choose(c.o)
		if c.wantFault != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.wantFault) {
				t.Errorf("%s: %v; want %s", c.reason, err, c.wantFault)
			}
			continue
		}
		key := ""
		if got.Device != nil {
			key = got.Device.Key
		}
		var notes []string
		for _, n := range got.Notes {
			if n.Severity >= note.Warning {
				notes = append(notes, n.String())
			}
		}
		if all := strings.Join(notes, "\n"); err != nil || key != c.key || got.By.String() != c.by || !strings.HasPrefix(all, c.notes) || (c.notes == "") != (all == "") {
			t.Errorf("%s: %s by %q, notes %q, %v; want %s by %q, %q", c.reason, key, got.By, all, err, c.key, c.by, c.notes)
		}
	}
	if _, err := builtin(t).Choose(Options{Needed: true}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("%v is not ErrNoDevice", err)
	}
}
