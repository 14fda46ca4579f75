package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/computeunit"
)

// launchCommand is what predict and advise share: a launch, and the model that it is asked about.
type launchCommand struct {
	*app

	devices      []string
	global       cli.Size
	local        cli.Size
	simd         int
	slm          string
	barriers     int
	grf          int
	registers    string
	policy       string
	barrierSlots int
	groupSlots   int

	model        string
	platform     string
	platformFile string
}

func (l *launchCommand) add(f *pflag.FlagSet) {
	l.policy, l.model = "auto", "intel"
	cli.Define(f, []cli.Flag{
		// This --device takes the place of the one that other commands share, for it may name several.
		{Name: "device", Value: &l.devices, Arg: "NAME", Usage: "GPU: key, name, alias or PCI id of 'occudiff " +
			"devices'; several with commas, or all"},
		{Name: "global", Value: &l.global, Arg: "SIZE", Usage: "global size in work-items, as in 81920, 1M or 512x512"},
		{Name: "local", Value: &l.local, Arg: "SIZE", Usage: "work-group size in work-items, as in 256 or 16x16"},
		{Name: "simd", Value: &l.simd, Arg: "N", Hints: "8 16 32", Usage: "sub-group size"},
		{Name: "slm", Value: &l.slm, Arg: "BYTES", Usage: "shared local memory per work-group; a unit may follow, as " +
			"in 16K"},
		{Name: "barriers", Value: &l.barriers, Arg: "N", Usage: "named barriers per work-group; 1 for a plain " +
			"barrier()"}, {Name: "grf", Value: &l.grf, Arg: "N", Hints: "128 256",
			Usage: "GRF mode in registers per thread: 128, or 256 for large GRF (default: that of the device)"},
		{Name: "registers", Value: &l.registers, Arg: "N", Usage: "registers per thread that the kernel needs: takes " +
			"the smallest GRF mode that holds them; of compute units the register bytes per work-item"},
		{Name: "barrier-slots", Value: &l.barrierSlots, Arg: "N",
			Usage: "barrier slots per Xe-core, instead of those of the device table"},
		{Name: "work-group-slots", Value: &l.groupSlots, Arg: "N",
			Usage: "work-group slots per Xe-core, instead of those of the device table; older guides say 16"},
		{Name: "model", Value: &l.model, Arg: "MODEL", Words: "intel compute-unit",
			Usage: "intel: thread slots of Intel GPUs; compute-unit: the register file of any vendor's"},
		{Name: "platform", Value: &l.platform, Arg: "KEY", Files: "csv", Usage: "of --model compute-unit: gen11, " +
			"rtx2080ti, mali_g52, a key of --platform-file, or a platform file that holds one"},
		{Name: "platform-file", Value: &l.platformFile, Arg: "FILE", Files: "csv",
			Usage: "CSV of further platforms, see docs/devices.md"},
	}...)
}

// check finds numbers that no launch has. A flag that was not given is not a number yet.
func (l *launchCommand) check(f *pflag.FlagSet) error {
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
			return cli.Errorf("--%s %d: expected %s", c.flag, c.value, c.as)
		}
	}
	if l.grf > 0 && l.registers != "" {
		return cli.Errorf("--grf and --registers both set the GRF mode: give one of them")
	}
	return nil
}

// launch reads the sizes. The GRF mode for --registers depends on the device, see needs.
func (l *launchCommand) launch() (p predict.Launch, err error) {
	if p.Global, err = l.global.Size("global"); err != nil {
		return p, err
	}
	if p.Local, err = l.local.Size("local"); err != nil {
		return p, err
	}
	if p.SLM, err = cli.Bytes("slm", l.slm); err != nil {
		return p, err
	}
	p.SIMD, p.Barriers, p.GRF = l.simd, l.barriers, l.grf
	p.BarrierSlots, p.GroupSlots = l.barrierSlots, l.groupSlots
	p.Policy = map[string]predict.Policy{"free": predict.Free, "whole": predict.Whole}[l.policy]
	return p, nil
}

// needs gives the registers per thread that the kernel needs, 0 when nobody says so.
func (l *launchCommand) needs() (int, error) {
	if l.registers == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(l.registers))
	if err != nil || n < 1 {
		return 0, cli.Errorf("--registers %q: expected a whole number from 1", strings.TrimSpace(l.registers))
	}
	return n, nil
}

// names lists the devices that were asked for, without blanks. Several names may stand in one flag, and names hold
// commas themselves: what is known as a whole is one name.
func (l *launchCommand) names(known func(string) bool) []string {
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

// chooseDevices finds all devices that were asked for, in the order of the flags, each once.
func (l *launchCommand) chooseDevices() ([]arch.Choice, error) {
	t, err := l.table()
	if err != nil {
		return nil, err
	}
	names := l.names(t.Knows)
	if len(names) == 0 {
		return nil, cli.Errorf("no device is named: give --device NAME (see 'occudiff devices'); several with " +
			"commas, or all")
	}
	var list []arch.Choice
	seen := map[string]bool{}
	add := func(c arch.Choice) {
		if !seen[c.Device.Key] {
			seen[c.Device.Key] = true
			list = append(list, c)
		}
	}
	for _, name := range names {
		if strings.EqualFold(name, "all") {
			if l.xve > 0 {
				return nil, cli.Errorf("--xve %d belongs to one device, not to --device all", l.xve)
			}
			devices := t.Devices()
			for i := range devices {
				add(arch.Choice{Device: &devices[i], By: "--device all"})
			}
			continue
		}
		c, err := t.Choose(arch.Options{Name: name, XVEs: l.xve})
		if err != nil {
			return nil, err
		}
		add(c)
	}
	return list, nil
}

// oneDevice finds the only device that was asked for.
func (l *launchCommand) oneDevice(what string) (c arch.Choice, err error) {
	t, err := l.table()
	if err != nil {
		return c, err
	}
	if names := l.names(t.Knows); len(names) != 1 || strings.EqualFold(names[0], "all") {
		return c, cli.Errorf("%s takes one device: give --device NAME (see 'occudiff devices')", what)
	}
	list, err := l.chooseDevices()
	if err != nil {
		return c, err
	}
	for _, n := range list[0].Notes {
		l.say("%s", n)
	}
	return list[0], nil
}

// launchOnDevice reads the launch and finds the only device that it is for.
func (l *launchCommand) launchOnDevice(what string) (c arch.Choice, launch predict.Launch, err error) {
	if launch, err = l.launch(); err != nil {
		return c, launch, err
	}
	registers, err := l.needs()
	if err != nil {
		return c, launch, err
	}
	if c, err = l.oneDevice(what); err == nil && registers > 0 {
		launch, err = launch.ForRegisters(c.Device, registers)
	}
	return c, launch, err
}

// platforms gives the table of platforms with the user's on top, and the key that was asked for, which may be empty.
func (l *launchCommand) platforms() (*computeunit.Table, string, error) {
	t, err := computeunit.Builtin()
	if err != nil {
		return nil, "", err
	}
	file, key := l.platformFile, l.platform
	if file == "" && strings.HasSuffix(strings.ToLower(key), ".csv") {
		file, key = key, ""
	}
	if file != "" {
		more, err := computeunit.ReadFile(file)
		if err != nil {
			return nil, "", err
		}
		t = t.With(more)
		if key == "" && len(more) == 1 {
			key = more[0].Key
		} else if key == "" && l.platform != "" {
			return nil, "", cli.Errorf("%s holds %d platforms: give it as --platform-file and name one with "+
				"--platform", file, len(more))
		}
	}
	if key != "" {
		p, err := t.Find(key)
		if err != nil {
			return nil, "", cli.Errorf("--platform: %v", err)
		}
		key = p.Key
	}
	return t, key, nil
}

// unitLaunch reads a kernel on a compute unit and finds the platform that was asked for.
func (l *launchCommand) unitLaunch() (platform computeunit.Platform, k computeunit.Launch, err error) {
	t, key, err := l.platforms()
	if err != nil {
		return platform, k, err
	}
	if key == "" {
		return platform, k, cli.Errorf("no platform is named: give --platform with one of %s, or a platform file",
			strings.Join(t.Keys(), ", "))
	}
	if platform, err = t.Find(key); err != nil {
		return platform, k, err
	}
	local, err := l.local.Size("local")
	if err != nil {
		return platform, k, err
	}
	if k.GroupSize, err = itemsOf("local", local); err != nil {
		return platform, k, err
	}
	k.SubgroupSize = int64(l.simd)
	if k.SLM, err = cli.Bytes("slm", l.slm); err != nil {
		return platform, k, err
	}
	k.RegisterBytes, err = cli.Bytes("registers", l.registers)
	return platform, k, err
}

// itemsOf counts the work-items of a size, 0 of one that is absent.
func itemsOf(flag string, s unit.Size3) (int64, error) {
	items, ok := s.Items()
	if s.Present() && !ok {
		return 0, cli.Errorf("--%s %s has more than 2^63-1 work-items", flag, s)
	}
	return items, nil
}
