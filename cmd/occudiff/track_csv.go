package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

func (t *trackCommand) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "import [flags] FILE.csv",
		Short: "Store points from a CSV file",
		Long: `Store points from a CSV file: the columns series, time and value, and optionally run, device,
driver, label, verdict and program. Time is RFC 3339 or Unix seconds; the value is in the metric's
unit (percent, points, seconds). Points with the same run, time and label form one run; without a
run, they must share device and driver, too.

Importing the same points again changes nothing. The output of track export can be imported one
metric after the other: a run that is already stored, by its exported name, time and label, gets the
values and kernels that it lacks. A value that differs from the stored one is an error: rename the
run, or remove the stored one first.`,
		Example: "  occudiff track import old.csv\n  occudiff track import --metric seconds times.csv\n" +
			"  occudiff track export | occudiff track import --db copy.db -",
		Args: cli.Args(1, 1, "track import takes one CSV file, not %d; - is standard input"),
		RunE: func(c *cobra.Command, args []string) error { return t.importPoints(c.Context(), args[0]) },
	}
	t.addMetricFlag(c)
	t.share(c, "device-file quiet")
	return c
}

func (t *trackCommand) importPoints(ctx context.Context, path string) error {
	m, err := history.ParseMetric(t.metric)
	if err != nil {
		return cli.Errorf("--metric: %v", err)
	}
	records, notes, err := t.readRecords(path)
	if err != nil {
		return err
	}
	table, err := t.table()
	if err != nil {
		return err
	}
	records.IsDevice = func(key string) bool {
		m, err := table.Find(arch.Query{Name: key})
		return err == nil && m.Device.Key == key
	}
	t.sayNotes(notes)
	bad := 0
	for _, n := range notes {
		if n.Severity == note.Error {
			bad++
		}
	}
	if records.Len() == 0 {
		return cli.Errorf("%s has no point that can be stored; expected lines of series,time,value", path)
	}
	db, err := t.writeHistory(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Import(ctx, m, records)
	switch {
	case ctx.Err() != nil: // not wrapped: it is not true that nothing was written
		return fmt.Errorf("%s: interrupted; %s in the history, the same import adds the rest", path,
			report.Counted(done.Runs, "run of it is", "runs of it are"))
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.tell("%s: %s", db.Where(), trackdoc.ImportedText(&done, m, bad))
}

// readRecords reads a file of points, or standard input.
func (t *trackCommand) readRecords(path string) (*history.Records, []note.Note, error) {
	if path == "-" {
		return history.ReadRecords(bufio.NewReader(t.stdin), "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, cli.Errorf("%s cannot be read: %v", path, note.Reason(err))
	}
	defer f.Close()
	return history.ReadRecords(bufio.NewReaderSize(f, 256<<10), path)
}

func (t *trackCommand) exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export [flags] [FILE.csv]",
		Short: "Write the points of a metric as CSV",
		Long: `Write every point of a metric as CSV: series, time, value, run, device, driver, label, verdict,
program. Without a file, it goes to standard output. A run without a job is named by its number. A
text that a spreadsheet would run as a formula gets an apostrophe, which track import removes.`,
		Example: "  occudiff track export history.csv\n  occudiff track export --metric seconds",
		Args:    cli.Args(0, 1, "track export takes one CSV file, not %d"),
		RunE:    func(c *cobra.Command, args []string) error { return t.exportPoints(c.Context(), args) },
	}
	t.addMetricFlag(c)
	t.addNoVerify(c)
	t.share(c, "output quiet")
	c.Flags().Lookup("output").Usage = "write the CSV to this file instead"
	return c
}

func (t *trackCommand) exportPoints(ctx context.Context, args []string) error {
	m, err := history.ParseMetric(t.metric)
	if err != nil {
		return cli.Errorf("--metric: %v", err)
	}
	paths := t.outputs
	if len(args) == 1 && args[0] != "-" {
		paths = append(paths, args[0])
	}
	out, db, done, err := t.openReading(ctx, paths, ".csv")
	if err != nil {
		return err
	}
	defer done()
	points := 0
	write := func(w io.Writer) error {
		points = 0
		rows := history.NewRecordWriter(w)
		err := db.Export(ctx, m, func(r history.Record) error {
			points++
			return rows.Write(r)
		})
		if err == nil {
			err = rows.Flush()
		}
		return err
	}
	if len(paths) == 0 {
		b := bufio.NewWriter(t.plainOut())
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	if err := out.WriteAll(write); err != nil {
		return err
	}
	return t.tell("%s: %s of %s written to %s", db.Where(), report.Counted(points, "value", "values"), m,
		strings.Join(paths, ", "))
}
