package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// noteSection lists what the stages had to say, the run's notes first, then those of rows, each text once. JSON has all of
// them with their rows.
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
			n.Text += "; " + unit.Counted(more, "more kernel has", "more kernels have") + " the same note"
		}
	}
	return report.NoteSection(list)
}

// timingSection lists what logs printed, unless the table of kernels has it.
func timingSection(r *compare.Result) report.Section {
	s := report.Section{Key: report.SectionTimings, Title: "Timings of logs", Sheet: "Timings"}
	if len(r.Timings) > 0 && hostTimes(r) == nil {
		s.Text = []string{"Host time of submitting and waiting, which is never a kernel's time on the GPU."}
		s.Tables = []*report.Table{timingTable(r).Show(firstTimings...)}
		s.Tables[0].In = report.Files
	}
	return s
}

// hostTimes gives the time of each row of a log alone, nil where an export has rows or a log not one time for each.
// A host's time is not compared with a GPU's: it stands beside predictions where there is nothing else.
func hostTimes(r *compare.Result) map[int]unit.Seconds {
	if len(r.Timings) == 0 || slices.ContainsFunc(r.Rows, func(row compare.Row) bool { return !row.FromLog }) {
		return nil
	}
	times := map[int]unit.Seconds{}
	for _, t := range r.Timings {
		if _, twice := times[t.Row]; twice || t.Row < 0 {
			return nil
		}
		times[t.Row] = t.Seconds
	}
	return times
}

// madeSection says what the report was made from and how, so that it can be made again.
func madeSection(r *compare.Result, prov report.Provenance) report.Section {
	s := report.Section{Key: report.SectionProvenance, Title: "What it was made from", Sheet: "Made from",
		Tables: []*report.Table{report.NameValue("made-from", madeFrom(r, prov))}}
	if len(r.Inputs) > 0 {
		s.Tables = append(s.Tables, Inputs(r.Inputs).Show("path", "kind", "rows", "bad_rows"))
	}
	return s
}

// madeFrom are the program and its options, the device, and what the inputs say about the machine.
func madeFrom(r *compare.Result, prov report.Provenance) report.Pairs {
	rows := prov.Pairs()
	rows.Text("Tolerance", report.Shortest(float64(r.Options.Tolerance))+" points; "+
		report.Shortest(float64(compare.ModelTolerance))+" points for VTune's peak")
	rows.Text("Sampling interval", samplingText(r))
	if r.Device != nil {
		rows.Text("Device", predictdoc.DeviceLine(r.Device))
		rows.Text("Chosen by", r.ChosenBy)
	}
	p := &r.Platform
	rows.Text("Device as printed", p.Device)
	rows.Text("Named by", p.DeviceFrom)
	rows.Text("Node property", p.NodeProperty)
	rows.Count("XVEs", int64(p.XVEs.Or(0)))
	rows.Count("Threads per XVE", int64(p.ThreadsPerXVE.Or(0)))
	rows.Count("Adapters", int64(p.Adapters.Or(0)))
	rows.Count("Stacks per adapter", int64(p.Stacks.Or(0)))
	if f, ok := p.MaxFrequency.Value(); ok {
		rows.Number("Maximum frequency [MHz]", f/1e6)
	}
	if o, ok := p.Occupancy.Value(); ok {
		rows = append(rows, report.Pair{Name: "Occupancy of the whole run [%]", Value: report.RatioCell(o)})
	}
	if !p.Collected.IsZero() {
		rows.Text("Collected", p.Collected.Format("2006-01-02 15:04:05 MST"))
	}
	rows.Text("Host", p.Host)
	rows.Text("Command", p.Command)
	rows.Text("Operating system", p.OS)
	rows.Text("VTune", p.VTune)
	rows.Text("Driver", p.Driver)
	rows.Text("Job", p.JobID)
	rows.Count("Vector size", p.VectorSize.Or(0))
	return rows
}

// samplingText says how often the counters were sampled. Their clock allows only some intervals, see predict/arch.
func samplingText(r *compare.Result) string {
	if t, known := r.Platform.SamplingInterval.Value(); known {
		return unit.Span(t) + ", that of the samples"
	}
	text := unit.Span(r.Options.SamplingInterval)
	if r.Options.SamplingAssumed {
		text += ", assumed"
	}
	if real := r.SamplingInterval(); real != r.Options.SamplingInterval {
		text += "; " + unit.Span(real) + " in hardware"
	}
	return text
}

// inputColumns are those of files that were read, in every output.
func inputColumns() []report.Col[ingest.Input] {
	return []report.Col[ingest.Input]{
		report.Define(report.Column{Key: "path", Path: "path", Always: true, Title: "File", Kind: report.Text, In: report.Files},
			func(in *ingest.Input) report.Cell { return report.OptText(unit.Some(in.Path)) }),
		report.Define(report.Column{Key: "kind", Path: "kind", Always: true, Title: "Kind", Kind: report.Text, In: report.Files,
			Doc: "vtune, vtune-summary, unitrace, vec_add or another format"},
			func(in *ingest.Input) report.Cell { return report.OptText(unit.Some(in.Kind)) }),
		report.Define(report.Column{Key: "digest", Path: "digest", Title: "Digest", Kind: report.Text, In: report.Files,
			Doc: "sha256:... or xxh3:... of the file"}, func(in *ingest.Input) report.Cell { return report.TextCell(in.Digest) }),
		report.Define(report.Column{Key: "rows", Path: "rows", Always: true, Title: "Rows", Kind: report.Integer, In: report.Files},
			func(in *ingest.Input) report.Cell { return report.IntCell(in.Rows) }),
		report.Define(report.Column{Key: "bad_rows", Path: "bad_rows", Always: true, Title: "Bad rows", Kind: report.Integer, In: report.Files},
			func(in *ingest.Input) report.Cell { return report.IntCell(in.BadRows) }),
	}
}

// Inputs is the table of files that were read.
func Inputs(list []ingest.Input) *report.Table {
	t := report.NewTable("inputs", "Inputs", list, inputColumns())
	t.In = report.Files
	return t
}
