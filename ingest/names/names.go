// Package names decodes, compares, and shortens kernel names.
//
// Compilers encode a function's scope and parameter types in its symbol: C++
// compilers follow the Itanium ABI, and numba's GPU backend uses its own
// scheme. Profilers usually print the decoded name, but sometimes the symbol,
// with hundreds of characters. Tracers append the launch size. Machine-readable
// outputs keep the symbol.
//
// The package does not know kernels or files.
package names

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// mostLength limits a decoded name to 2^14 bytes, because a short symbol can
// decode to a name of any length.
const mostLength = 14

// Display returns a name's decoded form. It returns a name that is not encoded
// unchanged.
func Display(name string) string {
	rest, ok := strings.CutPrefix(name, "dppyPy_dppy_py_devfn_")
	if !ok {
		return demangle.Filter(name, demangle.MaxLength(mostLength))
	}
	// numba's GPU backend encodes a Python function and the types that it was
	// compiled for. For example,
	// _5F__5F_main_5F__5F__2E_scale_24_1_2E_int64_2E_float32 is
	// __main__.scale$1(int64, float32).
	rest = escaped.ReplaceAllStringFunc(rest, func(s string) string {
		c, _ := strconv.ParseUint(s[1:3], 16, 8)
		return string(rune(c))
	})
	name, types, _ := strings.Cut(rest, "$")
	number, types, ok := strings.Cut(types, ".")
	if !ok {
		return rest
	}
	return name + "$" + number + "(" + strings.ReplaceAll(types, ".", ", ") + ")"
}

// Task returns a kernel's name as profilers print it. SYCL names a kernel by a
// type, and the symbol is the name of that type.
func Task(name string) string { return strings.TrimPrefix(Display(name), "typeinfo name for ") }

var (
	// numbered matches the numbers of lambdas and unnamed types within their
	// scope: {lambda(int)#2} and {unnamed type#1} in GNU's form, 'lambda1' and
	// 'unnamed0' in LLVM's form.
	numbered = regexp.MustCompile(`(\{lambda\([^{}]*\)|\{unnamed type)#\d+|'(?:lambda|unnamed)\d*'`)
	// offloading matches the name of an OpenMP target region. The name contains
	// the device and file number of the source file at compile time, and ends
	// with a line number.
	offloading = regexp.MustCompile(`^__omp_offloading_[0-9a-f]+_[0-9a-f]+_(.*)_l\d+$`)
	word       = regexp.MustCompile(`[0-9A-Za-z]+`)
	// escaped matches an encoded character in a numba name: the code of a
	// character that is not a letter or a digit, in hexadecimal.
	escaped = regexp.MustCompile(`_[2-7][0-9A-F]_`)
	// cast matches the type of a number among template arguments.
	cast = regexp.MustCompile(`([<,]\s*)\([^()<]+\)(-?\d)`)
	base = regexp.MustCompile(`^([^<(]*)(?:<\s*(-?\d+))?`)
)

// Comparable returns a name in a form in which the names of different tools can
// be compared. For example, VTune prints the template integer 12 as (int)12.
func Comparable(name string) string { return strings.Join(strings.Fields(withoutCasts(name)), " ") }

// withoutCasts removes the types of numbers among template arguments:
// f<(int)256, (bool)1> becomes f<256, 1>.
func withoutCasts(name string) string { return cast.ReplaceAllString(name, "$1$2") }

// A Base is the part of a kernel name that a log prints: the name before the
// template arguments, and the first argument if it is an integer.
type Base struct{ Name, First string }

// BaseOf returns the Base of a printed name. For example, a log prints
// VectorAdd<12>, and VTune prints VectorAdd<(int)12, (int)256, (int)32>(int,
// ... for the same kernel.
func BaseOf(task string) Base {
	m := base.FindStringSubmatch(Comparable(task))
	return Base{strings.TrimSpace(m[1]), m[2]}
}

// Stable returns a name without the parts that change when other code changes:
// hashes, the numbers of lambdas and unnamed types, and the device, file, and
// line of an OpenMP region. It returns a name without such parts unchanged.
//
// ordinal reports whether a number or a line was removed. If several kernels
// share a stable name and one has moved, that number no longer identifies it.
func Stable(name string) (stable string, ordinal bool) {
	shown := Display(name)
	stable = numbered.ReplaceAllString(shown, "$1#*")
	if m := offloading.FindStringSubmatch(stable); m != nil {
		stable = "__omp_offloading_*_" + m[1] + "_l*"
	}
	ordinal = stable != shown
	stable = word.ReplaceAllStringFunc(stable, func(s string) string {
		if digits := strings.TrimPrefix(s, "h"); isHash(digits) { // Rust puts h before a hash
			return "*"
		}
		return s
	})
	if stable == shown {
		return name, false
	}
	return stable, ordinal
}

// pattern returns a name without the parts that distinguish similar kernels:
// "*" replaces a number and "<*>" the template arguments. For example, the
// pattern of "gemm<float, 2>_17" is "gemm<*>_*".
func pattern(name string) string {
	shown := Display(name)
	pattern := make([]byte, 0, len(shown))
	depth := 0
	for i := 0; i < len(shown); i++ {
		c := shown[i]
		switch digit := '0' <= c && c <= '9'; {
		case c == '<':
			if depth++; depth == 1 {
				pattern = append(pattern, "<*>"...)
			}
		case c == '>' && depth > 0:
			depth--
		case depth > 0:
		case !digit:
			pattern = append(pattern, c)
		case i == 0 || shown[i-1] < '0' || shown[i-1] > '9':
			pattern = append(pattern, '*')
		}
	}
	if depth > 0 { // a comparison such as a<b, not template arguments
		return shown
	}
	return string(pattern)
}

// Patterns caches patterns, because decoding 100,000 symbols takes seconds. The
// key is a name without its digits.
type Patterns map[string]string

// Of returns a name's pattern.
func (p Patterns) Of(name string) string {
	key := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
	found, known := p[key]
	if !known {
		found = pattern(name)
		p[key] = found
	}
	return found
}

// Continues reports whether a new kernel continues a missing kernel with the
// same stable name. fresh is how many new kernels have that name, which must be
// 1. If the name contained an ordinal, no other kernel may have the same stable
// name, because it is unknown which one moved.
func Continues(fresh int, ordinal, others bool) bool { return fresh == 1 && !(ordinal && others) }

// isHash reports whether a word is a hash: at least eight hexadecimal digits
// with both letters and decimal digits. Sizes and dates have no letters.
func isHash(s string) bool {
	const digits, letters = "0123456789", "abcdefABCDEF"
	return len(s) >= 8 && strings.Trim(s, digits+letters) == "" &&
		strings.ContainsAny(s, digits) && strings.ContainsAny(s, letters)
}

// A ByName assigns values to kernels: to one kernel by name, to several by a
// pattern in which * matches any text, and to all others. A name has priority
// over a pattern, a longer pattern over a shorter one, and both over the value
// for all others. The zero ByName has no values.
type ByName[T any] struct {
	list []named[T]
}

type named[T any] struct {
	name    string // empty for all other kernels
	pattern *regexp.Regexp
	rank    int
	value   T
}

const aName = 1 << 30 // higher than the length of any pattern

// Set adds a value for a name or a pattern. The empty name applies to all other
// kernels.
func (b *ByName[T]) Set(name string, v T) {
	n := named[T]{name: name, rank: len(name), value: v}
	if name != "" && !strings.Contains(name, "*") {
		n.rank = aName
	}
	text := strings.ReplaceAll(regexp.QuoteMeta(cmp.Or(name, "*")), `\*`, ".*")
	n.pattern = regexp.MustCompile("(?s)^" + text + "$")
	b.list = append(b.list, n)
}

// Of returns the value for a kernel and reports whether there is one. The name
// may be a symbol or its decoded form.
func (b *ByName[T]) Of(task string) (v T, ok bool) {
	best := -1
	for _, n := range b.list {
		if n.rank > best && n.matches(task) {
			best, v = n.rank, n.value
		}
	}
	return v, best >= 0
}

// Unmatched returns the names and patterns that match no kernel.
func (b *ByName[T]) Unmatched(tasks []string) (left []string) {
	for _, n := range b.list {
		if n.name != "" && !slices.ContainsFunc(tasks, n.matches) {
			left = append(left, n.name)
		}
	}
	return left
}

func (n named[T]) matches(task string) bool {
	return n.pattern.MatchString(task) || n.pattern.MatchString(Display(task))
}
