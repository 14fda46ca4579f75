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
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/terminal"
	"occudiff/report/trackdoc"
)

func (t *tracking) importCommand() *cobra.Command {
	return t.command(command{text: "track-import", flags: []any{&t.metricFlag}, share: "device-file quiet",
		args: cli.Args(1, 1, "track import takes one CSV file, not %d; - is standard input"),
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			return nil, t.importPoints(ctx, args[0])
		}})
}

// stored is the metric that a file holds. Occupancy is two of them: a file has the measured one.
// A file holds one metric, so that a history is copied metric by metric.
func (t *tracking) stored() (history.Metric, error) {
	m, err := history.ParseMetric(t.Metric)
	if err != nil {
		err = cli.Errorf("--metric: %v", err)
	}
	if m == history.Occupancy {
		m = history.Measured
	}
	return m, err
}

// importPoints stores the points of a file as runs. A run that is there already gets only what it lacks, so importing a
// file twice changes nothing. Lines that cannot be used are counted and said, and the rest is stored.
func (t *tracking) importPoints(ctx context.Context, path string) error {
	m, err := t.stored()
	if err != nil {
		return err
	}
	records, notes, err := t.readRecords(path)
	if err != nil {
		return err
	}
	table, err := t.table()
	if err != nil {
		return err
	}
	// An export calls a series by kernel and device; only the table can tell a device from another word.
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
	db, err := history.Open(ctx, t.DB)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Import(ctx, m, records)
	switch {
	case ctx.Err() != nil: // not wrapped: it is not true that nothing was written
		return fmt.Errorf("%s: interrupted; %s in the history, the same import adds the rest", path,
			unit.Counted(done.Runs, "run of it is", "runs of it are"))
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.tell("%s: %s", db.Where(), trackdoc.ImportedText(&done, m, bad))
}

// readRecords reads a file of points, or standard input.
func (t *tracking) readRecords(path string) (*history.Records, []note.Note, error) {
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

func (t *tracking) exportCommand() *cobra.Command {
	return t.command(command{text: "track-export", flags: []any{&t.metricFlag, &t.verifyFlag}, share: "output quiet",
		output: "write the CSV to this file instead", names: true, endings: []string{".csv"},
		args: cli.Args(0, 1, "track export takes one CSV file, not %d"),
		check: func(args []string) error {
			if len(args) == 1 && args[0] != "-" {
				t.Outputs = append(t.Outputs, args[0])
			}
			return nil
		},
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			m, err := t.stored()
			if err != nil {
				return nil, err
			}
			return t.reading(ctx, func(db *history.DB) (*report.Answer, error) {
				return nil, t.exportPoints(ctx, db, m)
			})
		}})
}

// exportPoints writes the points while they are read, so it has no answer. Names have a guard against spreadsheets,
// which importing takes off again.
func (t *tracking) exportPoints(ctx context.Context, db *history.DB, m history.Metric) error {
	points := 0
	write := func(w io.Writer) error {
		// It is called once a file.
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
	if len(t.Outputs) == 0 {
		b := bufio.NewWriter(terminal.Safe(t.stdout)) // names stay as they are: it can be imported
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	if err := t.out.WriteAll(write); err != nil {
		return err
	}
	return t.tell("%s: %s of %s written to %s", db.Where(), unit.Counted(points, "value", "values"), m,
		strings.Join(t.Outputs, ", "))
}
