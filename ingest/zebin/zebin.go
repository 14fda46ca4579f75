// Package zebin reads the properties that Intel's graphics compiler writes into
// a kernel's binary: sub-group size, registers, shared local memory, barriers,
// spills, and the work-group size that the source fixes. These values allow
// predicting a launch before it runs. They also replace guesses for values that
// a profiler does not export.
//
// Binaries have several containers. A device image ("zebin") is an ELF file
// whose section .ze_info contains YAML. ocloc packs the images for several
// devices into an ar archive. A SYCL program contains images in its own
// sections. Compilers and drivers dump only the YAML. Read finds the images in
// all of these and returns one Image per device.
//
// The format is specified by Intel: intel/intel-graphics-compiler,
// IGC/ZEBinWriter/zebin/spec (elf.md, zeinfo.md). The package runs that
// compiler if the input is a source. It does not know devices, occupancy, or
// output formats.
package zebin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// An Image contains the kernels that were compiled for one device.
type Image struct {
	// Pos is the file. For an archive or a program, the member or the offset
	// follows the file name.
	Pos     note.Pos
	Target  Target
	Kernels []Kernel
	Notes   []note.Note
	IsLog   bool // a compiler log, which does not name the device
}

// A Target is an image's device, as far as the image contains it. Both fields
// are zero if the device is unknown.
type Target struct {
	// Family is the driver's number for the product family, for example 1271
	// for Ponte Vecchio. It is 0 if unknown.
	Family int
	// Release is the graphics IP version without its revision, for example
	// 12.60. It is empty if unknown. It is more specific than Family.
	Release string
}

// String returns the target for messages.
func (t Target) String() string {
	switch {
	case t.Release != "":
		return "graphics IP " + t.Release
	case t.Family != 0:
		return fmt.Sprintf("product family %d", t.Family)
	}
	return "no device"
}

// A Kernel contains the compiler's decisions for one kernel. Sizes are in
// bytes.
type Kernel struct {
	Name string
	// SIMD is the sub-group size, in work-items.
	SIMD int
	// Registers is the number of registers per thread: 128, or 256 in large-GRF
	// mode, or 32 to 512 on Xe3.
	Registers int
	// SLM is the static size per work-group. If SLMIsLowerBound is set, local
	// memory arguments add to it at launch. A compiler log has neither SLM nor
	// barriers.
	SLM             unit.Opt[unit.Bytes]
	SLMIsLowerBound bool
	Barriers        unit.Opt[int]
	// Spill and Private are per thread. They are absent if the binary does not
	// separate them. Scratch is their sum.
	Spill, Private, Scratch unit.Opt[unit.Bytes]
	// SpilledRegisters is a thread's spill in registers, rounded up. Only a
	// compiler log has it.
	SpilledRegisters unit.Opt[int]
	// Local is the work-group size that the source fixes, or absent if it is
	// not fixed.
	Local unit.Size3
	// StackCalls reports that the kernel calls functions that were not inlined.
	// Registers does not include these functions' registers.
	StackCalls bool
	Code       string // digest of the machine code; empty if the input has none
}

// Demangled returns the name as profilers print it. A name that is not mangled
// is unchanged.
func (k *Kernel) Demangled() string { return names.Display(k.Name) }

// Format reads binaries that are next to profiler output. Their values become
// properties of the run's kernels.
var Format = ingest.Format{Kind: "zebin", Description: "a kernel binary",
	Sniff: isBinary, Read: readSource, Shared: true}

// maxBinary is a binary's maximum size in bytes. A SYCL program with images for
// many devices has about 100 MB.
const maxBinary = 1 << 30

// Read returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, _ ingest.ReadOptions) (*ingest.File, error) {
	data, err := io.ReadAll(io.LimitReader(src.R, maxBinary+1))
	pos := note.InFile(src.Path)
	switch {
	case err != nil:
		return nil, unreadable(pos, err)
	case len(data) > maxBinary:
		return nil, note.Errorf("too-large", pos, "give the device image of ocloc instead of the program",
			"the binary is larger than %d MiB", maxBinary>>20)
	}
	images, err := Read(ctx, src.Path, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &ingest.File{}
	f.Traits = ingest.Traits{NotARun: "this is a kernel binary, which contains no run",
		Hint: "predict its kernels with 'occudiff predict', or give the computing-task export of their run, too"}
	for i := range images {
		f.Notes = append(f.Notes, images[i].Notes...)
		for k := range images[i].Kernels {
			f.Props = append(f.Props, images[i].Kernels[k].props(src.Path))
			f.Rows++
		}
	}
	return f, nil
}

// props returns the values that a run uses from a kernel's binary. It omits the
// SLM if arguments add an unknown size to it.
func (k *Kernel) props(file string) ingest.Kernel {
	barriers, known := k.Barriers.Value()
	p := ingest.Kernel{Task: names.Task(k.Demangled()), Pos: note.InFile(file), Local: k.Local,
		SIMD: unit.Some(k.SIMD), Registers: unit.Some(k.Registers),
		Spill: k.Spill, Private: k.Private, SpilledRegisters: k.SpilledRegisters,
		Barriers: unit.Maybe(int64(barriers), known)}
	if !k.SLMIsLowerBound {
		p.SLM = k.SLM
	}
	return p
}

// ReadPath returns the device images in a file, or in the files in a folder and
// its subfolders: ocloc output or disassembly, a compiler's shader dump, a
// VTune result with dumped binaries, or Triton's cache. It skips files in a
// folder that are not images. A damaged file becomes a note on the first image.
func ReadPath(ctx context.Context, path string) ([]Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(note.InFile(path), err)
	}
	if !info.IsDir() {
		return readFile(ctx, path)
	}
	var images []Image
	var faults []error
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !d.Type().IsRegular() || !isDump(p) {
			return nil
		}
		got, err := readFile(ctx, p)
		if err != nil {
			faults = append(faults, err)
			return nil
		}
		if b, err := os.ReadFile(filepath.Join(filepath.Dir(p), ".note.intelgt.compat")); err == nil &&
			len(b) <= maxNote {
			// ocloc's disassembly has the notes in a separate file.
			got[0].Target = targetOf(b, binary.LittleEndian, got[0].Target)
		}
		images = append(images, got...)
		return nil
	})
	if err != nil {
		return nil, unreadable(note.InFile(path), err)
	}
	return usable(images, faults, note.Note{Severity: note.Error, Code: "bad-binary"},
		note.Errorf("no-binary", note.InFile(path),
			"give a folder of .zebin files, of ocloc's disassembly, or of a shader dump",
			"no file in this folder is an Intel GPU binary"))
}

// isDump reports whether a file in a folder may be an image. In folders, only
// dumps are read, not programs.
func isDump(path string) bool {
	name, head := strings.ToLower(path), headOf(path)
	return strings.HasSuffix(name, ".ze_info") || strings.HasSuffix(name, ".zeinfo") ||
		strings.HasSuffix(name, "ze_info.txt") || isDevice(head) || strings.HasPrefix(string(head), archiveMagic)
}

// IsFile reports whether a file is a kernel binary, or a program or archive
// that may contain some.
func IsFile(path string) bool { return isBinary(headOf(path)) }

// headOf returns a file's first bytes, or nothing if it cannot be read. It does
// not read a pipe, because the bytes would be lost.
func headOf(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}
