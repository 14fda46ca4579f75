package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// FromResult builds the report of a compared run: its screen, the table of its rows, a paragraph for each that needs
// one, and what it was made from. It keeps r: rows are read when a renderer asks for them.
func FromResult(r *compare.Result, prov report.Provenance) *report.Document {
	r = shown(r, prov.Show)
	d := &report.Document{
		Title:   "Predicted and measured GPU occupancy",
		Subject: "Run without a known device",
		Date:    r.Platform.Collected,
		Screen:  screenOf(r, prov.Show),
		Version: prov.Version,
		Headline: []string{"Sampling interval " + samplingText(r) + "; tolerance " +
			report.Shortest(float64(r.Options.Tolerance)) + " points"},
	}
	if on := r.Device; on != nil {
		d.Subject = "Run on " + report.OneLine(on.Name)
		d.Headline = append([]string{report.OneLine(predictdoc.DeviceLine(r.Device) + " (from " + r.ChosenBy + ")")}, d.Headline...)
	}
	d.Sections = slices.Concat([]report.Section{kernelSection(r), evidenceSection(r), launchSection(r)},
		overTimeSections(r), []report.Section{timingSection(r), noteSection(r), madeSection(r, prov)})
	return d
}

func kernelSection(r *compare.Result) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(r.Rows) > 0 {
		s.Tables = []*report.Table{kernelTable(r)}
	}
	return s
}
