package report

import (
	"strconv"
	"strings"
	"time"
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
	ID           int64           `json:"id"`
	Time         string          `json:"time" jsonschema:"RFC 3339, UTC"` // RFC 3339, UTC
	Label        *string         `json:"label"`
	Device       *string         `json:"device"`
	Driver       *string         `json:"driver"`
	Kernels      int             `json:"kernels"`
	Inputs       []ValidateInput `json:"inputs"`
	Host         *string         `json:"host"`
	JobID        *string         `json:"job_id"`
	VTuneVersion *string         `json:"vtune_version"`
	Commit       *string         `json:"commit"`
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
		inputs = []ValidateInput{}
	}
	return TrackRunOutput{
		ID: r.ID, Time: stamp(r.Time), Label: filled(r.Label), Device: filled(r.Device), Driver: filled(r.Driver), Kernels: r.Kernels, Inputs: inputs,
		Host: filled(r.Host), JobID: filled(r.Job), VTuneVersion: filled(r.VTune), Commit: filled(r.Commit),
	}
}

// stamp prints a time for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// FromTrackList builds the list of stored runs, oldest first. where names the history.
func FromTrackList(runs []TrackedRun, where string, prov Provenance) *Document {
	all := Glance | Page | Sheet
	t := Fixed("runs", "", []Column{
		{Key: "id", Title: "Run", Kind: Integer, In: all},
		{Key: "time", Title: "Time", Unit: "UTC", Kind: Text, In: all},
		{Key: "label", Title: "Label", Kind: Text, In: all, Cut: true, Drop: 6},
		{Key: "device", Title: "Device", Kind: Text, In: all, Cut: true},
		{Key: "driver", Title: "Driver", Kind: Text, In: all, Cut: true, Drop: 7},
		{Key: "kernels", Title: "Kernels", Kind: Integer, In: all},
		{Key: "host", Title: "Host", Kind: Text, In: all, Cut: true, Drop: 1},
		{Key: "job", Title: "Job", Kind: Text, In: all, Cut: true, Drop: 2},
		{Key: "commit", Title: "Commit", Kind: Text, In: all, Drop: 3},
		{Key: "vtune", Title: "VTune", Kind: Text, In: Page | Sheet},
		{Key: "inputs", Title: "Inputs", Kind: Text, In: all, Cut: true, Drop: 5},
	}, nil)
	t.In |= Glance
	t.Len, t.Main = len(runs), len(runs)
	t.Row = func(i int, dst []Cell) []Cell {
		r := &runs[i]
		return append(dst, IntCell(r.ID), TextCell(when(r.Time)), TextCell(r.Label), TextCell(r.Device), TextCell(r.Driver), IntCell(r.Kernels),
			TextCell(r.Host), TextCell(r.Job), TextCell(shortCommit(r.Commit)), TextCell(r.VTune), TextCell(inputNames(r)))
	}
	d := &Document{Title: "Stored runs", Version: prov.Version, Headline: []string{OneLine(where) + ": " + Counted(len(runs), "run", "runs")},
		Sections: []Section{{Key: "runs", Title: "Runs", Tables: []*Table{t}}}}
	if len(runs) == 0 {
		d.Headline = []string{OneLine(where) + " has no run; add one with occudiff track add PATH"}
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
	files := OneLine(inputNames(r))
	if !r.Stored {
		return "run " + strconv.FormatInt(r.ID, 10) + " has this content already (" + files + "): nothing was changed"
	}
	text := "run " + strconv.FormatInt(r.ID, 10) + " stored: " + TrackRunText(r)
	if n := r.NotMeasured; n > 0 {
		text += "; " + Thousands(int64(n)) + " without measured occupancy"
	}
	if n := r.Unmeasurable; n > 0 {
		text += "; " + Thousands(int64(n)) + " too short to be judged"
	}
	return text
}

// TrackRunText says what a run is, without its number.
func TrackRunText(r *TrackedRun) string {
	text := Counted(r.Kernels, "kernel", "kernels")
	if r.Device != "" {
		text += " on " + OneLine(r.Device)
	}
	if r.Driver != "" {
		text += ", driver " + OneLine(r.Driver)
	}
	if r.Label != "" {
		text += ", " + OneLine(r.Label)
	}
	text += ", collected " + when(r.Time) + " UTC"
	if r.TimeFrom != "" {
		text += " (" + r.TimeFrom + ")"
	}
	if files := OneLine(inputNames(r)); files != "" {
		text += ", from " + files
	}
	return text
}
