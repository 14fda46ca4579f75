package computeunit

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// maxFileBytes bounds a platform file: a row takes some 200 bytes, so that a larger file is another kind of file.
const maxFileBytes = 4 << 20

// requiredColumns and optionalColumns are what a platform file may hold, in any order.
const (
	requiredColumns = "key,name,processing_blocks,subgroups_per_block,register_bytes_per_subgroup,register_bytes,slm_bytes,max_groups"
	optionalColumns = "compute_units,subgroup_sizes,max_group_size,source,confidence"
)

// row is a line of a platform file. Its fields have types of our own, because gocsv reads an empty or broken number as
// some other number without an error.
type row struct {
	Key                      text     `csv:"key"`
	Name                     text     `csv:"name"`
	Blocks                   count    `csv:"processing_blocks"`
	SubgroupsPerBlock        count    `csv:"subgroups_per_block"`
	RegisterBytesPerSubgroup size     `csv:"register_bytes_per_subgroup"`
	RegisterBytes            size     `csv:"register_bytes"`
	SLM                      size     `csv:"slm_bytes"`
	MaxGroups                count    `csv:"max_groups"`
	ComputeUnits             optCount `csv:"compute_units"`
	SubgroupSizes            counts   `csv:"subgroup_sizes"`
	MaxGroupSize             optCount `csv:"max_group_size"`
	Source                   string   `csv:"source"`
	Confidence               string   `csv:"confidence"`
}

// Read reads a platform file: CSV with a header, a platform per row. It returns every fault of the file at once, each
// with its place (a *note.Fault joined by errors.Join), and no platforms unless the whole file is right: half a table
// would give answers for a platform that the user meant to replace.
func Read(file string, r io.Reader) ([]Platform, error) {
	records, err := readRecords(file, r)
	if err != nil {
		return nil, err
	}
	if err := checkHeader(file, records[0]); err != nil {
		return nil, err
	}
	if len(records) == 1 {
		return nil, note.Faultf("platform-file", note.Pos{File: file, Line: records[0].line}, "",
			"the platform file has a header and no platform")
	}
	var platforms []Platform
	var faults []error
	first := map[string]int{} // line of a key
	for _, rec := range records[1:] {
		p, err := decode(file, records[0], rec)
		if err == nil {
			err = p.checkAt(note.Pos{File: file, Line: rec.line}, first)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		first[normalised(p.Key)] = rec.line
		platforms = append(platforms, p)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return platforms, nil
}

// record is a line of the file with the places of its cells, which gocsv does not keep.
type record struct {
	cells  []string
	places []note.Pos
	line   int
}

func readRecords(file string, r io.Reader) ([]record, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the platform file: %w", file, err)
	}
	if len(data) > maxFileBytes {
		return nil, note.Faultf("platform-file", note.Pos{File: file}, "expected a CSV table with a row per platform",
			"the file is larger than %d MiB, which no platform file is", maxFileBytes>>20)
	}
	const bom = "\ufeff"
	cr := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(data), bom)))
	cr.FieldsPerRecord = -1 // counted below, with a better message
	var records []record
	for {
		cells, err := cr.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, syntaxFault(file, err)
		}
		rec := record{cells: cells}
		for i := range cells {
			line, column := cr.FieldPos(i)
			rec.places = append(rec.places, note.Pos{File: file, Line: line, Column: column})
		}
		rec.line = rec.places[0].Line
		records = append(records, rec)
	}
	if len(records) == 0 {
		return nil, note.Faultf("platform-file", note.Pos{File: file},
			"the first line names the columns: "+requiredColumns, "the platform file is empty")
	}
	return records, nil
}

func syntaxFault(file string, err error) error {
	var syntax *csv.ParseError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: reading the platform file: %w", file, err)
	}
	pos := note.Pos{File: file, Line: syntax.Line, Column: syntax.Column}
	if syntax.StartLine != syntax.Line { // a quote left open runs to the end of the file: point to where it can be closed
		pos = note.Pos{File: file, Line: syntax.StartLine}
	}
	return note.Faultf("platform-file", pos,
		`a cell with a comma or a quote stands in quotes, and a quote within is doubled`, "%v", syntax.Err)
}

// checkHeader makes sure that every column is known, once, and all required ones are there: gocsv would take what is
// missing for zeros.
func checkHeader(file string, header record) error {
	required := strings.Split(requiredColumns, ",")
	known := append(slices.Clone(required), strings.Split(optionalColumns, ",")...)
	seen := map[string]bool{}
	var faults []error
	for i, name := range header.cells {
		switch {
		case !slices.Contains(known, name):
			faults = append(faults, note.Faultf("platform-header", header.places[i],
				"columns are "+strings.Join(known, ", "), "column %q is not known", name))
		case seen[name]:
			faults = append(faults, note.Faultf("platform-header", header.places[i], "", "column %q occurs twice", name))
		}
		seen[name] = true
	}
	for _, name := range required {
		if !seen[name] {
			faults = append(faults, note.Faultf("platform-header", note.Pos{File: file, Line: header.line}, "", "column %q is missing", name))
		}
	}
	return errors.Join(faults...)
}

// decode lets gocsv fill the fields of one row and puts its errors where the cell is.
func decode(file string, header, rec record) (Platform, error) {
	if len(rec.cells) != len(header.cells) {
		return Platform{}, note.Faultf("platform-row", note.Pos{File: file, Line: rec.line}, "",
			"the row has %d cells; the header has %d", len(rec.cells), len(header.cells))
	}
	var rows []row
	err := gocsv.UnmarshalCSV(&oneRow{header: header.cells, cells: rec.cells}, &rows)
	var cell *csv.ParseError
	switch {
	case errors.As(err, &cell) && 1 <= cell.Column && cell.Column <= len(rec.places):
		i := cell.Column - 1
		return Platform{}, note.Faultf("platform-cell", rec.places[i], "", "column %s: %v", header.cells[i], cell.Err)
	case err != nil:
		return Platform{}, note.Faultf("platform-row", note.Pos{File: file, Line: rec.line}, "", "%v", err)
	}
	return rows[0].platform(), nil
}

// oneRow gives gocsv a header and a row that are parsed already.
type oneRow struct{ header, cells []string }

// Read implements gocsv.CSVReader; gocsv uses ReadAll here.
func (o *oneRow) Read() ([]string, error) { return nil, io.EOF }

// ReadAll implements gocsv.CSVReader.
func (o *oneRow) ReadAll() ([][]string, error) { return [][]string{o.header, o.cells}, nil }

func (r *row) platform() Platform {
	return Platform{
		Key: string(r.Key), Name: string(r.Name), Blocks: int64(r.Blocks), SubgroupsPerBlock: int64(r.SubgroupsPerBlock),
		RegisterBytesPerSubgroup: unit.Bytes(r.RegisterBytesPerSubgroup), RegisterBytes: unit.Bytes(r.RegisterBytes),
		SLM: unit.Bytes(r.SLM), MaxGroups: int64(r.MaxGroups),
		ComputeUnits: r.ComputeUnits.Opt, SubgroupSizes: r.SubgroupSizes, MaxGroupSize: r.MaxGroupSize.Opt,
		Source: r.Source, Confidence: r.Confidence,
	}
}

// checkAt holds what the cells of a row must fulfil together.
func (p *Platform) checkAt(pos note.Pos, first map[string]int) error {
	if line, twice := first[normalised(p.Key)]; twice {
		return note.Faultf("platform-row", pos, "give each platform a key of its own", "platform %q is on line %d already", p.Key, line)
	}
	if p.RegisterBytesPerSubgroup > p.RegisterBytes {
		return note.Faultf("platform-row", pos, "register_bytes counts the whole compute unit",
			"platform %q: one sub-group may use %d register bytes, but the compute unit has %d",
			p.Key, p.RegisterBytesPerSubgroup, p.RegisterBytes)
	}
	if most, ok := p.MaxGroupSize.Value(); ok && len(p.SubgroupSizes) > 0 && most < p.SubgroupSizes[0] {
		return note.Faultf("platform-row", pos, "",
			"platform %q: the work-group maximum %d is below the smallest sub-group size %d", p.Key, most, p.SubgroupSizes[0])
	}
	return nil
}
