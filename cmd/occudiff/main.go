// Command occudiff lines predicted GPU occupancy up with what Intel VTune measured, kernel by kernel, says why they
// differ, writes it as Excel and Markdown, and keeps occupancy from regressing. See README.md.
//
// The package holds the commands, a file each: their flags, which stage follows which, the settings, where a result
// goes, and the exit status. It holds no formula, no rule of a verdict, no file format and no wording of a report. What
// a library can decide is decided there, so that the page (cmd/page) gives the same answers.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// os.Exit runs no deferred calls, so all work is in runMain.
func main() { os.Exit(runMain()) }

func runMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ()}
	return run(ctx, e, os.Args[1:])
}
