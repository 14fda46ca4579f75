package arch

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// unknown makes the error for a name that nothing answers to, with the devices that come nearest to it.
func (t *Table) unknown(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("no device is named; give --device NAME " +
			"(a key, name, alias or PCI id; 'occudiff devices' lists them)")
	}
	near := ""
	w := takeApart(name)
	if asked := squash(w.name + w.brackets); asked != "" && len(asked) <= maxWord { // else nothing is near to it
		found := t.near(asked, max(2, len(asked)/3)) // a third of the letters may be wrong
		if len(found) > 0 {
			near = "; did you mean " + unit.Listed(found[:min(5, len(found))], "or") + "?"
		}
	}
	return note.Faultf("unknown-device", note.Pos{}, "'occudiff devices' lists all, --device-file FILE adds one",
		"device %s is not in the device table%s", quoted(name), near)
}

// near gives the keys of the devices of which a name, alias or family is within the limit, the nearest first; of equally
// near ones those whose key is near.
func (t *Table) near(asked string, limit int) (keys []string) {
	best := map[string]int{} // distance of the nearest name of each key
	meet := func(distance int, keys ...string) {
		for _, k := range keys {
			if old, met := best[k]; !met || distance < old {
				best[k] = distance
			}
		}
	}
	for _, row := range t.families {
		of := []string(row.Devices)
		if row.Default != "" {
			of = []string{string(row.Default)}
		}
		for _, n := range row.Names {
			meet(levenshtein.ComputeDistance(asked, squash(n)), of...)
		}
	}
	own := map[string]int{}
	for i := range t.devices {
		d := &t.devices[i]
		own[d.Key] = levenshtein.ComputeDistance(asked, squash(d.Key))
		meet(own[d.Key], d.Key)
		for _, n := range append([]string{d.Name}, d.Aliases...) {
			s := squash(n)
			meet(min(levenshtein.ComputeDistance(asked, s),
				levenshtein.ComputeDistance(shorten(asked), shortest(shorten(s)))), d.Key)
		}
		if n := best[d.Key]; n <= limit && n < len(asked) {
			keys = append(keys, d.Key)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(best[a], best[b]), cmp.Compare(own[a], own[b]))
	})
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
