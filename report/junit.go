package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/ingest/unit"
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

// TestSuiteFrom turns a compared run into test cases. Tasks that are no kernels are left out.
func TestSuiteFrom(r *compare.Result, prov Provenance) *TestSuite {
	class := "unknown device"
	if r.Device != nil {
		class = OneLine(r.Device.Key)
	}
	name := "occudiff validate"
	if prov.Label != "" {
		class += "/" + OneLine(prov.Label)
		name += " " + OneLine(prov.Label)
	}
	s := &TestSuite{Name: name, Collected: r.Platform.Collected, Host: OneLine(r.Platform.Host), Properties: testProperties(r, prov)}
	for _, row := range r.All() {
		if row.Verdict != compare.NotAKernel {
			s.Cases = append(s.Cases, testCase(class, row))
		}
	}
	s.tellApart()
	return s
}

// testName is a kernel with all that makes it another row than others of its task.
func testName(r *compare.Row) string {
	name, detail := OneLine(r.Task), shape(r)
	if r.Device != "" {
		detail = strings.TrimPrefix(detail+", "+OneLine(r.Device), ", ")
	}
	if name == "" {
		name = "(no name)"
	}
	if detail != "" {
		name += " (" + detail + ")"
	}
	return name
}

func testCase(class string, r *compare.Row) TestCase {
	c := TestCase{Class: class, Name: testName(r), File: OneLine(r.Pos.File), Line: r.Pos.Line, Seconds: number(r.Total)}
	switch r.Verdict {
	case compare.Match:
		return c
	case compare.Below, compare.Above:
		c.Outcome = TestFailed
	default:
		c.Outcome = TestSkipped
	}
	c.Type, c.Message = string(r.Verdict), string(r.Verdict)
	if p, ok := r.Difference.Value(); ok && c.Outcome == TestFailed {
		c.Message += " by " + Decimal(math.Abs(float64(p)), 1) + " points"
	}
	if r.Cause != nil {
		c.Type = OneLine(r.Cause.Name)
		c.Message += ": " + c.Type
	}
	c.Text = upperFirst(sentence(r)) + "\n" + testFigures(r)
	return c
}

// testFigures lists what the verdict was taken from, a line each.
func testFigures(r *compare.Row) string {
	var b strings.Builder
	line := func(name string, value unit.Opt[unit.Ratio]) {
		if x, ok := value.Value(); ok {
			fmt.Fprintf(&b, "%s: %s %%\n", name, Decimal(x.Percent(), 1))
		}
	}
	if p := r.Predicted; p != nil && p.Groups > 0 {
		line("predicted peak", unit.Some(p.Peak))
		line("predicted average", unit.Some(p.Average))
	} else if p != nil {
		line("predicted for one Xe-core", unit.Some(p.XeCore))
	}
	if p := r.Predicted; p != nil && p.Limits != 0 {
		b.WriteString("limited by: " + strings.Join(p.Limits.Names(), ", ") + "\n")
	}
	line("VTune's peak", r.Peak)
	line("measured", r.Measured)
	line("measured while loaded", r.Loaded)
	if p, ok := r.Difference.Value(); ok {
		fmt.Fprintf(&b, "difference: %s points (%s)\n", signed(float64(p), 1), basisText(r.Basis))
	}
	if p := r.Pos.String(); p != "" {
		b.WriteString("row: " + OneLine(p) + "\n")
	}
	return b.String()
}

// tellApart numbers the cases of one name in the order of the input, so that a launch keeps its number whatever its verdict.
func (s *TestSuite) tellApart() {
	same := map[string][]*TestCase{}
	for i := range s.Cases {
		c := &s.Cases[i]
		same[c.Name] = append(same[c.Name], c)
	}
	for name, cases := range same {
		if len(cases) == 1 {
			continue
		}
		slices.SortStableFunc(cases, func(a, b *TestCase) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
		n := 1
		for _, c := range cases[1:] {
			for n++; same[name+" #"+strconv.Itoa(n)] != nil; n++ { // a kernel may be called like that
			}
			c.Name = name + " #" + strconv.Itoa(n)
		}
	}
}

func testProperties(r *compare.Result, prov Provenance) []TestProperty {
	var list []TestProperty
	add := func(name, value string) {
		if value != "" {
			list = append(list, TestProperty{name, OneLine(value)})
		}
	}
	add("occudiff.version", prov.Version)
	add("command", commandLine(prov.CommandLine))
	add("label", prov.Label)
	if d := r.Device; d != nil {
		add("device", d.Key)
		add("device.name", d.Name)
		add("device.architecture", d.Architecture)
		add("device.thread_slots", strconv.Itoa(d.Slots()))
		add("device.chosen_by", r.ChosenBy)
	}
	p := &r.Platform
	add("driver", p.Driver)
	add("vtune.version", p.VTune)
	add("os", p.OS)
	add("job", p.JobID)
	add("tolerance_points", plain(float64(r.Options.Tolerance)))
	add("model_tolerance_points", plain(float64(r.Options.ModelTolerance)))
	add("sampling_interval_seconds", plain(float64(r.Options.SamplingInterval)))
	add("sampling_interval_assumed", strconv.FormatBool(r.Options.SamplingAssumed))
	for i, in := range r.Inputs {
		add("input."+strconv.Itoa(i+1), strings.TrimSuffix(in.Path+" "+in.Digest, " "))
	}
	return list
}
