// Command occudiff lines predicted GPU occupancy up with what Intel VTune measured, kernel by kernel, says why they
// differ, writes it as Excel and Markdown, and keeps occupancy from regressing. See README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"occudiff/cmd/program"
)

func main() { os.Exit(runMain()) }

func runMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := &program.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
	return run(ctx, e, os.Args[1:])
}
