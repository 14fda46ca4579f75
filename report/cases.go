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

// TestSuite is a compared run as test cases, a kernel each, for the test pages
// of CI systems. All texts are one line of printable characters but Case.Text.
type TestSuite struct {
	Name       string
	Collected  time.Time // zero if unknown; never the time of the clock
	Host       string
	Properties []TestProperty // provenance: device, versions, tolerances, inputs
	Cases      []Case         // in the order of the rows; see SetCases
}

// TestProperty is a fact about a suite.
type TestProperty struct{ Name, Value string }

// Case is a row in the form of CI: a test case and, if it did not pass, an
// annotation.
type Case struct {
	Class   string // device and label of the run: mtl-112/nightly
	Name    string // Fan2 (2048x2048 in 1024x1, SIMD32)
	File    string
	Line    int
	Seconds unit.Opt[unit.Seconds] // of all launches
	Outcome Outcome
	Type    string // the cause, otherwise the verdict, of what did not pass
	Message string // one line: below by 36.8 points: dispatch
	Reason  string // the message without the type, for a list of cases; empty where none is made
	Text    string // the evidence in one line, then the figures; may be empty of what passed
	Model   string // what is wrong with the prediction itself, whatever was measured; empty where nothing is
}

// Outcome describes how a case ended.
type Outcome uint8

// The outcomes. What could not be judged is skipped: neither a success nor a
// failure may be claimed of it.
const (
	Passed  Outcome = iota // match
	Failed                 // below, above
	Skipped                // unmeasurable, no prediction, no measurement
)

// NewTestSuite begins the suite of a command. The label of a run is a part of
// its name.
func NewTestSuite(of string, prov Provenance) *TestSuite {
	return &TestSuite{Name: strings.TrimSpace("occudiff " + of + " " + OneLine(prov.Label))}
}

// Add adds a property, unless nothing is known of it.
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

// SetCases sets the cases of the suite, and those of one class and name a
// number each: CI systems would take one for a repetition of the other. Numbers
// go by the order of the input, so that a launch keeps its own whatever its
// verdict.
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
			for n++; of[key+number(n)] != nil; n++ { // a kernel may be called like that
			}
			cases[i].Name += number(n)
		}
	}
}

// Join adds a suite, whose properties then carry its name. Its cases follow
// those of the suites before; their classes tell them apart.
func (s *TestSuite) Join(name string, other *TestSuite) {
	for _, p := range other.Properties {
		s.Properties = append(s.Properties, TestProperty{name + "." + p.Name, p.Value})
	}
	if other.Collected.After(s.Collected) {
		s.Collected = other.Collected
	}
	s.Cases = append(s.Cases, other.Cases...)
}

// Count returns how many cases ended that way.
func (s *TestSuite) Count(o Outcome) (n int) {
	for i := range s.Cases {
		if s.Cases[i].Outcome == o {
			n++
		}
	}
	return n
}

// Seconds returns the time of all cases, nothing when none has one.
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
	File    string // as it was given; empty when the message is about no file
	Line    int    // from 1; 0 when it is not known
	Title   string // one line
	Message string
}

// AnnotationLevel describes how much an annotation matters.
type AnnotationLevel string

// The levels, by GitHub's words.
const (
	AnnotateError   AnnotationLevel = "error"   // it fails the job
	AnnotateWarning AnnotationLevel = "warning" // it does not
	AnnotateNotice  AnnotationLevel = "notice"
)

// CapAnnotations keeps what is shown: GitHub shows the first 10 of a level and
// step and drops the rest without a word, so the last one that fits counts
// those that do not.
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

// Unjudged contains the kernels that a gate did not judge. Passing would be a claim
// about them.
type Unjudged struct {
	Gate    string // as it was asked for: "--fail-on mismatch"
	Judged  int    // kernels
	Kernels int    // of which some had to be judged
	Nothing string // what is behind "had nothing to judge" where none was; may be empty
	Of      []UnjudgedKernels
}

// UnjudgedKernels are those that one reason kept from being judged.
type UnjudgedKernels struct {
	Reason string // one of the reasons below
	N      int
	Text   string // what is behind the count: "unmeasurable"
}

// The reasons, as --allow-unjudged takes them.
const (
	ReasonUnmeasurable = "unmeasurable" // the kernel's own value is unknown, or it cannot be compared
	ReasonNoPrediction = "no-prediction"
	ReasonMissing      = "missing" // a run, or all runs of a side, do not have it
)

// Sort returns the text of what is not accepted, with the flag that would
// accept it, and of what is: empty where there is nothing. Nothing judged at
// all is never accepted.
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

// text describes how many kernels were judged and which were not.
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

// AgentSummarySchema names the version of the JSON contract of a summary.
const AgentSummarySchema = "occudiff/summary/1"

// Limits of a summary, so that an agent can process it and a CI comment accepts it.
const (
	summaryFindings = 20
	summaryBytes    = 8 << 10
	summaryName     = 80
)

// AgentSummary is the result of a run for an agent or a comment: findings kernel by
// kernel, and the conclusions that they allow. If the input supports no conclusion,
// it contains the reason and no findings.
type AgentSummary struct {
	Schema    string           `json:"schema"`
	Usable    bool             `json:"usable"`
	Reason    unit.Opt[string] `json:"reason"`
	Device    unit.Opt[string] `json:"device"`
	Findings  []Finding        `json:"findings"`
	Judged    int              `json:"judged"`
	NotJudged int              `json:"not_judged"`
}

// Finding is the entry of a kernel in a summary.
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

// Unusable returns the summary for input that supports no conclusion.
func Unusable(reason string, judged, notJudged int) *AgentSummary {
	return &AgentSummary{Schema: AgentSummarySchema, Reason: unit.Some(CutMiddle(OneLine(reason), 1000)),
		Findings: []Finding{}, Judged: judged, NotJudged: notJudged}
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
