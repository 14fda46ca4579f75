package compare

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/internal/bug"
)

// makeRows makes the rows: one for each kernel, and one for each timing of a
// log without a kernel. The rows are sorted for reading. It uses all cores.
func (r *Result) makeRows(run *ingest.Run, kernels []ingest.Kernel) {
	r.Rows = make([]Row, len(kernels))
	inParallel(len(r.Rows), func(i int) {
		row := &r.Rows[i]
		if row.Kernel = &kernels[i]; row.IsKernel() {
			if n, ok := row.SpilledRegisters.Value(); ok && r.Device != nil && !row.Spill.Present() {
				own := kernels[i]
				own.Spill = unit.Some(unit.Bytes(n * r.Device.RegisterBytes))
				row.Kernel = &own
			}
			r.forecast(row)
		}
	})
	r.addTimes()
	r.joinTimings(run)
	r.gpus = r.oneOfGPUs()
	inParallel(len(r.Rows), func(i int) {
		row := &r.Rows[i]
		r.judgeAndExplain(row)
		r.finish(row)
	})
	r.sort()
	r.Summary = r.summarize()
}

// addTimes sums the times of all kernels, in the order of the file. The
// possible share of other kernels in a row follows from these sums.
func (r *Result) addTimes() {
	for i := range r.Rows {
		row := &r.Rows[i]
		r.taskTime += row.Total.Or(0)
		r.threads.add(row)
		if row.IsKernel() {
			r.kernelTime.add(row)
		}
		if row.OneStack && row.Measured.Or(0) > 0 {
			r.busyStack[row.launchKey()] = row.Kernel
		}
		if row.Device != "" {
			r.adapterTime[row.Device] += row.Total.Or(0)
			r.adapterTime[""] += row.Total.Or(0)
		}
	}
	if r.fromSummary { // a summary lists only the hottest tasks, so its sum is too small
		r.taskTime = max(r.taskTime, r.Platform.GPUTime.Or(0))
	}
}

// judgeAndExplain compares a row with its prediction and sets the cause of the
// difference.
func (r *Result) judgeAndExplain(row *Row) {
	if !row.IsKernel() {
		row.Verdict = NotAKernel
		return
	}
	r.derive(row)
	if row.Task == ingest.WholeRun {
		row.NoPrediction = "the summary names no task: the value covers the whole run"
		if held, known := row.BusyOccupancy.Value(); known {
			row.NoPrediction += fmt.Sprintf(". XVEs were idle %s of the time; busy XVEs have %s",
				row.Idle.Or(0), held)
		}
	}
	row.Certainty = r.certainty(row)
	r.judge(row, nil)
	r.setCause(row)
	r.checkRow(row)
}

// Finish computes the values of rows that follow from their verdict and cause:
// certainty, breakdown, potential speedup, remedy, and share of the time.
// Tests that build a result by hand must call it.
func (r *Result) Finish() {
	r.taskTime = r.Summary.GPUTime.Or(0)
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Certainty = r.certainty(row)
		r.finish(row)
	}
}

// finish sets the values that follow from the verdict, cause, and certainty of a
// row.
func (r *Result) finish(row *Row) {
	if row.TimeShare = r.timeShare(row.Kernel); row.Verdict == NotAKernel {
		return
	}
	if row.Breakdown == nil {
		row.Breakdown = r.breakdown(row)
	}
	row.Speedup = r.potentialSpeedup(row)
	row.Fix = r.possibleFix(row)
}

// timeShare returns a kernel's or a launch's share of the time of all tasks.
func (r *Result) timeShare(k *ingest.Kernel) optRatio {
	t, timed := k.Total.Value()
	return unit.Maybe(unit.Ratio(t/r.taskTime), timed && r.taskTime > 0)
}

// sort orders the rows for reading: by urgency, then by slot time lost, then by
// time. Equal rows keep the order of the file.
func (r *Result) sort() {
	type key struct {
		total         unit.Seconds
		lost          float32
		urgency, from int
	}
	keys := make([]key, len(r.Rows))
	for i := range r.Rows {
		row := &r.Rows[i]
		keys[i] = key{row.Total.Or(-1), float32(row.Lost()), row.Verdict.info().Urgency, i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(b.urgency, a.urgency), cmp.Compare(b.lost, a.lost), cmp.Compare(b.total, a.total),
			cmp.Compare(a.from, b.from))
	})
	r.place = make([]int, len(r.Rows))
	for to := range keys {
		r.place[keys[to].from] = to
	}
	for i := range r.Timings {
		if t := &r.Timings[i]; t.Row >= 0 {
			t.Row = r.place[t.Row]
		}
	}
	// The rows are sorted in place, because a second list of rows would double
	// the memory. Rows before i have already moved.
	for i := range keys {
		from := keys[i].from
		for from < i {
			from = keys[from].from
		}
		r.Rows[i], r.Rows[from] = r.Rows[from], r.Rows[i]
	}
}

// perWorker is the smallest number of items per goroutine. With fewer items,
// the work would end before another goroutine starts.
const perWorker = 64

// inParallel calls do for each number below n, on all cores.
func inParallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/perWorker+1)
	var all errgroup.Group
	for w := range workers {
		all.Go(func() error {
			return bug.Call(func() error {
				for i := n * w / workers; i < n*(w+1)/workers; i++ {
					do(i)
				}
				return nil
			})
		})
	}
	_ = bug.Raise(all.Wait()) // do returns no error
}

// joinTimings assigns each timing of a log to its row. If a timing has no row,
// it becomes a row, provided that the options contain its launch sizes.
func (r *Result) joinTimings(run *ingest.Run) {
	var missing, groupsMissing []ingest.Timing
	byKey := map[ingest.Key]int{}
	byName := r.byName(run)
	for _, t := range run.Timings {
		row, found := byName[names.BaseOf(t.Kernel)]
		if !found {
			row = -1
			switch k := r.launched(&t, run.Platform.VectorSize); {
			case k.Global.Present():
				at, seen := byKey[k.Key()]
				if row = at; !seen {
					row = len(r.Rows)
					byKey[k.Key()] = row
					r.Rows = append(r.Rows, Row{Kernel: &k, FromLog: true})
					r.forecast(&r.Rows[row])
				}
			case k.Local.Present() && k.SIMD.Present():
				groupsMissing = append(groupsMissing, t)
			default:
				missing = append(missing, t)
			}
		}
		r.Timings = append(r.Timings, Timing{Timing: t, Row: row})
	}
	r.noteNames()
	add := func(list []ingest.Timing, text string) {
		if n := len(list); n > 0 {
			r.warn("timing-without-row", list[0].Pos, "add the VTune export to the log", "%s no prediction: %s",
				unit.FormatCount(n, "timing has", "timings have"), text)
		}
	}
	add(missing, "a log contains neither work-group nor sub-group size; they are constants of the program")
	add(groupsMissing, "the line has no number of work-groups, and the log has no vector size")
}

// noteNames adds notes on names in the options that no kernel has.
func (r *Result) noteNames() {
	tasks := make([]string, 0, len(r.Rows)+len(r.Timings))
	for i := range r.Rows {
		tasks = append(tasks, r.Rows[i].Task)
	}
	for i := range r.Timings {
		tasks = append(tasks, r.Timings[i].Kernel)
	}
	add := func(what string, unmatched []string) {
		for _, name := range unmatched {
			r.warn("no-such-kernel", note.Pos{}, "use the names of the table; * matches any text",
				"a %s is given for %s, and no kernel has that name", what, name)
		}
	}
	add("work-group size", r.Options.Local.Unmatched(tasks))
	add("SIMD width", r.Options.SIMD.Unmatched(tasks))
}

// launched returns the kernel of a timing. Its global size is set if the other
// sizes are known.
func (r *Result) launched(t *ingest.Timing, vector unit.Opt[int64]) ingest.Kernel {
	l := r.launchOfKernel(&ingest.Kernel{Task: t.Kernel})
	k := ingest.Kernel{Task: t.Kernel, Local: l.Local, SIMD: unit.NonZero(l.SIMD), Pos: t.Pos}
	items, ok := l.Local.Items()
	if !ok || l.SIMD == 0 {
		return k
	}
	if g := t.Groups.Or(0); g > 0 && g <= (1<<62)/items {
		d := l.Local.List()
		d[0] *= g
		k.Global = unit.Size(d...)
	} else if n := vector.Or(0); n > 0 && l.Local.Rank() == 1 {
		k.Global = unit.Size(n)
	}
	return k
}

// byName returns the row for each name that a log may print. If kernels with
// several launch sizes have the name, it is the row with the most time. The
// result is empty without a log.
func (r *Result) byName(run *ingest.Run) map[names.Base]int {
	best := map[names.Base]int{}
	for i := range r.Rows {
		k := r.Rows[i].Kernel
		if len(run.Timings) == 0 || !k.IsKernel() {
			continue
		}
		n := names.BaseOf(k.Task)
		if j, seen := best[n]; !seen || k.Total.Or(0) > r.Rows[j].Total.Or(0) {
			best[n] = i
		}
	}
	return best
}
