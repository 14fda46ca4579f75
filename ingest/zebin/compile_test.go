package zebin_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/ingest/zebin"
	"occudiff/internal/testenv"
)

// compiler returns the real compiler.
func compiler(t *testing.T) string {
	t.Helper()
	testenv.Needs(t, "ocloc")
	path, err := zebin.FindCompiler()
	if err != nil {
		t.Skip("ocloc is not installed")
	}
	return path
}

const source = `__kernel void add(__global float *a) { a[get_global_id(0)] += 1; }
__attribute__((reqd_work_group_size(64,1,1))) __kernel void local_sum(__global float *a, __local float *l)
{ l[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = l[63 - get_local_id(0)]; }
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompile(t *testing.T) {
	ocl := compiler(t)
	path := write(t, "a b.cl", source)
	for _, c := range []struct {
		device, options string
		registers       int
	}{{"pvc", "", 128}, {"pvc", "-cl-intel-256-GRF-per-thread", 256}, {"dg1", "", 128}} {
		binary, _, err := zebin.Compile(context.Background(), ocl, path, c.device, c.options, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		images, err := zebin.ReadPath(context.Background(), binary)
		if err != nil || len(images) != 1 || len(images[0].Kernels) != 2 {
			t.Fatalf("%s: %v, %v", c.device, images, err)
		}
		k := images[0].Kernels
		if k[0].Name != "add" || k[0].Registers != c.registers || k[1].Local.String() != "64" || !k[1].SLMIsLowerBound || k[1].Barriers.Or(0) != 1 {
			t.Errorf("%s %s: %+v", c.device, c.options, k)
		}
	}
}

func TestCompileFails(t *testing.T) {
	ocl := compiler(t)
	for _, c := range []struct{ reason, text, device, want string }{
		{"the error contains the compiler's message", "__kernel void f(__global int *a) { a[0] = undeclared; }", "pvc", "use of undeclared identifier 'undeclared'"},
		{"a device that this compiler does not know", source, "nope", "ocloc does not compile it for nope"},
	} {
		_, _, err := zebin.Compile(context.Background(), ocl, write(t, "k.cl", c.text), c.device, "", t.TempDir())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := zebin.Compile(ctx, ocl, write(t, "k.cl", source), "pvc", "", t.TempDir()); err != context.Canceled {
		t.Errorf("called off: %v", err)
	}
}

// TestCompilerArguments checks each argument, and that it is an error if a compiler
// writes nothing.
func TestCompilerArguments(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "ocloc")
	text := "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$(dirname \"$0\")/args\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	path := write(t, "k;rm -rf.spv", "x")
	_, _, err := zebin.Compile(context.Background(), script, path, "pvc", "-a -b", out)
	if err == nil || !strings.Contains(err.Error(), "ocloc wrote no binary for pvc") {
		t.Errorf("got %v", err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{"compile", "-file", path, "-device", "pvc", "-output", "kernel", "-output_no_suffix", "-out_dir", out,
		"-internal_options", "-cl-intel-allow-zebin", "-options", "-a -b", "-spirv_input", ""}, "\n")
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
