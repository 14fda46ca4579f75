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
	sumKernels(h, f.Kernels)
	sumKernels(h, f.Summary)
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

// sumKernels adds what rows say, wherever they stand. The spread over launches, whose medians are estimates, is left
// out.
func sumKernels(h hash.Hash, list []Kernel) {
	var line []byte
	for i := range list {
		k := &list[i]
		line = fmt.Appendf(line[:0], "%q %v %v %v %s %q %d %t", k.Task, k.Global, k.Local, k.SIMD, k.Direction, k.Device,
			k.Reading, k.Uneven)
		for _, fields := range [][]Field{kernelFields, how} {
			for f := range fields {
				v, present := fields[f].bits(k)
				if line = append(line, 0); present {
					line = binary.LittleEndian.AppendUint64(append(line, 1), v)
				}
			}
		}
		h.Write(append(line, '\n'))
	}
}
