package arch

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// Options is what is said of the device of a run: by the user, whose word counts, and by the inputs.
type Options struct {
	Name   string            // as in Query; empty takes what the inputs say
	XVEs   int               // XVE count that the user gives, 0 for none
	Inputs []ingest.Platform // what each input says
	Run    ingest.Platform   // what they say together
	Needed bool              // it is an error when nobody names a device
	Family bool              // as in Query
	Naming Naming
	By     string // who gave Name, when it was neither a flag nor a form: occudiff.yaml:2
}

// Naming is how whoever asks names a device: texts say what to do in those words.
type Naming int

// The ways.
const (
	ByFlag Naming = iota // --device and --xve of a command
	ByForm               // the choice of a form
)

// Words gives those for a flag or those for a form.
func (n Naming) Words(flag, form string) string {
	if n == ByForm {
		return form
	}
	return flag
}

// Choice is the device of a run.
type Choice struct {
	Device *Device // nil when nobody names one
	By     string  // who named it: "--device", "the form", "the summary: 112 XVE"
	Notes  []note.Note
}

// ErrNoDevice is the error for a run that needs a device and does not say which.
var ErrNoDevice = note.Faultf("no-device", note.Pos{},
	"pass --device NAME; 'occudiff devices' lists them; or add the VTune summary: vtune -report summary -r RESULT_DIR",
	"no input says which GPU this is")

// Choose finds the device of a run. What the user names is taken, and inputs that disagree get a note. Else all inputs
// that name a device have to mean the same one. The figures of the device are held against those of the inputs.
func (t *Table) Choose(o Options) (Choice, error) {
	var c Choice
	var err error
	if o.Name != "" {
		c, err = t.chooseNamed(o)
	} else {
		c, err = t.chooseFromInputs(o)
	}
	if err == nil && c.Device != nil {
		c.compare(o)
	}
	return c, err
}

// chooseNamed takes the device that the user names.
func (t *Table) chooseNamed(o Options) (Choice, error) {
	xves := cmp.Or(o.XVEs, o.Run.XVEs.Or(0))
	m, err := t.Find(Query{Name: o.Name, XVEs: xves, Family: o.Family})
	if err != nil && o.XVEs == 0 && xves != 0 { // the inputs may be wrong, the flag is the user's word
		m, err = t.Find(Query{Name: o.Name, Family: o.Family})
	}
	if err != nil {
		return Choice{}, err
	}
	c := Choice{m.Device, cmp.Or(o.By, o.Naming.Words("--device", "the form")), m.Notes}
	if o.XVEs > 0 {
		c.By += o.Naming.Words(" and --xve", "")
	}
	for _, p := range o.Inputs {
		m, err := t.Find(Query{Name: p.Device, XVEs: p.XVEs.Or(0)})
		if p.Device != "" && err == nil && !m.Device.sameShape(c.Device) {
			c.warn(p.Pos, "", "%s names %s (%s), and %s%s is used",
				p.DeviceFrom, p.Device, m.Device.Key, o.Naming.Words("--device ", ""), c.Device.Key)
		}
	}
	return c, nil
}

// chooseFromInputs resolves what each input says and wants them to agree.
func (t *Table) chooseFromInputs(o Options) (Choice, error) {
	var found Choice
	var foundName string
	var failed error
	for _, p := range o.Inputs {
		c, name, err := t.chooseFromInput(p, o)
		switch {
		case err != nil && failed == nil:
			failed = err
		case c.Device == nil:
		case found.Device == nil:
			found, foundName = c, name
		case c.Device.Key != found.Device.Key && !c.Device.sameShape(found.Device):
			return Choice{}, note.Faultf("two-devices", p.Pos,
				"give the files of one run on one device, or "+o.Naming.Words("name it with --device", "choose it"),
				"this is from %s (%s), but %s says %s (%s)", name, c.Device.Key, found.By, foundName, found.Device.Key)
		}
	}
	if found.Device == nil {
		if failed == nil && o.Needed {
			failed = ErrNoDevice
		}
		return Choice{}, failed
	}
	if failed != nil {
		hint := "the device of " + found.By + " is used; " +
			o.Naming.Words("name it with --device", "choose it") + " if that is wrong"
		found.warn(note.Pos{}, hint, "%v", failed)
	}
	return found, nil
}

// chooseFromInput resolves what one input says: its device line, else a node property.
func (t *Table) chooseFromInput(p ingest.Platform, o Options) (c Choice, name string, err error) {
	name, from := p.Device, p.DeviceFrom
	if name == "" {
		name, from = p.NodeProperty, "the DevCloud node property"
	}
	if name == "" {
		return Choice{}, "", nil
	}
	xves := cmp.Or(o.XVEs, p.XVEs.Or(0))
	m, err := t.Find(Query{Name: name, XVEs: xves})
	var several *AmbiguousError
	if n, ok := o.Run.XVEs.Value(); errors.As(err, &several) && xves == 0 && ok {
		xves = n // another input of the run has the count that decides
		m, err = t.Find(Query{Name: name, XVEs: xves})
	}
	if err != nil && p.NodeProperty != "" && p.Device != "" { // no table has the driver's name; the property is coarser
		if m, err := t.Find(Query{Name: p.NodeProperty, XVEs: xves}); err == nil {
			return Choice{m.Device, "the DevCloud node property " + p.NodeProperty, m.Notes}, p.NodeProperty, nil
		}
	}
	if err != nil {
		return Choice{}, "", fmt.Errorf("%s names the device %q: %w", from, name, err)
	}
	by := from
	if n, ok := p.XVEs.Value(); ok {
		by += fmt.Sprintf(": %d %s", n, m.Device.xveWord())
	} else if from != "" {
		by += ": " + name
	}
	return Choice{m.Device, strings.TrimPrefix(by, ": "), m.Notes}, name, nil
}

// xveWord is what the GPU's generation calls an XVE.
func (d *Device) xveWord() string {
	if strings.HasPrefix(d.Architecture, "Gen") || d.Architecture == "Xe-LP" {
		return "EU"
	}
	return "XVE"
}

// compare holds the device table against what a summary says of the same machine.
func (c *Choice) compare(o Options) {
	differs := func(what string, says, has int) {
		c.warn(o.Run.Pos, "check "+o.Naming.Words("--device and --xve", "the device"),
			"the input says %d %s, the device table has %d for %s", says, what, has, c.Device.Key)
	}
	if n, ok := o.Run.XVEs.Value(); ok && o.XVEs == 0 && n != c.Device.XVEs() {
		differs(c.Device.xveWord()+"s", n, c.Device.XVEs())
	}
	if n, ok := o.Run.ThreadsPerXVE.Value(); ok && n != c.Device.ThreadsPerXVE {
		differs("threads per "+c.Device.xveWord(), n, c.Device.ThreadsPerXVE)
	}
}

func (c *Choice) warn(pos note.Pos, hint, format string, args ...any) {
	c.Notes = append(c.Notes, note.Note{Severity: note.Warning, Code: "device-differs", Pos: pos,
		Text: fmt.Sprintf(format, args...), Hint: hint})
}
