package vecadd

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

const ticksUnit = "u-secs"

// inSeconds maps each printed unit to its length in seconds. The optimization
// guide's `u-secs` are steady_clock ticks: nanoseconds with the common C++
// libraries.
var inSeconds = map[string]float64{
	"seconds": 1, "second": 1, "secs": 1, "sec": 1, "s": 1,
	"milliseconds": 1e-3, "msecs": 1e-3, "ms": 1e-3,
	"microseconds": 1e-6, "usecs": 1e-6, "us": 1e-6,
	ticksUnit: 1e-9, "nanoseconds": 1e-9, "nsecs": 1e-9, "ns": 1e-9,
}

// timingLine matches `VectorAdd<12> completed on device - [took ]0.0123
// seconds` after any other text. Its groups are the kernel, the dash, the
// number, and the unit.
var timingLine = regexp.MustCompile(
	`^.*(VectorAdd.*?) *? completed on device( *-)?[ \t]*(?:took)?[ \t]*([^ ]*) *(.*?)\s*$`)

// cutLine matches a line that contains only a timing line's beginning.
var cutLine = regexp.MustCompile(`^VectorAdd(\d+|\d*<\d*>?)( c[a-z ]*)?$`)

// parseTiming returns the timing in a line. parts are timingLine's submatch
// indexes. If there is an error, at is the wrong part's index.
func parseTiming(text string, parts []int) (t ingest.Timing, at int, err error) {
	part := func(i int) string { return text[parts[2*i]:parts[2*i+1]] }
	// Clone the parts, so that they do not keep the line in memory.
	t.Kernel, t.Printed, t.UnitAsPrinted = strings.Clone(part(1)), strings.Clone(part(3)), strings.Clone(part(4))
	if t.Groups, err = groupsOf(t.Kernel); err != nil {
		return t, parts[2], err
	}
	x, err := strconv.ParseFloat(t.Printed, 64)
	scale, known := inSeconds[t.UnitAsPrinted]
	switch {
	case parts[4] < 0:
		return t, parts[6], fmt.Errorf(`"-" is missing after "completed on device"`)
	// A C++ stream prints digits, a point, and an exponent. strconv also
	// accepts hexadecimal numbers, "inf", and "nan".
	case err != nil || strings.Trim(t.Printed, "0123456789.eE+-") != "" || x < 0 || math.IsInf(x, 0):
		return t, parts[6], fmt.Errorf("time %s is not a number of 0 or more", table.Quote(t.Printed))
	case !known:
		return t, parts[8], fmt.Errorf("unit %s is unknown; expected seconds or u-secs", table.Quote(t.UnitAsPrinted))
	}
	t.Seconds = unit.Seconds(x * scale)
	if scale == 1e-9 {
		t.Seconds = unit.Seconds(x / 1e9) // exact for whole ticks, unlike x * 1e-9
	}
	return t, 0, nil
}

// kernelName matches VectorAdd<12>, VectorAdd2<12, 256>, or VectorAdd1.
var kernelName = regexp.MustCompile(`^VectorAdd\d*(?:< *(?:\(int\))?([^,>]*?) *(?:,.*)?>)?$`)

// groupsOf returns the work-group count, which is the first template argument.
// The digits in VectorAdd1 to VectorAdd4 only number the guide's kernels.
// VectorAdd1 uses a plain range, for which the runtime chooses the work-groups.
func groupsOf(kernel string) (groups unit.Opt[int64], err error) {
	name := kernelName.FindStringSubmatch(kernel)
	if name == nil {
		return groups, fmt.Errorf("kernel %s is not VectorAdd<N>, VectorAdd1 or VectorAdd2<N>", table.Quote(kernel))
	}
	if !strings.HasSuffix(kernel, ">") {
		return groups, nil
	}
	n, err := strconv.ParseInt(name[1], 10, 64)
	if err != nil || n < 1 {
		return groups, fmt.Errorf("number of work-groups %s is not a whole number above 0", table.Quote(name[1]))
	}
	return unit.Some(n), nil
}
