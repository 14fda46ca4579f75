package main

import (
	"errors"
	"fmt"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
)

// chosen is the device of a run and what named it.
type chosen struct {
	device *arch.Device
	by     string
	notes  []note.Note
}

// table gives the device table with the user's device file on top. It is read once, so that what the file is warned of is
// said once.
func (a *app) table() (*arch.Table, error) {
	if a.devices != nil {
		return a.devices, nil
	}
	t, err := arch.Builtin()
	if err == nil && a.deviceFile != "" {
		var notes []note.Note
		notes, err = t.AddFile(a.deviceFile)
		for _, n := range notes {
			a.say("%s", n)
		}
	}
	if err == nil {
		a.devices = t
	}
	return t, err
}

// chooseDevice takes the device from --device, else from what the inputs say. It is nil without an error when nothing in
// the run needs one.
func (a *app) chooseDevice(run *ingest.Run) (chosen, error) {
	t, err := a.table()
	if err != nil {
		return chosen{}, err
	}
	if a.device != "" {
		xve := a.xve
		if xve == 0 {
			xve = run.Platform.XVEs.Or(0)
		}
		m, err := t.Find(arch.Query{Name: a.device, XVEs: xve})
		if err != nil && a.xve == 0 && xve != 0 { // the inputs may be wrong, the flag is the user's word
			m, err = t.Find(arch.Query{Name: a.device})
		}
		if err != nil {
			return chosen{}, err
		}
		c := chosen{m.Device, "--device", m.Notes}
		if a.xve > 0 {
			c.by = "--device and --xve"
		}
		return a.checkPlatform(a.checkNames(t, c, run), run), nil
	}
	return a.deviceFromInputs(t, run)
}

// deviceFromInputs resolves what each input says and wants them to agree.
func (a *app) deviceFromInputs(t *arch.Table, run *ingest.Run) (chosen, error) {
	var found chosen
	var fromName string
	var failed error
	for _, p := range run.Platforms {
		c, name, err := a.platformDevice(t, p, run)
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if c.device == nil {
			continue
		}
		if found.device == nil {
			found, fromName = c, name
			continue
		}
		if c.device.Key == found.device.Key || sameShape(c.device, found.device) {
			continue
		}
		return chosen{}, note.Faultf("two-devices", p.Pos, "give the files of one run on one device, or name it with --device",
			"this is of %s (%s), but %s says %s (%s)", name, c.device.Key, found.by, fromName, found.device.Key)
	}
	switch {
	case found.device != nil:
		if failed != nil {
			found.notes = append(found.notes, note.Note{Severity: note.Warning, Code: "device-differs", Text: failed.Error(),
				Hint: "the device of " + found.by + " is used; name it with --device if that is wrong"})
		}
		return a.checkPlatform(found, run), nil
	case failed != nil:
		return chosen{}, failed
	case needsDevice(run):
		return chosen{}, note.Faultf("no-device", note.Pos{}, "name it with --device (see 'occudiff devices'), or give the VTune summary beside the export: vtune -report summary -r RESULT_DIR",
			"no input says which GPU this is")
	}
	return chosen{}, nil
}

func sameShape(x, y *arch.Device) bool {
	return x.XeCores == y.XeCores && x.XVEPerXeCore == y.XVEPerXeCore && x.ThreadsPerXVE == y.ThreadsPerXVE
}

func needsDevice(run *ingest.Run) bool {
	if len(run.Timings) > 0 {
		return true
	}
	for i := range run.Kernels {
		if run.Kernels[i].Global.Present() {
			return true
		}
	}
	for s := range run.Launches.Shapes() {
		if k := run.Launches.ShapeOf(s); k.Global.Present() {
			return true
		}
	}
	return false
}

// platformDevice resolves what one input says: its device line, else a node property.
func (a *app) platformDevice(t *arch.Table, p ingest.Platform, run *ingest.Run) (chosen, string, error) {
	name, from := p.Device, p.DeviceFrom
	if name == "" {
		name, from = p.NodeProperty, "the DevCloud node property"
	}
	if name == "" {
		return chosen{}, "", nil
	}
	xve := a.xve
	if xve == 0 {
		xve = p.XVEs.Or(0)
	}
	m, err := t.Find(arch.Query{Name: name, XVEs: xve})
	var several *arch.AmbiguousError
	if n, ok := run.Platform.XVEs.Value(); errors.As(err, &several) && xve == 0 && ok {
		xve = n // another input of the run has the count that decides
		m, err = t.Find(arch.Query{Name: name, XVEs: xve})
	}
	if err != nil {
		var f *note.Fault
		if p.NodeProperty != "" && p.Device != "" { // a driver's name that no table has; the node property is coarser
			if m, err2 := t.Find(arch.Query{Name: p.NodeProperty, XVEs: xve}); err2 == nil {
				return chosen{m.Device, "the DevCloud node property " + p.NodeProperty, m.Notes}, p.NodeProperty, nil
			}
		}
		if errors.As(err, &f) {
			return chosen{}, "", err
		}
		return chosen{}, "", fmt.Errorf("%s names the device %q: %w", from, name, err)
	}
	by := from
	if n, ok := p.XVEs.Value(); ok {
		by += fmt.Sprintf(": %d %s", n, xveWord(m.Device))
	} else if from != "" {
		by += ": " + name
	}
	return chosen{m.Device, strings.TrimPrefix(by, ": "), m.Notes}, name, nil
}

// xveWord is what the GPU's generation calls an XVE.
func xveWord(d *arch.Device) string {
	if strings.HasPrefix(d.Architecture, "Gen") || d.Architecture == "Xe-LP" {
		return "EU"
	}
	return "XVE"
}

// checkNames warns when an input names another GPU than --device does.
func (a *app) checkNames(t *arch.Table, c chosen, run *ingest.Run) chosen {
	for _, p := range run.Platforms {
		m, err := t.Find(arch.Query{Name: p.Device, XVEs: p.XVEs.Or(0)})
		if p.Device != "" && err == nil && !sameShape(m.Device, c.device) {
			c.notes = append(c.notes, note.Note{Severity: note.Warning, Code: "device-differs", Pos: p.Pos,
				Text: fmt.Sprintf("%s names %s (%s), and --device %s is used", p.DeviceFrom, p.Device, m.Device.Key, c.device.Key)})
		}
	}
	return c
}

// checkPlatform holds the device table against what a summary says of the same machine.
func (a *app) checkPlatform(c chosen, run *ingest.Run) chosen {
	warn := func(what string, says, has int) {
		c.notes = append(c.notes, note.Note{Severity: note.Warning, Code: "device-differs", Pos: run.Platform.Pos,
			Text: fmt.Sprintf("the input says %d %s, the device table has %d for %s", says, what, has, c.device.Key),
			Hint: "check --device and --xve"})
	}
	if n, ok := run.Platform.XVEs.Value(); ok && a.xve == 0 && n != c.device.XVEs() {
		warn(xveWord(c.device)+"s", n, c.device.XVEs())
	}
	if n, ok := run.Platform.ThreadsPerXVE.Value(); ok && n != c.device.ThreadsPerXVE {
		warn("threads per "+xveWord(c.device), n, c.device.ThreadsPerXVE)
	}
	return c
}
