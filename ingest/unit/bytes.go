package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is an amount of memory; 1 KB is 1024 bytes throughout.
type Bytes int64

// maxBytes bounds an amount that is read, 1 TB: no GPU has more of anything.
const maxBytes = 1 << 40

// ParseBytes reads an amount of memory: bytes, or a number with the unit B, K, KB, KiB, M, MB or MiB. A fraction is
// taken where it makes whole bytes, as in 0.5K.
func ParseBytes(text string) (Bytes, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, u := range []struct {
		suffix string
		factor float64
	}{{"KIB", 1 << 10}, {"KB", 1 << 10}, {"K", 1 << 10}, {"MIB", 1 << 20}, {"MB", 1 << 20}, {"M", 1 << 20}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	// Only digits and a point: a number such as 1e3 or 0x10 is more likely a typo than an amount.
	x, err := strconv.ParseFloat(number, 64)
	if b := x * factor; err == nil && strings.Trim(number, "0123456789.") == "" && b <= maxBytes && b == math.Trunc(b) {
		return Bytes(b), nil
	}
	if strings.HasPrefix(number, "-") {
		return 0, fmt.Errorf("%q: an amount of memory is not below 0", text)
	}
	return 0, fmt.Errorf("%q: expected bytes, or an amount with a unit as in 16K", text)
}

// UnmarshalCSV implements gocsv.TypeUnmarshaller; an empty cell is 0.
func (b *Bytes) UnmarshalCSV(cell string) (err error) {
	if *b = 0; strings.TrimSpace(cell) != "" {
		*b, err = ParseBytes(cell)
	}
	return err
}
