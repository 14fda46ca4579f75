package compare

import (
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// Action is the kind of the next command for a row.
type Action string

// The actions. The collections are those that would settle the cause of a row.
const (
	NoAction Action = ""
	Trace    Action = "trace"    // when launches ran
	Query    Action = "query"    // counters read around each launch
	Binary   Action = "binary"   // the registers, SLM and width that a kernel was compiled to
	Interval Action = "interval" // counters sampled more often
	Export   Action = "export"   // all columns of the same result
	Advise   Action = "advise"   // launch settings that are predicted to hold more
	Grid     Action = "grid"     // the same launch with as many work-groups as fill its waves
	Probe    Action = "probe"    // the same launch with fewer threads, which tells what more are worth
)

// Measures reports whether an action measures something. The others predict a
// change, which confirms no cause.
func (a Action) Measures() bool { return a != NoAction && a != Advise && a != Grid }

// NextStep is the next command for a row. Setting is the sampling interval in
// seconds. Only Interval has it.
type NextStep struct {
	Action  Action
	Setting unit.Opt[float64]
}

// decision is a measurement that confirms a cause: its text and, if it is a
// collection, its value.
type decision struct {
	text string
	NextStep
}

// byOtherMeans is a decision that is no collection of ours.
func byOtherMeans(text string) decision { return decision{text: text} }

func byTrace(alternative string) decision {
	return decision{"a trace" + alternative, NextStep{Action: Trace}}
}

func byBinary() decision {
	return decision{"the kernel's binary, or unitrace's kernel properties", NextStep{Action: Binary}}
}

// byQuery reads the counters around each launch.
var byQuery = decision{"unitrace -q", NextStep{Action: Query}}

// byExport is an export of the same result with more columns.
func byExport(columns ...string) decision {
	return decision{"an export with the columns " + unit.JoinWords(columns, "and"), NextStep{Action: Export}}
}

// UnconfirmedCause returns the cause that heads a row if a measurement can
// change its confidence, otherwise nil.
func (r *Row) UnconfirmedCause() *Cause {
	if r.Cause != nil && r.Cause.ConfirmWith != "" {
		return r.Cause
	}
	return nil
}

// Proven reports whether a value other than occupancy shows the cause of a row,
// or whether it needs none. The reason why a row cannot be judged is a fact.
func (r *Row) Proven() bool {
	return r.Cause == nil || r.Cause.Confidence == High || r.Cause.Confidence == 0
}

// NextStep decides what to run next about a row. What would settle its cause
// comes before any change of the program; then what shows a setting that is
// predicted to hold more; then the experiment, where it is unknown what more
// threads are worth. There is nothing where no command would tell more: a
// setting is searched for before the search is proposed.
func (r *Result) NextStep(row *Row) NextStep {
	if c := row.UnconfirmedCause(); c != nil && c.Next.Action != NoAction && row.Verdict != Match {
		return c.Next
	}
	if row.Verdict == MatchWhileBusy && r.Traced(row) == nil {
		return NextStep{Action: Trace}
	}
	switch row.Fix.Remedy {
	case FillWaves, MoreWorkGroups:
		if l := r.KnownLaunch(row); l.Global.Dim(1) == l.Local.Dim(1) && l.Global.Dim(2) == l.Local.Dim(2) {
			return NextStep{Action: Grid} // else which dimension is to grow is the program's matter
		}
	case LongerThreads, LimitedElsewhere:
		return NextStep{}
	case AllStacks:
		if row.OneStack { // its counters prove it
			return NextStep{}
		}
	}
	switch {
	case row.Predicted == nil:
	case row.Speedup.Has(MoreThreadsMayHelp) && r.Better(row):
		return NextStep{Action: Advise}
	case row.Speedup.Verdict() == SpeedupUndetermined && row.Measured.Present() && row.Verdict.Compared():
		// As long as there are settings that lower the occupancy of the launch
		// and leave its work as it is.
		if p, err := predict.Probes(r.Device, r.KnownLaunch(row)); err == nil && len(p) > 0 {
			return NextStep{Action: Probe}
		}
	}
	return NextStep{}
}

// KnownLaunch is the launch of a row with all that is known of its kernel, the
// register mode that its cause names included.
func (r *Result) KnownLaunch(row *Row) predict.Launch {
	l := r.LaunchOf(row)
	if l.GRF == 0 && row.Cause != nil {
		l.GRF = row.Cause.Registers
	}
	return l
}

// Better reports whether any launch setting is predicted to hold more than the
// kernel's own, by a point or more.
func (r *Result) Better(row *Row) bool {
	a, err := predict.Advise(r.Device, r.KnownLaunch(row), predict.VariableSettings{Local: true, SIMD: true,
		SLM: true, GRF: true})
	if err != nil || a.Current == nil || len(a.Best) == 0 || len(a.Best[0].Changes) == 0 {
		return false
	}
	return a.Best[0].Prediction.Average.Minus(a.Current.Average) >= 1 ||
		a.Best[0].Prediction.Peak.Minus(a.Current.Peak) >= 1
}
