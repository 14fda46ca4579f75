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

func (t *trackCommand) backtestCommand() *cobra.Command {
	var f backtestFlags
	c := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the check over the stored history",
		Long: `Replay the check over the stored history, each run against only what was known at the time: how many
alarms it would have raised, when, and which later run confirmed them. --target proposes the
--threshold for a given rate of confirmed alarms; --save writes the threshold of every metric into
` + settingsName + `, where check, report and backtest find it. Every alarm counts as a false one, so
replay a history in which nothing regressed.`,
		Example: "  occudiff track backtest\n  occudiff track backtest --target 0.5 --save\n" +
			"  occudiff track backtest --metric seconds --threshold 5",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.backtest(c, f) },
	}
	t.addGateFlags(c, true)
	t.addNoVerify(c)
	cli.Define(c.Flags(),
		cli.Flag{Name: "target", Value: &f.target, Arg: "RATE",
			Usage: "propose the threshold for this many confirmed alarms per 100 runs, as in 0.5"},
		cli.Flag{Name: "save", Value: &f.save,
			Usage: "write the proposed threshold of every metric into " + settingsName})
	t.share(c, answerFlags)
	return c
}

func (t *trackCommand) backtest(c *cobra.Command, f backtestFlags) error {
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	var target unit.Opt[float64]
	switch {
	case c.Flags().Changed("target"):
		target = unit.Some(f.target)
		if !(f.target >= 0 && f.target <= 100) {
			return cli.Errorf("--target %v: expected confirmed alarms per 100 runs, from 0 to 100", f.target)
		}
	case f.save:
		return cli.Errorf("--save writes what --target proposes; give both, as in --target 0.5 --save")
	}
	out, db, done, err := t.openReading(c.Context(), t.outputs, deliver.Endings()...)
	if err != nil {
		return err
	}
	defer done()
	b, err := track.ReadBacktest(c.Context(), db, m, target, time.Now())
	if err != nil {
		return err
	}
	if err := t.deliver(trackdoc.FromBacktest(b, t.provenance()), out); err != nil || !f.save {
		return err
	}
	return t.saveThresholds(c.Context(), db, target)
}

// saveThresholds writes the threshold of every metric that keeps to a rate of confirmed alarms. None is below the
// default, as a short history without noise would allow.
func (t *trackCommand) saveThresholds(ctx context.Context, db *history.DB, target unit.Opt[float64]) error {
	file, err := readSettings()
	if err != nil {
		return err
	}
	var words []string
	for _, name := range history.Metrics() {
		x, ok, err := track.ProposeThreshold(ctx, db, name, t.window, target, time.Now())
		if err != nil {
			return err
		}
		if ok {
			file.setThreshold(name, x)
			words = append(words, fmt.Sprintf("%s %v", name, x))
		}
	}
	if len(words) == 0 {
		return cli.Errorf("--save: no metric has enough runs for a threshold")
	}
	if err := file.Write(); err != nil {
		return err
	}
	t.say("wrote %s: threshold of %s", file.name(), strings.Join(words, ", "))
	return nil
}
