// Package ahead makes a long list in parts, on all cores and some parts ahead of who reads it, and hands them on in
// their order. It does not know what the parts are.
package ahead

import (
	"iter"
	"runtime"
	"sync"
)

// Parts gives what work makes of the neighboring ranges of 0 to n, size long each but for the last, in their order.
// Work runs on several goroutines at once. It may fill and return into, which is a part that the reader is done with,
// and the zero value at first: a part is good until the next one.
func Parts[T any](n, size int, work func(first, last int, into T) T) iter.Seq[T] {
	if n <= size || runtime.GOMAXPROCS(0) == 1 {
		return func(yield func(T) bool) {
			var part T
			for first := 0; first < n; first += size {
				if part = work(first, min(first+size, n), part); !yield(part) {
					return
				}
			}
		}
	}
	return func(yield func(T) bool) {
		cores := runtime.GOMAXPROCS(0)
		coming, spare, stop := make(chan chan T, cores), make(chan T, 2*cores), make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(stop)
		all.Go(func() {
			defer close(coming)
			for first := 0; first < n; first += size {
				next := make(chan T, 1)
				select {
				case coming <- next:
				case <-stop:
					return
				}
				var into T
				select {
				case into = <-spare:
				default:
				}
				all.Go(func() { next <- work(first, min(first+size, n), into) })
			}
		})
		for next := range coming {
			part := <-next
			if !yield(part) {
				return
			}
			select {
			case spare <- part:
			default:
			}
		}
	}
}

// perPart is how many items a part has.
const perPart = 64

// Items gives the items from 0 to n in their order, as fill makes them. Fill runs on several goroutines at once and
// gets the memory of an item that the reader is done with, or a zero one: an item is good until the next one.
func Items[T any](n int, fill func(i int, into *T)) iter.Seq2[int, *T] {
	parts := Parts(n, perPart, func(first, last int, items []T) []T {
		if items == nil {
			items = make([]T, min(perPart, n))
		}
		for i := first; i < last; i++ {
			fill(i, &items[i-first])
		}
		return items[:last-first]
	})
	return func(yield func(int, *T) bool) {
		i := 0
		for part := range parts {
			for k := range part {
				if !yield(i, &part[k]) {
					return
				}
				i++
			}
		}
	}
}
