package arch_test

import (
	"testing"

	"occudiff/predict/arch"
)

func TestCompiled(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		family        int
		release, want string // expected first device
		n             int
		reason        string
	}{
		{1271, "", "max1550", 5, "a family takes its full part"},
		{1270, "", "a770", 16, "a family of three chips"},
		{1270, "12.56", "a380", 6, "the graphics IP version names one of them"},
		{0, "12.10", "dg1-96", 2, "an archive's member has only the version"},
		{18, "", "skl-gt4", 5, "Gen9"},
		{0, "", "", 0, "nothing is known"},
		{99, "99.1", "", 0, "a device that is newer than the table"},
	} {
		got := table.Compiled(c.family, c.release)
		if len(got) != c.n || c.n > 0 && got[0].Key != c.want {
			t.Errorf("%s: %d devices %v, want %d, %s first", c.reason, len(got), got, c.n, c.want)
		}
	}
}

// TestCompilerTargets checks that the compiler's names refer to devices of the
// table, because a key with a typo would never be found.
func TestCompilerTargets(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range table.Devices() {
		got := arch.CompilerTargets(table, []*arch.Device{&d})
		if len(got) != 1 || len(got[0].Devices) != 1 {
			t.Errorf("%s: %v, want one name", d.Key, got)
		}
	}
	if got := arch.CompilerTargets(table, []*arch.Device{{Key: "mine", Codename: "?"}}); len(got) != 0 {
		t.Errorf("a device of a file has the name %v", got)
	}
	all := arch.CompilerTargets(table, nil)
	if len(all) < 20 || all[0].Name != "skl" || all[0].Devices[0].Key != "skl-gt4" {
		t.Errorf("without a device: %v", all)
	}
}
