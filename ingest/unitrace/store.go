package unitrace

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// source is which table told of a kernel. One report may tell of the same launches in several.
// The order is that in which measurements are preferred: a query is of one launch alone, samples are of whatever ran.
type source uint8

const (
	fromQuery      source = iota // a row for a launch
	fromAggregate                // a row for a launch, put together from samples by the tool
	fromSamples                  // samples of launches
	fromTiming                   // sums
	fromIntervals                // times of launches
	fromSubmission               // sums
	sources
)

// The bounds of the memory that a file can take; reports of real applications have some hundred kernels, with names of
// some hundred bytes.
const (
	maxKernels   = 1 << 16
	maxNameBytes = 32 << 20 // of all names together
)

// noDevice stands for tables that do not say which adapter ran a kernel.
const noDevice = -1

// store puts rows together into kernels.
type store struct {
	xves      map[int]bool // that rows of counters are of
	instances bool         // keep every launch, too
	index     map[kernelKey]*account
	order     []*account
	nameBytes int
	launch    launch
	launches  ingest.Launches // each, when asked for; of the accounts by number
	eachFrom  source          // the table that they are from
	props     map[propsKey]int
	propsList []ingest.Kernel
	stalls    []ingest.TaskStalls
	stallsOf  map[string]int // in stalls
	trace     ingest.Trace
	lanes     map[string]uint32 // of trace, by device
	samples   []ingest.Samples
	sampled   int              // in all of them
	seriesOf  map[*account]int // of samples; nil when they were not asked for
}

type kernelKey struct {
	ingest.Key
	adapter int
}

type propsKey struct {
	name          string
	global, local ingest.Size3
	simd          int
}

// account is what the tables tell of one kernel.
// Tables are kept apart until the end, since which of them tells best is known when all have been read.
type account struct {
	key    kernelKey
	pos    note.Pos // of the first row
	number int      // in the order in which accounts are met
	rank   int      // place in the report, that of its timing when there is one
	sums   [sources]*sum
}

// kernel gives what identifies the kernel.
func (a *account) kernel() ingest.Kernel {
	k := ingest.Kernel{Task: a.key.Task, Global: a.key.Global, Local: a.key.Local, Direction: a.key.Direction,
		Device: a.key.Device, Pos: a.pos}
	if a.key.SIMD > 0 {
		k.SIMD = unit.Some(a.key.SIMD)
	}
	return k
}

func (s *store) kernel(t names.Launch, adapter int, pos note.Pos) (*account, error) {
	key := kernelKey{ingest.KeyOf(&t), adapter}
	if a, ok := s.index[key]; ok {
		return a, nil
	}
	if err := s.room(len(s.order), len(t.Name)+len(t.Tile)); err != nil {
		return nil, err
	}
	key.Task, key.Device = strings.Clone(t.Name), strings.Clone(t.Tile) // not to keep the line
	a := &account{key: key, pos: pos, rank: len(s.order)}
	// A kernel that the timing table has already takes its place in the order.
	if t, ok := s.index[kernelKey{key.Key, noDevice}]; ok {
		a.rank = t.rank
	}
	s.index[key] = a
	a.number = len(s.order)
	s.order = append(s.order, a)
	return a, nil
}

// room says whether one more kernel may be kept.
func (s *store) room(kernels, nameBytes int) error {
	if kernels >= maxKernels || s.nameBytes+nameBytes > maxNameBytes {
		return fmt.Errorf("more than %d different kernels, or %d MB of their names, in one report", maxKernels,
			maxNameBytes>>20)
	}
	s.nameBytes += nameBytes
	return nil
}

func (s *store) properties(key propsKey, p ingest.Kernel) error {
	if i, ok := s.props[key]; ok {
		// A kernel compiled twice: keep what needs more, so that no limit is overlooked.
		old := &s.propsList[i]
		most(&old.SLM, p.SLM)
		most(&old.Spill, p.Spill)
		most(&old.Registers, p.Registers)
		return nil
	}
	if err := s.room(len(s.propsList), len(key.name)); err != nil {
		return err
	}
	key.name = strings.Clone(key.name)
	p.Task = key.name
	s.props[key] = len(s.propsList)
	s.propsList = append(s.propsList, p)
	return nil
}

// stalled adds events of an instruction to those of its kernel.
func (s *store) stalled(name string, reasons []reason, events []int64, pos note.Pos) error {
	i, known := s.stallsOf[name]
	if !known {
		if err := s.room(len(s.stalls), len(name)); err != nil {
			return err
		}
		name = strings.Clone(name)
		i, s.stallsOf[name] = len(s.stalls), len(s.stalls)
		s.stalls = append(s.stalls, ingest.TaskStalls{Task: name, Pos: pos})
	}
	list := &s.stalls[i].Stalls
	for n, r := range reasons {
		at := slices.IndexFunc(*list, func(x ingest.Stall) bool { return x.Reason == r.name })
		if at < 0 {
			at, *list = len(*list), append(*list, ingest.Stall{Reason: r.name})
		}
		(*list)[at].Share += unit.Ratio(events[n])
	}
	return nil
}

// shares makes shares of the events.
func (s *store) shares() []ingest.TaskStalls {
	s.stalls = slices.DeleteFunc(s.stalls, func(t ingest.TaskStalls) bool {
		all := unit.Ratio(0)
		for _, x := range t.Stalls {
			all += x.Share
		}
		for i := range t.Stalls {
			t.Stalls[i].Share /= all
		}
		return all == 0
	})
	return s.stalls
}

func most[T int | unit.Bytes](to *unit.Opt[T], from unit.Opt[T]) {
	if v, ok := from.Value(); ok && v > to.Or(-1) {
		*to = from
	}
}

func (a *account) of(src source) *sum {
	if a.sums[src] == nil {
		a.sums[src] = &sum{}
	}
	return a.sums[src]
}

// overTime keeps a sample with its time; without an account it is of no kernel that is named.
func (s *store) overTime(a *account, f *fields, x *sample) error {
	if s.seriesOf == nil || f.source != fromSamples || !f.has(sampled) || !x.occupancy.Present() ||
		s.sampled >= ingest.MaxSamples {
		return nil
	}
	at, err := f.moment(sampled)
	if err != nil {
		return err
	}
	i, known := s.seriesOf[a]
	if !known {
		i = len(s.samples)
		s.seriesOf[a] = i
		s.samples = append(s.samples, ingest.Samples{})
		if a != nil {
			s.samples[i].Key = a.key.Key
			// The tile is no part of what launches of other files are matched by.
			s.samples[i].Key.Device = ""
		}
	}
	launch := uint32(0)
	if a != nil && a.sums[fromSamples] != nil {
		launch = uint32(a.sums[fromSamples].launches)
	}
	s.sampled++
	s.samples[i].List = append(s.samples[i].List, ingest.Moment{At: at, Length: int64(x.gpu * 1e9),
		Measured: float32(x.occupancy.Or(0)), Launch: launch})
	return nil
}

// launch is the launch whose rows are being read: tiles and samples of one launch stand together, ended by a blank
// line, another kernel or another instance.
// Only one is open at a time, however many launches a file has.
type launch struct {
	open     bool
	account  *account
	source   source
	instance int64
	tile     int64     // of the last row
	tiles    []seconds // by tile, to find the longest
	sum      sum
	pos      note.Pos
}

// ran notes when a launch ran.
func (s *store) ran(t *names.Launch, start, end int64, device string) {
	lane, known := s.lanes[device]
	if !known {
		if len(s.lanes) >= maxKernels {
			return
		}
		lane = uint32(len(s.trace.Lanes))
		s.lanes[strings.Clone(device)] = lane
		s.trace.AddLane(strings.Clone(device))
	}
	s.trace.Add(ingest.Launch{Start: start, End: end, Task: s.trace.Task(ingest.KeyOf(t)), Lane: lane})
}

type seconds struct {
	tile int64
	x    float64
}

// maxTiles bounds what a launch keeps; the largest GPU has two.
const maxTiles = 64

func (s *store) sample(a *account, src source, x sample, pos note.Pos) {
	l := &s.launch
	// Rows of one launch stand together in the files; an instance alone would not do, for some tables have no such
	// column, and all are 0 then.
	same := l.open && l.account == a && l.source == src && l.instance == x.instance
	if src != fromSamples && x.tile <= l.tile {
		same = false // a row for a launch, or for a tile of it
	}
	if !same {
		s.endLaunch()
		*l = launch{open: true, account: a, source: src, instance: x.instance, tiles: l.tiles[:0], pos: pos}
	}
	l.tile = x.tile
	// Of tiles the occupancies are averaged by time; their seconds are not added, see endLaunch.
	l.sum.add(x)
	for i := range l.tiles {
		if l.tiles[i].tile == x.tile {
			l.tiles[i].x += x.seconds
			return
		}
	}
	if len(l.tiles) < maxTiles {
		l.tiles = append(l.tiles, seconds{x.tile, x.seconds})
	}
}

// endLaunch adds the launch to its kernel. Tiles work at the same time: the launch takes as long as the longest.
func (s *store) endLaunch() {
	l := &s.launch
	if !l.open {
		return
	}
	l.open = false
	l.sum.launches = 1
	for _, t := range l.tiles {
		l.sum.seconds = max(l.sum.seconds, t.x)
	}
	total := l.account.of(l.source)
	total.merge(&l.sum)
	if s.instances && s.keeps(l.source) {
		var k ingest.Kernel
		l.sum.into(&k, l.source)
		s.launches.Add(&ingest.LaunchRecord{Kernel: l.account.number, Line: l.pos.Line,
			Time: unit.Some(unit.Seconds(l.sum.seconds)), Threads: k.Threads, Measured: k.Measured, Active: k.Active,
			Stalled: k.Stalled, Idle: k.Idle})
	}
	most := ingest.SampleSize(len(s.order))
	total.times.Add(l.sum.seconds, most)
	if o, have := l.sum.occupancy.Value().Value(); have {
		total.occupancies.Add(float64(o), most)
	}
	if total.launches == 1 {
		total.pos = l.pos
	}
}

// keeps says whether the launches of a table become rows of their own: those of the first table that measures launches,
// since a report may tell of the same launches in several.
func (s *store) keeps(src source) bool {
	if src > fromSamples {
		return false
	}
	if s.launches.Len() == 0 {
		s.eachFrom = src
	}
	return s.eachFrom == src
}
