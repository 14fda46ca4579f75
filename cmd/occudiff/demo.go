package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

// demoCommand returns the command that validates a built-in run on the device
// of that run. Settings do not apply to it, because they describe the user's
// own runs.
func (a *app) demoCommand() *cobra.Command {
	var f struct {
		VecAdd  bool `flag:"vec-add" help:"use the published Gen9 vec_add run, which has no measured occupancy"`
		History bool `flag:"history" help:"use a history of 12 runs, in which one kernel loses occupancy in run 11"`
	}
	return a.command(command{text: "demo", flags: []any{&f}, fixed: true, complete: cobra.NoFileCompletions,
		share: deviceFlags + "tolerance label fail-on:never,mismatch,model annotations " +
			"allow-unjudged" + outputFlags,
		endings: fileEndings(".svg", ".xml"),
		check: func([]string) error {
			switch {
			case f.History && f.VecAdd:
				return cli.Errorf("--history and --vec-add are different demos: give one of them")
			case f.History && a.flags.Changed("device"), f.History && a.flags.Changed("tolerance"),
				f.History && a.flags.Changed("fail-on"):
				return cli.Errorf(
					"--history has a device and a rule of its own: leave out --device, --tolerance, and --fail-on")
			case f.History && len(a.Outputs) == 0:
				a.Outputs = []string{"occudiff-trend.html", "occudiff-trend.xlsx"}
			case len(a.Outputs) == 0:
				a.Outputs = []string{"occudiff-report.xlsx", "occudiff-report.md"}
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			if f.History {
				return a.demoHistory(ctx)
			}
			// The values of the built-in mix and of its device are invented,
			// and the report states this. With another device, the report does
			// not state it.
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
			r, err := a.compareRun(run, compare.RejectRun)
			if err != nil {
				return nil, err
			}
			if constructed {
				r.ChosenBy = arch.Source{Name: fixtures.MixChosenBy, Detail: fixtures.MixDetail}
			}
			// The output is the same as the output of validate. The run has no
			// name, because only several runs need names.
			output, err := a.outputRuns([]string{""}, []*compare.Result{r})
			warn := a.after
			a.after = func() error {
				a.printMessage(
					"next: 'occudiff demo --history' shows the gate; 'occudiff collect -- ./app' measures a program; " +
						"'occudiff validate RUN.csv' reads an export")
				return warn()
			}
			return output, err
		}})
}

// demoHistory imports the built-in history into a temporary one and returns its
// trend report.
func (a *app) demoHistory(ctx context.Context) (*report.Output, error) {
	dir, err := os.MkdirTemp("", "occudiff-demo")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := history.Open(ctx, filepath.Join(dir, "demo.db"), history.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	records, _, err := history.ReadRecords(strings.NewReader(fixtures.History), "history", history.Measured)
	if err != nil {
		return nil, err
	}
	if _, err := db.Import(ctx, records); err != nil {
		return nil, err
	}
	m, err := track.NewMetric("measured", track.Settings{})
	if err != nil {
		return nil, err
	}
	r, err := track.ReadReport(ctx, db, m, trend.DefaultParams(),
		time.Date(2026, 3, 13, 2, 0, 0, 0, time.UTC)) // the last run
	if err != nil {
		return nil, err
	}
	r.Where = "a built-in history with constructed values"
	a.after = func() error {
		a.printMessage("'occudiff track check' exits with status 1 for this history: %s", trackdoc.Failure(&r.Judgment))
		a.printMessage("for your own runs: 'occudiff track add RUN.csv' after each run, then 'occudiff track check'")
		return nil
	}
	return trackdoc.FromReport(r, a.provenance()), nil
}
