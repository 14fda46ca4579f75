package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/text"
	"occudiff/report/trackdoc"
)

func (t *tracking) importCommand() *cobra.Command {
	return t.command(command{text: "track-import", flags: []any{&t.metricFlag}, share: "device-file quiet accept-damaged",
		args: cli.Args(1, 1, "track import takes one CSV file, not %d; - is standard input"),
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			return nil, t.importPoints(ctx, args[0])
		}})
}

// importPoints stores the runs of a file. Importing a file twice changes nothing. A line that cannot be used may be of any
// run, and a run is stored whole or not at all: so nothing of such a file is stored, unless the rest is asked for.
func (t *tracking) importPoints(ctx context.Context, path string) error {
	m, err := history.ParseMetric(t.Metric)
	if err != nil {
		return cli.Errorf("--metric: %v", err)
	}
	records, notes, err := t.readRecords(path, m)
	if err != nil {
		return err
	}
	if t.flags.Changed("metric") && !records.Alone {
		return cli.Errorf("--metric %s: %s has a column for each metric; the flag is for a file with value alone", m, path)
	}
	// An export calls a series by kernel and device; only the table can tell a device from another word.
	records.IsDevice = func(key string) bool {
		m, err := t.devices.Find(arch.Query{Name: key})
		return err == nil && m.Device.Key == key
	}
	t.sayNotes(notes)
	if err := t.acceptDamage(&notes); err != nil {
		return err
	}
	if records.Len() == 0 {
		return cli.Errorf("%s has no point that can be stored; expected lines of series,time,value", path)
	}
	db, err := history.Open(ctx, t.DB)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Import(ctx, records)
	switch {
	case ctx.Err() != nil: // not wrapped: it is not true that nothing was written
		return fmt.Errorf("%s: interrupted; %s in the history, the same import adds the rest", path,
			unit.Counted(done.Runs, "run of it is", "runs of it are"))
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.tell("%s: %s", db.Where(), trackdoc.ImportedText(&done, records.Bad))
}

// readRecords reads a file of runs, or standard input; of is the metric of the column value.
func (t *tracking) readRecords(path string, of history.Metric) (
	*history.Records, []note.Note, error) {
	in, name, err := t.open(path)
	if err != nil {
		return nil, nil, cli.Errorf("%s cannot be read: %v", path, note.Reason(err))
	}
	defer in.Close()
	return history.ReadRecords(bufio.NewReaderSize(in, 256<<10), name, of)
}

func (t *tracking) exportCommand() *cobra.Command {
	return t.command(command{text: "track-export", flags: []any{&t.verifyFlag}, share: "output quiet",
		output: "write the CSV to this file instead", names: true, endings: []string{".csv"},
		args: cli.Args(0, 1, "track export takes one CSV file, not %d"),
		check: func(args []string) error {
			if len(args) == 1 && args[0] != "-" {
				t.Outputs = append(t.Outputs, args[0])
			}
			return nil
		},
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			return t.looking(ctx, func(db *history.DB) (*report.Answer, error) { return nil, t.exportRuns(ctx, db) })
		}})
}

// exportRuns writes runs while they are read, so it has no answer. Names have a guard against spreadsheets, which
// importing takes off again.
func (t *tracking) exportRuns(ctx context.Context, db *history.DB) error {
	lines := 0
	write := func(w io.Writer) error {
		// It is called once a file.
		lines = 0
		rows := history.NewRecordWriter(w)
		err := db.Export(ctx, func(r history.Record) error {
			lines++
			return rows.Write(r)
		})
		if err == nil {
			err = rows.Flush()
		}
		return err
	}
	// On a stream names stay as they are: it can be imported.
	if err := t.stream(text.Safe(t.stdout), write); err != nil || len(t.Outputs) == 0 {
		return err
	}
	return t.tell("%s: %s written to %s", db.Where(), unit.Counted(lines, "line", "lines"), strings.Join(t.Outputs, ", "))
}
