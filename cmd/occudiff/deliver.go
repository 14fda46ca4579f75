package main

import (
	"bufio"
	"fmt"
	"io"

	"occudiff/report"
	"occudiff/report/excel"
	"occudiff/report/html"
	"occudiff/report/machine"
	"occudiff/report/markdown"
	"occudiff/report/terminal"
)

// writers are the ways of writing an answer, by file ending.
func writers(ans *report.Answer) map[string]writer {
	return map[string]writer{
		".xlsx": func(w io.Writer) error { return excel.Render(w, ans.Document()) },
		".md":   func(w io.Writer) error { return markdown.Render(w, ans.Document()) },
		".html": func(w io.Writer) error { return html.Render(w, ans.Document()) },
		".json": func(w io.Writer) error { return machine.JSON(w, ans.Value) },
		".csv":  func(w io.Writer) error { return machine.Table(w, ans.Table) },
		".xml":  func(w io.Writer) error { return machine.JUnit(w, ans.Tests()) },
		".svg":  plotWriter(ans.Doc, ans.Chart),
	}
}

// answer makes what a command has to say and delivers it. Outputs are opened first, so that one that cannot be written is
// found before the work.
func (a *app) answer(endings []string, work func() (*report.Answer, error)) error {
	out, err := a.openOutputs(a.outputs, endings...)
	if err != nil {
		return err
	}
	defer out.discard()
	ans, err := work()
	if err != nil {
		return err
	}
	return a.deliver(ans, out)
}

// deliver writes an answer to its files, then prints it in the format that was asked for.
func (a *app) deliver(ans *report.Answer, out *outputs) error {
	if ans.Doc != nil {
		ans.Doc.Version = version()
	}
	if err := out.addPlots(ans); err != nil {
		return err
	}
	if err := out.write(writers(ans)); err != nil {
		return err
	}
	if err := a.print(out, ans); err != nil {
		return err
	}
	a.sayWrote(out)
	return nil
}

// print prints an answer to standard output, when its files are in place. It may be long: nothing of it is held back.
func (a *app) print(out *outputs, ans *report.Answer) error {
	to := a.stdout
	if a.format != "table" {
		to = a.plainOut()
	}
	std := bufio.NewWriterSize(out.set.Until(to), 64<<10)
	var err error
	if a.format == "table" {
		err = terminal.Render(std, ans.Document(), terminal.Options{Width: a.width(), Color: a.useColor(), Shades: isTerminal(a.stdout)})
	} else {
		err = writers(ans)[formatEnding(a.format)](std)
	}
	if err != nil {
		return err
	}
	if err := std.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// sayWrote names the files that were put in place.
func (a *app) sayWrote(out *outputs) {
	if len(out.files) > 0 {
		a.say("wrote %s", out.names())
	}
}

// provenance is what a report gives as its origin.
func (a *app) provenance() report.Provenance {
	return report.Provenance{Version: version(), CommandLine: a.commandLine(), Label: a.label}
}
