package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report/diffdoc"
	"occudiff/report/html"
	"occudiff/report/machine"
	"occudiff/report/rundoc"
	"occudiff/report/text"
)

// RunSettings are the settings of a run in addition to its files.
type RunSettings struct {
	Device    string  // "" to use the device that the files identify
	Tolerance float64 // in percentage points; 0 for the default
	Interval  float64 // sampling interval in milliseconds; 0 for the default
}

// Validate compares the files of a run with the prediction and explains the
// difference. A folder that contains folders is read as several runs.
func (a *App) Validate(ctx context.Context, paths []string, by RunSettings) (*Result, error) {
	names, results, err := a.compareRuns(ctx, paths, by, compare.UsePeaks)
	if err != nil {
		return nil, err
	}
	return a.runs(names, results)
}

// compareRuns reads the runs at the paths and compares them with their
// predictions.
func (a *App) compareRuns(ctx context.Context, paths []string, by RunSettings,
	unnamed compare.NoDevice) (names []string, results []*compare.Result, err error) {
	read := func(paths []string) ([]*ingest.Run, error) { return a.read(ctx, paths) }
	err = ingest.EachRun(paths, formats.All(), read, func(name string, run *ingest.Run) error {
		on, err := compare.ChooseDevice(run, a.devices, arch.Options{Name: by.Device, By: byForm}, unnamed, options(by))
		if err != nil {
			return err
		}
		r := compare.Compare(run, on, options(by))
		names, results = append(names, name), append(results, r)
		return nil
	})
	return names, results, err
}

// runs returns the result for one run or for several runs.
func (a *App) runs(names []string, results []*compare.Result) (*Result, error) {
	if len(results) == 1 {
		name, _, _ := strings.Cut(path.Base(names[0]), ".")
		return a.result(rundoc.NewOutput(results[0], a.prov), name)
	}
	return a.result(diffdoc.Runs(diff.CompareRuns(names, results), a.prov), "runs")
}

// Example returns the result for the built-in run.
func (a *App) Example(ctx context.Context) (*Result, error) {
	run, err := ingest.ReadFS(ctx, fixtures.FS, fixtures.Mix(), ingest.Options{Formats: formats.All()})
	if err != nil {
		return nil, err
	}
	by := arch.Options{Name: fixtures.MixDevice,
		By: arch.Source{Name: fixtures.MixChosenBy, Detail: fixtures.MixDetail}}
	on, err := compare.ChooseDevice(run, a.devices, by, compare.RejectRun, options(RunSettings{}))
	if err != nil {
		return nil, err
	}
	r := compare.Compare(run, on, options(RunSettings{}))
	return a.runs([]string{"example"}, []*compare.Result{r})
}

// Compare returns the comparison of sides. Each side consists of the paths of
// one run or of repeated runs. For two sides, the result contains the
// differences. For more than two sides, it contains the runs that differ from
// the others. Without a device, it compares only measured values, like occudiff
// diff.
func (a *App) Compare(ctx context.Context, sides [][]string, by RunSettings) (*Result, error) {
	read := make([]diff.Side, len(sides))
	var all []*compare.Result
	var names []string
	for i, paths := range sides {
		of, side, err := a.compareRuns(ctx, paths, by, compare.MeasuredOnly)
		if err != nil {
			return nil, err
		}
		read[i].Runs, all, names = side, append(all, side...), append(names, of...)
	}
	if len(sides) != 2 {
		return a.runs(names, all)
	}
	d := diff.CompareSides(read[0], read[1:], diff.DefaultOptions())
	return a.result(diffdoc.NewOutput(d, a.prov), "diff")
}

// Download writes the last output as html, md, json, or csv. There is no workbook,
// because excelize would make the page several times larger (docs/page.md).
func (a *App) Download(w io.Writer, format string) error {
	switch {
	case a.last == nil:
		return errors.New("there is no result to download yet")
	case format == "html":
		return html.Render(w, a.last.Document())
	case format == "md":
		return text.Markdown(w, a.last.Document(), nil)
	case format == "json":
		return machine.JSON(w, a.last.Value)
	case format == "csv":
		return machine.Table(w, a.last.Table)
	}
	return fmt.Errorf("no format is named %q", format)
}

func options(by RunSettings) compare.Options {
	o := compare.DefaultOptions()
	if by.Tolerance > 0 {
		o.Tolerance = unit.Points(by.Tolerance)
	}
	if by.Interval > 0 {
		o.SamplingInterval, o.SamplingAssumed = unit.Seconds(by.Interval/1000), false
	}
	return o
}
