package main

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/deliver"
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
	commitURL string
}

// trackCommand is the parent of what keeps occupancy over time.
func (a *app) trackCommand() *cobra.Command {
	var f trackFlags
	c := &cobra.Command{
		Use:   "track",
		Short: "Keep runs in a history: add, check, report change points",
		Long: `Keep runs in a history and watch occupancy over time.

The history is a SQLite file, or a PostgreSQL server that a team shares: --db FILE or --db
postgres://USER@HOST/NAME. Without --db it is what OCCUDIFF_DB or the file of settings says, else
occudiff.db in the working folder. A series is one kernel with its launch shape on one device with
one driver: what ran on another device or driver is never compared with it.`,
		Example: `  # After each run
  occudiff track add --device mtl-112 run.hotspots.csv --driver 24.35.30872

  # Fail the job when a kernel regressed
  occudiff track check

  # See how it went
  occudiff track report -o trend.html -o trend.xlsx`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cli.Define(c.PersistentFlags(), cli.Flag{Name: "db", Value: &f.db, Arg: "HISTORY",
		Usage: "a file, or a postgres:// URL (default: $" + historyEnv + ", " + configName + ", else " +
			defaultHistory + ")"})
	c.AddCommand(a.trackAddCommand(&f), a.trackCheckCommand(&f), a.trackReportCommand(&f), a.trackListCommand(&f),
		a.trackRemoveCommand(&f), a.trackBacktestCommand(&f), a.trackImportCommand(&f), a.trackExportCommand(&f))
	return c
}

// dsn names the history that --db says, or the settings.
func (a *app) dsn(flag string) string { return cmp.Or(flag, defaultHistory) }

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
	cli.Define(c.Flags(), cli.Flag{Name: "no-verify", Value: &f.noVerify,
		Usage: "do not look for damage in the history first, which takes about 2 s for a million kernels"})
}

// openReading opens what a command needs that changes nothing: its outputs, so that one that cannot be written is found
// before the work, and the history. done closes both; outputs that are not committed by then are discarded.
func (a *app) openReading(ctx context.Context, f *trackFlags, paths []string, endings ...string) (
	out *deliver.Files, db *history.DB, done func(), err error) {
	if out, err = a.openOutputs(paths, endings...); err != nil {
		return nil, nil, nil, err
	}
	if db, err = a.readHistory(ctx, f); err != nil {
		out.Discard()
		return nil, nil, nil, err
	}
	return out, db, func() { db.Close(); out.Discard() }, nil
}

// addMetricFlag adds what says which number is followed.
func (f *trackFlags) addMetricFlag(c *cobra.Command) {
	var words []string
	for _, m := range history.Metrics() {
		words = append(words, string(m))
	}
	f.metric = string(history.Measured)
	cli.Define(c.Flags(), cli.Flag{Name: "metric", Value: &f.metric, Arg: "METRIC", Hints: strings.Join(words, " "),
		Usage: "what is followed: measured (occupancy), residual (measured - predicted average), loaded (occupancy " +
			"without idle time), seconds (time per launch), underfilled, empty, shortfall (points of the account), " +
			"peak (predicted), spill (bytes of a thread)"})
}

// addGateFlags adds what steers the gate; the window has another meaning in reports.
func (f *trackFlags) addGateFlags(c *cobra.Command, window bool) {
	d := trend.PointsGate()
	f.addMetricFlag(c)
	f.threshold, f.window = d.Floor, d.Window
	cli.Define(c.Flags(),
		cli.Flag{Name: "direction", Value: &f.direction, Arg: "WAY", Hints: "down up both",
			Usage: "which way is worse: down, up or both (default: up for seconds and spill, else down)"},
		cli.Flag{Name: "threshold", Value: &f.threshold, Arg: "X",
			Usage: "a run has to be off its median by more than this: percentage points, for seconds percent of the " +
				"median, for spill bytes"})
	if window {
		cli.Define(c.Flags(), cli.Flag{Name: "window", Value: &f.window, Arg: "RUNS",
			Usage: "earlier runs that are looked at"})
	}
}

// addCommitURL adds where the pages of commits are.
func (f *trackFlags) addCommitURL(c *cobra.Command) {
	cli.Define(c.Flags(), cli.Flag{Name: "commit-url", Value: &f.commitURL, Arg: "URL",
		Usage: "link commits to their pages, as in 'https://host/project/commit/%s'"})
}

// origin is what a report gives as its origin.
func (a *app) origin(f *trackFlags) (report.Provenance, error) {
	p := a.provenance()
	p.CommitURL = f.commitURL
	u, err := url.Parse(strings.ReplaceAll(f.commitURL, "%s", "commit"))
	if f.commitURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" ||
		!strings.Contains(f.commitURL, "%s")) {
		return p, usageErrorf("--commit-url %q: expected an address with %%s for the commit, as in"+
			" 'https://host/project/commit/%%s'", f.commitURL)
	}
	return p, nil
}

// gate reads the metric and its gate from the flags of a command and the file of settings.
func (f *trackFlags) gate(c *cobra.Command) (track.Metric, error) {
	settings, err := readConfig()
	if err != nil {
		return track.Metric{}, err
	}
	s := track.Settings{Direction: f.direction, Thresholds: settings.threshold, File: fromHere(settings.path)}
	if c.Flags().Changed("threshold") {
		s.Threshold = unit.Some(f.threshold)
	}
	if c.Name() != "report" { // where --window is that of the change points
		s.Window = unit.Some(f.window)
	}
	return track.NewMetric(f.metric, s)
}
