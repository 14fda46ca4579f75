package zebin

import (
	"bytes"
	"context"
	"io"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Format reads binaries beside profiler output: what the compiler fixed becomes a property of the kernels of a run.
type Format struct{}

// Kind implements ingest.Format.
func (Format) Kind() string { return "zebin" }

// What implements ingest.Format.
func (Format) What() string { return "a kernel binary" }

// Sniff implements ingest.Format.
func (Format) Sniff(head []byte) bool { return isBinary(head) }

// maxBinary is the largest binary that is read, in bytes: a SYCL program with images for many devices has some 100 MB.
const maxBinary = 1 << 30

// OfAllRuns implements ingest.Shared.
func (Format) OfAllRuns() bool { return true }

// Read implements ingest.Format.
func (Format) Read(ctx context.Context, src *ingest.Source, _ ingest.ReadOptions) (*ingest.File, error) {
	data, err := io.ReadAll(io.LimitReader(src.R, maxBinary+1))
	pos := note.Pos{File: src.Path}
	switch {
	case err != nil:
		return nil, note.Faultf("unreadable", pos, "", "%v", note.Reason(err))
	case len(data) > maxBinary:
		return nil, note.Faultf("too-large", pos, "give the device image of ocloc instead of the program",
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
			f.Props = append(f.Props, images[i].Kernels[k].props())
			f.Rows++
		}
	}
	return f, nil
}

// props are what a run takes from the binary of a kernel. SLM that arguments add to is not known, and left out.
func (k *Kernel) props() ingest.Kernel {
	p := ingest.Kernel{Task: names.Task(k.Demangled()), Local: k.Local, SIMD: unit.Some(k.SIMD),
		Registers: unit.Some(k.Registers), Spill: k.Spill, Barriers: unit.Some(int64(k.Barriers))}
	if !k.SLMIsLowerBound {
		p.SLM = unit.Some(k.SLM)
	}
	return p
}
