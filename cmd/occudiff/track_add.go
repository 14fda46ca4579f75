package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"occudiff/report/trackdoc"

	"github.com/spf13/cobra"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/machine"
)

// addFlags are those of track add alone.
type addFlags struct {
	read   validateFlags
	time   string
	commit string
}

func (a *app) trackAddCommand(t *trackFlags) *cobra.Command {
	f := addFlags{read: validateFlags{digest: "auto"}}
	c := &cobra.Command{
		Use:   "add [flags] PATH...",
		Short: "Store runs in the history",
		Long: `Store runs in the history: every kernel with its three occupancies, residual, times, verdict and cause, and where it all
comes from: digests of the inputs, time, host, job, device, driver, VTune version, label, commit.

The paths are those of validate: the files of one run, a folder of them, or several folders, a run each. A run is stored
whole or not at all, and once: the same content again changes nothing, and that is no failure.

No export says when it was collected, nor with which driver. A summary beside it says when, else the file's date is taken;
--time says it. Give --driver in every run or in none: another driver is another series.`,
		Example: `  occudiff track add --device mtl --xve 112 run.hotspots.csv
  occudiff track add run.hotspots.csv run.summary.txt --driver 24.35.30872 --label nightly
  occudiff track add --device max1100 run.hotspots.csv --time 2026-03-01T02:00:00Z
  occudiff track add --db postgres://occudiff@perf/history runs/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("nothing to add: give an export, or a folder of a run's files")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.trackAdd(c.Context(), args, t, f) },
	}
	fs := c.Flags()
	fs.StringVar(&f.read.local, "local", "", "work-group size for logs and exports that lack it, as in 256 or 16x16")
	fs.IntVar(&f.read.simd, "simd", 0, "sub-group size for logs and exports that lack it")
	fs.StringVar(&f.read.digest, "digest", "auto", "digest of large inputs: auto (xxh3 above 64 MiB) or sha256")
	fs.StringVar(&f.time, "time", "", "when the run was collected: RFC 3339 as in 2026-03-01T02:00:00Z, or Unix seconds (default: what the inputs say, else the file's date)")
	fs.StringVar(&f.commit, "commit", "", "the commit that ran (default: of the repository in the working folder)")
	return c
}

func (a *app) trackAdd(ctx context.Context, paths []string, t *trackFlags, f addFlags) error {
	if err := a.noOutputs("track add"); err != nil {
		return err
	}
	given, err := parseTime(f.time)
	if err != nil {
		return err
	}
	runs := ingest.Runs(paths)
	if len(runs) > 1 && !given.IsZero() {
		return usageErrorf("--time is for one run, and these are %d; add them one by one", len(runs))
	}
	commit := f.commit
	if commit == "" {
		commit = a.commit(ctx)
	}
	var db *history.DB
	var done []trackdoc.TrackedRun
	for _, p := range runs {
		run, err := a.readRun(ctx, p, f.read)
		if err != nil {
			return addedBefore(done, err)
		}
		r, err := a.compareRun(run, f.read)
		if err != nil {
			return addedBefore(done, err)
		}
		stored, from := a.historyRun(run, r, given)
		stored.Commit = commit
		if db == nil { // not before a run was read: a mistyped path leaves no empty history behind
			if db, err = a.writeHistory(ctx, t); err != nil {
				return err
			}
			defer db.Close()
		}
		one, err := a.addRun(ctx, db, stored)
		if err != nil {
			return addedBefore(done, err)
		}
		one.TimeFrom = from
		one.NotMeasured, one.Unmeasurable = unjudged(stored.Rows)
		done = append(done, one)
		a.sayNotes(r.Notes)
		if err := a.printAdded(&one); err != nil {
			return err
		}
	}
	if a.format == "json" {
		return machine.JSON(a.stdout, trackdoc.TrackAddJSON(done))
	}
	return nil
}

// addedBefore says what was stored before an error, so that nobody looks for it.
func addedBefore(done []trackdoc.TrackedRun, err error) error {
	switch {
	case len(done) == 0:
		return err
	case errors.Is(err, context.Canceled): // not wrapped: it is not true that nothing was written
		return fmt.Errorf("interrupted; %s in the history, the same command adds the rest", runsAre(len(done)))
	}
	return fmt.Errorf("%w\n%s in the history", err, runsAre(len(done)))
}

func runsAre(n int) string {
	return report.Counted(n, "run before this one is", "runs before this one are")
}

// printAdded prints what was done with a run when it is done: adding many takes long.
func (a *app) printAdded(r *trackdoc.TrackedRun) error {
	if a.format == "json" {
		return nil
	}
	if _, err := fmt.Fprintln(a.stdout, trackdoc.TrackAddText(r)); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// addRun stores a run and says what came of it.
func (a *app) addRun(ctx context.Context, db *history.DB, run history.Run) (trackdoc.TrackedRun, error) {
	added, err := db.Add(ctx, run)
	if err != nil {
		return trackdoc.TrackedRun{}, err
	}
	one := trackedRun(run)
	one.ID, one.Stored, one.Kernels = added.ID, added.Stored, len(run.Rows)
	if added.Stored || added.Whole {
		return one, nil
	}
	var known []string
	for _, in := range added.Known {
		known = append(known, in.Path)
	}
	return one, usageErrorf("%s is part of run %d already, and other files given with it are not; nothing was changed: add the other files alone, or first 'occudiff track remove %d'",
		strings.Join(known, ", "), added.ID, added.ID)
}

// historyRun turns a compared run into what is stored, and says what its time was taken from.
func (a *app) historyRun(run *ingest.Run, r *compare.Result, given time.Time) (history.Run, string) {
	h := history.Run{Label: a.label, Driver: r.Platform.Driver, VTune: r.Platform.VTune}
	var from string
	h.Time, from = whenRun(run, given)
	h.Host, h.JobID = a.whereRun(run)
	if r.Device != nil {
		h.Device = r.Device.Key
	}
	carries := map[string]bool{}
	seen := map[history.Key]bool{}
	for _, row := range r.All() {
		if row.Verdict == compare.NotAKernel {
			continue
		}
		stored := historyRow(row, h.Device)
		if seen[stored.Key] { // the timings of a log, one kernel several times: there is nothing measured in them
			continue
		}
		seen[stored.Key] = true
		carries[row.Pos.File] = true
		h.Rows = append(h.Rows, stored)
	}
	for _, in := range r.Inputs {
		h.Inputs = append(h.Inputs, history.Input{Path: in.Path, Kind: in.Kind, Digest: in.Digest, Rows: in.Rows, BadRows: in.BadRows, Carries: carries[in.Path]})
	}
	return h, from
}

// historyRow turns a row into what is stored of it.
func historyRow(row *compare.Row, device string) history.Row {
	h := history.Row{
		Key:          history.Key{Task: row.Task, Global: row.Global, Local: row.Local, SIMD: row.SIMD.Or(0), Direction: string(row.Direction), Device: device},
		ProfilerPeak: row.Peak, Measured: row.Measured, Loaded: row.Loaded, ModelResidual: row.ModelDifference,
		Total: row.Total, Average: row.Average(), Instances: row.Instances, Verdict: string(row.Verdict), Basis: string(row.Basis),
	}
	if row.Device != "" { // several adapters in one export: what one does says nothing of the others
		h.Device = strings.TrimSpace(device + " " + row.Device)
	}
	if p := row.Predicted; p != nil && p.Groups > 0 {
		h.PredictedPeak, h.PredictedAverage = unit.Some(p.Peak), unit.Some(p.Average)
	}
	if row.Basis == compare.BasisMeasured {
		h.Residual = row.Difference
	}
	if row.Cause != nil {
		h.Cause, h.Confidence = row.Cause.Name, row.Cause.Confidence
	}
	return h
}

// unjudged counts the rows that have no measured occupancy, and those whose value is not their own.
func unjudged(rows []history.Row) (notMeasured, unmeasurable int) {
	for i := range rows {
		switch {
		case !rows[i].Measured.Present():
			notMeasured++
		case rows[i].Verdict == string(compare.Unmeasurable):
			unmeasurable++
		}
	}
	return notMeasured, unmeasurable
}

// trackedRun is a stored run as reports show it.
func trackedRun(r history.Run) trackdoc.TrackedRun {
	t := trackdoc.TrackedRun{ID: r.ID, Time: r.Time, Label: r.Label, Device: r.Device, Driver: r.Driver, Host: r.Host, Job: r.JobID, VTune: r.VTune,
		Commit: r.Commit, Kernels: r.Kernels}
	for _, in := range r.Inputs {
		v := report.InputValue{Path: in.Path, Kind: in.Kind, Rows: in.Rows, BadRows: in.BadRows}
		if in.Digest != "" {
			v.Digest = &in.Digest
		}
		t.Inputs = append(t.Inputs, v)
	}
	return t
}

// parseTime reads --time; nothing gives the zero time.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if s, err := strconv.ParseInt(text, 10, 64); err == nil && s > 0 && s < 1e11 {
		return time.Unix(s, 0).UTC(), nil
	}
	return time.Time{}, usageErrorf("--time %q: expected RFC 3339 as in 2026-03-01T12:00:00Z, or Unix seconds", text)
}
