package arch_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"occudiff/predict/arch"
)

// A VTune summary contains a code name, a marketing name, and the XVE count,
// which together identify the device.
func ExampleTable_Find() {
	table, err := arch.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := table.Find(arch.Query{Name: "Meteor Lake-P [Intel Arc Graphics]", XVEs: 112})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := m.Device
	fmt.Printf("%s: %d Xe-cores x %d XVE x %d threads = %d thread slots\n", d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, d.Slots())

	_, err = table.Find(arch.Query{Name: "mtl"})
	fmt.Println(err)
	// Output:
	// mtl-112: 7 Xe-cores x 16 XVE x 8 threads = 896 thread slots
	// device "mtl" may be mtl-128 (128 XVE), mtl-112 (112 XVE), mtl-64 (64 XVE) (give the key of one of them, or the number of XVEs: 128, 112, 64)
}

// TestFindIsConcurrent lets the race detector check lookups from several
// goroutines, as in a batch.
func TestFindIsConcurrent(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Intel(R) Arc(TM) Graphics", "0x3e96", "gen9", "Meteor Lake-P [Intel Arc Graphics]", "UHD Graphics 620", "no such GPU"}
	var wait sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		wait.Go(func() {
			var b strings.Builder
			for _, n := range names {
				for _, xves := range []int{0, 24, 112} {
					m, err := table.Find(arch.Query{Name: n, XVEs: xves})
					fmt.Fprintln(&b, m.Device, m.Notes, err)
				}
			}
			got[i] = b.String()
		})
	}
	wait.Wait()
	for i := range got {
		if got[i] != got[0] {
			t.Errorf("goroutine %d got other results:\n%s\nthan the first:\n%s", i, got[i], got[0])
		}
	}
}
