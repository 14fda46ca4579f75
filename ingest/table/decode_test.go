package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/unit"
)

// thing has a field of every type that a table may contain.
type thing struct {
	Key   Name       `csv:"key" table:"required"`
	Text  Text       `csv:"text"`
	Other Names      `csv:"other"`
	IDs   Words      `csv:"ids"`
	N     Count      `csv:"n"`
	List  Counts     `csv:"list"`
	Size  unit.Bytes `csv:"size" table:"required"`
}

func thingFormat() Format {
	f := Format{Code: "thing-file", What: "thing file", Strict: true}
	f.Columns, f.Required = Columns[thing]()
	return f
}

const thingHeader = "key,text,other,ids,n,list,size\n"

func TestDecode(t *testing.T) {
	s, err := Load("t.csv", strings.NewReader(thingHeader+" a ,'=1+1,\"A, B; C\",x y;z,7,8 16,64K\nb,,,,,,1\n"), thingFormat())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Convert(s, func(_ int, r *thing) (thing, error) { return *r, nil })
	if err != nil {
		t.Fatal(err)
	}
	want := []thing{
		{Key: "a", Text: "=1+1", Other: Names{"A, B", "C"}, IDs: Words{"x", "y", "z"}, N: Count{unit.Some(7)}, List: Counts{8, 16}, Size: 65536},
		{Key: "b", IDs: Words{}, List: Counts{}, Size: 1},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(unit.Opt[int]{})); d != "" {
		t.Error(d)
	}
	if p := s.Pos(1, "size"); p.Line != 3 || p.Column != 8 || s.Pos(1, "weight").Column != 0 {
		t.Errorf("the last size is at %v", p)
	}
}

// TestDecodeErrors checks that every bad row is reported once, at its position,
// and that the good rows are still read.
func TestDecodeErrors(t *testing.T) {
	text := thingHeader + "a,,,,1.7,,1\n\nb,,,,,,1\nc,,,,,\n,,,,,,1\nd,,,,,010,1\ne,\"x\ny\",,,,,1G\nf,,,,-1,,\ng\"h,,,,,,1\ni,,,,,,1\n"
	s, err := Load("t.csv", strings.NewReader(text), thingFormat())
	if err != nil {
		t.Fatal(err)
	}
	rows, faults := decode[thing](s)
	var keys []string
	for i, f := range faults {
		if f == nil {
			keys = append(keys, string(rows[i].Key))
		}
	}
	if d := cmp.Diff([]string{"b", "i"}, keys); d != "" {
		t.Error(d)
	}
	values, err := Convert(s, func(_ int, r *thing) (Name, error) {
		if r.Key == "i" {
			return "", errors.New("i is not wanted")
		}
		return r.Key, nil
	})
	want := `t.csv:2:6: column n: "1.7" is not a whole number; expected digits only, without sign, unit or thousands separator
t.csv:5: the row has 6 cells, but the header has 7
t.csv:6:1: column key: the cell is empty (every row needs it; there is no default)
t.csv:7:7: column list: "010" has a leading zero; expected a plain decimal number
t.csv:9:8: column size: "1G": expected bytes, or an amount with a unit as in 16K
t.csv:10:10: column size: the cell is empty (every row needs it; there is no default)
t.csv:11: the cell g"h has a quote inside: quote the whole cell and double the quotes in it
i is not wanted`
	if err == nil || err.Error() != want || values != nil {
		t.Errorf("got %v, %v\nwant %s", values, err, want)
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]string{
		"0": "", "1048576": "",
		"":                     `"" is not a whole number; expected digits only, without sign, unit or thousands separator`,
		"1,024":                `"1,024" is not a whole number; expected digits only, without sign, unit or thousands separator`,
		"-8":                   `"-8" is not a whole number; expected digits only, without sign, unit or thousands separator`,
		"1048577":              `"1048577" is too large; expected at most 1048576`,
		"99999999999999999999": `"99999999999999999999" is too large; expected at most 1048576`,
	} {
		if _, err := ParseCount(text); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

func TestGuard(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"formula", "=1+1", "'=1+1"},
		{"plus", "+x", "'+x"},
		{"no number", "-1-1", "'-1-1"},
		{"only a sign", "-", "'-"},
		{"after a line break", "\n=1", "'\n=1"},
		{"behind blanks", "  =1", "'  =1"},
		{"after a byte order mark", "\ufeff=1", "'\ufeff=1"},
		{"full width", "＝1+1", "'＝1+1"},
		{"minus", "-x", "'-x"},
		{"at", "@SUM(A1)", "'@SUM(A1)"},
		{"tab", "\tx", "'\tx"},
		{"carriage return", "\rx", "'\rx"},
		{"a guarded string gets a second apostrophe, so that it is restored", "'=x", "''=x"},
		{"an apostrophe alone is not a guard", "'x", "'x"},
		{"ordinary", "Fan2", "Fan2"},
		{"empty", "", ""},
		{"a sign inside the string is harmless", "a=b", "a=b"},
	} {
		got := Guard(c.in)
		if got != c.want {
			t.Errorf("%s: Guard(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
		var back Text
		if err := back.UnmarshalCSV(got); err != nil || string(back) != c.in {
			t.Errorf("%s: %q came back as %q, %v", c.reason, c.in, back, err)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, s := range []string{"=HYPERLINK(\"http://x\")", "+1", "@SUM(A1)", "\tcmd", "\rcmd", "first line\nsecond line", "bad utf-8 \xff\xfe", "a|b*c", "", "'", "''="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := Guard(s)
		if g != "" && strings.IndexByte("=+-@\t\r", g[0]) >= 0 {
			t.Errorf("Guard(%q) = %q is not harmless", s, g)
		}
		var back Text
		if err := back.UnmarshalCSV(g); err != nil || string(back) != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	})
}

// TestCSV writes cells that have no guard.
func TestCSV(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"=1+1", "'=1+1"}, {"'=1+1", "'=1+1"}, {"-1.5", "-1.5"}, {"+3", "+3"}, {"-1.7e-15", "-1.7e-15"}, {"-2e+06", "-2e+06"},
		{"-1e", "'-1e"}, {"-1e5+1", "'-1e5+1"}, {"-e5", "'-e5"}, {"-1-1", "'-1-1"}, {"-", "'-"}, {"x;=1+1", `"x;=1+1"`},
		{"x\t=1", "\"x\t=1\""}, {"a,b", `"a,b"`}, {`a"b`, `"a""b"`}, {"a\nb", "\"a\nb\""}, {"::error::x", `"::error::x"`}, {" x", `" x"`}, {"", ""},
	} {
		var b strings.Builder
		w := NewCSV(&b)
		err := w.Write([]string{c.in, "end"})
		if w.Flush(); err != nil || w.Error() != nil || b.String() != c.want+",end\n" {
			t.Errorf("%q is written as %q, want %q; %v, %v", c.in, b.String(), c.want, err, w.Error())
		}
	}
	w := NewCSV(full{})
	err := w.Write([]string{strings.Repeat("x", 10000)})
	if w.Flush(); w.Error() == nil {
		t.Errorf("a full disk: %v, %v", err, w.Error())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
