package compare

import (
	"testing"

	"occudiff/ingest/unit"
)

// TestJoinedHelp checks the joined remedy of kernels that share one row of the
// summary.
func TestJoinedHelp(t *testing.T) {
	bound := func(v float64) PossibleFix { return PossibleFix{Remedy: BalanceWorkGroups, Bound: unit.Some(v)} }
	for _, c := range []struct {
		reason     string
		a, b, want PossibleFix
	}{
		{"the bound holds for all", bound(1.3), bound(1.7), bound(1.7)},
		{"no bound is known of one", bound(1.3), PossibleFix{Remedy: BalanceWorkGroups}, PossibleFix{Remedy: BalanceWorkGroups}},
		{"one number of work-groups", PossibleFix{At: 224, From: 140}, PossibleFix{At: 224, From: 140}, PossibleFix{At: 224, From: 140}},
		{"two numbers of work-groups", PossibleFix{At: 224, From: 140}, PossibleFix{At: 448, From: 300}, PossibleFix{}},
	} {
		if got := c.a.joined(c.b); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.reason, got, c.want)
		}
	}
}
