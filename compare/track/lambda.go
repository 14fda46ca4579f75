package track

import (
	"occudiff/compare/history"
	"occudiff/ingest/names"
)

// Renumbered is a run with more or fewer lambdas of one scope than the run
// before. Compilers count the lambdas of a scope, so each number may belong to
// another lambda from this run on. For example, a new first lambda makes #1 and
// #2 of a scope #2 and #3.
type Renumbered struct {
	Run           Ref
	Scope         string // name without the number
	Before, After int    // lambdas of the scope
}

// renumbered returns the runs in which the number of lambdas of a scope changed,
// among the last runs of a panel. A run that measures some kernels again is left
// out.
func renumbered(p *history.Panel) (list []Renumbered) {
	scopes := map[string][]*history.Kernel{}
	var order []string
	for i := range p.Kernels {
		scope, ordinal := names.Stable(p.Kernels[i].Key.Task)
		if !ordinal {
			continue
		}
		if scopes[scope] == nil {
			order = append(order, scope)
		}
		scopes[scope] = append(scopes[scope], &p.Kernels[i])
	}
	for _, scope := range order {
		before := 0
		for place := range p.Runs {
			run, tasks := &p.Runs[place], map[string]bool{}
			for _, k := range scopes[scope] {
				if k.At(run.ID) >= 0 {
					tasks[k.Key.Task] = true
				}
			}
			if len(tasks) == 0 || isSupplement(p, run) {
				continue
			}
			if before > 0 && before != len(tasks) && place >= len(p.Runs)-RecentRuns {
				list = append(list, Renumbered{refOf(run), scope, before, len(tasks)})
			}
			before = len(tasks)
		}
	}
	return list
}
