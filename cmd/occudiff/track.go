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

// command is what the commands of track share.
type trackCommand struct {
	*app
	db        string
	metric    string
	direction string
	threshold float64
	window    int
	noVerify  bool
	commitURL string
}

// Command is the parent of what keeps occupancy over time.
func newTrack(a *app) *cobra.Command {
	t := &trackCommand{app: a}
	c := &cobra.Command{
		Use:   "track",
		Short: "Keep runs in a history: add, check, report change points",
		Long: `Keep runs in a history and watch occupancy over time.

The history is a SQLite file, or a PostgreSQL server that a team shares: --db FILE or --db
postgres://USER@HOST/NAME. Without --db, OCCUDIFF_DB or occudiff.yaml names it; the default is
occudiff.db in the working folder. A series is one kernel with one launch shape on one device with
one driver. Runs on another device or driver are never compared with it.`,
		Example: `  # After each run
  occudiff track add --device mtl-112 run.hotspots.csv --driver 24.35.30872

  # Fail the job when a kernel regressed
  occudiff track check

  # See the trend
  occudiff track report -o trend.html -o trend.xlsx`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cli.Define(c.PersistentFlags(), cli.Flag{Name: "db", Value: &t.db, Arg: "HISTORY",
		Usage: "a file, or a postgres:// URL (default: $" + settingVariable("db") + ", " + settingsName +
			", else " + defaultHistory + ")"})
	c.AddCommand(t.addCommand(), t.checkCommand(), t.reportCommand(), t.listCommand(),
		t.removeCommand(), t.backtestCommand(), t.importCommand(), t.exportCommand())
	return c
}

// dsn names the history that --db says, or the settings.
func (t *trackCommand) dsn() string { return cmp.Or(t.db, defaultHistory) }

// writeHistory opens the history for writing and makes it when it is not there.
func (t *trackCommand) writeHistory(ctx context.Context) (*history.DB, error) {
	return history.Open(ctx, t.dsn())
}

// readHistory opens a history that must be there and changes nothing.
func (t *trackCommand) readHistory(ctx context.Context) (*history.DB, error) {
	return history.OpenWith(ctx, t.dsn(), history.Options{MustExist: true, ReadOnly: true, Verify: !t.noVerify})
}

// addNoVerify adds the flag of commands whose result damage could change without an error.
func (t *trackCommand) addNoVerify(c *cobra.Command) {
	cli.Define(c.Flags(), cli.Flag{Name: "no-verify", Value: &t.noVerify,
		Usage: "do not check the history for damage first, which takes about 2 s for a million kernels"})
}

// openReading opens what a command needs that changes nothing: its outputs, so that one that cannot be written is found
// before the work, and the history. done closes both; outputs that are not committed by then are discarded.
func (t *trackCommand) openReading(ctx context.Context, paths []string, endings ...string) (
	out *deliver.Files, db *history.DB, done func(), err error) {
	if out, err = t.openOutputs(paths, endings...); err != nil {
		return nil, nil, nil, err
	}
	if db, err = t.readHistory(ctx); err != nil {
		out.Discard()
		return nil, nil, nil, err
	}
	return out, db, func() { db.Close(); out.Discard() }, nil
}

// answerFrom makes an answer from the history and delivers it.
func (t *trackCommand) answerFrom(ctx context.Context, endings []string,
	work func(*history.DB) (*report.Answer, error)) error {
	out, db, done, err := t.openReading(ctx, t.outputs, endings...)
	if err != nil {
		return err
	}
	defer done()
	ans, err := work(db)
	if err != nil {
		return err
	}
	return t.deliver(ans, out)
}

// addMetricFlag adds what says which number is followed.
func (t *trackCommand) addMetricFlag(c *cobra.Command) {
	t.metric = string(history.Measured)
	cli.Define(c.Flags(), cli.Flag{Name: "metric", Value: &t.metric, Arg: "METRIC",
		Hints: strings.Join(report.Words(history.Metrics()), " "),
		Usage: "metric to track: measured (occupancy), residual (measured - predicted average), loaded (occupancy " +
			"without idle time), seconds (time per launch), underfilled, empty, shortfall (points of the account), " +
			"peak (predicted), spill (bytes per thread)"})
}

// addGateFlags adds what steers the gate; the window has another meaning in reports.
func (t *trackCommand) addGateFlags(c *cobra.Command, window bool) {
	d := trend.PointsGate()
	t.addMetricFlag(c)
	t.threshold, t.window = d.Floor, d.Window
	cli.Define(c.Flags(),
		cli.Flag{Name: "direction", Value: &t.direction, Arg: "WAY", Hints: "down up both",
			Usage: "direction that is worse: down, up or both (default: up for seconds and spill, else down)"},
		cli.Flag{Name: "threshold", Value: &t.threshold, Arg: "X",
			Usage: "how far a run must be from its median: percentage points; for seconds percent of the median, for " +
				"spill bytes"})
	if window {
		cli.Define(c.Flags(), cli.Flag{Name: "window", Value: &t.window, Arg: "RUNS",
			Usage: "number of earlier runs that count"})
	}
}

// addCommitURL adds where the pages of commits are.
func (t *trackCommand) addCommitURL(c *cobra.Command) {
	cli.Define(c.Flags(), cli.Flag{Name: "commit-url", Value: &t.commitURL, Arg: "URL",
		Usage: "link commits to their pages, as in 'https://host/project/commit/%s'"})
}

// origin is what a report gives as its origin.
func (t *trackCommand) origin() (report.Provenance, error) {
	p := t.provenance()
	p.CommitURL = t.commitURL
	u, err := url.Parse(strings.ReplaceAll(t.commitURL, "%s", "commit"))
	if t.commitURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" ||
		!strings.Contains(t.commitURL, "%s")) {
		return p, cli.Errorf("--commit-url %q: expected an address with %%s for the commit, as in "+
			"'https://host/project/commit/%%s'", t.commitURL)
	}
	return p, nil
}

// gate reads the metric and its gate from the flags of a command and the file of settings.
func (t *trackCommand) gate(c *cobra.Command) (track.Metric, error) {
	file, err := readSettings()
	if err != nil {
		return track.Metric{}, err
	}
	s := track.Settings{Direction: t.direction, Thresholds: file.thresholds, File: file.name()}
	if c.Flags().Changed("threshold") {
		s.Threshold = unit.Some(t.threshold)
	}
	if c.Name() != "report" { // where --window is that of the change points
		s.Window = unit.Some(t.window)
	}
	return track.NewMetric(t.metric, s)
}
