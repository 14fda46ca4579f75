package arch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknown makes the error for a name that nothing answers to, with the devices that come nearest to it.
func (t *Table) unknown(name string) error {
	const most = 5
	w := takeApart(name)
	asked := squash(w.name + w.brackets)
	if asked == "" || len(asked) > maxWord { // nothing is near to it
		return unknownName(name, nil)
	}
	found := t.near(asked, max(2, len(asked)/3)) // a third of the letters may be wrong
	return unknownName(name, found[:min(most, len(found))])
}

// near gives the keys of the devices of which a name, alias or family is within the limit, the nearest first.
func (t *Table) near(asked string, limit int) []string {
	type near struct {
		key           string
		distance, own int // of the nearest of its names, and of its key: of equally near ones the one that is called so
	}
	families := map[string]int{} // the distance of the nearest family of each key
	for _, row := range t.families {
		best := limit + 1
		for _, n := range row.Names {
			best = min(best, levenshtein.ComputeDistance(asked, squash(n)))
		}
		keys := []string(row.Devices)
		if row.Default != "" {
			keys = []string{string(row.Default)}
		}
		for _, k := range keys {
			if old, seen := families[k]; !seen || best < old {
				families[k] = best
			}
		}
	}
	var found []near
	for i := range t.devices {
		d := &t.devices[i]
		own := levenshtein.ComputeDistance(asked, squash(d.Key))
		best := own
		if n, ok := families[d.Key]; ok {
			best = min(best, n)
		}
		for _, n := range append([]string{d.Name}, d.Aliases...) {
			s := squash(n)
			best = min(best, levenshtein.ComputeDistance(asked, s),
				levenshtein.ComputeDistance(shorten(asked), shortest(shorten(s))))
		}
		if best <= limit && best < len(asked) {
			found = append(found, near{d.Key, best, own})
		}
	}
	slices.SortStableFunc(found,
		func(a, b near) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.own, b.own)) })
	keys := make([]string, len(found))
	for i, n := range found {
		keys[i] = n.key
	}
	return keys
}

// didYouMean gives a hint at the nearest of the known words, or nothing.
func didYouMean(word string, known []string) string {
	best, distance := "", 1+len(word)/2
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if n := levenshtein.ComputeDistance(strings.ToLower(word), k); n < distance {
			best, distance = k, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// maxWord is the longest word that is compared; no name of the table is longer.
const maxWord = 80
