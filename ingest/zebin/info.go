package zebin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// knownMajor is the supported major version of .ze_info. Minor versions only
// add fields.
const knownMajor = "1"

// zeInfo contains the values in .ze_info that determine occupancy. Everything
// else is skipped.
type zeInfo struct {
	Version string     `yaml:"version"`
	Kernels []zeKernel `yaml:"kernels"`
}

type zeKernel struct {
	Name string `yaml:"name"`
	Env  struct {
		Registers int     `yaml:"grf_count"`
		SIMD      int     `yaml:"simd_size"`
		SLM       int64   `yaml:"slm_size"`
		Barriers  int     `yaml:"barrier_count"`
		Spill     *int64  `yaml:"spill_size"`
		Private   *int64  `yaml:"private_size"`
		Local     []int64 `yaml:"required_work_group_size"`
		Stack     bool    `yaml:"has_stack_calls"`
	} `yaml:"execution_env"`
	Buffers []struct {
		Usage string `yaml:"usage"`
		Size  int64  `yaml:"size"`
		// PerItem reports whether Size is per work-item instead of per thread.
		PerItem bool `yaml:"is_simt_thread"`
	} `yaml:"per_thread_memory_buffers"`
	Arguments []struct {
		Mode string `yaml:"addrmode"`
	} `yaml:"payload_arguments"`
}

// parseInfo parses the text of a .ze_info section into img.
func parseInfo(text []byte, img *Image) error {
	var info zeInfo
	if err := yaml.Unmarshal(text, &info); err != nil {
		line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), "\n")
		return note.Errorf("bad-ze-info", img.Pos, "compile the kernel again, or report the file",
			".ze_info is not the YAML that was expected: %s", line)
	}
	if info.Version == "" {
		return note.Errorf("bad-ze-info", img.Pos, "compile the kernel again", ".ze_info does not contain its version")
	}
	if major, _, _ := strings.Cut(info.Version, "."); major != knownMajor {
		return note.Errorf("newer-ze-info", img.Pos, "use a newer occudiff",
			".ze_info has version %s; expected version %s.x", info.Version, knownMajor)
	}
	for i := range info.Kernels {
		z := &info.Kernels[i]
		if strings.HasPrefix(z.Name, "Intel_Symbol_Table_Void_Program") {
			continue // a placeholder for a module with functions but no kernel
		}
		k, err := z.kernel()
		if err != nil {
			img.Notes = append(img.Notes, note.Newf(note.Error, "bad-kernel", img.Pos, "", "kernel %q is left out: %v",
				z.Name, err))
			continue
		}
		img.Kernels = append(img.Kernels, k)
	}
	return nil
}

func (z *zeKernel) kernel() (Kernel, error) {
	e := &z.Env
	k := Kernel{Name: z.Name, SIMD: e.SIMD, Registers: e.Registers, SLM: unit.Some(unit.Bytes(e.SLM)),
		Barriers: unit.Some(e.Barriers), StackCalls: e.Stack}
	switch {
	case e.SIMD != 1 && e.SIMD != 8 && e.SIMD != 16 && e.SIMD != 32:
		return k, fmt.Errorf("simd_size %d; expected 1, 8, 16 or 32", e.SIMD)
	case e.Registers <= 0 || e.Registers > 512:
		return k, fmt.Errorf("grf_count %d; expected 1 to 512", e.Registers)
	case e.SLM < 0 || e.Barriers < 0:
		return k, errors.New("a size or count is negative")
	}
	var err error
	if k.Local, err = fixedSize(e.Local); err != nil {
		return k, err
	}
	// A local-memory argument's size is set at launch, by clSetKernelArg.
	for _, a := range z.Arguments {
		k.SLMIsLowerBound = k.SLMIsLowerBound || a.Mode == "slm"
	}
	return k, z.memory(&k)
}

// fixedSize returns the work-group size that the source fixes. It omits
// trailing dimensions of 1, like profilers do.
func fixedSize(dims []int64) (unit.Size3, error) {
	switch {
	case slices.Equal(dims, []int64{0, 0, 0}): // not fixed
		return unit.Size3{}, nil
	case len(dims) > 3:
		return unit.Size3{}, fmt.Errorf("required_work_group_size has %d numbers; expected 3", len(dims))
	}
	for _, n := range dims {
		if n < 1 || n > 1<<20 {
			return unit.Size3{}, fmt.Errorf("required_work_group_size has %d; expected 1 or more", n)
		}
	}
	return unit.Size(dims...).Trim(), nil
}

// memory sets the memory per thread. Starting with version 1.39, it is in
// spill_size and private_size. Before that, scratch buffers contain spills and
// private memory together or in separate buffers.
func (z *zeKernel) memory(k *Kernel) error {
	if z.Env.Spill != nil || z.Env.Private != nil {
		spill, private := *cmp.Or(z.Env.Spill, new(int64)), *cmp.Or(z.Env.Private, new(int64))
		if spill < 0 || private < 0 || spill > 1<<40 || private > 1<<40 {
			return errors.New("a size of memory is out of bounds")
		}
		k.Spill, k.Private = unit.Some(unit.Bytes(spill)), unit.Some(unit.Bytes(private))
		k.Scratch = unit.Some(unit.Bytes(spill + private))
		return nil
	}
	var scratch, spill, private int64
	mixed := false
	for _, b := range z.Buffers {
		size := b.Size
		if size < 0 || size > 1<<40 {
			return fmt.Errorf("a memory buffer of %d bytes", size)
		}
		if b.PerItem {
			size *= int64(k.SIMD)
		}
		scratch += size
		switch b.Usage {
		case "single_space":
			mixed = true
		case "spill_fill_space":
			spill += size
		case "private_space":
			private += size
		}
	}
	k.Scratch = unit.Some(unit.Bytes(scratch))
	if !mixed {
		k.Spill, k.Private = unit.Some(unit.Bytes(spill)), unit.Some(unit.Bytes(private))
	}
	return nil
}
