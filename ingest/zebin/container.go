package zebin

import (
	"bufio"
	"bytes"
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
		return nil, note.Errorf("unreadable", note.Pos{File: path}, "", "not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, note.Errorf("unreadable", note.Pos{File: path}, "", "%v", note.Reason(err))
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
	pos := note.Pos{File: name}
	head := make([]byte, min(size, 64<<10)) // because a log may begin with other messages
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, note.Errorf("unreadable", pos, "", "%v", note.Reason(err))
	}
	switch {
	case bytes.HasPrefix(head, []byte(archiveMagic)):
		return readArchive(ctx, pos, r, size)
	case isDevice(head):
		return readDevice(pos, r, size, Target{})
	case bytes.HasPrefix(head, []byte(elfMagic)), bytes.HasPrefix(head, []byte("MZ")):
		return readProgram(ctx, pos, r, size)
	case isInfoText(head):
		if size > maxInfo {
			return nil, note.Errorf("bad-ze-info", pos, "", "%d bytes are too many for a dump of .ze_info", size)
		}
		text := make([]byte, size)
		if _, err := r.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, note.Errorf("unreadable", pos, "", "%v", note.Reason(err))
		}
		img := Image{Pos: pos}
		if err := parseInfo(text, &img); err != nil {
			return nil, err
		}
		return []Image{img}, nil
	case (Log{}).Sniff(head):
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
	var images []Image
	var faults []error
	found := func(offset int64) (next int64) {
		head := make([]byte, min(size-offset, 64))
		if _, err := r.ReadAt(head, offset); err != nil && !errors.Is(err, io.EOF) {
			return offset + 1
		}
		at := note.Pos{File: fmt.Sprintf("%s(at byte %d)", pos.File, offset)}
		body := io.NewSectionReader(r, offset, size-offset)
		var got []Image
		var err error
		end := offset + 4
		switch {
		case isDevice(head):
			end = offset + max(elfSize(body, size-offset), 4)
			got, err = readDevice(at, body, size-offset, Target{})
		case bytes.HasPrefix(head, []byte(archiveMagic)):
			length := archiveSize(body, size-offset)
			end = offset + max(length, 8)
			got, err = readArchive(ctx, at, body, length)
		default:
			return end
		}
		if err != nil {
			faults = append(faults, err)
		}
		images = append(images, got...)
		return end
	}
	if err := scanMarks(ctx, r, size, found); err != nil {
		return nil, err
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

// scanMarks calls found at each offset after the start at which a device image
// or an archive may begin. It continues at the offset that found returns.
func scanMarks(ctx context.Context, r io.ReaderAt, size int64, found func(offset int64) int64) error {
	const chunk = 1 << 20
	for at := int64(4); at < size; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// Read 8 bytes more than a chunk, because magic bytes may cross its
		// end.
		b := bufio.NewReaderSize(io.NewSectionReader(r, at, min(chunk+8, size-at)), chunk+8)
		data, err := b.Peek(int(min(chunk+8, size-at)))
		if err != nil && len(data) == 0 {
			return note.Errorf("unreadable", note.Pos{}, "", "%v", note.Reason(err))
		}
		i := firstMark(data)
		if i < 0 {
			at += max(int64(len(data))-7, 1)
			continue
		}
		at = max(found(at+int64(i)), at+int64(i)+1)
	}
	return nil
}

func firstMark(data []byte) int {
	i, j := bytes.Index(data, []byte(elfMagic)), bytes.Index(data, []byte(archiveMagic))
	if i < 0 || j >= 0 && j < i {
		return j
	}
	return i
}

// elfSize returns the size of an embedded ELF file, which its header does not
// contain. It ends after its last section, and at most at limit.
func elfSize(r io.ReaderAt, limit int64) int64 {
	f, err := elf.NewFile(io.NewSectionReader(r, 0, limit))
	if err != nil {
		return 0
	}
	var end uint64
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && s.Offset+s.FileSize > s.Offset {
			end = max(end, s.Offset+s.FileSize)
		}
	}
	return int64(min(end, uint64(limit)))
}
