package compare

import (
	"testing"

	"occudiff/ingest/unit"
)

// TestJoinedHelp has remedies of kernels that one row of the screen stands for.
func TestJoinedHelp(t *testing.T) {
	bound := func(v float64) Help { return Help{Lever: EvenGroups, Most: unit.Some(v)} }
	for _, c := range []struct {
		reason     string
		a, b, want Help
	}{
		{"the bound holds for all", bound(1.3), bound(1.7), bound(1.7)},
		{"no bound is known of one", bound(1.3), Help{Lever: EvenGroups}, Help{Lever: EvenGroups}},
		{"one number of work-groups", Help{At: 224, From: 140}, Help{At: 224, From: 140}, Help{At: 224, From: 140}},
		{"two numbers of work-groups", Help{At: 224, From: 140}, Help{At: 448, From: 300}, Help{}},
	} {
		if got := c.a.joined(c.b); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.reason, got, c.want)
		}
	}
}
