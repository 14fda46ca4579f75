package arch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Query describes which device is wanted.
type Query struct {
	Name string // key, name, alias, PCI id, or the text that a log, a summary or lspci prints for the device
	XVEs int    // XVE (EU) count when it is known, otherwise 0: it tells bins of one name apart
	// Family accepts a family whose Xe-core count is not public. For example,
	// one Xe-core of it can be predicted, but not a launch on the whole GPU.
	Family bool
}

// Match is the answer to a query.
type Match struct {
	Device *Device // the caller's own copy
	Notes  []note.Note
}

// Find looks a device up. The order is: the PCI id in brackets at the end of
// the name, the key, the name or alias, the name without the words that every
// GPU has ("Graphics", "Arc"), the code name. Case, blanks, -, _, (R) and (TM)
// do not matter. A name that several devices share is decided by the XVE count;
// devices of one shape are one answer. A count that no listed part has, but
// that is a whole number of Xe-cores of one, gives a binned part with a note. A
// name that means several devices of different shapes is an *AmbiguousError.
func (t *Table) Find(q Query) (Match, error) {
	var c candidates
	w := takeApart(q.Name)
	if len(q.Name) <= 2*maxName { // a longer text is no device: it is a file read as something else
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
		hint := fmt.Sprintf("give its XVE count with --xve N; VTune's summary prints it, and an Xe-core has %d",
			m.Device.XVEPerXeCore)
		err = note.Errorf("xe-cores-unknown", note.Pos{}, hint, "how many Xe-cores %s has is not public", m.Device.Name)
	}
	if err != nil {
		return Match{}, err
	}
	if m.Device.Confidence == confidenceLow {
		m.Notes = append(m.Notes, note.Note{Severity: note.Info, Code: "device-low-confidence",
			Text: fmt.Sprintf("figures of %s are assumed: %s", m.Device.Key, m.Device.Notes)})
	}
	own := *m.Device
	m.Device, m.Notes = &own, append(c.notes, m.Notes...)
	return m, nil
}

// Knows reports whether a name means a device or several.
func (t *Table) Knows(name string) bool {
	return len(name) <= 2*maxName && len(t.candidates(takeApart(name)).devices) > 0
}

// candidates are the devices that a name may mean.
type candidates struct {
	hit
	wider  []*Device // also looked at when an XVE count fits none of them: other bins, the rest of the family
	id     string    // PCI id that led to them: the full part stands for its bins
	called string    // squashed name by which the driver calls it: an entry of exactly this name is preferred
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
		c.notes = append(c.notes, note.Note{Severity: note.Warning, Code: "device-id-unknown",
			Text: fmt.Sprintf("PCI id %s is not in the device table; the device is taken by its name", w.id)})
	}
	return c
}

// isKey states that a text which could be a PCI id is the key of a device: A770
// is both.
func (t *Table) isKey(w wanted) bool { return w.idOnly && t.byKey[squash(w.name)] != nil }

// driverName returns the squashed name that the driver has for a PCI id.
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
	// Mesa: UHD Graphics 630 (CFL GT2)
	if i := strings.LastIndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		if c := t.byCodeAndName(strings.TrimSuffix(name[i+1:], ")"), name[:i]); len(c.devices) > 0 {
			return c
		}
	}
	return candidates{hit: t.coded(s)}
}

// named looks a squashed name up as name, alias or family, then without the
// words that every GPU has.
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

// join merges two entries; the first one's default counts.
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

// coded looks a squashed code name up that may carry suffixes: meteorlakep,
// tigerlakelpgt2. The longest family wins.
func (t *Table) coded(s string) hit {
	for end := len(s); end >= 3; end-- {
		if h := t.codes[s[:end]]; h != nil && isCodeSuffix(s[end:]) {
			return join(h, nil)
		}
	}
	return hit{}
}

// byCodeAndName decides VTune's CODENAME [MARKETING NAME]: what both name,
// otherwise what the code name says, since the hardware is sure and marketing
// names are shared.
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

// bins returns the devices that share a PCI id with one of ds and are no larger
// than it.
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

// preferUser keeps only the entries of the user's device files that claim the
// name or the PCI id themselves: they were written to be used. One that is only
// a member of a family, in place of a built-in entry, counts no more than the
// others.
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

// claims reports whether a device bears a name or PCI id itself.
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

// pick decides without an XVE count.
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
	return Match{Device: largest, Notes: []note.Note{{Severity: note.Info, Code: "device-full-part",
		Text: fmt.Sprintf("PCI id %s is shared by %s; the full part is taken", c.id, list(c.devices)),
		Hint: "--xve N chooses another"}}}, nil
}

// pickCount decides with an XVE count: a part of that count, otherwise a bin of
// a larger one.
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
	// The least tiles, since whole stacks are the commonest parts of a GPU;
	// then the largest, the part that was binned.
	b := slices.MinFunc(bins, func(a, b *Device) int {
		return cmp.Or(cmp.Compare(a.Tiles, b.Tiles), cmp.Compare(from[b].XVEs(), from[a].XVEs()))
	})
	if from[b].XeCores == 0 {
		return Match{Device: b}, nil
	}
	return Match{Device: b, Notes: []note.Note{{Severity: note.Info, Code: "device-binned",
		Text: fmt.Sprintf("binned part: %d of %d Xe-cores of %s", b.XeCores, from[b].XeCores, from[b].Key)}}}, nil
}

// best prefers the usual device of the name, then the one that is called
// exactly so, then the first.
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

// unknown makes the error for a name that nothing answers to, with the devices
// that come nearest to it.
func (t *Table) unknown(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("no device is named; give --device NAME " +
			"(a key, name, alias or PCI id; 'occudiff devices' lists them)")
	}
	near := ""
	w := takeApart(name)
	if asked := squash(w.name + w.brackets); asked != "" && len(asked) <= maxWord { // else nothing is near to it
		found := t.near(asked, max(1, len(asked)/3)) // a third of the letters may be wrong
		if len(found) > 0 {
			near = "; did you mean " + unit.JoinWords(found[:min(5, len(found))], "or") + "?"
		}
	}
	return note.Errorf("unknown-device", note.Pos{}, "'occudiff devices' lists all, --device-file FILE adds one",
		"device %s is not in the device table%s", quoted(name), near)
}

// near returns the keys of the devices of which a name, alias or family is
// within the limit, the nearest first; of equally near ones those whose key is
// near.
func (t *Table) near(asked string, limit int) (keys []string) {
	best := map[string]int{} // distance of the nearest name of each key
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

// didYouMean returns a hint at the nearest of the known words, or nothing.
func didYouMean(word string, known []string) string {
	best, distance := "", 1+len(word)/2
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if n := levenshtein.ComputeDistance(strings.ToLower(word), k); n < distance {
			best, distance = k, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// maxWord is the longest word that is compared; no name of the table is longer.
const maxWord = 80

// AmbiguousError states that a name means several devices of different shapes.
type AmbiguousError struct {
	Name       string
	XVEs       int // the count that was given, 0 for none
	Candidates []*Device
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	with := ""
	if e.XVEs > 0 {
		with = fmt.Sprintf(" with %d XVE", e.XVEs)
	}
	return fmt.Sprintf("device %s%s may be %s; %s decides",
		quoted(e.Name), with, list(e.Candidates), e.flags())
}

// flags names the flag that tells the candidates apart: a count does only where
// one shape has it.
func (e *AmbiguousError) flags() string {
	var deciding []int
	for _, n := range xveCounts(e.Candidates) {
		of := slices.DeleteFunc(slices.Clone(e.Candidates), func(d *Device) bool { return d.XVEs() != n })
		if sameShape(of) {
			deciding = append(deciding, n)
		}
	}
	if e.XVEs > 0 || len(deciding) == 0 {
		return "--device KEY"
	}
	return fmt.Sprintf("--xve N (%s) or --device KEY", numbers(deciding))
}

// noSuchCount states that none of the devices that a name means comes with the
// XVE count that was given.
func noSuchCount(q Query, candidates []*Device) error {
	if counts := xveCounts(candidates); counts[0] == 0 { // families whose Xe-core count is not public
		each := candidates[0].XVEPerXeCore
		return fmt.Errorf("device %s does not come with %d XVE; an Xe-core of it has %d, so the count is a multiple "+
			"of %[3]d up to %[4]d (correct --xve or --device, or describe the part in a --device-file)",
			quoted(q.Name), q.XVEs, each, maxXVEs)
	}
	hint := ""
	largest := slices.MaxFunc(candidates, func(a, b *Device) int { return cmp.Compare(a.XVEs(), b.XVEs()) })
	if q.XVEs > 0 && q.XVEs < largest.XVEs() {
		hint = fmt.Sprintf("; a binned part has a multiple of %d, the XVEs of one Xe-core", largest.XVEPerXeCore)
	}
	return fmt.Errorf("device %s does not come with %d XVE; it has %s%s "+
		"(correct --xve or --device, or describe the part in a --device-file)",
		quoted(q.Name), q.XVEs, numbers(xveCounts(candidates)), hint)
}

// xveCounts lists the different counts, the largest first.
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

// quoted quotes a name for a message; names come from files and may be of any
// length.
func quoted(name string) string {
	const most = 100
	if r := []rune(name); len(r) > most {
		name = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", name)
}
