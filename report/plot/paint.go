package plot

import (
	"fmt"
	"strings"
)

// paint is a color by what it is for. On a page it is a CSS variable, so that a dark page has its own.
type paint int

// The paints. Hues follow from hue0.
const (
	ground  paint = iota
	text1         // titles
	text2         // labels
	muted         // ticks
	axis          // lines of axes
	gridInk       // lines across
	band          // what still agrees
	mark1         // what stands out
	line1
	level1 // what is of no interest
	good
	part0 // the six parts of an account
	hue0  = part0 + 6
)

// hues is how many colors tell groups apart.
const hues = 6

type shade struct{ name, light, dark string }

// shades are the paints on white and on a dark page; those of series, marks and text have a contrast of 3:1 and of
// 4.5:1 at least on both grounds.
func shades() [hue0 + hues]shade {
	return [hue0 + hues]shade{
		{"ground", "#ffffff", "#151b23"},
		{"text1", "#1b2430", "#e8edf4"},
		{"text2", "#3b4757", "#c3ccd8"},
		{"muted", "#566375", "#9aa7b8"},
		{"axis", "#8793a3", "#6b7889"},
		{"grid", "#e6eaf0", "#2a3441"},
		{"band", "#dff1e4", "#163524"},
		{"mark1", "#b7791f", "#d8a03f"},
		{"line1", "#1f6feb", "#5aa2ff"},
		{"level1", "#b9c6d8", "#3d4c60"},
		{"good", "#1a7f37", "#3fb950"},
		{"part0", "#12499b", "#8fb8ff"},
		{"part1", "#0a8f96", "#3ac5cf"},
		{"part2", "#8250df", "#bc8cff"},
		{"part3", "#bf3989", "#f778ba"},
		{"part4", "#cfc6b4", "#5e574b"},
		{"part5", "#e9e3d7", "#3a362f"},
		{"hue0", "#c9252d", "#ff7b72"},
		{"hue1", "#6f6a00", "#b5b02e"},
		{"hue2", "#66707e", "#a3afbf"},
		{"hue3", "#1f6feb", "#5aa2ff"},
		{"hue4", "#9a6700", "#d9a52b"},
		{"hue5", "#bc4c00", "#f58a4a"},
	}
}

func (p paint) css(l Look) string {
	if !l.Inline {
		return shades()[p].light
	}
	return "var(--plot-" + shades()[p].name + ")"
}

// Variables gives the CSS declarations of the colors that inline pictures use, on a light or on a dark page.
func Variables(dark bool) string {
	var b strings.Builder
	for _, s := range shades() {
		c := s.light
		if dark {
			c = s.dark
		}
		fmt.Fprintf(&b, "--plot-%s:%s;", s.name, c)
	}
	return b.String()
}
