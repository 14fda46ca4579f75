package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// This file is about series. A series is one kernel with several numbers of
// work-groups, such as the launches of vec_add. The table of a series has the
// columns of the table in Intel's thread-mapping exercise.

var digits = regexp.MustCompile("[0-9]+")

// isSeries reports whether the names of all rows differ only in numbers.
func isSeries(lines []line) bool {
	name := func(l line) string { return digits.ReplaceAllString(l.Task, "") }
	return len(lines) > 2 && !slices.ContainsFunc(lines, func(l line) bool { return name(l) != name(lines[0]) })
}

// isSweep reports whether the rows of a series differ only in the number of
// work-groups.
func isSweep(lines []line) bool {
	known := map[int64]bool{}
	return isSeries(lines) && !slices.ContainsFunc(lines, func(l line) bool {
		again := known[l.groups()]
		known[l.groups()] = true
		return l.groups() == 0 || again || l.kernels() > 1 || l.Local != lines[0].Local || l.SIMD != lines[0].SIMD
	})
}

// sortByGroups sorts the rows of a series by work-groups, and numbers them again.
func sortByGroups(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.groups(), b.groups()) })
	number := 0
	for i := range lines {
		if lines[i].number > 0 {
			number++
			lines[i].number = number
		}
	}
}

// groups returns the number of work-groups in the prediction, or 0 if it is
// unknown.
func (l *line) groups() int64 {
	if l.Predicted == nil {
		return 0
	}
	return l.Predicted.Groups
}

// beyondPage is the set of outputs in which a summary has room for all series
// columns.
const beyondPage = report.Terminal | report.Sheet

// seriesColumns returns the columns that only the table of a series has, with
// the predicted and the profiler's peak if they are wanted. A page shows them
// below the summary, where it has more room.
func seriesColumns(peak, vtunePeak bool) []report.Col[line] {
	grid := []report.Col[predict.Prediction]{
		report.Shown("groups", "Work-groups",
			func(p *predict.Prediction) int64 { return p.Groups }),
		report.Shown("items", "Work-items",
			func(p *predict.Prediction) int64 { return p.Groups * p.GroupSize },
			beyondPage, report.Drop(2)),
		report.Shown("group_threads", "Threads per work-group",
			func(p *predict.Prediction) int64 { return p.ThreadsPerGroup },
			beyondPage, report.Drop(1)),
		report.Shown("threads", "Threads",
			func(p *predict.Prediction) int64 { return p.Groups * p.ThreadsPerGroup },
			beyondPage, report.Drop(9)),
		report.Shown("xe_core", "Xe-core share", (*predict.Prediction).XeCoreShare, beyondPage, report.Drop(6)),
		report.Shown("waves", "Waves",
			func(p *predict.Prediction) float64 { return p.Waves },
			beyondPage,
			report.Decimals(2), report.Drop(8)),
	}
	return slices.Concat(report.Within("", "", func(l *line) *predict.Prediction {
		if l.groups() == 0 {
			return nil
		}
		return l.Predicted
	}, append(grid, when(peak, report.Shown("peak", "Predicted peak",
		func(p *predict.Prediction) unit.Ratio { return p.Peak },
		beyondPage, report.Drop(5)))...)), when(vtunePeak, report.Shown("vtune_peak", "VTune peak",
		func(l *line) percent { return l.Peak },
		beyondPage, report.Drop(4))), []report.Col[line]{
		report.Shown("started", "Threads started",
			func(l *line) unit.Opt[int64] { return l.Threads },
			beyondPage, report.Drop(7)),
		report.Shown("gpu_time", "GPU time",
			func(l *line) seconds { return l.Total },
			report.Unit("ms"), report.Decimals(1)),
		report.Shown("host", "Host time",
			func(l *line) seconds { return l.host },
			beyondPage, report.Unit("ms"), report.Decimals(1), report.Drop(3)),
	})
}

// time returns the GPU time, or the host time if the GPU time is unknown.
func (l *line) time() seconds {
	return cmp.Or(l.Total, l.host)
}

// secondWave describes the first row of a sorted series at which a second wave
// begins, if the time increases at this row.
func secondWave(lines []line) string {
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1].Predicted, lines[i].Predicted
		before, after := lines[i-1].time().Or(0), lines[i].time().Or(0)
		if a == nil || b == nil || a.Waves <= 0 || a.Waves > 1 || b.Waves <= 1 || after <= before {
			continue
		}
		return fmt.Sprintf("It takes longer where a second wave begins: "+
			"%d groups %s s, %d groups %s s (%d fill the GPU)", a.Groups, report.Decimal(before, 3),
			b.Groups, report.Decimal(after, 3), fullGPU(b))
	}
	return ""
}

// fullGPU returns the largest number of work-groups that run at once.
func fullGPU(p *predict.Prediction) int64 {
	return int64(math.Floor(float64(p.Groups)/p.Waves + 1e-9))
}

// mostGroups is the largest number of work-groups up to which a series chart
// shows the prediction for every number of work-groups.
const mostGroups = 2048

// seriesSection returns a section with the time and the occupancy of a series
// over the number of work-groups. The section is empty if the run is not a
// series.
func seriesSection(r *compare.Result, lines []line) report.Section {
	s := report.Section{
		Key:   "work-groups",
		Title: "Time and occupancy over work-groups",
		Sheet: "Trend",
		Open:  true,
	}
	if !isSweep(lines) {
		return s
	}
	lines = slices.Clone(lines)
	sortByGroups(lines)
	nameLines(r, lines)
	table := summaryTable(r, lines, nil, "")
	table.In = report.Page
	for i := range table.Columns {
		c := &table.Columns[i]
		onTerminal := c.In&report.Terminal != 0
		if c.In = 0; onTerminal { // the other columns repeat these values as numbers for a sheet
			c.In = report.Page
		}
	}
	table.Hide(report.Page, "why", "help") // the summary above already has these columns
	s.Tables = []*report.Table{table}
	last := lines[len(lines)-1].Row
	full := float64(fullGPU(last.Predicted))
	chart := func(key, title, in string, most float64, series ...report.LineSeries) {
		series = slices.DeleteFunc(series, func(s report.LineSeries) bool { return len(s.Points) == 0 })
		if len(series) == 0 {
			return
		}
		text := ""
		if last.Predicted.Waves > 1 {
			top := most
			for _, p := range series[0].Points {
				top = max(top, p.Y)
			}
			text = fmt.Sprintf("%g work-groups fill the GPU; the next one begins a second wave.", full)
			series = append(series, report.LineSeries{Name: "the GPU is full",
				Points: []report.Point{{X: full}, {X: full, Y: top}}})
		}
		s.Plots = append(s.Plots, report.Plot{
			Key:   key,
			Title: title + " over work-groups",
			Unit:  in,
			Max:   most,
			Text:  text,
			LineChart: &report.LineChart{
				X:      "Work-groups",
				Y:      title,
				XStep:  1,
				Series: series,
			},
		})
	}
	title := "GPU time"
	if !last.Total.Present() {
		title = "Host time"
	}
	chart("series-time", title, "ms", 0, marks(lines, report.LowerFirst(title), func(l *line) number {
		t, known := l.time().Value()
		return unit.Maybe(1e3*float64(t), known)
	}))
	measured := marks(lines, "measured",
		func(l *line) number { return unit.PercentOf(l.Measured) })
	peaks := marks(lines, "VTune peak",
		func(l *line) number { return unit.PercentOf(l.Peak) })
	chart("series-occupancy", "Occupancy", "%", 100, averages(r, last), boundsOf(lines), measured, peaks)
	return s
}

// marks returns a point for each row that has a value.
func marks(lines []line, name string, of func(*line) number) report.LineSeries {
	s := report.LineSeries{Name: name, Style: report.Marks}
	for i := range lines {
		if y, known := of(&lines[i]).Value(); known {
			s.Points = append(s.Points, report.Point{X: float64(lines[i].groups()), Y: y})
		}
	}
	return s
}

// averages returns the predicted average for every number of work-groups up to
// the number in the last row. The series is empty if there are too many
// numbers.
func averages(r *compare.Result, last *compare.Row) report.LineSeries {
	s := report.LineSeries{Name: "predicted average"}
	if last.Predicted.Groups > mostGroups {
		return s
	}
	var every []int64
	for n := range last.Predicted.Groups {
		every = append(every, n+1)
	}
	for _, p := range predict.SweepGroups(r.Device, r.LaunchOf(last), every) {
		s.Points = append(s.Points, report.Point{X: float64(p.X), Y: p.Prediction.Average.Percent()})
	}
	return s
}

// boundsOf returns a vertical line for each row without a measured occupancy.
// The line goes from the lowest to the highest occupancy that the XVE array
// state allows.
func boundsOf(lines []line) report.LineSeries {
	s := report.LineSeries{Name: "measured bounds"}
	for i := range lines {
		if high, bounded := lines[i].BoundHigh.Value(); bounded {
			x := float64(lines[i].groups())
			s.Points = append(s.Points, report.Point{X: x, Y: lines[i].BoundLow.Or(0).Percent()},
				report.Point{X: x, Y: high.Percent()}, report.Point{X: math.NaN()})
		}
	}
	return s
}
