package computeunit

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed platforms.csv
var platformsCSV string

// Table is a list of platforms. It is not changed by look-ups, and With makes a new one.
type Table struct{ platforms []Platform }

// Builtin reads the embedded platforms: gen11, rtx2080ti and mali_g52.
func Builtin() (*Table, error) {
	platforms, err := read("platforms.csv (embedded)", strings.NewReader(platformsCSV))
	if err != nil {
		return nil, err
	}
	return &Table{platforms}, nil
}

// With gives a table with further platforms; one whose key is there already replaces it.
func (t *Table) With(more []Platform) *Table {
	return &Table{append(slices.DeleteFunc(slices.Clone(t.platforms), func(old Platform) bool {
		return slices.ContainsFunc(more, func(p Platform) bool { return normalized(p.Key) == normalized(old.Key) })
	}), more...)}
}

// Keys lists the keys of the platforms in the order of their file.
func (t *Table) Keys() (keys []string) {
	for _, p := range t.platforms {
		keys = append(keys, p.Key)
	}
	return keys
}

// Find gives the platform of a key; case, spaces, `-` and `_` do not matter, and the prefix `cu:` may stand before it.
func (t *Table) Find(key string) (Platform, error) {
	for _, p := range t.platforms {
		if normalized(p.Key) == normalized(key) {
			return p, nil
		}
	}
	return Platform{}, fmt.Errorf("platform %q is not known; expected one of %s, or a platform file that has it",
		key, strings.Join(t.Keys(), ", "))
}

func normalized(key string) string {
	key = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(key)), "cu:")
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(key)
}
