package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// TestSuite is a comparison in the form of test cases, one per kernel, for the
// test pages of CI systems. Except for Case.Text and Case.Values, all texts are
// one line of printable characters.
type TestSuite struct {
	Name       string
	Collected  time.Time // zero if unknown; never the current time
	Host       string
	Properties []TestProperty // provenance: device, versions, tolerances, inputs
	Cases      []Case         // in the order of the rows; see SetCases
}

// TestProperty is a fact about a suite.
type TestProperty struct{ Name, Value string }

// Case is a row for CI: a test case and, if it did not pass, an annotation.
type Case struct {
	Class   string // device and run label: mtl-112/nightly
	Name    string // Fan2 (2048x2048 in 1024x1, SIMD32)
	File    string
	Line    int
	Seconds unit.Opt[unit.Seconds] // total time of all launches
	Outcome Outcome
	Type    string // cause, or the verdict if the cause is unknown; only for cases that did not pass
	Message string // one line: below by 36.8 points: dispatch
	Reason  string // message without the type, for a list of cases; may be empty
	Text    string // evidence; may be empty if the case passed
	Values  string // lines after the text; may be empty
	Model   string // prediction error, independent of the measurement; may be empty
}

// Outcome is the result of a case.
type Outcome uint8

// The outcomes of a case. A row that cannot be judged is a skipped case,
// because it neither passed nor failed.
const (
	Passed  Outcome = iota // match
	Failed                 // below, above
	Skipped                // unmeasurable, no prediction, no measurement
)

// NewTestSuite returns a command's suite. Its name includes the run label.
func NewTestSuite(of string, prov Provenance) *TestSuite {
	return &TestSuite{Name: strings.TrimSpace("occudiff " + of + " " + OneLine(prov.Label))}
}

// Add adds a property if its value is known.
func (s *TestSuite) Add(name, value string) {
	if value != "" {
		s.Properties = append(s.Properties, TestProperty{name, OneLine(value)})
	}
}

// AddEach adds a numbered property for each value.
func (s *TestSuite) AddEach(name string, values []string) {
	for i, value := range values {
		s.Add(name+"."+strconv.Itoa(i+1), value)
	}
}

// SetCases sets the suite's cases. It adds a number to the names of cases with
// the same class and name, because CI systems would treat such cases as
// repetitions of one test. The numbers follow the input order, so that a launch
// keeps its number if its verdict changes.
func (s *TestSuite) SetCases(cases []Case) {
	s.Cases = cases
	name := func(c *Case) string { return c.Class + "\x00" + c.Name }
	of := map[string][]int{}
	for i := range cases {
		of[name(&cases[i])] = append(of[name(&cases[i])], i)
	}
	for key, alike := range of {
		slices.SortStableFunc(alike, func(a, b int) int {
			return cmp.Or(cmp.Compare(cases[a].File, cases[b].File), cmp.Compare(cases[a].Line, cases[b].Line))
		})
		number := func(n int) string { return " #" + strconv.Itoa(n) }
		n := 1
		for _, i := range alike[1:] {
			for n++; of[key+number(n)] != nil; n++ { // a kernel may already have the numbered name
			}
			cases[i].Name += number(n)
		}
	}
}

// Join appends the cases and properties of another suite. The name of each
// added property begins with name. The class of a case shows which suite it
// comes from.
func (s *TestSuite) Join(name string, other *TestSuite) {
	for _, p := range other.Properties {
		s.Properties = append(s.Properties, TestProperty{name + "." + p.Name, p.Value})
	}
	if other.Collected.After(s.Collected) {
		s.Collected = other.Collected
	}
	s.Cases = append(s.Cases, other.Cases...)
}

// Count returns the number of cases with the given outcome.
func (s *TestSuite) Count(o Outcome) (n int) {
	for i := range s.Cases {
		if s.Cases[i].Outcome == o {
			n++
		}
	}
	return n
}

// Seconds returns the total time of the cases, or nothing if no case has a
// time.
func (s *TestSuite) Seconds() (sum unit.Opt[unit.Seconds]) {
	for i := range s.Cases {
		if t, timed := s.Cases[i].Seconds.Value(); timed {
			sum = unit.Some(sum.Or(0) + t)
		}
	}
	return sum
}

// Annotation is a message that a code host shows next to a line of a file.
type Annotation struct {
	Level   AnnotationLevel
	File    string // path as in the input; empty if the message is not about a file
	Line    int    // starting with 1; 0 if unknown
	Title   string // one line
	Message string
}

// AnnotationLevel is the severity of an annotation.
type AnnotationLevel string

// The annotation levels, in GitHub's terms.
const (
	AnnotateError   AnnotationLevel = "error"   // fails the job
	AnnotateWarning AnnotationLevel = "warning" // does not fail the job
	AnnotateNotice  AnnotationLevel = "notice"
)

// CapAnnotations limits the annotations of each level to most. GitHub shows
// only the first 10 per level and step and drops the rest silently. If a level
// has more annotations, its last annotation that fits contains the number of
// the others.
func CapAnnotations(list []Annotation, most int) []Annotation {
	total, seen := map[AnnotationLevel]int{}, map[AnnotationLevel]int{}
	for _, a := range list {
		total[a.Level]++
	}
	var kept []Annotation
	for _, a := range list {
		n := total[a.Level]
		switch seen[a.Level]++; {
		case n <= most || seen[a.Level] < most:
			kept = append(kept, a)
		case seen[a.Level] == most:
			kept = append(kept, Annotation{Level: a.Level, Title: strconv.Itoa(n-most+1) + " more",
				Message: Thousands(n-most+1) + " more like these; the report lists them all."})
		}
	}
	return kept
}

// Unjudged counts the kernels that a gate did not judge. A gate that passed in
// spite of such kernels would claim a result that it does not have.
type Unjudged struct {
	Gate    string // as the user wrote it: "--fail-on mismatch"
	Judged  int    // number of kernels
	Kernels int    // number of kernels that the gate applies to
	Nothing string // text after "had nothing to judge" if Judged is 0; may be empty
	Of      []UnjudgedKernels
}

// UnjudgedKernels counts the kernels that were not judged for one reason.
type UnjudgedKernels struct {
	Reason string // one of the reasons below
	N      int
	Text   string // text after the count: "unmeasurable"
}

// The reasons why a kernel is not judged, which are also the values of
// --allow-unjudged.
const (
	ReasonUnmeasurable = "unmeasurable" // the kernel's own value is unknown or cannot be compared
	ReasonNoPrediction = "no-prediction"
	ReasonMissing      = "missing" // a run, or all old or all new runs, lack the kernel
)

// Sort returns two texts: one for the unjudged kernels whose reason is not in
// accepted, with the flag that accepts the reason, and one for the accepted
// kernels. A text is empty if it would describe no kernels. A gate that judged
// no kernel is always refused.
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
		refused += "; --allow-unjudged=" + strings.Join(reasons, ",") + " accepts that"
	}
	return refused, u.text(yes)
}

// text returns the numbers of judged and unjudged kernels.
func (u *Unjudged) text(list []UnjudgedKernels) string {
	if len(list) == 0 {
		return ""
	}
	n, texts := 0, make([]string, len(list))
	for i, k := range list {
		n += k.N
		texts[i] = k.String()
	}
	return u.Gate + ": " + Thousands(u.Judged) + " of " + unit.Plural(u.Kernels, "kernel") +
		" judged; " + Thousands(n) + " not: " + strings.Join(texts, ", ")
}

func (k UnjudgedKernels) String() string { return Thousands(k.N) + " " + k.Text }

// AgentSummarySchema is the name and version of the summary's JSON contract.
const AgentSummarySchema = "occudiff/summary/1"

// Limits of a summary. An agent can process a summary of this size, and a CI
// comment accepts it.
const (
	summaryFindings = 20
	summaryBytes    = 8 << 10
	summaryName     = 80
)

// AgentSummary is the result of a run for an agent or a comment. It has
// findings per kernel and the conclusions that they allow. If the input
// supports no conclusion, it contains the reason and no findings.
type AgentSummary struct {
	Schema    string           `json:"schema"`
	Usable    bool             `json:"usable"`
	Reason    unit.Opt[string] `json:"reason"`
	Device    unit.Opt[string] `json:"device"`
	Findings  []Finding        `json:"findings"`
	Judged    int              `json:"judged"`
	NotJudged int              `json:"not_judged"`
}

// Finding is a kernel's entry in a summary.
type Finding struct {
	Run              string                 `json:"run,omitempty"`
	Kernel           string                 `json:"kernel"`
	Verdict          string                 `json:"verdict"`
	Predicted        unit.Opt[unit.Ratio]   `json:"predicted_percent"`
	Measured         unit.Opt[unit.Ratio]   `json:"measured_percent"`
	Lost             unit.Opt[unit.Seconds] `json:"lost_seconds"`
	Cause            unit.Opt[string]       `json:"cause"`
	Confidence       unit.Opt[string]       `json:"confidence"`
	PotentialSpeedup string                 `json:"potential_speedup"`
	Bound            unit.Opt[float64]      `json:"bound"`
	Points           unit.Opt[unit.Points]  `json:"points"`
	Next             unit.Opt[string]       `json:"next_command"`
}

// NewAgentSummary returns a summary without findings. If the input supports no
// conclusion, unusable is the reason, otherwise it is empty.
func NewAgentSummary(unusable string, judged, notJudged int) *AgentSummary {
	return &AgentSummary{Schema: AgentSummarySchema, Usable: unusable == "",
		Reason: unit.NonZero(CutMiddle(OneLine(unusable), 1000)), Findings: []Finding{}, Judged: judged,
		NotJudged: notJudged}
}

// Add appends a finding. It returns false if the summary is full.
func (c *AgentSummary) Add(f Finding) bool {
	f.Kernel = CutMiddle(KernelName(f.Kernel), summaryName)
	c.Findings = append(c.Findings, f)
	text, err := json.MarshalIndent(c, "", "  ")
	if err == nil && len(text) < summaryBytes && len(c.Findings) <= summaryFindings {
		return true
	}
	c.Findings = c.Findings[:len(c.Findings)-1]
	return false
}
