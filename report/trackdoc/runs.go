package trackdoc

import (
	"fmt"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// RunsValue is the JSON output of `occudiff track list`.
type RunsValue struct {
	Schema   string          `json:"schema"`
	Runs     []RunValue      `json:"runs"`
	Accepted []AcceptedValue `json:"accepted"`
	Renamed  []RenamedValue  `json:"renamed"`
}

// AcceptedValue says that a baseline begins with a run.
type AcceptedValue struct {
	Run    int64     `json:"run" col:"Run"`
	Kernel *string   `json:"kernel" col:"Kernel; cut; role=code" jsonschema:"null for all of the run's program on its device"`
	Time   timestamp `json:"time" col:"Accepted [UTC]"`
	Note   *string   `json:"note" col:"Note; cut"`
}

// RenamedValue says that a kernel has another name than before.
type RenamedValue struct {
	Old  string    `json:"old" col:"Old name; cut; role=code"`
	New  string    `json:"new" col:"New name; cut; role=code"`
	Run  *int64    `json:"run" col:"Run" jsonschema:"the run that brought it, null when track rename did"`
	Time timestamp `json:"time" col:"Time [UTC]"`
}

// RunValue is one stored run.
type RunValue struct {
	ID           int64     `json:"id" col:"Run"`
	Time         timestamp `json:"time" col:"Time [UTC]"`
	Label        *string   `json:"label" col:"Label; cut; drop=6"`
	Device       *string   `json:"device" col:"Device; cut"`
	Driver       *string   `json:"driver" col:"Driver; cut; drop=7"`
	Kernels      int       `json:"kernels" col:"Kernels"`
	Inputs       inputs    `json:"inputs" col:"Inputs; cut; drop=5"`
	Host         *string   `json:"host" col:"Host; cut; drop=1"`
	JobID        *string   `json:"job_id" csv:"job" col:"Job; cut; drop=2"`
	VTuneVersion *string   `json:"vtune_version" csv:"vtune" col:"VTune; in=page+sheet"`
	Commit       *commit   `json:"commit" col:"Commit; drop=3"`
	Branch       *string   `json:"branch" col:"Branch; cut; drop=8"`
	Program      *string   `json:"program" col:"Program; cut; drop=4"`
}

func runValue(r history.Run) RunValue {
	list := report.ListOf(r.Inputs, func(in history.Input) report.InputValue {
		return report.InputValue{Path: in.Path, Kind: in.Kind, Digest: report.Filled(in.Digest), Rows: in.Rows,
			BadRows: in.BadRows}
	})
	return RunValue{r.ID, stamp(r.Time), report.Filled(r.Label), report.Filled(r.Device), report.Filled(r.Driver),
		r.Kernels, list, report.Filled(r.Host), report.Filled(r.JobID), report.Filled(r.VTune),
		(*commit)(report.Filled(r.Commit)), report.Filled(r.Branch), report.Filled(r.Program)}
}

// AddValue is the JSON output of `occudiff track add`.
type AddValue struct {
	Schema string       `json:"schema"`
	Runs   []AddedValue `json:"runs"`
}

// AddedValue is a run of the command line.
type AddedValue struct {
	Stored bool `json:"stored" jsonschema:"false when its content was there already"`
	RunValue
}

// NewAddValue gives the value of the JSON output.
func NewAddValue(runs []track.Added) *AddValue {
	return &AddValue{addSchema, report.ListOf(runs, func(r track.Added) AddedValue {
		return AddedValue{r.Stored, runValue(r.Run)}
	})}
}

// FromRuns answers which runs are stored, oldest first, what was accepted and what renamed. where names the history.
func FromRuns(runs []history.Run, accepted []history.Accept, renamed []history.Rename, where string,
	prov report.Provenance) *report.Answer {
	v := &RunsValue{runsSchema, report.ListOf(runs, runValue),
		report.ListOf(accepted, func(a history.Accept) AcceptedValue {
			return AcceptedValue{a.Run, report.Filled(a.Key.Name()), stamp(a.Time), report.Filled(a.Note)}
		}),
		report.ListOf(renamed, func(r history.Rename) RenamedValue {
			v := RenamedValue{Old: r.Old, New: r.New, Time: stamp(r.Time)}
			if r.Run != 0 {
				v.Run = &r.Run
			}
			return v
		})}
	t := report.Rows("runs", len(runs), func(i int) RunValue { return v.Runs[i] }, "id", "time", "label", "device",
		"driver", "kernels", "host", "job", "commit", "branch", "vtune", "inputs", "program")
	d := &report.Document{Whole: true, Title: "Stored runs", Version: prov.Version,
		Headline: []string{report.OneLine(where) + ": " + unit.Counted(len(runs), "run", "runs")},
		Sections: []report.Section{{Key: t.Key, Title: "Runs", Tables: []*report.Table{t}}}}
	if len(accepted) > 0 {
		t := report.Rows("accepted", len(accepted), func(i int) AcceptedValue { return v.Accepted[i] })
		d.Sections = append(d.Sections, report.Section{Key: t.Key, Title: "Accepted: the baseline begins there",
			Tables: []*report.Table{t}})
	}
	if len(renamed) > 0 {
		t := report.Rows("renamed", len(renamed), func(i int) RenamedValue { return v.Renamed[i] })
		d.Sections = append(d.Sections, report.Section{Key: t.Key, Title: "Kernels with another name than before",
			Tables: []*report.Table{t}})
	}
	if len(runs) == 0 {
		d.Headline = []string{report.OneLine(where) + " has no run; add one with occudiff track add PATH"}
	}
	return &report.Answer{Doc: d, Value: v, Table: t}
}

func inputNames(r *history.Run) string {
	return strings.Join(report.ListOf(r.Inputs, func(in history.Input) string { return in.Path }), ", ")
}

// shortCommit is how much of a commit tells it apart.
func shortCommit(s string) string {
	const most = 12
	if len(s) > most && strings.Trim(s, "0123456789abcdef") == "" {
		return s[:most]
	}
	return s
}

// AddedText says of one run what was done with it.
func AddedText(r *track.Added) string {
	switch {
	case !r.Stored:
		return fmt.Sprintf("run %d has this content already (%s), and nothing else is said of it: "+
			"nothing was changed", r.ID, report.OneLine(inputNames(&r.Run)))
	}
	text := fmt.Sprintf("run %d stored: %s", r.ID, runText(&r.Run, r.TimeFrom))
	notMeasured, unmeasurable := r.Unjudged()
	if notMeasured > 0 {
		text += "; " + report.Thousands(int64(notMeasured)) + " without measured occupancy"
	}
	if unmeasurable > 0 {
		text += "; " + report.Thousands(int64(unmeasurable)) + " unmeasurable"
	}
	bad := int64(0)
	for _, in := range r.Inputs {
		bad += in.BadRows
	}
	if bad > 0 {
		text += "; damaged: " + report.Thousands(bad) + " of its rows could not be read"
	}
	if len(r.Programs) > 0 {
		text += "; it does not say which program it is of, and several have its kernels (" +
			report.OneLine(strings.Join(r.Programs, ", ")) + "), so its series are of none: --program names it"
	}
	for _, m := range r.Moved {
		text += fmt.Sprintf("; %s goes on as %s", report.OneLine(m.Old), report.OneLine(m.New))
	}
	if len(r.Clock.Future) > 0 {
		text += "; it is dated in the future"
	}
	if before := r.Clock.Before; before != nil {
		text += fmt.Sprintf("; it is dated before run %d, which was added earlier", before.Run)
	}
	return text
}

// ImportedText says what an import of runs did; bad lines could not be used.
func ImportedText(done *history.Imported, bad int) string {
	text := fmt.Sprintf("%s with %s stored", unit.Counted(done.Runs, "run", "runs"),
		unit.Counted(done.Kernels, "kernel", "kernels"))
	if done.Runs == 0 {
		text = "nothing was changed"
	}
	if done.KnownRuns > 0 {
		text += fmt.Sprintf("; %s stored before", unit.Counted(done.KnownRuns, "run was", "runs were"))
	}
	if done.Events > 0 {
		text += fmt.Sprintf("; accepted or renamed: %d", done.Events)
	}
	if bad > 0 {
		text += fmt.Sprintf("; %s not usable", unit.Counted(bad, "line was", "lines were"))
	}
	return text
}

// RunText says what a run is, without its number.
func RunText(r *history.Run) string { return runText(r, "") }

// runText says what a run is and what its time was taken from.
func runText(r *history.Run, timeFrom string) string {
	text := unit.Counted(r.Kernels, "kernel", "kernels")
	add := func(before, word, after string) {
		if word != "" {
			text += before + word + after
		}
	}
	add(" on ", report.OneLine(r.Device), "")
	add(", driver ", report.OneLine(r.Driver), "")
	add(", program ", report.OneLine(r.Program), "")
	add(", ", report.OneLine(r.Label), "")
	add(", collected ", when(r.Time), " UTC")
	add(" (", timeFrom, ")")
	add(", from ", report.OneLine(inputNames(r)), "")
	return text
}

// AcceptText says what was accepted, or taken back.
func AcceptText(a *history.Accept, undone bool) string {
	what := "all kernels"
	if a.Series != 0 {
		what = report.OneLine(a.Key.Name())
	}
	if undone {
		return fmt.Sprintf("%s: that run %d is accepted was taken back", what, a.Run)
	}
	return fmt.Sprintf("%s: run %d is accepted, the baseline begins there", what, a.Run)
}
