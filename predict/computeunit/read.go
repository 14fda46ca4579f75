package computeunit

import (
	"io"
	"os"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// row is a line of a platform file; the columns may come in any order.
type row struct {
	Key                      table.Name   `csv:"key" table:"required"`
	Name                     table.Name   `csv:"name" table:"required"`
	Blocks                   table.Count  `csv:"processing_blocks" table:"required"`
	SubgroupsPerBlock        table.Count  `csv:"subgroups_per_block" table:"required"`
	RegisterBytesPerSubgroup unit.Bytes   `csv:"register_bytes_per_subgroup" table:"required"`
	RegisterBytes            unit.Bytes   `csv:"register_bytes" table:"required"`
	SLM                      unit.Bytes   `csv:"slm_bytes" table:"required"`
	MaxGroups                table.Count  `csv:"max_groups" table:"required"`
	ComputeUnits             table.Count  `csv:"compute_units"`
	SubgroupSizes            table.Counts `csv:"subgroup_sizes"`
	MaxGroupSize             table.Count  `csv:"max_group_size"`
	Source                   table.Name   `csv:"source"`
	Confidence               table.Name   `csv:"confidence"`
}

// ReadFile reads a platform file.
func ReadFile(path string) ([]Platform, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, note.Faultf("platform-file", note.Pos{File: path}, "give a CSV file with a row per platform",
			"the platform file cannot be opened: %v", note.Reason(err))
	}
	defer f.Close()
	return read(path, f)
}

// read reads a platform file: CSV with a header, a platform per row. It returns every fault of the file at once, each
// with its place, and no platforms unless the whole file is right: half a table would give answers for a platform that
// the user meant to replace.
func read(file string, r io.Reader) ([]Platform, error) {
	f := table.Format{Code: "platform-file", What: "platform file", Strict: true}
	f.Columns, f.Required = table.Columns[row]()
	s, err := table.Load(file, r, f)
	if err != nil {
		return nil, err
	}
	if len(s.Records) == 0 {
		return nil, note.Faultf(f.Code, note.Pos{File: file}, "the columns are "+strings.Join(f.Columns, ","),
			"the platform file has no rows; expected a header and a row for each platform")
	}
	first := map[string]int{} // line of a key
	return table.Convert(s, func(i int, r *row) (Platform, error) {
		p := r.platform()
		if line, twice := first[normalized(p.Key)]; twice {
			return p, note.Faultf(f.Code, s.Pos(i, ""), "give each platform a key of its own",
				"platform %q is on line %d already", p.Key, line)
		}
		first[normalized(p.Key)] = s.Records[i].Line
		return p, p.check(s, i)
	})
}

func (r *row) platform() Platform {
	slices.Sort(r.SubgroupSizes)
	p := Platform{
		Key: string(r.Key), Name: string(r.Name),
		Blocks: int64(r.Blocks.Or(0)), SubgroupsPerBlock: int64(r.SubgroupsPerBlock.Or(0)),
		RegisterBytesPerSubgroup: r.RegisterBytesPerSubgroup, RegisterBytes: r.RegisterBytes,
		SLM: r.SLM, MaxGroups: int64(r.MaxGroups.Or(0)),
		ComputeUnits: wide(r.ComputeUnits), MaxGroupSize: wide(r.MaxGroupSize),
	}
	for _, n := range slices.Compact(r.SubgroupSizes) {
		p.SubgroupSizes = append(p.SubgroupSizes, int64(n))
	}
	return p
}

func wide(c table.Count) unit.Opt[int64] {
	if n, ok := c.Value(); ok {
		return unit.Some(int64(n))
	}
	return unit.Opt[int64]{}
}

// check holds what the figures of a platform must fulfill.
func (p *Platform) check(s *table.Sheet, i int) error {
	smallest := int64(1)
	if len(p.SubgroupSizes) > 0 {
		smallest = p.SubgroupSizes[0]
	}
	for _, c := range []struct {
		column string
		value  int64
	}{
		{"processing_blocks", p.Blocks}, {"subgroups_per_block", p.SubgroupsPerBlock},
		{"register_bytes_per_subgroup", int64(p.RegisterBytesPerSubgroup)}, {"register_bytes", int64(p.RegisterBytes)},
		{"slm_bytes", int64(p.SLM)}, {"max_groups", p.MaxGroups}, {"compute_units", p.ComputeUnits.Or(1)},
		{"subgroup_sizes", smallest}, {"max_group_size", p.MaxGroupSize.Or(1)},
	} {
		if c.value < 1 {
			return note.Faultf("platform-file", s.Pos(i, c.column), "",
				"column %s: %d is not above 0", c.column, c.value)
		}
	}
	if p.RegisterBytesPerSubgroup > p.RegisterBytes {
		return note.Faultf("platform-file", s.Pos(i, ""), "register_bytes counts the whole compute unit",
			"platform %q: one sub-group may use %d register bytes, but the compute unit has %d",
			p.Key, p.RegisterBytesPerSubgroup, p.RegisterBytes)
	}
	if most, ok := p.MaxGroupSize.Value(); ok && len(p.SubgroupSizes) > 0 && most < smallest {
		return note.Faultf("platform-file", s.Pos(i, ""), "",
			"platform %q: the work-group maximum %d is below the smallest sub-group size %d", p.Key, most, smallest)
	}
	return nil
}
