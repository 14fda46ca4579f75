package trackdoc

import (
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// value is the value of a series in one run.
type value struct {
	*track.Series
	history.Point
	ref   *track.Ref
	level number // median of the runs in the same segment, between two incidents
	bad   bool
}

// valueTable lists every value of every series, for a workbook.
func (v *view) valueTable() *report.Table {
	var rows []value
	for _, s := range v.series {
		levels, bad := v.levels(s, 0), false
		for i, p := range s.Points {
			bad = bad || isRegressed(s) && p.Run == s.Open[0].FirstBad.Run
			row := value{
				Series: s,
				Point:  p,
				ref:    s.Ref(i, v.Refs),
				bad:    bad,
			}
			at := slices.IndexFunc(levels, func(l report.Segment) bool { return l.From <= i && i < l.To })
			if at >= 0 {
				row.level = unit.Some(levels[at].Mean / v.scale())
			}
			rows = append(rows, row)
		}
	}
	columns := keyColumns(v.metric, func(r *value) *history.Key { return &r.Series.Key })
	columns = append(columns,
		report.Shown("run", "Run",
			func(r *value) int64 { return r.Point.Run }),
		report.Shown("time", "Collected",
			func(r *value) string { return when(r.Time) }))
	columns = append(columns, commitColumns("Commit",
		func(r *value) string { return r.ref.Commit })...)
	columns = append(columns,
		report.Shown("label", "Label",
			func(r *value) string { return r.ref.Label },
			report.NonZero),
		figure(v.metric, "value", v.Title(),
			func(r *value) float64 { return r.Value },
			report.Bar),
		figure(v.metric, "median", "Median",
			func(r *value) number { return r.level }),
		report.Shown("verdict", "Verdict", func(r *value) report.Word {
			if r.bad {
				return report.Bad.Word("regressed")
			}
			return report.Word{}
		}))
	t := report.NewTable("values", "Values of each run", rows, columns).
		Show("series", "run", "time", "commit", "value", "median", "verdict")
	t.In = report.Sheet
	return t
}
