package table

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"occudiff/ingest/note"
)

// records returns all records in a text, including its first line.
func records(t testing.TB, text string, f Format) []Record {
	t.Helper()
	r := NewReader("t.csv", strings.NewReader(text), f)
	var all []Record
	for {
		rec, err := r.record()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
}

func TestRecords(t *testing.T) {
	ok := func(line int, cells ...string) Record { return Record{Cells: cells, Line: line} }
	bad := func(line int, fault string, cells ...string) Record {
		return Record{Cells: cells, Line: line, Problem: fault}
	}
	for _, c := range []struct {
		reason, text string
		want         []Record
	}{
		{"plain", "a,b\nc,d\n", []Record{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"no newline at the end", "a,b\nc,d", []Record{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"Windows line ends", "a,b\r\nc,d\r\n", []Record{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"blank lines are not records, but count as lines", "\n a\n \nb\n", []Record{ok(2, " a"), ok(4, "b")}},
		{"empty cells", ",,\n", []Record{ok(1, "", "", "")}},
		{"quotes", `"a,b","c""d",e` + "\n", []Record{ok(1, "a,b", `c"d`, "e")}},
		{"an empty quoted cell at the end", `a,""`, []Record{ok(1, "a", "")}},
		{"a newline in quotes", "\"a\nb\",c\nd\n", []Record{ok(1, "a\nb", "c"), ok(3, "d")}},
		{"a # in a format without comments", "#a\n", []Record{ok(1, "#a")}},
		{"a stray quote makes only its own line unusable", "a,\"b\nc,d\ne,f\n",
			[]Record{bad(1, "a quote is opened and not closed", "a", `"b`), ok(2, "c", "d"), ok(3, "e", "f")}},
		{"a quote inside a cell", "a,b\"c\nd\n", []Record{
			bad(1, `the cell b"c has a quote inside: quote the whole cell and double the quotes in it`, "a", `b"c`), ok(2, "d")}},
		{"text after a quote", "\"a\"b,c\nd\n",
			[]Record{bad(1, `text follows the closing quote of the cell "a"`, `"a"b`, "c"), ok(2, "d")}},
		{"two stray quotes some lines apart: the record after the second is rejected, and only the first line is lost",
			"a,\"b\nc,d\ne\"x,f\ng\n", []Record{bad(1, `text follows the closing quote of the cell "b\nc,d\ne"`, "a", `"b`), ok(2, "c", "d"),
				bad(3, `the cell e"x has a quote inside: quote the whole cell and double the quotes in it`, `e"x`, "f"), ok(4, "g")}},
		{"nothing", "", nil},
	} {
		if d := cmp.Diff(c.want, records(t, c.text, Format{}), cmpopts.IgnoreUnexported(Record{})); d != "" {
			t.Errorf("%s:\n%s", c.reason, d)
		}
	}
	if got := records(t, "#a\nb\n #c\n", Format{Comments: true}); len(got) != 2 || got[0].Line != 2 || got[1].Cells[0] != " #c" {
		t.Errorf("comments are read as %v", got)
	}
}

// TestCellPositions checks the cell positions after blank lines, quotes, and line
// breaks in quotes.
func TestCellPositions(t *testing.T) {
	got := records(t, "\n\"a\n,b\",\"\",\"x\"\"y\",z\n\né,b,,c\n", Format{})
	var places [][2]int
	for _, rec := range got {
		for i := range rec.Cells {
			line, column := rec.place(i)
			places = append(places, [2]int{line, column})
		}
	}
	want := [][2]int{{2, 1}, {3, 5}, {3, 8}, {3, 15}, {5, 1}, {5, 4}, {5, 6}, {5, 7}}
	if d := cmp.Diff(want, places); d != "" {
		t.Error(d)
	}
}

// TestBounds reads lines that would need too much memory.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got := records(t, "a\n"+long+"\nb\n"+long, Format{})
	if len(got) != 4 || got[1].Problem != "the line is longer than 256 KB" || got[1].Line != 2 || got[2].Cells[0] != "b" || got[3].Problem == "" {
		t.Errorf("%d records: %.60v", len(got), got)
	}
	open := records(t, "\"a\n"+strings.Repeat("b\n", 100), Format{})
	if len(open) != 101 || open[0].Problem != "a quote is opened and not closed" || open[100].Line != 101 {
		t.Errorf("%d records after an open quote; want 101", len(open))
	}
	behind := records(t, "\"a\n"+long+"\nb\n", Format{})
	if len(behind) != 3 || behind[1].Problem == "" || behind[2].Line != 3 || behind[2].Problem != "" {
		t.Errorf("an open quote before a long line: %d records, %.60v", len(behind), behind)
	}
	if exact := records(t, strings.Repeat("x", MaxLine-1), Format{}); len(exact) != 1 || exact[0].Problem != "" {
		t.Errorf("a line of the maximum length is rejected: %.80v", exact)
	}
}

func TestHeader(t *testing.T) {
	strict := Format{Code: "c", What: "file", Columns: []string{"key", "name", "size"}, Required: []string{"key", "name"}, Strict: true}
	loose := strict
	loose.Strict = false
	for _, c := range []struct {
		reason, text string
		f            Format
		want         string
	}{
		{"case, spaces, and a byte order mark are ignored", "\ufeffKEY, name \n", strict, ""},
		{"another column", "key,name,weight\n", loose, ""},
		{"an unknown column in a strict file", "key,name,weight\n", strict, `t.csv:1:10: the column "weight" is not known (the columns are key, name, size)`},
		{"twice", "key,key,name\n", loose, `t.csv:1: the column "key" occurs twice (keep one of them)`},
		{"semicolons", "key;name\n", strict, `t.csv:1: the header has no comma but other separators: "key;name" (write the file with commas between the columns)`},
		{"missing", "\nsize\n", loose, "t.csv:2: the header has no key, name (expected the columns key,name,size, of " +
			"which only key, name are required)"},
		{"two errors", "key,sise\n", strict, "t.csv:1:5: the column \"sise\" is not known; did you mean size? (the columns are key, name, size)\n" +
			"t.csv:1: the header has no name (expected the columns key,name,size, of which only key, name are " +
			"required)"},
		{"no header", "key,\"name\n", loose, "t.csv:1: the header cannot be read: a quote is opened and not closed " +
			"(expected the columns key,name,size, of which only key, name are required)"},
	} {
		r := NewReader("t.csv", strings.NewReader(c.text), c.f)
		err := r.Header()
		if text := ""; err != nil {
			if text = err.Error(); text != c.want {
				t.Errorf("%s:\n got %s\nwant %s", c.reason, text, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: no error, want %s", c.reason, c.want)
		}
		if c.text == "key,name,weight\n" && !c.f.Strict && cmp.Diff([]string{"weight"}, r.Unknown) != "" {
			t.Errorf("%s: unknown are %q", c.reason, r.Unknown)
		}
	}
}

func TestLoad(t *testing.T) {
	f := Format{Code: "thing-file", What: "thing file", Columns: []string{"a"}}
	if s, err := Load("t.csv", strings.NewReader("\n\n"), f); err != nil || len(s.Records) != 0 {
		t.Errorf("an empty file returns %v, %v", s, err)
	}
	_, err := Load("t.csv", strings.NewReader(strings.Repeat("x", maxFile+1)), f)
	if err == nil || err.Error() != "t.csv: the thing file is larger than 4 MB (is it the right file?)" {
		t.Errorf("a large file returns %v", err)
	}
	_, err = Load("t.csv", broken{}, f)
	var fault *note.InputError
	if !errors.As(err, &fault) || fault.Code != "thing-file" || err.Error() != "t.csv: the thing file cannot be read: the disk is on fire" {
		t.Errorf("a broken file returns %v", err)
	}
	r := NewReader("t.csv", io.MultiReader(strings.NewReader("a\n\"b"), broken{}), f)
	if err := r.Header(); err != nil {
		t.Fatal(err)
	}
	if s, err := r.Sheet(10); err == nil || s != nil {
		t.Errorf("a truncated file returns %v, %v", s, err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

// FuzzRecords compares the reader with encoding/csv: it must read the same
// cells at the same positions if encoding/csv accepts the text.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"a,b\nc,d\n", "\"a,\"\"b\",c\r\n", "\"a\nb\",c\n\nd", "a\"b,c\n\"", ",\n,,\n", "\"\"\n"} {
		f.Add(s)
	}
	type cell struct {
		text         string
		line, column int
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := records(t, text, Format{})
		// encoding/csv drops some lone carriage returns and joins any number of
		// lines. This reader keeps them and limits the line count.
		if strings.Contains(text, "\r") || strings.Count(text, "\n") > maxLines || len(text) >= MaxLine {
			return
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		var want, have []cell
		for {
			rec, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return
			}
			if len(rec) == 1 && strings.TrimSpace(rec[0]) == "" && !strings.Contains(text, `"`) {
				continue // this reader treats a line with only spaces as empty
			} else if len(rec) == 1 && strings.TrimSpace(rec[0]) == "" {
				return
			}
			for i, c := range rec {
				line, column := r.FieldPos(i)
				want = append(want, cell{c, line, column})
			}
		}
		for i := range got {
			if got[i].Problem != "" {
				t.Fatalf("%q: line %d: %s", text, got[i].Line, got[i].Problem)
			}
			for j, c := range got[i].Cells {
				line, column := got[i].place(j)
				have = append(have, cell{c, line, column})
			}
		}
		if d := cmp.Diff(want, have, cmp.AllowUnexported(cell{})); d != "" {
			t.Fatalf("%q: %s", text, d)
		}
	})
}
