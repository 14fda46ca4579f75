package compare

import (
	"runtime"
	"sync"
)

// complete makes the rows of all kernels, once, in the order for reading.
func (r *Result) complete() {
	n := len(r.rows.order)
	r.Rows = make([]Row, n)
	places := r.rows.order
	inParallel(n, func(i int) { r.build(int(places[i]), &r.Rows[i], true) })
	r.rows = rows{}
	r.Finish()
}

// Finish adds to rows that have their verdict, cause and notes what follows from these and from all rows together:
// certainty, account, worth, and the share of the time. Compare has done it; it is for results that are put together by
// hand.
func (r *Result) Finish() {
	inParallel(len(r.Rows), func(i int) {
		row := &r.Rows[i]
		if row.TimeShare = r.timeShare(row); row.Verdict == NotAKernel {
			return
		}
		row.Certainty = r.certainty(row)
		row.Account = r.account(row)
		row.Worth = r.worth(row)
	})
}

// perWorker is how many items one goroutine takes at least: fewer are done before others have started.
const perWorker = 64

// inParallel does something for each number below n, on all cores.
func inParallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/perWorker+1)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				do(i)
			}
		})
	}
	all.Wait()
}
