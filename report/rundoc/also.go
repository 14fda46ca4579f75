package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// elsewhere is a kernel of the run with its prediction for another device.
type elsewhere struct {
	*compare.Row
	device *arch.Device
	compare.Elsewhere
}

// elsewhereColumns are the columns for predictions on other devices.
var elsewhereColumns = append([]report.Col[elsewhere]{
	report.Define("task", "Kernel",
		func(e *elsewhere) string { return e.Task },
		report.Name, report.Cut, report.Code),
	report.Define("global", "Global",
		func(e *elsewhere) unit.Size3 { return e.Global },
		report.Drop(3), report.Code),
	report.Define("local", "Local",
		func(e *elsewhere) unit.Size3 { return e.Local },
		report.Drop(2), report.Code),
	report.Define("simd", "SIMD",
		func(e *elsewhere) unit.Opt[int] { return e.SIMD },
		report.Drop(1)),
	report.Define("device", "Device",
		func(e *elsewhere) string { return e.device.Key }),
	report.Define("message", "Remark",
		func(e *elsewhere) string { return e.Remark },
		report.NonZero, report.Fold),
}, report.Part("", "predicted",
	func(e *elsewhere) *predict.Prediction { return e.Elsewhere.Predicted },
	predictdoc.KernelPrediction)...)

// elsewhereTable returns a table with the prediction of each kernel for each of
// the other devices.
func elsewhereTable(r *compare.Result) *report.Table {
	list := []elsewhere{}
	for i := range r.Rows {
		for _, d := range r.Options.Also {
			if row := &r.Rows[i]; row.Verdict != compare.NotAKernel {
				list = append(list, elsewhere{row, d, r.On(row, d)})
			}
		}
	}
	return report.NewTable("also", "", list, elsewhereColumns)
}

// elsewhereSection shows the predictions on other devices.
func elsewhereSection(r *compare.Result) report.Section {
	s := report.Section{
		Key:   "also",
		Title: "On other devices",
		Sheet: "Other devices",
	}
	if len(r.Options.Also) > 0 {
		s.Tables = []*report.Table{elsewhereTable(r).Show("task", "device", "global", "local", "simd",
			"predicted_peak_percent", "predicted_average_percent", "predicted_average_high_percent", "limits",
			"message")}
	}
	return s
}

// elsewhereFigures returns summary columns with the predictions for other
// devices, and the limits of these predictions.
func elsewhereFigures(r *compare.Result) (list []report.Col[line]) {
	for _, d := range r.Options.Also {
		list = append(list, report.Shown("also_"+d.Key, "On "+d.Key, func(l *line) string {
			var first *compare.Elsewhere
			all := spanOf(r, l, func(row *compare.Row) span {
				e := r.On(row, d)
				if first == nil {
					first = &e
				}
				if e.Predicted == nil {
					return span{}
				}
				return spanOfPrediction(e.Predicted)
			})
			if first.Predicted == nil {
				return "not predicted"
			}
			text := all.text(r.Options.Tolerance)
			if names := first.Predicted.Limits.Names(); len(names) > 0 {
				text += " " + names[0]
			}
			return text
		}, report.Right, report.WithUnits))
	}
	return list
}
