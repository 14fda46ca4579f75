package report

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/note"
)

// Provenance is what a result does not know of how it was made.
type Provenance struct {
	Version     string   // of occudiff
	CommandLine []string // program first
	Label       string   // that somebody gave the run; may be empty
}

// FromResult builds the report of a compared run: summary, kernels that do not match, all kernels, timings, device, notes,
// provenance. It keeps r: rows are read when a renderer asks for them.
func FromResult(r *compare.Result, prov Provenance) *Document {
	rows := newRowSet(r)
	d := &Document{
		Title:    "Predicted and measured GPU occupancy",
		Subject:  subject(r),
		Date:     r.Platform.Collected,
		Headline: headline(r),
		Closing:  closing(r, rows.peakOnly),
		Version:  prov.Version,
	}
	d.Sections = append(d.Sections, summarySection(r, rows, d))
	d.Sections = append(d.Sections, attentionSection(r, rows))
	d.Sections = append(d.Sections, kernelSection(r, rows))
	why := newExplained(rows)
	why.linkKernels(d.Table(SectionKernels))
	d.Sections = append(d.Sections, causesSection(rows, why), whatIfSection(r, rows))
	if s, ok := tailSection(r, rows); ok {
		d.Sections = append(d.Sections, s)
	}
	d.Sections = append(d.Sections, timingSection(r), deviceSection(r), noteSection(r), provenanceSection(r, prov))
	return d
}

func subject(r *compare.Result) string {
	if r.Device == nil {
		return "Run without a known device"
	}
	return "Run on " + OneLine(r.Device.Name)
}

// headline says in two lines what was run on what.
func headline(r *compare.Result) []string {
	lines := []string{"No device is known, so nothing can be predicted; name it with --device (occudiff devices lists them)"}
	if d := r.Device; d != nil {
		lines[0] = fmt.Sprintf("%s, %d Xe-cores x %d XVE x %d threads = %s thread slots",
			OneLine(d.Name), d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, Thousands(int64(d.Slots())))
		if r.ChosenBy != "" {
			lines[0] += " (from " + OneLine(r.ChosenBy) + ")"
		}
	}
	s := &r.Summary
	b := Counted(s.Kernels, "kernel", "kernels")
	if s.NotKernels > 0 {
		b += ", " + Counted(s.NotKernels, "other task", "other tasks")
	}
	if n := len(r.Timings); n > 0 {
		b += ", " + Counted(n, "timing of a log", "timings of a log")
	}
	if t, ok := s.GPUTime.Value(); ok {
		b += ", " + duration(float64(t)) + " of GPU time"
	}
	if dt := r.Options.SamplingInterval; dt > 0 {
		b += "; sampling interval " + duration(float64(dt))
		if r.Options.SamplingAssumed {
			b += " (assumed)"
		}
	}
	return append(lines, b)
}

// closing says in one sentence how much matches; predictions is how many of the rows set one prediction against another.
func closing(r *compare.Result, predictions int) string {
	s := &r.Summary
	compared := s.Matched + s.Below + s.Above
	var b strings.Builder
	switch {
	case s.Kernels == 0:
		return "No kernel in this run: there is nothing to compare."
	case compared == 0:
		b.WriteString("No kernel can be compared: " + uncompared(s))
	case predictions == compared:
		fmt.Fprintf(&b, "%s of %s kernels match VTune's peak within %s points; nothing was measured, so two predictions are compared",
			Thousands(int64(s.Matched)), Thousands(int64(compared)), plain(float64(r.Options.Tolerance)))
	default:
		fmt.Fprintf(&b, "%s of %s measurable kernels match within %s points",
			Thousands(int64(s.Matched)), Thousands(int64(compared)), plain(float64(r.Options.Tolerance)))
		if predictions > 0 {
			fmt.Fprintf(&b, " (%s compared with VTune's peak for want of a measurement: two predictions)", Thousands(int64(predictions)))
		}
	}
	if s.ModelCompared > 0 {
		fmt.Fprintf(&b, "; the model agrees with VTune's peak on %s of %s", Thousands(int64(s.ModelMatched)), Thousands(int64(s.ModelCompared)))
	}
	b.WriteByte('.')
	if n := s.Below + s.Above; n > 0 {
		fmt.Fprintf(&b, " Unexplained: %s of %s (%s %%).", Thousands(int64(s.Unexplained)), Counted(n, "mismatch", "mismatches"), Decimal(unexplainedPercent(s), 1))
	}
	return b.String()
}

func matchable(v compare.Verdict) bool {
	return v == compare.Match || v == compare.Below || v == compare.Above
}

func uncompared(s *compare.Summary) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.Unmeasurable, "unmeasurable"}, {s.NoPrediction, "without a prediction"}, {s.NoMeasurement, "without a measurement"}} {
		if p.n > 0 {
			parts = append(parts, Thousands(int64(p.n))+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// Counted prints "1 kernel", "2,047 kernels".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(int64(n)) + " " + many
}

// plain prints a tolerance as somebody typed it: 5, 0.1.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// noteSection lists what the stages had to say, the run's notes first, then those of rows. What is noted of many launches of
// a kernel is told once.
func noteSection(r *compare.Result) Section {
	var list []TaskNote
	for _, n := range r.Notes {
		list = append(list, TaskNote{Note: n})
	}
	alike := map[likeness]*likes{}
	var into compare.Row
	for i := range r.Len() {
		if !r.Noted(i) {
			continue
		}
		row := r.Row(i, &into)
		for _, n := range rowNotes(row) {
			if !r.KeepsLaunches() || first(alike, likeness{Key: row.Key(), about: n.Code}, len(list)) {
				list = append(list, TaskNote{n, row.Task})
			}
		}
	}
	for _, a := range alike {
		if a.n > 1 {
			list[a.item].Text += "; the same is noted of " + Counted(a.n-1, "further launch", "further launches") + " of this kernel"
		}
	}
	return NoteSection(list)
}

// NoteSection lists notes in the order given: as a list on a page, as a table in a workbook.
func NoteSection(notes []TaskNote) Section {
	s := Section{Key: SectionNotes, Title: "Notes", Sheet: "Notes", ItemsIn: Page}
	var rows [][]Cell
	for _, n := range notes {
		status, lead := severityStatus(n.Severity), n.Severity.String()
		text, detail := OneLine(n.Text), OneLine(n.Pos.String())
		if n.Hint != "" {
			text += " (" + OneLine(n.Hint) + ")"
		}
		if n.Task != "" {
			detail = strings.TrimSuffix(OneLine(n.Task)+", "+detail, ", ")
		}
		s.Items = append(s.Items, Item{Lead: lead, Detail: detail, Text: text, Status: status})
		rows = append(rows, []Cell{
			StatusCell(lead, status), TextCell(n.Code), TextCell(n.Task), TextCell(n.Pos.File), place(n.Pos.Line), place(n.Pos.Column), TextCell(n.Text), TextCell(n.Hint),
		})
	}
	if len(rows) == 0 {
		s.Text = []string{"None."}
		return s
	}
	t := Fixed("notes", "", []Column{
		{Key: "severity", Title: "Severity", Kind: Text, In: Sheet, Words: []Word{{"warning", Unsure}, {"error", Bad}}},
		{Key: "code", Title: "Code", Kind: Text, In: Sheet},
		{Key: "task", Title: "Kernel", Kind: Text, In: Sheet},
		{Key: "file", Title: "File", Kind: Text, In: Sheet},
		{Key: "line", Title: "Line", Kind: Integer, In: Sheet},
		{Key: "column", Title: "Column", Kind: Integer, In: Sheet},
		{Key: "text", Title: "What happened", Kind: Text, In: Sheet, Wrap: true},
		{Key: "hint", Title: "What to do", Kind: Text, In: Sheet, Wrap: true},
	}, rows)
	t.In = Sheet
	s.Tables = []*Table{t}
	return s
}

// TaskNote is a note with the task that it is about, if any.
type TaskNote struct {
	note.Note
	Task string
}

func severityStatus(s note.Severity) Status {
	switch s {
	case note.Warning:
		return Unsure
	case note.Error:
		return Bad
	}
	return Plain
}

// place is a line or column, absent when it is not known.
func place(n int) Cell {
	if n <= 0 {
		return Cell{}
	}
	return IntCell(n)
}
