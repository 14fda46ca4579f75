package main

import (
	"context"

	"github.com/spf13/cobra"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// defaultHistory is the history in the working folder when neither --db nor the environment names one.
const (
	defaultHistory = "occudiff.db"
	historyEnv     = "OCCUDIFF_DB"
)

// trackFlags are those that the commands of track share.
type trackFlags struct {
	db        string
	metric    string
	direction string
	threshold float64
	window    int
	noVerify  bool
}

// trackCommand is the parent of what keeps occupancy over time.
func (a *app) trackCommand() *cobra.Command {
	var f trackFlags
	c := &cobra.Command{
		Use:   "track",
		Short: "Keep runs in a history: add, check for regressions, report change points",
		Long: `Keep runs in a history and watch occupancy over time.

The history is a SQLite file, or a PostgreSQL server that a team shares: --db FILE or --db postgres://USER@HOST/NAME.
Without --db it is what OCCUDIFF_DB says, else occudiff.db in the working folder. A series is one kernel with its launch
shape on one device with one driver: what ran on another device or driver is never compared with it.`,
		Example: `  occudiff track add --device mtl-112 run.hotspots.csv --driver 24.35.30872
  occudiff track check
  occudiff track report -o trend.html -o trend.xlsx`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageErrorf("track knows no command %q; see 'occudiff track --help'", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&f.db, "db", "",
		"the history: a file, or a postgres:// URL (default: $"+historyEnv+", else "+defaultHistory+")")
	c.AddCommand(a.trackAddCommand(&f), a.trackCheckCommand(&f), a.trackReportCommand(&f), a.trackListCommand(&f),
		a.trackRemoveCommand(&f), a.trackBacktestCommand(&f), a.trackImportCommand(&f), a.trackExportCommand(&f))
	for _, sub := range c.Commands() {
		run := sub.RunE
		sub.RunE = func(c *cobra.Command, args []string) error {
			if err := a.checkFailOn(c.Name()); err != nil {
				return err
			}
			return run(c, args)
		}
	}
	return c
}

// checkFailOn refuses a gate that a command of track does not have.
func (a *app) checkFailOn(command string) error {
	if command != "check" && command != "report" {
		return a.noGate("track " + command)
	}
	if a.failOn == "never" || a.failOn == "regression" {
		return nil
	}
	return usageErrorf("--fail-on %s: track %s fails on confirmed regressions; use validate for %s", a.failOn, command,
		a.failOn)
}

// dsn names the history that --db says.
func (a *app) dsn(flag string) string {
	if flag != "" {
		return flag
	}
	if name := a.getenv(historyEnv); name != "" {
		return name
	}
	return defaultHistory
}

// writeHistory opens the history for writing and makes it when it is not there.
func (a *app) writeHistory(ctx context.Context, f *trackFlags) (*history.DB, error) {
	return history.Open(ctx, a.dsn(f.db))
}

// readHistory opens a history that must be there and changes nothing.
func (a *app) readHistory(ctx context.Context, f *trackFlags) (*history.DB, error) {
	return history.OpenWith(ctx, a.dsn(f.db), history.Options{MustExist: true, ReadOnly: true, Verify: !f.noVerify})
}

// addNoVerify adds the flag of commands whose result damage could change without an error.
func (f *trackFlags) addNoVerify(c *cobra.Command) {
	c.Flags().BoolVar(&f.noVerify, "no-verify", false,
		"do not look for damage in the history first, which takes about 2 s for a million kernels")
}

// openReading opens what a command needs that changes nothing: its outputs, so that one that cannot be written is found
// before the work, and the history. done closes both; outputs that are not committed by then are discarded.
func (a *app) openReading(ctx context.Context, f *trackFlags, paths []string, endings ...string) (
	out *outputs, db *history.DB, done func(), err error) {
	if out, err = a.openOutputs(paths, endings...); err != nil {
		return nil, nil, nil, err
	}
	if db, err = a.readHistory(ctx, f); err != nil {
		out.discard()
		return nil, nil, nil, err
	}
	return out, db, func() { db.Close(); out.discard() }, nil
}

// addMetricFlag adds what says which number is followed.
func (f *trackFlags) addMetricFlag(c *cobra.Command) {
	c.Flags().StringVar(&f.metric, "metric", string(history.Measured), "what is followed: measured (occupancy),"+
		" residual (measured - predicted average), loaded (occupancy without idle time), seconds (time per launch)")
}

// addGateFlags adds what steers the gate; the window has another meaning in reports.
func (f *trackFlags) addGateFlags(c *cobra.Command, window bool) {
	d := trend.PointsGate()
	f.addMetricFlag(c)
	fs := c.Flags()
	fs.StringVar(&f.direction, "direction", "",
		"which way is worse: down, up or both (default: up for seconds, else down)")
	fs.Float64Var(&f.threshold, "threshold", d.Floor,
		"a run has to be off its median by more than this: percentage points, for seconds percent of the median")
	if window {
		fs.IntVar(&f.window, "window", d.Window, "earlier runs that are looked at")
	}
}

// gate reads the metric and its gate from the flags of a command.
func (f *trackFlags) gate(c *cobra.Command) (track.Metric, error) {
	s := track.Settings{Direction: f.direction}
	if c.Flags().Changed("threshold") {
		s.Threshold = unit.Some(f.threshold)
	}
	if c.Name() != "report" { // where --window is that of the change points
		s.Window = unit.Some(f.window)
	}
	return track.NewMetric(f.metric, s)
}

// noOutputs refuses -o where there is nothing to write.
func (a *app) noOutputs(command string) error {
	if len(a.outputs) > 0 {
		return usageErrorf("-o %s: %s writes no report; 'occudiff track report' and 'occudiff track check' do",
			a.outputs[0], command)
	}
	return nil
}
