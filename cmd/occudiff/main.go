// Command occudiff lines predicted GPU occupancy up with what Intel VTune measured, kernel by kernel, says why they
// differ, writes it as Excel and Markdown, and keeps occupancy from regressing. See README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(runMain()) }

func runMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ()}
	return run(ctx, e, os.Args[1:])
}
