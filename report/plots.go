package report

import (
	"iter"
)

// Plots gives the plots of the sections that a view shows, and of their items, in reading order.
func (d *Document) Plots(in View) iter.Seq[*Plot] {
	return func(yield func(*Plot) bool) {
		for i := range d.Sections {
			s := &d.Sections[i]
			if !s.Shown(in) {
				continue
			}
			for k := range s.Plots {
				if !yield(&s.Plots[k]) {
					return
				}
			}
			for k := range s.Items {
				if p := s.Items[k].Plot; p != nil && s.ItemsIn&in != 0 && !yield(p) {
					return
				}
			}
		}
	}
}
