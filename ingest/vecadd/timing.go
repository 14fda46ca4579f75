package vecadd

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

const (
	kernelMark = "VectorAdd"
	doneMark   = " completed on device"
	ticksUnit  = "u-secs"
	maxName    = 256
)

// inSeconds gives how long one of a printed unit is. The guide's `u-secs` are steady_clock ticks: nanoseconds with
// the common C++ libraries.
var inSeconds = map[string]float64{
	"seconds": 1, "second": 1, "secs": 1, "sec": 1, "s": 1,
	"milliseconds": 1e-3, "msecs": 1e-3, "ms": 1e-3,
	"microseconds": 1e-6, "usecs": 1e-6, "us": 1e-6,
	ticksUnit: 1e-9, "nanoseconds": 1e-9, "nsecs": 1e-9, "ns": 1e-9,
}

// findTiming finds a timing in a line: where its kernel name starts, and where what follows doneMark starts, counted
// from there.
func findTiming(text string) (start, rest int, ok bool) {
	done := strings.Index(text, doneMark)
	if done < 0 {
		return 0, 0, false
	}
	start = strings.LastIndex(text[:done], kernelMark)
	if start < 0 {
		return 0, 0, false
	}
	return start, done + len(doneMark) - start, true
}

// truncated says whether a line is the beginning of a timing line and nothing else.
func truncated(text string) bool {
	name, ok := strings.CutPrefix(text, kernelMark)
	if !ok {
		return false
	}
	name = strings.TrimLeft(name, "0123456789")
	if strings.HasPrefix(name, "<") {
		end := strings.IndexByte(name, '>')
		if end < 0 {
			return strings.Trim(name, "<0123456789") == ""
		}
		name = name[end+1:]
	}
	return name != "" && strings.HasPrefix(doneMark, name)
}

// parseTiming reads `VectorAdd<12> completed on device - [took ]0.0123 seconds`; rest is where the part after
// doneMark starts. On errors col is the index of what is wrong.
func parseTiming(text string, rest int) (t ingest.Timing, col int, err error) {
	t.Kernel = strings.TrimSpace(text[:rest-len(doneMark)])
	if len(t.Kernel) > maxName {
		return t, 0, fmt.Errorf("kernel %s is longer than %d bytes", table.Quote(t.Kernel), maxName)
	}
	if t.Groups, err = groupsOf(t.Kernel); err != nil {
		return t, len(kernelMark), err
	}
	tail := text[rest:]
	value, ok := strings.CutPrefix(strings.TrimLeft(tail, " "), "-")
	if !ok {
		return t, rest, errors.New(`"-" is missing after "completed on device"`)
	}
	value = strings.TrimLeft(value, " \t")
	value = strings.TrimLeft(strings.TrimPrefix(value, "took"), " \t")
	col = len(text) - len(value)
	number, after, _ := strings.Cut(value, " ")
	if number = strings.TrimSpace(number); number == "" {
		return t, col, errors.New("the time is missing")
	}
	x, err := parseNumber(number)
	if err != nil {
		return t, col, err
	}
	t.Printed, t.UnitAsPrinted = number, strings.TrimSpace(after)
	scale, ok := inSeconds[t.UnitAsPrinted]
	switch {
	case t.UnitAsPrinted == "":
		return t, len(text), fmt.Errorf("time %s has no unit, seconds or u-secs", number)
	case !ok:
		return t, len(text) - len(strings.TrimLeft(after, " ")),
			fmt.Errorf("unit %s is not known, seconds or u-secs is", table.Quote(t.UnitAsPrinted))
	}
	t.Seconds = unit.Seconds(x * scale)
	if scale == 1e-9 {
		t.Seconds = unit.Seconds(x / 1e9) // exact for whole ticks, which x * 1e-9 is not
	}
	return t, 0, nil
}

// parseNumber reads what a C++ stream prints for a time: digits, a point, an exponent. strconv alone also takes
// hexadecimal, "inf" and "nan".
func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case strings.Trim(text, "0123456789.eE+-") != "" || (err != nil && !errors.Is(err, strconv.ErrRange)):
		return 0, fmt.Errorf("time %s is not a number", table.Quote(text))
	case err != nil || math.IsInf(x, 0):
		return 0, fmt.Errorf("time %s is too large", table.Quote(text))
	case x < 0:
		return 0, fmt.Errorf("time %s is below 0", table.Quote(text))
	}
	return x, nil
}

// groupsOf gives the number of work-groups, the first template argument. The digits of VectorAdd1 to VectorAdd4 only
// number the guide's kernels: VectorAdd1 runs over the plain range, its work-groups are the runtime's choice.
func groupsOf(kernel string) (unit.Opt[int64], error) {
	var absent unit.Opt[int64]
	name := strings.TrimLeft(strings.TrimPrefix(kernel, kernelMark), "0123456789")
	if name == "" {
		return absent, nil
	}
	args, ok := strings.CutPrefix(name, "<")
	if ok {
		args, ok = strings.CutSuffix(args, ">")
	}
	if !ok {
		return absent, fmt.Errorf("kernel %s is not VectorAdd<N>, VectorAdd1 or VectorAdd2<N>", table.Quote(kernel))
	}
	first, _, _ := strings.Cut(args, ",")
	first = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(first), "(int)"))
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil || n < 1 {
		return absent, fmt.Errorf("number of work-groups %s is not a whole number above 0", table.Quote(first))
	}
	return unit.Some(n), nil
}

// leavesBuffers says whether the launch works beyond its buffers: the notebook's VectorAdd<N> starts work-group g at
// g x vector size in buffers of one vector. The guide's kernels (VectorAdd2<N> and on) start it at g x 2^17 of 105 x
// 2^17 elements, within bounds for all that the guide launches.
func leavesBuffers(t ingest.Timing) bool {
	return t.Groups.Or(1) > 1 && strings.HasPrefix(t.Kernel, kernelMark+"<")
}
