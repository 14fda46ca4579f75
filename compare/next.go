package compare

import (
	"cmp"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// Action is what to run next about a row.
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

// NextStep is what to run next about a row. Setting is the sampling interval in
// seconds, of Interval alone.
type NextStep struct {
	Action  Action
	Setting unit.Opt[float64]
}

// decision is what would settle a cause, in words and, where it is a
// collection, as a value.
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

// Proven reports whether the cause of a row is told by a figure that has
// nothing to do with occupancy, or needs none: that a row cannot be judged is a
// fact.
func (r *Row) Proven() bool {
	return r.Cause == nil || r.Cause.Confidence == high.String() || r.Cause.Confidence == ""
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
	switch r.PossibleFix(row).Remedy {
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
	a, err := predict.Advise(r.Device, r.KnownLaunch(row), predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true})
	if err != nil || a.Current == nil || len(a.Best) == 0 || len(a.Best[0].Changes) == 0 {
		return false
	}
	return a.Best[0].Prediction.Average.Minus(a.Current.Average) >= 1 ||
		a.Best[0].Prediction.Peak.Minus(a.Current.Peak) >= 1
}

// Remedy is what may make a kernel faster as far as its occupancy goes.
type Remedy string

// The remedies.
const (
	NoRemedy          Remedy = ""
	LongerThreads     Remedy = "longer threads"    // more work in each: the dispatcher does not keep up
	Registers         Remedy = "registers"         // a build for a mode with fewer, At of them
	FewerValues       Remedy = "fewer live values" // the kernel spills; At is a smaller SIMD width, or 0
	LessSLM           Remedy = "less SLM"
	EvenWorkGroups    Remedy = "even work-groups"
	FillWaves         Remedy = "full waves"       // At work-groups instead of From
	MoreWorkGroups    Remedy = "more work-groups" // At of them instead of From, which do not fill the GPU once
	BalanceWorkGroups Remedy = "spread"           // work for XVEs that stand empty
	MoreThreads       Remedy = "more threads"
	ShorterGaps       Remedy = "shorter gaps"
	AllStacks         Remedy = "all stacks"
	AllAdapters       Remedy = "all adapters"
	RunAlone          Remedy = "run alone"   // to be measured
	MeasureEach       Remedy = "each launch" // counters read around it, to be measured
	SampleFiner       Remedy = "sample finer"
	LongerLaunch      Remedy = "longer launches" // to be measured
	LimitedElsewhere  Remedy = "not threads"     // Worth.LimitedBy is why
)

// remedyOf is the remedy of causes that say by themselves what may help.
var remedyOf = map[string]Remedy{CauseDispatch: LongerThreads, CauseGaps: ShorterGaps, CauseStack: AllStacks,
	CauseAdapters: AllAdapters, CauseConcurrentKernels: RunAlone}

// PossibleFix is what may make a row faster. Most is how many times as fast at
// most, where that is known and the remedy is not plain arithmetic.
type PossibleFix struct {
	Remedy
	At, From int64
	Bound    unit.Opt[float64]
}

// SavesTime reports whether a remedy may save time, and not only tell more.
func (l Remedy) SavesTime() bool {
	return !slices.Contains([]Remedy{NoRemedy, RunAlone, MeasureEach, SampleFiner, LongerLaunch, LimitedElsewhere}, l)
}

// PossibleFix returns what may make a row faster. A row that is below its
// prediction has no remedy that cannot return enough of the missing points. For
// example, filling a last wave of 9 points is no remedy for 80.
func (r *Result) PossibleFix(row *Row) PossibleFix {
	h := r.help(row)
	if row.Verdict == Below && h.SavesTime() && r.returns(row, h.Remedy) < row.leastReturn() {
		return PossibleFix{}
	}
	return h
}

// returns is how many of a row's points a remedy can return. The remedy for the
// cause of a row returns what the cause explains.
func (r *Result) returns(row *Row, l Remedy) unit.Points {
	points := func(p Part) unit.Points { return row.Breakdown.Points(p).Or(0) }
	switch shortfall := points(PartShortfall); l {
	case BalanceWorkGroups:
		return points(PartIdle) + shortfall
	case FillWaves:
		return points(PartLastWave)
	case MoreWorkGroups, Registers, FewerValues, LessSLM:
		if row.Cause == nil || !slices.Contains([]string{CausePlacement, CauseGRF, CauseSLM}, row.Cause.Name) {
			return points(PartLaunchLimit)
		}
	case MoreThreads:
		return points(PartUnderfilled) + shortfall + points(PartLaunchLimit)
	}
	return row.leastReturn()
}

// help decides by the cause of a row that is below its prediction, otherwise by
// what keeps the prediction low.
func (r *Result) help(row *Row) PossibleFix {
	w, cause, p := &row.Speedup, cmp.Or(row.Cause, &Cause{}), row.Predicted
	lever := remedyOf[cause.Name]
	switch v := row.Verdict; {
	case v == Unmeasurable, v.Compared() && cause.Name == CauseSampling:
		return row.toMeasure()
	case v == MatchWhileBusy: // what is missing may lie between launches, and nothing else is
		return PossibleFix{Remedy: ShorterGaps}
	case !v.Compared():
		return PossibleFix{}
	case lever != NoRemedy:
		return PossibleFix{Remedy: lever}
	case cause.Name == CausePlacement:
		return PossibleFix{Remedy: MoreWorkGroups, At: p.GroupsPerXeCore * int64(r.Device.XeCores), From: p.Groups}
	case cause.Name == CauseImbalance && cause.Part == PartIdle && w.Has(BalanceTheWork):
		return PossibleFix{Remedy: EvenWorkGroups, Bound: w.Balancing.Max}
	}
	depth := PossibleFix{Remedy: MoreThreads, Bound: w.MoreThreads.Max}
	var limits predict.Limit
	if p != nil && !modelOff(row) {
		limits = p.Limits & (predict.LimitRegisters | predict.LimitSLM)
	}
	switch {
	case cause.Name != CauseSLM && (cause.Name == CauseGRF && row.Verdict == Below || limits&predict.LimitRegisters != 0):
		depth = r.fewerRegisters(row)
	case cause.Name == CauseSLM, limits == predict.LimitSLM:
		depth.Remedy = LessSLM
	}
	switch v := w.Verdict(); {
	case v == BalanceTheWork:
		return r.groups(row, PossibleFix{Remedy: BalanceWorkGroups, Bound: w.Balancing.Max})
	case v == LimitedByOther || v == OccupancySufficient:
		return PossibleFix{Remedy: LimitedElsewhere, Bound: w.MoreThreads.Max}
	case v == MoreThreadsMayHelp && depth.Remedy == MoreThreads:
		return r.groups(row, depth)
	case v == MoreThreadsMayHelp:
		return depth
	case row.Verdict != Above && (depth.Remedy == FewerValues || depth.Remedy == LessSLM): // whose gain is undetermined
		return PossibleFix{Remedy: depth.Remedy, At: depth.At}
	}
	return PossibleFix{}
}

// groups turns a remedy into arithmetic where the number of work-groups alone
// leaves thread slots empty: a launch that does not fill the GPU once, or whose
// last wave costs a twentieth of it or more.
func (r *Result) groups(row *Row, otherwise PossibleFix) PossibleFix {
	p := row.Predicted
	// A prediction that VTune's peak contradicts is of another launch or
	// device: nothing is to be counted from it.
	if p == nil || p.Groups <= 0 || p.Waves <= 0 || math.IsInf(p.Waves, 0) || modelOff(row) {
		return otherwise
	}
	wave := float64(p.Groups) / p.Waves // work-groups of a full one, which need not be whole
	full := int64(math.Ceil(math.Ceil(p.Waves) * wave * (1 - 1e-12)))
	switch {
	case full <= p.Groups:
		return otherwise
	case p.Waves < 1:
		return PossibleFix{Remedy: MoreWorkGroups, At: full, From: p.Groups}
	case p.Peak.Minus(p.Average) >= leastTail:
		return PossibleFix{Remedy: FillWaves, At: full, From: p.Groups}
	}
	return otherwise
}

// leastTail is how much of the GPU a partial last wave has to leave empty to be
// named, in points.
const leastTail unit.Points = 5

// toMeasure is what would make a row measurable.
func (r *Row) toMeasure() PossibleFix {
	switch c := r.UnconfirmedCause(); {
	case c == nil:
	case c.Next.Action == Query:
		return PossibleFix{Remedy: MeasureEach}
	case c.Next.Action == Interval:
		return PossibleFix{Remedy: SampleFiner}
	case c.Next.Action == NoAction && (r.Certainty.Intervals.Or(1) < 1 || r.Certainty.Window.Present()):
		return PossibleFix{Remedy: LongerLaunch}
	}
	return PossibleFix{}
}

// remedyConditions are the facts that a remedy requires, and those that exclude
// it. A kernel that spills already needs more registers, not fewer.
var remedyConditions = map[Remedy]conditions{Registers: {excludedBy: spills}}

// fewerRegisters returns the remedy for a kernel whose threads are limited by
// its register mode. The mode limits it if busy XVEs have nearly all threads
// that the mode allows.
func (r *Result) fewerRegisters(row *Row) PossibleFix {
	gain, mode := r.modeGain(row)
	if gain <= 1 || row.BusyOccupancy.Or(row.Measured.Or(0)) < modeReached*r.modeReach(row) {
		return PossibleFix{Remedy: MoreThreads, Bound: row.Speedup.MoreThreads.Max}
	}
	h := PossibleFix{Remedy: Registers, At: int64(mode), Bound: unit.Some(min(row.Speedup.MoreThreads.Max.Or(gain), gain))}
	if remedyConditions[Registers].admit(r.evidenceOf(row)) {
		return h
	}
	h.Remedy, h.At = FewerValues, 0
	for _, width := range r.Device.SIMDWidths {
		if width < row.SIMD.Or(0) {
			h.At = int64(width)
		}
	}
	return h
}

// modeGain is how many times as many threads the register mode with the most
// threads allows, and the registers of that mode. It is 1 if the mode of the
// kernel is unknown.
func (r *Result) modeGain(row *Row) (times float64, registers int) {
	if r.Device == nil {
		return 1, 0
	}
	registers = mostThreads(r.Device)
	most, ok := predict.GRFModeFor(r.Device, registers)
	now := r.KnownLaunch(row).GRF
	own, known := predict.GRFModeFor(r.Device, now)
	if now == 0 || !ok || !known || own.ThreadsPerXVE <= 0 {
		return 1, registers
	}
	return float64(most.ThreadsPerXVE) / float64(own.ThreadsPerXVE), registers
}

// modeReach is the share of the thread slots that the register mode allows.
func (r *Result) modeReach(row *Row) unit.Ratio {
	gain, _ := r.modeGain(row)
	return unit.Ratio(1 / gain)
}
