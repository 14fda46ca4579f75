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

// Next is what to run next about a row. Setting is the sampling interval in seconds, of Interval alone.
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

// byExport is an export of the same result with more columns.
func byExport(columns ...string) decision {
	return decision{"an export with the columns " + unit.Listed(columns, "and"), Next{Do: Export}}
}

// Undecided returns the cause that heads a row if a measurement can change its
// confidence, otherwise nil.
func (r *Row) Undecided() *Cause {
	if r.Cause != nil && r.Cause.Decide != "" {
		return r.Cause
	}
	return nil
}

// Proven says whether the cause of a row is told by a figure that has nothing to do with occupancy, or needs none: that a
// row cannot be judged is a fact.
func (r *Row) Proven() bool {
	return r.Cause == nil || r.Cause.Confidence == high.String() || r.Cause.Confidence == ""
}

// NextOf decides what to run next about a row. What would settle its cause comes before any change of the program; then
// what shows a setting that is predicted to hold more; then the experiment, where nobody can tell what more threads are
// worth. There is nothing where no command would tell more: a setting is searched for before the search is proposed.
func (r *Result) NextOf(row *Row) Next {
	if c := row.Undecided(); c != nil && c.Next.Do != NoAction && row.Verdict != Match {
		return c.Next
	}
	if row.Verdict == Idle && r.Traced(row) == nil {
		return Next{Do: Trace}
	}
	switch r.HelpFor(row).Lever {
	case FillWaves, MoreGroups:
		if l := r.KnownLaunch(row); l.Global.Dim(1) == l.Local.Dim(1) && l.Global.Dim(2) == l.Local.Dim(2) {
			return Next{Do: Grid} // else which dimension is to grow is the program's matter
		}
	case LongerThreads, NotThreads:
		return Next{}
	case AllStacks:
		if row.OneStack { // its counters prove it
			return Next{}
		}
	}
	switch {
	case row.Predicted == nil:
	case row.Speedup.Has(MoreThreadsMayHelp) && r.Better(row):
		return Next{Do: Advise}
	case row.Speedup.Verdict() == SpeedupUndetermined && row.Measured.Present() && row.Verdict.Compared():
		// As long as there are settings that lower the occupancy of the launch and leave its work as it is.
		if p, err := predict.Probes(r.Device, r.KnownLaunch(row)); err == nil && len(p) > 0 {
			return Next{Do: Probe}
		}
	}
	return Next{}
}

// KnownLaunch is the launch of a row with all that is known of its kernel, the register mode that its cause names
// included.
func (r *Result) KnownLaunch(row *Row) predict.Launch {
	l := r.LaunchOf(row)
	if l.GRF == 0 && row.Cause != nil {
		l.GRF = row.Cause.Registers
	}
	return l
}

// Better says whether any launch setting is predicted to hold more than the kernel's own, by a point or more.
func (r *Result) Better(row *Row) bool {
	a, err := predict.Advise(r.Device, r.KnownLaunch(row), predict.Vary{Local: true, SIMD: true, SLM: true, GRF: true})
	if err != nil || a.Current == nil || len(a.Best) == 0 || len(a.Best[0].Changes) == 0 {
		return false
	}
	return a.Best[0].Prediction.Average.Minus(a.Current.Average) >= 1 ||
		a.Best[0].Prediction.Peak.Minus(a.Current.Peak) >= 1
}

// Lever is what may make a kernel faster as far as its occupancy goes.
type Lever string

// The levers.
const (
	NoLever       Lever = ""
	LongerThreads Lever = "longer threads"    // more work in each: the dispatcher does not keep up
	Registers     Lever = "registers"         // a build for a mode with fewer, At of them
	FewerValues   Lever = "fewer live values" // the kernel spills; At is a smaller SIMD width, or 0
	LessSLM       Lever = "less SLM"
	EvenGroups    Lever = "even work-groups"
	FillWaves     Lever = "full waves"       // At work-groups instead of From
	MoreGroups    Lever = "more work-groups" // At of them instead of From, which do not fill the GPU once
	Spread        Lever = "spread"           // work for XVEs that stand empty
	MoreInFlight  Lever = "more threads"
	ShorterGaps   Lever = "shorter gaps"
	AllStacks     Lever = "all stacks"
	AllAdapters   Lever = "all adapters"
	RunAlone      Lever = "run alone"   // to be measured
	MeasureEach   Lever = "each launch" // counters read around it, to be measured
	SampleFiner   Lever = "sample finer"
	LongerLaunch  Lever = "longer launches" // to be measured
	NotThreads    Lever = "not threads"     // Worth.LimitedBy is why
)

// leverOf is the lever of causes that say by themselves what may help.
var leverOf = map[string]Lever{CauseDispatch: LongerThreads, CauseGaps: ShorterGaps, CauseStack: AllStacks,
	CauseAdapters: AllAdapters, CauseOverlap: RunAlone}

// Help is what may make a row faster. Most is how many times as fast at most, where that is known and the lever is not
// plain arithmetic.
type Help struct {
	Lever
	At, From int64
	Most     unit.Opt[float64]
}

// Gains says whether a lever may save time, and not only tell more.
func (l Lever) Gains() bool {
	return !slices.Contains([]Lever{NoLever, RunAlone, MeasureEach, SampleFiner, LongerLaunch, NotThreads}, l)
}

// HelpFor returns what may make a row faster. A row that is below its prediction
// has no remedy that cannot return enough of the missing points. For example,
// filling a last wave of 9 points is no remedy for 80.
func (r *Result) HelpFor(row *Row) Help {
	h := r.help(row)
	if row.Verdict == Below && h.Gains() && r.returns(row, h.Lever) < row.leastReturn() {
		return Help{}
	}
	return h
}

// returns is how many of a row's points a remedy can return. The remedy for the
// cause of a row returns what the cause explains.
func (r *Result) returns(row *Row, l Lever) unit.Points {
	points := func(p Part) unit.Points { return row.Breakdown.Points(p).Or(0) }
	switch shortfall := points(PartShortfall); l {
	case Spread:
		return points(PartIdle) + shortfall
	case FillWaves:
		return points(PartLastWave)
	case MoreGroups, Registers, FewerValues, LessSLM:
		if row.Cause == nil || !slices.Contains([]string{CausePlacement, CauseGRF, CauseSLM}, row.Cause.Name) {
			return points(PartLaunchLimit)
		}
	case MoreInFlight:
		return points(PartUnderfilled) + shortfall + points(PartLaunchLimit)
	}
	return row.leastReturn()
}

// help decides by the cause of a row that is below its prediction, otherwise by
// what keeps the prediction low.
func (r *Result) help(row *Row) Help {
	w, cause, p := &row.Speedup, cmp.Or(row.Cause, &Cause{}), row.Predicted
	lever := leverOf[cause.Name]
	switch v := row.Verdict; {
	case v == Unmeasurable, v.Compared() && cause.Name == CauseSampling:
		return row.toMeasure()
	case v == Idle: // what is missing may lie between launches, and nothing else is
		return Help{Lever: ShorterGaps}
	case !v.Compared():
		return Help{}
	case lever != NoLever:
		return Help{Lever: lever}
	case cause.Name == CausePlacement:
		return Help{Lever: MoreGroups, At: p.GroupsPerXeCore * int64(r.Device.XeCores), From: p.Groups}
	case cause.Name == CauseImbalance && cause.Part == PartIdle && w.Has(BalanceTheWork):
		return Help{Lever: EvenGroups, Most: w.Balancing.Max}
	}
	depth := Help{Lever: MoreInFlight, Most: w.MoreThreads.Max}
	var limits predict.Limit
	if p != nil && !modelOff(row) {
		limits = p.Limits & (predict.LimitRegisters | predict.LimitSLM)
	}
	switch {
	case cause.Name != CauseSLM && (cause.Name == CauseGRF && row.Verdict == Below || limits&predict.LimitRegisters != 0):
		depth = r.fewerRegisters(row)
	case cause.Name == CauseSLM, limits == predict.LimitSLM:
		depth.Lever = LessSLM
	}
	switch v := w.Verdict(); {
	case v == BalanceTheWork:
		return r.groups(row, Help{Lever: Spread, Most: w.Balancing.Max})
	case v == LimitedByOther || v == OccupancySufficient:
		return Help{Lever: NotThreads, Most: w.MoreThreads.Max}
	case v == MoreThreadsMayHelp && depth.Lever == MoreInFlight:
		return r.groups(row, depth)
	case v == MoreThreadsMayHelp:
		return depth
	case row.Verdict != Above && (depth.Lever == FewerValues || depth.Lever == LessSLM): // whose gain is undetermined
		return Help{Lever: depth.Lever, At: depth.At}
	}
	return Help{}
}

// groups turns a lever into arithmetic where the number of work-groups alone leaves thread slots empty: a launch that
// does not fill the GPU once, or whose last wave costs a twentieth of it or more.
func (r *Result) groups(row *Row, otherwise Help) Help {
	p := row.Predicted
	// A prediction that VTune's peak contradicts is of another launch or device: nothing is to be counted from it.
	if p == nil || p.Groups <= 0 || p.Waves <= 0 || math.IsInf(p.Waves, 0) || modelOff(row) {
		return otherwise
	}
	wave := float64(p.Groups) / p.Waves // work-groups of a full one, which need not be whole
	full := int64(math.Ceil(math.Ceil(p.Waves) * wave * (1 - 1e-12)))
	switch {
	case full <= p.Groups:
		return otherwise
	case p.Waves < 1:
		return Help{Lever: MoreGroups, At: full, From: p.Groups}
	case p.Peak.Minus(p.Average) >= leastTail:
		return Help{Lever: FillWaves, At: full, From: p.Groups}
	}
	return otherwise
}

// leastTail is how much of the GPU a partial last wave has to leave empty to be named, in points.
const leastTail unit.Points = 5

// toMeasure is what would make a row measurable.
func (r *Row) toMeasure() Help {
	switch c := r.Undecided(); {
	case c == nil:
	case c.Next.Do == Query:
		return Help{Lever: MeasureEach}
	case c.Next.Do == Interval:
		return Help{Lever: SampleFiner}
	case c.Next.Do == NoAction && (r.Certainty.Intervals.Or(1) < 1 || r.Certainty.Window.Present()):
		return Help{Lever: LongerLaunch}
	}
	return Help{}
}

// remedyConditions are the facts that a remedy requires, and those that exclude
// it. A kernel that spills already needs more registers, not fewer.
var remedyConditions = map[Lever]conditions{Registers: {excludedBy: spills}}

// fewerRegisters returns the remedy for a kernel whose threads are limited by its
// register mode. The mode limits it if busy XVEs have nearly all threads that the
// mode allows.
func (r *Result) fewerRegisters(row *Row) Help {
	gain, mode := r.modeGain(row)
	if gain <= 1 || row.BusyOccupancy.Or(row.Measured.Or(0)) < modeReached*r.modeReach(row) {
		return Help{Lever: MoreInFlight, Most: row.Speedup.MoreThreads.Max}
	}
	h := Help{Lever: Registers, At: int64(mode), Most: unit.Some(min(row.Speedup.MoreThreads.Max.Or(gain), gain))}
	if remedyConditions[Registers].admit(r.evidenceOf(row)) {
		return h
	}
	h.Lever, h.At = FewerValues, 0
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
	own, known := predict.GRFModeFor(r.Device, r.KnownLaunch(row).GRF)
	if r.KnownLaunch(row).GRF == 0 || !ok || !known || own.ThreadsPerXVE <= 0 {
		return 1, registers
	}
	return float64(most.ThreadsPerXVE) / float64(own.ThreadsPerXVE), registers
}

// modeReach is the share of the thread slots that the register mode allows.
func (r *Result) modeReach(row *Row) unit.Ratio {
	gain, _ := r.modeGain(row)
	return unit.Ratio(1 / gain)
}
