package compare

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// empty looks for why XVEs had no thread. Where the two policies leave different XVEs empty, that is not known.
func (f *finder) empty(p Part) {
	if f.nothingRan(p) || f.row.XVEs.Other.Present() {
		return
	}
	f.adapters(p)
	f.engines(p)
	idle, known := f.ran()
	outside, bounded := f.certainty.Edges.Value()
	if known && bounded && idle > 2*outside {
		f.dry(p)
		f.gaps(p)
	} else {
		f.gaps(p)
		f.dry(p)
	}
}

// nothingRan says so where no thread was ever seen.
func (f *finder) nothingRan(p Part) bool {
	idle := f.row.Idle.Or(1)
	if !f.r.nothingSeen(f.row) || (1-idle).Percent() > float64(printedHalf+digit) || f.row.Predicted == nil {
		return false // a summary's 0.0 against a peak: of another adapter, or of nothing
	}
	f.add(p, CauseNothingRan, high, func() (string, string) {
		return "No thread was seen on any XVE: the counters are of another window or adapter, or the kernel did not " +
			"run.", targetGPU
	})
	return true
}

// adapters fits the stacks or adapters that the profiler averaged over and that did not work.
func (f *finder) adapters(p Part) {
	if c := f.r.adapters(f.row); c != nil {
		c.Part = p
		f.found = append(f.found, *c)
	}
}

// ran gives the idle share where it can be that of the measured occupancy's window.
func (f *finder) ran() (idle unit.Ratio, ok bool) {
	idle, ok = f.row.Idle.Value()
	return idle, ok && f.row.Loaded.Present()
}

// engines fits a GPU of which one of k stacks or compute engines worked, where nothing counts them.
func (f *finder) engines(p Part) {
	idle, known := f.ran()
	d := f.r.Device
	_, counted := f.r.averaged(f.row)
	if !known || d == nil || counted.Present() || d.Tiles < 2 && d.Architecture != "Xe-HPC" {
		return
	}
	for _, k := range []int{2, 4} {
		share := 1 - 1/unit.Ratio(k)
		if abs(idle.Minus(share)) > engineShare || k == 4 && d.Architecture != "Xe-HPC" {
			continue
		}
		what := fmt.Sprintf("one of %d compute engines", k)
		if d.Tiles == k {
			what = fmt.Sprintf("one of %d stacks", k)
		}
		f.add(p, CauseStack, low, func() (string, string) {
			return fmt.Sprintf("XVEs were idle %.1f %% of the time, and a kernel that has %s leaves %.0f %% idle.",
					idle.Percent(), what, share.Percent()),
				"ZEX_NUMBER_OF_CCS and the affinity mask of the run, or a collection with -knob target-gpu"
		})
		return
	}
}

// gaps is time between launches, as far as nothing contradicts it.
func (f *finder) gaps(p Part) {
	if t := f.r.Traced(f.row); t != nil {
		f.tracedGaps(p, t)
		return
	}
	c := &f.certainty
	n, timed := c.Intervals.Value()
	idle, known := f.ran()
	within := known && idle <= c.Edges.Or(0)
	if !known || c.Exact || timed && n >= gapIntervals && !within {
		return
	}
	f.add(p, CauseGaps, low, func() (string, string) {
		because := c.edgesText() + ", so time between launches may be included; it cannot be distinguished from " +
			"time within."
		if timed && n >= gapIntervals {
			because = fmt.Sprintf("%s, and up to %.1f %% of that time can lie between launches; it cannot be "+
				"distinguished from time within.", c.edgesText(), c.Edges.Or(0).Percent())
		}
		decide := "a trace"
		if setting, ok := c.shorterInterval(); ok {
			decide += ", or " + setting
		} else if timed {
			decide += ", or " + c.resample()
		}
		return because, decide
	})
}

// dry is idle time that cannot be between launches: Xe-cores run out of work before the launch ends.
func (f *finder) dry(p Part) {
	idle, known := f.ran()
	outside, bounded := f.certainty.Edges.Value()
	if !known || !bounded || f.row.Predicted == nil || f.row.Predicted.Waves < imbalanceWaves ||
		idle <= outside+f.row.Held().Idle {
		return
	}
	_, own := f.r.own(f.row)
	if own.Or(idle) <= outside+f.row.Held().Idle {
		return
	}
	f.add(p, CauseImbalance, medium, func() (string, string) {
		lies := "none of that lies outside the launches"
		if outside > 0 {
			lies = fmt.Sprintf("at most %.1f %% lies outside the launches", outside.Percent())
		}
		return strings.TrimSpace(f.r.ownText(f.row) + fmt.Sprintf(
			"XVEs were idle %.1f %% of the time, and %s. So they were empty within launches, as they are when "+
				"work-groups end at different times.",
			own.Or(idle).Percent(), lies)), f.aTrace()
	})
}
