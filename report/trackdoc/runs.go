package trackdoc

import (
	"fmt"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// FromRuns answers which runs are stored, oldest first, what was accepted and what renamed. where names the history.
func FromRuns(runs []history.Run, accepted []history.Accept, renamed []history.Rename, where string,
	prov report.Provenance) *report.Answer {
	v := runsValue(runs, accepted, renamed)
	d := &report.Document{Whole: true, Title: "Stored runs", Version: prov.Version,
		Headline: []string{report.OneLine(where) + ": " + unit.Counted(len(runs), "run", "runs")}}
	if len(runs) == 0 {
		d.Headline = []string{report.OneLine(where) + " has no run; add one with occudiff track add PATH"}
	}
	for _, t := range []*report.Table{v.Runs, v.Accepted, v.Renamed} {
		if t.Len > 0 || t == v.Runs {
			d.Sections = append(d.Sections, tableSection(t.Show()))
		}
	}
	return &report.Answer{Doc: d, Value: v, Table: v.Runs}
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
