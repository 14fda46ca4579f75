package vtuneresult

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

func readFolder(list fs.FS, opt ingest.ReadOptions) (*ingest.File, error) {
	return Format.ReadFolder(context.Background(), list, "r", opt)
}

func archive(path string, data []byte) (*ingest.File, error) {
	r := bytes.NewReader(data)
	src := &ingest.Source{Path: path, Size: int64(len(data)), At: r, R: bufio.NewReaderSize(r, 1<<16)}
	return Format.Read(context.Background(), src, ingest.ReadOptions{})
}

// zipped and tarred pack files in the usual way, with a top-level folder.
func zipped(t *testing.T, list fstest.MapFS) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(list[name].Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, headers []tar.Header, list fstest.MapFS) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		headers = append(headers, tar.Header{Name: name, Mode: 0o600, Size: int64(len(list[name].Data))})
	}
	for i := range headers {
		if err := w.WriteHeader(&headers[i]); err != nil {
			t.Fatal(err)
		}
		if f := list[headers[i].Name]; f != nil {
			if _, err := w.Write(f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func kernels(f *ingest.File) map[string]ingest.Kernel {
	all := map[string]ingest.Kernel{}
	for i := range len(f.Kernels) {
		k := f.Kernels[i]
		all[k.Task] = k
	}
	return all
}

func near(t *testing.T, what string, got unit.Opt[unit.Ratio], want, within float64) {
	t.Helper()
	v, ok := got.Value()
	if !ok || math.Abs(v.Percent()-want) > within {
		t.Errorf("%s is %.3f (%v), want %.3f", what, v.Percent(), ok, want)
	}
}

// TestSynthetic reads a run with known truth: counters and clocks that wrap,
// copies, two queues, and kernels that are too short to measure.
func TestSynthetic(t *testing.T) {
	s := mixed()
	folder, err := fs.Sub(s.files("x"), "x")
	if err != nil {
		t.Fatal(err)
	}
	f, err := readFolder(folder, ingest.ReadOptions{Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	all := kernels(f)
	long, short := all["long"], all["short"]
	// 80%, plus 10% of "next to" in 40% of every fifth launch. The first and
	// last of a launch's 61 samples include time outside it.
	near(t, "printed", long.Printed, 80.8, 0.8)
	if long.Measured.Present() { // it is estimated later, from the recording
		t.Errorf("measured %v", long.Measured)
	}
	// Half of the bytes in the 40% belong to "next to", by their times. A
	// 64-byte line is moved for a number of active clocks. The peak bandwidths
	// are at 1 GHz for a set that moves 64 and 128 bytes per clock.
	c, clock := long.Counters, 0.75*0.772*synEUs*synClocks*float64(s.hertz)
	for name, x := range map[string][2]float64{"memory read": {c.MemoryRead.Or(0), clock / 1024 * 64 / 1e9},
		"memory write": {c.MemoryWrite.Or(0), clock / 4096 * 64 / 1e9}, "L3": {c.L3Read.Or(0), clock / 128 * 64 / 1e9},
		"peak bandwidth": {c.MemoryReadPeak.Or(0), 64}, "peak bandwidth of writes": {c.MemoryWritePeak.Or(0), 64},
		"peak bandwidth of L3": {c.L3Peak.Or(0), 128}} {
		if math.Abs(x[0]/x[1]-1) > 0.02 {
			t.Errorf("%s is %.4g GB/s, want %.4g", name, x[0], x[1])
		}
	}
	if short.Counters != nil {
		t.Errorf("a kernel without counters has bandwidths: %+v", short.Counters)
	}
	if n, total := long.Instances.Or(0), float64(long.Total.Or(0)); n != 5 || math.Abs(total-5e6/19.2e6) > 1e-12 {
		t.Errorf("%d launches take %v s", n, total)
	}
	if long.Global != unit.Size(6400) || long.Local != unit.Size(64) || long.SIMD.Or(0) != 16 || short.SLM.Or(0) != 2048 {
		t.Errorf("shapes %v %v %v, SLM %v", long.Global, long.Local, long.SIMD, short.SLM)
	}
	// A thread is counted when it starts. One launch's threads are in the
	// sample before its first sample, so they are not counted.
	if n := long.Threads.Or(0); n < 1600 || n > 2048 {
		t.Errorf("%d threads", n)
	}
	if short.Printed.Present() || all["next to"].Printed.Or(0) < all["long"].Printed.Or(1) || !all[copyTask].Total.Present() {
		t.Errorf("short %+v, next to %+v", short.Printed, all["next to"].Printed)
	}
	if r := f.Recording; len(r.List) != 999 || r.Trace.Len() != 16 || r.Unassigned ||
		math.Abs(float64(r.List[500].Active/r.List[500].Measured)-0.75) > 1e-3 {
		t.Errorf("the recording has %d samples", len(r.List))
	}
	if f.Trace.Len() != 16 || len(f.Trace.Lanes) != 2 || f.Rows != 999 || len(f.Samples[0].List) != 999 {
		t.Errorf("%d launches in %d lanes, %d samples", f.Trace.Len(), len(f.Trace.Lanes), f.Rows)
	}
	p := f.Platform
	if p.Device != "Some GPU [0x9a60]" || p.XVEs.Or(0) != 32 || p.ThreadsPerXVE.Or(0) != 7 || p.Command != "/bin/app -n 3" ||
		p.Host != "node7" || p.VTune != "2023.0.0" || math.Abs(float64(p.SamplingInterval.Or(0))-16384/19.2e6) > 1e-12 {
		t.Errorf("platform %+v", p)
	}
	if f.Digest == "" {
		t.Error("no digest")
	}
}

// TestOptions checks the values that are read from the configuration. If an
// option occurs twice, the last one is used. Without an option, the collector's
// value is used.
func TestOptions(t *testing.T) {
	const context = `<bag xmlns:int="i"><contextValue id="x" int:value="5"/>` +
		`<contextValue id="gpuSamplingInterval" int:value="9"/></bag>`
	for name, c := range map[string]struct{ context, options, command, asked string }{
		"from the options":           {context, "--gpu-sampling-interval=1\n--\napp\n", "app", ""},
		"the last":                   {"", "--gpu-sampling-interval=1\n--gpu-sampling-interval=0:0:2.0|7\n--\napp", "app", "7 ms"},
		"from the collector":         {context, "-r\nx\n--\napp\n", "app", "9 ms"},
		"an argument of the program": {"", "--\napp\n--gpu-sampling-interval=7\n", "app --gpu-sampling-interval=7", ""},
		"within a line":              {"", "-v=--gpu-sampling-interval=7\n--\napp\n", "app", ""},
		"a context that is not XML":  {"x", "--\napp\n", "app", ""},
		"a context without a number": {strings.ReplaceAll(context, "9", "-"), "--\napp\n", "app", ""},
	} {
		list := mixed().files("x")
		list["x/r.vtune"].Data = []byte(strings.Replace(vtuneFile, "2023.0.0", "2023.0.0 ", 1))
		list["x/config/runsa.options"].Data = []byte(c.options)
		if c.context != "" {
			list["x/config/context_values.cfg"] = &fstest.MapFile{Data: []byte(c.context), Mode: 0o600}
		}
		f, err := archive("r.tar", tarred(t, nil, list))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, asked, _ := strings.Cut(fmt.Sprint(f.Notes), " apart, but ")
		asked, _, _ = strings.Cut(asked, " was requested")
		if f.Platform.Command != c.command || f.Platform.VTune != "2023.0.0" || asked != c.asked {
			t.Errorf("%s: VTune %q ran %q, asked for %q", name, f.Platform.VTune, f.Platform.Command, asked)
		}
	}
}

// TestContainers checks that a folder, a zip, a tar, and records outside frames
// return the same result. Single launches must add up to the kernel rows.
func TestContainers(t *testing.T) {
	s := mixed()
	list := s.files("run/r000gh")
	folder, err := fs.Sub(list, "run/r000gh")
	if err != nil {
		t.Fatal(err)
	}
	want, err := readFolder(folder, ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, got *ingest.File, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(kernels(want), kernels(got), cmpopts.IgnoreTypes(note.Pos{}),
			cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	f, err := archive("run.zip", zipped(t, list))
	same("zip", f, err)
	f, err = archive("run.tar", tarred(t, []tar.Header{{Name: "./"}, {Name: "run/", Typeflag: tar.TypeDir}}, list))
	same("tar", f, err)
	s.noFrames = true
	f, err = archive("plain.zip", zipped(t, s.files("r")))
	same("records outside of frames", f, err)
	f, err = readFolder(folder, ingest.ReadOptions{Instances: true})
	same("with its launches", f, err)
	if f.Launches.Len() != 16 {
		t.Errorf("%d launches", f.Launches.Len())
	}
}

// TestRejected checks that an undeterminable input returns a one-line error
// with the file, and is never printed as 0.
func TestRejected(t *testing.T) {
	const cfg, vtss = "x/data.0/gen_metrics0_0_2_0_0.0.cfg", "x/data.0/gen_metrics0_0_2_0_0.0.vtss"
	small := func() *synthetic {
		s := mixed()
		s.launches, s.reports = s.launches[:1], 100
		return s
	}
	change := func(name string, do func([]byte) []byte) func(fstest.MapFS) {
		return func(l fstest.MapFS) { l[name].Data = do(bytes.Clone(l[name].Data)) }
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	words := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(new)) }
	}
	var plain []byte // with one report outside frames
	{
		s := small()
		s.noFrames = true
		plain = s.samples()
	}
	at := bytes.Index(plain, join(u32b(idReport), []byte{1}))
	damage := func(where int, with ...byte) func(fstest.MapFS) {
		return change(vtss, func([]byte) []byte {
			b := bytes.Clone(plain)
			copy(b[where:], with)
			return b
		})
	}
	for _, c := range []struct {
		name, want string
		do         func(fstest.MapFS)
	}{
		{"no counters", "no GPU counters in this result, which was collected with gpu-hotspots",
			func(l fstest.MapFS) { delete(l, vtss) }},
		{"all launches at another time", "none of the 1 launches ran between the first and the last sample", func(l fstest.MapFS) {
			s := small()
			s.launches[0].start, s.launches[0].end = s.first+1<<26, s.first+1<<26+1000
			l["x/data.0/1-2.0.trace"].Data, l["x/data.0/1-2.0-2.0.th.aux"].Data = s.trace()
		}},
		{"a truncated trace", "1-2.0.trace): record at byte 8: the file is cut short", change("x/data.0/1-2.0.trace",
			func(b []byte) []byte { return b[:len(b)-40] })},
		{"truncated times of the GPU", "1-2.0-2.0.th.aux): record at byte 8: the file is cut short",
			change("x/data.0/1-2.0-2.0.th.aux", func(b []byte) []byte { return b[:len(b)-1] })},
		{"an end before its start", "1-2.0-2.0.th.aux): record at byte 8: launch 1 ends 1000000 ticks before it starts", func(l fstest.MapFS) {
			s := small()
			s.launches[0].start, s.launches[0].end = s.launches[0].end, s.launches[0].start
			_, l["x/data.0/1-2.0-2.0.th.aux"].Data = s.trace()
		}},
		{"reports of Xe2", "it has 576 bytes, as on Xe2 and newer GPUs (device 0x9a60, VTune 2023.0.0)", damage(at+5, 0x40, 2)},
		{"an occupancy with an unknown token", "the element RD_FLOAT is not known", change(cfg,
			words(`u:EQUATION_ELEM_RD_40BIT_CNTR_ByteOffset="16"`, `u:EQUATION_ELEM_RD_FLOAT="16"`))},
		{"a read past the report", "it reads at byte \"999\"", change(cfg, words(`ByteOffset="16"`, `ByteOffset="999"`))},
		{"not XML", "is not XML as VTune writes it", change(cfg, cut(700))},
		{"another clock", "use a clock of 19200000 Hz, but", change(cfg, words(`"19200000"`, `"12000000"`))},
		{"no magic", "this is not a VTune trace file", change(vtss, cut(7))},
		{"empty", "this is not a VTune trace file", change(vtss, cut(0))},
		{"cut in a frame", "the file is cut short", change(vtss, cut(1000))},
		{"cut in a record", "the file is cut short", change(vtss, func([]byte) []byte { return plain[:len(plain)-9] })},
		{"not zstd", "the frame is not zstd, or damaged", change(vtss, func(b []byte) []byte {
			b[20] ^= 0xff
			return b
		})},
		{"a frame of a terabyte", "the frame claims 4294967295 bytes", change(vtss, func(b []byte) []byte {
			return append(b[:12], append([]byte{255, 255, 255, 255}, b[16:]...)...)
		})},
		{"unknown flags", "flags 0x42000000 are not known", damage(8, 0, 0, 0, 0x42)},
		{"another leaf flag", "flags 0x04000000 are not known", damage(8, 0, 0, 0, 4)},
		{"another report length", "it has 512 bytes (device 0x9a60, VTune 2023.0.0); expected 256 bytes", damage(at+5, 0, 2)},
		{"another time", "its time, tick", damage(at+9+reportTime, 1, 2, 3)},
		{"more than all", "which is impossible", damage(at+9+16, 0, 0, 0, 0x80)},
		{"a query", "these are not streamed samples", damage(at, 0x35, 2)},
		{"one report", "the file contains 1 reports", change(vtss, func([]byte) []byte { s := small(); s.reports = 1; return s.samples() })},
		{"no result", "none of its files ends with .vtune", func(l fstest.MapFS) { delete(l, "x/r.vtune") }},
		{"two results", "the archive contains 2 results", func(l fstest.MapFS) { l["y/r.vtune"] = l["x/r.vtune"] }},
	} {
		list := small().files("x")
		c.do(list)
		_, err := archive("run.zip", zipped(t, list))
		var f *note.InputError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(f.Pos.File, "run.zip") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestHostileArchives checks that an archive with links or with paths outside
// its folder is rejected completely.
func TestHostileArchives(t *testing.T) {
	list := mixed().files("x")
	for want, h := range map[string]tar.Header{
		`the entry "../x" is not a path`:     {Name: "../x"},
		`the entry "/etc/x" is not a path`:   {Name: "/etc/x"},
		`the entry "x/l" is a link`:          {Name: "x/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
		`the entry "x/d" is a link`:          {Name: "x/d", Typeflag: tar.TypeChar},
		`the entry "x\\..\\y" is not a path`: {Name: `x\..\y`},
	} {
		if _, err := archive("a.tar", tarred(t, []tar.Header{h}, list)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "x/data.0/a.vtss", UncompressedSize64: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	z.Close()
	if _, err := archive("bomb.zip", b.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 8 GiB") {
		t.Error(err)
	}
	b.Truncate(b.Len() / 2)
	if _, err := archive("cut.zip", b.Bytes()); err == nil || !strings.Contains(err.Error(), "the archive cannot be read") {
		t.Error(err)
	}
}

// TestLaunchesRejected checks that a run has busy periods without names if its
// launches cannot be determined.
func TestLaunchesRejected(t *testing.T) {
	const aux, trace = "x/data.0/1-2.0-2.0.th.aux", "x/data.0/1-2.0.trace"
	for _, c := range []struct {
		name, want string
		do         func(fstest.MapFS)
	}{
		{"no times", "there are 16 launches, but 0 time stamps of the GPU", func(l fstest.MapFS) { delete(l, aux) }},
		{"no trace", "no trace of a Level Zero program", func(l fstest.MapFS) { delete(l, trace) }},
		{"a launch is missing", "launch records are missing: launch 0 is followed by launch 2", func(l fstest.MapFS) {
			s := mixed()
			s.noFrames = true
			b, _ := s.trace()
			l[trace].Data = bytes.Replace(b, u64b(1), u64b(2), -1)
		}},
	} {
		list := mixed().files("x")
		c.do(list)
		f, err := archive("r.zip", zipped(t, list))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := fmt.Sprint(f.Notes)
		if len(f.Kernels) > 0 || f.Trace != nil || !strings.Contains(text, c.want) ||
			!strings.Contains(text, "5 busy periods") && !strings.Contains(text, "10 busy periods") {
			t.Errorf("%s: %d kernels, %s", c.name, len(f.Kernels), text)
		}
		near(t, c.name, f.Platform.Occupancy, 80, 4)
	}
}

// TestLaunchesOutside checks that launches before the first or after the last
// sample are reported and left out.
func TestLaunchesOutside(t *testing.T) {
	s := mixed()
	last := len(s.launches) - 1
	s.launches[last].start, s.launches[last].end = s.first+1<<26, s.first+1<<26+1000
	f, err := archive("r.zip", zipped(t, s.files("x")))
	if err != nil {
		t.Fatal(err)
	}
	short := kernels(f)["short"]
	if f.Trace.Len() != 15 || short.Instances.Or(0) != 4 || !strings.Contains(fmt.Sprint(f.Notes), "1 launch ran before the first sample") {
		t.Errorf("%d launches, %v of short; %v", f.Trace.Len(), short.Instances, f.Notes)
	}
}

// TestNoOccupancy reads a metric set without occupancy, such as Gen9's
// overview. The result has launches, names, and sizes, but nothing measured.
func TestNoOccupancy(t *testing.T) {
	s := mixed()
	s.set = "Bare"
	f, err := archive("r.zip", zipped(t, s.files("x")))
	if err != nil {
		t.Fatal(err)
	}
	long := kernels(f)["long"]
	if f.Trace.Len() != 16 || long.Instances.Or(0) != 5 || long.Global != unit.Size(6400) || long.Measured.Present() || long.Printed.Present() ||
		f.Recording != nil || !strings.Contains(fmt.Sprint(f.Notes), `the metric set "Bare" has no thread occupancy`) {
		t.Errorf("%+v, %v", long, f.Notes)
	}
}

// TestAdapters reads two adapters. If one is idle, its counters are left out
// with a note. If threads ran on both, it is unknown where each launch ran.
func TestAdapters(t *testing.T) {
	list := mixed().files("x")
	idle := mixed()
	idle.launches = nil
	const second = "x/data.0/gen_metrics0_0_3_0_0.0."
	list[second+"cfg"], list[second+"vtss"] = &fstest.MapFile{Data: idle.cfg()}, &fstest.MapFile{Data: idle.samples()}
	f, err := archive("r.zip", zipped(t, list))
	if err != nil || kernels(f)["long"].Instances.Or(0) != 5 || !strings.Contains(fmt.Sprint(f.Notes), "1 other adapter") {
		t.Errorf("%v, %v", err, f)
	}
	list[second+"vtss"].Data = mixed().samples()
	if _, err := archive("r.zip", zipped(t, list)); err == nil || !strings.Contains(err.Error(), "on more than one adapter") {
		t.Error(err)
	}
}

// TestOperations checks each operation in the equations, including edge cases.
func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b, want float64
	}{
		{"RSHIFT", 9, 1, 4}, {"LSHIFT", 9, 1, 18}, {"AND", 6, 3, 2}, {"OR", 6, 3, 7}, {"XOR", 6, 3, 5},
		{"AND_L", 6, 0, 0}, {"EQUALS", 2, 2, 1}, {"UADD", 2, 3, 5}, {"USUB", 5, 3, 2}, {"UMUL", 5, 3, 15},
		{"UDIV", 7, 2, 3}, {"UDIV", 7, 0, 0}, {"FDIV", 7, 2, 3.5}, {"FDIV", 7, 0, 0}, {"FADD", 1, 2, 3}, {"FSUB", 1, 2, -1},
		{"FMUL", 2, 3, 6}, {"UMIN", 2, 3, 2}, {"UMAX", 2, 3, 3}, {"FMIN", 2, 3, 2}, {"FMAX", 2, 3, 3}, {"UGT", 3, 2, 1},
		{"ULT", 3, 2, 0}, {"UGTE", 2, 2, 1}, {"ULTE", 3, 2, 0}, {"FGT", 3, 2, 1}, {"FLT", 3, 2, 0}, {"FGTE", 2, 2, 1},
		{"FLTE", 3, 2, 0},
	} {
		if got := operations[c.name](wholeNumber(uint64(c.a)), wholeNumber(uint64(c.b))).f(); got != c.want {
			t.Errorf("%v %v %s is %v, want %v", c.a, c.b, c.name, got, c.want)
		}
	}
	if v := operations["XNOR"](wholeNumber(0), wholeNumber(0)).u(); v != math.MaxUint64 {
		t.Errorf("XNOR is %d", v)
	}
	if v := operations["USUB"](wholeNumber(1), wholeNumber(2)).u(); v != math.MaxUint64 { // wraps
		t.Errorf("USUB is %d", v)
	}
}

// TestCorpus reads published results with a CC0 license. The expected values
// come from another decoder, and VTune's own times agree with them.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		name, set string
		samples   int64
		ticks     float64
	}{{"r008gh", "RenderBasic", 1852, 82}, {"r005go", "ComputeBasic", 4530, 78}} {
		dir := testenv.Shared(t, "corpus", "vtune-result", c.name)
		f, err := readFolder(os.DirFS(dir), ingest.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k := f.Kernels[0]
		interval := float64(f.Platform.SamplingInterval.Or(0))
		if f.Rows != c.samples || len(f.Kernels) != 1 || k.Measured.Present() ||
			math.Abs(float64(k.Total.Or(0))*19.2e6-c.ticks) > 1e-6 || math.Abs(interval*1e3-0.853333) > 1e-5 {
			t.Errorf("%s: %d samples, kernel %+v", c.name, f.Rows, k)
		}
		if k.Task != "main::{lambda(sycl::_V1::id<1>)#1}" || k.Global != unit.Size(50) || k.SIMD.Or(0) != 32 ||
			f.Platform.Device != "Intel(R) UHD Graphics [0x9a60]" || f.Recording.Trace.Len() != 1 {
			t.Errorf("%s: %q %v on %q; %v", c.name, k.Task, k.Global, f.Platform.Device, f.Notes)
		}
		set, err := readMetrics(FS{FS: os.DirFS(dir)}, "data.0/gen_metrics0_0_2_0_0.0.cfg")
		if err != nil || set.Params.Name != c.set {
			t.Fatalf("%s: set %q, %v", c.name, set.Params.Name, err)
		}
		for _, m := range set.Counters {
			if m.unsupported != nil {
				t.Errorf("%s: %s %v", c.name, m.Name, m.unsupported)
			}
		}
	}
}

// TestPublicResult reads the largest public result, r000gh of
// fernandoz123/HPC-con-GPU- at 8da671d. The expected values are in VTune's own
// screens. The result has no license, so it must be in the folder
// OCCUDIFF_RESULT_FOLDER.
func TestPublicResult(t *testing.T) {
	dir := os.Getenv("OCCUDIFF_RESULT_FOLDER")
	if dir == "" {
		t.Skip("OCCUDIFF_RESULT_FOLDER does not name r000gh")
	}
	f, err := readFolder(os.DirFS(dir), ingest.ReadOptions{Instances: true})
	if err != nil {
		t.Fatal(err)
	}
	fourth := f.Launches.At(3)
	if f.Launches.Len() != 61 || f.Rows != 15916 || math.Abs(float64(fourth.Time.Or(0))-0.506684791667) > 1e-9 {
		t.Errorf("%d launches, %d samples, the fourth %v", f.Launches.Len(), f.Rows, fourth.Time)
	}
	near(t, "the fourth launch", fourth.Measured, 95.566, 0.05)
	if f, err = readFolder(os.DirFS(dir), ingest.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		total, launches float64
		simd            int
		slm             unit.Bytes
		global          int64
	}{{10.138146875, 20, 32, 0, 80000}, {0.004398541667, 20, 16, 2048, 80000}, {0.000097083333, 20, 32, 0, 1},
		{0.0000788541667, 1, 0, 0, 1}}
	for i, w := range want {
		k := f.Kernels[i]
		if math.Abs(float64(k.Total.Or(0))-w.total) > 1e-12 || float64(k.Instances.Or(0)) != w.launches ||
			k.SIMD.Or(0) != w.simd || k.SLM.Or(0) != w.slm || k.Global.Dim(0) != w.global {
			t.Errorf("%d: %+v, want %+v", i, k, w)
		}
	}
	k := f.Kernels[0]
	near(t, "occupancy", k.Printed, 95.594, 0.0005)
	if k.Threads.Or(0) != 25000 {
		t.Errorf("%v threads", k.Threads)
	}
	// Weighted by the launch time in samples. VTune's screen rounds the peak
	// bandwidths of the run down to whole GB/s: 92, 92, and 185.
	c := k.Counters
	for name, x := range map[string][2]float64{"memory read": {c.MemoryRead.Or(0), 0.462283},
		"memory write": {c.MemoryWrite.Or(0), 0.006627}, "L3": {c.L3Read.Or(0), 53.677},
		"peak bandwidth of memory reads": {c.MemoryReadPeak.Or(0), 92.8}, "peak bandwidth of memory writes": {c.MemoryWritePeak.Or(0), 92.8},
		"of L3": {c.L3Peak.Or(0), 185.6}} {
		if math.Abs(x[0]/x[1]-1) > 1e-3 {
			t.Errorf("%s is %.6g GB/s, want %.6g", name, x[0], x[1])
		}
	}
}

func FuzzRecords(f *testing.F) {
	s := mixed()
	s.launches, s.reports = s.launches[:2], 5
	trace, _ := s.trace()
	f.Add(s.samples())
	f.Add(trace)
	f.Fuzz(func(t *testing.T, data []byte) {
		list := fstest.MapFS{"x": &fstest.MapFile{Data: data}}
		a := &adapter{reader: &reader{ctx: context.Background(), fs: FS{FS: list}}, clock: clock{hertz: 1}}
		d := decoder{adapter: a, files: []string{"x"}}
		if err := d.read(); err == nil {
			_, _ = d.pair(nil)
		}
	})
}

func FuzzEquations(f *testing.F) {
	f.Add(mixed().cfg())
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := readMetrics(FS{FS: fstest.MapFS{"x": &fstest.MapFile{Data: data}}}, "x")
		if err != nil {
			return
		}
		before, after := make([]byte, reportSize), bytes.Repeat([]byte{7}, reportSize)
		for i := range set.Counters {
			if p := newPlan(set); p.need(i) == nil {
				p.compute(before, after)
			}
		}
		if c, err := newCounters(set, note.Pos{}); err == nil {
			for m := range metrics {
				if v, ok := c.most(m).Value(); ok && !(v > 0) {
					t.Fatalf("a peak bandwidth of %v", v)
				}
			}
		}
	})
}

func FuzzArchive(f *testing.F) {
	s := mixed()
	s.launches, s.reports = s.launches[:2], 5
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, file := range s.files("x") {
		if w, err := z.Create(name); err == nil {
			_, _ = w.Write(file.Data)
		}
	}
	z.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if isZip(data) {
			_, _ = archive("f.zip", data)
		}
	})
}

// TestFinalized reads finalized launches: from timelinedb if the traces have no
// GPU times, and from dicer.db if there are no traces. If they contradict the
// traces, an error is returned.
func TestFinalized(t *testing.T) {
	s := mixed()
	own := func(tick uint64) uint64 { // VTune's own time
		return (16788942731805630-epoch)*1000 + uint64(float64(tick-s.first)/float64(s.hertz)*1e10)
	}
	var rows []byte
	for i, l := range s.launches {
		rows = append(rows, join(u32b(1), u32b(1), u64b(own(l.start)), make([]byte, 48), u64b(own(l.start)), u64b(own(l.end)),
			u32b(1), u32b(0), u32b(0xffff), u32b(uint32(i+1)), u32b(0))...)
	}
	const aux, db = "x/data.0/1-2.0-2.0.th.aux", "x/sqlite-db/timelinedb/"
	timeline := func(version string) fstest.MapFS {
		list := s.files("x")
		list[db+"directory.xml"] = &fstest.MapFile{Data: []byte(`<bag xmlns:int="i" int:version="` + version + `">` +
			`<dbEntry key="GROUP_DEF(type:2 gpu_compute_task_data /a::b/c::d)" value="dbint-1"/></bag>`)}
		list[db+"dbint-1/instance/0/0"] = &fstest.MapFile{Data: bytes.Clone(rows)}
		return list
	}
	list := timeline("9")
	f, err := archive("r.zip", zipped(t, list))
	if err != nil || strings.Contains(fmt.Sprint(f.Notes), "timelinedb") {
		t.Errorf("agreeing: %v, %v", err, f.Notes)
	}
	delete(list, aux)
	if f, err = archive("r.zip", zipped(t, list)); err != nil || len(f.Kernels) != 4 {
		t.Fatalf("without times: %v, %v", err, f)
	}
	near(t, "by timelinedb", kernels(f)["long"].Printed, 80.8, 0.8)
	for name, change := range map[string]func(){
		"another version": func() { list = timeline("11") },
		"an unknown row":  func() { list = timeline("9"); list[db+"dbint-1/instance/0/0"].Data[300+90] = 1 },
		"another count":   func() { list = timeline("9"); list[db+"dbint-1/instance/0/0"].Data = rows[:500] },
	} {
		change()
		delete(list, aux)
		if f, err = archive("r.zip", zipped(t, list)); err != nil || len(f.Kernels) > 0 {
			t.Errorf("%s: %v, %d kernels", name, err, len(f.Kernels))
		}
	}
	list = timeline("9")
	list[db+"dbint-1/instance/0/0"].Data[72+6]++
	if _, err = archive("r.zip", zipped(t, list)); err == nil || !strings.Contains(err.Error(), "timelinedb): record 1: the launch takes ") {
		t.Errorf("differing: %v", err)
	}
	list = timeline("9")
	list[db+"dbint-1/instance/0/0"].Data = rows[:500]
	if _, err = archive("r.zip", zipped(t, list)); err == nil || !strings.Contains(err.Error(), "it has 5 launches, "+
		"but the program's traces have 16") {
		t.Errorf("another number of launches than in complete traces: %v", err)
	}
}

// TestDicer reads a dicer.db in which the launch table is a view, which is
// valid, and one without a required column.
func TestDicer(t *testing.T) {
	s := mixed()
	make1 := func(drop string) []byte {
		path := filepath.Join(t.TempDir(), "d.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		run := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatal(err)
			}
		}
		run("CREATE TABLE band (start_tsc, end_tsc, a)")
		run("CREATE VIEW gpu_compute_task_data AS SELECT start_tsc, end_tsc, a AS " + map[bool]string{true: "b", false: "attr"}[drop == "attr"] +
			" FROM band")
		run("CREATE TABLE dd_compute_task (type, queue)")
		run("CREATE TABLE dd_compute_task_type (name, global_dim_str, local_dim_str, simd_width)")
		run("INSERT INTO dd_compute_task_type VALUES ('long', '6400', '64', 16), ('short', '128', '32', 32)")
		run("INSERT INTO dd_compute_task VALUES (1, 1), (2, 1)")
		for _, l := range s.launches {
			at := func(tick uint64) int64 {
				return (16788942731805630-epoch)*1000 + int64(float64(tick-s.first)/float64(s.hertz)*1e10)
			}
			if n := map[string]int{"long": 1, "short": 2}[l.kernel]; n > 0 {
				run("INSERT INTO band VALUES (?, ?, ?)", at(l.start), at(l.end), n)
			}
		}
		run("INSERT INTO band VALUES (5, 5, 1)") // ends at its start
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	list := s.files("x")
	delete(list, "x/data.0/1-2.0.trace")
	list["x/sqlite-db/dicer.db"] = &fstest.MapFile{Data: make1("")}
	f, err := archive("r.zip", zipped(t, list))
	if err != nil || len(f.Kernels) != 2 {
		t.Fatalf("%v, %v", err, f)
	}
	long := kernels(f)["long"]
	near(t, "by dicer.db", long.Printed, 80.8, 0.8)
	if long.Instances.Or(0) != 5 || long.Global != unit.Size(6400) || long.SIMD.Or(0) != 16 || kernels(f)["short"].Measured.Present() {
		t.Errorf("%+v", long)
	}
	for want, b := range map[string][]byte{"has no gpu_compute_task_data.attr": make1("attr"), "not a database": []byte("no database at all")} {
		list["x/sqlite-db/dicer.db"].Data = b
		if f, err = archive("r.zip", zipped(t, list)); err != nil || len(f.Kernels) > 0 || !strings.Contains(fmt.Sprint(f.Notes), want) {
			t.Errorf("%s: %v, %v", want, err, f)
		}
	}
}
