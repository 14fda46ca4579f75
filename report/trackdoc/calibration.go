package trackdoc

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// calibration returns the section that compares the measurements of the whole
// history with their predictions.
func calibration(list []track.Calibration) report.Section {
	sec := tableSection(calibrationTable(list).Show())
	sec.Text = []string{"Measured occupancy minus the nearest end of the prediction, over all kernels and runs of " +
		"the history. Idle time and load imbalance also lower a measurement."}
	sec.ItemsIn = report.Everywhere
	for i := range list {
		sec.Items = append(sec.Items, report.Item{Lead: unknown(list[i].Device), Text: reading(&list[i])})
	}
	return sec
}

func calibrationTable(list []track.Calibration) *report.Table {
	return report.NewTable("calibration", "Calibration", list, calibrationColumns)
}

// unknown returns a text for people, or "unknown" if the text is empty.
func unknown(s string) string {
	return cmp.Or(report.OneLine(s), "unknown")
}

// confirmModel is the sentence with the command that distinguishes an error of
// the model from losses at run time.
const confirmModel = "'occudiff validate --fail-on model' compares the profiler's peak, which has no losses at run " +
	"time."

// reading returns the conclusions that the numbers of a group support. If a
// deviation has two possible explanations, it includes both.
func reading(c *track.Calibration) string {
	low, high := c.KernelLow.Or(0), c.KernelHigh.Or(0)
	interval := fmt.Sprintf("the median kernel differs by %s to %s points (95%% interval)",
		report.Signed(float64(low)), report.Signed(float64(high)))
	text := []string{"Driver " + unknown(c.Driver) + ", VTune " + unknown(c.VTune) + "."}
	switch c.Bias() {
	case track.BiasUndetermined:
		text = append(text, fmt.Sprintf("%s: at least %d are needed to detect an error of the model.",
			unit.Plural(c.Kernels, "kernel"), track.LeastCalibratedKernels))
	case track.BiasWithinNoise:
		text = append(text, "No error of the model is detected: "+interval+".")
	case track.BiasBelow:
		text = append(text, "Most kernels measure less than predicted: "+interval+". Either they lose occupancy at "+
			"run time (idle XVEs, load imbalance), or the model predicts too much for this device. "+confirmModel)
	case track.BiasAbove:
		text = append(text, "Most kernels measure more than predicted: "+interval+". Either the model or the launch "+
			"sizes are wrong, or other kernels ran at the same time. "+confirmModel)
	}
	d, drifts := c.Drift.Value()
	switch p, tested := c.DriftP.Value(); {
	case drifts:
		text = append(text, fmt.Sprintf("The later half of the runs is %s points from the earlier half (p %s).",
			report.Signed(float64(d)), rate(p)))
	case tested:
		text = append(text, "No drift is detected.")
	default:
		text = append(text, fmt.Sprintf("%s: at least %d are needed to detect a drift.",
			unit.Plural(c.Runs, "run"), track.LeastDriftRuns))
	}
	return strings.Join(append(text, toleranceText(c)), " ")
}

// toleranceText returns a sentence with the suggested tolerance, or with the
// reason why none is suggested.
func toleranceText(c *track.Calibration) string {
	rows := unit.Plural(c.Rows, "row")
	if x, ok := c.Tolerance.Value(); ok {
		return fmt.Sprintf("--tolerance %s accepts 90%% of %s.", report.Shortest(x), rows)
	}
	if c.Rows < track.LeastCalibrated || c.Kernels < track.LeastCalibratedKernels {
		return fmt.Sprintf("No tolerance is suggested for %s of %s: at least %d rows of %d kernels are needed.", rows,
			unit.Plural(c.Kernels, "kernel"), track.LeastCalibrated, track.LeastCalibratedKernels)
	}
	return fmt.Sprintf("No tolerance is suggested: 90%% of %s are within %s points, and a tolerance above %d would "+
		"accept kernels that lose as much.", rows, report.Decimal(float64(c.Within), 1), track.MostTolerance)
}

// leftOutText returns a text with the number of rows without a difference
// between measurement and prediction, by reason.
func leftOutText(c *track.Calibration) string {
	var text []string
	for _, reason := range slices.Sorted(maps.Keys(c.LeftOut)) {
		text = append(text, report.Thousands(c.LeftOut[reason])+" "+reason)
	}
	return strings.Join(text, ", ")
}

type calibrated = track.Calibration

var calibrationColumns = []report.Col[calibrated]{
	report.JSON("device",
		func(c *calibrated) string { return c.Device },
		report.NonZero),
	report.JSON("driver",
		func(c *calibrated) string { return c.Driver },
		report.NonZero),
	report.JSON("vtune_version",
		func(c *calibrated) string { return c.VTune },
		report.NonZero),
	report.Shown("device", "Device",
		func(c *calibrated) string { return unknown(c.Device) },
		report.Cut),
	report.Shown("driver", "Driver",
		func(c *calibrated) string { return unknown(c.Driver) },
		report.Cut,
		report.Drop(3)),
	report.Shown("vtune", "VTune",
		func(c *calibrated) string { return unknown(c.VTune) },
		report.Cut, report.Drop(2)),
	report.Define("runs", "Runs",
		func(c *calibrated) int { return c.Runs },
		report.Drop(6)),
	report.Define("kernels", "Kernels",
		func(c *calibrated) int { return c.Kernels },
		report.Drop(5)),
	report.Define("rows", "Compared rows",
		func(c *calibrated) int { return c.Rows },
		report.Brief("Rows")),
	report.Define("median", "Median difference",
		func(c *calibrated) unit.Points { return c.Median },
		report.Path("median_points")),
	report.Define("p10", "10th percentile",
		func(c *calibrated) unit.Points { return c.P10 },
		report.Brief("10%"),
		report.Drop(4),
		report.Path("p10_points")),
	report.Define("p90", "90th percentile",
		func(c *calibrated) unit.Points { return c.P90 },
		report.Brief("90%"),
		report.Path("p90_points")),
	report.JSON("kernel_low_points",
		func(c *calibrated) unit.Opt[unit.Points] { return c.KernelLow }),
	report.JSON("kernel_high_points",
		func(c *calibrated) unit.Opt[unit.Points] { return c.KernelHigh }),
	report.Define("drift", "Drift",
		func(c *calibrated) unit.Opt[unit.Points] { return c.Drift },
		report.Path("drift_points")),
	report.Define("bias", "Bias", (*calibrated).Bias),
	report.JSON("drift_p",
		func(c *calibrated) number { return c.DriftP }),
	report.Define("tolerance", "Suggested tolerance",
		func(c *calibrated) number { return unit.Float(c.Tolerance) },
		report.Brief("Tolerance"),
		report.Decimals(1),
		report.Unit("points"),
		report.Path("tolerance_points")),
	report.Define("left_out", "Rows left out", leftOutText, report.Fold, report.NonZero, report.Drop(1)),
}
