package report

import (
	"slices"
	"strings"

	"occudiff/ingest/unit"
)

// Unjudged is what a gate did not judge. Passing would be a claim about kernels that nobody looked at.
type Unjudged struct {
	Gate    string // as it was asked for: "--fail-on mismatch"
	Judged  int    // kernels
	Kernels int    // of which some had to be judged
	Nothing string // what stands behind "had nothing to judge" where none was; may be empty
	Of      []UnjudgedKernels
}

// UnjudgedKernels are those that one reason kept from being judged.
type UnjudgedKernels struct {
	Reason string // one of the reasons below
	N      int
	Text   string // what stands behind the count: "unmeasurable"
}

// The reasons, as --accept-unjudged takes them.
const (
	ReasonUnmeasurable = "unmeasurable" // no value that is the kernel's own, or none to hold it against
	ReasonNoPrediction = "no-prediction"
	ReasonMissing      = "missing" // a run or a side does not have it
)

// Sort gives the text of what is not accepted, with the flag that would accept it, and of what is: empty where there is
// nothing. Nothing judged at all is never accepted.
func (u *Unjudged) Sort(accepted []string) (refused, passed string) {
	switch {
	case u.Gate == "":
		return "", ""
	case u.Judged == 0:
		return u.Gate + " had nothing to judge" + u.Nothing, ""
	}
	var no, yes []UnjudgedKernels
	var reasons []string
	for _, k := range u.Of {
		switch {
		case k.N == 0:
		case slices.Contains(accepted, k.Reason):
			yes = append(yes, k)
		default:
			if no = append(no, k); !slices.Contains(reasons, k.Reason) {
				reasons = append(reasons, k.Reason)
			}
		}
	}
	if refused = u.text(no); refused != "" {
		refused += "; --accept-unjudged=" + strings.Join(reasons, ",") + " accepts that"
	}
	return refused, u.text(yes)
}

// text says how many kernels were judged and which were not.
func (u *Unjudged) text(list []UnjudgedKernels) string {
	if len(list) == 0 {
		return ""
	}
	n, texts := 0, make([]string, len(list))
	for i, k := range list {
		n += k.N
		texts[i] = k.String()
	}
	return u.Gate + ": " + Thousands(int64(u.Judged)) + " of " + unit.Counted(u.Kernels, "kernel", "kernels") +
		" judged; " + Thousands(int64(n)) + " not: " + strings.Join(texts, ", ")
}

func (k UnjudgedKernels) String() string { return Thousands(int64(k.N)) + " " + k.Text }
