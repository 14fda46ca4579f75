package names

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Direction of a transfer.
type Direction string

// The directions; kernels have none.
const (
	NoDirection  Direction = ""
	HostToDevice Direction = "host-to-device"
	DeviceToHost Direction = "device-to-host"
)

// Launch is what a tracer prints for a launch, `"Tile #0: name[SIMD16 {56; 1; 1} {64; 8; 1}]"`: a kernel's name with its
// launch shape and SIMD width behind it, or that of a copy with its direction and size.
type Launch struct {
	Name          string
	Tile          string
	SIMD          unit.Opt[int]
	Global, Local unit.Size3
	Direction     Direction
}

// ParseLaunch takes a name apart. Level Zero prints work-groups and work-group size, OpenCL (items) the global and local
// size in work-items. Without the SIMD width newer versions lose the opening bracket: `name {56; 1; 1} {64; 8; 1}]`.
func ParseLaunch(text string, items bool) (Launch, error) {
	var t Launch
	if strings.HasPrefix(text, "Tile #") || strings.HasPrefix(text, `"Tile #`) {
		if tile, rest, ok := strings.Cut(strings.TrimPrefix(text, `"`), ": "); ok {
			t.Tile, text = tile, strings.TrimSuffix(strings.TrimPrefix(rest, `"`), `"`)
		}
	}
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	} else if strings.HasPrefix(text, `"`) {
		return t, fmt.Errorf("the quote of the kernel's name is not closed")
	}
	text = strings.TrimSpace(text)
	// The number of the launch, as in `f[SIMD32 {1; 1; 1} {64; 1; 1}]<4.1>`.
	if i := strings.LastIndex(text, "}]<"); i >= 0 && strings.Trim(text[i+3:], "0123456789.>") == "" {
		text = text[:i+2]
	}
	t.Name = text
	if strings.HasSuffix(text, "}]") {
		if err := t.shape(text, items); err != nil {
			return t, err
		}
	} else {
		t.transfer()
	}
	if t.Name == "" {
		return t, fmt.Errorf("the row names no kernel")
	}
	return t, nil
}

// shape takes `[SIMD16 {56; 1; 1} {64; 8; 1}]` off the end.
func (t *Launch) shape(text string, items bool) error {
	rest, second, ok2 := cutBraces(strings.TrimSuffix(text, "]"))
	rest, first, ok1 := cutBraces(rest)
	name, width, marked := rest, "", false
	if i := strings.LastIndex(rest, "[SIMD"); i >= 0 && !strings.ContainsAny(rest[i+1:], " []") {
		name, width, marked = rest[:i], rest[i+len("[SIMD"):], true
	}
	if !ok1 || !ok2 {
		if !strings.Contains(text, "[SIMD") {
			return nil // a name that ends so
		}
		return fmt.Errorf("the launch shape at the end of the name does not parse; expected [SIMD16 {56; 1; 1} {64; " +
			"8; 1}]")
	}
	if marked && width != "_ANY" {
		n, err := strconv.Atoi(width)
		if err != nil || n < 1 || n > 64 {
			return fmt.Errorf("SIMD width %q is not a number from 1 to 64", width)
		}
		t.SIMD = unit.Some(n)
	}
	t.Name = strings.TrimSpace(name)
	return t.sizes(first, second, items)
}

// sizes takes the two triples. A zero says that the tool did not know: launches with indirect arguments, and OpenCL
// launches whose work-group size the driver chose.
func (t *Launch) sizes(first, second [3]int64, items bool) error {
	known := func(d [3]int64) bool { return d[0] > 0 && d[1] > 0 && d[2] > 0 }
	if known(second) {
		t.Local = unit.Size(second[:]...)
	}
	if !known(first) || (!items && !known(second)) {
		return nil
	}
	global := first
	if !items {
		for i := range global {
			hi, lo := bits.Mul64(uint64(first[i]), uint64(second[i]))
			if hi != 0 || lo > 1<<62 {
				return fmt.Errorf("the launch has more work-items than 63 bits hold: %d work-groups of %d", first[i],
					second[i])
			}
			global[i] = int64(lo)
		}
	}
	t.Global = unit.Size(global[:]...)
	return nil
}

// cutBraces takes `{56; 1; 1}` off the end, the spaces and the comma before it too.
func cutBraces(text string) (rest string, dims [3]int64, ok bool) {
	body, ok := strings.CutSuffix(text, "}")
	open := strings.LastIndexByte(body, '{')
	if !ok || open < 0 {
		return text, dims, false
	}
	parts := strings.FieldsFunc(body[open+1:], func(r rune) bool { return r == ';' || r == ',' })
	if len(parts) != len(dims) {
		return text, dims, false
	}
	for i, p := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(p), 10, 64)
		if err != nil || n < 0 {
			return text, dims, false
		}
		dims[i] = n
	}
	return strings.TrimRight(body[:open], " ,"), dims, true
}

// transfer takes bytes and direction off the name of a copy: `zeCommandListAppendMemoryCopy(M2D)[128000000]`. M is
// memory of the system, H of the host, D of the device, S shared; a direction that is neither to nor from the device
// stays in the name, since a Direction cannot say it.
func (t *Launch) transfer() {
	if !strings.HasPrefix(t.Name, "ze") && !strings.HasPrefix(t.Name, "cl") {
		return
	}
	if i := strings.LastIndexByte(t.Name, '['); i > 0 && strings.HasSuffix(t.Name, "]") {
		size := strings.TrimSuffix(t.Name[i+1:len(t.Name)-1], " bytes")
		if size != "" && strings.Trim(size, "0123456789") == "" {
			t.Name = t.Name[:i]
		}
	}
	i := strings.LastIndexByte(t.Name, '(')
	where := ""
	if i > 0 && strings.HasSuffix(t.Name, ")") {
		where = t.Name[i+1 : len(t.Name)-1]
	}
	switch where {
	case "M2D", "H2D":
		t.Name, t.Direction = t.Name[:i], HostToDevice
	case "D2M", "D2H":
		t.Name, t.Direction = t.Name[:i], DeviceToHost
	case "D", "H", "M", "S": // where a fill writes
		t.Name = t.Name[:i]
	}
	switch {
	case strings.HasPrefix(t.Name, "clEnqueueWrite"):
		t.Direction = HostToDevice
	case strings.HasPrefix(t.Name, "clEnqueueRead"):
		t.Direction = DeviceToHost
	}
}
