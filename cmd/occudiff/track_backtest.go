package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report/deliver"
	"occudiff/report/trackdoc"
)

// backtestFlags are those of track backtest alone.
type backtestFlags struct {
	target float64
	save   bool
}

func (a *app) trackBacktestCommand(t *trackFlags) *cobra.Command {
	var f backtestFlags
	c := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the check over the stored history",
		Long: `Replay the check over the stored history, each run against only what was known then: how many
alarms it would have raised, when, and which later run confirmed them. --target proposes the
--threshold for a wanted rate of confirmed alarms; --save writes the one of every metric into
` + configName + `, where check, report and backtest find it. Every alarm is taken for a false one:
replay a history in which nothing regressed.`,
		Example: "  occudiff track backtest\n  occudiff track backtest --target 0.5 --save\n" +
			"  occudiff track backtest --metric seconds --threshold 5",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.trackBacktest(c, t, f) },
	}
	t.addGateFlags(c, true)
	t.addNoVerify(c)
	cli.Define(c.Flags(),
		cli.Flag{Name: "target", Value: &f.target, Arg: "RATE",
			Usage: "propose the threshold for this many confirmed alarms per 100 runs, as in 0.5"},
		cli.Flag{Name: "save", Value: &f.save,
			Usage: "write the proposed threshold of every metric into " + configName})
	a.share(c, answerFlags)
	return c
}

func (a *app) trackBacktest(c *cobra.Command, t *trackFlags, f backtestFlags) error {
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	var target unit.Opt[float64]
	switch {
	case c.Flags().Changed("target"):
		target = unit.Some(f.target)
		if !(f.target >= 0 && f.target <= 100) {
			return usageErrorf("--target %v: expected confirmed alarms per 100 runs, from 0 to 100", f.target)
		}
	case f.save:
		return usageErrorf("--save writes what --target proposes; give both, as in --target 0.5 --save")
	}
	out, db, done, err := a.openReading(c.Context(), t, a.outputs, deliver.Endings()...)
	if err != nil {
		return err
	}
	defer done()
	b, err := track.ReadBacktest(c.Context(), db, m, target, time.Now())
	if err != nil {
		return err
	}
	if err := a.deliver(trackdoc.FromBacktest(b, a.provenance()), out); err != nil || !f.save {
		return err
	}
	return a.saveThresholds(c.Context(), t, db, target)
}

// saveThresholds writes the threshold of every metric that keeps to a rate of confirmed alarms. None is below the
// default, as a short history without noise would allow.
func (a *app) saveThresholds(ctx context.Context, t *trackFlags, db *history.DB, target unit.Opt[float64]) error {
	settings, err := readConfig()
	if err != nil {
		return err
	}
	var words []string
	for _, name := range history.Metrics() {
		m, err := track.NewMetric(string(name), track.Settings{Window: unit.Some(t.window)})
		if err != nil {
			return err
		}
		x, ok, err := track.ProposeThreshold(ctx, db, m, target, time.Now())
		if err != nil {
			return err
		}
		if ok {
			settings.setThreshold(name, x)
			words = append(words, fmt.Sprintf("%s %v", name, x))
		}
	}
	if len(words) == 0 {
		return usageErrorf("--save: no metric has enough runs for a threshold")
	}
	if err := settings.write(); err != nil {
		return err
	}
	a.say("wrote %s: threshold of %s", fromHere(settings.path), strings.Join(words, ", "))
	return nil
}
