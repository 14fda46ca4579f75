package compare

import "occudiff/ingest/unit"

// Action is what to do next about a row.
type Action string

// The actions. The collections are those that would settle the cause of a row.
const (
	NoAction   Action = ""
	Trace      Action = "trace"      // when launches ran
	Query      Action = "query"      // counters read around each launch
	Binary     Action = "binary"     // the registers, SLM and width that a kernel was compiled to
	Properties Action = "properties" // the same, as a tracer prints them
	Interval   Action = "interval"   // counters sampled more often
	Advise     Action = "advise"     // launch settings with more threads
	Probe      Action = "probe"      // the same launch with fewer threads, which tells what more are worth
	Explain    Action = "explain"    // what the cause means and what to do
)

// Next is what to do next about a row. Setting is the sampling interval in seconds, of Interval alone.
type Next struct {
	Do      Action
	Setting unit.Opt[float64]
}

// decision is what would settle a cause, in words and, where it is a collection, as a value.
type decision struct {
	text string
	Next
}

// said is a decision that is no collection of ours.
func said(text string) decision { return decision{text: text} }

func byTrace(alternative string) decision {
	return decision{"a trace" + alternative, Next{Do: Trace}}
}

func byBinary() decision {
	return decision{"the kernel's binary, or unitrace's kernel properties", Next{Do: Binary}}
}

// Undecided is the first cause of a row of which is known what would settle it; nil where there is none.
func (r *Row) Undecided() *Cause {
	if r.Account != nil && r.Verdict == Below {
		for i := range r.Account.Causes {
			if c := &r.Account.Causes[i]; c.Decide != "" {
				return c
			}
		}
		return nil
	}
	if r.Cause != nil && r.Cause.Decide != "" {
		return r.Cause
	}
	return nil
}

// next decides what to do about a row: advice where more threads may help; the collection that would settle the cause;
// the experiment where nobody can tell the worth; else what the cause means. Nothing where the row has no cause and
// nothing is asked.
func (r *Row) next() Next {
	settle := Next{}
	if c := r.Undecided(); c != nil {
		settle = c.Next
	}
	switch {
	case r.Worth.Verdict() == MoreThreads && r.Predicted != nil:
		return Next{Do: Advise}
	case settle.Do != NoAction && r.Verdict != Match:
		return settle
	case r.Worth.Verdict() == WorthUntold && r.Predicted != nil && (r.Cause == nil || r.Verdict == Match):
		return Next{Do: Probe}
	case r.Cause != nil && r.Verdict != Match:
		return Next{Do: Explain}
	}
	return Next{}
}
