package computeunit

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Platform contains the resources of a GPU's compute unit. It is a row in a
// platform file, whose columns may have any order.
type Platform struct {
	Key    table.Name `csv:"key" table:"required"` // short and unique, for example gen11
	Name   table.Name `csv:"name" table:"required"`
	Blocks count      `csv:"processing_blocks" table:"required"` // per compute unit
	// sub-group states per block
	SubgroupsPerBlock count `csv:"subgroups_per_block" table:"required"`
	// maximum for one sub-group
	RegisterBytesPerSubgroup unit.Bytes `csv:"register_bytes_per_subgroup" table:"required"`
	// the compute unit's register file
	RegisterBytes unit.Bytes `csv:"register_bytes" table:"required"`
	SLM           unit.Bytes `csv:"slm_bytes" table:"required"` // per compute unit
	// work-groups that the hardware keeps active
	MaxGroups count `csv:"max_groups" table:"required"`

	ComputeUnits  count      `csv:"compute_units"`  // in the whole GPU; 0 if unknown
	SubgroupSizes counts     `csv:"subgroup_sizes"` // offered by the compiler, in ascending order; empty if unknown
	MaxGroupSize  count      `csv:"max_group_size"` // work-items per work-group; 0 if unknown
	Source        table.Name `csv:"source"`
	Confidence    table.Name `csv:"confidence"`
}

// count is a positive whole number, or 0 for an empty cell.
type count int64

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *count) UnmarshalCSV(cell string) error {
	if cell = strings.TrimSpace(cell); cell == "" {
		return nil
	}
	n, err := table.ParseCount(cell)
	if *c = count(n); err == nil && n == 0 {
		return errors.New("0 is not above 0")
	}
	return err
}

// counts are several distinct counts in ascending order.
type counts []count

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *counts) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		var n count
		if err := n.UnmarshalCSV(part); err != nil {
			return err
		}
		*c = append(*c, n)
	}
	slices.Sort(*c)
	*c = slices.Compact(*c)
	return nil
}

// subgroups returns a compute unit's sub-group states, which are the
// denominator of its occupancy.
func (p *Platform) subgroups() int64 { return int64(p.Blocks * p.SubgroupsPerBlock) }

// Table is a platform list, in file order.
type Table []Platform

//go:embed platforms.csv
var platformsCSV string

// Builtin returns the embedded platforms: gen11, rtx2080ti and mali_g52.
func Builtin() (Table, error) {
	return read("platforms.csv (embedded)", strings.NewReader(platformsCSV))
}

// ReadFile returns the platforms in a platform file.
func ReadFile(path string) (Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, note.Errorf("platform-file", note.Pos{File: path}, "give a CSV file with a row per platform",
			"the platform file cannot be opened: %v", note.Reason(err))
	}
	defer f.Close()
	return read(path, f)
}

// read returns the platforms in a platform file, which is CSV with a header and
// one platform per row. It returns all errors in the file at once, each with
// its position. If there is an error, it returns no platforms: an incomplete
// table would answer with a platform that the user intended to replace.
func read(file string, r io.Reader) (Table, error) {
	f := table.Format{Code: "platform-file", What: "platform file", Strict: true}
	f.Columns, f.Required = table.Columns[Platform]()
	s, err := table.Load(file, r, f)
	if err != nil {
		return nil, err
	}
	if len(s.Records) == 0 {
		return nil, note.Errorf(f.Code, note.Pos{File: file}, "the columns are "+strings.Join(f.Columns, ","),
			"the platform file has no rows; expected a header and a row for each platform")
	}
	first := map[string]int{} // a key's line
	return table.Convert(s, func(i int, p *Platform) (Platform, error) {
		if line, twice := first[normalized(string(p.Key))]; twice {
			return *p, note.Errorf(f.Code, s.Pos(i, ""), "use a different key for each platform",
				"platform %q is on line %d already", p.Key, line)
		}
		first[normalized(string(p.Key))] = s.Records[i].Line
		return *p, p.check(s, i)
	})
}

// check returns an error if a platform's values are invalid or contradict each
// other.
func (p *Platform) check(s *table.Sheet, i int) error {
	for k, n := range []unit.Bytes{p.RegisterBytesPerSubgroup, p.RegisterBytes, p.SLM} {
		if n == 0 {
			column := []string{"register_bytes_per_subgroup", "register_bytes", "slm_bytes"}[k]
			return note.Errorf("platform-file", s.Pos(i, column), "", "column %s: 0 is not above 0", column)
		}
	}
	if p.RegisterBytesPerSubgroup > p.RegisterBytes {
		return note.Errorf("platform-file", s.Pos(i, ""), "register_bytes counts the whole compute unit",
			"platform %q: one sub-group may use %d register bytes, but the compute unit has %d",
			p.Key, p.RegisterBytesPerSubgroup, p.RegisterBytes)
	}
	if p.MaxGroupSize > 0 && len(p.SubgroupSizes) > 0 && p.MaxGroupSize < p.SubgroupSizes[0] {
		return note.Errorf("platform-file", s.Pos(i, ""), "",
			"platform %q: the work-group maximum %d is below the smallest sub-group size %d",
			p.Key, p.MaxGroupSize, p.SubgroupSizes[0])
	}
	return nil
}

// With returns a table that includes the platforms of more. They replace
// platforms with the same key.
func (t Table) With(more Table) Table {
	return append(slices.DeleteFunc(slices.Clone(t), func(old Platform) bool {
		_, err := more.Find(string(old.Key))
		return err == nil
	}), more...)
}

// Keys returns the platform keys.
func (t Table) Keys() (keys []string) {
	for _, p := range t {
		keys = append(keys, string(p.Key))
	}
	return keys
}

// Find returns the platform with a key. Case, spaces, `-` and `_` do not
// matter, and the key may have the prefix `cu:`.
func (t Table) Find(key string) (Platform, error) {
	for _, p := range t {
		if normalized(string(p.Key)) == normalized(key) {
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
