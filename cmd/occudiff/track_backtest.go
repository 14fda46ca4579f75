package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

// backtestFlags are those of track backtest alone.
type backtestFlags struct {
	Target float64 `flag:"target" arg:"RATE" help:"the budget to propose a threshold for: checks of 100 that may be red for nothing, as in 0.5"`
}

func (t *tracking) backtestCommand() *cobra.Command {
	f := &backtestFlags{}
	return t.command(command{text: "track-backtest", share: answerFlags,
		flags: []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		check: func([]string) error {
			if t.flags.Changed("target") && !(f.Target >= 0 && f.Target <= 100) {
				return cli.Errorf("--target %v: expected checks of 100, from 0 to 100", f.Target)
			}
			return nil
		},
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) { return t.backtest(ctx, f) }})
}

// backtest replays every check of the history, each with what was known at its time. docs/gate.md has the same table
// from simulated histories.
func (t *tracking) backtest(ctx context.Context, f *backtestFlags) (*report.Answer, error) {
	target := unit.Maybe(f.Target, t.flags.Changed("target"))
	return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Answer, error) {
		// The planted drops are in the metric's unit of change, from what noise hides to what nobody overlooks.
		b, err := track.ReadBacktest(ctx, db, m, target, []float64{2, 5, 10, 20}, time.Now())
		if err != nil {
			return nil, err
		}
		if target.Present() && b.Total.Checks == 0 {
			return nil, fmt.Errorf("--target %v: no series has more than %d runs, so there is nothing to replay the "+
				"gate over; add runs first", f.Target, m.Gate.Learning)
		}
		return trackdoc.FromBacktest(b, t.provenance()), nil
	})
}
