package track

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
)

// Newest gives the runs that were added last, in the order in which they were added: so many at most, or those after the
// last one of a commit, which may be cut short and which the user calls name. No run is an error.
func Newest(ctx context.Context, db *history.DB, n int, commit, name string) (ids []int64, err error) {
	runs, err := db.Newest(ctx) // the last one first
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
	}
	if err != nil {
		return nil, err
	}
	if commit != "" {
		at := slices.IndexFunc(runs, func(r history.Run) bool {
			return r.Commit != "" && (strings.HasPrefix(r.Commit, commit) || strings.HasPrefix(commit, r.Commit))
		})
		switch at {
		case -1:
			return nil, fmt.Errorf("--since %s: no run of %s is of that commit; 'occudiff track list' shows the commits, "+
				"--last N counts runs", name, db.Where())
		case 0:
			return nil, fmt.Errorf("--since %s: no run was added after run %d, the last one of that commit", name, runs[0].ID)
		}
		n = at
	}
	runs = runs[:min(n, len(runs))]
	for i := range slices.Backward(runs) {
		ids = append(ids, runs[i].ID)
	}
	return ids, nil
}
