package diffdoc

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/compare/diff"
	"occudiff/report"
)

// KernelSensitivity is how the time of a kernel goes with its occupancy, over all sides.
type KernelSensitivity struct {
	Task string
	diff.Sensitivity
}

// sensitivityTable has them for JSON.
func sensitivityTable(list []KernelSensitivity) *report.Table {
	task := report.Define(column{Path: "task", Always: true, Kind: report.Name},
		func(k *KernelSensitivity) cell { return report.NameCell(k.Task) })
	return report.NewTable("sensitivities", "", list, append([]report.Col[KernelSensitivity]{task},
		report.Within("", "", func(k *KernelSensitivity) *diff.Sensitivity { return &k.Sensitivity },
			sensitivityColumns)...))
}

// mostCurves is how many kernels a report draws time against occupancy of.
const mostCurves = 5

// sensitivitiesOf gives those of two sides, of the kernels that take most attention.
func sensitivitiesOf(d *diff.Result) (list []KernelSensitivity) {
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.IsKernel && r.Verdict != diff.Unchanged && r.Sensitivity != nil && len(list) < mostCurves {
			list = append(list, KernelSensitivity{r.Task, *r.Sensitivity})
		}
	}
	return list
}

// sensitivitiesOfSides gives those of several sides.
// With more than two sides the points are a curve, which tells a level from a slope.
func sensitivitiesOfSides(s *diff.Sides) []KernelSensitivity {
	list := []KernelSensitivity{}
	for i := range s.Kernels {
		if of := s.Kernels[i].Sensitivity(); of != nil {
			list = append(list, KernelSensitivity{s.Kernels[i].Worst().Task, *of})
		}
	}
	return list
}

// curveColumns are a run in the table that a curve is drawn from.
// Times are over the shortest, since their unit says nothing: work-items of two kernels differ.
var curveColumns = []report.Col[diff.RunOfLine]{
	report.Define(column{Key: "occupancy", Title: "Occupancy", Kind: report.Percent, In: report.Sheet}, func(r *diff.RunOfLine) cell { return report.NumCell(report.Percent, r.Occupancy) }),
	report.Define(column{Key: "time", Title: "Time per work-item / the shortest", Kind: report.Number, Decimals: 3, In: report.Sheet}, func(r *diff.RunOfLine) cell { return report.NumCell(report.Number, r.Time) }),
}

// sensitivitySections say what time does where occupancy changes, with a curve for each of the first kernels; there is
// none where no kernel tells it.
func sensitivitySections(list []KernelSensitivity) []report.Section {
	if len(list) == 0 {
		return nil
	}
	s := report.Section{Key: "sensitivity", Title: "Time against occupancy", Sheet: "Sensitivity",
		ItemsIn: report.Everywhere}
	for i, k := range list[:min(len(list), mostCurves)] {
		name, key := report.KernelName(k.Task), fmt.Sprintf("curve-%d", i+1)
		s.Items = append(s.Items, report.Item{Lead: name, Text: k.String()})
		runs := slices.SortedFunc(slices.Values(k.Relative), func(a, b diff.RunOfLine) int {
			return cmp.Compare(a.Occupancy, b.Occupancy)
		})
		t := report.NewTable(key, name, runs, curveColumns).Show()
		t.In = report.Sheet
		s.Tables = append(s.Tables, t)
		line := report.LineSeries{Name: "runs", Style: report.Marks}
		for _, r := range runs {
			line.Points = append(line.Points, report.Point{X: r.Occupancy, Y: r.Time})
		}
		s.Plots = append(s.Plots, report.Plot{Key: key, Title: "Time per work-item over occupancy: " + name,
			Unit: "times the shortest", Text: "Where the points lie on a level, occupancy is enough.",
			LineChart: &report.LineChart{X: "Occupancy [%]", Y: "Time per work-item",
				Series: []report.LineSeries{line}}})
	}
	return []report.Section{s}
}
