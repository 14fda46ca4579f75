package arch

import "slices"

// target is what a compiler calls the GPUs that share a device image. Sources: the graphics IP versions are
// AOT::PRODUCT_CONFIG of intel/compute-runtime (third_party/aot_config_headers/platforms.h), the families
// PRODUCT_FAMILY of intel/intel-graphics-compiler (inc/common/igfxfmid.h), the names those that ocloc's -device
// takes.
type target struct {
	compiler string
	release  string // architecture and release of the graphics IP
	family   int
	keys     []string
}

// targets lists them from the oldest.
func targets() []target {
	return []target{
		{"skl", "9.0", 18, []string{"skl-gt1", "skl-gt1f", "skl-gt2", "skl-gt3", "skl-gt4"}},
		{"kbl", "9.1", 19, []string{"kbl-gt1", "kbl-gt1f", "kbl-gt2", "kbl-gt3", "kbl-gt4"}},
		{"cfl", "9.2", 20, []string{"cfl-gt1", "cfl-gt2", "cfl-gt3", "uhd-p630"}},
		{"glk", "9.4", 23, []string{"glk-12", "glk-18"}},
		{"icllp", "11.0", 26, []string{"icl-g1", "icl-g4", "icl-g7"}},
		{"tgllp", "12.0", 29, []string{"tgl-32", "tgl-48", "tgl-80", "tgl-96"}},
		{"rkl", "12.1", 30, []string{"rkl-32"}},
		{"adl-s", "12.2", 31, []string{"uhd710", "uhd730", "uhd770"}},
		{"adl-p", "12.3", 32, []string{"adlp-48", "adlp-64", "adlp-80", "adlp-96"}},
		{"adl-n", "12.4", 33, []string{"adln-16", "adln-24", "adln-32"}},
		{"dg1", "12.10", 1210, []string{"dg1-80", "dg1-96"}},
		{"acm-g10", "12.55", 1270, []string{"a550m", "a580", "a730m", "a750", "a770", "a770m", "flex170"}},
		{"acm-g11", "12.56", 1270, []string{"a310", "a350m", "a370m", "a380", "proa40", "flex140"}},
		{"acm-g12", "12.57", 1270, []string{"a530m", "a570m", "proa60"}},
		{"pvc", "12.60", 1271, []string{"max1100", "max1350", "max1450", "max1550", "max1550-1t"}},
		{"mtl-u", "12.70", 1272, []string{"mtl-64", "arl-s"}},
		{"mtl-h", "12.71", 1272, []string{"mtl-112", "mtl-128"}},
		{"arl-h", "12.74", 1273, []string{"arl-h"}},
		{"bmg-g21", "20.1", 1274, []string{"b50", "b570", "b580", "b60"}},
		{"bmg-g31", "20.2", 1274, []string{"b65", "b70"}},
		{"lnl-m", "20.4", 1275, []string{"lnl-32", "lnl-56", "lnl-64"}},
		{"ptl-h", "30.0", 1300, []string{"b370", "b390"}},
		{"ptl-u", "30.1", 1300, []string{"ptl-4"}},
		{"wcl", "30.3", 1300, []string{"wcl"}},
	}
}

// is says whether a target has a graphics IP version, or where that is not known the number of a product family.
func (x *target) is(family int, release string) bool {
	if release != "" {
		return x.release == release
	}
	return x.family == family
}

// Compiled gives the devices that a kernel's binary may run on, the one with most thread slots first: by the graphics
// IP version where it is known, as in 12.60, else by the driver's number of the product family. None means that
// neither is known.
func (t *Table) Compiled(family int, release string) []*Device {
	var keys []string
	for _, x := range targets() {
		if x.is(family, release) {
			keys = append(keys, x.keys...)
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
	for _, x := range targets() {
		c := CompilerTarget{Name: x.compiler}
		if len(asked) == 0 {
			of := t.Compiled(x.family, x.release)
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
	return slices.ContainsFunc(targets(), func(x target) bool {
		return x.is(family, release) && t.hasTarget(d, x)
	})
}

// hasTarget says whether a target is that of a device: by its key, and for a device that is not in the built-in list,
// as a binned part or one of a device file, by its code name.
func (t *Table) hasTarget(d *Device, x target) bool {
	listed := slices.ContainsFunc(targets(), func(y target) bool { return slices.Contains(y.keys, d.Key) })
	return slices.ContainsFunc(x.keys, func(key string) bool {
		if listed {
			return key == d.Key
		}
		known := t.byKey[squash(key)]
		return known != nil && known.Codename == d.Codename
	})
}
