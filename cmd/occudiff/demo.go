package main

import (
	"context"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/report/deliver"
)

// demoCommand validates a built-in run.
func (a *app) demoCommand() *cobra.Command {
	vecAdd := false
	c := &cobra.Command{
		Use:   "demo",
		Short: "Validate a built-in run and write its report here",
		Long: `Validate a built-in run: a mix of kernels on a Data Center GPU Max 1100. Some of them fall short of
their prediction, each for a different reason. The figures are made up. With --vec-add, it is the
Gen9 vec_add run of the oneAPI samples: VTune's published peak occupancy of 14 kernels, compared
with the prediction. Writes occudiff-report.xlsx and occudiff-report.md into the working folder, or
the files that -o names.`,
		Example: `  # Kernels that fall short, each for a different reason
  occudiff demo

  # A published run, as a page
  occudiff demo --vec-add -o report.html`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), vecAdd) },
	}
	cli.Define(c.Flags(), cli.Flag{Name: "vec-add", Value: &vecAdd,
		Usage: "the published Gen9 vec_add run, without measured occupancy"})
	a.share(c, deviceFlags, "tolerance model-tolerance label", answerFlags)
	a.shareGate(c, "mismatch", "model")
	return c
}

func (a *app) demo(ctx context.Context, vecAdd bool) error {
	if len(a.outputs) == 0 {
		a.outputs = []string{"occudiff-report.xlsx", "occudiff-report.md"}
	}
	out, err := a.openOutputs(a.outputs, deliver.Endings(".xml")...)
	if err != nil {
		return err
	}
	defer out.Discard()
	names, constructed := fixtures.VecAdd(), false
	if !vecAdd {
		names, constructed = fixtures.Mix(), a.device == ""
	}
	if constructed {
		a.device = fixtures.MixDevice
	}
	run, err := ingest.ReadFS(ctx, fixtures.FS, names, ingest.Options{Formats: formats.All()})
	if err != nil {
		return err
	}
	r, err := a.compareRun(run, runOptions{}, compare.Refused)
	if err != nil {
		return err
	}
	if constructed {
		r.ChosenBy = fixtures.MixChosenBy
	}
	return a.emit([]string{""}, []*compare.Result{r}, out)
}
