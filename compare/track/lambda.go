package track

import (
	"occudiff/compare/history"
	"occudiff/ingest/names"
)

// Renumbered is a run in which a scope has more or fewer lambdas than in the
// previous run. Compilers number the lambdas of a scope, so from this run on,
// each number may refer to another lambda. For example, a new first lambda
// turns #1 and #2 into #2 and #3.
type Renumbered struct {
	Run           Ref
	Scope         string // name of the scope, without the number of the lambda
	Before, After int    // number of lambdas in the scope
}

// renumbered returns the runs among a panel's last runs in which the number of
// lambdas in a scope changed. Runs that measure some kernels again are left
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
			if before > 0 && before != len(tasks) && place >= len(p.Runs)-recentRuns {
				list = append(list, Renumbered{refOf(run), scope, before, len(tasks)})
			}
			before = len(tasks)
		}
	}
	return list
}
