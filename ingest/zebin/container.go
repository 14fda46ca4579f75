package zebin

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// Magic bytes of the containers, and numbers from the format's specification
// (elf.md).
const (
	elfMagic     = "\x7fELF"
	archiveMagic = "!<arch>\n"
	machineIntel = 205 // EM_INTELGT
	// e_type in older device binaries, which precede the zebin format or have
	// the product family as machine.
	typePatchLow  = 0xff11
	typePatchHigh = 0xff13
	sectionInfo   = 0xff000011 // .ze_info
	patchMagic    = "CTNI"
)

// Limits for a single read. A file that claims more is damaged.
const (
	maxInfo    = 64 << 20
	maxNote    = 1 << 20
	maxCode    = 256 << 20
	maxMembers = 4096
	maxImages  = 4096
)

// Note types in .note.intelgt.compat.
const (
	noteProductFamily = 1
	noteProductConfig = 6
)

// isBinary reports whether a file begins like a container that Read supports: a
// device image, an archive, or a program that may contain images.
func isBinary(head []byte) bool {
	return bytes.HasPrefix(head, []byte(elfMagic)) || bytes.HasPrefix(head, []byte(archiveMagic)) ||
		bytes.HasPrefix(head, []byte("MZ")) || isInfoText(head)
}

// isInfoText reports whether a text is a dumped .ze_info section.
func isInfoText(head []byte) bool {
	text := bytes.TrimLeft(head, " \r\n-")
	mark, ok := []byte("execution_env"), bytes.HasPrefix(text, []byte("kernels:"))
	if bytes.HasPrefix(text, []byte("version:")) { // common in other YAML files, too
		mark, ok = []byte("kernels:"), true
	}
	return ok && bytes.Contains(text, mark)
}

// readFile returns a file's device images. If there are none, the error
// describes the file.
func readFile(ctx context.Context, path string) ([]Image, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a named pipe would wait
		return nil, note.Errorf("unreadable", note.InFile(path), "", "not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(note.InFile(path), err)
	}
	defer f.Close()
	images, err := Read(ctx, path, f, info.Size())
	if err == nil {
		addTriton(path, images)
	}
	return images, err
}

// Read returns the device images in size bytes. name is used in positions and
// messages.
func Read(ctx context.Context, name string, r io.ReaderAt, size int64) ([]Image, error) {
	pos := note.InFile(name)
	head, err := bytesAt(pos, r, 0, min(size, 64<<10)) // because a log may begin with other messages
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(archiveMagic)):
		images, _, err := readArchive(ctx, pos, r, size, false)
		return images, err
	case isDevice(head):
		return readDevice(pos, r, size, Target{})
	case bytes.HasPrefix(head, []byte(elfMagic)), bytes.HasPrefix(head, []byte("MZ")):
		return readProgram(ctx, pos, r, size)
	case isInfoText(head):
		if size > maxInfo {
			return nil, note.Errorf("bad-ze-info", pos, "", "%d bytes are too many for a dump of .ze_info", size)
		}
		img := Image{Pos: pos}
		text, err := bytesAt(pos, r, 0, size)
		if err == nil {
			err = parseInfo(text, &img)
		}
		if err != nil {
			return nil, err
		}
		return []Image{img}, nil
	case Log.Sniff(head):
		return logOf(ctx, name, r, size)
	}
	return nil, note.Errorf(ingest.CodeUnknown, pos,
		"pass a device image of ocloc, an archive of them, or a program that contains them",
		"not an Intel GPU binary")
}

// isDevice reports whether an ELF header belongs to a device image, not to a
// program.
func isDevice(head []byte) bool {
	// Byte 5 is 1 for little-endian. e_type is at offset 16 and e_machine at
	// 18.
	if len(head) < 20 || !bytes.HasPrefix(head, []byte(elfMagic)) || head[5] != 1 {
		return false
	}
	kind, machine := binary.LittleEndian.Uint16(head[16:]), binary.LittleEndian.Uint16(head[18:])
	return machine == machineIntel || kind >= typePatchLow && kind <= typePatchHigh || kind>>8 == 0xff
}

// readDevice returns one device image.
func readDevice(pos note.Pos, r io.ReaderAt, size int64, t Target) ([]Image, error) {
	f, err := elf.NewFile(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, note.Errorf("bad-elf", pos, "the file may be cut off; copy or compile it again",
			"the ELF file is damaged: %v", err)
	}
	img := Image{Pos: pos, Target: t}
	var info *elf.Section
	for _, s := range f.Sections {
		switch {
		case uint32(s.Type) == sectionInfo || s.Name == ".ze_info":
			info = s
		case s.Type == elf.SHT_NOTE && s.Name == ".note.intelgt.compat":
			data, err := sectionData(s, maxNote)
			if err != nil {
				return nil, note.Errorf("bad-elf", pos, "", "section %s: %v", s.Name, err)
			}
			img.Target = targetOf(data, f.ByteOrder, t)
		}
	}
	if info == nil {
		return nil, noInfo(pos, f)
	}
	text, err := sectionData(info, maxInfo)
	if err != nil {
		return nil, note.Errorf("bad-elf", pos, "the file may be cut off; copy or compile it again",
			"section .ze_info: %v", err)
	}
	if err := parseInfo(text, &img); err != nil {
		return nil, err
	}
	for i := range img.Kernels {
		img.Kernels[i].Code = codeDigest(f.Section(".text." + img.Kernels[i].Name))
	}
	return []Image{img}, nil
}

// codeDigest returns the digest of a kernel's machine code, "" if it cannot be
// read.
func codeDigest(s *elf.Section) string {
	if s == nil {
		return ""
	}
	data, err := sectionData(s, maxCode)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// noInfo returns the error for a device image without .ze_info: it has the
// older format, or no kernel.
func noInfo(pos note.Pos, f *elf.File) error {
	for _, s := range f.Sections {
		if s.ReaderAt == nil {
			// debug/elf sets no ReaderAt for a compressed section. Patch tokens
			// are never compressed.
			continue
		}
		var mark [4]byte
		if n, _ := s.ReadAt(mark[:], 0); n == 4 && string(mark[:]) == patchMagic {
			return note.Errorf(ingest.CodeUnknown, pos, "compile with: ocloc compile ... -internal_options "+
				"-cl-intel-allow-zebin",
				"a device binary in the older patch-token format, which occudiff does not read")
		}
	}
	return note.Errorf(ingest.CodeUnknown, pos, "",
		"the device image has no .ze_info section, so it contains no kernel")
}

// sectionData returns a section's content. It limits the size, because a
// damaged file may claim any size.
func sectionData(s *elf.Section, most uint64) ([]byte, error) {
	if s.Size > most {
		return nil, fmt.Errorf("it claims %d bytes; at most %d are expected", s.Size, most)
	}
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("it is cut off: %w", err)
	}
	return data, nil
}

// targetOf returns the device that the notes identify. Otherwise it keeps t's
// values, which come from the archive.
func targetOf(data []byte, order binary.ByteOrder, t Target) Target {
	for len(data) >= 12 {
		nameLen, descLen, kind := order.Uint32(data), order.Uint32(data[4:]), order.Uint32(data[8:])
		data = data[12:]
		nameEnd, descEnd := align4(nameLen), align4(descLen)
		// Compute with 64 bits, because the lengths are 32 bits in a possibly
		// damaged file.
		if uint64(nameEnd)+uint64(descEnd) > uint64(len(data)) {
			break
		}
		owner := strings.TrimRight(string(data[:nameLen]), "\x00")
		desc := data[nameEnd : nameEnd+uint64(descLen)]
		data = data[nameEnd+descEnd:]
		if owner != "IntelGT" || len(desc) < 4 {
			continue
		}
		switch v := order.Uint32(desc); kind {
		case noteProductFamily:
			t.Family = int(v)
		case noteProductConfig:
			if v != 0 {
				// The upper 10 bits are the architecture, the next 8 the
				// release, and the others the revision.
				t.Release = fmt.Sprintf("%d.%d", v>>22, v>>14&0xff)
			}
		}
	}
	return t
}

func align4(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }

// readProgram returns the device images inside a program: complete ELF files or
// archives that SYCL compilers put into its sections. It searches for their
// magic bytes, because the sections depend on the compiler.
func readProgram(ctx context.Context, pos note.Pos, r io.ReaderAt, size int64) ([]Image, error) {
	const chunk = 1 << 20
	var images []Image
	var faults []error
	for at := int64(4); at < size; {
		data, err := bytesAt(pos, r, at, min(chunk, size-at))
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		i := int64(firstMark(data))
		if i < 0 {
			at += max(int64(len(data))-7, 1) // magic bytes may cross the end of a chunk
			continue
		}
		at += i
		head, err := bytesAt(pos, r, at, min(size-at, 64))
		inside, body := note.InFile(fmt.Sprintf("%s(at byte %d)", pos.File, at)), io.NewSectionReader(r, at, size-at)
		end := int64(4)
		var got []Image
		switch {
		case err != nil:
		case isDevice(head):
			got, err = readDevice(inside, body, size-at, Target{})
		case bytes.HasPrefix(head, []byte(archiveMagic)):
			got, end, err = readArchive(ctx, inside, body, size-at, true)
		}
		if err != nil {
			faults = append(faults, err)
		}
		images, at = append(images, got...), at+end
	}
	if len(images) > 0 { // false matches' errors are not the program's errors
		faults = nil
	}
	return usable(images[:min(len(images), maxImages)], faults, note.Note{},
		note.Errorf(ingest.CodeUnknown, pos,
			"compile it ahead of time for a device (icpx -fsycl-targets=spir64_gen), or pass the image that ocloc "+
				"wrote",
			"the program contains no device image"))
}

func firstMark(data []byte) int {
	i, j := bytes.Index(data, []byte(elfMagic)), bytes.Index(data, []byte(archiveMagic))
	if i < 0 || j >= 0 && j < i {
		return j
	}
	return i
}

// bytesAt returns up to n bytes at an offset.
func bytesAt(pos note.Pos, r io.ReaderAt, offset, n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := r.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(pos, err)
	}
	return b, nil
}

// unreadable returns the error for a file that cannot be read.
func unreadable(pos note.Pos, err error) error {
	return note.Errorf("unreadable", pos, "", "%v", note.Reason(err))
}
