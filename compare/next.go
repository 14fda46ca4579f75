package compare

import (
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// Action is the kind of the next command for a row.
type Action string

// The actions. A collection confirms the cause of a row.
const (
	NoAction Action = ""
	Trace    Action = "trace"    // a trace, which shows when launches ran
	Query    Action = "query"    // counters that are read around each launch
	Binary   Action = "binary"   // the compiled kernel, which contains its registers, SLM, and SIMD width
	Interval Action = "interval" // counters that are sampled more often
	Export   Action = "export"   // an export of the same result with all columns
	Advise   Action = "advise"   // launch settings with a higher predicted occupancy
	Grid     Action = "grid"     // the same launch with a number of work-groups that fills its waves
	// EachLaunch is the comparison of the same inputs, with a row for each launch.
	EachLaunch Action = "launches"
	Probe      Action = "probe" // the same launch with fewer threads, which shows the effect of occupancy on its time
)

// Measures reports whether an action measures something. The other actions
// predict the effect of a change, which does not confirm a cause.
func (a Action) Measures() bool { return a != NoAction && a != Advise && a != Grid }

// NextStep is the next command for a row. Setting is the sampling interval in
// seconds, and is set only for the action Interval.
type NextStep struct {
	Action  Action
	Setting optNumber
}

// decision is a measurement that confirms a cause: its description and, if it
// is a collection, the command for it.
type decision struct {
	text string
	NextStep
}

// byOtherMeans returns a confirmation that this program cannot collect.
func byOtherMeans(text string) decision { return decision{text: text} }

func byTrace(alternative string) decision {
	return decision{"a trace" + alternative, NextStep{Action: Trace}}
}

func byBinary() decision {
	return decision{"the kernel's binary, or unitrace's kernel properties", NextStep{Action: Binary}}
}

// byQuery is the collection that reads the counters around each launch.
var byQuery = decision{"unitrace -q", NextStep{Action: Query}}

// byExport returns an export of the same result with more columns.
func byExport(columns ...string) decision {
	return decision{"an export with the columns " + unit.JoinWords(columns, "and"), NextStep{Action: Export}}
}

// UnconfirmedCause returns the cause of a row if a measurement can change its
// confidence, otherwise nil.
func (r *Row) UnconfirmedCause() *Cause {
	if r.Cause != nil && r.Cause.ConfirmWith != "" {
		return r.Cause
	}
	return nil
}

// Proven reports whether the cause of a row is shown by a value other than
// occupancy, or whether the row needs no proof. If a row cannot be judged, the
// reason is a fact and needs no proof.
func (r *Row) Proven() bool {
	return r.Cause == nil || r.Cause.Confidence == High || r.Cause.Confidence == 0
}

// NextStep returns the next step for a row. The first choice is a measurement
// that confirms the cause, because it must come before any change of the
// program. The second choice is a setting with more predicted occupancy. The
// third choice is an experiment that shows how much more threads gain. A search
// for settings is proposed only if it finds such a setting.
//
// Considered and rejected: a field that Compare sets. The searches for 20,000
// different launches took 60 MB and 0.3 s, but outputs show only a few rows.
func (r *Result) NextStep(row *Row) NextStep {
	if c := row.UnconfirmedCause(); c != nil && c.Next.Action != NoAction && row.Verdict != Match {
		return c.Next
	}
	if row.Verdict == MatchWhileBusy && r.Traced(row) == nil {
		return NextStep{Action: Trace}
	}
	if row.rejected() { // settings and experiments would be computed for a launch that did not run
		return NextStep{}
	}
	switch row.Fix.Remedy {
	case FillWaves, MoreWorkGroups:
		// If the launch has more dimensions, it is unknown which of them can
		// grow.
		if l := r.KnownLaunch(row); l.Global.Dim(1) == l.Local.Dim(1) && l.Global.Dim(2) == l.Local.Dim(2) {
			return NextStep{Action: Grid}
		}
	case LongerThreads, LimitedElsewhere:
		return NextStep{}
	case FullLanes:
		return NextStep{Action: Advise}
	case AllStacks:
		if row.OneStack { // the counters of the row already prove the cause
			return NextStep{}
		}
	}
	switch {
	case row.Predicted == nil:
	case row.Speedup.Has(MoreThreadsMayHelp) && r.better(r.KnownLaunch(row)):
		return NextStep{Action: Advise}
	case row.Speedup.Verdict() == SpeedupUndetermined && row.Measured.Present() && row.Verdict.Compared() &&
		r.hasProbe(r.KnownLaunch(row)):
		return NextStep{Action: Probe}
	}
	return NextStep{}
}

// KnownLaunch returns the launch of a row with all known properties of its kernel,
// including the register mode that its cause names.
func (r *Result) KnownLaunch(row *Row) predict.Launch {
	l := r.LaunchOf(row)
	if l.GRF == 0 && row.Cause != nil {
		l.GRF = row.Cause.Registers
	}
	return l
}

// better reports whether other settings of a launch have a predicted occupancy
// that is at least one point higher.
func (r *Result) better(l predict.Launch) bool {
	a, err := predict.Advise(r.Device, l, predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true})
	if err != nil || a.Current == nil || len(a.Best) == 0 || len(a.Best[0].Changes) == 0 {
		return false
	}
	return a.Best[0].Prediction.Average.Minus(a.Current.Average) >= 1 ||
		a.Best[0].Prediction.Peak.Minus(a.Current.Peak) >= 1
}

// hasProbe reports whether a setting lowers the occupancy of a launch and leaves
// its work as it is.
func (r *Result) hasProbe(l predict.Launch) bool {
	p, err := predict.Probes(r.Device, l)
	return err == nil && len(p) > 0
}
