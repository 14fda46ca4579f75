package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// launch contains the flags for a launch and its model. The commands predict
// and advise share it. The sizes are strings until a model parses them, because
// Intel's calculator has its own notation (64*64), and a batch reads its sizes
// from columns.
type launch struct {
	*app
	launchFlags
	named  []string // names of devices, as on the command line
	policy string   // dispatch policy; predict and advise accept different values
}

// launchFlags are the flags of a launch and of its model.
type launchFlags struct {
	Global       cli.Size  `flag:"global" arg:"SIZE" help:"global size in work-items, for example 81920, 1M, or 512x512"`
	Local        cli.Sizes `flag:"local" arg:"SIZE" help:"work-group size in work-items, for example 256 or 16x16; for files also by kernel name, for example 'gemm*=16x16'"`
	SIMD         cli.Count `flag:"simd" arg:"N" hints:"8 16 32" help:"sub-group size; for a log also by kernel name, for example 'VectorAdd3<8>=8'"`
	SLM          string    `flag:"slm" arg:"BYTES" help:"shared local memory per work-group, for example 16384 or 16K"`
	Barriers     int       `flag:"barriers" arg:"N" range:"0 Inf a number of barriers from 0" help:"number of named barriers per work-group; 1 for a plain barrier()"`
	GRF          int       `flag:"grf" arg:"N" hints:"128 256" range:"1 Inf registers per thread as in 128 or 256" help:"GRF mode in registers per thread: 128, or 256 for large GRF (default: the mode of the device)"`
	Registers    string    `flag:"registers" arg:"N" help:"registers per thread that the kernel needs, to select the smallest GRF mode with that many; for compute units, register bytes per work-item"`
	DCLTemps     int       `flag:"dcl-temps" expert:"true" arg:"N" range:"1 Inf a number of registers above 0" help:"temporary registers of a Direct3D shader, 16 bytes per work-item each, instead of --registers; only for compute units"`
	BarrierSlots int       `flag:"barrier-slots" expert:"true" arg:"N" range:"1 Inf a number of slots above 0" help:"barrier slots per Xe-core, instead of the device table's number"`
	GroupSlots   int       `flag:"work-group-slots" expert:"true" arg:"N" range:"1 Inf a number of slots above 0" help:"work-group slots per Xe-core, instead of the device table's number; older guides have 16"`
	Model        string    `flag:"model" expert:"true" arg:"MODEL" default:"intel" words:"intel compute-unit" help:"intel: thread slots of Intel GPUs; compute-unit: compute units of any vendor, by their register file"`
	Platform     string    `flag:"platform" expert:"true" arg:"KEY" help:"platform of --model compute-unit: gen11, rtx2080ti, mali_g52, or a key of --platform-file; optional if that file has only one"`
	PlatformFile string    `flag:"platform-file" expert:"true" arg:"FILE" files:"csv" help:"CSV file with more platforms; see docs/devices.md"`
}

// check returns an error if a flag has an impossible number. It ignores flags
// that were not given.
func (l *launch) check() error {
	if named := slices.Concat(l.Local.Named, l.SIMD.Named); named != nil {
		return cli.Errorf(
			"%s names a kernel, but a launch has one size: use names only for logs, exports, and binaries", named[0])
	}
	switch {
	case l.flags.Changed("simd") && l.SIMD.N < 1:
		return cli.Errorf("--simd %d: expected a sub-group size as in 8, 16 or 32", l.SIMD.N)
	case l.DCLTemps > 0 && (l.Registers != "" || l.Model != "compute-unit"):
		return cli.Errorf("--dcl-temps works only with --model compute-unit, instead of --registers")
	case l.GRF > 0 && l.Registers != "":
		return cli.Errorf("--grf and --registers both set the GRF mode: give one of them")
	}
	return nil
}

// read returns the launch and the number of registers per thread that the
// kernel needs, or 0 if it is unknown. The GRF mode for these registers depends
// on the device. For the policies auto and partial, the launch has
// predict.Auto, so the use of SLM and barriers determines the policy.
func (l *launch) read() (p predict.Launch, registers int, err error) {
	fields := map[string]string{"global": string(l.Global), "local": string(l.Local.Size), "slm": l.SLM}
	p, err = predict.ParseLaunch(func(field string) string { return fields[field] })
	if err == nil {
		registers, err = predict.ParseCount("registers", l.Registers, 1)
	}
	if err != nil {
		return p, 0, cli.Errorf("--%v", err)
	}
	p.SIMD, p.Barriers, p.GRF = l.SIMD.N, l.Barriers, l.GRF
	p.BarrierSlots, p.GroupSlots = l.BarrierSlots, l.GroupSlots
	p.Policy = map[string]predict.Policy{"free": predict.Free, "whole": predict.Whole}[l.policy]
	return p, registers, nil
}

// names returns the names of the requested devices, without blanks around them.
// A flag may contain several names separated by commas. A name may contain
// commas itself, so a known name is not split.
func (l *launch) names(known func(string) bool) []string {
	var names []string
	for _, v := range l.named {
		parts := strings.Split(v, ",")
		for len(parts) > 0 {
			n := len(parts)
			// Use the longest known name. If no name is known, the text up to
			// the first comma is a name, which the error then quotes.
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

// chooseDevices returns all requested devices in the order of the flags, each
// once.
func (l *launch) chooseDevices() ([]arch.Choice, error) {
	names := l.names(l.devices.Knows)
	if len(names) == 0 {
		return nil, cli.Errorf("no device is named: give --device NAME (see 'occudiff devices')")
	}
	var list []arch.Choice
	// The names may contain the same device twice, as an alias and as a PCI id.
	// Two rows for one device would look like two GPUs.
	add := func(c arch.Choice) {
		if !slices.ContainsFunc(list, func(l arch.Choice) bool { return l.Device.Key == c.Device.Key }) {
			list = append(list, c)
		}
	}
	for _, name := range names {
		if !strings.EqualFold(name, "all") {
			by := l.deviceOptions(name)
			by.Family = l.Global == ""
			c, err := l.devices.Choose(by)
			if err != nil {
				return nil, err
			}
			add(c)
			continue
		}
		if l.XVE > 0 {
			return nil, cli.Errorf("--xve %d belongs to one device, not to --device all", l.XVE)
		}
		devices := l.devices.Devices()
		for i := range devices {
			add(arch.Choice{Device: &devices[i], By: arch.Source{Name: "--device all"}})
		}
	}
	return list, nil
}

// onDevice returns the launch and its only device. what is the name of the
// request, for the error message.
func (l *launch) onDevice(what string) (c arch.Choice, launch predict.Launch, err error) {
	launch, registers, err := l.read()
	if err != nil {
		return c, launch, err
	}
	list, err := l.chooseDevices()
	if err == nil && len(list) > 1 {
		err = cli.Errorf("%s accepts one device, not %d", what, len(list))
	}
	if err != nil {
		return c, launch, err
	}
	l.printNotes(list[0].Notes)
	if registers > 0 {
		launch, err = launch.ForRegisters(list[0].Device, registers)
	}
	return list[0], launch, err
}

// platforms returns the table of platforms, including the user's platforms, and
// the requested platform. If no platform is requested, the returned platform is
// empty, because a batch names platforms in a column. If the user's file has
// only one platform, this platform is the requested one.
func (l *launch) platforms() (t computeunit.Table, p computeunit.Platform, err error) {
	if t, err = computeunit.Builtin(); err != nil {
		return nil, p, err
	}
	key := l.Platform
	if l.PlatformFile != "" {
		more, err := computeunit.ReadFile(l.PlatformFile)
		if err != nil {
			return nil, p, err
		}
		if t = t.With(more); key == "" && len(more) == 1 {
			key = string(more[0].Key)
		}
	}
	if key == "" {
		return t, p, nil
	}
	if p, err = t.Find(key); err != nil {
		err = cli.Errorf("--platform: %v", err)
	}
	return t, p, err
}

// unitLaunch returns the requested platform and the launch of a kernel on a
// compute unit. For this model, --registers is the number of bytes per
// work-item, which may have a unit. On Intel GPUs, --registers is the number of
// registers per thread.
func (l *launch) unitLaunch() (platform computeunit.Platform, k computeunit.Launch, err error) {
	t, platform, err := l.platforms()
	if err == nil && platform.Key == "" {
		err = cli.Errorf("no platform is named: give --platform with one of %s, or a --platform-file",
			strings.Join(t.Keys(), ", "))
	}
	if err != nil {
		return platform, k, err
	}
	local, err := l.Local.Size.Size("local")
	if err != nil {
		return platform, k, err
	}
	if k.GroupSize, err = itemsOf("local", local); err != nil {
		return platform, k, err
	}
	k.SubgroupSize = int64(l.SIMD.N)
	if k.SLM, err = cli.Bytes("slm", l.SLM); err != nil {
		return platform, k, err
	}
	if l.DCLTemps > 0 {
		k.RegisterBytes = unit.Bytes(l.DCLTemps) * 16
		return platform, k, nil
	}
	k.RegisterBytes, err = cli.Bytes("registers", l.Registers)
	return platform, k, err
}

// itemsOf returns the number of work-items of a size, or 0 if it is absent.
func itemsOf(flag string, s unit.Size3) (int64, error) {
	items, ok := s.Items()
	if s.Present() && !ok {
		return 0, cli.Errorf("--%s %q has more than 2^63-1 work-items", flag, s)
	}
	return items, nil
}

// advise is the command advise with its own flags and the flags of the launch.
// Package predict searches the settings, and report/predictdoc writes the text
// of the result.
type advise struct {
	launch
	adviseFlags
}

type adviseFlags struct {
	Fix    []string `flag:"fix" arg:"SETTINGS" hints:"local simd slm grf" help:"keep these settings: local, simd, slm, grf"`
	Free   []string `flag:"free" arg:"SETTINGS" hints:"local simd slm grf" help:"change only these settings (default: all of them)"`
	Policy string   `flag:"policy" expert:"true" arg:"POLICY" default:"auto" words:"auto free whole" help:"dispatch policy: auto, free, or whole"`
	Probe  bool     `flag:"probe" help:"list settings that lower the occupancy in steps without changing the work, to measure whether occupancy matters"`
}

// adviseCommand returns the command that finds settings with a higher
// occupancy.
func (a *app) adviseCommand() *cobra.Command {
	v := &advise{launch: launch{app: a}}
	return a.command(command{text: "advise", flags: []any{&v.launchFlags, &v.adviseFlags}, args: noFiles,
		share: deviceFlags + outputFlags, check: v.check, run: v.run})
}

// noFiles returns an error if files were given. The error contains the command
// that reads the file.
func noFiles(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 0 && batch.ContainsKernels(args[0]):
		return cli.Errorf(
			"advise is for one launch; 'occudiff predict %s' lists the best work-group sizes of each kernel of a binary",
			args[0])
	case len(args) > 0:
		return cli.Errorf(
			"advise is for one launch; 'occudiff validate %s' lists a possible fix for each kernel of a run "+
				"and the advise command", args[0])
	}
	return nil
}

// settingWords are the settings that --fix and --free accept.
const settingWords = "local simd slm grf"

// settingWordsOf splits lists of settings into their words.
func settingWordsOf(lists []string) []string {
	return strings.FieldsFunc(strings.Join(lists, ","), func(r rune) bool { return r == ',' || r == ' ' })
}

// check returns an error for contradicting flags. Advice for a launch rejects
// the flags for compute units, and the other way around. If a flag were
// ignored, the user would believe that it had an effect.
func (v *advise) check([]string) error {
	v.named, v.policy = []string{v.Device}, v.Policy
	if err := v.launch.check(); err != nil {
		return err
	}
	units := v.Model == "compute-unit"
	switch {
	case v.Probe && (units || v.Global == "" || v.Local.Size == "" || v.SIMD.N == 0):
		return cli.Errorf("--probe needs a launch on an Intel GPU: give --global, --local, and --simd")
	case v.Probe && len(v.Fix)+len(v.Free) > 0:
		return cli.Errorf("--probe changes one setting at a time: leave out --fix and --free")
	case len(v.Fix) > 0 && len(v.Free) > 0:
		return cli.Errorf("--fix and --free exclude each other: give one of them")
	}
	for _, w := range settingWordsOf(slices.Concat(v.Fix, v.Free)) {
		if !slices.Contains(strings.Fields(settingWords), w) {
			return cli.Errorf("--fix and --free accept %s, not %q", strings.ReplaceAll(settingWords, " ", ", "), w)
		}
	}
	if units {
		return cli.RejectFlags(v.flags, "--model compute-unit",
			"device device-file global barriers grf policy barrier-slots work-group-slots xve fix free")
	}
	return cli.RejectFlags(v.flags, "a launch on an Intel GPU", "platform platform-file")
}

// vary returns the settings that may change according to --fix and --free. Without
// the flags, all may change.
func (v *advise) vary() predict.VariableSettings {
	may := func(setting string) bool {
		return (len(v.Free) == 0 || slices.Contains(settingWordsOf(v.Free), setting)) &&
			!slices.Contains(settingWordsOf(v.Fix), setting)
	}
	return predict.VariableSettings{Local: may("local"), SIMD: may("simd"), SLM: may("slm"), GRF: may("grf")}
}

// run returns the advice that the flags request.
func (v *advise) run(context.Context, []string) (*report.Output, error) {
	if v.Model == "compute-unit" {
		return v.computeUnit()
	}
	c, launch, err := v.onDevice("advise")
	if err != nil {
		return nil, err
	}
	if v.Probe {
		return predictdoc.Probe(&c, launch)
	}
	return predictdoc.Advise(&c, launch, v.vary())
}

// computeUnit returns the settings with the highest occupancy of a compute
// unit. Settings that the user gave are fixed.
func (v *advise) computeUnit() (*report.Output, error) {
	platform, launch, err := v.unitLaunch()
	if err != nil {
		return nil, err
	}
	// A size of 0 means that the size was not given, because no work-group has
	// 0 work-items. For SLM and registers, 0 is a valid amount, so they were
	// given if the text of the flag is not empty.
	want := computeunit.Target{GroupSize: unit.NonZero(launch.GroupSize),
		SubgroupSize: unit.NonZero(launch.SubgroupSize)}
	if v.SLM != "" {
		want.SLM = unit.Some(launch.SLM)
	}
	if v.Registers != "" || v.DCLTemps > 0 {
		want.RegisterBytes = unit.Some(launch.RegisterBytes)
	}
	return predictdoc.ComputeUnitAdvice(&platform, want)
}
