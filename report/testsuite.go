package report

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TestSuite is a compared run as test cases, a kernel each, for the test pages of CI systems. All texts are one line of
// printable characters but TestCase.Text.
type TestSuite struct {
	Name       string
	Collected  time.Time // zero when nobody said so. Never the clock
	Host       string
	Properties []TestProperty // provenance: device, versions, tolerances, inputs

	cases   iter.Seq[TestCase]
	ended   [TestSkipped + 1]int
	seconds *float64
	numbers []int32 // of the cases, 0 for the first of a name
	joined  []*TestSuite
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

// NewTestSuite begins the suite of a command. The label of a run is a part of its name.
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

// SetCases gives the suite its cases, in the order of the result's rows. They are made each time that they are asked
// for, because a run that keeps every launch has millions; brief gives them without their messages and texts, where
// that is quicker, and may be nil.
func (s *TestSuite) SetCases(cases, brief iter.Seq[TestCase]) {
	s.cases = cases
	if brief == nil {
		brief = cases
	}
	var places []casePlace
	for c := range brief {
		name := hash(hash(offset64, c.Class+"\x00"), c.Name)
		places = append(places, casePlace{name, c.File, c.Line, len(places)})
		s.ended[c.Outcome]++
		s.addSeconds(c.Seconds)
	}
	s.tellApart(places)
}

// Join adds a suite, whose properties then carry its name. Its cases follow those of the suites before; their classes
// tell them apart.
func (s *TestSuite) Join(name string, other *TestSuite) {
	for _, p := range other.Properties {
		s.Properties = append(s.Properties, TestProperty{name + "." + p.Name, p.Value})
	}
	if other.Collected.After(s.Collected) {
		s.Collected = other.Collected
	}
	for outcome, n := range other.ended {
		s.ended[outcome] += n
	}
	s.addSeconds(other.seconds)
	s.numbers = append(s.numbers, other.numbers...)
	s.joined = append(s.joined, other)
	s.cases = func(yield func(TestCase) bool) {
		for _, one := range s.joined {
			for c := range one.cases {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Cases gives the cases, no two of one class and name.
func (s *TestSuite) Cases() iter.Seq[TestCase] {
	return func(yield func(TestCase) bool) {
		i := 0
		for c := range s.cases {
			if s.numbers[i] > 0 {
				c.Name = numberedName(c.Name, s.numbers[i])
			}
			i++
			if !yield(c) {
				return
			}
		}
	}
}

// Len gives how many cases there are.
func (s *TestSuite) Len() int { return len(s.numbers) }

// Count gives how many cases ended that way.
func (s *TestSuite) Count(o TestOutcome) int { return s.ended[o] }

// Seconds gives the time of all cases, nil when none has one.
func (s *TestSuite) Seconds() *float64 { return s.seconds }

func (s *TestSuite) addSeconds(t *float64) {
	if t != nil && s.seconds == nil {
		s.seconds = new(float64)
	}
	if t != nil {
		*s.seconds += *t
	}
}

// casePlace is where a case is from, with the hash of its class and name: the names of a million cases would take more
// than the run itself. Two names of one hash would be numbered for nothing, and that is all.
type casePlace struct {
	name uint64
	file string
	line int
	at   int
}

// tellApart numbers the cases of one name in the order of the input, so that a launch keeps its number whatever its
// verdict.
func (s *TestSuite) tellApart(places []casePlace) {
	s.numbers = make([]int32, len(places))
	slices.SortFunc(places, func(a, b casePlace) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line),
			cmp.Compare(a.at, b.at))
	})
	taken := func(name uint64) bool {
		_, found := slices.BinarySearchFunc(places, name, func(p casePlace, name uint64) int {
			return cmp.Compare(p.name, name)
		})
		return found
	}
	n := int32(1)
	for i := 1; i < len(places); i++ {
		if places[i].name != places[i-1].name {
			n = 1
			continue
		}
		for n++; taken(hash(places[i].name, numberedName("", n))); n++ { // a kernel may be called like that
		}
		s.numbers[places[i].at] = n
	}
}

func numberedName(name string, n int32) string { return name + " #" + strconv.Itoa(int(n)) }

// offset64 is where the hash begins.
const offset64 = 14695981039346656037

// hash goes on with a hash, which is that of FNV-1a: that of a name with a number follows from that of the name.
func hash(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
