package rundoc_test

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// TestSeries checks which runs are a series, and the table and the charts of a
// series. 112 work-groups of 8 threads fill the GPU.
func TestSeries(t *testing.T) {
	kernel := func(name string, groups int64) ingest.Kernel {
		return ingest.Kernel{Task: name, Global: unit.Size(256 * groups), Local: unit.Size(256), SIMD: unit.Some(32),
			Instances: unit.Some[int64](1), Total: unit.Some(unit.Seconds(0.1 + float64(groups)/1000)),
			Idle: unit.Some(unit.Ratio(0.2)), Peak: unit.Some(unit.Ratio(min(float64(groups)/112, 1)))}
	}
	measured := func(k ingest.Kernel) ingest.Kernel {
		k.Measured = unit.Some(unit.Ratio(0.5))
		return k
	}
	for _, c := range []struct {
		reason  string
		kernels []ingest.Kernel
		groups  string // numbers of work-groups in the rows of the table
		series  string // names of the series in the charts
	}{
		{"rows are in the order of work-groups, not of time",
			[]ingest.Kernel{kernel("K<120>(int)", 120), kernel("K<100>(int)", 100), kernel("K<8>(int)", 8)}, "8 100 120",
			"GPU time, the GPU is full; predicted average, measured bounds, VTune peak, the GPU is full"},
		{"a measured value needs no bounds",
			[]ingest.Kernel{measured(kernel("K<120>", 120)), measured(kernel("K<100>", 100)), measured(kernel("K<8>", 8))},
			"8 100 120", "GPU time, the GPU is full; predicted average, measured, VTune peak, the GPU is full"},
		{"a single wave",
			[]ingest.Kernel{kernel("K<9>", 9), kernel("K<7>", 7), kernel("K<8>", 8)}, "7 8 9",
			"GPU time; predicted average, measured bounds, VTune peak"},
		{"other kernels are no series",
			[]ingest.Kernel{kernel("K<9>", 9), kernel("L<7>", 7), kernel("K<8>", 8)}, "", ""},
		{"several kernels with the same size are not a series",
			[]ingest.Kernel{kernel("K<9>", 9), kernel("K<7>", 7), kernel("K<8>", 7)}, "", ""},
	} {
		r := compare.Compare(&ingest.Run{Kernels: c.kernels},
			compare.Choice{Choice: arch.Choice{Device: sample.Device()}}, compare.DefaultOptions())
		d := rundoc.FromResult(r, report.Provenance{})
		section := sample.Section(d, "work-groups")
		if section == nil {
			section = &report.Section{}
		}
		var charts []string
		for _, p := range section.Plots {
			names := report.ListOf(p.LineChart.Series, func(s report.LineSeries) string { return s.Name })
			charts = append(charts, strings.Join(names, ", "))
		}
		if got := strings.Join(charts, "; "); got != c.series {
			t.Errorf("%s: charts of %q; want %q", c.reason, got, c.series)
		}
		var groups []string
		for _, table := range section.Tables {
			for row := range table.Len {
				groups = append(groups, fmt.Sprint(table.Cell(row, table.Column("groups")).Int))
			}
		}
		if got := strings.Join(groups, " "); got != c.groups {
			t.Errorf("%s: work-groups %q; want %q", c.reason, got, c.groups)
		}
		if has := d.Summary.Rows.Column("groups") >= 0; has != (c.groups != "") {
			t.Errorf("%s: the summary has work-groups: %t", c.reason, has)
		}
	}
}
