package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"occudiff/internal/testenv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// box is a package as a box in the architecture chart.
type box struct {
	name    string
	level   int // one more than the highest level of an imported package
	x, y, w float64
	to      []string // imported packages, without indirect imports
}

// reaches reports whether a package may import another package, directly or
// indirectly.
func reaches(from, to string) bool {
	return slices.ContainsFunc(arrows[from], func(next string) bool { return next == to || reaches(next, to) })
}

// levels returns the boxes of the packages by level, highest level first.
// Internal packages are left out.
func levels() (rows [][]*box, at map[string]*box) {
	at = map[string]*box{}
	var place func(name string) *box
	place = func(name string) *box {
		if at[name] != nil {
			return at[name]
		}
		b := &box{name: name}
		for _, to := range arrows[name] {
			if strings.Contains(to, "internal/") {
				continue
			}
			b.level = max(b.level, place(to).level+1)
			if !slices.ContainsFunc(arrows[name], func(by string) bool { return by != to && reaches(by, to) }) {
				b.to = append(b.to, to)
			}
		}
		at[name] = b
		return b
	}
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		if strings.Contains(name, "internal/") {
			continue
		}
		b := place(name)
		for len(rows) <= b.level {
			rows = append(rows, nil)
		}
		rows[b.level] = append(rows[b.level], b)
	}
	slices.Reverse(rows)
	return rows, at
}

// arrange assigns a position to each box. A row is sorted by folders, and
// within a folder by the positions of the imported packages.
func arrange(rows [][]*box, at map[string]*box) {
	const width, letter = 1280, 6.7
	folders := []string{"cmd", "report", "compare", "predict", "ingest", "fixtures"}
	for i, row := range slices.Backward(rows) {
		below := func(b *box) (sum float64) {
			for _, to := range b.to {
				sum += at[to].x / float64(len(b.to))
			}
			return sum
		}
		slices.SortStableFunc(row, func(a, b *box) int {
			folder := func(b *box) int { return slices.Index(folders, strings.Split(b.name, "/")[0]) }
			return cmp.Or(cmp.Compare(folder(a), folder(b)), cmp.Compare(below(a), below(b)))
		})
		free := float64(width)
		for _, b := range row {
			b.w = letter*float64(len(b.name)) + 16
			free -= b.w
		}
		x := free / float64(len(row)+1)
		for _, b := range row {
			b.x, b.y = x+b.w/2, float64(40+i*92)
			x += b.w + free/float64(len(row)+1)
		}
	}
}

// chart returns the chart as SVG.
func chart() []byte {
	rows, at := levels()
	arrange(rows, at)
	fill := map[string]string{"cmd": "#e6ddf5", "report": "#d9e9fb", "compare": "#d8f0df", "predict": "#fbecc8",
		"ingest": "#f9dcd6", "fixtures": "#e8e8e8"}
	var lines, boxes, names bytes.Buffer
	for _, row := range rows {
		for _, b := range row {
			for _, name := range b.to {
				to := at[name]
				bend := (to.y - b.y) / 2
				fmt.Fprintf(&lines, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"/>\n", b.x, b.y+13, b.x, b.y+bend,
					to.x, to.y-bend, to.x, to.y-15)
			}
			fmt.Fprintf(&boxes, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"26\" rx=\"4\" fill=\"%s\"/>\n",
				b.x-b.w/2, b.y-13, b.w, fill[strings.Split(b.name, "/")[0]])
			fmt.Fprintf(&names, "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", b.x, b.y+4, b.name)
		}
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 %d" font-family="sans-serif" font-size="12">
<title>Packages of occudiff by level, and what they import; arrows that follow from others are left out</title>
<rect width="100%%" height="100%%" fill="white"/>
<marker id="tip" markerWidth="7" markerHeight="6" refX="6" refY="3" orient="auto"><path d="M0 0L7 3L0 6z" fill="#777"/></marker>
<g fill="none" stroke="#999" marker-end="url(#tip)">
%s</g>
<g stroke="#555">
%s</g>
<g text-anchor="middle">
%s</g>
</svg>
`, len(rows)*92-10, &lines, &boxes, &names)
}

// TestArchitectureChart checks that the chart in the documentation is drawn
// from the current content of arrows.
func TestArchitectureChart(t *testing.T) {
	testenv.Golden(t, filepath.Join("..", "..", "docs", "design", "architecture.svg"), chart())
}
