package rundoc

import (
	_ "embed"
	"iter"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/ahead"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

type (
	percent = unit.Opt[unit.Ratio]
	points  = unit.Opt[unit.Points]
	seconds = unit.Opt[unit.Seconds]
	text    = unit.Opt[string]
)

// ValidateRow is one task with its three occupancies: a row of the JSON and CSV outputs, and of the table of kernels.
// Scripts rely on its names, so they stay. Pointers to values stand beside the memory of those
// values: null is a nil pointer, and no row allocates one.
type ValidateRow struct {
	Task      report.Symbol   `json:"task" col:"Kernel; cut; role=code+named" jsonschema:"as printed, line ends included"`
	Global    unit.Size3      `json:"global" col:"Global; drop=4; role=code+named" jsonschema:"work-items; empty for copies"`
	Local     unit.Size3      `json:"local" col:"Local; drop=3; role=code+named" jsonschema:"work-items per work-group"`
	SIMD      unit.Opt[int]   `json:"simd" col:"SIMD; drop=5; role=named" jsonschema:"sub-group size"`
	Direction text            `json:"direction" col:"Direction; in=sheet"`
	File      text            `json:"file" col:"File; in=sheet; role=named"`
	Line      unit.Opt[int]   `json:"line" col:"Line; in=sheet; role=named"`
	Instances unit.Opt[int64] `json:"instances" col:"Launches; drop=1" jsonschema:"launches; null for a log's timing"`
	Total     seconds         `json:"total_seconds" col:"Time [s]; drop=2"`
	Average   seconds         `json:"average_seconds" col:"Time per launch [us]; decimals=1; in=sheet"`

	Predicted  *report.PredictionValue `json:"predicted" csv:",inline" jsonschema:"null without one; a note says why"`
	prediction report.PredictionValue  // memory of Predicted

	Peak       percent         `json:"profiler_peak_percent" col:"VTune peak; drop=6" jsonschema:"the profiler's prediction"`
	Measured   percent         `json:"measured_percent" col:"Measured; drop=9; role=bar"`
	Idle       percent         `json:"idle_percent" col:"XVE idle; in=sheet"`
	Loaded     percent         `json:"loaded_percent" col:"Occupancy of XVEs that ran; in=sheet" jsonschema:"measured / (1 - idle)"`
	Threads    unit.Opt[int64] `json:"threads_started" col:"Threads started; in=sheet"`
	ThreadLife seconds         `json:"thread_life_seconds" col:"Thread life [us]; decimals=1; in=sheet" jsonschema:"the mean"`

	Basis   text               `json:"basis" csv:"basis" jsonschema:"the two numbers that difference_points is of"`
	Off     points             `json:"difference_points" col:"Difference; brief=Difference; drop=10" jsonschema:"seen - predicted"`
	PeakOff points             `json:"model_difference_points" col:"Peak difference; in=page+sheet" jsonschema:"of the peaks"`
	Verdict verdictWord        `json:"verdict" col:"Verdict; in=sheet; role=named"`
	Cause   *report.CauseValue `json:"cause" csv:",inline" jsonschema:"why a row does not match: the first cause of the largest part"`
	Account *AccountValue      `json:"account" csv:",inline" jsonschema:"where the thread slots were; null when nothing tells"`
	account AccountValue       // memory of Account
	Worth   *WorthValue        `json:"worth" csv:",inline" jsonschema:"whether more threads may make it faster; null of other tasks"`
	worth   WorthValue         // memory of Worth
	Notes   []report.NoteValue `json:"notes"`
	Spread  *ValidateLaunches  `json:"launches,omitempty" csv:"-,inline" jsonschema:"only of a per-launch export or a trace"`
}

// ValidateLaunches is how much the launches differ that a row of a per-launch export is made of.
type ValidateLaunches struct {
	Seconds  ValidateTimes   `json:"seconds" csv:"-,inline"`
	Measured *ValidateSpread `json:"measured_percent" csv:"-,inline" jsonschema:"null when no launch has one"`
}

// ValidateTimes is the shortest, the median and the longest launch.
type ValidateTimes struct {
	Min    unit.Seconds `json:"min" csv:"launch_min" col:"shortest [us]; group=Launch; decimals=1; in=sheet"`
	Median unit.Seconds `json:"median" csv:"launch_median" col:"median [us]; group=Launch; decimals=1; in=sheet"`
	Max    unit.Seconds `json:"max" csv:"launch_max" col:"longest [us]; group=Launch; decimals=1; in=sheet"`
}

// ValidateSpread is the least, the median and the most.
type ValidateSpread struct {
	Min    unit.Ratio `json:"min" csv:"launch_measured_min" col:"lowest; group=Launch measured; in=sheet"`
	Median unit.Ratio `json:"median" csv:"launch_measured_median" col:"median; group=Launch measured; in=sheet"`
	Max    unit.Ratio `json:"max" csv:"launch_measured_max" col:"highest; group=Launch measured; in=sheet"`
}

// kernelRow is a row of the table of kernels: what only people read, and the row of the other outputs.
type kernelRow struct {
	Device  string      `col:"Adapter; role=named"`
	Finding report.Cell `col:"Verdict; in=terminal+page; role=choice+named"`
	Limits  string      `col:"Limited by; in=page+sheet"`
	Basis   string      `col:"Compared; in=sheet; role=named"`
	Label   string      `col:"Label in charts; in=sheet; role=named"`
	Because evidence    `col:"Because; in=sheet; role=named"`

	parts // as printed

	ThreadsPredicted unit.Opt[int64]   `json:"threads_predicted" col:"Threads predicted; in=sheet"`
	DispatchRate     unit.Opt[float64] `json:"dispatch_rate" col:"Dispatch rate [threads/us]; decimals=1; in=sheet"`
	IdleLanes        percent           `json:"idle_lanes" col:"Idle lanes; in=sheet"`
	TimeShare        percent           `json:"time_share" col:"Share of GPU time; in=sheet"`
	HostTime         seconds           `json:"host_time" col:"Host time [s]; decimals=6"`

	ValidateRow
	row compare.Row // memory
}

//go:embed columns.txt
var kernelColumns string

// columns are those of the table of kernels. A terminal shows the launch shape where names alone do not tell kernels
// apart, and sets what was seen against the prediction by the parts of the account where there is one.
func (s *rowSet) columns() []string {
	return report.ColumnKeys(kernelColumns, map[string]bool{"devices": s.devices, "directions": s.directions,
		"shapes": s.accounts == 0 || s.shapes, "ranges": s.ranges, "accounts": s.accounts > 0, "split": s.split > 0,
		"shortfall": s.split < s.accounts, "spread": s.spread, "logs": s.hostTimes != nil,
		"seen": s.accounts == 0 && s.hostTimes == nil})
}

// kernelTable is the table of all rows.
func (s *rowSet) kernelTable() *report.Table {
	t := report.RowsInto(report.SectionKernels, s.result.Len(), s.fill, s.columns()...)
	t.Main, t.Attention, t.Form = s.kernels, s.attention, report.Browser
	t.Columns[t.Column("total")].Decimals = s.decimals
	return t
}

func (s *rowSet) fill(i int, into *kernelRow) {
	r := s.result.Bare(i, &into.row)
	into.ValidateRow.set(s.result, r)
	into.Device, into.Finding = r.Device, finding(r)
	into.Basis, into.Limits, into.Label, into.Because = report.BasisText(r.Basis), "", "", evidence{s.result, r}
	if i < len(s.labels) {
		into.Label = s.labels[i]
	}
	if p := into.Predicted; p != nil {
		into.Limits = strings.Join(p.Limits, ", ")
	}
	into.ThreadsPredicted, into.IdleLanes, into.TimeShare = r.ThreadsPredicted(), r.IdleLanes(), s.result.TimeShare(r)
	into.parts.set(r, into.Account != nil, s.result)
	into.DispatchRate, into.HostTime = unit.Opt[float64]{}, seconds{}
	if t, timed := s.hostTimes[i]; timed {
		into.HostTime = unit.Some(t)
	}
	if rate, ok := r.DispatchRate().Value(); ok {
		into.DispatchRate = unit.Some(rate / 1e6)
	}
}

// evidence is the text of a bare row's cause, which is made where it is shown.
type evidence struct {
	of  *compare.Result
	row *compare.Row
}

// Cell implements the cells of Rows.
func (e *evidence) Cell() report.Cell {
	e.of.Tell(e.row)
	return report.TextCell(because(e.row))
}

// set takes over a row, without its notes and the causes of its account.
func (v *ValidateRow) set(of *compare.Result, r *compare.Row) {
	*v = ValidateRow{account: v.account,
		Task: report.Symbol(r.Task), Global: r.Global, Local: r.Local, SIMD: r.SIMD,
		Direction: unit.NonZero(string(r.Direction)),
		File:      unit.NonZero(r.Pos.File), Line: unit.NonZero(r.Pos.Line), Instances: r.Instances, Total: r.Total,
		Average: r.Average(), Peak: r.Peak, Measured: r.Measured, Idle: r.Idle, Loaded: r.BusyOccupancy, Threads: r.Threads,
		ThreadLife: r.ThreadLife, Basis: unit.NonZero(string(r.Basis)), Off: r.Difference, PeakOff: r.PeakDifference,
		Verdict: verdictWord(r.Verdict), Cause: report.NewCauseValue(r.Cause), Spread: launchesOf(r.Launches),
	}
	if r.Predicted != nil {
		v.prediction.Set(r.Predicted)
		v.Predicted = &v.prediction
	}
	// The figures without their causes, whose texts take longer than all else.
	if a, ok := of.Figures(r); ok {
		v.account.set(&a)
		v.Account = &v.account
	}
	if w := of.Worth(r); w.Verdict != "" {
		v.worth.set(w)
		v.Worth, v.account.Room = &v.worth, w.Room()
	}
}

func launchesOf(s *ingest.Spread) *ValidateLaunches {
	if s == nil {
		return nil
	}
	v := &ValidateLaunches{Seconds: ValidateTimes{s.MinSeconds, s.MedianSeconds, s.MaxSeconds}}
	if low, ok := s.MinMeasured.Value(); ok {
		v.Measured = &ValidateSpread{low, s.MedianMeasured.Or(0), s.MaxMeasured.Or(0)}
	}
	return v
}

// jsonRow is a row of the JSON output with the memory that it is made from.
type jsonRow struct {
	ValidateRow
	row compare.Row
}

// jsonRows gives the rows of the JSON output one by one.
// Rows are made on all cores while the ones before are written, see package ahead.
func jsonRows(r *compare.Result) iter.Seq[*ValidateRow] {
	fill := func(i int, v *jsonRow) {
		row := r.Row(i, &v.row)
		v.set(r, row)
		if v.Account != nil {
			v.account.setCauses(r.Account(row))
		}
		v.Notes = report.NoteValues(rowNotes(row))
	}
	return func(yield func(*ValidateRow) bool) {
		for _, v := range ahead.Items(r.Len(), fill) {
			if !yield(&v.ValidateRow) {
				return
			}
		}
	}
}

// rowNotes are the notes of a row; the reason why a kernel has no prediction is one of them.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPrediction == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	for _, n := range r.Notes {
		if n.Text == r.NoPrediction {
			return r.Notes
		}
	}
	// A full slice expression below: the notes of the row are shared, and appending must not write into them.
	why := note.Note{Severity: note.Info, Code: "no-prediction", Pos: r.Pos, Text: r.NoPrediction}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}

// Rows is the table of the CSV output, of one run or of several below each other.
func Rows(show report.Selection, results ...*compare.Result) *report.Table {
	ends := make([]int, len(results)) // of each run's rows in the table
	n := 0
	results = slices.Clone(results)
	for i, r := range results {
		results[i] = shown(r, show)
		n += results[i].Len()
		ends[i] = n
	}
	// CSV has no notes; what a row lacks is an empty cell there.
	type csvRow struct {
		ValidateRow
		row compare.Row // memory
	}
	return report.CSV("rows", n, func(i int, into *csvRow) {
		k, _ := slices.BinarySearch(ends, i+1)
		first := 0
		if k > 0 {
			first = ends[k-1]
		}
		row := results[k].Bare(i-first, &into.row)
		results[k].Tell(row)
		into.set(results[k], row)
	})
}
