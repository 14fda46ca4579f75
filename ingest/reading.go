package ingest

import (
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// chooseReading settles whose counters a kernel has where two files have some: those that were read around each launch
// are the launch's own, whatever its length, and samples are of whatever ran. Occupancy and the state of the XVEs are of
// one reading, for what is concluded takes them together. It gives the row with what is to be filled in of it.
func (j *joiner) chooseReading(a, k *Kernel) *Kernel {
	if !k.Measured.Present() {
		return k
	}
	switch around := k.Reading == AroundLaunch; {
	case !a.Measured.Present():
	case a.Reading == AroundLaunch && !around:
		rest := *k
		rest.dropCounters()
		j.noteReading(k.Pos, a.Pos)
		return &rest
	case around && a.Reading != AroundLaunch:
		a.dropCounters()
		j.noteReading(a.Pos, k.Pos)
	default:
		return k
	}
	a.Reading, a.Interval, a.CounterTimeRatio = k.Reading, k.Interval, k.CounterTimeRatio
	return k
}

// dropCounters takes out what was read of the state of the XVEs, and what is said of that.
func (k *Kernel) dropCounters() {
	none := unit.Opt[unit.Ratio]{}
	k.Measured, k.MeasuredLow, k.MeasuredHigh, k.Printed = none, none, none, none
	k.Active, k.Stalled, k.Idle, k.IdleLow, k.IdleHigh = none, none, none, none, none
	k.Interval, k.CounterTimeRatio = unit.Opt[unit.Seconds]{}, unit.Opt[float64]{}
	if k.Launches != nil {
		s := *k.Launches // others may have it too
		s.MinMeasured, s.MedianMeasured, s.MaxMeasured = k.Measured, k.Measured, k.Measured
		k.Launches = &s
	}
}

// noteReading says once for a file that its samples give way to what another one read around each launch.
func (j *joiner) noteReading(sampled, around note.Pos) {
	if j.gaveWay[sampled.File] {
		return
	}
	j.gaveWay[sampled.File] = true
	j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Info, Code: "counters-around-launches",
		Pos: note.Pos{File: sampled.File}, Text: "occupancy and the state of the XVEs are those that " + around.File +
			" read around each launch, in place of the samples here"})
}
