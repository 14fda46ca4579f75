// Package zebin reads what Intel's graphics compiler writes into a kernel's binary: sub-group size, registers, shared
// local memory, barriers, spills and the work-group size that the source fixes. With them a launch is predicted before
// it ran, and what a profiler does not export is known instead of guessed.
//
// A binary comes in many wrappings. A device image ("zebin") is an ELF file whose section .ze_info holds YAML; ocloc
// packs those of several devices into an ar archive; a SYCL program carries images inside its own sections; compilers
// and drivers dump the YAML alone. Read finds the images in all of them and gives one Image per device.
//
// The format is Intel's: intel/intel-graphics-compiler, IGC/ZEBinWriter/zebin/spec (elf.md, zeinfo.md). The package
// runs that compiler where a source is given. It does not know devices, occupancy or how anything is shown.
package zebin

import (
	"fmt"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Image is the kernels that were compiled for one device.
type Image struct {
	Pos     note.Pos // the file; of an archive or a program with the member or offset behind it
	Target  Target
	Kernels []Kernel
	Notes   []note.Note
}

// Target says which device an image is for, as far as the image does. Both may be zero: then nothing says so.
type Target struct {
	// Family is the driver's number of the product family, as in 1271 for Ponte Vecchio; 0 when it is not known.
	Family int
	// Release is the graphics IP version without its revision, as in 12.60; empty when it is not known. It names a
	// device more closely than the family.
	Release string
}

// String prints the target for messages.
func (t Target) String() string {
	switch {
	case t.Release != "":
		return "graphics IP " + t.Release
	case t.Family != 0:
		return fmt.Sprintf("product family %d", t.Family)
	}
	return "no device"
}

// Kernel is what the compiler decided for one kernel. Sizes are bytes.
type Kernel struct {
	Name string
	// SIMD is the sub-group size, in work-items.
	SIMD int
	// Registers is how many each thread has: 128, or 256 in large-GRF mode; 32 to 512 on Xe3.
	Registers int
	// SLM is per work-group and static. With SLMIsLowerBound, local memory arguments add to it at launch.
	SLM             unit.Bytes
	SLMIsLowerBound bool
	Barriers        int
	// Spill and Private are per thread and absent where the binary does not tell them apart; Scratch is both together.
	Spill, Private, Scratch unit.Opt[unit.Bytes]
	// Local is the work-group size that the source fixes; absent when it does not.
	Local      unit.Size3
	StackCalls bool // it calls functions that were not inlined: registers of the callees are not in Registers
}

// Demangled is the name as profilers print it; a name that is not mangled comes back as it is.
func (k *Kernel) Demangled() string { return names.Display(k.Name) }
