package main

import (
	"bytes"
	"fmt"

	"occudiff/report"
	"occudiff/report/terminal"
)

// deliver writes a document to its files and prints it in the format that was asked for: as a table by the terminal's
// renderer, else by the writer of the format's ending. What is printed is made first, so that a document that cannot be
// rendered leaves no files.
func (a *app) deliver(doc *report.Document, writers map[string]writer, out *outputs, opt terminal.Options) error {
	var std bytes.Buffer
	var err error
	if a.format == "table" {
		err = terminal.Render(&std, doc, opt)
	} else {
		err = writers[formatEnding(a.format)](&std)
	}
	if err != nil {
		return err
	}
	if err := out.write(writers); err != nil {
		return err
	}
	if _, err := a.stdout.Write(std.Bytes()); err != nil {
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
