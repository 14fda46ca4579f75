package names_test

import (
	"slices"
	"testing"

	"occudiff/ingest/names"
)

// TestByName uses the optimization guide's log: templates whose SLM sizes
// differ, and one value for all other kernels.
func TestByName(t *testing.T) {
	var b names.ByName[int]
	if _, ok := b.Of("VectorAdd1"); ok {
		t.Error("an empty list returned a value")
	}
	b.Set("VectorAdd3<*>", 224)
	b.Set("", 512)
	b.Set("VectorAdd3<8>", 320)
	b.Set("VectorAdd3<1*>", 160)
	b.Set("a.b(int)", 8)
	for _, c := range []struct {
		task, why string
		want      int
	}{
		{"VectorAdd3<8>", "a name has priority over an earlier pattern", 320},
		{"VectorAdd3<24>", "a pattern has priority over the value for all others", 224},
		{"VectorAdd3<12>", "a longer pattern has priority over a shorter one", 160},
		{"VectorAdd1", "a kernel that no name matches", 512},
		{"aXb(int)", "only * matches other text", 512},
		{"_Z4gemmPf", "a symbol is not a name that was given", 512},
	} {
		if got, ok := b.Of(c.task); !ok || got != c.want {
			t.Errorf("%s (%s): %d, want %d", c.task, c.why, got, c.want)
		}
	}
	b.Set("gemm(float*)", 64)
	if got, _ := b.Of("_Z4gemmPf"); got != 64 {
		t.Errorf("the decoded name: %d", got)
	}
	if got, want := b.Unmatched([]string{"VectorAdd3<8>", "_Z4gemmPf"}), []string{"VectorAdd3<1*>", "a.b(int)"}; !slices.Equal(got, want) {
		t.Errorf("unmatched %v, want %v", got, want)
	}
}
