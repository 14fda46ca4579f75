package trackdoc

import (
	"strconv"
	"strings"
	"time"

	"occudiff/report"
)

// TrackListSchema names the version of the JSON contract of `track list`.
const TrackListSchema = "occudiff/track-list/1"

// TrackListOutput is the JSON output of `occudiff track list`.
type TrackListOutput struct {
	Schema string           `json:"schema"`
	Runs   []TrackRunOutput `json:"runs"`
}

// TrackRunOutput is one stored run.
type TrackRunOutput struct {
	ID           int64               `json:"id"`
	Time         string              `json:"time" jsonschema:"RFC 3339, UTC"` // RFC 3339, UTC
	Label        *string             `json:"label"`
	Device       *string             `json:"device"`
	Driver       *string             `json:"driver"`
	Kernels      int                 `json:"kernels"`
	Inputs       []report.InputValue `json:"inputs"`
	Host         *string             `json:"host"`
	JobID        *string             `json:"job_id"`
	VTuneVersion *string             `json:"vtune_version"`
	Commit       *string             `json:"commit"`
}

// TrackListJSON gives the value of the JSON contract.
func TrackListJSON(runs []TrackedRun) *TrackListOutput {
	v := &TrackListOutput{Schema: TrackListSchema, Runs: make([]TrackRunOutput, 0, len(runs))}
	for i := range runs {
		v.Runs = append(v.Runs, trackRunOutput(&runs[i]))
	}
	return v
}

func trackRunOutput(r *TrackedRun) TrackRunOutput {
	inputs := r.Inputs
	if inputs == nil {
		inputs = []report.InputValue{}
	}
	return TrackRunOutput{
		ID: r.ID, Time: stamp(r.Time), Label: report.Filled(r.Label), Device: report.Filled(r.Device), Driver: report.Filled(r.Driver), Kernels: r.Kernels, Inputs: inputs,
		Host: report.Filled(r.Host), JobID: report.Filled(r.Job), VTuneVersion: report.Filled(r.VTune), Commit: report.Filled(r.Commit),
	}
}

// stamp prints a time for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// FromTrackList builds the list of stored runs, oldest first. where names the history.
func FromTrackList(runs []TrackedRun, where string, prov report.Provenance) *report.Document {
	all := report.Terminal | report.Page | report.Sheet
	t := report.Fixed("runs", "", []report.Column{
		{Key: "id", Title: "Run", Kind: report.Integer, In: all},
		{Key: "time", Title: "Time", Unit: "UTC", Kind: report.Text, In: all},
		{Key: "label", Title: "Label", Kind: report.Text, In: all, Cut: true, Drop: 6},
		{Key: "device", Title: "Device", Kind: report.Text, In: all, Cut: true},
		{Key: "driver", Title: "Driver", Kind: report.Text, In: all, Cut: true, Drop: 7},
		{Key: "kernels", Title: "Kernels", Kind: report.Integer, In: all},
		{Key: "host", Title: "Host", Kind: report.Text, In: all, Cut: true, Drop: 1},
		{Key: "job", Title: "Job", Kind: report.Text, In: all, Cut: true, Drop: 2},
		{Key: "commit", Title: "Commit", Kind: report.Text, In: all, Drop: 3},
		{Key: "vtune", Title: "VTune", Kind: report.Text, In: report.Page | report.Sheet},
		{Key: "inputs", Title: "Inputs", Kind: report.Text, In: all, Cut: true, Drop: 5},
	}, nil)
	t.In |= report.Terminal
	t.Len, t.Main = len(runs), len(runs)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		r := &runs[i]
		return append(dst, report.IntCell(r.ID), report.TextCell(when(r.Time)), report.TextCell(r.Label), report.TextCell(r.Device), report.TextCell(r.Driver), report.IntCell(r.Kernels),
			report.TextCell(r.Host), report.TextCell(r.Job), report.TextCell(shortCommit(r.Commit)), report.TextCell(r.VTune), report.TextCell(inputNames(r)))
	}
	d := &report.Document{Whole: true, Title: "Stored runs", Version: prov.Version, Headline: []string{report.OneLine(where) + ": " + report.Counted(len(runs), "run", "runs")},
		Sections: []report.Section{{Key: "runs", Title: "Runs", Tables: []*report.Table{t}}}}
	if len(runs) == 0 {
		d.Headline = []string{report.OneLine(where) + " has no run; add one with occudiff track add PATH"}
	}
	return d
}

func inputNames(r *TrackedRun) string {
	names := make([]string, len(r.Inputs))
	for i, in := range r.Inputs {
		names[i] = in.Path
	}
	return strings.Join(names, ", ")
}

// shortCommit is how much of a commit tells it apart.
func shortCommit(s string) string {
	const most = 12
	if len(s) > most && strings.Trim(s, "0123456789abcdef") == "" {
		return s[:most]
	}
	return s
}

// TrackAddSchema names the version of the JSON output of `track add`.
const TrackAddSchema = "occudiff/track-add/1"

// TrackAddOutput is the JSON output of `occudiff track add`.
type TrackAddOutput struct {
	Schema string          `json:"schema"`
	Runs   []TrackAddedRun `json:"runs"`
}

// TrackAddedRun is a run of the command line; stored is false when its content was there already and nothing was changed.
type TrackAddedRun struct {
	Stored bool `json:"stored" jsonschema:"false when its content was there already"`
	TrackRunOutput
}

// TrackAddJSON gives the value of the JSON output.
func TrackAddJSON(runs []TrackedRun) *TrackAddOutput {
	v := &TrackAddOutput{Schema: TrackAddSchema, Runs: make([]TrackAddedRun, 0, len(runs))}
	for i := range runs {
		v.Runs = append(v.Runs, TrackAddedRun{runs[i].Stored, trackRunOutput(&runs[i])})
	}
	return v
}

// TrackAddText says of one run what was done with it.
func TrackAddText(r *TrackedRun) string {
	files := report.OneLine(inputNames(r))
	if !r.Stored {
		return "run " + strconv.FormatInt(r.ID, 10) + " has this content already (" + files + "): nothing was changed"
	}
	text := "run " + strconv.FormatInt(r.ID, 10) + " stored: " + TrackRunText(r)
	if n := r.NotMeasured; n > 0 {
		text += "; " + report.Thousands(int64(n)) + " without measured occupancy"
	}
	if n := r.Unmeasurable; n > 0 {
		text += "; " + report.Thousands(int64(n)) + " too short to be judged"
	}
	return text
}

// TrackRunText says what a run is, without its number.
func TrackRunText(r *TrackedRun) string {
	text := report.Counted(r.Kernels, "kernel", "kernels")
	if r.Device != "" {
		text += " on " + report.OneLine(r.Device)
	}
	if r.Driver != "" {
		text += ", driver " + report.OneLine(r.Driver)
	}
	if r.Label != "" {
		text += ", " + report.OneLine(r.Label)
	}
	text += ", collected " + when(r.Time) + " UTC"
	if r.TimeFrom != "" {
		text += " (" + r.TimeFrom + ")"
	}
	if files := report.OneLine(inputNames(r)); files != "" {
		text += ", from " + files
	}
	return text
}
