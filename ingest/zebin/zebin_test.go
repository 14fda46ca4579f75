package zebin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/zebin"
	"occudiff/internal/testenv"
)

// corpus returns the folder with real binaries next to the project.
func corpus(t testing.TB) string {
	t.Helper()
	return testenv.Shared(t, "corpus", "zebin")
}

// line returns a kernel in the same form as the expectations below.
func line(k *zebin.Kernel) string {
	s := fmt.Sprintf("%s simd%d grf%d slm%d", k.Name, k.SIMD, k.Registers, k.SLM.Or(-1))
	if k.SLMIsLowerBound {
		s += "+"
	}
	s += fmt.Sprintf(" barriers%d scratch%d", k.Barriers.Or(-1), k.Scratch.Or(-1))
	if l := k.Local.String(); l != "" {
		s += " " + l
	}
	return s
}

// TestCorpus compares every kernel with its .ze_info, which was read manually
// and with `ocloc disasm`.
func TestCorpus(t *testing.T) {
	root := corpus(t)
	for _, c := range []struct {
		file, reason string
		want         []string // images: target, then kernels
	}{
		{"kernels.pvc.zebin", "Ponte Vecchio", []string{"product family 1271",
			"vec_add simd32 grf128 slm0 barriers0 scratch0", "gemm_slm simd32 grf128 slm2048 barriers1 scratch0 16x16",
			"dyn simd32 grf128 slm0+ barriers1 scratch0", "spilly simd32 grf128 slm0 barriers0 scratch65536"}},
		{"kernels.pvc256.zebin", "large GRF", []string{"product family 1271",
			"vec_add simd32 grf256 slm0 barriers0 scratch0", "gemm_slm simd32 grf256 slm2048 barriers1 scratch0 16x16",
			"dyn simd32 grf256 slm0+ barriers1 scratch0", "spilly simd32 grf256 slm0 barriers0 scratch65536"}},
		{"kernels.dg2.zebin", "private memory per work-item: 1,536 x 8", []string{"product family 1270",
			"vec_add simd32 grf128 slm0 barriers0 scratch0", "gemm_slm simd16 grf128 slm2048 barriers1 scratch0 16x16",
			"dyn simd32 grf128 slm0+ barriers1 scratch0", "spilly simd8 grf128 slm0 barriers0 scratch12288"}},
		{"kernels.dg1_acm-g10.ar", "an archive: the names of the members contain the devices", []string{"graphics IP 12.10", "", "", "", "",
			"graphics IP 12.55", "", "", "", ""}},
	} {
		images, err := zebin.ReadPath(context.Background(), filepath.Join(root, c.file))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		var got []string
		for i := range images {
			got = append(got, images[i].Target.String())
			for k := range images[i].Kernels {
				got = append(got, line(&images[i].Kernels[k]))
			}
		}
		if len(got) == len(c.want) {
			for i := range got {
				if c.want[i] == "" { // only counted
					c.want[i] = got[i]
				}
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (%s): -want +got\n%s", c.file, c.reason, d)
		}
	}
}

// TestRejected checks the errors for files without kernels.
func TestRejected(t *testing.T) {
	root := corpus(t)
	whole, err := os.ReadFile(filepath.Join(root, "kernels.pvc.zebin"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(filepath.Join(root, "kernels.dg1_acm-g10.ar"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(root, "kernels.tgllp.patchtokens.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		data   []byte
		want   string
	}{
		{"the error for the older format contains the option for the new one", old, "-cl-intel-allow-zebin"},
		{"a file cut in the middle", whole[:len(whole)/2], "x: the ELF file is damaged"},
		{"only its magic", whole[:20], "x: the ELF file is damaged"},
		{"an archive cut in a member", archive[:len(archive)-100], "x: the archive is damaged at byte"},
		{"an archive without members", []byte("!<arch>\n"), "x: the archive contains no device image"},
		{"text", []byte("hello"), "x: not an Intel GPU binary"},
		{"other YAML", []byte("version: '3'\nservices: {}\n"), "x: not an Intel GPU binary"},
		{"nothing", nil, "x: not an Intel GPU binary"},
		{"a newer major version", []byte("version: '2.0'\nkernels: []\n"), "x: .ze_info has version 2.0; expected version 1.x"},
		{"not YAML", []byte("version: '1.0'\nkernels: [\n"), "x: .ze_info is not the YAML that was expected"},
		{"a list instead of a string", []byte("version: [1]\nkernels: []\n"), "x: .ze_info is not the YAML that was expected"},
		{"no version", []byte("version:\nkernels: []\n"), "x: .ze_info does not contain its version"},
		{"a program without images", append([]byte("MZ"), make([]byte, 3<<20)...), "x: the program contains no device image"},
	} {
		_, err := zebin.Read(context.Background(), "x", strings.NewReader(string(c.data)), int64(len(c.data)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestProgram embeds images in data that looks like a program, across read
// boundaries.
func TestProgram(t *testing.T) {
	root := corpus(t)
	one, err := os.ReadFile(filepath.Join(root, "kernels.skl.zebin"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(filepath.Join(root, "kernels.dg1_acm-g10.ar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pad := range []int{1, 1<<20 - 6, 1<<20 - 3, 1 << 20, 1<<20 + 5} {
		host := []byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", pad))
		host = append(append(append(host, one...), "between"...), two...)
		host = append(host, "tail"...)
		images, err := zebin.Read(context.Background(), "app", strings.NewReader(string(host)), int64(len(host)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range images {
			got = append(got, fmt.Sprint(i.Target, " ", len(i.Kernels)))
		}
		if d := cmp.Diff([]string{"product family 18 4", "graphics IP 12.10 4", "graphics IP 12.55 4"}, got); d != "" {
			t.Errorf("padding of %d: %s", pad, d)
		}
		if want := fmt.Sprintf("app(at byte %d)", 7+pad); images[0].Pos.File != want {
			t.Errorf("got %s, want %s", images[0].Pos.File, want)
		}
	}
}

// TestInfo reads newer compilers' output. The texts were written by hand from
// the format's specification.
func TestInfo(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"spill and private memory are separate since version 1.39",
			"version: '1.64'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      simd_size: 16\n      spill_size: 4096\n      private_size: 64\n      new_field: [1, {a: b}]\n",
			"k simd16 grf128 slm0 barriers0 scratch4160"},
		{"a separate spill in older versions",
			"version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 128, simd_size: 8}\n    per_thread_memory_buffers:\n      - {type: scratch, usage: spill_fill_space, size: 128}\n",
			"k simd8 grf128 slm0 barriers0 scratch128"},
		{"zeros mean that the size is not fixed",
			"version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 512, simd_size: 32, required_work_group_size: [0, 0, 0]}\n",
			"k simd32 grf512 slm0 barriers0 scratch0"},
		{"one dimension", "version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 64, simd_size: 1, required_work_group_size: [64, 1, 1]}\n",
			"k simd1 grf64 slm0 barriers0 scratch0 64"},
	} {
		images, err := zebin.Read(context.Background(), "x", strings.NewReader(c.text), int64(len(c.text)))
		if err != nil || len(images) != 1 || len(images[0].Kernels) != 1 {
			t.Errorf("%s: %v, %v", c.reason, images, err)
			continue
		}
		if got := line(&images[0].Kernels[0]); got != c.want {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestBadKernels checks that an impossible kernel is reported and left out, and
// that the other kernels are kept.
func TestBadKernels(t *testing.T) {
	text := "version: '1.20'\nkernels:\n  - name: a\n    execution_env: {grf_count: 128, simd_size: 7}\n" +
		"  - name: b\n    execution_env: {simd_size: 8}\n  - name: c\n    execution_env: {grf_count: 128, simd_size: 8}\n"
	images, err := zebin.Read(context.Background(), "x", strings.NewReader(text), int64(len(text)))
	if err != nil || len(images[0].Kernels) != 1 || len(images[0].Notes) != 2 {
		t.Fatalf("%v, %v", images, err)
	}
	if got, want := images[0].Notes[0].String(), `x: error: kernel "a" is left out: simd_size 7; expected 1, 8, 16 or 32`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFolder reads a disassembly as ocloc writes it, with the sections as
// files.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	info := "version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 128, simd_size: 8}\n"
	note := "\x08\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00IntelGT\x00\xf6\x04\x00\x00"
	for name, text := range map[string]string{".ze_info": info, ".note.intelgt.compat": note, "sections.txt": "x", "OCL_bad.zeinfo": "version: '9.0'\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	images, err := zebin.ReadPath(context.Background(), dir)
	if err != nil || len(images) != 1 || images[0].Target.Family != 1270 || len(images[0].Notes) != 1 {
		t.Errorf("%+v, %v", images, err)
	}
	if _, err := zebin.ReadPath(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no file in this folder is an Intel GPU binary") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestDemangled(t *testing.T) {
	for name, want := range map[string]string{
		"_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_E3Add": "typeinfo name for main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::Add",
		"gemm": "gemm",
	} {
		if got := (&zebin.Kernel{Name: name}).Demangled(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// smallImage returns a device image with the relevant sections, according to
// elf.md of the format's specification.
func smallImage(family uint32, info string) []byte {
	names := "\x00.ze_info\x00.note.intelgt.compat\x00.strtab\x00"
	note := binary.LittleEndian.AppendUint32([]byte("\x08\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00IntelGT\x00"), family)
	var b []byte
	le := binary.LittleEndian
	b = append(b, "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 205)
	b = le.AppendUint32(b, 1)
	body := info + string(note) + names
	b = le.AppendUint64(b, 0)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint64(b, uint64(64+len(body))) // section headers
	b = le.AppendUint32(b, 0)
	for _, n := range []uint16{64, 0, 0, 64, 4, 3} {
		b = le.AppendUint16(b, n)
	}
	b = append(b, body...)
	section := func(name, kind uint32, offset, size int) {
		b = le.AppendUint32(b, name)
		b = le.AppendUint32(b, kind)
		for _, n := range []int{0, 0, offset, size} {
			b = le.AppendUint64(b, uint64(n))
		}
		b = append(b, make([]byte, 24)...)
	}
	section(0, 0, 0, 0)
	section(1, 0xff000011, 64, len(info))
	section(10, 7, 64+len(info), len(note))
	section(31, 3, 64+len(info)+len(note), len(names))
	return b
}

// TestHugeClaims reads sections that claim to be much larger than the file, and
// checks that no such memory use is allocated.
func TestHugeClaims(t *testing.T) {
	image := smallImage(1271, "version: '1.20'\nkernels: []\n")
	for _, size := range []uint64{1 << 30, 1 << 40, 1 << 63, 1<<64 - 1} {
		huge := bytes.Clone(image)
		binary.LittleEndian.PutUint64(huge[len(huge)-3*64+32:], size) // size of .ze_info
		_, err := zebin.Read(context.Background(), "x", bytes.NewReader(huge), int64(len(huge)))
		if err == nil {
			t.Errorf("%d bytes were accepted", size)
		}
	}
}

// compressedImage returns a device image with one section in addition to its
// notes and names. The section is compressed and is not .ze_info.
func compressedImage() []byte {
	image := smallImage(1271, "\x01"+strings.Repeat("\x00", 31)) // an ELF compression header: zlib, without data
	header := image[len(image)-3*64:]
	binary.LittleEndian.PutUint32(header, 0)         // no name
	binary.LittleEndian.PutUint32(header[4:], 1)     // program data
	binary.LittleEndian.PutUint64(header[8:], 1<<11) // compressed
	return image
}

// TestCompressedSection reads an image whose section cannot be searched for
// patch tokens, because debug/elf returns no reader for it.
func TestCompressedSection(t *testing.T) {
	image := compressedImage()
	_, err := zebin.Read(context.Background(), "x", bytes.NewReader(image), int64(len(image)))
	if err == nil || !strings.Contains(err.Error(), "no .ze_info section") {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(compressedImage())
	image := smallImage(1271, "version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 128, simd_size: 8}\n")
	f.Add(image)
	f.Add(append([]byte(fmt.Sprintf("!<arch>\n%-16s%-32s%-10d`\n", "64.12.60.7/", "0", len(image))), image...))
	f.Add(append([]byte("MZ program"), image...))
	f.Add([]byte("version: '1.20'\nkernels:\n  - name: k\n    execution_env: {grf_count: 128, simd_size: 8}\n"))
	f.Add([]byte("version: '1.20'\nkernels: {simd_size 8\n")) // no image, because it is not YAML
	f.Add([]byte("!<arch>\n//              0           0     0     0       8         `\nlong.o/\n"))
	f.Add([]byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 40) + "\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		images, err := zebin.Read(context.Background(), "x", strings.NewReader(string(data)), int64(len(data)))
		if (err == nil) != (len(images) > 0) {
			t.Fatalf("%d images, %v", len(images), err)
		}
		for i := range images {
			for k := range images[i].Kernels {
				if x := &images[i].Kernels[k]; x.SIMD < 1 || x.Registers < 1 || x.SLM.Or(0) < 0 || x.Scratch.Or(0) < 0 {
					t.Fatalf("%+v", x)
				}
			}
		}
	})
}
