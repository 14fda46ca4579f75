package batch

import (
	"context"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// largeGRF is the option by which ocloc compiles for 256 registers. It takes no other number: "Unrecognized build
// options" (ocloc 22.43).
const largeGRF = "-cl-intel-256-GRF-per-thread"

// Mode is the register mode of a device that a kernel was predicted in.
type Mode struct {
	arch.GRFMode
	Compiled bool  // for this mode: only then are SIMD width, spills and scratch memory known
	Largest  int64 // work-group, in work-items
}

// Words is the spill of a lane in words of 4 bytes: bytes per thread / (4 x SIMD width), truncated. Triton counts so
// since intel/intel-xpu-backend-for-triton#7959 and compares it with 16.
func (k *Kernel) Words() unit.Opt[int64] {
	spill, known := k.Spill.Value()
	if !known || k.SIMD <= 0 {
		return unit.Opt[int64]{}
	}
	return unit.Some(int64(spill) / int64(4*k.SIMD))
}

// Registers predicts each kernel of binaries and sources in every register mode of its device. A source is compiled with
// and without large GRF; what the compiler cannot be asked for, and the other modes of a binary, are predicted from
// what was compiled: the SIMD width and the spills of another mode only compiling tells.
func Registers(ctx context.Context, paths []string, t *arch.Table, opt Options) (modes []Kernel, notes []note.Note, err error) {
	var all []Kernel
	for _, path := range paths {
		options := []string{opt.Compiler}
		if zebin.IsSource(path) && !strings.Contains(opt.Compiler, largeGRF) {
			options = append(options, strings.TrimSpace(opt.Compiler+" "+largeGRF))
		}
		for i, option := range options {
			opt.Compiler = option
			got, said, err := Read(ctx, []string{path}, t, opt)
			if err != nil {
				return nil, nil, err
			}
			if i == 0 { // the second compilation says the same
				notes = append(notes, said...)
			}
			all = append(all, got...)
		}
		opt.Compiler = options[0]
	}
	for i := range all {
		k := &all[i]
		same := func(o Kernel) bool { return o.File == k.File && o.Name == k.Name && o.Device == k.Device }
		if slices.IndexFunc(all, same) < i { // it had its rows with the first compilation
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
			one.Mode = &Mode{m, at >= 0, predict.LargestGroup(k.Device, predict.Launch{SIMD: one.SIMD, GRF: m.Registers})}
			if at < 0 {
				one.SIMD, one.Spill, one.Private, one.Scratch = 0, unit.Opt[unit.Bytes]{}, unit.Opt[unit.Bytes]{}, unit.Opt[unit.Bytes]{}
			}
			modes = append(modes, one)
		}
	}
	return modes, notes, nil
}
