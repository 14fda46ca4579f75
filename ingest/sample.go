package ingest

import (
	"slices"

	"occudiff/ingest/unit"
)

// Sample gathers how much values differ, in bounded memory: beyond a limit it keeps every second, fourth, ... value,
// so that quantiles are those of an even selection. The zero Sample is empty.
type Sample struct {
	N        int64
	Min, Max float64
	stride   int64
	kept     []float64
}

// SampleSize is how many values are kept of each of so many samples: many of few, few of many.
func SampleSize(samples int) int {
	if samples > 1024 {
		return 32
	}
	return 512
}

// Add adds a value; most is how many are kept.
func (s *Sample) Add(x float64, most int) {
	if s.N == 0 {
		s.Min, s.Max, s.stride = x, x, 1
	}
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	if s.N%s.stride == 0 {
		s.kept = append(s.kept, x)
		for len(s.kept) >= most {
			n := 0
			for i := 0; i < len(s.kept); i += 2 {
				s.kept[n] = s.kept[i]
				n++
			}
			s.kept, s.stride = s.kept[:n], s.stride*2
		}
	}
	s.N++
}

// Quantiles gives the values below which shares of all lie; a half gives the median, which is between two values
// where they are even in number.
func (s *Sample) Quantiles(shares ...float64) []float64 {
	list := make([]float64, len(shares))
	x := slices.Clone(s.kept)
	slices.Sort(x)
	for i, share := range shares {
		if len(x) > 0 {
			at := share * float64(len(x)-1)
			low := int(at)
			high := min(low+1, len(x)-1)
			list[i] = x[low] + (x[high]-x[low])*(at-float64(low))
		}
	}
	return list
}

// Spread gives the spread of the times of two launches or more, and that of their measured occupancies, nil for none.
func (s *Sample) Spread(measured *Sample) *Spread {
	if s.N < 2 {
		return nil
	}
	q := s.Quantiles(0.1, 0.5, 0.9)
	spread := &Spread{
		MinSeconds: unit.Seconds(s.Min), MedianSeconds: unit.Seconds(q[1]), MaxSeconds: unit.Seconds(s.Max),
		P10Seconds: unit.Some(unit.Seconds(q[0])), P90Seconds: unit.Some(unit.Seconds(q[2]))}
	if measured != nil && measured.N > 0 {
		spread.MinMeasured = unit.Some(unit.Ratio(measured.Min))
		spread.MedianMeasured = unit.Some(unit.Ratio(measured.Quantiles(0.5)[0]))
		spread.MaxMeasured = unit.Some(unit.Ratio(measured.Max))
	}
	return spread
}
