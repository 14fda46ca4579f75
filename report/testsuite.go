package report

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// TestSuite is a compared run as test cases, a kernel each, for the test pages of CI systems. All texts are one line of
// printable characters but TestCase.Text.
type TestSuite struct {
	Name       string
	Collected  time.Time // zero when nobody said so. Never the clock
	Host       string
	Properties []TestProperty // provenance: device, versions, tolerances, inputs
	Cases      []TestCase     // in the order of the result's rows
}

// TestProperty is a fact about a suite.
type TestProperty struct{ Name, Value string }

// TestCase is one kernel with its launch shape. No two cases of a suite have the same class and name: CI systems would
// take one for a repetition of the other.
type TestCase struct {
	Class   string // device and label of the run: mtl-112/nightly
	Name    string // Fan2 (2048x2048 in 1024x1, SIMD32)
	File    string
	Line    int
	Seconds *float64 // of all launches
	Outcome TestOutcome
	Type    string // the cause, else the verdict, of what did not pass
	Message string // one line: below by 36.8 points: dispatch
	Text    string // the cause's evidence and the figures, several lines; may be empty of what passed
}

// TestOutcome says how a case ended.
type TestOutcome uint8

// The outcomes. What could not be judged is skipped: neither a success nor a failure may be claimed of it.
const (
	TestPassed  TestOutcome = iota // match
	TestFailed                     // below, above
	TestSkipped                    // unmeasurable, no prediction, no measurement
)

// Count gives how many cases ended that way.
func (s *TestSuite) Count(o TestOutcome) int {
	n := 0
	for i := range s.Cases {
		if s.Cases[i].Outcome == o {
			n++
		}
	}
	return n
}

// Seconds gives the time of all cases, nil when none has one.
func (s *TestSuite) Seconds() *float64 {
	var sum float64
	known := false
	for i := range s.Cases {
		if t := s.Cases[i].Seconds; t != nil {
			sum, known = sum+*t, true
		}
	}
	if !known {
		return nil
	}
	return &sum
}

// tellApart numbers the cases of one name in the order of the input, so that a launch keeps its number whatever its
// verdict.
func (s *TestSuite) TellApart() {
	same := map[string][]*TestCase{}
	for i := range s.Cases {
		c := &s.Cases[i]
		same[c.Name] = append(same[c.Name], c)
	}
	for name, cases := range same {
		if len(cases) == 1 {
			continue
		}
		slices.SortStableFunc(cases, func(a, b *TestCase) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		n := 1
		for _, c := range cases[1:] {
			for n++; same[name+" #"+strconv.Itoa(n)] != nil; n++ { // a kernel may be called like that
			}
			c.Name = name + " #" + strconv.Itoa(n)
		}
	}
}
