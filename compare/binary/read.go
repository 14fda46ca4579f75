package binary

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"occudiff/ingest/note"
	"occudiff/ingest/zebin"
	"occudiff/predict/arch"
)

// Read reads binaries, compiles sources, and predicts what is in them.
func Read(ctx context.Context, paths []string, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	var kernels []Kernel
	var notes []note.Note
	for _, path := range paths {
		if zebin.IsSource(path) {
			got, said, err := compileFor(ctx, path, t, opt)
			if err != nil {
				return nil, nil, err
			}
			kernels, notes = append(kernels, got...), append(notes, said...)
			continue
		}
		images, err := zebin.ReadPath(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		got, said, err := predictImages(images, t, opt)
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, got...), append(notes, said...)
	}
	return kernels, notes, nil
}

// compileFor compiles a source for the devices that were asked for, or for all that the installed compiler knows, and
// predicts the kernels of each.
func compileFor(ctx context.Context, source string, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	compiler, err := zebin.FindCompiler()
	if err != nil {
		return nil, nil, err
	}
	targets := arch.CompilerTargets(t, opt.Devices)
	if len(targets) == 0 {
		return nil, nil, note.Faultf("usage", note.Pos{}, "",
			"ocloc has no name for %s; compile for it yourself and give the binary", opt.Devices[0].Key)
	}
	dir, err := os.MkdirTemp("", "occudiff-ocloc-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	// A place for each, so that the order is that of the targets and not that in which compilations end.
	results := make([]compiled, len(targets))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2) // a compilation takes a core and a few hundred MB
	for i, target := range targets {
		group.Go(func() error {
			var err error
			results[i], err = compileOne(ctx, compiler, source, target, opt.Compiler, filepath.Join(dir, target.Name))
			if errors.Is(err, zebin.ErrUnknownDevice) {
				results[i].unknown = err // an older compiler knows fewer; the others are an answer
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	var kernels []Kernel
	var notes []note.Note
	var unknown error
	warned := false
	for i, r := range results {
		if r.unknown != nil && len(opt.Devices) > 0 {
			unknown = r.unknown
			notes = append(notes, note.Note{Severity: note.Warning, Code: "not-compiled", Pos: note.Pos{File: source},
				Text: "not compiled for " + targets[i].Name + ", which this ocloc does not know"})
		}
		if len(r.images) == 0 {
			continue
		}
		// The compiler says the same for each device.
		if r.warnings != "" && !warned {
			warned = true
			notes = append(notes, note.Note{Severity: note.Warning, Code: "compiler", Pos: note.Pos{File: source},
				Text: "the compiler says for " + targets[i].Name + ": " + r.warnings})
		}
		got, said, err := predictImages(r.images, t, Options{Devices: targets[i].Devices, Global: opt.Global,
			Local: opt.Local})
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, got...), append(notes, said...)
	}
	if len(kernels) == 0 && unknown != nil {
		return nil, nil, unknown
	}
	if len(kernels) == 0 {
		return nil, nil, note.Faultf("no-kernels", note.Pos{File: source}, "",
			"ocloc compiled no kernel of it for any device")
	}
	return kernels, notes, nil
}

// compiled is what the compiler made of a source for one device.
type compiled struct {
	images   []zebin.Image
	warnings string
	unknown  error // the compiler does not know the device
}

func compileOne(ctx context.Context, compiler, source string, target arch.CompilerTarget, options,
	dir string) (c compiled, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return c, err
	}
	path, warnings, err := zebin.Compile(ctx, compiler, source, target.Name, options, dir)
	if err != nil {
		return c, err
	}
	c.warnings = warnings
	if c.images, err = zebin.ReadPath(ctx, path); err != nil {
		return c, err
	}
	for i := range c.images {
		c.images[i].Pos.File = source
	}
	return c, nil
}

// IsPath says whether a path is a kernel binary, a source for the compiler, or a folder that holds binaries and no
// profiler output: then diff compares compilations instead of runs.
func IsPath(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		if exports, _ := filepath.Glob(filepath.Join(path, "*.[ch][st][vm]*")); len(exports) > 0 {
			return false // .csv and .html: profiler output that happens to have binaries beside it
		}
		images, err := zebin.ReadPath(context.Background(), path)
		return err == nil && len(images) > 0
	}
	return zebin.IsSource(path) || zebin.IsFile(path)
}
