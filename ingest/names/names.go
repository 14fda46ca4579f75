// Package names knows what tools print for a kernel. Compilers write a
// function's scope and parameter types into the name of its symbol: C++
// compilers as the Itanium ABI says, numba's GPU backend by a scheme of its
// own. Profilers mostly print such names decoded, and now and then as they are,
// with hundreds of characters; tracers put the launch size behind them. What
// names a kernel in files for programs stays the symbol. The package knows
// neither kernels nor files.
package names

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// mostLength is the power of two of the longest decoded name: a short symbol
// may stand for a name without end.
const mostLength = 14

// Display returns the decoded form of a name, and a name that is not encoded as
// it is.
func Display(name string) string {
	rest, ok := strings.CutPrefix(name, "dppyPy_dppy_py_devfn_")
	if !ok {
		return demangle.Filter(name, demangle.MaxLength(mostLength))
	}
	// What numba's GPU backend makes of a Python function and the types it was
	// compiled for, as in
	// _5F__5F_main_5F__5F__2E_scale_24_1_2E_int64_2E_float32 for
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

// Task returns the name of a kernel as profilers print it: SYCL names a kernel
// by a type, whose name the symbol is of.
func Task(name string) string { return strings.TrimPrefix(Display(name), "typeinfo name for ") }

var (
	// numbered are the parts of a name that count lambdas and unnamed types
	// within their scope: {lambda(int)#2} and {unnamed type#1} as GNU prints
	// them, 'lambda1' and 'unnamed0' as LLVM does.
	numbered = regexp.MustCompile(`(\{lambda\([^{}]*\)|\{unnamed type)#\d+|'(?:lambda|unnamed)\d*'`)
	// offloading begins the name of an OpenMP target region, with the numbers
	// of the device and the file that held its source when it was compiled, and
	// a line of it at the end.
	offloading = regexp.MustCompile(`^__omp_offloading_[0-9a-f]+_[0-9a-f]+_(.*)_l\d+$`)
	word       = regexp.MustCompile(`[0-9A-Za-z]+`)
	// escaped is a character other than letters and digits in a name of
	// numba's: its number in hexadecimal.
	escaped = regexp.MustCompile(`_[2-7][0-9A-F]_`)
	// cast is the type of a number that is an argument of a template.
	cast = regexp.MustCompile(`([<,]\s*)\([^()<]+\)(-?\d)`)
	base = regexp.MustCompile(`^([^<(]*)(?:<\s*(-?\d+))?`)
)

// Comparable makes names of different tools comparable: VTune prints template
// integers as (int)12.
func Comparable(name string) string { return strings.Join(strings.Fields(withoutCasts(name)), " ") }

// withoutCasts leaves out the types of numbers among the arguments of a
// template: f<(int)256, (bool)1> becomes f<256, 1>.
func withoutCasts(name string) string { return cast.ReplaceAllString(name, "$1$2") }

// Base is what a log has of a kernel's name: the name before its template
// arguments, and the first of them where that is an integer.
type Base struct{ Name, First string }

// BaseOf takes it from a kernel as it was printed: a log prints VectorAdd<12>
// where VTune prints VectorAdd<(int)12, (int)256, (int)32>(int, ...
func BaseOf(task string) Base {
	m := base.FindStringSubmatch(Comparable(task))
	return Base{strings.TrimSpace(m[1]), m[2]}
}

// Stable returns a name without the parts that move when other code changes:
// the numbers of lambdas and unnamed types, the device, file and line of an
// OpenMP region, hashes. A name without such parts is given as it is. ordinal
// says that a number or line was left out, which says nothing about which of
// several alike it is once one of them moved.
func Stable(name string) (stable string, ordinal bool) {
	shown := Display(name)
	stable = numbered.ReplaceAllString(shown, "$1#*")
	if m := offloading.FindStringSubmatch(stable); m != nil {
		stable = "__omp_offloading_*_" + m[1] + "_l*"
	}
	ordinal = stable != shown
	stable = word.ReplaceAllStringFunc(stable, func(s string) string {
		if digits := strings.TrimPrefix(s, "h"); isHash(digits) { // h: as Rust has them
			return "*"
		}
		return s
	})
	if stable == shown {
		return name, false
	}
	return stable, ordinal
}

// pattern returns a name without what tells alike kernels apart: "*" stands for
// a number and "<*>" for template arguments. For example, the pattern of
// "gemm<float, 2>_17" is "gemm<*>_*".
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
	if depth > 0 { // a comparison, no arguments
		return shown
	}
	return string(pattern)
}

// Patterns remembers patterns: decoding 100,000 symbols takes seconds. The key
// is a name without its digits.
type Patterns map[string]string

// Of returns the pattern of a name.
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

// Continues reports whether a kernel goes on from one that is gone and has the
// same stable name: it must be the only new one of that name. Where the name
// counts its likes, there must be no others of it: it is unknown which of them
// moved.
func Continues(fresh int, ordinal, others bool) bool { return fresh == 1 && !(ordinal && others) }

// isHash reports whether a word is a hash: eight or more hexadecimal digits,
// letters among them, which a size or a date has not.
func isHash(s string) bool {
	const digits, letters = "0123456789", "abcdefABCDEF"
	return len(s) >= 8 && strings.Trim(s, digits+letters) == "" &&
		strings.ContainsAny(s, digits) && strings.ContainsAny(s, letters)
}

// ByName is a value for kernels: for one by its name, for several by a pattern
// in which * stands for any text, and for all others. A name beats a pattern, a
// longer pattern a shorter one, and both beat the value for all others. The
// zero value has none.
type ByName[T any] struct {
	list []named[T]
}

type named[T any] struct {
	name    string // empty is for all others
	pattern *regexp.Regexp
	rank    int
	value   T
}

const aName = 1 << 30 // beats a pattern of any length

// Set adds a value for a name or a pattern; the empty name is for all other
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

// Of returns the value for a kernel, whose name may be as a profiler or a
// compiler has it.
func (b *ByName[T]) Of(task string) (v T, ok bool) {
	best := -1
	for _, n := range b.list {
		if n.rank > best && n.matches(task) {
			best, v = n.rank, n.value
		}
	}
	return v, best >= 0
}

// Unmatched returns the names and patterns that no kernel has.
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
