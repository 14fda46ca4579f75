package arch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// A Query describes a device.
type Query struct {
	// Name is a key, name, alias, PCI ID, or the text that a log, a summary, or
	// lspci prints for the device.
	Name string
	// XVEs is the XVE (EU) count if known, and 0 otherwise. It distinguishes
	// bins with the same name.
	XVEs int
	// Family accepts a family whose Xe-core count is not public. With such a
	// family, one Xe-core can be predicted, but not a launch on the whole GPU.
	Family bool
}

// A Match is the result of a query.
type Match struct {
	Device *Device // the caller's own copy
	Notes  []note.Note
}

// Find returns the device for a query. It tries, in this order: the PCI ID in
// brackets at the end of the name, the key, the name or alias, the name without
// words that every GPU has ("Graphics", "Arc"), and the code name. It ignores
// case, spaces, -, _, (R), and (TM).
//
//   - If several devices share a name, the XVE count decides. Devices with the
//     same shape are one result.
//   - If no known part has the count but it is a whole number of Xe-cores of a
//     known part, the result is a binned part with a note.
//   - If the name refers to several devices of different shapes, the error is
//     an *AmbiguousError.
func (t *Table) Find(q Query) (Match, error) {
	var c candidates
	w := takeApart(q.Name)
	if len(q.Name) <= 2*maxName { // a longer text is not a device name, but the content of a wrong file
		c = t.candidates(w)
	}
	if len(c.devices) == 0 {
		return Match{}, t.unknown(q.Name)
	}
	c.preferUser(w)
	slices.SortStableFunc(c.devices, func(a, b *Device) int { return cmp.Compare(t.place[a], t.place[b]) })
	var m Match
	var err error
	if q.XVEs == 0 {
		m, err = c.pick(q)
	} else {
		m, err = c.pickCount(q)
	}
	if err == nil && m.Device.XeCores == 0 && !q.Family {
		hint := fmt.Sprintf("give the number of XVEs; VTune's summary prints it, and an Xe-core has %d",
			m.Device.XVEPerXeCore)
		err = note.Errorf("xe-cores-unknown", note.Pos{}, hint, "the number of Xe-cores of %s is not "+
			"public", m.Device.Name)
	}
	if err != nil {
		return Match{}, err
	}
	if m.Device.Confidence == confidenceLow {
		m.Notes = append(m.Notes, note.Newf(note.Info, "device-low-confidence", note.Pos{}, "",
			"values of %s are assumed: %s", m.Device.Key, m.Device.Notes))
	}
	own := *m.Device
	m.Device, m.Notes = &own, append(c.notes, m.Notes...)
	return m, nil
}

// Knows reports whether a name refers to one or several devices.
func (t *Table) Knows(name string) bool {
	return len(name) <= 2*maxName && len(t.candidates(takeApart(name)).devices) > 0
}

// candidates are the devices that a name may refer to.
type candidates struct {
	hit
	// wider contains devices that are tried if no candidate has the XVE count:
	// other bins, or the other devices of the family.
	wider []*Device
	// id is the PCI ID by which the devices were found. The full part
	// represents its bins.
	id string
	// called is the driver's name in normalized form. A device with exactly
	// this name is preferred.
	called string
	notes  []note.Note
}

func (t *Table) candidates(w wanted) candidates {
	if w.id != "" && !t.isKey(w) {
		if h := t.byID[w.id]; h != nil {
			return candidates{hit: join(h, nil), id: w.id, called: t.driverName(w.id)}
		}
		if w.idOnly {
			return candidates{}
		}
	}
	var c candidates
	if w.brackets != "" {
		c = t.byCodeAndName(w.name, w.brackets)
	} else {
		c = t.byName(w.name)
	}
	if w.id != "" && len(c.devices) > 0 && !t.isKey(w) {
		c.notes = append(c.notes, note.Warningf("device-id-unknown", note.Pos{}, "",
			"PCI id %s is not in the device table; the device is identified by its name", w.id))
	}
	return c
}

// isKey reports whether a text that could be a PCI ID is also the key of a
// device. For example, A770 is both.
func (t *Table) isKey(w wanted) bool { return w.idOnly && t.byKey[squash(w.name)] != nil }

// driverName returns the driver's name for a PCI ID, in normalized form.
func (t *Table) driverName(id string) string {
	for _, row := range t.ids {
		if string(row.ID) == id {
			return squash(string(row.Name))
		}
	}
	return ""
}

func (t *Table) byName(name string) candidates {
	s := squash(name)
	if s == "" {
		return candidates{}
	}
	if d := t.byKey[s]; d != nil {
		return candidates{hit: hit{devices: []*Device{d}, def: d}, wider: t.bins(d)}
	}
	if h := t.named(s); len(h.devices) > 0 {
		return candidates{hit: h, wider: t.bins(h.devices...), called: s}
	}
	// Mesa's form: UHD Graphics 630 (CFL GT2)
	if i := strings.LastIndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		if c := t.byCodeAndName(strings.TrimSuffix(name[i+1:], ")"), name[:i]); len(c.devices) > 0 {
			return c
		}
	}
	return candidates{hit: t.coded(s)}
}

// named returns the entry for a normalized name. It tries the name as name,
// alias, or family, and then the name without the words that every GPU has.
func (t *Table) named(s string) hit {
	h := join(t.codes[s], t.names[s])
	if len(h.devices) > 0 {
		return h
	}
	for _, short := range []string{s, shorten(s), shortest(shorten(s))} {
		if short == "" {
			continue
		}
		if h = join(t.codes[short], t.short[short]); len(h.devices) > 0 {
			return h
		}
		if d := t.byKey[short]; d != nil {
			return hit{devices: []*Device{d}}
		}
	}
	return h
}

// join merges two entries. The default of the first entry has priority.
func join(a, b *hit) hit {
	var h hit
	if a != nil {
		h = hit{devices: slices.Clone(a.devices), def: a.def, xves: a.xves}
	}
	if b != nil {
		h.add(b.devices...)
	}
	return h
}

// coded returns the entry for a normalized code name, which may have suffixes:
// meteorlakep, tigerlakelpgt2. If several families match, the longest name has
// priority.
func (t *Table) coded(s string) hit {
	for end := len(s); end >= 3; end-- {
		if h := t.codes[s[:end]]; h != nil && isCodeSuffix(s[end:]) {
			return join(h, nil)
		}
	}
	return hit{}
}

// byCodeAndName returns the devices that both names in VTune's CODENAME
// [MARKETING NAME] refer to. If there are none, it uses only the code name,
// because it identifies the hardware, while products share marketing names.
func (t *Table) byCodeAndName(code, name string) candidates {
	byCode, byName := t.coded(squash(code)), t.named(squash(name))
	c := candidates{called: squash(name)}
	switch {
	case len(byCode.devices) == 0 && len(byName.devices) == 0:
		return t.byName(code)
	case len(byCode.devices) == 0:
		c.hit = byName
	default:
		for _, d := range byCode.devices {
			if slices.Contains(byName.devices, d) {
				c.devices = append(c.devices, d)
			}
		}
		c.wider = byCode.devices
		if len(c.devices) == 0 {
			c.devices = byCode.devices
		}
	}
	return c
}

// bins returns the smaller devices that share a PCI ID with one of the devices.
func (t *Table) bins(ds ...*Device) []*Device {
	var out []*Device
	for _, d := range ds {
		for _, id := range d.PCIIDs {
			for _, e := range t.byID[id].devices {
				if e.XVEs() < d.XVEs() && !slices.Contains(out, e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// preferUser keeps only entries from the user's device files, if such an entry
// itself has the name or the PCI ID. The user wrote it for that purpose. An
// entry that replaces a built-in entry and matches only as a member of a family
// has no priority.
func (c *candidates) preferUser(w wanted) {
	var own []*Device
	for _, d := range c.devices {
		if d.Confidence == confidenceUser && d.claims(w) {
			own = append(own, d)
		}
	}
	if len(own) > 0 {
		c.devices, c.def, c.xves = own, nil, 0
	}
}

// claims reports whether a device itself has a name or PCI ID, and not only its
// family.
func (d *Device) claims(w wanted) bool {
	if w.id != "" && slices.Contains(d.PCIIDs, w.id) {
		return true
	}
	for _, n := range append([]string{d.Key, d.Name}, d.Aliases...) {
		if s := squash(n); s == squash(w.name) || s == squash(w.brackets) {
			return true
		}
	}
	return false
}

// pick returns the device if there is no XVE count.
func (c *candidates) pick(q Query) (Match, error) {
	if c.def != nil && c.xves > 0 {
		return c.pickCount(Query{Name: q.Name, XVEs: c.xves})
	}
	if c.def != nil {
		return Match{Device: c.def}, nil
	}
	if sameShape(c.devices) {
		d := c.best(c.devices)
		return Match{Device: d, Notes: alsoNote(d, c.devices)}, nil
	}
	if c.id == "" {
		return Match{}, &AmbiguousError{Name: q.Name, Candidates: c.devices}
	}
	largest := slices.MaxFunc(c.devices, func(a, b *Device) int { return cmp.Compare(a.XVEs(), b.XVEs()) })
	return Match{Device: largest, Notes: []note.Note{note.Newf(note.Info, "device-full-part", note.Pos{},
		"another number of XVEs chooses another", "PCI id %s is shared by %s; the full part is used", c.id,
		list(c.devices))}}, nil
}

// pickCount returns the device with the XVE count: a part with that count, or
// otherwise a bin of a larger part.
func (c *candidates) pickCount(q Query) (Match, error) {
	for _, set := range [][]*Device{c.devices, c.wider} {
		fit := slices.DeleteFunc(slices.Clone(set), func(d *Device) bool { return d.XVEs() != q.XVEs })
		if len(fit) == 0 {
			continue
		}
		if !sameShape(fit) {
			return Match{}, &AmbiguousError{Name: q.Name, XVEs: q.XVEs, Candidates: fit}
		}
		d := c.best(fit)
		return Match{Device: d, Notes: alsoNote(d, fit)}, nil
	}
	all := join(&hit{devices: c.devices}, &hit{devices: c.wider}).devices
	var bins []*Device
	from := map[*Device]*Device{}
	for _, d := range all {
		if b := d.bin(q.XVEs); b != nil {
			bins, from[b] = append(bins, b), d
		}
	}
	switch {
	case len(bins) == 0:
		return Match{}, noSuchCount(q, all)
	case !sameShape(bins):
		return Match{}, &AmbiguousError{Name: q.Name, XVEs: q.XVEs, Candidates: bins}
	}
	// Prefer the bin with the fewest tiles, because whole stacks are the most
	// common parts of a GPU. Then prefer the bin of the largest part.
	b := slices.MinFunc(bins, func(a, b *Device) int {
		return cmp.Or(cmp.Compare(a.Tiles, b.Tiles), cmp.Compare(from[b].XVEs(), from[a].XVEs()))
	})
	if from[b].XeCores == 0 {
		return Match{Device: b}, nil
	}
	return Match{Device: b, Notes: []note.Note{note.Newf(note.Info, "device-binned", note.Pos{}, "",
		"binned part: %d of %d Xe-cores of %s", b.XeCores, from[b].XeCores, from[b].Key)}}, nil
}

// best returns the default device of the name. Without a default, it returns
// the device with exactly that name, or otherwise the first device.
func (c *candidates) best(ds []*Device) *Device {
	if c.def != nil && slices.Contains(ds, c.def) {
		return c.def
	}
	for _, d := range ds {
		if c.called != "" && squash(d.Name) == c.called {
			return d
		}
	}
	return ds[0]
}

// unknown returns the error for an unknown name, with the nearest devices.
func (t *Table) unknown(name string) error {
	if strings.TrimSpace(name) == "" {
		return note.Errorf(codeUnknown, note.Pos{}, "give a key, name, alias, or PCI id", "no device is named")
	}
	near := ""
	w := takeApart(name)
	if asked := squash(w.name + w.brackets); asked != "" && len(asked) <= maxWord { // a longer name has no near name
		found := t.near(asked, max(1, len(asked)/3)) // up to 33% of the letters may be wrong
		if len(found) > 0 {
			near = "; did you mean " + unit.JoinWords(found[:min(5, len(found))], "or") + "?"
		}
	}
	return note.Errorf(codeUnknown, note.Pos{}, "give a key of the device table",
		"device %s is not in the device table%s", quoted(name), near)
}

// near returns the device keys with a name, alias, or family within the limit,
// the nearest first. If several are equally near, the nearest key is first.
func (t *Table) near(asked string, limit int) (keys []string) {
	best := map[string]int{} // by key: distance of the nearest name
	meet := func(distance int, keys ...string) {
		for _, k := range keys {
			if old, met := best[k]; !met || distance < old {
				best[k] = distance
			}
		}
	}
	for _, row := range t.families {
		of := []string(row.Devices)
		if row.Default != "" {
			of = []string{string(row.Default)}
		}
		for _, n := range row.Names {
			meet(levenshtein.ComputeDistance(asked, squash(n)), of...)
		}
	}
	own := map[string]int{}
	for i := range t.devices {
		d := &t.devices[i]
		own[d.Key] = levenshtein.ComputeDistance(asked, squash(d.Key))
		meet(own[d.Key], d.Key)
		for _, n := range append([]string{d.Name}, d.Aliases...) {
			s := squash(n)
			meet(min(levenshtein.ComputeDistance(asked, s),
				levenshtein.ComputeDistance(shorten(asked), shortest(shorten(s)))), d.Key)
		}
		if n := best[d.Key]; n <= limit && n < len(asked) {
			keys = append(keys, d.Key)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(best[a], best[b]), cmp.Compare(own[a], own[b]))
	})
	return keys
}

// codeUnknown is the code of the error for a name that is not in the table.
const codeUnknown = "unknown-device"

// maxWord is the largest length of a name that is compared. No name in the
// table is longer.
const maxWord = 80

// An AmbiguousError states that a name refers to several devices with different
// shapes.
type AmbiguousError struct {
	Name       string
	XVEs       int // XVE count in the query; 0 if none
	Candidates []*Device
}

// Error returns the message with the candidates.
func (e *AmbiguousError) Error() string { return e.Unwrap().Error() }

// Unwrap returns the error as an InputError. Its hint lists the XVE counts that
// distinguish the candidates. A count distinguishes them only if all devices
// with this count have one shape.
func (e *AmbiguousError) Unwrap() error {
	var deciding []int
	for _, n := range xveCounts(e.Candidates) {
		of := slices.DeleteFunc(slices.Clone(e.Candidates), func(d *Device) bool { return d.XVEs() != n })
		if sameShape(of) {
			deciding = append(deciding, n)
		}
	}
	with, hint := "", "give the key of one of them"
	switch {
	case e.XVEs > 0:
		with = fmt.Sprintf(" with %d XVE", e.XVEs)
	case len(deciding) > 0:
		hint += ", or the number of XVEs: " + numbers(deciding)
	}
	return note.Errorf("ambiguous-device", note.Pos{}, hint, "device %s%s may be %s", quoted(e.Name), with,
		list(e.Candidates))
}

// noSuchCount returns the error for an XVE count that no device with the name
// has.
func noSuchCount(q Query, candidates []*Device) error {
	if counts := xveCounts(candidates); counts[0] == 0 { // a count of 0 is not public
		each := candidates[0].XVEPerXeCore
		return note.Errorf("xve-count", note.Pos{}, checkDevice, "device %s does not come with %d XVE; its Xe-cores "+
			"have %d each, so the count is a multiple of %[3]d up to %[4]d", quoted(q.Name), q.XVEs, each, maxXVEs)
	}
	hint := ""
	largest := slices.MaxFunc(candidates, func(a, b *Device) int { return cmp.Compare(a.XVEs(), b.XVEs()) })
	if q.XVEs > 0 && q.XVEs < largest.XVEs() {
		hint = fmt.Sprintf("; a binned part has a multiple of %d, the XVEs of one Xe-core", largest.XVEPerXeCore)
	}
	return note.Errorf("xve-count", note.Pos{}, checkDevice, "device %s does not come with %d XVE; it has %s%s",
		quoted(q.Name), q.XVEs, numbers(xveCounts(candidates)), hint)
}

// xveCounts returns the distinct counts, the largest first.
func xveCounts(ds []*Device) []int {
	var counts []int
	for _, d := range ds {
		counts = append(counts, d.XVEs())
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	slices.Reverse(counts)
	return counts
}

func numbers(ns []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ns), " ", ", "), "[]")
}

// quoted returns a name in quotes for a message. Long names are shortened,
// because names come from files.
func quoted(name string) string {
	const most = 100
	if r := []rune(name); len(r) > most {
		name = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", name)
}
