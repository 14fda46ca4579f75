package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/cmd/page/site"
)

// pageCommand writes the page that runs occudiff in a browser.
func (a *app) pageCommand() *cobra.Command {
	var serve bool
	var port int
	c := &cobra.Command{
		Use:   "page",
		Short: "Write the page that predicts and validates in a browser",
		Long: `Write one HTML file that predicts launches as you type, validates profiler files that you drop on it,
and compares runs. It is this program, compiled for browsers. It works from disk, needs no network
and sends nothing.

--serve serves it on 127.0.0.1 instead, until it is interrupted.`,
		Example: "  occudiff page -o occudiff.html\n  occudiff page --serve",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case serve && len(a.outputs) > 0:
				return cli.Errorf("--serve and -o exclude each other: give one of them")
			case !serve && c.Flags().Changed("port"):
				return cli.Errorf("--port needs --serve")
			case port < 0 || port > 65535:
				return cli.Errorf("--port %d: expected a port from 1 to 65535", port)
			case serve:
				return a.servePage(c.Context(), port)
			}
			return a.writePage(c.Context())
		},
	}
	cli.Define(c.Flags(), []cli.Flag{
		{Name: "serve", Value: &serve, Usage: "serve the page on 127.0.0.1 instead of writing it"},
		{Name: "port", Value: &port, Arg: "N", Usage: "port of --serve (default: a free one)"},
	}...)
	a.share(c, "output quiet")
	c.Flags().Lookup("output").Usage = "write the page to this .html file"
	return c
}

func (a *app) writePage(ctx context.Context) error {
	if len(a.outputs) == 0 {
		a.outputs = []string{"occudiff.html"}
	}
	out, err := a.openOutputs(a.outputs, ".html")
	if err != nil {
		return err
	}
	defer out.Discard()
	p, err := a.pageProgram(ctx)
	if err != nil {
		return err
	}
	if err := out.WriteAll(func(w io.Writer) error { return site.Write(w, p) }); err != nil {
		return err
	}
	a.sayWrote(out)
	return nil
}

// pageProgram is the program of the page: that which this binary holds, else it is compiled from the checkout in which
// the command runs.
func (a *app) pageProgram(ctx context.Context) (site.Program, error) {
	if p, ok := site.Built(); ok {
		return p, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return site.Program{}, err
	}
	sources := site.Sources(folder)
	if sources == "" {
		return site.Program{}, errors.New("this binary does not contain the page; use a released one, or run the " +
			"command within a checkout of occudiff, which compiles it")
	}
	if _, err := exec.LookPath("go"); err != nil {
		return site.Program{}, errors.New("this binary does not contain the page, and there is no Go on PATH to " +
			"compile it; use a released binary, or install Go")
	}
	a.say("compiling the page")
	return site.Compile(ctx, sources, version())
}

// servePage shows the page until the context ends.
func (a *app) servePage(ctx context.Context, port int) error {
	p, err := a.pageProgram(ctx)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := site.Write(&b, p); err != nil {
		return err
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.Bytes()))
		})}
	fmt.Fprintf(a.stdout, "http://%s/\n", l.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		server.Close()
		return nil
	}
}
