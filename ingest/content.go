package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"occudiff/ingest/note"
)

// content is a digest of the rows that a format made of a file, and of what it says of the machine (see Input.Content).
func (f *File) content() string {
	h := sha256.New()
	f.Kernels.sum(h)
	NewKernels(f.Summary...).sum(h)
	for _, t := range f.Timings {
		t.Pos = note.Pos{}
		fmt.Fprintf(h, "%+v", t)
	}
	for _, p := range f.Props {
		p.Pos = note.Pos{}
		fmt.Fprintf(h, "%+v", p)
	}
	for _, s := range f.Stalls {
		fmt.Fprintf(h, "%q%v", s.Task, s.Stalls)
	}
	p := f.Platform
	p.Pos, p.OccupancyPos, p.JobID = note.Pos{}, note.Pos{}, "" // which may come from the name of the file
	fmt.Fprintf(h, "%+v", p)
	return digest("rows", h)
}

// sum adds what rows say, wherever they stand. The spread over launches, whose medians are estimates, is left out.
func (l *Kernels) sum(h hash.Hash) {
	settings := make([]string, l.Settings())
	for i := range settings {
		s := *l.settings.value(uint32(i))
		o := *l.origins.value(s.origin)
		o.file, o.column, s.origin = "", 0, 0
		settings[i] = fmt.Sprint(o, s)
	}
	var line []byte
	var v [numbers]uint64
	for i := range l.Len() {
		l.blocks[i/blockRows].get(i%blockRows, &v)
		shape := l.shapes.value(uint32(v[numberShape]))
		v[numberShape], v[numberLine] = 0, 0
		line = binary.LittleEndian.AppendUint64(line[:0], uint64(len(shape.task)))
		line = append(append(line, shape.task...), settings[shape.setting]...)
		for _, bits := range v {
			line = binary.LittleEndian.AppendUint64(line, bits)
		}
		h.Write(line)
	}
}
