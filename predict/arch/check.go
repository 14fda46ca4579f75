package arch

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// problem is what is wrong with a row, and the column that it is about.
type problem struct{ column, text, hint string }

// Bounds that keep the work on a file that is no device file small; the built-in table stays far below both.
const (
	maxName   = 256 // bytes of a key, name or alias
	maxPCIIDs = 256 // of one device
)

func problemf(column, hint, format string, args ...any) *problem {
	return &problem{column: column, text: fmt.Sprintf(format, args...), hint: hint}
}

// at makes the error for a row of a file; it is nil without a problem.
func (p *problem) at(s *table.Sheet, row int) error {
	if p == nil {
		return nil
	}
	return note.Faultf("device-file", s.Pos(row, p.column), p.hint, "column %s: %s", p.column, p.text)
}

// check gives the first inconsistency of a device, or nil: the model divides by these figures and rounds up to these
// steps, so a slip here is a wrong occupancy everywhere.
func (d *Device) check() *problem {
	for _, c := range []func() *problem{
		d.checkNames, d.checkCounts, d.checkModes, d.checkSIMD, d.checkSLM, d.checkGroups, d.checkLists,
	} {
		if p := c(); p != nil {
			return p
		}
	}
	return nil
}

func (d *Device) checkNames() *problem {
	if !plainKey(d.Key) || len(d.Key) > maxName {
		return problemf("key", "a key is lower-case letters, digits, -, _ and ., as in my-gpu",
			"%s is not a key", quoted(d.Key))
	}
	for i, a := range append([]string{d.Name}, d.Aliases...) {
		if squash(a) != "" && len(a) <= maxName {
			continue
		}
		column := "aliases"
		if i == 0 {
			column = "name"
		}
		return problemf(column, "give a name that tells the GPU from others",
			"%s is not a name that can be looked up", quoted(a))
	}
	return nil
}

func plainKey(k string) bool {
	for i, r := range k {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return k != ""
}

func (d *Device) checkCounts() *problem {
	for _, c := range []struct {
		column string
		n      int
	}{
		{"tiles", d.Tiles}, {"xve_per_xe_core", d.XVEPerXeCore},
		{"register_bytes", d.RegisterBytes}, {"work_group_max_items", d.MaxGroupSize},
		{"work_group_slots_per_xe_core", d.GroupSlots},
		{"slm_kb_per_xe_core", int(d.SLMPerXeCore)}, {"slm_kb_per_work_group_max", int(d.SLMPerGroupMax)},
	} {
		if c.n < 1 {
			return problemf(c.column, "leave an optional cell empty to take its default",
				"%d is not a positive number", c.n)
		}
	}
	if d.XeCores%d.Tiles != 0 {
		return problemf("tiles", "xe_cores counts the Xe-cores of all tiles",
			"%d Xe-cores do not divide over %d tiles", d.XeCores, d.Tiles)
	}
	return nil
}

func (d *Device) checkModes() *problem {
	const column = "threads_by_registers"
	for i, m := range d.GRFModes {
		switch {
		case m.Registers < 1 || m.ThreadsPerXVE < 1:
			return problemf(column, "", "%d:%d is not a pair of positive numbers", m.Registers, m.ThreadsPerXVE)
		case i > 0 && m.Registers <= d.GRFModes[i-1].Registers:
			return problemf(column, "list the modes by rising register count",
				"%d registers follow %d", m.Registers, d.GRFModes[i-1].Registers)
		case i > 0 && m.ThreadsPerXVE > d.GRFModes[i-1].ThreadsPerXVE:
			return problemf(column, "more registers per thread leave fewer threads",
				"%d registers leave %d threads, more than the %d of %d registers",
				m.Registers, m.ThreadsPerXVE, d.GRFModes[i-1].ThreadsPerXVE, d.GRFModes[i-1].Registers)
		}
	}
	if last := d.GRFModes[len(d.GRFModes)-1]; last.Registers < defaultRegisters {
		return problemf(column, "add the mode that kernels are compiled for by default",
			"no mode has %d registers or more", defaultRegisters)
	}
	return nil
}

func (d *Device) checkSIMD() *problem {
	for i, w := range d.SIMDWidths {
		switch {
		case w != 8 && w != 16 && w != 32:
			return problemf("simd_widths", "",
				"%d is not a sub-group size that Intel GPUs have; expected 8, 16 or 32", w)
		case i > 0 && w <= d.SIMDWidths[i-1]:
			return problemf("simd_widths", "list the widths from the smallest, each once",
				"%d follows %d", w, d.SIMDWidths[i-1])
		}
	}
	return nil
}

func (d *Device) checkSLM() *problem {
	kb := func(b unit.Bytes) int { return int(b >> 10) }
	if len(d.SLMBySource) > 0 && d.SLMBySource[0].Count != kb(d.SLMPerXeCore) {
		return problemf("slm_kb_by_source", "the first figure is the one that is used",
			"%d KB (%s) is not slm_kb_per_xe_core, %d KB", d.SLMBySource[0].Count, d.SLMBySource[0].Source,
			kb(d.SLMPerXeCore))
	}
	if d.SLMPerGroupMax > d.SLMPerXeCore {
		return problemf("slm_kb_per_work_group_max", "a work-group lives on one Xe-core",
			"%d KB per work-group are more than the %d KB of an Xe-core", kb(d.SLMPerGroupMax), kb(d.SLMPerXeCore))
	}
	if d.SLMSteps[0] != 0 {
		return problemf("slm_steps_kb", "begin the list with 0, for a work-group without SLM",
			"the first step is %d KB", kb(d.SLMSteps[0]))
	}
	for i := 1; i < len(d.SLMSteps); i++ {
		if d.SLMSteps[i] <= d.SLMSteps[i-1] {
			return problemf("slm_steps_kb", "list the steps from the smallest, each once",
				"%d KB follow %d KB", kb(d.SLMSteps[i]), kb(d.SLMSteps[i-1]))
		}
	}
	if last := d.SLMSteps[len(d.SLMSteps)-1]; last != d.SLMPerGroupMax {
		return problemf("slm_steps_kb", "the largest step is what one work-group may have at most",
			"the largest step is %d KB, slm_kb_per_work_group_max is %d KB", kb(last), kb(d.SLMPerGroupMax))
	}
	return nil
}

// checkGroups asks that the largest work-group can run at all.
func (d *Device) checkGroups() *problem {
	if most := d.SlotsPerXeCore() * slices.Max(d.SIMDWidths); d.MaxGroupSize > most {
		return problemf("work_group_max_items", "a work-group lives on one Xe-core",
			"%d work-items do not fit the %d thread slots of an Xe-core at SIMD%d, which hold %d",
			d.MaxGroupSize, d.SlotsPerXeCore(), slices.Max(d.SIMDWidths), most)
	}
	seen := map[string]bool{}
	for _, b := range d.BarrierSlots {
		if b.Count < 1 {
			return problemf("barrier_slots_per_xe_core", "", "%s:%d is not a positive number", b.Source, b.Count)
		}
		if seen[b.Source] {
			return problemf("barrier_slots_per_xe_core", "give one figure per source, the default first",
				"source %s is listed twice", quoted(b.Source))
		}
		seen[b.Source] = true
	}
	return nil
}

func (d *Device) checkLists() *problem {
	if len(d.PCIIDs) > maxPCIIDs {
		return problemf("pci_ids", "", "%d PCI ids are more than a device has", len(d.PCIIDs))
	}
	for i, id := range d.PCIIDs {
		if !isPCIID(id) {
			return problemf("pci_ids", "write the four hexadecimal digits of the device id, as in 0BDA",
				"%s is not a PCI device id", quoted(id))
		}
		if slices.Contains(d.PCIIDs[:i], id) {
			return problemf("pci_ids", "", "PCI id %s is listed twice", id)
		}
	}
	return nil
}

// isPCIID says whether id has the form of the table: four hexadecimal digits in upper case.
func isPCIID(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return len(id) == 4
}
