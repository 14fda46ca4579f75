package program

import (
	"cmp"
	"slices"
	"strings"

	"occudiff/cmd/cli"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/machine"
	"occudiff/report/outfile"
	"occudiff/report/rundoc"
	"occudiff/report/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DefaultHistory is the history in the working folder, where neither --db nor a setting names one.
const DefaultHistory = "occudiff.db"

// takesNoInputs are the commands whose arguments are names or the file that they write.
var takesNoInputs = []string{"devices", "explain", "export", "schema"}

// inputs gives the paths that a command reads: its arguments, and the files that flags name.
func (e *Env) inputs(c *cobra.Command, args []string) []string {
	var paths []string
	if !slices.Contains(takesNoInputs, c.Name()) {
		paths = append(paths, args...)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "db":
			paths = append(paths, cmp.Or(f.Value.String(), DefaultHistory))
		case f.Name != "output" && cli.NamesFile(f):
			paths = append(paths, f.Value.String())
		}
	})
	return paths
}

// OpenOutputs opens the files of -o.
func (e *Env) OpenOutputs(paths []string, endings ...string) (*deliver.Files, error) {
	return deliver.Open(outfile.Set{Inputs: e.reads, Stopped: e.stopped}, paths, endings...)
}

// Answer makes what a command has to say and delivers it. Outputs are opened first, so that one that cannot be written
// is found before the work.
func (e *Env) Answer(endings []string, work func() (*report.Answer, error)) error {
	out, err := e.OpenOutputs(e.Outputs, endings...)
	if err != nil {
		return err
	}
	defer out.Discard()
	ans, err := work()
	if err != nil {
		return err
	}
	return e.Deliver(ans, out)
}

// Deliver writes an answer to its files, then prints it in the format that was asked for.
func (e *Env) Deliver(ans *report.Answer, out *deliver.Files) error {
	ans.Version = Version()
	if err := e.ChooseColumns(ans); err != nil {
		return err
	}
	if err := out.Write(ans); err != nil {
		return err
	}
	if err := e.Print(out, ans); err != nil {
		return err
	}
	e.SayWrote(out)
	return nil
}

// ChooseColumns shows the columns that --columns names. Where several tables have kernels, a column is one of any of
// them.
func (e *Env) ChooseColumns(ans *report.Answer) error {
	if len(e.columns) == 0 {
		return nil
	}
	tables := ans.Document().KernelTables()
	var keys, csvKeys []string
	for name := range strings.SplitSeq(strings.Join(e.columns, ","), ",") {
		name = strings.TrimSpace(name)
		key := ""
		for _, t := range append(tables, ans.Table) {
			if at := t.Find(name); at >= 0 && key == "" {
				key = t.Columns[at].Key
			}
		}
		_, settings := e.given["columns"]
		if key == "" && (settings || len(tables) == 0) { // settings are for other tables, too; without one nobody knows
			continue
		}
		if key == "" {
			return cli.Errorf("--columns %s: there is no such column; there are %s", name,
				strings.Join(tables[0].Keys(), ", "))
		}
		keys = append(keys, key)
		if ans.Table.Find(name) < 0 {
			name = key
		}
		csvKeys = append(csvKeys, name)
	}
	if len(keys) == 0 {
		return nil
	}
	csv := *ans.Table // before the table of a document is that of CSV as well
	csv.Only(csvKeys)
	for _, t := range tables {
		t.Choose(keys)
	}
	ans.Table = &csv
	return nil
}

// Print prints an answer to standard output, when its files are in place.
func (e *Env) Print(out *deliver.Files, ans *report.Answer) error {
	to := e.Stdout
	if e.Format != "table" {
		to = e.PlainOut()
	}
	return out.Print(to, e.Format, ans, terminal.Options{Width: e.width(), Color: e.useColor(),
		Shades: IsTerminal(e.Stdout)})
}

// SayWrote names the files that were put in place.
func (e *Env) SayWrote(out *deliver.Files) {
	if names := out.Names(); names != "" {
		e.Say("wrote %s", names)
	}
}

// Provenance is what a report gives as its origin.
func (e *Env) Provenance() report.Provenance {
	return report.Provenance{Version: Version(), CommandLine: e.commandLine(), Label: e.Label, Show: e.Show}
}

// annotationsShown is how many annotations of a level GitHub shows of a step.
const annotationsShown = 10

// AnnotateLevels takes the levels from the gate: what fails the job is an error, the rest a warning.
func (e *Env) AnnotateLevels() rundoc.AnnotateLevels {
	l := rundoc.AnnotateLevels{Mismatch: report.AnnotateWarning, Regression: report.AnnotateWarning}
	switch e.FailOn {
	case "mismatch":
		l.Mismatch = report.AnnotateError
	case "model":
		l.Model = report.AnnotateError
	case "regression":
		l.Regression = report.AnnotateError
	}
	return l
}

// Conclude ends a command that judges, when its answer is delivered: with annotations, and with the error of a gate
// that failed.
func (e *Env) Conclude(marks []report.Annotation, failure string) error {
	if err := e.printAnnotations(marks); err != nil {
		return err
	}
	if failure == "" {
		return nil
	}
	return &gateError{failure}
}

// printAnnotations prints GitHub annotations when --annotations asks for them. They go to standard error, from which a
// runner reads them as well, because standard output carries results only; -q does not silence what was asked for.
func (e *Env) printAnnotations(list []report.Annotation) error {
	if !e.Annotate {
		return nil
	}
	list = report.CapAnnotations(list, annotationsShown)
	for i := range list {
		list[i].File = cli.FromHere(list[i].File)
	}
	return machine.Annotations(e.Raw, list)
}
