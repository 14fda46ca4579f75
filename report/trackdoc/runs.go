package trackdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// FromRuns returns the output for the stored runs, oldest first, with accepted
// runs and renamed kernels. where is the name of the history.
func FromRuns(runs []history.Run, accepted []history.Accept, renamed []history.Rename, where string,
	prov report.Provenance) *report.Output {
	v := runsValue(runs, accepted, renamed)
	d := &report.Document{
		Whole:    true,
		Title:    "Stored runs",
		Version:  prov.Version,
		Headline: []string{report.OneLine(where) + ": " + unit.Plural(len(runs), "run")},
	}
	if len(runs) == 0 {
		d.Headline = []string{report.OneLine(where) + " has no run; add one with occudiff track add PATH"}
	}
	for _, t := range []*report.Table{v.Runs, v.Accepted, v.Renamed} {
		if t.Len > 0 || t == v.Runs {
			d.Sections = append(d.Sections, tableSection(t.Show()))
		}
	}
	return &report.Output{Doc: d, Value: v, Table: v.Runs}
}

func inputNames(r *history.Run) string {
	return strings.Join(report.ListOf(r.Inputs, func(in history.Input) string { return in.Path }), ", ")
}

// shortCommit returns enough digits of a commit to identify it.
func shortCommit(s string) string {
	const most = 12
	if len(s) > most && strings.Trim(s, "0123456789abcdef") == "" {
		return s[:most]
	}
	return s
}

// AddedText returns a sentence about an added run.
func AddedText(r *track.Added) string {
	if !r.Done.Stored {
		return fmt.Sprintf("run %d has this content already (%s); nothing was changed",
			r.ID, report.OneLine(inputNames(&r.Run)))
	}
	bad := 0
	for _, in := range r.Inputs {
		bad += int(in.BadRows)
	}
	notMeasured, unmeasurable := r.Unjudged()
	text := fmt.Sprintf("run %d stored: %s", r.ID, runText(&r.Run, r.TimeFrom)) +
		also(notMeasured, "without measured occupancy") + also(unmeasurable, "unmeasurable") +
		also(bad, "of its rows could not be read")
	if len(r.Done.Programs) > 0 {
		text += "; the run does not name its program, and several programs have its kernels (" +
			report.OneLine(strings.Join(r.Done.Programs, ", ")) + "), so its series have no program: --program names it"
	}
	for _, m := range r.Done.Moved {
		text += fmt.Sprintf("; %s continues as %s", report.OneLine(m.Old), report.OneLine(m.New))
	}
	if len(r.Clock.Future) > 0 {
		text += "; it is dated in the future"
	}
	if before := r.Clock.Before; before != nil {
		text += fmt.Sprintf("; it is dated before run %d, which was added earlier", before.Run)
	}
	return text
}

// ImportedText returns a sentence about the result of an import. bad is the
// number of unreadable lines.
func ImportedText(done *history.Imported, bad int) string {
	text := "nothing was changed"
	if done.Runs > 0 {
		text = unit.Plural(done.Runs, "run") + " with " +
			unit.Plural(done.Kernels, "kernel") + " stored"
	}
	return text + also(done.KnownRuns, verb(done.KnownRuns, "run was", "runs were")+" stored before") +
		also(done.Events, "accepted or renamed") +
		also(bad, verb(bad, "line was", "lines were")+" not usable")
}

// also returns "; ", n, and text, or "" if n is 0.
func also(n int, text string) string {
	if n == 0 {
		return ""
	}
	return "; " + report.Thousands(n) + " " + text
}

// RunText returns the description of a run without its number.
func RunText(r *history.Run) string {
	return runText(r, "")
}

// runText returns the description of a run and the source of its time.
func runText(r *history.Run, timeFrom string) string {
	text := unit.Plural(r.Kernels, "kernel")
	add := func(before, value string) {
		if value != "" {
			text += before + report.OneLine(value)
		}
	}
	add(" on ", r.Device)
	add(", driver ", r.Driver)
	add(", program ", r.Program)
	add(", ", r.Label)
	text += ", collected " + when(r.Time) + " UTC"
	if timeFrom != "" {
		text += " (" + timeFrom + ")"
	}
	add(", from ", inputNames(r))
	return text
}

// AcceptText returns a sentence about an accepted or withdrawn run.
func AcceptText(a *history.Accept, undone bool) string {
	what := "all kernels"
	if a.Series != 0 {
		what = report.OneLine(a.Key.Name())
	}
	switch {
	case a.Noise && undone:
		return fmt.Sprintf("%s: bad runs up to run %d no longer count as noise", what, a.Run)
	case a.Noise:
		return fmt.Sprintf("%s: bad runs up to run %d count as noise; the baseline stays", what, a.Run)
	case undone:
		return fmt.Sprintf("%s: run %d is no longer accepted", what, a.Run)
	}
	return fmt.Sprintf("%s: run %d is accepted; the new baseline begins with it", what, a.Run)
}

// runColumns are the columns of a stored run.
var runColumns = slices.Concat([]report.Col[history.Run]{
	report.Define("id", "Run",
		func(r *history.Run) int64 { return r.ID }),
	report.Define("time", "Time",
		func(r *history.Run) string { return exactly(r.Time) }),
	report.Define("label", "Label",
		func(r *history.Run) string { return r.Label },
		report.Drop(6), report.Cut,
		report.NonZero),
	report.Define("device", "Device",
		func(r *history.Run) string { return r.Device },
		report.Cut, report.NonZero),
	report.Define("driver", "Driver",
		func(r *history.Run) string { return r.Driver },
		report.Drop(7), report.Cut,
		report.NonZero),
	report.Define("kernels", "Kernels",
		func(r *history.Run) int { return r.Kernels }),
	report.Define("host", "Host",
		func(r *history.Run) string { return r.Host },
		report.Drop(1), report.Cut,
		report.NonZero),
	report.Define("job", "Job",
		func(r *history.Run) string { return r.JobID },
		report.Drop(2),
		report.Cut,
		report.NonZero,
		report.Path("job_id")),
},
	commitColumns("Commit",
		func(r *history.Run) string { return r.Commit },
		report.Everywhere, report.Drop(3)),
	[]report.Col[history.Run]{
		report.Define("branch", "Branch",
			func(r *history.Run) string { return r.Branch },
			report.Drop(8),
			report.Cut,
			report.NonZero),
		report.Define("vtune", "VTune",
			func(r *history.Run) string { return r.VTune },
			report.Kept, report.NonZero,
			report.Path("vtune_version")),
		report.List("inputs",
			func(r *history.Run) []history.Input { return r.Inputs },
			inputColumns),
		report.Shown("inputs", "Inputs", inputNames, report.Drop(5), report.Cut, report.NonZero),
		report.Define("program", "Program",
			func(r *history.Run) string { return r.Program },
			report.Drop(4),
			report.Cut,
			report.NonZero),
	})

var inputColumns = []report.Col[history.Input]{
	report.JSON("path",
		func(in *history.Input) string { return in.Path }),
	report.JSON("kind",
		func(in *history.Input) string { return in.Kind }),
	report.JSON("digest",
		func(in *history.Input) string { return in.Digest },
		report.NonZero),
	report.JSON("rows",
		func(in *history.Input) int64 { return int64(in.Rows) }),
	report.JSON("bad_rows",
		func(in *history.Input) int64 { return int64(in.BadRows) }),
}

// AddValue is the JSON output of `occudiff track add`.
type AddValue struct {
	Schema string        `json:"schema"`
	Runs   *report.Table `json:"runs"`
}

// NewAddValue returns the value of the JSON output.
func NewAddValue(runs []track.Added) *AddValue {
	columns := append([]report.Col[track.Added]{
		report.JSON("stored",
			func(r *track.Added) bool { return r.Done.Stored }),
	}, report.Within("", "",
		func(r *track.Added) *history.Run { return &r.Run },
		runColumns)...)
	return &AddValue{
		Schema: addSchema,
		Runs:   report.NewTable("runs", "", runs, columns),
	}
}

// RunsValue is the JSON output of `occudiff track list`.
type RunsValue struct {
	Schema   string        `json:"schema"`
	Runs     *report.Table `json:"runs"`
	Accepted *report.Table `json:"accepted"`
	Renamed  *report.Table `json:"renamed"`
}

func runsValue(runs []history.Run, accepted []history.Accept, moved []history.Rename) *RunsValue {
	return &RunsValue{
		Schema:   runsSchema,
		Runs:     report.NewTable("runs", "Runs", runs, runColumns),
		Accepted: report.NewTable("accepted", "Accepted runs", accepted, acceptedColumns),
		Renamed:  report.NewTable("renamed", "Kernels with another name than before", moved, renameColumns),
	}
}

var acceptedColumns = []report.Col[history.Accept]{
	report.Define("run", "Run",
		func(a *history.Accept) int64 { return a.Run }),
	report.Define("kernel", "Kernel",
		func(a *history.Accept) string { return a.Key.Name() },
		report.Cut,
		report.Code,
		report.NonZero),
	report.Define("time", "Accepted",
		func(a *history.Accept) string { return exactly(a.Time) }),
	report.Define("noise", "As noise",
		func(a *history.Accept) bool { return a.Noise },
		report.NonZero),
	report.Define("note", "Note",
		func(a *history.Accept) string { return a.Note },
		report.Cut, report.NonZero),
}

var renameColumns = []report.Col[history.Rename]{
	report.Define("old", "Old name",
		func(r *history.Rename) string { return r.Old },
		report.Cut, report.Code),
	report.Define("new", "New name",
		func(r *history.Rename) string { return r.New },
		report.Cut, report.Code),
	report.Define("run", "Run",
		func(r *history.Rename) int64 { return r.Run },
		report.NonZero),
	report.Define("time", "Time",
		func(r *history.Rename) string { return exactly(r.Time) }),
}
