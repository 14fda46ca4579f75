package scan

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
)

// benchText returns rows with 39 fields, as in an export by computing instance.
// It quotes all fields or only the names.
func benchText(delim byte, quoted bool, rows int) []byte {
	var b bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&b, "\"VectorAdd<(int)%d, (int)256, (int)32>(int, sycl::_V1::queue&); a\"", i%240)
		for j := range 38 {
			b.WriteByte(delim)
			if quoted {
				b.WriteByte('"')
			}
			fmt.Fprintf(&b, "%d.%d", (i*j)%100, j%10)
			if quoted {
				b.WriteByte('"')
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// touch is a Handler that reads every selected cell.
type touch struct{ bytes, rows int }

func (h *touch) Row(r *Row) {
	h.rows++
	for _, c := range benchColumns {
		_, n := r.Tail(c)
		h.bytes += n
	}
}

var benchColumns = []int{0, 1, 2, 3, 5, 6, 8, 12, 13, 14, 15, 16, 17, 18, 19, 20}

// BenchmarkScan selects 16 columns out of 39.
func BenchmarkScan(b *testing.B) {
	const rows = 100_000
	for _, delim := range []byte{',', ';', '\t', ':', '|'} {
		for _, quoted := range []bool{false, true} {
			text := benchText(delim, quoted, rows)
			for threads := 1; threads <= 2; threads++ {
				for _, plain := range []bool{false, true} {
					if plain && delim != ',' {
						continue
					}
					b.Run(fmt.Sprintf("delim=%q/quoted=%v/threads=%d/plain=%v", delim, quoted, threads, plain), func(b *testing.B) {
						benchScan(b, text, delim, threads, plain, rows)
					})
				}
			}
		}
	}
}

func benchScan(b *testing.B, text []byte, delim byte, threads int, plain bool, rows int) {
	b.SetBytes(int64(len(text)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		s := New(Input{At: bytes.NewReader(text), Size: int64(len(text))}, Options{Threads: threads, plain: plain})
		if _, err := s.Head(); err != nil {
			b.Fatal(err)
		}
		if err := s.Begin(delim, 0); err != nil {
			b.Fatal(err)
		}
		hs, seen := make([]Handler, threads), 0
		for i := range hs {
			hs[i] = &touch{}
		}
		if _, err := s.Rows(context.Background(), benchColumns, 39, hs, Break{}); err != nil {
			b.Fatal(err)
		}
		for _, h := range hs {
			seen += h.(*touch).rows
		}
		if seen != rows {
			b.Fatalf("%d rows", seen)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/float64(rows), "allocs/row")
}

// BenchmarkRecordMachine measures only the byte machine, which reads the
// records that cross blocks.
func BenchmarkRecordMachine(b *testing.B) {
	text := benchText(',', false, 10_000)
	b.SetBytes(int64(len(text)))
	rec := newRecord(',', benchColumns, 39)
	for b.Loop() {
		for rest := text; len(rest) > 0; {
			rec.begin(1)
			n, _ := rec.feed(rest)
			rest = rest[n:]
		}
	}
}
