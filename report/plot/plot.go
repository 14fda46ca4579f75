// Package plot draws the plots of a report as SVG: lines, and the bars of a table.
//
// There is one technique. A pen writes elements straight into a buffer, in CSS pixels from the top left corner; a scale
// maps values to pixels; axes, legends and titles are drawn by the same few functions for every kind of plot. No
// drawing library is linked, because the package also runs in a browser, where every megabyte counts.
//
// A picture is drawn for a width. A narrow one is drawn anew rather than scaled down, so that its text stays readable
// on a phone. Colors are named by what they are for: a page defines them as CSS variables, for light and dark; a file
// has them written out. Names are escaped wherever they come from, and the same plot always gives the same bytes.
//
// The package does not know kernels, devices or what the numbers mean, nor the page around a picture.
package plot

import (
	"errors"

	"occudiff/report"
)

// Look says what a picture is drawn for.
type Look struct {
	// Inline draws for a page that defines the colors as CSS variables (see Variables) and prints the title itself.
	// Otherwise the picture stands alone: with a title, a white background and fixed colors.
	Inline bool
	// Width is that of the picture in CSS pixels; 0 is what suits the kind of plot. Below 480 the picture is laid out
	// for a phone, without the tooltips that a finger cannot ask for.
	Width float64
}

// Draw draws a plot as SVG; it is an error where there is nothing to draw.
func Draw(p *report.Plot, l Look) ([]byte, error) {
	switch {
	case p.TimeSeries != nil:
		return drawTimeSeries(p, l), nil
	case p.LineChart != nil:
		return drawLineChart(p, l)
	}
	return nil, errors.New("plot " + p.Key + " has no picture")
}
