package zebin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Log reads a build's log. The compiler warns about each kernel that spills:
//
// warning: kernel blur compiled SIMD16 allocated 128 regs and spilled around 4
// warning: in kernel 'blur': compiled SIMD16 allocated 128 regs and spilled
// around 4
//
// The second form is newer (IGC 37124e21e, April 2026). The last number is a
// thread's spill in registers: max(1, ceil(spillMemUsed / getGRFSize())) in
// IGC/Compiler/CISACodeGen/CISABuilder.cpp since 48436fdd6 (July 2022). The log
// does not name the device, whose registers have 32 or 64 bytes. A kernel
// without a spill is not in the log.
var Log = ingest.Format{Kind: "compiler-log", Description: "a compiler log",
	Sniff: sniffLog, Read: readLogFile, Shared: true}

// sniffLog reports whether head has a compiler's messages about SIMD width and
// register allocation.
func sniffLog(head []byte) bool {
	return bytes.Contains(head, []byte("compiled SIMD")) && allocated.Match(head)
}

var (
	allocated = regexp.MustCompile(`compiled SIMD\d+\s+allocated\s+\d+\s+regs`)
	// spilled matches the complete warning. Its text may be wrapped.
	spilled = regexp.MustCompile(`(?:[Ww]arning: +|^)(?:in )?kernel +(.+?) +` +
		`compiled SIMD(\d+) allocated (\d+) regs and spilled around (\d+)`)
	warning = regexp.MustCompile(`(?:[Ww]arning: +|^)(?:in )?kernel `)
)

// mostWrapped is the maximum number of a warning's lines.
const mostWrapped = 3

// readLogFile returns the file's content.
func readLogFile(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	image, bad, err := readLog(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	f := &ingest.File{Input: ingest.Input{Rows: int64(len(image.Kernels)), BadRows: bad}, Notes: image.Notes}
	f.Traits = ingest.Traits{NotARun: "this is a compiler log, which contains no run",
		Hint: "list its kernels with 'occudiff predict', or add the computing-task export of their run"}
	for i := range image.Kernels {
		f.Props = append(f.Props, image.Kernels[i].props(src.Path))
	}
	return f, nil
}

// readLog returns a log's kernels, each with its compilations' different
// results, and how many warnings it cannot use.
func readLog(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (image Image, unusable int64, err error) {
	in, bad := table.NewLines(ctx, src, opt), table.BadRows{}
	image.Pos.File, image.IsLog = src.Path, true
	var open string // a warning that continues in the next line
	var lines int   // its line count
	for in.Next() {
		text := strings.TrimSpace(string(table.Plain(in.Text)))
		if open != "" && text != "" && !warning.MatchString(text) {
			text = open + " " + text
		} else {
			lines = 0
		}
		open = ""
		m := spilled.FindStringSubmatch(text)
		if m == nil {
			if lines++; lines < mostWrapped && warning.MatchString(text) {
				open = text
			}
			continue
		}
		k, err := compiled(m)
		if err != nil {
			bad.Add(in.Pos(1), "", "%v", err)
		} else if !slices.Contains(image.Kernels, k) {
			image.Kernels = append(image.Kernels, k)
		}
	}
	image.Notes = bad.Notes()
	if err := in.Err(); err != nil {
		return image, 0, err
	}
	if len(image.Kernels) == 0 {
		return image, 0, note.Errorf(ingest.CodeUnknown, image.Pos, "give the output of ocloc or of icpx as it is",
			"the log names no kernel; expected lines such as \"warning: kernel blur  compiled SIMD16 allocated 128 "+
				"regs and spilled around 4\"")
	}
	return image, bad.Count, nil
}

// compiled returns a warning's kernel.
func compiled(m []string) (k Kernel, err error) {
	k = Kernel{Name: strings.Trim(strings.TrimSuffix(m[1], ":"), "'"), SLMIsLowerBound: true}
	var n [3]int
	for i, text := range m[2:5] {
		if n[i], err = strconv.Atoi(text); err != nil || n[i] > 1<<20 {
			return k, fmt.Errorf("%s is out of range", table.Quote(text))
		}
	}
	k.SIMD, k.Registers, k.SpilledRegisters = n[0], n[1], unit.Some(n[2])
	switch {
	case k.Name == "?":
		return k, fmt.Errorf("the warning names no kernel")
	case k.SIMD != 8 && k.SIMD != 16 && k.SIMD != 32:
		return k, fmt.Errorf("SIMD%d; expected SIMD8, SIMD16, or SIMD32", k.SIMD)
	case k.Registers < 1 || k.Registers > 512:
		return k, fmt.Errorf("%d regs; expected 1 to 512", k.Registers)
	}
	return k, nil
}

// logOf returns the images in a log file with size bytes.
func logOf(ctx context.Context, name string, r io.ReaderAt, size int64) ([]Image, error) {
	src := &ingest.Source{Path: name, Size: size, R: io.NewSectionReader(r, 0, size)}
	image, _, err := readLog(ctx, src, ingest.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return []Image{image}, nil
}
