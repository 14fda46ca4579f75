package compare

import (
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// joinTimings gives each timing of a log the row it belongs to. A timing without one becomes a row of its own when the
// launch sizes are known from the options.
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
					r.Rows = append(r.Rows, Row{Kernel: k, FromLog: true})
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
	add := func(list []ingest.Timing, text, hint string) {
		if n := len(list); n > 0 {
			r.warn("timing-without-row", list[0].Pos, hint, "%s no prediction: %s", unit.Counted(n, "timing has", "timings have"), text)
		}
	}
	add(missing, "a log gives neither work-group nor sub-group size; they are constants of the program",
		"give --local and --simd (256 and 32 in the thread-mapping notebook, 512 and 32 in the optimization guide), "+
			"or the VTune export along with the log")
	add(groupsMissing, "the line names no number of work-groups and the log no vector size", "give the VTune export along with the log")
}

// noteNames says which names of --local and --simd no kernel has.
func (r *Result) noteNames() {
	tasks := make([]string, 0, len(r.Rows)+len(r.Timings))
	for i := range r.Rows {
		tasks = append(tasks, r.Rows[i].Task)
	}
	for i := range r.Timings {
		tasks = append(tasks, r.Timings[i].Kernel)
	}
	say := func(flag string, names []string) {
		for _, name := range names {
			r.warn("no-such-kernel", note.Pos{}, "names are those of the table; * in one stands for any text",
				"%s names %s, and no kernel has that name", flag, name)
		}
	}
	say("--local", r.Options.Local.Unmatched(tasks))
	say("--simd", r.Options.SIMD.Unmatched(tasks))
}

// launched is the kernel of a timing, with its global size where the others are known.
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

// byName gives the row of each name that a log may print, the one with the most time when several launch shapes carry
// it. It is not made when there is no log.
func (r *Result) byName(run *ingest.Run) map[names.Base]int {
	best := map[names.Base]int{}
	for i := range r.Rows {
		k := &r.Rows[i].Kernel
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
