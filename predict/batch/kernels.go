package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/internal/bug"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Kernel is a kernel of an image, with its prediction for one device.
type Kernel struct {
	zebin.Kernel
	File   string       // path of the file, including the member of an archive
	Device *arch.Device // nil for a compiler log if no device was requested
	// Prediction is nil without a device. It is also nil if the kernel cannot
	// run with the requested size. In that case, Message contains the reason.
	Prediction *predict.BinaryPrediction
	Message    string
	Mode       *Mode // set by [Registers] only
}

// DeviceKey returns the device's key, or "" without one.
func (k *Kernel) DeviceKey() string {
	if k.Device == nil {
		return ""
	}
	return k.Device.Key
}

// Options select the predictions. The zero value predicts a full GPU of the
// device that each image names.
type Options struct {
	Devices []*arch.Device // requested devices; if empty, the device that each image names
	Global  unit.Size3     // if absent, a full GPU is predicted
	// Local is the work-group size of kernels that do not fix it. If it is
	// absent, the best size is used.
	Local names.ByName[unit.Size3]

	Compiler string // OpenCL compiler options, for sources
}

// UnmatchedNames returns a note for each name of a work-group size that no
// kernel has.
func UnmatchedNames(opt Options, kernels []Kernel) (notes []note.Note) {
	tasks := make([]string, len(kernels))
	for i := range kernels {
		tasks[i] = kernels[i].Name
	}
	for _, name := range opt.Local.Unmatched(tasks) {
		notes = append(notes, note.Warningf("no-such-kernel", note.Pos{},
			"use the names of the table; * matches any text",
			"a work-group size is given for %s, and no kernel has that name", name))
	}
	return notes
}

// predictImages returns predictions for every kernel in the images, in the
// order of the images. It returns an error if no image fits a requested device,
// or if the device of an image is unknown. The first error lists the devices of
// the images.
func predictImages(images []zebin.Image, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	var kernels []Kernel
	var notes []note.Note
	fits := make([][]*arch.Device, len(images)) // for each image, the devices to predict
	for i := range images {
		notes = append(notes, images[i].Notes...)
		of := t.Compiled(images[i].Target.Family, images[i].Target.Release)
		if len(opt.Devices) > 0 {
			fits[i] = slices.DeleteFunc(slices.Clone(opt.Devices), func(d *arch.Device) bool {
				return !t.CompiledFor(d, images[i].Target.Family, images[i].Target.Release)
			})
			continue
		}
		if len(of) == 0 && images[i].IsLog {
			fits[i] = []*arch.Device{nil}
			continue
		}
		if len(of) == 0 {
			return nil, nil, note.Errorf("no-device", images[i].Pos, "name it with --device (see 'occudiff devices')",
				"the binary is for %s, which is not in the device table", images[i].Target)
		}
		// Only one device of a family is predicted. Otherwise, a kernel of one
		// image would have five almost equal rows for five devices.
		fits[i] = of[:1]
		if len(of) > 1 {
			notes = append(notes, note.Warningf("device-family", images[i].Pos,
				"name another one with --device: "+keys(of[1:]),
				"the binary is for %d devices; %s is used, because it has the most thread slots", len(of), of[0].Key))
		}
	}
	more, err := forAsked(images, fits, t, opt.Devices)
	if err != nil {
		return nil, nil, err
	}
	for i := range images {
		for _, d := range fits[i] {
			for _, k := range images[i].Kernels {
				kernels = append(kernels, predictOne(k, images[i].Pos.File, d, opt))
			}
		}
	}
	return kernels, append(notes, more...), nil
}

// forAsked returns an error unless each requested device has an image. A single
// image is accepted for any device, with a warning, because this answers
// what-if questions. If there are several images, one of them must fit.
func forAsked(images []zebin.Image, fits [][]*arch.Device, t *arch.Table, asked []*arch.Device) ([]note.Note, error) {
	var notes []note.Note
	for _, d := range asked {
		if slices.ContainsFunc(fits, func(f []*arch.Device) bool { return slices.Contains(f, d) }) {
			continue
		}
		// With several images, one of them was intended for the device. A
		// prediction from another image would describe code that never runs on
		// the device.
		if len(images) > 1 {
			return nil, note.Errorf("no-image", note.InFile(images[0].Pos.File),
				"compile it for this device, or name another one",
				"no image is for %s; the images are for %s", d.Key, targetsOf(images, t))
		}
		fits[0] = append(fits[0], d)
		if images[0].Target != (zebin.Target{}) {
			notes = append(notes, note.Warningf("other-device", images[0].Pos, "",
				"compiled for %s but predicted for %s, for which the compiler may choose other "+
					"settings", targetsOf(images, t), d.Key))
		}
	}
	return notes, nil
}

// targetsOf returns a list with the devices that the images were compiled for.
func targetsOf(images []zebin.Image, t *arch.Table) string {
	var words []string
	for i := range images {
		word := images[i].Target.String()
		if of := t.Compiled(images[i].Target.Family, images[i].Target.Release); len(of) > 0 {
			word = keys(of)
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, "; ")
}

func keys(devices []*arch.Device) string {
	words := make([]string, len(devices))
	for i, d := range devices {
		words[i] = d.Key
	}
	return strings.Join(words, ", ")
}

func predictOne(k zebin.Kernel, file string, d *arch.Device, opt Options) Kernel {
	one := Kernel{Kernel: k, File: file, Device: d}
	spilled, fromLog := k.SpilledRegisters.Value()
	if d == nil {
		one.Message = fmt.Sprintf("a thread spills around %s bytes if a register has 32 bytes, and %s if it has 64 "+
			"(Max, Xe2, and later GPUs); name the GPU with --device", unit.Thousands(32*int64(spilled)),
			unit.Thousands(64*int64(spilled)))
		return one
	}
	if fromLog {
		one.Spill = unit.Some(unit.Bytes(spilled * d.RegisterBytes))
	}
	local, _ := opt.Local.Of(k.Name)
	p, err := predict.PredictCompiled(d, predict.Compiled{
		SIMD: k.SIMD, Registers: k.Registers, SLM: k.SLM.Or(0), Barriers: k.Barriers.Or(0), Local: k.Local,
	}, opt.Global, local)
	if err != nil {
		one.Message = err.Error()
		return one
	}
	one.Prediction = &p
	var messages []string
	if p.Prediction.Partial {
		messages = append(messages, fmt.Sprintf("the work-group size %s does not divide the global size %s",
			p.Launch.Local, opt.Global))
	}
	switch {
	case fromLog:
		messages = append(messages, "the log has neither SLM nor barriers, so this occupancy is an upper bound")
	case k.SLMIsLowerBound:
		messages = append(messages,
			"arguments in local memory add to the SLM at launch, so this occupancy is an upper bound")
	}
	if k.StackCalls {
		messages = append(messages, "it calls functions whose registers are not in this count")
	}
	one.Message = strings.Join(messages, "; ")
	return one
}

// Read returns the predicted kernels of binaries and of sources. It compiles
// the sources.
func Read(
	ctx context.Context, paths []string, t *arch.Table, opt Options,
) (kernels []Kernel, notes []note.Note, err error) {
	for _, path := range paths {
		read := readBinary
		if zebin.IsSource(path) {
			read = compileFor
		}
		more, found, err := read(ctx, path, t, opt)
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, more...), append(notes, found...)
	}
	return kernels, notes, nil
}

func readBinary(ctx context.Context, path string, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	images, err := zebin.ReadPath(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return predictImages(images, t, opt)
}

// compileFor returns the kernels in a source, compiled and predicted for the
// requested devices, or for all devices that the installed compiler supports.
func compileFor(
	ctx context.Context, source string, t *arch.Table, opt Options,
) (kernels []Kernel, notes []note.Note, err error) {
	compiler, err := zebin.FindCompiler()
	if err != nil {
		return nil, nil, err
	}
	targets := arch.CompilerTargets(t, opt.Devices)
	if len(targets) == 0 {
		return nil, nil, note.Errorf("usage", note.Pos{}, "",
			"ocloc has no name for %s; compile for it manually and pass the binary", opt.Devices[0].Key)
	}
	dir, err := os.MkdirTemp("", "occudiff-ocloc-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	// Each target has its own element, so that the results are in the order of
	// the targets and not in the order in which the compilations end.
	results := make([]compiled, len(targets))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2) // a limit, because a compilation uses a core and a few hundred MB
	for i, target := range targets {
		group.Go(func() error {
			return bug.Call(func() error {
				c, one := &results[i], opt
				one.Devices = target.Devices
				to := filepath.Join(dir, target.Name)
				c.images, c.warnings, c.err = compileOne(ctx, compiler, source, target.Name, opt.Compiler, to)
				if c.err == nil {
					c.kernels, c.notes, c.err = predictImages(c.images, t, one)
				}
				return ctx.Err() // not an error of the batch: the source may compile for other devices
			})
		})
	}
	if err := bug.Raise(group.Wait()); err != nil {
		return nil, nil, err
	}
	var failed error
	warned := false
	for i, r := range results {
		if r.err != nil {
			// An older compiler supports fewer devices. This is reported if the
			// user requested the missing devices.
			unknown := note.HasCode(r.err, zebin.UnknownDevice)
			if failed == nil || !unknown {
				failed = r.err
			}
			if !unknown || len(opt.Devices) > 0 {
				notes = append(notes, notCompiled(source, targets[i].Devices, r.err, unknown))
			}
			continue
		}
		// The compiler prints the same warnings for each device.
		if r.warnings != "" && !warned {
			warned = true
			notes = append(notes, note.Warningf("compiler", note.InFile(source), "", "compiler output for %s: %s",
				targets[i].Name, r.warnings))
		}
		kernels, notes = append(kernels, r.kernels...), append(notes, r.notes...)
	}
	switch {
	case len(kernels) == 0 && failed != nil:
		return nil, nil, failed
	case len(kernels) == 0:
		return nil, nil, note.Errorf("no-kernels", note.InFile(source), "",
			"ocloc compiled no kernel of it for any device")
	}
	for _, d := range opt.Devices { // the compiler may have no name for a requested device
		if !slices.ContainsFunc(targets, func(c arch.CompilerTarget) bool { return slices.Contains(c.Devices, d) }) {
			notes = append(notes, notCompiled(source, []*arch.Device{d}, nil, true))
		}
	}
	return kernels, notes, nil
}

// compiled is the result of compiling a source for one device.
type compiled struct {
	images   []zebin.Image
	warnings string
	kernels  []Kernel
	notes    []note.Note
	err      error
}

// NotCompiled is the code of the note on a device that a source did not compile
// for.
const NotCompiled = "not-compiled"

// notCompiled returns a note that names the devices that a source did not
// compile for. It contains the first line of the compiler's error.
func notCompiled(source string, devices []*arch.Device, err error, unknown bool) note.Note {
	if fault, ok := errors.AsType[*note.InputError](err); ok && !unknown {
		_, why, _ := strings.Cut(fault.Text, ":\n")
		why, _, _ = strings.Cut(why, "\n")
		return note.Newf(note.Error, NotCompiled, note.InFile(source),
			"name only this device with --device to see the whole compiler output",
			"not compiled for %s: %s", keys(devices), strings.TrimPrefix(why, "error: "))
	}
	return note.Warningf(NotCompiled, note.InFile(source),
		"'ocloc compile --help' lists the devices that it supports; a newer ocloc supports more",
		"not compiled for %s: this ocloc does not support it", keys(devices))
}

func compileOne(
	ctx context.Context, compiler, source, target, options, dir string,
) (images []zebin.Image, warnings string, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, "", err
	}
	path, warnings, err := zebin.Compile(ctx, compiler, source, target, options, dir)
	if err != nil {
		return nil, warnings, err
	}
	images, err = zebin.ReadPath(ctx, path)
	for i := range images {
		images[i].Pos.File = source
	}
	return images, warnings, err
}

// ContainsKernels reports whether a path is a kernel binary, a source for the
// compiler, or a folder that contains binaries but no profiler output. In this
// case, diff compares compilations instead of runs.
func ContainsKernels(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		if exports, _ := filepath.Glob(filepath.Join(path, "*.[ch][st][vm]*")); len(exports) > 0 {
			return false // profiler output, such as .csv or .html, that is next to binaries
		}
		images, err := zebin.ReadPath(context.Background(), path)
		return err == nil && len(images) > 0
	}
	return zebin.IsSource(path) || zebin.IsFile(path)
}

// largeGRF is the ocloc option that compiles for 256 registers. The compiler
// rejects other register counts with "Unrecognized build options" (ocloc
// 22.43).
const largeGRF = "-cl-intel-256-GRF-per-thread"

// Mode is the register mode that a kernel was predicted in.
type Mode struct {
	arch.GRFMode
	Compiled bool  // the kernel was compiled for this mode; if not, SIMD width, spills, and scratch are unknown
	Largest  int64 // largest work-group, in work-items
}

// Words returns the spill of a lane in 4-byte words: bytes per thread / (4 x
// SIMD width), rounded down. Triton counts spills in the same way since
// intel/intel-xpu-backend-for-triton#7959 and compares the count with 16.
func (k *Kernel) Words() unit.Opt[int64] {
	spill, known := k.Spill.Value()
	if !known || k.SIMD <= 0 {
		return unit.Opt[int64]{}
	}
	return unit.Some(int64(spill) / int64(4*k.SIMD))
}

// Registers returns predictions for each kernel in binaries and sources, in
// each register mode of its device. A source is compiled with and without large
// GRF. Some modes cannot be compiled: other modes of a binary, and modes for
// which the compiler has no option. They are predicted from the compiled
// kernel, but without SIMD width and spills, because only a compilation for a
// mode determines these.
func Registers(
	ctx context.Context, paths []string, t *arch.Table, opt Options,
) (modes []Kernel, notes []note.Note, err error) {
	var all []Kernel
	for _, path := range paths {
		options := []string{opt.Compiler}
		if zebin.IsSource(path) && !strings.Contains(opt.Compiler, largeGRF) {
			options = append(options, strings.TrimSpace(opt.Compiler+" "+largeGRF))
		}
		for i, option := range options {
			opt.Compiler = option
			kernels, found, err := Read(ctx, []string{path}, t, opt)
			if err != nil {
				return nil, nil, err
			}
			if i == 0 { // the second compilation has the same notes
				notes = append(notes, found...)
			}
			all = append(all, kernels...)
		}
		opt.Compiler = options[0]
	}
	for i := range all {
		k := &all[i]
		if k.Device == nil {
			return nil, nil, note.Errorf("no-device", note.InFile(k.File),
				"name it with --device (see 'occudiff devices')",
				"register modes belong to a device, which this compiler log does not name")
		}
		same := func(o Kernel) bool { return o.File == k.File && o.Name == k.Name && o.Device == k.Device }
		if slices.IndexFunc(all, same) < i { // this kernel already has rows from the first compilation
			continue
		}
		for _, m := range k.Device.GRFModes {
			at := slices.IndexFunc(all, func(o Kernel) bool {
				of, _ := predict.GRFModeFor(o.Device, o.Registers)
				return same(o) && of.Registers == m.Registers
			})
			as := k.Kernel
			as.Registers = m.Registers
			one := predictOne(as, k.File, k.Device, opt)
			if at >= 0 {
				one = all[at]
			}
			launch := predict.Launch{SIMD: one.SIMD, GRF: m.Registers}
			one.Mode = &Mode{m, at >= 0, predict.LargestGroup(k.Device, launch)}
			if at < 0 {
				one.SIMD, one.SpilledRegisters = 0, unit.Opt[int]{}
				absent := unit.Opt[unit.Bytes]{}
				one.Spill, one.Private, one.Scratch = absent, absent, absent
			}
			modes = append(modes, one)
		}
	}
	return modes, notes, nil
}
