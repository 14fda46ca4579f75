package vtune

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
)

// tail returns the result of scan.Row.Tail for a cell, with other bytes before
// it.
func tail(s string) (uint64, int) {
	_, x, n := longTail(s)
	return x, n
}

// longTail returns the result of scan.Row.LongTail.
func longTail(s string) (before, last uint64, n int) {
	b := []byte("9,.\",;:19,.\",;:1" + s)
	return binary.LittleEndian.Uint64(b[len(b)-16:]), binary.LittleEndian.Uint64(b[len(b)-8:]), len(s)
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text  string
		nano  int64
		nanoK bool
		count int64
		ok    bool
	}{
		{"0", 0, true, 0, true},
		{"0.0", 0, true, 0, true},
		{"62.7", 62_700_000_000, true, 0, false},
		{"1.070996", 1_070_996_000, true, 0, false},
		// a count with a point is parsed as float64
		{"999999999.999999999", 999_999_999_999_999_999, true, 1e9, true},
		{"0.0000000005", 1, true, 0, false}, // rounded up
		{"0.00000000049", 0, true, 0, false},
		{"1e-05", 10_000, true, 0, false},
		{"2.5E+1", 25_000_000_000, true, 25, true},
		{"2047", 2_047_000_000_000, true, 2047, true},
		{"9223372036854775807", 0, false, math.MaxInt64, true},
		{"9223372036854775808", 0, false, 0, false},
		{"1e3", 1_000_000_000_000, true, 1000, true},
		{"-1", -1_000_000_000, true, -1, true},
		{"+5", 5_000_000_000, true, 5, true},
		{" 7 ", 7_000_000_000, true, 7, true},
		{".5", 500_000_000, true, 0, false},
		{"5.", 5_000_000_000, true, 5, true},
		{"", 0, false, 0, false},
		{".", 0, false, 0, false},
		{"1,5", 0, false, 0, false},
		{"0x10", 0, false, 0, false},
		{"inf", 0, false, 0, false},
		{"nan", 0, false, 0, false},
		{"1_000", 0, false, 0, false},
		{"1.2.3", 0, false, 0, false},
		{"12:34", 0, false, 0, false},
	} {
		if v, ok := parseNano([]byte(c.text)); ok != c.nanoK || ok && v != c.nano {
			t.Errorf("parseNano(%q) = %d, %v; want %d, %v", c.text, v, ok, c.nano, c.nanoK)
		}
		if v, ok := parseCount([]byte(c.text)); ok != c.ok || ok && v != c.count {
			t.Errorf("parseCount(%q) = %d, %v; want %d, %v", c.text, v, ok, c.count, c.ok)
		}
	}
}

// TestShortNumbers checks that the parsers of eight bytes accept only what the
// general parsers accept, with the same result.
func TestShortNumbers(t *testing.T) {
	try := func(s string) {
		x, n := tail(s)
		v, ok := parseNano([]byte(s))
		if tenths, bad := shortTenths(x, n); bad == 0 && n >= 3 && n <= 5 && (!ok || int64(tenths)*tenth != v) {
			t.Errorf("shortTenths(%q) = %d, want %d, %v", s, tenths, v, ok)
		}
		if m, mok := shortMicros(x); mok && n == 8 && (!ok || m*1000 != v) {
			t.Errorf("shortMicros(%q) = %d, want %d, %v", s, m, v, ok)
		}
		if m, mok := micros16(longTail(s)); mok && (!ok || int64(m)*1000 != v) {
			t.Errorf("micros16(%q) = %d, want %d, %v", s, m, v, ok)
		}
		c, cok := parseCount([]byte(s))
		if m, mok := shortCount(x, n); mok && (!cok || m != c) {
			t.Errorf("shortCount(%q) = %d, want %d, %v", s, m, c, cok)
		}
		if m, mok := digits16(longTail(s)); mok && (!cok || int64(m) != c) {
			t.Errorf("digits16(%q) = %d, want %d, %v", s, m, c, cok)
		}
	}
	for i := range 10_000 {
		s := fmt.Sprintf("%d.%d", i/10, i%10)
		x, n := tail(s)
		if tenths, bad := shortTenths(x, n); bad != 0 || n > 5 || tenths != uint64(i) {
			t.Fatalf("shortTenths(%q) = %d, %d", s, tenths, bad)
		}
		s = fmt.Sprintf("%d.%06d", i%10, i*99)
		if x, _ = tail(s); true {
			if v, ok := shortMicros(x); !ok || v != int64(i%10)*1_000_000+int64(i)*99 {
				t.Fatalf("shortMicros(%q) = %d, %v", s, v, ok)
			}
		}
		s = fmt.Sprintf("%d.%06d", i*i, i*99)
		if len(s) <= 16 {
			if v, ok := micros16(longTail(s)); !ok || v != uint64(i*i)*1_000_000+uint64(i)*99 {
				t.Fatalf("micros16(%q) = %d, %v", s, v, ok)
			}
		}
		s = fmt.Sprint(i * i * i * 9999)
		if v, ok := digits16(longTail(s)); !ok || v != uint64(i*i*i*9999) {
			t.Fatalf("digits16(%q) = %d, %v", s, v, ok)
		}
		s = fmt.Sprint(i * i)
		if x, n = tail(s); true {
			if v, ok := shortCount(x, n); !ok || v != int64(i*i) {
				t.Fatalf("shortCount(%q) = %d, %v", s, v, ok)
			}
		}
	}
	const bytes = "0123456789.-+eE/:; \x00\xb0"
	r := rand.New(rand.NewSource(1))
	for range 300_000 {
		b := make([]byte, r.Intn(19))
		for i := range b {
			b[i] = bytes[r.Intn(len(bytes))]
			if r.Intn(3) > 0 {
				b[i] = bytes[r.Intn(11)]
			}
		}
		try(string(b))
	}
}

func TestWide(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 1000 {
		a, b, c, k := r.Uint64()>>r.Intn(64), r.Uint64()>>r.Intn(64), r.Uint64()>>r.Intn(64), r.Uint64()>>40
		var w wide
		w.addProduct(a, b>>1)
		w.add(c)
		want := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b>>1))
		want.Add(want, new(big.Int).SetUint64(c))
		if w.big().Cmp(want) != 0 {
			t.Fatalf("%d*%d+%d = %v, want %v", a, b>>1, c, w.big(), want)
		}
		if got := (wide{0, a}).times(k).big(); got.Cmp(new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(k))) != 0 {
			t.Fatalf("%d times %d = %v", a, k, got)
		}
		if d := (wide{0, c | 1}); true {
			f, _ := new(big.Rat).SetFrac(want, new(big.Int).Mul(d.big(), big.NewInt(one))).Float64()
			if got := w.over(d); math.Abs(got-f) > 1e-15*f {
				t.Fatalf("%v over %v = %v, want %v", want, d.big(), got, f)
			}
		}
	}
}

// TestSketch checks that a median is exact for 64 values and within 0.8% for
// more. Splitting and merging in any order returns the same result.
func TestSketch(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, n := range []int{1, 2, 63, 64, 65, 1000, 20000} {
		values := make([]int64, n)
		var all sketch
		parts := make([]sketch, 5)
		for i := range values {
			values[i] = 1000 * (3 + int64(r.ExpFloat64()*400))
			all.add(values[i], timeBuckets)
			parts[r.Intn(len(parts))].add(values[i], timeBuckets)
		}
		slices.Sort(values)
		exact := float64(values[(n-1)/2]+values[n/2]) / 2
		got := all.median(timeBuckets)
		if off := math.Abs(float64(got)/exact - 1); off > 0.008 || n <= exactly && off > 1e-9 {
			t.Errorf("median of %d values: %d, want %v", n, got, exact)
		}
		for _, share := range []float64{0, 0.1, 0.9, 1} {
			exact := float64(values[int(share*float64(n-1))])
			if got := all.quantile(share, timeBuckets); math.Abs(float64(got)/exact-1) > 0.008 {
				t.Errorf("quantile %g of %d values: %d, want %v", share, n, got, exact)
			}
		}
		var merged sketch
		for _, i := range r.Perm(len(parts)) {
			merged.merge(&parts[i], timeBuckets)
		}
		least, most := merged.ends(timeBuckets)
		if m := merged.median(timeBuckets); m != got || least != values[0] || most != values[n-1] || merged.len() != int64(n) {
			t.Errorf("merged: median %d of %d values from %d to %d, want %d of %d from %d to %d", m, merged.len(), least, most, got, n, values[0], values[n-1])
		}
	}
}

func TestBuckets(t *testing.T) {
	for _, b := range []buckets{timeBuckets, shareBuckets} {
		top := int64(maxSeconds * one)
		if b == shareBuckets {
			top = largestShare
		}
		last := 0
		for v := int64(0); v <= top; v += v/500 + 1 {
			i := b.of(v)
			if i < last || i >= b.pages()*pageSize {
				t.Fatalf("bucket %d of %d after %d, %d pages", i, v, last, b.pages())
			}
			last = i
		}
	}
	for tenths := range int64(1006) { // values that VTune prints are kept exactly
		if v := tenths * tenth; v > lastFine*fineShare && shareBuckets.value(shareBuckets.of(v)) != v {
			t.Fatalf("%d becomes %d", v, shareBuckets.value(shareBuckets.of(v)))
		}
	}
	for thousandths := range int64(1002) {
		if v := thousandths * fineShare; shareBuckets.value(shareBuckets.of(v)) != v {
			t.Fatalf("%d becomes %d", v, shareBuckets.value(shareBuckets.of(v)))
		}
	}
}

// TestCountsAddUp checks that a sum of counts that no run has is an error if
// each count is in range. The number of counts does not matter.
func TestCountsAddUp(t *testing.T) {
	const want = `run.csv:2: the launches of task "K" add up to more than 9,007,199,254,740,992, which no run has` +
		" (a count in the file is wrong: correct it or export the file again)"
	for _, rows := range []int{2, 1025, 3000} {
		text := "Computing Task,Instance Count,Total Time\n" + strings.Repeat("K,9007199254740992,1\n", rows)
		if _, err := readText(text, ingest.ReadOptions{}); err == nil || err.Error() != want {
			t.Errorf("%d rows: %v, want %s", rows, err, want)
		}
	}
}
