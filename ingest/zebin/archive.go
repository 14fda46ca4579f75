package zebin

import (
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// readArchive returns the images in an ar archive, which ocloc writes for
// several devices. The member names contain the pointer size and the graphics
// IP version, as in 64.12.10.0. An archive inside a program ends after its last
// complete member. readArchive returns this offset.
func readArchive(ctx context.Context, pos note.Pos, r io.ReaderAt, size int64, inProgram bool) (
	images []Image, offset int64, err error) {
	var faults []error
	var long []byte
	offset = int64(len(archiveMagic))
	for n := 0; offset+memberHead <= size; n++ {
		name, length, err := memberAt(r, offset, size)
		if bad := err != nil || n == maxMembers; bad && inProgram {
			break
		} else if bad {
			return nil, offset, note.Errorf("bad-archive", pos, "the file may be cut off; copy or compile it again",
				"the archive is damaged at byte %d", offset)
		}
		member := memberName(name, long)
		// Members begin at even offsets, so add length&1.
		body := io.NewSectionReader(r, offset+memberHead, length)
		offset += memberHead + length + length&1
		// GNU's table for names that are longer than the 16 bytes in a header.
		if member == "//" {
			if length > maxNote {
				continue
			}
			long = make([]byte, length)
			if _, err := body.ReadAt(long, 0); err != nil {
				return nil, offset, note.Errorf("bad-archive", pos, "", "its table of names: %v", note.Reason(err))
			}
			continue
		}
		got, err := readMember(ctx, note.InFile(pos.File+"("+member+")"), body, length, member)
		if err != nil {
			faults = append(faults, err)
		}
		images = append(images, got...)
	}
	images, err = usable(images, faults, note.Note{Severity: note.Error, Code: "bad-member", Pos: pos},
		note.Errorf(ingest.CodeUnknown, pos, "", "the archive contains no device image"))
	return images, offset, err
}

// usable returns the images, with a note about each unreadable file or member.
// If there are no images, it returns the errors, or the error none.
func usable(images []Image, faults []error, left note.Note, none error) ([]Image, error) {
	if len(images) == 0 {
		return nil, cmp.Or(errors.Join(faults...), none)
	}
	for _, err := range faults {
		left.Text = err.Error()
		images[0].Notes = append(images[0].Notes, left)
	}
	return images, nil
}

// memberHead is the size of a member's header.
const memberHead = 60

// memberAt returns the name field and the length in a member's header, which
// must end before limit.
func memberAt(r io.ReaderAt, offset, limit int64) (name string, length int64, err error) {
	var h [memberHead]byte
	if _, err := r.ReadAt(h[:], offset); err != nil {
		return "", 0, err
	}
	length, err = strconv.ParseInt(strings.TrimSpace(string(h[48:58])), 10, 64)
	if err == nil && (string(h[58:]) != "`\n" || length < 0 || length > limit-offset-memberHead) {
		err = errors.New("no header of a member")
	}
	return string(h[:16]), length, err
}

// readMember returns the images in a member. Padding and other members contain
// none.
func readMember(ctx context.Context, pos note.Pos, r io.ReaderAt, size int64, name string) ([]Image, error) {
	head, err := bytesAt(pos, r, 0, min(size, 64))
	if err != nil || !isDevice(head) || ctx.Err() != nil {
		return nil, cmp.Or(err, ctx.Err())
	}
	t := Target{}
	if m := deviceMember.FindStringSubmatch(name); m != nil {
		t.Release = m[1]
	}
	return readDevice(pos, r, size, t)
}

// deviceMember matches a member's name with a graphics IP version: 12.10 in
// 64.12.10.0.
var deviceMember = regexp.MustCompile(`^(?:32|64)\.(\d+\.\d+)\.\d+$`)

// memberName returns a member's name, from the table of long names if
// necessary.
func memberName(field string, long []byte) string {
	name := strings.TrimRight(field, " ")
	at, special := strings.CutPrefix(name, "/")
	if !special {
		return strings.TrimSuffix(name, "/")
	}
	if n, err := strconv.Atoi(at); err == nil && n >= 0 && n < len(long) {
		rest := string(long[n:]) + "\n"
		return rest[:strings.IndexAny(rest, "/\n")]
	}
	return name
}
