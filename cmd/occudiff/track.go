package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// tracking is what the commands of track share; each has those of its groups of flags that it uses.
// All are of one shape: flags make a question; looking, changing or judging opens the history; what is asked is done with
// it; and an answer is delivered, or a line told. compare/history stores and reads, compare/track and compare/trend judge,
// report/trackdoc words the answer.
type tracking struct {
	*app
	metricFlag
	gateFlags
	windowFlag
	verifyFlag
}

// metricFlag says which number is followed.
type metricFlag struct {
	Metric string `flag:"metric" arg:"METRIC" default:"occupancy" hints:"occupancy measured loaded residual seconds underfilled empty shortfall peak spill" help:"metric to track: occupancy (loaded where all runs have it, else measured), measured, loaded (over the XVEs that ran), residual (measured - predicted average), seconds (time per launch), underfilled, empty, shortfall (points of the account), peak (predicted), spill (bytes per thread)"`
}

// gateFlags steer the gate, and say whose runs others are judged by.
type gateFlags struct {
	Direction  string  `flag:"direction" expert:"true" arg:"WAY" hints:"down up both" help:"direction that is worse: down, up or both (default: up for seconds and spill, else down)"`
	Threshold  float64 `flag:"threshold" arg:"X" help:"a smaller shift is no finding: percentage points; for seconds percent of the level, for spill bytes"`
	BaseBranch string  `flag:"base-branch" expert:"true" arg:"NAME" help:"branch whose runs are the baseline of others; a run without a branch is one of it (default: main or master)"`
}

// windowFlag is that of the gate; the window of a report is another one.
type windowFlag struct {
	Window int `flag:"window" expert:"true" arg:"RUNS" help:"number of earlier runs that count"`
}

// verifyFlag is for commands whose result damage could change without an error.
type verifyFlag struct {
	NoVerify bool `flag:"no-verify" expert:"true" help:"do not check the history for damage first, which takes about 2 s for a million kernels"`
}

// trackCommand is the parent of what keeps occupancy over time.
func (a *app) trackCommand() *cobra.Command {
	// The defaults of the flags are those of the gate, so help texts cannot differ from it.
	d := trend.PointsGate()
	t := &tracking{app: a, gateFlags: gateFlags{Threshold: d.Floor}, windowFlag: windowFlag{d.Window}}
	c := a.command(command{text: "track"})
	cli.Share(c.PersistentFlags(), a.sharedFlags, "db")
	c.AddCommand(t.addCommand(), t.checkCommand(), t.reportCommand(), t.listCommand(), t.acceptCommand(),
		t.renameCommand(), t.removeCommand(), t.backtestCommand(), t.importCommand(), t.exportCommand())
	return c
}

// opened does something with a history that must be there.
func (t *tracking) opened(ctx context.Context, opt history.Options, do func(*history.DB) (*report.Answer, error)) (*report.Answer, error) {
	opt.MustExist = true
	db, err := history.OpenWith(ctx, t.DB, opt)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return do(db)
}

// looking makes an answer from a history and changes nothing. The commits of the repository, where it is at hand, give the
// runs their order.
func (t *tracking) looking(ctx context.Context, answer func(*history.DB) (*report.Answer, error)) (*report.Answer, error) {
	base := []string{"main", "master"}
	if t.BaseBranch != "" {
		base = []string{t.BaseBranch}
	}
	// 100,000 commits are 4 MB of hashes and decades of most projects.
	commits := strings.Fields(git(ctx, "rev-list", "--reverse", "--date-order", "--max-count=100000", "HEAD", "--all"))
	return t.opened(ctx, history.Options{ReadOnly: true, Verify: !t.NoVerify, Base: base, Commits: commits}, answer)
}

// changing changes a history, and tells what it did.
func (t *tracking) changing(ctx context.Context, do func(*history.DB) error) (*report.Answer, error) {
	return t.opened(ctx, history.Options{}, func(db *history.DB) (*report.Answer, error) { return nil, do(db) })
}

// judging makes an answer from a history and a metric with its gate.
func (t *tracking) judging(ctx context.Context, judge func(db *history.DB, m track.Metric) (*report.Answer, error)) (*report.Answer, error) {
	m, err := t.gate()
	if err != nil {
		return nil, err
	}
	return t.looking(ctx, func(db *history.DB) (*report.Answer, error) { return judge(db, m) })
}

// gate reads the metric and its gate from the flags of a command and the file of settings.
// The flag wins over the file; the file over the default of the metric, which is in other units for times and spills.
func (t *tracking) gate() (track.Metric, error) {
	file, err := readSettings()
	if err != nil {
		return track.Metric{}, err
	}
	s := track.Settings{Direction: t.Direction, Window: unit.Some(t.Window), Thresholds: file.thresholds,
		File: file.name()}
	// The flag has a default for its help; one that was not given must leave the setting of the file alone.
	if t.flags.Changed("threshold") {
		s.Threshold = unit.Some(t.Threshold)
	}
	return track.NewMetric(t.Metric, s)
}
