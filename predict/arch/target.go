package arch

import (
	"slices"

	"occudiff/ingest/table"
)

// target is a row of targets.csv: what a compiler calls the GPUs that share a device image.
type target struct {
	Compiler table.Name  `csv:"compiler" table:"required"`
	Release  table.Name  `csv:"release" table:"required"` // architecture and release of the graphics IP
	Family   table.Count `csv:"family" table:"required"`
	Keys     table.Words `csv:"device_keys" table:"required"`
}

// is says whether a target has a graphics IP version, or where that is not known the number of a product family.
func (x *target) is(family int, release string) bool {
	if release != "" {
		return string(x.Release) == release
	}
	return x.Family.Or(0) == family
}

// Compiled gives the devices that a kernel's binary may run on, the one with most thread slots first: by the graphics
// IP version where it is known, as in 12.60, else by the driver's number of the product family. None means that
// neither is known.
func (t *Table) Compiled(family int, release string) []*Device {
	var keys []string
	for _, x := range t.targets {
		if x.is(family, release) {
			keys = append(keys, x.Keys...)
		}
	}
	var list []*Device
	for i := range t.devices {
		if d := &t.devices[i]; slices.Contains(keys, d.Key) {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b *Device) int { return b.Slots() - a.Slots() })
	return list
}

// CompilerTarget is a device as the offline compiler ocloc calls it, and the devices to predict its binary for.
type CompilerTarget struct {
	Name    string
	Devices []*Device
}

// CompilerTargets gives what to compile for: the names of the devices that were asked for, each with those of them
// that it stands for; without any all names, each with the device that has most thread slots. A device without a name
// is left out.
func CompilerTargets(t *Table, asked []*Device) []CompilerTarget {
	var list []CompilerTarget
	for _, x := range t.targets {
		c := CompilerTarget{Name: string(x.Compiler)}
		if len(asked) == 0 {
			of := t.Compiled(x.Family.Or(0), string(x.Release))
			c.Devices = of[:min(1, len(of))]
		}
		for _, d := range asked {
			if t.hasTarget(d, x) {
				c.Devices = append(c.Devices, d)
			}
		}
		if len(c.Devices) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// CompiledFor says whether an image of a product family or graphics IP version is for a device.
func (t *Table) CompiledFor(d *Device, family int, release string) bool {
	return slices.ContainsFunc(t.targets, func(x target) bool {
		return x.is(family, release) && t.hasTarget(d, x)
	})
}

// hasTarget says whether a target is that of a device: by its key, and for a device that is not in the built-in list,
// as a binned part or one of a device file, by its code name.
func (t *Table) hasTarget(d *Device, x target) bool {
	listed := slices.ContainsFunc(t.targets, func(y target) bool { return slices.Contains(y.Keys, d.Key) })
	return slices.ContainsFunc(x.Keys, func(key string) bool {
		if listed {
			return key == d.Key
		}
		known := t.byKey[squash(key)]
		return known != nil && known.Codename == d.Codename
	})
}
