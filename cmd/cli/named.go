package cli

import (
	"cmp"
	"strconv"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Sizes is the value of a flag that takes a launch size for all kernels, and others for kernels that it names: 256, and
// 'VectorAdd3<8>=320'. A name may be a pattern, as in 'VectorAdd3<*>=224'.
type Sizes struct {
	Size
	Named []string // names, each with its size behind the last =
}

// Set implements pflag.Value.
func (s *Sizes) Set(text string) error {
	if !strings.Contains(text, "=") {
		return s.Size.Set(text)
	}
	s.Named = append(s.Named, text)
	_, err := s.ByName()
	return err
}

// ByName reads the sizes of --local.
func (s *Sizes) ByName() (names.ByName[unit.Size3], error) {
	return byName("local", string(s.Size), s.Named, "a size", func(text string) (unit.Size3, error) {
		return unit.ParseSize(unit.ExpandCounts(text))
	})
}

// Count is the value of a flag that takes a number as Sizes takes sizes.
type Count struct {
	N     int // 0 when there is none for all kernels
	Named []string
}

// String implements pflag.Value.
func (c *Count) String() string { return strconv.Itoa(c.N) }

// Type implements pflag.Value.
func (c *Count) Type() string { return "count" }

// Set implements pflag.Value.
func (c *Count) Set(text string) (err error) {
	if !strings.Contains(text, "=") {
		c.N, err = strconv.Atoi(text)
		return err
	}
	c.Named = append(c.Named, text)
	_, err = c.ByName()
	return err
}

// ByName reads the numbers of --simd.
func (c *Count) ByName() (names.ByName[int], error) {
	return byName("simd", strings.TrimPrefix(strconv.Itoa(c.N), "0"), c.Named, "a number above 0", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if n < 1 {
			return n, cmp.Or(err, strconv.ErrRange)
		}
		return n, err
	})
}

func byName[T any](flag, all string, named []string, what string, parse func(string) (T, error)) (b names.ByName[T], err error) {
	if all = strings.TrimSpace(all); all != "" {
		v, err := parse(all)
		if err != nil {
			return b, Errorf("--%s %s: expected %s", flag, all, what)
		}
		b.Set("", v)
	}
	for _, text := range named {
		at := strings.LastIndexByte(text, '=')
		v, err := parse(strings.TrimSpace(text[at+1:]))
		if err != nil || at == 0 {
			return b, Errorf("--%s %s: expected %s, or the name of a kernel before it as in 'VectorAdd3<8>=320'", flag, text, what)
		}
		b.Set(text[:at], v)
	}
	return b, nil
}
