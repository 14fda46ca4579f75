package main

import (
	"io"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/machine"
	"occudiff/report/outfile"
	"occudiff/report/rundoc"
	"occudiff/report/terminal"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takesNoInputs are the commands whose arguments are names or the file that they write.
var takesNoInputs = []string{"devices", "explain", "export", "schema"}

// inputs gives the paths that a command reads: its arguments, and the files that flags name.
func (a *app) inputs(c *cobra.Command, args []string) []string {
	var paths []string
	if !slices.Contains(takesNoInputs, c.Name()) {
		paths = append(paths, args...)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "db":
			paths = append(paths, a.dsn(f.Value.String()))
		case f.Name != "output" && cli.NamesFile(f):
			paths = append(paths, f.Value.String())
		}
	})
	return paths
}

// openOutputs opens the files of -o.
func (a *app) openOutputs(paths []string, endings ...string) (*deliver.Files, error) {
	return deliver.Open(outfile.Set{Inputs: a.reads, Stopped: a.stopped}, paths, endings...)
}

// answer makes what a command has to say and delivers it. Outputs are opened first, so that one that cannot be written
// is found before the work.
func (a *app) answer(endings []string, work func() (*report.Answer, error)) error {
	out, err := a.openOutputs(a.outputs, endings...)
	if err != nil {
		return err
	}
	defer out.Discard()
	ans, err := work()
	if err != nil {
		return err
	}
	return a.deliver(ans, out)
}

// deliver writes an answer to its files, then prints it in the format that was asked for.
func (a *app) deliver(ans *report.Answer, out *deliver.Files) error {
	ans.Version = version()
	if err := a.chooseColumns(ans); err != nil {
		return err
	}
	if err := out.Write(ans); err != nil {
		return err
	}
	if err := a.print(out, ans); err != nil {
		return err
	}
	a.sayWrote(out)
	return nil
}

// chooseColumns shows the columns that --columns names. Where several tables have kernels, a column is one of any of
// them.
func (a *app) chooseColumns(ans *report.Answer) error {
	if len(a.columns) == 0 {
		return nil
	}
	tables := ans.Document().KernelTables()
	var keys, csvKeys []string
	for name := range strings.SplitSeq(strings.Join(a.columns, ","), ",") {
		name = strings.TrimSpace(name)
		key := ""
		for _, t := range append(tables, ans.Table) {
			if at := t.Find(name); at >= 0 && key == "" {
				key = t.Columns[at].Key
			}
		}
		if _, settings := a.given["columns"]; key == "" && settings { // which are for other tables, too
			continue
		}
		if key == "" {
			return usageErrorf("--columns %s: there is no such column; there are %s", name,
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

// print prints an answer to standard output, when its files are in place.
func (a *app) print(out *deliver.Files, ans *report.Answer) error {
	to := a.stdout
	if a.format != "table" {
		to = a.plainOut()
	}
	return out.Print(to, a.format, ans, terminal.Options{Width: a.width(), Color: a.useColor(),
		Shades: isTerminal(a.stdout)})
}

// sayWrote names the files that were put in place.
func (a *app) sayWrote(out *deliver.Files) {
	if names := out.Names(); names != "" {
		a.say("wrote %s", names)
	}
}

// provenance is what a report gives as its origin.
func (a *app) provenance() report.Provenance {
	return report.Provenance{Version: version(), CommandLine: a.commandLine(), Label: a.label, Show: a.show}
}

// annotationsShown is how many annotations of a level GitHub shows of a step.
const annotationsShown = 10

// annotateLevels takes the levels from the gate: what fails the job is an error, the rest a warning.
func (a *app) annotateLevels() rundoc.AnnotateLevels {
	l := rundoc.AnnotateLevels{Mismatch: report.AnnotateWarning, Regression: report.AnnotateWarning}
	switch a.failOn {
	case "mismatch":
		l.Mismatch = report.AnnotateError
	case "model":
		l.Model = report.AnnotateError
	case "regression":
		l.Regression = report.AnnotateError
	}
	return l
}

// printAnnotations prints GitHub annotations when --annotations asks for them. They go to standard error, from which a
// runner reads them as well, because standard output carries results only; -q does not silence what was asked for.
func (a *app) printAnnotations(list []report.Annotation) error {
	if !a.annotate {
		return nil
	}
	list = report.CapAnnotations(list, annotationsShown)
	for i := range list {
		list[i].File = fromHere(list[i].File)
	}
	return machine.Annotations(a.raw, list)
}

// fromHere gives a path as GitHub wants it: relative to the working folder, where a job has its checkout, with slashes.
// What lies outside stays as it is, and standard input is no file.
func fromHere(path string) string {
	if path == "" || path == "-" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.ToSlash(path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(here, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// commandLine is what a report gives as its origin, without passwords: reports are handed on.
func (a *app) commandLine() []string {
	words := []string{"occudiff"}
	for _, w := range a.args {
		words = append(words, history.Mask(w))
	}
	return words
}

// maskSecrets keeps the passwords of the command line and of the history's name off standard error, whichever message
// quotes them, however they got there.
func (a *app) maskSecrets() {
	words := append(slices.Clone(a.args), a.getenv(historyEnv))
	if file, err := readConfig(); err == nil { // another error is reported where the file is needed
		if g, ok, err := file.setting("db", a.getenv); ok && err == nil {
			words = append(words, g.text)
		}
	}
	var pairs []string
	for _, w := range words {
		if safe := history.Mask(w); safe != w {
			pairs = append(pairs, w, safe)
		}
	}
	for _, w := range words {
		for _, secret := range history.Secrets(w) {
			if len(secret) >= 4 { // less would make other words unreadable, and guessing it takes no log
				pairs = append(pairs, secret, "xxxxx")
			}
		}
	}
	if len(pairs) > 0 {
		a.stderr = masked{a.stderr, strings.NewReplacer(pairs...)}
	}
}

// masked is a stream without secrets.
type masked struct {
	io.Writer
	replace *strings.Replacer
}

// Write implements io.Writer.
func (m masked) Write(p []byte) (int, error) {
	if _, err := m.replace.WriteString(m.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
