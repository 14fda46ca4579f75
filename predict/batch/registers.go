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

// Mode is a kernel in one register mode of a device.
type Mode struct {
	Kernel
	Mode     arch.GRFMode
	Compiled bool // Registers, SIMD and spills are those of this mode, and not of the one that was compiled
	Largest  int64
}

// Words is the spill of a lane in words of 4 bytes: bytes per thread / (4 x SIMD width), truncated. Triton counts so
// since intel/intel-xpu-backend-for-triton#7959 and compares it with 16.
func (m *Mode) Words() unit.Opt[int64] {
	spill, known := m.Spill.Value()
	if !m.Compiled || !known || m.SIMD <= 0 {
		return unit.Opt[int64]{}
	}
	return unit.Some(int64(spill) / int64(4*m.SIMD))
}

// Registers predicts each kernel of binaries and sources in every register mode of its device. A source is compiled with
// and without large GRF; what the compiler cannot be asked for, and the other modes of a binary, are predicted from
// what was compiled: the SIMD width and the spills of another mode only compiling tells.
func Registers(ctx context.Context, paths []string, t *arch.Table, opt Options) ([]Mode, []note.Note, error) {
	var all []Kernel
	var notes []note.Note
	for _, path := range paths {
		options := []string{opt.Compiler}
		if zebin.IsSource(path) && !strings.Contains(opt.Compiler, largeGRF) {
			options = append(options, strings.TrimSpace(opt.Compiler+" "+largeGRF))
		}
		for i, option := range options {
			o := opt
			o.Compiler = option
			got, said, err := Read(ctx, []string{path}, t, o)
			if err != nil {
				return nil, nil, err
			}
			if i == 0 { // the second compilation says the same
				notes = append(notes, said...)
			}
			all = append(all, got...)
		}
	}
	var modes []Mode
	for i := range all {
		k := &all[i]
		same := func(o Kernel) bool { return o.File == k.File && o.Name == k.Name && o.Device == k.Device }
		if slices.IndexFunc(all, same) < i { // it had its rows with the first compilation
			continue
		}
		for _, m := range k.Device.GRFModes {
			one := Mode{Mode: m}
			at := slices.IndexFunc(all, func(o Kernel) bool { return same(o) && modeOf(&o).Registers == m.Registers })
			if one.Compiled = at >= 0; one.Compiled {
				one.Kernel = all[at]
			} else {
				as := k.Kernel
				as.Registers = m.Registers
				one.Kernel = predictOne(as, k.File, k.Device, opt)
			}
			one.Largest = predict.LargestGroup(k.Device, predict.Launch{SIMD: one.SIMD, GRF: m.Registers})
			modes = append(modes, one)
		}
	}
	return modes, notes, nil
}

func modeOf(k *Kernel) arch.GRFMode {
	m, _ := predict.GRFModeFor(k.Device, k.Registers)
	return m
}
