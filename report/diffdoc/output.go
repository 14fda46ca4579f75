// Package diffdoc reports the comparison of several runs, or of several sides
// with repeated runs. For sides, the report has one row per kernel and side. It
// contains what changed since the first side, and which kernels regressed. For
// runs of one program, the report has a table with a row per kernel and a
// column per run, and lists the runs that differ from the others first. The
// package contains no code for file formats, and it does not judge: verdicts
// and their values come from compare/diff. The description of a single run
// comes from rundoc.
package diffdoc

import (
	"cmp"
	"iter"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/predictdoc"
	"occudiff/report/rundoc"
)

// row is a kernel on one of the sides, compared with the first side. The
// document, CSV, and the summary use the same list of rows.
type row struct {
	*diff.Row
	side string // empty if there are only two sides
}

// comparison contains one or several sides, each compared with the first side.
type comparison struct {
	sides []*diff.Result
	names []string
	rows  []row // rows of all sides, in reading order
}

func newComparison(sides []*diff.Result) *comparison {
	c := &comparison{sides: sides, names: sideNames(sides)}
	for i, d := range sides {
		for k := range d.Rows {
			r := row{Row: &d.Rows[k]}
			if len(sides) > 1 {
				r.side = c.names[i]
			}
			c.rows = append(c.rows, r)
		}
	}
	slices.SortStableFunc(c.rows, func(a, b row) int { return a.Compare(b.Row) })
	return c
}

// kernelsOf returns the rows that are kernels.
func kernelsOf(d *diff.Result) iter.Seq[*diff.Row] {
	return func(yield func(*diff.Row) bool) {
		for i := range d.Rows {
			if r := &d.Rows[i]; r.IsKernel && !yield(r) {
				return
			}
		}
	}
}

// sideNames returns the names of the sides. A name is the last element of the
// side's path. If these are not distinct, as for base/run and new/run, the
// names are the whole paths.
func sideNames(sides []*diff.Result) []string {
	long := report.ListOf(sides, func(d *diff.Result) string { return report.OneLine(d.New.Name) })
	short := report.ListOf(long, path.Base)
	if sorted := slices.Sorted(slices.Values(short)); len(slices.Compact(sorted)) < len(short) {
		return long
	}
	return short
}

// NewOutput returns the output with the changes between the first side and each
// other side. The document, the summary, and the test suite are made on
// request, because CSV and JSON with a million kernels do not need them.
func NewOutput(sides []*diff.Result, prov report.Provenance) *report.Output {
	c := newComparison(sides)
	rows, left := report.Select(prov.Show, c.rows, "rows", func(r *row) report.Candidate {
		// A kernel lost slot time if its measured occupancy is lower than on
		// the first side.
		change, time := r.Measured().Change.Or(math.NaN()), float64(r.Seconds())
		return report.Candidate{
			Task:  r.Task,
			Other: !r.IsKernel,
			Value: prov.Show.Value(-change*time, time, change),
		}
	})
	a := &report.Output{
		AgentSummary: c.agentSummary,
		Tests:        func() *report.TestSuite { return c.suite(prov) },
		Make:         func() *report.Document { return c.document(rows, append(left, Notes(sides)...), prov) },
		Table:        report.NewTable("rows", "", rows, c.columns()),
	}
	if a.Value = newOutput(sides[0]); len(sides) > 1 {
		a.Value = SidesOutput{sidesSchema, report.ListOf(sides, newOutput)}
	}
	return a
}

// Notes returns the notes of all sides, each text once.
func Notes(sides []*diff.Result) (notes []note.Note) {
	for _, d := range sides {
		for _, n := range d.Notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// document returns a document with the rows that the user chose. Its counts
// cover all rows.
func (c *comparison) document(rows []row, notes []note.Note, prov report.Provenance) *report.Document {
	title := "Old and new GPU occupancy"
	if n := len(c.sides); n > 1 {
		title = "GPU occupancy of " + strconv.Itoa(n+1) + " sides"
	}
	runs := slices.Clone(c.sides[0].Old.Runs)
	for _, d := range c.sides {
		runs = append(runs, d.New.Runs...)
	}
	s := c.summary(rows, notes)
	terms := append(rundoc.TermsOfBars(s.Bars), verdictTerms(rows)...)
	return &report.Document{
		Summary: s,
		Title:   rundoc.Title(title, runs...),
		Origin:  report.UpperFirst(rundoc.Origin(runs...)),
		Subject: "Old and new occupancy, kernel by kernel",
		Version: prov.Version,
		Date:    rundoc.Collected(runs...),
		Sections: []report.Section{movedSection(rows), c.kernelSection(rows),
			report.NoteSection(report.RunNotes(notes)), report.TermSection(s, terms...),
			report.InputsSection(c.sources(prov))},
	}
}

// verdictTerms returns the verdicts of rows as terms of the glossary.
func verdictTerms(rows []row) []string {
	return report.ListOf(rows, func(r row) string { return "verdict of diff: " + string(r.Verdict) })
}

// movedSection returns the reason for each kernel's verdict. Unchanged and
// inconclusive kernels are only in the table.
func movedSection(rows []row) report.Section {
	s := report.Section{
		Key:     report.SectionAttention,
		Title:   "Kernels that differ",
		Sheet:   "Evidence",
		ItemsIn: report.Everywhere,
	}
	for i := range rows {
		if r := &rows[i]; r.IsKernel && r.Verdict != diff.Unchanged && r.Verdict != diff.Inconclusive {
			text := string(r.Verdict) + ". " + because(r.Row)
			if r.side != "" {
				text = r.side + ": " + text
			}
			s.Items = append(s.Items, report.Item{
				Lead:   report.KernelName(r.Task),
				Detail: shapeText(r.Row),
				Status: statusOf(r.Verdict),
				Text:   text,
			})
		}
	}
	return s
}

// kernelSection returns the section with the table of all kernels.
func (c *comparison) kernelSection(rows []row) report.Section {
	s := report.Section{
		Key:   report.SectionKernels,
		Title: "All kernels",
		Sheet: "Kernels",
	}
	if len(rows) == 0 {
		return s
	}
	t := report.NewTable(report.SectionKernels, "", rows, c.columns()).Show("task", "side", "verdict")
	t.Form = report.Browser
	if n := slices.IndexFunc(rows, func(r row) bool { return !r.IsKernel }); n >= 0 {
		t.Main = n
	}
	s.Tables = []*report.Table{t}
	return s
}

// sources returns the compared runs and the settings.
func (c *comparison) sources(prov report.Provenance) report.Pairs {
	pairs := prov.Pairs()
	pairs.Text("Threshold", report.Shortest(c.sides[0].Options.Threshold)+" points")
	add := func(name string, s *diff.Side) {
		for _, r := range s.Runs {
			pairs.Text(cmp.Or(report.OneLine(s.Name), name), origin(r))
		}
	}
	add("old", &c.sides[0].Old)
	for _, d := range c.sides {
		add("new", &d.New)
	}
	return pairs
}

// The versions of the JSON contracts of `diff`.
const (
	diffSchema  = "occudiff/diff/1"
	sidesSchema = "occudiff/diff-sides/1"
)

// DiffOutput is the JSON output of `occudiff diff`. It has the same conventions
// as rundoc.Validate.
type DiffOutput struct {
	Schema          string        `json:"schema"`
	ThresholdPoints float64       `json:"threshold_points"`
	Alpha           float64       `json:"alpha"`
	Old             DiffSide      `json:"old"`
	New             DiffSide      `json:"new"`
	Changes         *report.Table `json:"changes"`
	Rows            *report.Table `json:"rows"`
	Summary         diff.Summary  `json:"summary"`
	Notes           *report.Table `json:"notes"`
}

// DiffSide is one side of a diff. Its runs are repetitions of the same
// measurement.
type DiffSide struct {
	Name unit.Opt[string] `json:"name"`
	Runs []DiffRun        `json:"runs"`
}

// DiffRun is one run on either side.
type DiffRun struct {
	Device       *report.Table    `json:"device"`
	Driver       unit.Opt[string] `json:"driver"`
	VTuneVersion unit.Opt[string] `json:"vtune_version"`
	Inputs       *report.Table    `json:"inputs"`
}

// SidesOutput is the JSON output of `occudiff diff` for more than two sides.
type SidesOutput struct {
	Schema string        `json:"schema"`
	Sides  []*DiffOutput `json:"sides"`
}

// newOutput returns the JSON value for one side, with all its rows.
func newOutput(d *diff.Result) *DiffOutput {
	side := func(s *diff.Side) DiffSide {
		return DiffSide{unit.NonZero(s.Name), report.ListOf(s.Runs, func(r *compare.Result) DiffRun {
			return DiffRun{
				Device:       predictdoc.DeviceOf(r.Device, r.ChosenBy),
				Driver:       unit.NonZero(r.Platform.Driver),
				VTuneVersion: unit.NonZero(r.Platform.VTune),
				Inputs:       rundoc.Inputs(r.Inputs),
			}
		})}
	}
	return &DiffOutput{
		Schema: diffSchema, ThresholdPoints: float64(d.Options.Threshold), Alpha: diff.Alpha,
		Old: side(&d.Old), New: side(&d.New), Changes: report.NewTable("changes", "", d.Changes, changeColumns),
		Rows: report.NewTable("rows", "", d.Rows, kernelColumns), Summary: d.Summary, Notes: report.Notes(d.Notes),
	}
}

// Schemas returns the JSON outputs of this package.
func Schemas() []report.Schema {
	run, _ := rundoc.Schemas()[0].Values[0].(rundoc.Validate) // a run in a diff has the same fields as in validate
	runs := runsValue(&diff.Runs{})
	runs.Runs = []ValidateRun{{Run: &run}}
	side := diff.Side{Runs: []*compare.Result{{}}}
	two := newOutput(&diff.Result{Old: side, New: side})
	return []report.Schema{
		{Name: "validate-runs", ID: runsSchema, Command: "occudiff validate --format json RUN1 RUN2",
			Text:   "several runs: the runs that differ, each kernel over all runs, and the validate output of each.",
			Values: []any{runs}},
		{Name: "summary", ID: report.AgentSummarySchema, Command: "occudiff validate|diff --format summary",
			Text:   "findings and the conclusions that they allow, in at most 8 kB.",
			Values: []any{report.AgentSummary{}}},
		{Name: "diff", ID: diffSchema, Command: "occudiff diff --format json",
			Text: "two runs, or two sets of repeats, kernel by kernel.", Values: []any{*two}},
		{Name: "diff-sides", ID: sidesSchema, Command: "occudiff diff --format json FIRST SIDE1 SIDE2",
			Text:   "several sides, each compared with the first.",
			Values: []any{SidesOutput{Sides: []*DiffOutput{two}}}},
		{Name: "diff-binary", ID: buildsSchema, Command: "occudiff diff OLD NEW --format json",
			Text:   "the changes of a new build, kernel by kernel.",
			Values: []any{buildsValue{Kernels: report.NoRows(buildColumns()), Notes: report.Notes(nil)}}},
	}
}

// origin returns the inputs and the device of a run.
func origin(r *compare.Result) string {
	p, parts := &r.Platform, rundoc.InputLines(r)
	if r.Device != nil {
		parts = append(parts, r.Device.Key+" ("+r.ChosenBy.String()+")")
	}
	if !p.Collected.IsZero() {
		parts = append(parts, "collected "+p.Collected.Format("2006-01-02 15:04:05 MST"))
	}
	return strings.TrimSuffix(report.OneLine(strings.Join(append(parts, rundoc.Origin(r)), "; ")), "; ")
}

// devicesOf returns the devices of runs, each once.
func devicesOf(runs []*compare.Result) (devices []string) {
	for _, r := range runs {
		name := "an unknown device"
		if r.Device != nil {
			name = report.OneLine(r.Device.ShortName())
		}
		if !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
	}
	return devices
}

// validateCommand returns the command that validates a run, or "" if there is
// none.
func validateCommand(r *compare.Result) string {
	device := ""
	if r.Device != nil {
		device = r.Device.Key
	}
	return rundoc.ValidateCommand(r, device)
}

// joined returns a suite with the test cases of all runs or sides. The class of
// a case includes the name of its run or side.
func joined(command string, names []string, prov report.Provenance,
	of func(i int, prov report.Provenance) *report.TestSuite) *report.TestSuite {
	all := report.NewTestSuite(command, prov)
	label := prov.Label
	for i, name := range names {
		// The name of the run becomes a part of the label, which the class
		// contains, because equal cases of two runs must not look like
		// repetitions of one test.
		prov.Label = strings.TrimPrefix(label+"/"+name, "/")
		one := of(i, prov)
		if i == 0 {
			all.Host = one.Host
		} else if one.Host != all.Host {
			all.Host = ""
		}
		all.Join(report.OneLine(name), one)
	}
	return all
}
