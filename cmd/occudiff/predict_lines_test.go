package main

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"occudiff/ingest/unit"
)

// readLines reads all records of a text.
func readLines(t testing.TB, text string) []batchLine {
	t.Helper()
	r := newLineReader(strings.NewReader(text))
	var all []batchLine
	for {
		rec, err := r.read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
}

func TestLineReader(t *testing.T) {
	ok := func(line int, cells ...string) batchLine { return batchLine{cells: cells, line: line} }
	bad := func(line int, fault string, cells ...string) batchLine {
		return batchLine{cells: cells, line: line, fault: fault}
	}
	for _, c := range []struct {
		reason, text string
		want         []batchLine
	}{
		{"plain", "a,b\nc,d\n", []batchLine{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"no newline at the end", "a,b\nc,d", []batchLine{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"Windows line ends", "a,b\r\nc,d\r\n", []batchLine{ok(1, "a", "b"), ok(2, "c", "d")}},
		{"blank lines are none, but count", "\n a\n \nb\n", []batchLine{ok(2, " a"), ok(4, "b")}},
		{"empty cells", ",,\n", []batchLine{ok(1, "", "", "")}},
		{"quotes", `"a,b","c""d",e` + "\n", []batchLine{ok(1, "a,b", `c"d`, "e")}},
		{"an empty quoted cell at the end", `a,""`, []batchLine{ok(1, "a", "")}},
		{"a newline in quotes", "\"a\nb\",c\nd\n", []batchLine{ok(1, "a\nb", "c"), ok(3, "d")}},
		{"a stray quote takes its line alone", "a,\"b\nc,d\ne,f\n", []batchLine{bad(1, "a quote is opened and not closed", "a", `"b`), ok(2, "c", "d"), ok(3, "e", "f")}},
		{"a quote inside a cell", "a,b\"c\nd\n", []batchLine{
			bad(1, `a quote stands inside the cell b"c: quote the whole cell and double the quotes in it`, "a", `b"c`), ok(2, "d")}},
		{"text after a quote", "\"a\"b,c\nd\n", []batchLine{bad(1, `text follows the closing quote of the cell "a"`, `"a"b`, "c"), ok(2, "d")}},
		{"two stray quotes some lines apart: what follows the second is at fault, and only the first line is lost",
			"a,\"b\nc,d\ne\"x,f\ng\n", []batchLine{bad(1, `text follows the closing quote of the cell "b\nc,d\ne"`, "a", `"b`), ok(2, "c", "d"),
				bad(3, `a quote stands inside the cell e"x: quote the whole cell and double the quotes in it`, `e"x`, "f"), ok(4, "g")}},
		{"nothing", "", nil},
	} {
		if d := cmp.Diff(c.want, readLines(t, c.text), cmp.AllowUnexported(batchLine{})); d != "" {
			t.Errorf("%s:\n%s", c.reason, d)
		}
	}
}

// TestLineReaderBounds gives lines that would fill the memory.
func TestLineReaderBounds(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got := readLines(t, "a\n"+long+"\nb\n"+long)
	if len(got) != 4 || got[1].fault != "the line is longer than 64 KB" || got[1].line != 2 || got[2].cells[0] != "b" || got[3].fault == "" {
		t.Errorf("%d records: %.60v", len(got), got)
	}
	open := readLines(t, "\"a\n"+strings.Repeat("b\n", 40))
	if len(open) != 41 || open[0].fault != "a quote is opened and not closed" || open[40].line != 41 {
		t.Errorf("%d records after a quote that stays open; want 41", len(open))
	}
}

// FuzzLineReader holds the reader against encoding/csv: what that reads, ours reads alike.
func FuzzLineReader(f *testing.F) {
	for _, s := range []string{"a,b\nc,d\n", "\"a,\"\"b\",c\r\n", "\"a\nb\",c\n\nd", "a\"b,c\n\"", ",\n,,\n", "\"\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := readLines(t, text)
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		// encoding/csv drops lone carriage returns in places and joins any number of lines; ours keeps and bounds them.
		if err != nil || strings.Contains(text, "\r") || strings.Count(text, "\n") > maxQuotedRows || len(text) > maxLineBytes {
			return
		}
		var cells [][]string
		for _, rec := range got {
			if rec.fault != "" {
				t.Fatalf("%q: line %d: %s", text, rec.line, rec.fault)
			}
			cells = append(cells, rec.cells)
		}
		kept := want[:0]
		for _, rec := range want { // ours takes a line of blanks for an empty one
			if len(rec) > 1 || strings.TrimSpace(rec[0]) != "" || strings.Contains(text, `"`) {
				kept = append(kept, rec)
			}
		}
		if strings.Contains(text, `"`) && len(kept) != len(cells) {
			return
		}
		if d := cmp.Diff(len(kept), len(cells)); d != "" {
			t.Fatalf("%q: %s", text, d)
		}
		for i := range kept {
			if d := cmp.Diff(kept[i], cells[i]); d != "" {
				t.Fatalf("%q: %s", text, d)
			}
		}
	})
}

// FuzzBatch sends any text through the whole batch: it may fail, but not panic or give a number that is none.
func FuzzBatch(f *testing.F) {
	f.Add("device,local,simd\ntgl,256,16\n")
	f.Add("id,device,xve,global,local,simd,slm_kb,barriers,grf\na,mtl,112,9223372036854775807,1x1x1,8,0.5,1,256\n")
	f.Add("local,device,simd,slm_kb\n\"1\n\",pvc,32,1e300\n")
	m := testBatch(f)
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		if _, err := m.run(t.Context(), "f.csv", strings.NewReader(text), &out); err != nil {
			return
		}
		for _, rec := range readLines(t, out.String())[1:] {
			if rec.fault != "" {
				t.Fatalf("the output cannot be read: %s\n%s", rec.fault, out.String())
			}
			for _, c := range rec.cells[min(11, len(rec.cells)):] {
				if c == "NaN" || c == "+Inf" || c == "-Inf" {
					t.Fatalf("%s in %v", c, rec.cells)
				}
			}
		}
	})
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]string{"1.5": `--slm "1.5": expected bytes, or an amount with a unit as in 16K`,
		"-1": `--slm "-1": an amount of memory is not below 0`, "16K": "", "": ""} {
		b, err := parseBytes("slm", text)
		if err == nil && want == "" && (b == 16384 || text == "") {
			continue
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: %d, %v; want %q", text, b, err, want)
		}
	}
}

func TestKilobytes(t *testing.T) {
	for _, c := range []struct {
		text, reason string
		want         unit.Bytes
		ok           bool
	}{
		{"16", "KB", 16384, true}, {"0.5", "half a KB", 512, true}, {"", "not given is none", 0, true}, {" 4 ", "blanks", 4096, true},
		{"0.0001", "no whole byte", 0, false}, {"-1", "below 0", 0, false}, {"16K", "the column has its unit", 0, false},
		{"NaN", "no number", 0, false}, {"1e300", "no memory is so large", 0, false}, {"1,5", "a comma is no point", 0, false},
	} {
		got, err := cellOf(c.text).kilobytes("slm_kb")
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%s: %q gives %d, %v", c.reason, c.text, got, err)
		}
	}
}
