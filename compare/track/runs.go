package track

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
)

// Last gives the runs that were added last, so many at most, in the order in which they were added.
func Last(ctx context.Context, db *history.DB, n int) ([]int64, error) {
	runs, err := newest(ctx, db, n)
	return numbers(runs), err
}

// Since gives the runs that were added after the last one of a commit, in the order in which they were added. name is
// what the user calls the commit.
func Since(ctx context.Context, db *history.DB, commit, name string) ([]int64, error) {
	runs, err := newest(ctx, db, 0)
	if err != nil {
		return nil, err
	}
	switch n := slices.IndexFunc(runs, func(r history.Run) bool { return sameCommit(r.Commit, commit) }); n {
	case -1:
		return nil, fmt.Errorf("--since %s: no run of %s is of that commit; 'occudiff track list' shows the commits, "+
			"--last N counts runs", name, db.Where())
	case 0:
		return nil, fmt.Errorf("--since %s: no run was added after run %d, the last one of that commit", name,
			runs[0].ID)
	default:
		return numbers(runs[:n]), nil
	}
}

// newest lists the n runs that were added last, or all of them, the last one first. No run is an error.
func newest(ctx context.Context, db *history.DB, n int) ([]history.Run, error) {
	runs, err := db.Newest(ctx, n)
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
	}
	return runs, err
}

// sameCommit compares commits of which one may be cut short.
func sameCommit(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// numbers gives the runs, which come the last one first, in the order in which they were added.
func numbers(runs []history.Run) (ids []int64) {
	for i := range slices.Backward(runs) {
		ids = append(ids, runs[i].ID)
	}
	return ids
}
