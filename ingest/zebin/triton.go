package zebin

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Triton reads the JSON next to a kernel's binary in Triton's cache: its
// work-group size, and the SLM that is requested at launch.
var Triton = ingest.Format{Kind: "triton", Description: "the JSON of Triton's cache",
	Sniff: sniffTriton, Read: readTritonFile, Shared: true}

// sniffTriton reports whether head is a JSON object with Triton's kernel properties.
func sniffTriton(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"num_warps"`)) &&
		bytes.Contains(head, []byte(`"shared"`))
}

// readTritonFile returns the file's content.
func readTritonFile(_ context.Context, src *ingest.Source, _ ingest.ReadOptions) (*ingest.File, error) {
	k, err := readTriton(src.Path, src.R)
	if err != nil {
		return nil, err
	}
	p := k.props(src.Path)
	p.Registers, p.Barriers = unit.Opt[int]{}, unit.Opt[int64]{} // these come from the binary
	return &ingest.File{Props: []ingest.Kernel{p}, Input: ingest.Input{Rows: 1, Traits: ingest.Traits{
		NotARun: "this is the JSON of Triton's cache, which contains no run",
		Hint:    "predict its folder with 'occudiff predict', or add the computing-task export of the run"}}}, nil
}

// maxTriton limits the JSON's size. Real files are smaller.
const maxTriton = 1 << 20

// readTriton returns the values for a kernel from the JSON.
func readTriton(path string, r io.Reader) (k Kernel, err error) {
	var m struct {
		Name    string
		Warps   int64 `json:"num_warps"`
		Threads int64 `json:"threads_per_warp"` // the sub-group size
		Shared  int64
		Target  struct {
			Backend string
			Warp    int64 `json:"warp_size"`
		}
	}
	pos := note.InFile(path)
	if err := json.NewDecoder(io.LimitReader(r, maxTriton)).Decode(&m); err != nil {
		return k, note.Errorf("bad-triton", pos, "compile the kernel again",
			"the JSON of Triton's cache is damaged: %v", err)
	}
	if m.Threads == 0 {
		m.Threads = m.Target.Warp
	}
	switch {
	case m.Target.Backend != "" && m.Target.Backend != "xpu":
		return k, note.Errorf(ingest.CodeUnknown, pos, "",
			"Triton compiled this kernel for %q; expected \"xpu\"", m.Target.Backend)
	case m.Name == "" || m.Warps < 1 || m.Warps > 1024 || m.Threads < 1 || m.Threads > 64 || m.Shared < 0:
		return k, note.Errorf("bad-triton", pos, "compile the kernel again",
			"name %q, num_warps %d, threads_per_warp %d, and shared %d: expected a name, 1 to 1,024 warps of 1 to 64 "+
				"threads, and 0 bytes or more", m.Name, m.Warps, m.Threads, m.Shared)
	}
	return Kernel{Name: m.Name, SIMD: int(m.Threads), Local: unit.Size(m.Warps * m.Threads),
		SLM: unit.Some(unit.Bytes(m.Shared))}, nil
}

// addTriton adds the values from Triton's JSON next to a binary, if it exists.
// The SLM that the JSON requests is added to the source's SLM.
func addTriton(path string, images []Image) {
	file, err := os.Open(strings.TrimSuffix(path, filepath.Ext(path)) + ".json")
	if err != nil {
		return
	}
	defer file.Close()
	head := headOf(file.Name())
	if !Triton.Sniff(head) {
		return
	}
	t, err := readTriton(file.Name(), file)
	if err != nil {
		images[0].Notes = append(images[0].Notes, note.Warningf("bad-triton", note.Pos{}, "", "%v", err))
		return
	}
	for i := range images {
		for n := range images[i].Kernels {
			k := &images[i].Kernels[n]
			if k.Name != t.Name {
				continue
			}
			if k.Local.Present() && k.Local != t.Local {
				images[i].Notes = append(images[i].Notes, note.Warningf("triton-differs", note.InFile(file.Name()),
					"", "kernel %q has work-groups of %s here, and of %s in its binary: the JSON is not used", k.Name, t.Local, k.Local))
				continue
			}
			k.Local, k.SLM, k.SLMIsLowerBound = t.Local, unit.Some(k.SLM.Or(0)+t.SLM.Or(0)), false
		}
	}
}
