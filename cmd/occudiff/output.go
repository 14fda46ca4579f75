package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/cmd/cli"
	"occudiff/ingest/note"
	"occudiff/report"
	"occudiff/report/excel"
	"occudiff/report/html"
	"occudiff/report/machine"
	"occudiff/report/plot"
	"occudiff/report/text"
)

// formWriter writes an output in one format.
type formWriter func(io.Writer) error

// fileEndings returns the file endings that every output supports, followed by
// the endings in more.
func fileEndings(more ...string) []string {
	return append([]string{".xlsx", ".md", ".html", ".json", ".csv"}, more...)
}

// perfettoEnding is the ending of a trace file for Perfetto.
const perfettoEnding = ".trace.json"

// endingOf returns the ending of a file name in lower case. The ending
// determines the format.
func endingOf(path string) string {
	if path = strings.ToLower(path); strings.HasSuffix(path, perfettoEnding) {
		return perfettoEnding
	}
	return filepath.Ext(path)
}

// deliver writes an output to the files of -o, and then prints it in the
// requested format. It is not used for results that are written while the input
// is read (a batch, an exported history), or for texts that are not a report (a
// schema, a job script).
func (a *app) deliver(ctx context.Context, ans *report.Output) error {
	ans.Version = version()
	if a.Format == "summary" && ans.AgentSummary == nil {
		return cli.Errorf(
			"--format summary: only validate and diff of runs have a summary; --format json has the whole answer")
	}
	if err := a.chooseColumns(ans); err != nil {
		return err
	}
	// The files are written first, because printing fails if the reader of a
	// pipe (head, a pager) closes it.
	by := a.writers(ctx, ans)
	for _, f := range a.out.files {
		f.write = by[f.ending]
		if f.ending == ".md" {
			if err := a.addPlots(f, ans.Document()); err != nil {
				f.write = func(io.Writer) error { return err }
			}
		}
	}
	unwritten := a.out.place()
	if err := a.out.stopped(); err != nil {
		return err
	}
	// If one file cannot be written, the other files are still written and the
	// result is still printed.
	if err := a.print(a.output(a.Format), by[a.Format]); err != nil {
		return errors.Join(unwritten, err)
	}
	a.printWrittenFiles()
	return unwritten
}

// writers returns the functions that write an output, by file ending and by
// format.
func (a *app) writers(ctx context.Context, ans *report.Output) map[string]formWriter {
	by := map[string]formWriter{
		"table": func(w io.Writer) error {
			return text.Terminal(w, ans.Document(), text.Options{Width: a.width(), Color: a.useColor(),
				Bars: isTerminal(a.stdout) || a.getenv("COLUMNS") != "", Verbose: a.Verbose})
		},
		"summary": func(w io.Writer) error { return machine.JSON(w, ans.AgentSummary()) },
		".xlsx":   func(w io.Writer) error { return excel.Render(ctx, w, ans.Document()) },
		".md":     func(w io.Writer) error { return text.Markdown(w, ans.Document(), nil) },
		".html":   func(w io.Writer) error { return html.Render(w, ans.Document()) },
		".json":   func(w io.Writer) error { return machine.JSON(w, ans.Value) },
		".csv":    func(w io.Writer) error { return machine.Table(w, ans.Table) },
		".xml":    func(w io.Writer) error { return machine.JUnit(w, ans.Tests()) },
		".svg": func(w io.Writer) error {
			if ans.Chart != nil {
				return svg(ans.Chart)(w)
			}
			return svg(ans.Document().Charts()...)(w)
		},
		perfettoEnding: func(w io.Writer) error {
			var events any
			if ans.Trace != nil {
				events = ans.Trace()
			}
			if events == nil {
				return errors.New(
					"a trace needs one run with the times of its launches: give its result folder, or a " +
						"trace in addition to its export")
			}
			return machine.JSON(w, events)
		},
	}
	by["markdown"], by["json"], by["csv"] = by[".md"], by[".json"], by[".csv"]
	return by
}

// addPlots adds the plots of a report as files next to its Markdown file. For
// example, report.time-series-1.svg is next to report.md. The plots are written
// together with all other files, and the command also lists them as written
// files.
func (a *app) addPlots(page *outputFile, doc *report.Document) error {
	names := map[*report.Plot]string{}
	for _, p := range doc.Plots(report.Page) {
		path := strings.TrimSuffix(page.path, filepath.Ext(page.path)) + "." + p.Key + ".svg"
		file, err := a.out.open(path, ".svg")
		if err != nil {
			return fmt.Errorf("-o %s, which has a plot of %s, %w", path, page.path, err)
		}
		file.page, file.given = page, path
		file.write, names[p] = svg(p), url.PathEscape(filepath.Base(path))
	}
	page.write = func(w io.Writer) error { return text.Markdown(w, doc, names) }
	return nil
}

func svg(list ...*report.Plot) formWriter {
	return func(w io.Writer) error {
		if len(list) == 0 {
			return errors.New("there is nothing to draw: no kernel has a thread-slot breakdown or a value over time; " +
				"give one run with a measured occupancy, or write .html")
		}
		chart, err := plot.Stack(list, plot.Look{})
		if err == nil {
			_, err = w.Write(chart)
		}
		return err
	}
}

// stream writes a result that is produced while it is written. It writes the
// result to every file of -o, or to the given stream if there is no -o.
func (a *app) stream(to io.Writer, write formWriter) error {
	if len(a.Outputs) == 0 {
		return a.print(to, write)
	}
	for _, f := range a.out.files {
		f.write = write
	}
	return a.out.place()
}

// print writes an output to a stream while the output is produced, because an
// output may be too long to keep in memory.
func (a *app) print(to io.Writer, write formWriter) error {
	w := bufio.NewWriterSize(stoppable{to, a.out.stopped}, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// printWrittenFiles prints the names of the requested files that were written.
func (a *app) printWrittenFiles() {
	if len(a.out.placed) > 0 {
		a.printMessage("wrote %s", strings.Join(a.out.placed, ", "))
	}
}

// openOutputs checks the endings of the files of -o and opens them. The command
// must not overwrite the files that it reads. If some of the files cannot be
// written, the command still writes the others. If no file can be written, the
// command ends before it does any work.
func (a *app) openOutputs(reads []string, stopped func() error) error {
	a.out = &outputFiles{inputs: reads, stopped: stopped, step: a.showStep}
	failed := 0
	for _, p := range a.Outputs {
		ending := endingOf(p)
		if ending == perfettoEnding && !slices.Contains(a.endings, perfettoEnding) {
			ending = ".json"
		}
		if !slices.Contains(a.endings, ending) {
			return fmt.Errorf("-o %s: this command writes %s; the ending selects the format", p,
				strings.Join(a.endings, " "))
		}
		f, err := a.out.open(p, ending)
		if errors.Is(err, errUnwritable) {
			failed++
			a.out.failed = append(a.out.failed, fmt.Errorf("-o %s %w", p, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("-o %s %w", p, err)
		}
		f.given = p
	}
	if failed > 0 && failed == len(a.Outputs) {
		return errors.Join(a.out.failed...)
	}
	return nil
}

// writes reports whether an output in the format of a file ending was
// requested.
func (a *app) writes(ending string) bool {
	return "."+a.Format == ending || slices.ContainsFunc(a.Outputs,
		func(o string) bool { return endingOf(o) == ending })
}

// columnChoices returns the columns of the tables, as the names that --columns
// accepts.
func columnChoices(tables []*report.Table) (list []cli.Choice) {
	for _, t := range tables {
		for _, c := range t.Columns {
			if c.Key != "" {
				list = append(list, cli.Choice{Name: c.Key, Text: c.Title})
			}
		}
	}
	return list
}

// chooseColumns restricts an output to the columns of --columns. If several
// tables contain kernels, a column of any of these tables is accepted. A column
// that only CSV has is accepted, too.
func (a *app) chooseColumns(ans *report.Output) error {
	if len(a.Columns) == 0 {
		return nil
	}
	tables := append(ans.Document().KernelTables(), ans.Table)
	_, settings := a.given["columns"]
	var names []string
	for name := range strings.SplitSeq(strings.Join(a.Columns, ","), ",") {
		name = strings.TrimSpace(name)
		switch {
		case slices.ContainsFunc(tables, func(t *report.Table) bool { return t.Find(name) >= 0 }):
			names = append(names, name)
		case !settings && len(tables) > 1: // no error for settings, which also apply to other tables
			return cli.Errorf("--columns %q: there is no such column%s; there are %s", name,
				cli.DidYouMean(name, columnChoices(tables)), strings.Join(tables[0].Keys(), ", "))
		}
	}
	if len(names) == 0 {
		return nil
	}
	csv := *ans.Table // a copy, because the document may use the same table
	csv.Only(names)
	ans.Document().Choose(names)
	ans.Table = &csv
	return nil
}

// outputFiles are the files that one command writes. They are opened before the
// work begins, so that a file that cannot be written is detected first. Each
// file appears complete or not at all. It is written as a temporary file next
// to its target, and renamed when all files are complete. If the target is a
// link, the file that the link refers to is replaced. A target is rejected if
// it is not a regular file, or if the command reads the same file, whatever
// path names it.
type outputFiles struct {
	inputs  []string                        // files that the command reads; a folder means the files in it
	stopped func() error                    // returns an error after a cancellation, so that a large report stops early
	step    func(text string) (done func()) // shows the progress; nil to show nothing
	files   []*outputFile
	failed  []error  // errors about files that cannot be written
	placed  []string // written files of -o, as given
}

// errUnwritable is the error for a file that cannot be created in its folder.
var errUnwritable = errors.New("cannot be written")

// outputFile is a file that a command writes.
type outputFile struct {
	path   string      // target, after following links
	page   *outputFile // Markdown file that shows the plot; nil for a file of -o
	given  string      // path that the command prints
	old    fs.FileInfo // existing file at the target; nil if there is none
	tmp    *os.File
	ending string
	write  formWriter // writes the content; set before place is called
}

// open adds a file at a path. It already opens the temporary file, so that a
// path that cannot be written is detected before the work begins. The error
// does not contain the path.
func (s *outputFiles) open(path, ending string) (*outputFile, error) {
	f := &outputFile{path: throughLink(path), ending: ending}
	var err error
	if f.old, err = os.Stat(path); err == nil {
		switch in := s.input(f.old); {
		case f.old.IsDir():
			return nil, errors.New("is a folder; give a file in it")
		case !f.old.Mode().IsRegular():
			return nil, errors.New("is not a regular file; give another name")
		case in != "":
			return nil, fmt.Errorf("would overwrite the input %s; give another name", in)
		}
	}
	for _, other := range s.files {
		if other.path == f.path || other.old != nil && f.old != nil && os.SameFile(other.old, f.old) {
			return nil, errors.New("is given twice")
		}
	}
	// Considered and rejected: os.CreateTemp. Only the owner can read the files
	// that it creates, but a report should have the usual permissions.
	temporary := filepath.Join(filepath.Dir(f.path), ".occudiff-"+rand.Text()+filepath.Ext(path))
	if f.tmp, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, fmt.Errorf("%w: %w; give a path in a folder that exists and is writable",
			errUnwritable, note.Reason(err))
	}
	s.files = append(s.files, f)
	return f, nil
}

// throughLink returns the target of a symbolic link, even if the target does
// not exist yet. The link itself is not replaced.
func throughLink(p string) string {
	if target, err := filepath.EvalSymlinks(p); err == nil {
		return target
	}
	if target, err := os.Readlink(p); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(p), target)
		}
		return target
	}
	return filepath.Clean(p)
}

// input returns the path of the input that is the same file as info, or "" if
// there is none. An input folder includes its files and the files of its
// subfolders, because runs are searched down to this depth.
func (s *outputFiles) input(info fs.FileInfo) string {
	for _, p := range s.inputs {
		names := []string{"."}
		for _, pattern := range []string{"*", "*/*"} {
			below, _ := fs.Glob(os.DirFS(p), pattern) // empty if p is not a folder
			names = append(names, below...)
		}
		for _, name := range names {
			path := filepath.Join(p, filepath.FromSlash(name))
			if in, err := os.Stat(path); err == nil && os.SameFile(in, info) {
				return path
			}
		}
	}
	return ""
}

// place writes the files in the order in which they were opened. When all are
// written, it renames the complete files to their targets. The error contains
// the names of the files that are not complete.
func (s *outputFiles) place() error {
	defer s.discard()
	var complete []*outputFile
	failed := s.failed
	wrong := func(f *outputFile, err error) {
		failed = append(failed, fmt.Errorf("%s was not written: %w", f.path, note.Reason(err)))
	}
	for _, f := range s.files {
		if err := s.fill(f); err != nil {
			wrong(f, err)
			continue
		}
		complete = append(complete, f)
	}
	if err := s.stopped(); err != nil {
		return err
	}
	for _, f := range complete {
		if f.page != nil && !slices.Contains(complete, f.page) {
			continue // skip a plot whose page was not written
		}
		if err := os.Rename(f.tmp.Name(), f.path); err != nil {
			wrong(f, err)
		} else {
			s.placed = append(s.placed, f.given)
		}
	}
	return errors.Join(failed...)
}

// fill writes one file. It keeps the permissions of an existing file.
func (s *outputFiles) fill(f *outputFile) error {
	if s.step != nil {
		defer s.step("writing " + f.given)()
	}
	b := bufio.NewWriterSize(stoppable{f.tmp, s.stopped}, 64<<10)
	if err := f.write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if f.old != nil {
		if err := f.tmp.Chmod(f.old.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.tmp.Close()
}

// stoppable is a writer that fails after a cancellation.
type stoppable struct {
	io.Writer
	stopped func() error
}

// Write implements io.Writer.
func (s stoppable) Write(p []byte) (int, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

// discard removes the temporary files. It may be called more than once.
func (s *outputFiles) discard() {
	for _, f := range s.files {
		f.tmp.Close()
		os.Remove(f.tmp.Name())
	}
}
