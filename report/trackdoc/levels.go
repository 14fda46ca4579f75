package trackdoc

import (
	"slices"

	"occudiff/compare/track"
	"occudiff/report"
)

// levelTable lists what is open, and what was accepted and when.
func (r *whole) levelTable() *report.Table {
	type row struct {
		Series string      `csv:"series" col:"Kernel"`
		Device string      `csv:"device" col:"Device"`
		What   finding     `csv:"what" col:"What"`
		Run    int64       `csv:"run" col:"Since run"`
		Time   timestamp   `csv:"time" col:"Of [UTC]"`
		Commit *commit     `csv:"commit" col:"Commit"`
		Shift  report.Cell `csv:"shift"`
		Note   *string     `csv:"note" col:"Note"`
	}
	var rows []row
	// An acceptance of a whole run is found with each of its series, and is one row.
	seen := map[int64]bool{}
	for _, s := range r.series {
		if s.FirstBad != nil && s.NeedsAttention() {
			rows = append(rows, row{s.Key.Name(), s.Key.Device,
				finding(report.StatusCell(string(s.Outcome()), statusOf(s))), s.FirstBad.Run, stamp(s.FirstBad.Time),
				(*commit)(report.Filled(s.FirstBad.Commit)), report.NumCell(report.Points, r.scaled(s.Off())), nil})
		}
	}
	for _, s := range r.series {
		for _, a := range s.Accepted {
			if seen[a.ID] {
				continue
			}
			seen[a.ID] = true
			name, ref := "all kernels", r.Runs[a.Run]
			if a.Series != 0 {
				name = a.Key.Name()
			}
			rows = append(rows, row{name, s.Key.Device, finding(report.TextCell("accepted")), a.Run, stamp(ref.Time),
				(*commit)(report.Filled(ref.Commit)), report.Cell{}, report.Filled(a.Note)})
		}
	}
	return report.List("levels", "Open and accepted", rows, "series", "device", "what", "run", "time", "commit",
		"shift: Off the level ["+r.distanceUnit()+"]; kind=points", "note")
}

// noiseTable says how the values of each kernel scatter, those that scatter most first.
// It tells in which kernels a small drop can be seen at all, and where drift (a correlation) can look like one.
func (r *whole) noiseTable() *report.Table {
	type row struct {
		KeyValue
		track.Scatter
	}
	var rows []row
	for _, s := range r.series {
		if n, ok := s.Scatter(); ok && !s.Ended {
			// Of a series that is over nobody needs to know how well it could be judged.
			n.Deviation *= r.scale()
			rows = append(rows, row{r.key(s.Key), n})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return -slices.Compare([]float64{a.Deviation}, []float64{b.Deviation})
	})
	return report.List("noise", "Noise by kernel", rows, "series: Kernel", "device: Device", "driver: Driver", "runs",
		"deviation: Standard deviation ["+r.distanceUnit()+"]; kind=number; decimals=2", "correlation", "outliers")
}
