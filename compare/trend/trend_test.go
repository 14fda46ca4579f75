package trend

import (
	"math/rand/v2"
	"time"
)

// day returns the time of run i.
func day(i int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i)
}

// rngOf returns a random generator with a fixed seed.
func rngOf(a, b int) *rand.Rand { return rand.New(rand.NewPCG(uint64(a), uint64(b))) }
