package trend

import "math/rand/v2"

// rngOf returns a random generator with a fixed seed.
func rngOf(a, b int) *rand.Rand { return rand.New(rand.NewPCG(uint64(a), uint64(b))) }
