package zebin

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"occudiff/ingest/note"
)

// ReadPath reads the device images of a file, or of the files in a folder and the folders in it: ocloc's output and
// disassembly, a compiler's shader dump, a VTune result with dumped binaries, Triton's cache. Files of a folder that
// are no images are passed over; one that is damaged is a note on the first image.
func ReadPath(ctx context.Context, path string) ([]Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, note.Faultf("unreadable", note.Pos{File: path}, "", "%v", note.Reason(err))
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
			// ocloc's disassembly has the notes beside it
			got[0].Target = targetOf(b, binary.LittleEndian, got[0].Target)
		}
		images = append(images, got...)
		return nil
	})
	if err != nil {
		return nil, note.Faultf("unreadable", note.Pos{File: path}, "", "%v", note.Reason(err))
	}
	return usable(images, faults, note.Note{Severity: note.Error, Code: "bad-binary"},
		note.Faultf("no-binary", note.Pos{File: path},
			"give a folder of .zebin files, of ocloc's disassembly, or of a shader dump",
			"no file in this folder is an Intel GPU binary"))
}

// isDump says whether a file of a folder may be an image: programs are not looked into there, only dumps.
func isDump(path string) bool {
	name, head := strings.ToLower(path), headOf(path)
	return strings.HasSuffix(name, ".ze_info") || strings.HasSuffix(name, ".zeinfo") ||
		strings.HasSuffix(name, "ze_info.txt") || isDevice(head) || strings.HasPrefix(string(head), archiveMagic)
}

// IsFile says whether a file is a kernel binary, or a program or archive that may hold some.
func IsFile(path string) bool { return isBinary(headOf(path)) }

// headOf gives the first bytes of a file, none of one that cannot be read.
func headOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}
