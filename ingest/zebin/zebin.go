// Package zebin reads what Intel's graphics compiler writes into a kernel's
// binary: sub-group size, registers, shared local memory, barriers, spills and
// the work-group size that the source fixes. With them a launch is predicted
// before it ran, and what a profiler does not export is known instead of
// guessed.
//
// A binary comes in many wrappings. A device image ("zebin") is an ELF file
// whose section .ze_info holds YAML; ocloc packs those of several devices into
// an ar archive; a SYCL program carries images inside its own sections;
// compilers and drivers dump the YAML alone. Read finds the images in all of
// them and gives one Image per device.
//
// The format is Intel's: intel/intel-graphics-compiler,
// IGC/ZEBinWriter/zebin/spec (elf.md, zeinfo.md). The package runs that
// compiler where a source is given. It does not know devices, occupancy or how
// anything is shown.
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

// Image is the kernels that were compiled for one device.
type Image struct {
	Pos     note.Pos // the file; of an archive or a program with the member or offset behind it
	Target  Target
	Kernels []Kernel
	Notes   []note.Note
	IsLog   bool // a compiler log, which names no device
}

// Target describes which device an image is for, as far as the image does. Both
// may be zero: then nothing says so.
type Target struct {
	// Family is the driver's number of the product family, as in 1271 for Ponte
	// Vecchio; 0 when it is not known.
	Family int
	// Release is the graphics IP version without its revision, as in 12.60;
	// empty when it is not known. It names a device more closely than the
	// family.
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
	// Registers is how many each thread has: 128, or 256 in large-GRF mode; 32
	// to 512 on Xe3.
	Registers int
	// SLM is per work-group and static. With SLMIsLowerBound, local memory
	// arguments add to it at launch. A compiler log has neither SLM nor
	// barriers.
	SLM             unit.Opt[unit.Bytes]
	SLMIsLowerBound bool
	Barriers        unit.Opt[int]
	// Spill and Private are per thread and absent where the binary does not
	// tell them apart; Scratch is both together.
	Spill, Private, Scratch unit.Opt[unit.Bytes]
	// SpilledRegisters is the spill of a thread in registers, rounded up; of a
	// compiler log alone.
	SpilledRegisters unit.Opt[int]
	// Local is the work-group size that the source fixes; absent when it does
	// not.
	Local      unit.Size3
	StackCalls bool // it calls functions that were not inlined: registers of the callees are not in Registers
}

// Demangled is the name as profilers print it; a name that is not mangled comes
// back as it is.
func (k *Kernel) Demangled() string { return names.Display(k.Name) }

// Format reads binaries next to profiler output: what the compiler fixed
// becomes a property of the kernels of a run.
type Format struct{}

// Kind implements ingest.Format.
func (Format) Kind() string { return "zebin" }

// Description implements ingest.Format.
func (Format) Description() string { return "a kernel binary" }

// Sniff implements ingest.Format.
func (Format) Sniff(head []byte) bool { return isBinary(head) }

// maxBinary is the largest binary that is read, in bytes: a SYCL program with
// images for many devices has some 100 MB.
const maxBinary = 1 << 30

// RunAlone implements ingest.Shared.
func (Format) RunAlone() bool { return false }

// Read implements ingest.Format.
func (Format) Read(ctx context.Context, src *ingest.Source, _ ingest.ReadOptions) (*ingest.File, error) {
	data, err := io.ReadAll(io.LimitReader(src.R, maxBinary+1))
	pos := note.Pos{File: src.Path}
	switch {
	case err != nil:
		return nil, note.Errorf("unreadable", pos, "", "%v", note.Reason(err))
	case len(data) > maxBinary:
		return nil, note.Errorf("too-large", pos, "give the device image of ocloc instead of the program",
			"the binary is larger than %d MiB", maxBinary>>20)
	}
	images, err := Read(ctx, src.Path, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &ingest.File{}
	f.Traits = ingest.Traits{NotARun: "this is a kernel binary, which holds no run",
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

// props are what a run takes from the binary of a kernel. SLM that arguments
// add to is not known, and left out.
func (k *Kernel) props(file string) ingest.Kernel {
	barriers, known := k.Barriers.Value()
	p := ingest.Kernel{Task: names.Task(k.Demangled()), Local: k.Local, SIMD: unit.Some(k.SIMD), Pos: note.Pos{File: file},
		Registers: unit.Some(k.Registers), Spill: k.Spill, Private: k.Private, SpilledRegisters: k.SpilledRegisters,
		Barriers: unit.Maybe(int64(barriers), known)}
	if !k.SLMIsLowerBound {
		p.SLM = k.SLM
	}
	return p
}

// ReadPath reads the device images of a file, or of the files in a folder and
// the folders in it: ocloc's output and disassembly, a compiler's shader dump,
// a VTune result with dumped binaries, Triton's cache. Files of a folder that
// are no images are passed over; one that is damaged is a note on the first
// image.
func ReadPath(ctx context.Context, path string) ([]Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, note.Errorf("unreadable", note.Pos{File: path}, "", "%v", note.Reason(err))
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
			// ocloc's disassembly has the notes next to it
			got[0].Target = targetOf(b, binary.LittleEndian, got[0].Target)
		}
		images = append(images, got...)
		return nil
	})
	if err != nil {
		return nil, note.Errorf("unreadable", note.Pos{File: path}, "", "%v", note.Reason(err))
	}
	return usable(images, faults, note.Note{Severity: note.Error, Code: "bad-binary"},
		note.Errorf("no-binary", note.Pos{File: path},
			"give a folder of .zebin files, of ocloc's disassembly, or of a shader dump",
			"no file in this folder is an Intel GPU binary"))
}

// isDump reports whether a file of a folder may be an image: programs are not
// looked into there, only dumps.
func isDump(path string) bool {
	name, head := strings.ToLower(path), headOf(path)
	return strings.HasSuffix(name, ".ze_info") || strings.HasSuffix(name, ".zeinfo") ||
		strings.HasSuffix(name, "ze_info.txt") || isDevice(head) || strings.HasPrefix(string(head), archiveMagic)
}

// IsFile reports whether a file is a kernel binary, or a program or archive
// that may hold some.
func IsFile(path string) bool { return isBinary(headOf(path)) }

// headOf returns the first bytes of a file, none of one that cannot be read. A
// pipe has none: what is read from it is gone.
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
