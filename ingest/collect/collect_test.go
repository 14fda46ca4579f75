package collect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/collect"
)

func TestIntervalFor(t *testing.T) {
	for _, c := range []struct {
		launch, want time.Duration
		enough       bool
		reason       string
	}{
		{55 * time.Millisecond, time.Millisecond, true, "a long launch uses the default interval"},
		{9 * time.Millisecond, time.Millisecond, true, "exactly nine samples at the default interval"},
		{2050 * time.Microsecond, 220 * time.Microsecond, true, "the GEMM of 2.05 ms, rounded down"},
		{900 * time.Microsecond, 100 * time.Microsecond, true, "exactly nine samples at the shortest interval"},
		{899 * time.Microsecond, 100 * time.Microsecond, false, "fewer than nine samples"},
		{0, 100 * time.Microsecond, false, "no launch"},
	} {
		if got, enough := collect.IntervalFor(c.launch); got != c.want || enough != c.enough {
			t.Errorf("%s: %v, %v, want %v, %v", c.reason, got, enough, c.want, c.enough)
		}
	}
}

// TestDoctor checks a simulated machine with a GPU driver, a metrics library,
// and a kernel that hides counters from users.
func TestDoctor(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"sys/module/i915/x": "", "proc/sys/dev/i915/perf_stream_paranoid": "1\n", "proc/sys/kernel/yama/ptrace_scope": "0\n",
		"dev/dri/renderD129": "", "usr/lib64/libigdmd.so.1": "",
	} {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]collect.Check{}
	for _, c := range collect.CheckTools(root) {
		got[c.Name] = c
		if c.OK != (c.Impact == "" && c.Install == "") || c.OK && c.Found == "" {
			t.Errorf("%s: %+v has both what was found and how to install it, or neither", c.Name, c)
		}
	}
	for name, ok := range map[string]bool{"GPU driver": true, "render node": true, "ptrace scope": true, "libigdmd": true, "i915 counters for users": false} {
		if c, there := got[name]; !there || c.OK != ok {
			t.Errorf("%s: %+v, want %v", name, c, ok)
		}
	}
	if c := got["i915 counters for users"]; c.Install != "sysctl dev.i915.perf_stream_paranoid=0" || !strings.Contains(c.Impact, "is 1") {
		t.Errorf("%+v", c)
	}
	for _, c := range collect.CheckTools(t.TempDir()) {
		if c.Name == "GPU driver" && c.OK {
			t.Error("an empty machine has a GPU driver")
		}
	}
}
