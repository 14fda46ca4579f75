package diff

import (
	"strings"
	"testing"

	"occudiff/ingest/zebin"
	"occudiff/predict/batch"
)

// TestBuildsCode checks a kernel in which only the machine code changed. It
// needs a measurement, and is neither better nor worse.
func TestBuildsCode(t *testing.T) {
	kernel := func(code string) []batch.Kernel {
		return []batch.Kernel{{Kernel: zebin.Kernel{Name: "k", Registers: 128, SIMD: 16, Code: code}}}
	}
	for _, c := range []struct{ reason, old, new, changed string }{
		{"the same code", "1a", "1a", ""},
		{"other code with the same registers", "1a", "2b", "code"},
		{"a compiler log has no code", "1a", "", ""},
	} {
		got := Builds(kernel(c.old), kernel(c.new))[0]
		if changed := strings.Join(got.Changed, " "); changed != c.changed || got.Verdict != Same {
			t.Errorf("%s: %s, changed %q; want same, %q", c.reason, got.Verdict, changed, c.changed)
		}
	}
}
