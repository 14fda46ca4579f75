package main

import (
	"context"

	"github.com/spf13/cobra"
	"occudiff/compare"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/report"
)

// demoCommand validates a built-in run, on a device of its own: settings are for the user's.
func (a *app) demoCommand() *cobra.Command {
	var f struct {
		VecAdd bool `flag:"vec-add" help:"the published Gen9 vec_add run, without measured occupancy"`
	}
	return a.command(command{text: "demo", flags: []any{&f}, fixed: true, complete: cobra.NoFileCompletions,
		share: deviceFlags + "tolerance label fail-on:never,mismatch,model annotations " +
			"accept-unjudged" + answerFlags,
		endings: fileEndings(".xml"),
		check: func([]string) error {
			if len(a.Outputs) == 0 {
				a.Outputs = []string{"occudiff-report.xlsx", "occudiff-report.md"}
			}
			return nil
		},
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			// The mix is made up, and its device with it: another one that was asked for is used, and nobody is told
			// then that it is constructed.
			names, constructed := fixtures.VecAdd(), false
			if !f.VecAdd {
				names, constructed = fixtures.Mix(), a.Device == ""
			}
			if constructed {
				a.Device = fixtures.MixDevice
			}
			run, err := ingest.ReadFS(ctx, fixtures.FS, names, ingest.Options{Formats: formats.All()})
			if err != nil {
				return nil, err
			}
			r, err := a.compareRun(run, compare.Refuse)
			if err != nil {
				return nil, err
			}
			if constructed {
				r.ChosenBy = fixtures.MixChosenBy
			}
			// The answer of validate: what the demo shows is what a run of one's own will look like.
			// Only several runs are told apart by names.
			return a.answerRuns([]string{""}, []*compare.Result{r})
		}})
}
