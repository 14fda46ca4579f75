package ahead

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// on sets how many cores there are for a test.
func on(t *testing.T, cores int) {
	before := runtime.GOMAXPROCS(cores)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func numbers(first, last int, into []int) []int {
	if first%3 == 0 {
		runtime.Gosched() // parts do not end in their order
	}
	into = into[:0]
	for i := first; i < last; i++ {
		into = append(into, i)
	}
	return into
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		reason         string
		cores, n, size int
	}{
		{"none", 4, 0, 10},
		{"one part", 4, 10, 10},
		{"a last part of one", 4, 101, 10},
		{"many", 4, 100_000, 7},
		{"one core", 1, 1000, 7},
		{"more cores than parts", 16, 30, 10},
	} {
		t.Run(c.reason, func(t *testing.T) {
			on(t, c.cores)
			var got []int
			for part := range Parts(c.n, c.size, numbers) {
				got = append(got, part...)
			}
			for i, x := range got {
				if x != i {
					t.Fatalf("at %d stands %d", i, x)
				}
			}
			if len(got) != c.n {
				t.Errorf("%d numbers, want %d", len(got), c.n)
			}
		})
	}
}

func TestItems(t *testing.T) {
	on(t, 4)
	for _, n := range []int{0, 1, perPart, perPart + 1, 10_000} {
		want := 0
		for i, x := range Items(n, func(i int, into *int) { *into = i * i }) {
			if i != want || *x != i*i {
				t.Fatalf("of %d items, at %d stands %d of %d", n, want, *x, i)
			}
			want++
		}
		if want != n {
			t.Errorf("%d items, want %d", want, n)
		}
	}
}

// TestPartsStop: a reader that has enough leaves no goroutine behind.
func TestPartsStop(t *testing.T) {
	on(t, 4)
	before := runtime.NumGoroutine()
	for range 100 {
		for part := range Parts(1000, 10, numbers) {
			if slices.Contains(part, 50) {
				break
			}
		}
	}
	for range 100 { // goroutines that are done may still be counted
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, there were %d", runtime.NumGoroutine(), before)
}
