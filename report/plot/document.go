// Package plot draws the plots of a report as SVG: bars of a table, points around a diagonal, levels over time. It does not
// know kernels, devices or what the numbers mean, nor the page around a picture; names come with the data.
package plot

import (
	"fmt"

	"occudiff/report"
)

// Look says for what a picture of a report is drawn.
type Look struct {
	// Inline draws for a page that defines the colours as CSS variables (see Variables) and gives the title itself.
	// Otherwise the picture stands alone: title, white ground, fixed colours.
	Inline bool
}

// Draw gives a plot of a report as SVG: bars of a table, a cloud around a diagonal, or levels over time. The same plot
// gives the same bytes.
func Draw(d *report.Document, p *report.Plot, l Look) ([]byte, error) {
	switch {
	case p.Cloud != nil:
		return drawCloud(p, l)
	case p.Profile != nil:
		return drawProfile(p, l)
	case p.Course != nil:
		return drawCourse(p, l)
	case p.Panels != nil:
		return drawPanels(p, l)
	}
	t := d.Table(p.Table)
	if t == nil {
		return nil, fmt.Errorf("plot %s: the report has no table %q to draw", p.Key, p.Table)
	}
	return drawBars(t, p, l)
}
