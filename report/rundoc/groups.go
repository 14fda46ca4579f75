package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest"
)

// explainedRow is a row that gets an explanation, and how many launches that covers.
type explainedRow struct{ row, launches int }

// launchKey is what launches that are explained together have in common.
// Verdict and cause are part of it, since launches of one kernel may differ in both, as the first ones do that wait for
// the compiler.
type launchKey struct {
	ingest.Key
	verdict compare.Verdict
	about   string // the cause, or the code of a note
}

// groupOf is the group of a row by its verdict and cause.
func groupOf(r *compare.Row) launchKey { return launchKey{r.Key(), r.Verdict, causeName(r)} }

// launchGroup counts the launches that one item covers.
type launchGroup struct{ item, launches int }

// launchGroups finds the launches that are explained together: with --instances every launch is a row, and nobody wants
// to read the same of each.
type launchGroups map[launchKey]*launchGroup

// add counts a launch. It reports whether the launch is the first of its group, which the item is then about.
func (g launchGroups) add(k launchKey, item int) (first bool) {
	group := g[k]
	if group == nil {
		group = &launchGroup{item: item}
		g[k] = group
	}
	group.launches++
	return group.launches == 1
}
