package compare

import (
	"math"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// A Group contains the kernels with the same finding: the same verdict, cause,
// confidence, and remedy, and names that differ only in numbers or template
// arguments. For example, 300 kernels with 0.3% of the time each form a few
// groups.
type Group struct {
	Rows []int       // rows of the result, in its order; the first row represents the group
	Fix  PossibleFix // remedy of all rows: At and From are 0 if they differ, and Bound is the largest bound

	Total optSeconds
	Lost  unit.Seconds // slot time of all rows below the prediction
	// Alike is the time of all kernels with the same finding, whatever their
	// names are.
	Alike unit.Seconds
}

// joined returns the remedy of a group: the values that two rows with the same
// remedy have in common.
func (h PossibleFix) joined(other PossibleFix) PossibleFix {
	if h.At != other.At || h.From != other.From {
		h.At, h.From = 0, 0
	}
	a, known := h.Bound.Value()
	b, alsoKnown := other.Bound.Value()
	h.Bound = unit.Maybe(max(a, b), known && alsoKnown)
	return h
}

// Drawn returns the mean breakdown of a group, weighted by time. ok is false if no
// kernel of the group has a breakdown.
func (r *Result) Drawn(g *Group) (mean ByPart[float64], ok bool) {
	weights := 0.0
	for _, i := range g.Rows {
		row := &r.Rows[i]
		if row.Breakdown == nil {
			continue
		}
		w := float64(row.Total.Or(1))
		weights += w
		for p, v := range row.Breakdown.Drawable() {
			mean[p] += w * v
		}
	}
	for p := range mean {
		mean[p] /= max(weights, math.SmallestNonzeroFloat64)
	}
	return mean, weights > 0
}

// finding contains the results that the kernels of a group have in common.
type finding struct {
	verdict   Verdict
	cause     string
	second    string // cause of a part that is nearly as large
	registers int
	remedy    Remedy
}

// Groups returns the kernels grouped by finding. If each is true, every kernel
// is its own group.
func (r *Result) Groups(each bool) []Group {
	type key struct {
		name, adapter string
		confidence    Confidence
		finding
	}
	list, place, alike := []Group{}, map[key]int{}, map[finding]unit.Seconds{}
	var found []finding // finding of each group
	patterns := names.Patterns{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict == NotAKernel {
			continue
		}
		of := finding{verdict: row.Verdict, remedy: row.Fix.Remedy}
		confidence := Confidence(0)
		if c := row.Cause; c != nil {
			of.cause, of.registers, confidence = c.Name, c.Registers, c.Confidence
			if second := row.SecondCause(); second != nil {
				of.second = second.Name
			}
		}
		alike[of] += row.Total.Or(0)
		k := key{adapter: row.Device, confidence: confidence, finding: of}
		at, known := 0, false
		if !each {
			k.name = patterns.Of(row.Task)
			at, known = place[k]
		}
		if !known {
			at = len(list)
			place[k] = at
			list, found = append(list, Group{Fix: row.Fix}), append(found, of)
		}
		g := &list[at]
		g.Fix = g.Fix.joined(row.Fix)
		g.Rows = append(g.Rows, i)
		g.Lost += row.Lost()
		if t, timed := row.Total.Value(); timed {
			g.Total = unit.Some(g.Total.Or(0) + t)
		}
	}
	for i := range list {
		list[i].Alike = alike[found[i]]
	}
	return list
}
