package arch

import (
	"strings"
)

// squash returns a name in normalized form for comparisons: lower case, without
// (R), (TM), spaces, -, and _, and without a leading "Mesa" or "Intel".
func squash(name string) string {
	b := make([]byte, 0, 64)
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c == ' ' || c == '-' || c == '_' || c == '\t' || c == '\r' || c == '\n':
		case c == '(' || c >= 0x80:
			if n := markLen(name[i:]); n > 0 {
				i += n - 1
				continue
			}
			b = append(b, c)
		default:
			b = append(b, c)
		}
	}
	out := string(b)
	for _, maker := range [...]string{"mesa", "intel"} {
		if t := strings.TrimPrefix(out, maker); t != "" {
			out = t
		}
	}
	return out
}

// markLen returns the length of a trademark sign at the start of s, or 0.
func markLen(s string) int {
	for _, mark := range [...]string{"(R)", "(TM)", "®", "™", "(r)", "(tm)"} {
		if strings.HasPrefix(s, mark) {
			return len(mark)
		}
	}
	return 0
}

// shorten returns a normalized name without the words that every GPU has. For
// example, "arca770graphics" becomes "arca770". The result is empty if the name
// has no other words.
func shorten(squashed string) string {
	s := strings.ReplaceAll(squashed, "graphics", "")
	return strings.ReplaceAll(s, "gpu", "")
}

// shortest also removes the brand from the name: "arca770" becomes "a770", and
// "datacentermax1100" becomes "max1100".
func shortest(short string) string {
	return strings.TrimPrefix(strings.TrimPrefix(short, "datacenter"), "arc")
}

// A wanted is a parsed device name.
type wanted struct {
	name     string // part of the name before the brackets
	brackets string // marketing name in a VTune summary: CODENAME [MARKETING NAME]
	id       string // PCI ID, four upper-case hexadecimal digits
	idOnly   bool   // the name contains only the ID
}

// takeApart parses a device name as tools print it: a driver's name with the
// PCI ID in brackets, VTune's code name with the marketing name in brackets, an
// lspci line, or only a PCI ID.
func takeApart(s string) wanted {
	s = stripPlace(strings.TrimSpace(s))
	var w wanted
	for range 2 { // the PCI ID may follow the marketing name
		open := strings.LastIndexByte(s, '[')
		if open < 0 || !strings.HasSuffix(s, "]") {
			break
		}
		inner := s[open+1 : len(s)-1]
		if id, ok := parsePCI(inner); ok {
			w.id = id
		} else {
			w.brackets = strings.TrimSpace(inner)
		}
		s = strings.TrimSpace(s[:open])
		if w.brackets != "" {
			break
		}
	}
	w.name = s
	if id, ok := parsePCI(s); ok && w.id == "" {
		w.id, w.idOnly = id, true
	}
	if fields := strings.Fields(s); len(fields) >= 2 && w.id == "" &&
		strings.EqualFold(fields[len(fields)-2], "device") {
		if id, ok := hexID(fields[len(fields)-1]); ok {
			w.id, w.idOnly = id, true
		}
	}
	if w.id != "" && w.brackets == "" {
		w.idOnly = w.idOnly || squash(w.name) == ""
	}
	return w
}

// stripPlace removes the text that lspci and VTune print around a name: the bus
// address, the class ("Display controller:"), "GPU 0:", the revision, and
// "Device Group".
func stripPlace(s string) string {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ":"))
	s = strings.TrimSpace(strings.TrimSuffix(s, "Device Group"))
	if i := strings.LastIndex(s, " (rev "); i >= 0 && strings.HasSuffix(s, ")") {
		s = s[:i]
	}
	for {
		left, right, ok := strings.Cut(s, ": ")
		if !ok || !isPlace(left) {
			break
		}
		s = strings.TrimSpace(right)
	}
	const vendor = "intel corporation "
	if n := len(vendor); len(s) > n && strings.EqualFold(s[:n], vendor) {
		s = s[n:]
	}
	return strings.TrimSpace(s)
}

func isPlace(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := strings.LastIndex(s, " ["); i > 0 { // lspci -nn prints the class number: "display controller [0380]"
		s = s[:i]
	}
	return strings.HasSuffix(s, " controller") ||
		strings.Trim(strings.TrimPrefix(s, "gpu "), "0123456789") == "" ||
		strings.ContainsRune(s, ':') && strings.Trim(s, "0123456789abcdef:. ") == ""
}

// parsePCI parses the ID in 0x3e96, 3E96, or 8086:3e96.
func parsePCI(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "8086:"); ok {
		return hexID(rest)
	}
	return hexID(s)
}

// hexID parses a PCI device ID. After 0x, leading zeros may be missing.
func hexID(s string) (string, bool) {
	id := strings.ToUpper(s)
	if rest, ok := strings.CutPrefix(id, "0X"); ok && rest != "" && len(rest) < 4 {
		id = strings.Repeat("0", 4-len(rest)) + rest
	}
	id = strings.TrimPrefix(id, "0X")
	return id, isPCIID(id)
}

// codeSuffixes lists the suffixes that code names have after the family: Meteor
// Lake-P, TigerLake-LP GT2, Ponte Vecchio XT (2 Tile), and Alder Lake-P
// Integrated Graphics Controller in PCI ID lists from 2022.
const codeSuffixes = "(1tile) (2tile) gt1 gt2 gt3e gt3 gt4e gt4 gt0.5 gt1.5 up3 up4 " +
	"g10 g11 g12 g21 g31 lp hx xt xl h m n p s u integratedgraphicscontroller"

// isCodeSuffix reports whether s contains only such suffixes.
func isCodeSuffix(s string) bool {
	for s != "" {
		rest := s
		for suffix := range strings.FieldsSeq(codeSuffixes) {
			if t, ok := strings.CutPrefix(s, suffix); ok {
				rest = t
				break
			}
		}
		if rest == s {
			return false
		}
		s = rest
	}
	return true
}
