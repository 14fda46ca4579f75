package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	"occudiff/ingest/unit"
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

// The history of the demo has 12 runs. Starting with run 11, one kernel is
// worse.
const (
	demoRuns   = 12
	demoBadRun = 11
)

// demoHistory stores runs of the built-in mix in a temporary history and returns
// the trend report. The runs differ by some tenths of a point, like runs on a
// quiet machine.
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
	a.Device = fixtures.MixDevice
	first := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	var last time.Time
	for n := 1; n <= demoRuns; n++ {
		files := fixtures.Mix()
		if n >= demoBadRun {
			files = fixtures.Worse()
		}
		run, err := ingest.ReadFS(ctx, fixtures.FS, files, ingest.Options{Formats: formats.All()})
		if err != nil {
			return nil, err
		}
		for i := range run.Kernels {
			if m, measured := run.Kernels[i].Measured.Value(); measured {
				points := float64((617*n+383*i)%997)/997*0.6 - 0.3 // noise
				run.Kernels[i].Measured = unit.Some(m + unit.FromPercent(points))
			}
		}
		r, err := a.compareRun(run, compare.RejectRun)
		if err != nil {
			return nil, err
		}
		stored := track.FromResult(r)
		last = first.AddDate(0, 0, n-1)
		stored.Time, stored.TimeGiven, stored.Label = last, true, "demo"
		for i := range stored.Inputs {
			stored.Inputs[i].Path = fmt.Sprintf("run%d.csv", n)
			stored.Inputs[i].Content = stored.Inputs[i].Path
		}
		if _, err := db.Add(ctx, stored); err != nil {
			return nil, err
		}
	}
	m, err := track.NewMetric("measured", track.Settings{})
	if err != nil {
		return nil, err
	}
	r, err := track.ReadReport(ctx, db, m, trend.DefaultParams(), last)
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
