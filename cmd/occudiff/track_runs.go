package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

func (t *tracking) listCommand() *cobra.Command {
	return t.command(command{text: "track-list", share: outputFlags,
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			t.NoVerify = true // users inspect a damaged history with this command
			return t.looking(ctx, func(db *history.DB) (*report.Output, error) {
				runs, err := db.List(ctx)
				if err != nil {
					return nil, err
				}
				accepted, err := db.Accepts(ctx)
				if err != nil {
					return nil, err
				}
				renamed, err := db.Renames(ctx)
				return trackdoc.FromRuns(runs, accepted, renamed, db.Where(), t.provenance()), err
			})
		}})
}

func (t *tracking) removeCommand() *cobra.Command {
	var f struct {
		Yes bool `flag:"yes" help:"do not ask"`
	}
	return t.command(command{text: "track-remove", flags: []any{&f}, share: "quiet", names: true,
		args: cli.Args(1, cli.Unlimited,
			"nothing to remove: give the number of a run; 'occudiff track list' shows them"),
		run: func(ctx context.Context, args []string) (*report.Output, error) {
			return t.remove(ctx, args, f.Yes)
		}})
}

// remove deletes runs, each in a separate transaction. After an interrupt, some
// runs may be deleted, and the others are kept.
func (t *tracking) remove(ctx context.Context, args []string, yes bool) (*report.Output, error) {
	var ids []int64
	for _, text := range args {
		// Thousands separators are accepted, because run numbers are printed
		// with them and people paste them.
		id, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
		if err != nil || id < 1 {
			return nil, cli.Errorf("%q is not a run: expected a number from 'occudiff track list'", text)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if !yes && !isTerminal(t.stdin) {
		return nil, cli.Errorf("cannot ask whether to remove run %s without a terminal; pass --yes",
			strings.Join(args, ", "))
	}
	return t.changing(ctx, func(db *history.DB) error {
		runs := make([]history.Run, len(ids))
		var texts []string
		for i, id := range ids { // look up all runs before the first one is removed
			var err error
			if runs[i], err = db.Get(ctx, id); err != nil {
				return err
			}
			texts = append(texts, fmt.Sprintf("run %d: %s", id, trackdoc.RunText(&runs[i])))
		}
		if !yes {
			if sure, err := t.confirm(ctx,
				fmt.Sprintf("Remove from %s %s?", db.Where(), strings.Join(texts, "; "))); err != nil || !sure {
				return err
			}
		}
		for i := range runs {
			if err := db.Remove(ctx, runs[i].ID); err != nil {
				return err
			}
			if err := t.printResult("run %d removed: %s", runs[i].ID, trackdoc.RunText(&runs[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// confirm prints a question to standard error and reports whether the answer is
// yes. If the command is interrupted, confirm stops waiting.
func (t *tracking) confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(t.stderr, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(t.stdin).ReadString('\n') // an empty answer at the end of input means no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(t.stderr)
		return false, errors.New("interrupted; nothing was removed")
	}
}

// acceptFlags are the flags of track accept.
type acceptFlags struct {
	Run    int64  `flag:"run" arg:"RUN" range:"1 Inf a run number of 'occudiff track list'" help:"first run of the new baseline (default: the run that was added last)"`
	Kernel string `flag:"kernel" arg:"REGEXP" help:"only kernels whose name matches, with its launch size or without"`
	All    bool   `flag:"all" help:"all kernels of the run's program on its device"`
	Note   string `flag:"note" arg:"TEXT" help:"reason, for later readers"`
	Noise  bool   `flag:"noise" help:"accept the bad runs as noise of the kernel, and keep the baseline"`
	Undo   bool   `flag:"undo" help:"withdraw what was accepted"`
}

func (t *tracking) acceptCommand() *cobra.Command {
	f := &acceptFlags{}
	return t.command(command{text: "track-accept", flags: []any{f}, share: "quiet", oneOf: "kernel all",
		check: func([]string) error {
			if f.Kernel == "" && !f.All && !f.Undo {
				return cli.Errorf("nothing to accept: give --kernel REGEXP for some kernels, or --all")
			}
			if f.Noise && f.Kernel == "" {
				return cli.Errorf("--noise: give --kernel REGEXP; noise is accepted for single kernels")
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) { return t.acceptRun(ctx, f) }})
}

// acceptRun makes a run the first run of a new baseline, accepts bad runs as
// noise, or withdraws an earlier acceptance. It does not change measured
// values, so it can be undone.
func (t *tracking) acceptRun(ctx context.Context, f *acceptFlags) (*report.Output, error) {
	pattern, err := regexp.Compile(f.Kernel)
	if err != nil {
		return nil, cli.Errorf("--kernel %q: %v", f.Kernel, err)
	}
	var matches func(history.Key) bool
	if f.Kernel != "" {
		// The pattern may match the name alone, as for rename, or the name with
		// the launch size, as in tables.
		matches = func(k history.Key) bool { return pattern.MatchString(k.Task) || pattern.MatchString(k.Name()) }
	}
	return t.changing(ctx, func(db *history.DB) (err error) {
		var done []history.Accept
		if f.Undo {
			done, err = withdraw(ctx, db, f, matches)
		} else {
			run := []int64{f.Run}
			if f.Run == 0 {
				if run, err = track.Newest(ctx, db, 1, ""); err != nil {
					return err
				}
			}
			done, err = db.Accept(ctx, history.Accept{Run: run[0], Note: f.Note, Time: time.Now(), Noise: f.Noise},
				matches)
		}
		// Series that differ only in the device or the driver have the same text.
		for _, text := range slices.Compact(report.ListOf(done, func(a history.Accept) string {
			return trackdoc.AcceptText(&a, f.Undo)
		})) {
			if err == nil {
				err = t.printResult("%s", text)
			}
		}
		return err
	})
}

// withdraw withdraws the last acceptance. If the flags select a run or kernels,
// it withdraws the acceptances for this run or these kernels.
func withdraw(ctx context.Context, db *history.DB, f *acceptFlags, matches func(history.Key) bool) (
	[]history.Accept, error) {
	all, err := db.Accepts(ctx)
	if err != nil {
		return nil, err
	}
	// --kernel selects only acceptances of single kernels. An acceptance of a
	// whole run, which has no series, is not withdrawn.
	of := slices.DeleteFunc(slices.Clone(all), func(a history.Accept) bool {
		return f.Run != 0 && a.Run != f.Run || matches != nil && (a.Series == 0 || !matches(a.Key))
	})
	if len(of) == 0 {
		return nil, cli.Errorf("nothing that matches was accepted in %s; 'occudiff track list' shows what was "+
			"accepted", db.Where())
	}
	// If nothing is selected, withdraw all entries of the last accept command.
	// A command stores all its entries with the same time.
	if last := of[len(of)-1]; f.Run == 0 && matches == nil {
		of = slices.DeleteFunc(of, func(a history.Accept) bool { return a.Run != last.Run || !a.Time.Equal(last.Time) })
	}
	return of, db.Withdraw(ctx, of)
}

// renameCommand returns the command that renames a kernel in earlier and later
// runs.
func (t *tracking) renameCommand() *cobra.Command {
	return t.command(command{text: "track-rename", share: "quiet", names: true,
		args: cli.Args(2, 2, "track rename needs the old name and the new one, not %d"),
		run: func(ctx context.Context, args []string) (*report.Output, error) {
			return t.changing(ctx, func(db *history.DB) error {
				if err := db.Rename(ctx, args[0], args[1], time.Now()); err != nil {
					return err
				}
				return t.printResult("%s is now %s, in all runs", report.OneLine(args[0]), report.OneLine(args[1]))
			})
		}})
}

func (t *tracking) importCommand() *cobra.Command {
	return t.command(command{text: "track-import", flags: []any{&t.metricFlag},
		share: "device-file quiet allow-unreadable",
		args:  cli.Args(1, 1, "track import reads one CSV file, not %d; - is standard input"),
		run: func(ctx context.Context, args []string) (*report.Output, error) {
			return nil, t.importPoints(ctx, args[0])
		}})
}

// importPoints stores the runs of a file. Importing a file twice changes
// nothing. A run must be stored completely or not at all, and an unreadable
// line may belong to any run. Therefore, if a line is unreadable, no run of the
// file is stored, unless the user allows it.
func (t *tracking) importPoints(ctx context.Context, path string) error {
	m, err := history.ParseMetric(t.Metric)
	if err != nil {
		return cli.Errorf("%v", err)
	}
	records, notes, err := t.readRecords(ctx, path, m)
	if err != nil {
		return err
	}
	if t.flags.Changed("metric") && !records.Alone {
		return cli.Errorf("--metric %q: %s has a column for each metric; the flag is only for a file with the column "+
			"value", m,
			path)
	}
	// In an export, the name of a series contains the kernel and the device.
	// Only the device table can distinguish a device from another word.
	records.IsDevice = func(key string) bool {
		m, err := t.devices.Find(arch.Query{Name: key})
		return err == nil && m.Device.Key == key
	}
	t.printWarnings(notes)
	if err := t.allowUnreadable(&notes); err != nil {
		return err
	}
	if records.Len() == 0 {
		return cli.Errorf("%s has no point that can be stored; expected lines of series,time,value", path)
	}
	db, err := history.Open(ctx, t.DB, history.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Import(ctx, records)
	switch {
	case ctx.Err() != nil: // not wrapped, because some runs were written
		return fmt.Errorf("%s: interrupted; %s in the history, the same import adds the rest", path,
			unit.FormatCount(done.Runs, "run of it is", "runs of it are"))
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.printResult("%s: %s", db.Where(), trackdoc.ImportedText(&done, records.Bad))
}

// readRecords reads a file of runs, or standard input. of is the metric of the
// values in the column "value".
func (t *tracking) readRecords(ctx context.Context, path string, of history.Metric) (
	*history.Records, []note.Note, error) {
	in, name, err := t.open(ctx, path)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, cli.Errorf("%s cannot be read: %v", path, note.Reason(err))
	}
	defer in.Close()
	return history.ReadRecords(bufio.NewReaderSize(in, 256<<10), name, of)
}

func (t *tracking) exportCommand() *cobra.Command {
	return t.command(command{text: "track-export", flags: []any{&t.verifyFlag}, share: "output quiet",
		output: "write the CSV to this file instead", names: true, endings: []string{".csv"},
		args: cli.Args(0, 1, "track export writes one CSV file, not %d"),
		check: func(args []string) error {
			if len(args) == 1 && args[0] != "-" {
				t.Outputs = append(t.Outputs, args[0])
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			return t.looking(ctx, func(db *history.DB) (*report.Output, error) { return nil, t.exportRuns(ctx, db) })
		}})
}

// exportRuns writes runs while it reads them. A name that a spreadsheet would
// execute gets a prefix that prevents this. An import removes the prefix.
func (t *tracking) exportRuns(ctx context.Context, db *history.DB) error {
	lines := 0
	write := func(w io.Writer) error {
		// write is called once per output file, so the count of lines starts
		// again.
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
	if err := t.stream(t.output("csv"), write); err != nil || len(t.Outputs) == 0 {
		return err
	}
	return t.printResult("%s: %s written to %s", db.Where(), unit.FormatCount(lines, "line", "lines"),
		strings.Join(t.Outputs, ", "))
}
