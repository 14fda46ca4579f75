package scan

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// got is a row in the form that tests compare.
type got struct {
	line   int
	fields int
	cells  []string
}

// keeper is a Handler that keeps everything.
type keeper struct {
	n    int
	rows []got
	open bool
}

func (k *keeper) Row(r *Row) {
	g := got{line: r.Line(), fields: r.Fields}
	for i := range min(k.n, r.Fields) {
		g.cells = append(g.cells, string(r.Cell(i)))
	}
	k.open = k.open || r.Open
	k.rows = append(k.rows, g)
}

// readAll returns a text's rows in the file's order, with all columns.
func readAll(t testing.TB, text string, delim byte, columns int, opt Options, stream bool) (rows []got, open bool) {
	t.Helper()
	in := Input{R: strings.NewReader(text)}
	if !stream {
		in = Input{At: strings.NewReader(text), Size: int64(len(text))}
	}
	s := New(in, opt)
	if _, err := s.Head(); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(delim, 0); err != nil {
		t.Fatal(err)
	}
	sel := make([]int, columns)
	for i := range sel {
		sel[i] = i
	}
	var hs []Handler
	var ks []*keeper
	for range s.Threads() {
		k := &keeper{n: columns}
		ks, hs = append(ks, k), append(hs, k)
	}
	if _, err := s.Rows(context.Background(), sel, columns, hs, Break{}); err != nil {
		t.Fatal(err)
	}
	for _, k := range ks {
		rows = append(rows, k.rows...)
		open = open || k.open
	}
	slices.SortFunc(rows, func(a, b got) int { return a.line - b.line })
	return rows, open
}

// reference returns a text's rows according to encoding/csv. ok is false if
// encoding/csv does not accept the text.
func reference(text string, delim byte, lazy bool) (rows []got, ok bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = rune(delim), -1, lazy
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return rows, true
		}
		if err != nil {
			return nil, false
		}
		line, _ := r.FieldPos(0)
		rows = append(rows, got{line, len(rec), rec})
	}
}

func equal(a, b []got) bool {
	return slices.EqualFunc(a, b, func(a, b got) bool {
		return a.line == b.line && a.fields == b.fields && slices.Equal(a.cells, b.cells)
	})
}

// fuzzBlocks are block sizes that put every kind of byte at a block's end.
var fuzzBlocks = []int{1, 2, 3, 7, 63, 64, 65, 128, 1000, blockSize}

func FuzzAgainstEncodingCSV(f *testing.F) {
	for _, s := range []string{"", "a,b\n1,2\n", "a,b\r\n\"1\r\n\",\"\"\"\"\r\n", "\n\n\r\n\r", "a\r\r\n", "\"a\"\r", "\"\",\n",
		"x\"y,z\n", "\"x\"y\",z\n", "\"a\nb\nc\",1\n2,3", strings.Repeat("abc,\"d\"\"e\",f\n", 30), "\"open\n,", ",,\n,\r\n", "\"a\"\rb\",c\n"} {
		f.Add(s, byte(','), byte(3))
		f.Add(strings.ReplaceAll(s, ",", ";"), byte(';'), byte(0))
		f.Add(strings.ReplaceAll(s, ",", "\t"), byte('\t'), byte(5))
	}
	f.Fuzz(func(t *testing.T, text string, delim, size byte) {
		if delim == '"' || delim == '\r' || delim == '\n' || len(text) > 1<<16 {
			t.Skip()
		}
		columns := 1 + int(size)%12 // rows with as many fields, fewer, and more use different code
		want, open := readAll(t, text, delim, columns, Options{Threads: 1, Block: blockSize}, false)
		block := fuzzBlocks[int(size)%len(fuzzBlocks)]
		for _, stream := range []bool{false, true} {
			opt := Options{Threads: 1 + int(size)/len(fuzzBlocks)%3, Block: block}
			opt.plain = size&1 == 0
			rows, o := readAll(t, text, delim, columns, opt, stream)
			if !equal(rows, want) || o != open {
				t.Errorf("blocks of %d, stream %v: %+v\nwant %+v", block, stream, rows, want)
			}
		}
		if delim >= 0x80 || delim == 0 {
			return // not a one-byte rune, or not allowed by encoding/csv
		}
		ref, ok := reference(text, delim, false)
		if ok && open {
			t.Errorf("encoding/csv reports that all quotes are closed")
		}
		if !ok && !open {
			ref, ok = reference(text, delim, true)
		}
		if !ok {
			return
		}
		for i := range ref {
			ref[i].cells = ref[i].cells[:min(columns, len(ref[i].cells))]
		}
		if !equal(want, ref) {
			t.Errorf("got %+v\nencoding/csv %+v", want, ref)
		}
	})
}

func TestRecord(t *testing.T) {
	text := "\n" + `a,"b ""c""",` + "\"d\r\ne\"\r\nnext"
	for _, block := range []int{1, 5, blockSize} {
		s := New(Input{R: strings.NewReader(text)}, Options{Block: block})
		if _, err := s.Head(); err != nil {
			t.Fatal(err)
		}
		if err := s.Begin(',', 0); err != nil {
			t.Fatal(err)
		}
		var cells []string
		line, err := s.Record(context.Background(), func(_ int, b []byte) { cells = append(cells, string(bytes.Clone(b))) })
		if want := []string{"a", `b "c"`, "d\ne"}; err != nil || line != 2 || !slices.Equal(cells, want) {
			t.Errorf("block %d: line %d, %q, %v; want line 2, %q", block, line, cells, err, want)
		}
	}
}

// TestCutOff checks that a reader's own io.ErrUnexpectedEOF is not taken for
// the end: a decompressor returns it for a truncated file.
func TestCutOff(t *testing.T) {
	for _, block := range []int{1, 4, 8, 100} {
		in := io.MultiReader(strings.NewReader("a,b\n1,2\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
		s := New(Input{R: in}, Options{Block: block, Threads: 1})
		_, err := s.Head()
		if err == nil {
			if err = s.Begin(',', 0); err == nil {
				_, err = s.Rows(context.Background(), []int{0}, 2, []Handler{&keeper{n: 1}}, Break{})
			}
		}
		if err != io.ErrUnexpectedEOF {
			t.Errorf("blocks of %d: error %v", block, err)
		}
	}
}
