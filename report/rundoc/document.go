// Package rundoc reports how well the kernels of a run match their predictions.
// It converts a compare.Result into the document for people, the values of
// occudiff/validate/1, test cases, and annotations. These outputs contain the
// kernels with their verdicts and the thread-slot breakdown. If the input has a
// trace or samples, they also contain the occupancy over time. This package
// chooses the order, words, units, and decimals, so that every renderer shows
// the same content. It contains no code for file formats, and it does not join
// or judge data: verdicts and causes come from package compare.
package rundoc

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// FromResult returns the report of a compared run: its summary, the table of
// its rows, a paragraph for each row that needs one, and its inputs and
// settings. The document refers to r, because renderers read the rows on
// request.
func FromResult(r *compare.Result, prov report.Provenance) *report.Document {
	r = shown(r, prov.Show)
	lines := linesOf(r, prov.Show)
	d := &report.Document{
		Title:   Title("Predicted and measured GPU occupancy", r),
		Origin:  originOf(r),
		Subject: "Run without a known device",
		Date:    r.Platform.Collected,
		Summary: summaryOf(r, lines, prov.Show),
		Version: prov.Version,
		Headline: []string{"Sampling interval " + samplingText(r) + "; tolerance " +
			report.Shortest(r.Options.Tolerance) + " points"},
	}
	if on := r.Device; on != nil {
		d.Subject = "Run on " + report.OneLine(on.Name)
		line := report.OneLine(predictdoc.DeviceLine(on) + " (from " + r.ChosenBy.String() + ")")
		d.Headline = slices.Insert(d.Headline, 0, line)
	}
	d.Sections = slices.Concat([]report.Section{seriesSection(r, lines), kernelSection(r), elsewhereSection(r),
		evidenceSection(r), launchSection(r)},
		overTimeSections(r), []report.Section{timingSection(r), noteSection(r), termSection(r, d.Summary),
			report.InputsSection(madeFrom(r, prov))})
	return d
}

// Title returns a title: what, the applications and devices of the runs, and
// the date of the last run.
func Title(what string, runs ...*compare.Result) string {
	application := func(r *compare.Result) string {
		if words := strings.Fields(report.OneLine(r.Platform.Command)); len(words) > 0 {
			return path.Base(words[0])
		}
		return ""
	}
	device := func(r *compare.Result) string {
		if r.Device == nil {
			return ""
		}
		return r.Device.ShortName()
	}
	return report.RunTitle(what, report.ListOf(runs, application), report.ListOf(runs, device),
		Collected(runs...))
}

// Collected returns the time of the run that was collected last, or the zero
// time if no run has one.
func Collected(runs ...*compare.Result) (date time.Time) {
	for _, r := range runs {
		if t := r.Platform.Collected; t.After(date) {
			date = t
		}
	}
	return date
}

// Origin returns the hosts, drivers, and versions of VTune of runs.
func Origin(runs ...*compare.Result) string {
	each := func(of func(*compare.Result) string) string {
		return strings.Join(report.Distinct(report.ListOf(runs, of)), " and ")
	}
	return report.Known("host", each(func(r *compare.Result) string { return r.Platform.Host }),
		"driver", each(func(r *compare.Result) string { return r.Platform.Driver }),
		"VTune", each(func(r *compare.Result) string { return r.Platform.VTune }))
}

// originOf returns the origin of a run: the source that identified the device,
// the host, the driver, and the version of VTune.
func originOf(r *compare.Result) string {
	from := ""
	if r.Device != nil {
		from = r.ChosenBy.String()
	}
	return report.UpperFirst(strings.Trim(report.Known("device from", from)+", "+Origin(r), ", "))
}

// TermsOfBars returns the names of the breakdown parts that are visible in the
// bars.
func TermsOfBars(b *report.StackedBars) (names []string) {
	for i, p := range compare.Parts() {
		if b != nil && b.Shows(i) {
			names = append(names, p.Title())
		}
	}
	return names
}

// termSection explains the document's terms: headings of the summary, parts of
// its bars, verdicts, and causes.
func termSection(r *compare.Result, summary *report.Summary) report.Section {
	names := TermsOfBars(summary.Bars)
	for i := range r.Rows {
		names = append(names, "verdict: "+string(r.Rows[i].Verdict))
		if c := r.Rows[i].Cause; c != nil {
			names = append(names, "cause: "+c.Name)
		}
	}
	return report.TermSection(summary, names...)
}

func kernelSection(r *compare.Result) report.Section {
	s := report.Section{
		Key:   report.SectionKernels,
		Title: "All kernels",
		Sheet: "Kernels",
	}
	if len(r.Rows) > 0 {
		s.Tables = []*report.Table{kernelTable(r)}
	}
	return s
}

// NewOutput returns a compared run in every form.
func NewOutput(r *compare.Result, prov report.Provenance) *report.Output {
	v := Value(r)
	a := &report.Output{
		Make:         func() *report.Document { return FromResult(r, prov) },
		Value:        v,
		AgentSummary: func() *report.AgentSummary { return agentSummary(r) },
		Table:        Rows(prov.Show, r),
		Tests:        func() *report.TestSuite { return TestSuiteFrom(r, prov) },
		Trace:        func() any { return traceOf(r) },
	}
	if len(v.Over) > 0 {
		p := v.Over[0].plot(0)
		a.Chart = &p
	}
	return a
}

// shown returns the result with the rows that a selection chooses.
func shown(r *compare.Result, show report.Selection) *compare.Result {
	if !show.Chosen() {
		return r
	}
	nan, all := math.NaN(), make([]int, len(r.Rows))
	for i := range all {
		all[i] = i
	}
	rows, left := report.Select(show, all, "rows", func(i *int) report.Candidate {
		row := &r.Rows[*i]
		value := show.Value(float64(row.Lost()), float64(row.Total.Or(unit.Seconds(nan))),
			float64(row.Difference.Or(unit.Points(nan))))
		if show.Sort == report.SortSpeedup {
			value = row.Speedup.SavableTime(row)
		}
		return report.Candidate{
			Task:  row.Task,
			Other: row.Verdict == compare.NotAKernel,
			Value: value,
		}
	})
	v := r.View(rows)
	v.Notes = append(left, r.Notes...)
	return v
}

// noteSection returns a section that lists the notes of the run, then the notes
// of the rows. Each text appears once. JSON has all notes, each with its row.
func noteSection(r *compare.Result) report.Section {
	list, count := report.RunNotes(r.Notes), map[string]int{}
	for i := range r.Rows {
		for _, n := range rowNotes(&r.Rows[i]) {
			if count[n.Text]++; count[n.Text] == 1 {
				list = append(list, report.TaskNote{Note: n, Task: r.Rows[i].Task})
			}
		}
	}
	for i := range list[len(r.Notes):] {
		n := &list[len(r.Notes)+i]
		if more := count[n.Text] - 1; more > 0 {
			n.Text += "; " + unit.FormatCount(more, "more kernel has", "more kernels have") + " the same note"
		}
	}
	return report.NoteSection(list)
}

// timingSection returns a section with the times that logs contain, unless the
// kernel table already has these times.
func timingSection(r *compare.Result) report.Section {
	s := report.Section{
		Key:   report.SectionTimings,
		Title: "Timings of logs",
		Sheet: "Runs",
	}
	if len(r.Timings) > 0 && !fromLog(r) {
		s.Text = []string{"Host time for submitting and waiting, which is not a kernel's time on the GPU."}
		s.Tables = []*report.Table{timingTable(r).Show(firstTimings...)}
		s.Tables[0].In = report.Files
	}
	return s
}

// fromLog reports whether all rows come from a log and each row has exactly one
// timing.
func fromLog(r *compare.Result) bool {
	return len(r.Rows) > 0 && len(r.Rows) == len(r.Timings) &&
		!r.HasRow(func(row *compare.Row) bool { return !row.FromLog })
}

// hostTimes returns the host time of each row with a timing in a log, or nil if
// any row has several timings.
func hostTimes(r *compare.Result) map[int]unit.Seconds {
	times := map[int]unit.Seconds{}
	for _, t := range r.Timings {
		if _, twice := times[t.Row]; twice {
			return nil
		}
		if t.Row >= 0 {
			times[t.Row] = t.Seconds
		}
	}
	return times
}

// madeFrom returns the facts that are needed to reproduce the report: the
// program and its options, the device, and the machine properties from the
// inputs.
func madeFrom(r *compare.Result, prov report.Provenance) report.Pairs {
	rows := prov.Pairs()
	for _, in := range r.Inputs {
		text := report.OneLine(in.Path) + ": " + in.Kind + ", " + unit.Plural(in.Rows, "row")
		if in.BadRows > 0 {
			text += ", " + report.Thousands(in.BadRows) + " unreadable"
		}
		rows.Text("Input", text)
		rows.Text("Digest", in.Digest)
	}
	rows.Text("Tolerance", report.Shortest(r.Options.Tolerance)+" points; "+
		report.Shortest(compare.ModelTolerance)+" points for VTune's peak")
	rows.Text("Sampling interval", samplingText(r))
	if r.Device != nil {
		rows.Text("Device", predictdoc.DeviceLine(r.Device))
		rows.Text("Chosen by", r.ChosenBy.String())
		if len(r.Device.Memory) > 0 {
			rows.Text("Memory bandwidth", r.Device.Memory[0].String())
		}
		rows.Text("Source of its figures", r.Device.Source)
	}
	if s := &r.Summary; s.ModelCompared > 0 {
		rows.Text("VTune's peak",
			fmt.Sprintf("agrees with the prediction on %d of %d", s.ModelMatched, s.ModelCompared))
	}
	p := &r.Platform
	rows.Text("Device as printed", p.Device)
	rows.Text("Named by", p.DeviceFrom)
	rows.Text("Node property", p.NodeProperty)
	rows.Add("XVEs", report.ValueCell(p.XVEs))
	rows.Add("Threads per XVE", report.ValueCell(p.ThreadsPerXVE))
	rows.Add("Adapters", report.ValueCell(p.Adapters))
	rows.Add("Stacks per adapter", report.ValueCell(p.Stacks))
	if f, ok := p.MaxFrequency.Value(); ok {
		rows.Add("Maximum frequency [MHz]", report.ValueCell(f/1e6))
	}
	rows.Add("Occupancy of the whole run [%]", report.ValueCell(p.Occupancy))
	if !p.Collected.IsZero() {
		rows.Text("Collected", p.Collected.Format("2006-01-02 15:04:05 MST"))
	}
	rows.Text("Host", p.Host)
	rows.Text("Command", p.Command)
	rows.Text("Operating system", p.OS)
	rows.Text("VTune", p.VTune)
	rows.Text("Driver", p.Driver)
	rows.Text("Job", p.JobID)
	rows.Add("Vector size", report.ValueCell(p.VectorSize))
	return rows
}

// samplingText describes the sampling interval of the counters. The clock of
// the counters allows only some intervals; see predict/arch.
func samplingText(r *compare.Result) string {
	if t, known := r.Platform.SamplingInterval.Value(); known {
		return unit.FormatDuration(t) + ", from the samples"
	}
	text := unit.FormatDuration(r.Options.SamplingInterval)
	if r.Options.SamplingAssumed {
		text += ", assumed"
	}
	if real := r.SamplingInterval(); real != r.Options.SamplingInterval {
		text += "; " + unit.FormatDuration(real) + " in hardware"
	}
	return text
}

// inputColumns returns the columns for an input file in every output.
func inputColumns() []report.Col[ingest.Input] {
	return report.EachAs([]report.Col[ingest.Input]{
		report.Define("path", "File",
			func(in *ingest.Input) string { return in.Path }),
		report.Define("kind", "Kind",
			func(in *ingest.Input) string { return in.Kind }),
		report.Define("digest", "Digest",
			func(in *ingest.Input) string { return in.Digest },
			report.NonZero),
		report.Define("rows", "Rows",
			func(in *ingest.Input) int64 { return in.Rows }),
		report.Define("bad_rows", "Bad rows",
			func(in *ingest.Input) int64 { return in.BadRows }),
	}, report.Files)
}

// Inputs returns the table of the input files.
func Inputs(list []ingest.Input) *report.Table {
	t := report.NewTable("inputs", "Inputs", list, inputColumns())
	t.In = report.Files
	return t
}
