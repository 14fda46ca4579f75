package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// launchFlags describe a launch; `predict` and `advise` share them.
type launchFlags struct {
	devices      []string
	global       string
	local        string
	simd         int
	slm          string
	barriers     int
	grf          int
	registers    string
	policy       string
	barrierSlots int
	groupSlots   int
}

func (l *launchFlags) add(f *pflag.FlagSet) {
	// This --device takes the place of the one that all commands share, for it may name several.
	f.StringArrayVar(&l.devices, "device", nil,
		"GPU: a key, name, alias or PCI id (see 'occudiff devices'); repeatable, a list with commas, or all")
	f.StringVar(&l.global, "global", "", "global size in work-items, as in 81920 or 512x512")
	f.StringVar(&l.local, "local", "", "work-group size in work-items, as in 256 or 16x16")
	f.IntVar(&l.simd, "simd", 0, "sub-group size")
	f.StringVar(&l.slm, "slm", "", "shared local memory per work-group, in bytes or with a unit as in 16K")
	f.IntVar(&l.barriers, "barriers", 0, "named barriers per work-group; 1 for an ordinary barrier()")
	f.IntVar(&l.grf, "grf", 0,
		"GRF mode in registers per thread: 128, or 256 for large GRF (default: the device's default mode)")
	f.StringVar(&l.registers, "registers", "", "registers per thread that the kernel needs: "+
		"takes the smallest GRF mode that holds them; for compute units the register bytes per work-item")
	f.IntVar(&l.barrierSlots, "barrier-slots", 0, "barrier slots per Xe-core instead of the device table's cell")
	f.IntVar(&l.groupSlots, "work-group-slots", 0,
		"work-group slots per Xe-core instead of the device table's cell (older guides: 16)")
}

// check finds numbers that no launch has. A flag that was not given is not a number yet.
func (l *launchFlags) check(f *pflag.FlagSet) error {
	for _, c := range []struct {
		flag  string
		value int
		least int
		as    string
	}{
		{"simd", l.simd, 1, "a sub-group size as in 8, 16 or 32"},
		{"barriers", l.barriers, 0, "a number of barriers from 0"},
		{"grf", l.grf, 1, "registers per thread as in 128 or 256"},
		{"barrier-slots", l.barrierSlots, 1, "a number of slots above 0"},
		{"work-group-slots", l.groupSlots, 1, "a number of slots above 0"},
	} {
		if f.Changed(c.flag) && c.value < c.least {
			return usageErrorf("--%s %d: expected %s", c.flag, c.value, c.as)
		}
	}
	for _, flag := range []string{"global", "local"} {
		if f.Changed(flag) && strings.TrimSpace(f.Lookup(flag).Value.String()) == "" {
			return usageErrorf("--%s is empty: expected work-items as in 256 or 16x16", flag)
		}
	}
	if l.grf > 0 && l.registers != "" {
		return usageErrorf("--grf names a GRF mode and --registers looks one up: give one of them")
	}
	return nil
}

// launch reads the sizes. The GRF mode for --registers depends on the device, see needs.
func (l *launchFlags) launch() (predict.Launch, error) {
	var p predict.Launch
	var err error
	if p.Global, err = unit.ParseSize(strings.TrimSpace(l.global)); err != nil {
		return p, usageErrorf("--global: %v", err)
	}
	if p.Local, err = unit.ParseSize(strings.TrimSpace(l.local)); err != nil {
		return p, usageErrorf("--local: %v", err)
	}
	if p.SLM, err = parseBytes("slm", l.slm); err != nil {
		return p, err
	}
	p.SIMD, p.Barriers, p.GRF = l.simd, l.barriers, l.grf
	p.BarrierSlots, p.GroupSlots = l.barrierSlots, l.groupSlots
	switch l.policy {
	case "free":
		p.Policy = predict.Free
	case "whole":
		p.Policy = predict.Whole
	}
	return p, nil
}

// needs gives the registers per thread that the kernel needs, 0 when nobody says so.
func (l *launchFlags) needs() (int, error) {
	if l.registers == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(l.registers))
	if err != nil || n < 1 {
		return 0, usageErrorf("--registers %q: expected a whole number from 1", strings.TrimSpace(l.registers))
	}
	return n, nil
}

// parseBytes reads the amount of memory of a flag, 0 when it is empty.
func parseBytes(flag, text string) (unit.Bytes, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	b, err := unit.ParseBytes(text)
	if err != nil {
		return 0, usageErrorf("--%s %v", flag, err)
	}
	return b, nil
}

// names lists the devices that were asked for, without blanks. Several names may stand in one flag, and names hold
// commas themselves: what is known as a whole is one name.
func (l *launchFlags) names(known func(string) bool) []string {
	var names []string
	for _, v := range l.devices {
		parts := strings.Split(v, ",")
		for len(parts) > 0 {
			n := len(parts)
			for ; n > 1 && !known(strings.Join(parts[:n], ",")); n-- {
			}
			if name := strings.TrimSpace(strings.Join(parts[:n], ",")); name != "" {
				names = append(names, name)
			}
			parts = parts[n:]
		}
	}
	return names
}

// one gives the only device name, for what works on one device.
func (l *launchFlags) one(what string, known func(string) bool) (string, error) {
	names := l.names(known)
	if len(names) != 1 || strings.EqualFold(names[0], "all") {
		return "", usageErrorf("%s takes one device: give --device NAME (see 'occudiff devices')", what)
	}
	return names[0], nil
}

// chooseDevices finds all devices that were asked for, in the order of the flags, each once.
func (a *app) chooseDevices(l *launchFlags) ([]arch.Choice, error) {
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	names := l.names(t.Knows)
	if len(names) == 0 {
		return nil, usageErrorf("no device is named: give --device NAME (see 'occudiff devices'); " +
			"several with commas, or all")
	}
	var list []arch.Choice
	seen := map[string]bool{}
	add := func(t arch.Choice) {
		if !seen[t.Device.Key] {
			seen[t.Device.Key] = true
			list = append(list, t)
		}
	}
	for _, name := range names {
		if strings.EqualFold(name, "all") {
			if a.xve > 0 {
				return nil, usageErrorf("--xve %d belongs to one device, not to --device all", a.xve)
			}
			devices := t.Devices()
			for i := range devices {
				add(arch.Choice{Device: &devices[i], By: "--device all"})
			}
			continue
		}
		m, err := t.Find(arch.Query{Name: name, XVEs: a.xve})
		if err != nil {
			return nil, err
		}
		by := "--device"
		if a.xve > 0 {
			by = "--device and --xve"
		}
		add(arch.Choice{Device: m.Device, By: by, Notes: m.Notes})
	}
	return list, nil
}
