package vtune

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// rowKey is the cells of a row that make its key, see adder.rawKey.
type rowKey struct {
	raw  string
	rest uint64
}

// find gives the entry of a row's key, by the bytes of the cells that make it. Keys that are written in two ways get
// two entries, which newResult merges.
func (a *adder) find(r *scan.Row) (*entry, *problem) {
	dir, p := a.direction(r)
	if p != nil {
		return nil, p
	}
	raw, rest := a.rawKey(r, dir)
	if e := a.table[rowKey{string(raw), rest}]; e != nil { // the compiler makes no text of it
		return e, nil
	}
	e, p := a.entry(r, dir)
	if p != nil {
		return nil, p
	}
	e.number = len(a.entries)
	a.table[rowKey{string(raw), rest}] = e
	a.entries = append(a.entries, e)
	return e, nil
}

// direction tells the two copies of one name apart. Kernels have none, whatever moved while they ran.
// Exports name host-to-device and device-to-host copies alike; which bytes moved tells them apart.
func (a *adder) direction(r *scan.Row) (ingest.Direction, *problem) {
	if c := &a.h.col[global]; c.there {
		last, n := r.Tail(c.index)
		if n > 0 && byte(last>>56)-'0' <= 9 { // the usual form of a size
			return ingest.NoDirection, nil
		}
		// A cell as it stands in the file may be two quotes and nothing between them.
		if n > 0 && !unknown(r.Cell(c.index)) {
			return ingest.NoDirection, nil
		}
	}
	var moved values
	for _, q := range []quantity{hostToDevice, deviceToHost} {
		if moved[q] = none; a.h.col[q].there {
			if p := a.number(r, q, &moved); p != nil {
				return ingest.NoDirection, p
			}
		}
	}
	switch {
	case moved[hostToDevice] > 0 && moved[deviceToHost] <= 0:
		return ingest.HostToDevice, nil
	case moved[deviceToHost] > 0 && moved[hostToDevice] <= 0:
		return ingest.DeviceToHost, nil
	}
	return ingest.NoDirection, nil
}

// rawKey gives bytes and a number that differ when the cells of the key do. Where the key is a run of columns, and
// perhaps one short cell elsewhere (the SIMD width), the bytes are those of the file.
func (a *adder) rawKey(r *scan.Row, dir ingest.Direction) (raw []byte, rest uint64) {
	if len(dir) > 0 {
		rest = uint64(dir[0]) << 56
	}
	runs := a.h.runs
	if !r.Whole() || len(runs) > 2 || len(runs) == 2 && runs[1][0] != runs[1][1] {
		return a.longKey(r), rest
	}
	short := uint64(1) << 48
	if len(runs) == 2 {
		x, n := r.Tail(runs[1][0])
		if n > 4 {
			return a.longKey(r), rest
		}
		short = uint64(n+2)<<48 | x>>1>>(63-8*n)
	}
	return r.RawRun(runs[0][0], runs[0][1]), rest | short
}

// longKey puts the cells of a key together.
func (a *adder) longKey(r *scan.Row) []byte {
	key := a.key[:0]
	for _, q := range a.h.key {
		cell := r.Cell(a.h.col[q].index)
		key = append(key, cell...)
		// With the length behind it no two keys run into each other.
		key = append(key, byte(len(cell)), byte(len(cell)>>8), byte(len(cell)>>16))
	}
	a.key = key
	return key
}

// unknown says whether a cell is empty, or says that VTune does not know its value.
func unknown(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) == 0 || string(b) == "[Unknown]"
}

// cell gives the text of a column, nil when there is none.
func (a *adder) cell(r *scan.Row, q quantity) []byte {
	if !a.h.col[q].there {
		return nil
	}
	return r.Cell(a.h.col[q].index)
}

// entry makes the entry of a key that is met for the first time.
func (a *adder) entry(r *scan.Row, dir ingest.Direction) (*entry, *problem) {
	c := &a.h.col[task]
	name := r.Cell(c.index)
	if r.Long(c.index) {
		return nil, &problem{index: c.index, text: fmt.Sprintf("%q is longer than %d bytes; expected the name of a "+
			"computing task, not %s",
			c.name, scan.MaxCell, shorten(name)), hint: "a quote may be missing its other half"}
	}
	if len(bytes.TrimSpace(name)) == 0 {
		return nil, &problem{index: c.index, text: fmt.Sprintf("%q is empty; expected the name of a computing task",
			c.name), hint: correctHint}
	}
	e := &entry{sums: &sums{spill: none}}
	if n := len(a.h.counters); n > 0 {
		e.counters.sums = make([]wide, n)
	}
	line := r.Line()
	e.Task, e.Direction = a.clean(name, line), dir
	var p *problem
	if e.Global, p = a.size(r, global); p != nil {
		return nil, p
	}
	if e.Local, p = a.size(r, local); p != nil {
		return nil, p
	}
	if b := bytes.TrimSpace(a.cell(r, simd)); !unknown(b) {
		n, ok := parseCount(b)
		if !ok || n < 1 || n > 1<<20 {
			return nil, a.wrong(simd, b, false, false)
		}
		e.SIMD, e.hasSIMD = int(n), true
	}
	e.Device = a.clean(bytes.TrimSpace(a.cell(r, device)), line)
	return e, nil
}

func (a *adder) size(r *scan.Row, q quantity) (ingest.Size3, *problem) {
	b := a.cell(r, q)
	if unknown(b) {
		return ingest.Size3{}, nil
	}
	c := &a.h.col[q]
	// A size of many digits is a cell of another column: the message shows its beginning.
	if len(b) > 200 {
		return ingest.Size3{}, &problem{index: c.index, text: fmt.Sprintf("%q is %s; expected one to three numbers as "+
			"in 512 x 512", c.name, shorten(b)), hint: correctHint}
	}
	s, err := unit.ParseSize(string(b))
	if err != nil {
		return s, &problem{index: c.index, text: fmt.Sprintf("%q: %v", c.name, err), hint: correctHint}
	}
	return s, nil
}

// clean makes valid text of a name and takes note when it was not.
func (a *adder) clean(b []byte, line int) string {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return string(b)
	}
	if _, known := a.firsts[len(a.h.twice)]; !known {
		a.firsts[len(a.h.twice)] = note.Note{Severity: note.Warning, Code: "invalid-text",
			Pos:  note.Pos{File: a.h.pos.File, Line: line},
			Text: "a name holds bytes that are not UTF-8 text, here and perhaps below; they are shown as \ufffd",
			Hint: "the file may be damaged or in another encoding: export it again"}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\ufffd"), "\x00", "\ufffd")
}
