package names

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Transfer directions. Kernels have no direction.
const (
	NoDirection  = ""
	HostToDevice = "host-to-device"
	DeviceToHost = "device-to-host"
)

// A Launch is the parsed name that a tracer prints for a launch. For a kernel,
// `"Tile #0: name[SIMD16 {56; 1; 1} {64; 8; 1}]"` contains the name, the SIMD
// width, and the launch size. For a copy, the name is followed by its direction
// and size.
type Launch struct {
	Name          string
	Tile          string
	SIMD          unit.Opt[int]
	Global, Local unit.Size3
	Direction     string
}

// ParseLaunch returns the launch that a name describes. Level Zero prints
// work-groups and the work-group size. OpenCL prints the global and local size
// in work-items, for which items is true. Newer versions omit the opening
// bracket if there is no SIMD width: `name {56; 1; 1} {64; 8; 1}]`.
func ParseLaunch(text string, items bool) (Launch, error) {
	var t Launch
	if tile, rest, ok := strings.Cut(strings.TrimPrefix(text, `"`), ": "); ok && strings.HasPrefix(tile, "Tile #") {
		t.Tile, text = tile, strings.Trim(rest, `"`)
	}
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		if text, ok = strings.CutSuffix(quoted, `"`); !ok {
			return t, fmt.Errorf("the quote of the kernel's name is not closed")
		}
	}
	text = strings.TrimSpace(text)
	// Remove the launch number, as in `f[SIMD32 {1; 1; 1} {64; 1; 1}]<4.1>`.
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

// sizes matches the two sizes at the end of a name and the closing bracket.
var sizes = regexp.MustCompile(`^\{ *(\d+)[;,] *(\d+)[;,] *(\d+) *\}[ ,]*\{ *(\d+)[;,] *(\d+)[;,] *(\d+) *\}\]$`)

// shape removes `[SIMD16 {56; 1; 1} {64; 8; 1}]` from the end of the name and
// stores its values. A size with a zero is unknown to the tool: launches with
// indirect arguments, and OpenCL launches whose work-group size the driver
// chose.
func (t *Launch) shape(text string, items bool) error {
	at := max(0, strings.LastIndexByte(text[:max(0, strings.LastIndexByte(text, '{'))], '{'))
	var n [6]int64
	m := sizes.FindStringSubmatch(text[at:])
	for i := range min(len(m)-1, len(n)) {
		var err error
		if n[i], err = strconv.ParseInt(m[i+1], 10, 64); err != nil {
			m = nil
			break
		}
	}
	if m == nil {
		if !strings.Contains(text, "[SIMD") {
			return nil // belongs to the kernel name
		}
		return fmt.Errorf("the launch size at the end of the name does not parse; expected [SIMD16 {56; 1; 1} {64; " +
			"8; 1}]")
	}
	t.Name = strings.TrimRight(text[:at], " ,")
	if i := strings.LastIndex(t.Name, "[SIMD"); i >= 0 && !strings.ContainsAny(t.Name[i+1:], " []") {
		width := t.Name[i+len("[SIMD"):]
		simd, err := strconv.Atoi(width)
		if t.Name = t.Name[:i]; width != "_ANY" {
			if err != nil || simd < 1 || simd > 64 {
				return fmt.Errorf("SIMD width %q is not a number from 1 to 64", width)
			}
			t.SIMD = unit.Some(simd)
		}
	}
	t.Name = strings.TrimSpace(t.Name)
	global, local := n[:3], n[3:]
	sized := min(local[0], local[1], local[2]) > 0
	if sized {
		t.Local = unit.Size(local...)
	}
	if min(global[0], global[1], global[2]) == 0 || !items && !sized {
		return nil
	}
	for i := range global {
		hi, lo := uint64(0), uint64(global[i])
		if !items {
			hi, lo = bits.Mul64(lo, uint64(local[i]))
		}
		if hi != 0 || lo > 1<<62 {
			return fmt.Errorf("the launch has more work-items than fit in 63 bits: %d work-groups of %d",
				global[i], local[i])
		}
		global[i] = int64(lo)
	}
	t.Global = unit.Size(global...)
	return nil
}

// transferred matches a copy's name or fill, its direction, and its size.
var transferred = regexp.MustCompile(`(?s)^(.+?)(\(\w+\))?(\[\d+( bytes)?\])?$`)

// directions maps the letters in parentheses after a copy or fill to a
// direction.
var directions = map[string]string{"M2D": HostToDevice, "H2D": HostToDevice, "D2M": DeviceToHost, "D2H": DeviceToHost,
	"D": NoDirection, "H": NoDirection, "M": NoDirection, "S": NoDirection, "": NoDirection}

// transfer removes the size and the direction from the copy name such as
// `zeCommandListAppendMemoryCopy(M2D)[128000000]`. It also reads the direction
// of PyTorch's `Memcpy M2D (HOST -> DEVICE)`. M is system memory, H host, D
// device, and S shared memory. A direction that is neither to nor from the
// device is kept in the name, because a Direction cannot represent it.
func (t *Launch) transfer() {
	if rest, ok := strings.CutPrefix(t.Name, "Memcpy "); ok {
		where, _, _ := strings.Cut(strings.ReplaceAll(rest, "to", "2"), " ")
		t.Direction = directions[where]
	}
	if !strings.HasPrefix(t.Name, "ze") && !strings.HasPrefix(t.Name, "cl") {
		return
	}
	m := transferred.FindStringSubmatch(t.Name)
	direction, known := directions[strings.Trim(m[2], "()")]
	if t.Name, t.Direction = m[1], direction; !known {
		t.Name += m[2]
	}
	switch {
	case strings.HasPrefix(t.Name, "clEnqueueWrite"):
		t.Direction = HostToDevice
	case strings.HasPrefix(t.Name, "clEnqueueRead"):
		t.Direction = DeviceToHost
	}
}
