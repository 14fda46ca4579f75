package track

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
)

// Last gives the runs that were added last, so many at most, in the order in which they were added.
func Last(ctx context.Context, db *history.DB, n int) ([]int64, error) {
	runs, err := added(ctx, db)
	if err != nil {
		return nil, err
	}
	return numbers(runs[max(0, len(runs)-n):]), nil
}

// Since gives the runs that were added after the last one of a commit, in the order in which they were added. name is
// what the user calls the commit.
func Since(ctx context.Context, db *history.DB, commit, name string) ([]int64, error) {
	runs, err := added(ctx, db)
	if err != nil {
		return nil, err
	}
	first := len(runs)
	for ; first > 0 && !sameCommit(runs[first-1].Commit, commit); first-- {
	}
	switch first {
	case 0:
		return nil, fmt.Errorf("--since %s: no run of %s is of that commit; 'occudiff track list' shows the commits, "+
			"--last N counts runs", name, db.Where())
	case len(runs):
		return nil, fmt.Errorf("--since %s: no run was added after run %d, the last one of that commit", name,
			runs[first-1].ID)
	}
	return numbers(runs[first:]), nil
}

// added lists the runs in the order in which they were added. No run is an error.
func added(ctx context.Context, db *history.DB) ([]history.Run, error) {
	runs, err := db.List(ctx)
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
	}
	slices.SortFunc(runs, func(a, b history.Run) int { return cmp.Compare(a.ID, b.ID) })
	return runs, err
}

// sameCommit compares commits of which one may be cut short.
func sameCommit(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func numbers(runs []history.Run) (ids []int64) {
	for i := range runs {
		ids = append(ids, runs[i].ID)
	}
	return ids
}
