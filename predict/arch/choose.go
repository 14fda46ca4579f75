package arch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Options describe the device of a run: the user's choice, which has priority,
// and what the inputs contain.
type Options struct {
	Name   string            // the user's name for the device, as in Query; if empty, the inputs determine the device
	XVEs   int               // XVE count from the user; 0 if none
	Inputs []ingest.Platform // platform of each input
	Run    ingest.Platform   // platforms of all inputs, merged
	Needed bool              // it is an error if no device is given
	Family bool              // as in Query
	// Force uses Name even if the inputs identify another device.
	Force bool
	// XVEColumns is the name of an export whose columns count XVEs, or empty.
	// If the device in a log has only EUs, it cannot be the device of that
	// export.
	XVEColumns string
	By         Source // origin of Name and XVEs, for example occudiff.yaml:2
}

// A Choice is the device of a run.
type Choice struct {
	Device *Device // nil if no device was given
	By     Source
	Notes  []note.Note
}

// Source is the input that names the device, for example, "the summary" with
// the detail ": 112 XVE".
type Source struct{ Name, Detail string }

// String returns the name followed by the detail.
func (s Source) String() string { return s.Name + s.Detail }

// ErrNoDevice is the error for a run that requires a device but has none.
var ErrNoDevice = note.Errorf("no-device", note.Pos{},
	"choose the device, or add the VTune summary: vtune -report summary -r RESULT_DIR",
	"the inputs do not identify the GPU")

// Choose returns the device of a run: the device that the user named, or the
// device that the inputs identify. If the inputs identify several devices, or a
// device other than the one that the user named, it returns an error, unless
// Force is set. It also compares the device table with the numbers in the
// inputs.
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

// chooseNamed returns the device that the user named, unless the inputs
// identify another device.
func (t *Table) chooseNamed(o Options) (Choice, error) {
	alone := Query{Name: o.Name, XVEs: o.XVEs, Family: o.Family}
	counted := alone
	counted.XVEs = cmp.Or(o.XVEs, o.Run.XVEs.Or(0))
	m, err := t.Find(counted)
	if err != nil && counted != alone { // the XVE count in the inputs may be wrong
		counted = alone
		m, err = t.Find(alone)
	}
	if err != nil {
		return Choice{}, err
	}
	c := Choice{m.Device, o.By, m.Notes}
	full := m // the device that the name alone identifies, if it does
	if alone != counted {
		if by, err := t.Find(alone); err == nil {
			full = by
		}
	}
	identified, wrong := false, false
	for _, p := range o.Inputs {
		found := t.identified(p)
		if len(found) == 0 || o.otherGPU(found) {
			continue
		}
		identified = true
		switch {
		case slices.ContainsFunc(found, m.Device.sameShape):
		case slices.ContainsFunc(found, func(d *Device) bool { return o.variant(m.Device, d) }):
			c.warn(p.Pos, "", "%s names %s, but %s is used", p.DeviceFrom, describe(p, found), c.Device.Key)
		case !o.Force:
			return Choice{}, note.Errorf(codeDiffers, p.Pos, "choose "+unit.JoinWords(keysOf(found), "or"),
				"%s names %s, not %s (%s)", p.DeviceFrom, describe(p, found), full.Device.Key, c.By)
		default:
			wrong = true
			c.forced(p.Pos, full, "%s names %s, not %s", p.DeviceFrom, describe(p, found), full.Device.Key)
		}
	}
	// A count without a name must not turn a known device into a binned part.
	if !wrong && !identified && full.Device.XVEs() != m.Device.XVEs() && t.byKey[squash(m.Device.Key)] == nil {
		if !o.Force {
			return Choice{}, note.Errorf(codeDiffers, o.Run.Pos, checkDevice, "the inputs count %d XVEs, but %s (%s) "+
				"has %d", o.Run.XVEs.Or(0), full.Device.Key, c.By, full.Device.XVEs())
		}
		c.forced(o.Run.Pos, full, "the inputs count %d XVEs, but %s has %d", o.Run.XVEs.Or(0), full.Device.Key,
			full.Device.XVEs())
	}
	return c, nil
}

// codeDiffers is the code of the error for a named device that differs from the
// device in the inputs. checkDevice is the hint if the inputs imply no device.
const codeDiffers, checkDevice = "device-differs", "check the device and its number of XVEs"

// CodeForced is the code of the note on a device that is used although the
// inputs identify another device.
const CodeForced = "device-forced"

// forced adds a note that a device is used although the inputs identify another
// device.
func (c *Choice) forced(at note.Pos, to Match, format string, args ...any) {
	c.Device = to.Device
	c.Notes = append(slices.Clone(to.Notes), note.Warningf(CodeForced, at, "", "%s",
		fmt.Sprintf(format, args...)+"; the prediction is for "+to.Device.Key))
}

// variant reports whether the device that the user named is a part of the
// device that an input identifies: a single stack, or the same GPU with the
// user's XVE count.
func (o *Options) variant(named, found *Device) bool {
	return named.Codename == found.Codename && o.XVEs > 0 ||
		named.Architecture == found.Architecture && named.XVEs()*found.Tiles == found.XVEs()
}

// otherGPU reports whether none of the devices can be the GPU of an export,
// because the columns of the export count XVEs.
func (o *Options) otherGPU(found []*Device) bool {
	newer := func(d *Device) bool { return !d.IsBeforeXe() }
	return o.XVEColumns != "" && !slices.ContainsFunc(found, newer)
}

// identified returns the devices that an input may refer to. The list may be
// empty.
func (t *Table) identified(p ingest.Platform) (found []*Device) {
	list := []ingest.ListedGPU{{Name: p.Device, XVEs: p.XVEs}}
	if p.Listed != ([2]ingest.ListedGPU{}) {
		list = p.Listed[:]
	}
	for _, g := range list {
		m, err := t.Find(Query{Name: g.Name, XVEs: g.XVEs.Or(0)})
		var several *AmbiguousError
		switch {
		case g.Name != "" && err == nil:
			found = append(found, m.Device)
		case errors.As(err, &several):
			found = append(found, several.Candidates...)
		default:
			return nil
		}
	}
	return found
}

// Listed returns the GPUs of the machine, if an input lists several. One of
// them ran.
func (t *Table) Listed(inputs []ingest.Platform) (list []Device) {
	for _, p := range inputs {
		if p.Listed != ([2]ingest.ListedGPU{}) {
			for _, d := range t.identified(p) {
				list = append(list, *d)
			}
		}
	}
	return list
}

func keysOf(devices []*Device) (keys []string) {
	for _, d := range devices {
		keys = append(keys, d.Key)
	}
	return keys
}

// describe returns the device in an input with its possible keys, for example
// "Meteor Lake-P [Intel Arc Graphics] (mtl-112)".
func describe(p ingest.Platform, found []*Device) string {
	name := p.Device
	if name == "" {
		name = p.Listed[0].Name + " and " + p.Listed[1].Name
	}
	return fmt.Sprintf("%s (%s)", name, unit.JoinWords(keysOf(found), "or"))
}

// chooseFromInputs returns the device that the inputs identify. All inputs must
// agree.
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
			return Choice{}, note.Errorf("two-devices", p.Pos,
				"give the files of one run on one device, or choose the device",
				"this is from %s (%s), but %s names %s (%s)", name, c.Device.Key, found.By, foundName, found.Device.Key)
		}
	}
	if found.Device == nil {
		if failed == nil && o.Needed {
			failed = ErrNoDevice
		}
		return Choice{}, failed
	}
	if failed != nil {
		found.warn(note.Pos{}, "the device of "+found.By.String()+" is used; choose the device if that is wrong", "%v",
			failed)
	}
	return found, nil
}

// chooseFromInput returns the device that one input identifies, by its device
// line, or otherwise by a node property.
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
		xves = n // use the count from another input of the run
		m, err = t.Find(Query{Name: name, XVEs: xves})
	}
	// The table lacks the driver's name, so the node property is tried, which
	// is less specific.
	if err != nil && p.NodeProperty != "" && p.Device != "" {
		if m, err := t.Find(Query{Name: p.NodeProperty, XVEs: xves}); err == nil {
			by := Source{Name: "the DevCloud node property " + p.NodeProperty}
			return Choice{m.Device, by, m.Notes}, p.NodeProperty, nil
		}
	}
	if err != nil {
		return Choice{}, "", fmt.Errorf("%s names the device %q: %w", from, name, err)
	}
	if found := []*Device{m.Device}; o.otherGPU(found) {
		return Choice{}, "", note.Errorf(codeDiffers, p.Pos, "choose the GPU of the export",
			"%s names %s, but exports of %s GPUs count EUs and %s counts XVEs: it belongs to another GPU", from,
			describe(p, found), m.Device.Architecture, o.XVEColumns)
	}
	by := Source{Name: from, Detail: ": " + name}
	if n, ok := p.XVEs.Value(); ok {
		by.Detail = fmt.Sprintf(": %d %s", n, m.Device.xveWord())
	}
	if from == "" {
		by = Source{Name: strings.TrimPrefix(by.Detail, ": ")}
	}
	return Choice{m.Device, by, m.Notes}, name, nil
}

// xveWord returns the term for an XVE in the GPU's generation.
func (d *Device) xveWord() string {
	if d.IsBeforeXe() || d.Architecture == "Xe-LP" {
		return "EU"
	}
	return "XVE"
}

// compare compares the device table with the summary of the same machine.
func (c *Choice) compare(o Options) {
	differs := func(what string, says, has int) {
		c.warn(o.Run.Pos, checkDevice, "the input contains %d %s, but the device table has %d for %s", says, what, has,
			c.Device.Key)
	}
	if n, ok := o.Run.XVEs.Value(); ok && o.XVEs == 0 && n != c.Device.XVEs() {
		differs(c.Device.xveWord()+"s", n, c.Device.XVEs())
	}
	if n, ok := o.Run.ThreadsPerXVE.Value(); ok && n != c.Device.ThreadsPerXVE {
		differs("threads per "+c.Device.xveWord(), n, c.Device.ThreadsPerXVE)
	}
}

func (c *Choice) warn(pos note.Pos, hint, format string, args ...any) {
	c.Notes = append(c.Notes, note.Warningf(codeDiffers, pos, hint, format, args...))
}
