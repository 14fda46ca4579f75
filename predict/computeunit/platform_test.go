package computeunit

import (
	"errors"
	"strings"
	"testing"

	"occudiff/ingest/note"
)

const (
	requiredColumns = "key,name,processing_blocks,subgroups_per_block,register_bytes_per_subgroup,register_bytes,slm_bytes,max_groups"
	validHeader     = requiredColumns + ",compute_units,subgroup_sizes,max_group_size,source,confidence"
)

func TestReadAcceptsColumnsInAnyOrder(t *testing.T) {
	data := "\ufeffslm_bytes,key,name,max_groups,processing_blocks,subgroups_per_block,register_bytes_per_subgroup,register_bytes\r\n" +
		"\r\n" + // gocsv counts line numbers without blank lines
		"48 KiB,my-gpu,\"My GPU,\nsecond edition\",16,4,12,8K,1m\r\n"
	platforms, err := read("mine.csv", strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	p := platforms[0]
	if p.Key != "my-gpu" || p.SLM != 48<<10 || p.RegisterBytesPerSubgroup != 8<<10 || p.RegisterBytes != 1<<20 || p.subgroups() != 48 {
		t.Errorf("read %+v", p)
	}
	if p.ComputeUnits != 0 || p.MaxGroupSize != 0 || len(p.SubgroupSizes) != 0 {
		t.Errorf("what the file does not say is not absent: %+v", p)
	}
}

func TestReadErrors(t *testing.T) {
	const good = "a,A,8,7,4096,229376,65536,16,8,8 16,256,s,high"
	for _, c := range []struct{ reason, data, want string }{
		{"nothing at all", "", "p.csv: the platform file has no rows; expected a header and a row for each platform (the columns are " + validHeader + ")"},
		{"a header alone", validHeader + "\n", "p.csv: the platform file has no rows; expected a header and a row for each platform (the columns are " + validHeader + ")"},
		{"another kind of file", "Computing Task,Total Time\nGEMM,1\n", `p.csv:1:1: the column "computing task" is not known (the columns are ` +
			strings.ReplaceAll(validHeader, ",", ", ") + ")\n" + `p.csv:1:16: the column "total time" is not known (the columns are ` +
			strings.ReplaceAll(validHeader, ",", ", ") + ")\n" + lacks(strings.ReplaceAll(requiredColumns, ",", ", "))},
		{"a column twice", strings.Replace(validHeader, "name", "key", 1) + "\n" + good + "\n",
			"p.csv:1: the column \"key\" occurs twice (keep one of them)\n" + lacks("name")},
		{"a broken number after a blank line", validHeader + "\n\n" + strings.Replace(good, "229376", "\"229,376\"", 1) + "\n",
			`p.csv:3:14: column register_bytes: "229,376": expected bytes, or an amount with a unit as in 16K`},
		{"a number that gocsv would cut", validHeader + "\n" + strings.Replace(good, ",7,", ",1.7,", 1) + "\n",
			`p.csv:2:7: column subgroups_per_block: "1.7" is not a whole number; expected digits only, without sign, unit or thousands separator`},
		{"an empty number", validHeader + "\n" + strings.Replace(good, ",16,8,8 16", ",,8,8 16", 1) + "\n",
			`p.csv:2:27: column max_groups: the cell is empty (every row needs it; there is no default)`},
		{"a broken optional number", validHeader + "\n" + strings.Replace(good, ",256,", ",0,", 1) + "\n",
			`p.csv:2:37: column max_group_size: 0 is not above 0`},
		{"no memory", validHeader + "\n" + strings.Replace(good, "65536", "0K", 1) + "\n", "p.csv:2:21: column slm_bytes: 0 is not above 0"},
		{"no lanes", validHeader + "\n" + strings.Replace(good, "8 16", "16 0", 1) + "\n", "p.csv:2:32: column subgroup_sizes: 0 is not above 0"},
		{"no name", validHeader + "\n" + strings.Replace(good, ",A,", ", ,", 1) + "\n", "p.csv:2:3: column name: the cell is empty (every row needs it; there is no default)"},
		{"a short row", validHeader + "\na,A,8\n", "p.csv:2: the row has 3 cells, but the header has 13"},
		{"a quote that stays open", validHeader + "\n" + good + "\n\"b,B\n",
			"p.csv:3: a quote is opened and not closed"},
		{"a quote that stays open over lines", validHeader + "\n" + good + "\n\"b,B\n\n" + good + "\n",
			"p.csv:3: a quote is opened and not closed\np.csv:5: platform \"a\" is on line 2 already (use a different key for each platform)"},
		{"a key twice", validHeader + "\n" + good + "\n" + strings.Replace(good, "a,", "A ,", 1) + "\n",
			`p.csv:3: platform "A" is on line 2 already (use a different key for each platform)`},
		{"figures that contradict", validHeader + "\n" + strings.Replace(good, "229376", "4095", 1) + "\n",
			`p.csv:2: platform "a": one sub-group may use 4096 register bytes, but the compute unit has 4095 (register_bytes counts the whole compute unit)`},
		{"no sub-group fits", validHeader + "\n" + strings.Replace(good, ",256,", ",7,", 1) + "\n",
			`p.csv:2: platform "a": the work-group maximum 7 is below the smallest sub-group size 8`},
		{"two errors in two rows", validHeader + "\n" + strings.Replace(good, "a,A,8", "a,A,0", 1) + "\n" + strings.Replace(good, "a,A,8", "b,B,x", 1) + "\n",
			"p.csv:2:5: column processing_blocks: 0 is not above 0\n" +
				"p.csv:3:5: column processing_blocks: \"x\" is not a whole number; expected digits only, without sign, unit or thousands separator"},
	} {
		platforms, err := read("p.csv", strings.NewReader(c.data))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
		if platforms != nil {
			t.Errorf("%s: platforms besides an error: %+v", c.reason, platforms)
		}
	}
}

func lacks(columns string) string {
	return "p.csv:1: the header has no " + columns + " (expected the columns " + validHeader + ", of which only " +
		strings.ReplaceAll(requiredColumns, ",", ", ") + " are required)"
}

func TestReadErrorsHavePositions(t *testing.T) {
	_, err := read("p.csv", strings.NewReader("key,nmae\na,b\n"))
	var fault *note.InputError
	if !errors.As(err, &fault) || fault.Pos != (note.Pos{File: "p.csv", Line: 1, Column: 5}) || fault.Code != "platform-file" {
		t.Errorf("got %+v from %v; want the place of the unknown column", fault, err)
	}
}

func TestFindAndWith(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"mali_g52", "Mali-G52", "cu:mali_g52", " MALI G52 "} {
		if p, err := table.Find(key); err != nil || p.Key != "mali_g52" {
			t.Errorf("Find(%q) = %q, %v", key, p.Key, err)
		}
	}
	const want = `platform "gen12" is not known; expected one of gen11, rtx2080ti, mali_g52, or a platform file that has it`
	if _, err := table.Find("gen12"); err == nil || err.Error() != want {
		t.Errorf("got %v; want %q", err, want)
	}
	more := table.With([]Platform{{Key: "GEN11", MaxGroups: 64}, {Key: "new"}})
	if p, err := more.Find("gen11"); err != nil || p.MaxGroups != 64 {
		t.Errorf("a platform of the user does not replace the built-in one: %+v, %v", p, err)
	}
	if n := len(more.Keys()); n != 4 {
		t.Errorf("%d platforms; want 4", n)
	}
	if p, err := table.Find("gen11"); err != nil || p.MaxGroups != 16 {
		t.Errorf("With changed the table it was called on: %+v, %v", p, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(platformsCSV)
	f.Add(validHeader + "\na,A,8,7,4096,229376,65536,16,8,8 16,256,s,high\n")
	f.Add("\ufeffkey\r\n\"a\nb\"\r\n")
	f.Add("key,key\n,,\n\"")
	f.Fuzz(func(t *testing.T, data string) {
		platforms, err := read("fuzz.csv", strings.NewReader(data))
		if (err == nil) != (len(platforms) > 0) {
			t.Fatalf("%d platforms and the error %v", len(platforms), err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "fuzz.csv") {
			t.Errorf("the error %q does not begin with its place", err)
		}
		for _, p := range platforms {
			r, err := p.Predict(Launch{GroupSize: 64, SubgroupSize: 16, SLM: 1 << 10, RegisterBytes: 128})
			if err != nil || r.Occupancy < 0 || r.Occupancy > 1 {
				t.Errorf("platform %+v: occupancy %v, %v", p, r.Occupancy, err)
			}
		}
	})
}
