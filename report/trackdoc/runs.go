package trackdoc

import (
	"fmt"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/report"
)

// FromRuns answers which runs are stored, oldest first. where names the history.
func FromRuns(runs []history.Run, where string, prov report.Provenance) *report.Answer {
	rows := make([]*history.Run, len(runs))
	for i := range runs {
		rows[i] = &runs[i]
	}
	t := tableOf("runs", everywhere, rows, []column[*history.Run]{
		count("id", "Run", everywhere, func(r *history.Run) int64 { return r.ID }),
		text("time", "Time", everywhere, func(r *history.Run) string { return when(r.Time) }).unit("UTC"),
		text("label", "Label", everywhere, func(r *history.Run) string { return r.Label }).cut().drop(6),
		text("device", "Device", everywhere, func(r *history.Run) string { return r.Device }).cut(),
		text("driver", "Driver", everywhere, func(r *history.Run) string { return r.Driver }).cut().drop(7),
		count("kernels", "Kernels", everywhere, func(r *history.Run) int { return r.Kernels }),
		text("host", "Host", everywhere, func(r *history.Run) string { return r.Host }).cut().drop(1),
		text("job", "Job", everywhere, func(r *history.Run) string { return r.JobID }).cut().drop(2),
		text("commit", "Commit", everywhere, func(r *history.Run) string { return shortCommit(r.Commit) }).drop(3),
		text("vtune", "VTune", report.Page|report.Sheet, func(r *history.Run) string { return r.VTune }),
		text("inputs", "Inputs", everywhere, inputNames).cut().drop(5),
		text("program", "Program", everywhere, func(r *history.Run) string { return r.Program }).cut().drop(4),
	})
	d := &report.Document{Whole: true, Title: "Stored runs", Version: prov.Version,
		Headline: []string{report.OneLine(where) + ": " + report.Counted(len(runs), "run", "runs")},
		Sections: []report.Section{{Key: t.Key, Title: "Runs", Tables: []*report.Table{t}}}}
	if len(runs) == 0 {
		d.Headline = []string{report.OneLine(where) + " has no run; add one with occudiff track add PATH"}
	}
	v := &RunsValue{Schema: runsSchema, Runs: make([]RunValue, 0, len(runs))}
	for _, r := range rows {
		v.Runs = append(v.Runs, runValue(r))
	}
	return &report.Answer{Doc: d, Value: v, Table: t}
}

func inputNames(r *history.Run) string {
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

// AddedText says of one run what was done with it.
func AddedText(r *track.Added) string {
	if !r.Stored {
		return fmt.Sprintf("run %d has this content already (%s): nothing was changed", r.ID,
			report.OneLine(inputNames(&r.Run)))
	}
	text := fmt.Sprintf("run %d stored: %s", r.ID, runText(&r.Run, r.TimeFrom))
	notMeasured, unmeasurable := r.Unjudged()
	if notMeasured > 0 {
		text += "; " + report.Thousands(int64(notMeasured)) + " without measured occupancy"
	}
	if unmeasurable > 0 {
		text += "; " + report.Thousands(int64(unmeasurable)) + " unmeasurable"
	}
	if len(r.Programs) > 0 {
		text += "; it does not say which program it is of, and several have its kernels (" +
			report.OneLine(strings.Join(r.Programs, ", ")) + "), so its series are of none: --program names it"
	}
	if len(r.Clock.Future) > 0 {
		text += "; it is dated in the future"
	}
	if before := r.Clock.Before; before != nil {
		text += fmt.Sprintf("; it is dated before run %d, which was added earlier", before.Run)
	}
	return text
}

// ImportedText says what an import of values of a metric did; bad lines could not be used.
func ImportedText(done *history.Imported, m history.Metric, bad int) string {
	text := fmt.Sprintf("%s of %s stored in %s", report.Counted(done.Points, "value", "values"), m,
		report.Counted(done.Runs, "run", "runs"))
	if done.Filled > 0 {
		text += fmt.Sprintf(", %s of them there already", report.Thousands(int64(done.Filled)))
	}
	switch {
	case done.Runs == 0:
		text = "nothing was changed"
	case done.Points == 0:
		text = "verdicts filled in in " + report.Counted(done.Runs, "run that was", "runs that were") + " there already"
	}
	if done.KnownRuns > 0 {
		text += fmt.Sprintf("; %s stored before", report.Counted(done.KnownRuns, "run was", "runs were"))
	}
	if bad > 0 {
		text += fmt.Sprintf("; %s not usable", report.Counted(bad, "line was", "lines were"))
	}
	return text
}

// RunText says what a run is, without its number.
func RunText(r *history.Run) string { return runText(r, "") }

// runText says what a run is and what its time was taken from.
func runText(r *history.Run, timeFrom string) string {
	text := report.Counted(r.Kernels, "kernel", "kernels")
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
