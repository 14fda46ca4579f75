package compare

import (
	"iter"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Launches gives every launch as a row, in the order of the file: with its own time and counters, and held against the
// prediction of its kernel by the kernel's rule. A launch whose kernel's counters are not its own is not judged either.
// It has no cause, account, worth or notes: these are of kernels. Without a row for each launch in a file there are
// none. A row is good until the next one.
func (r *Result) Launches() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		var row Row
		for _, l := range r.Run.Launches.All() {
			at := r.place[l.Kernel]
			if at < 0 { // a view has left it out
				continue
			}
			if r.setLaunch(&row, &r.Rows[at], &l); !yield(&row) {
				return
			}
		}
	}
}

// setLaunch makes a row of a launch of a kernel.
func (r *Result) setLaunch(row, of *Row, l *ingest.LaunchRecord) {
	*row = Row{Kernel: of.Kernel, Predicted: of.Predicted, NoPrediction: of.NoPrediction, ModelPeak: of.ModelPeak,
		XVEs: of.XVEs, Verdict: NotAKernel}
	k := &row.Kernel
	k.Pos.File = r.Run.Launches.File(l.Kernel, k)
	k.Pos.Line, k.Instances, k.Total = l.Line, unit.Some[int64](1), l.Time
	k.ClearSampled()
	k.Threads, k.Measured, k.Active, k.Stalled, k.Idle = l.Threads, l.Measured, l.Active, l.Stalled, l.Idle
	k.Mean, k.Uneven, k.Launches, k.Counters = unit.Opt[unit.Seconds]{}, false, nil, nil
	if of.Verdict != NotAKernel {
		r.derive(row)
		r.judge(row, of)
	}
	row.TimeShare = r.timeShare(k)
}

// LaunchCount is how many Launches there are.
func (r *Result) LaunchCount() int { return r.Run.Launches.Len() }
