package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/cmd/page/site"
	"occudiff/report"
)

// pageCommand returns the command that writes the page that runs occudiff in a
// browser. Package cmd/page/site assembles the page, and cmd/page/app handles
// its requests.
func (a *app) pageCommand() *cobra.Command {
	var f struct {
		Serve bool `flag:"serve" help:"serve the page on 127.0.0.1 instead of writing it"`
		Port  int  `flag:"port" arg:"N" range:"0 65535 a port from 1 to 65535" help:"port of --serve (default: a free one)"`
	}
	return a.command(command{text: "page", flags: []any{&f}, share: "output quiet",
		output: "write the page to this .html file", endings: []string{".html"},
		check: func([]string) error {
			switch {
			case f.Serve && len(a.Outputs) > 0:
				return cli.Errorf("--serve and -o exclude each other: give one of them")
			case !f.Serve && a.flags.Changed("port"):
				return cli.Errorf("--port needs --serve")
			case !f.Serve && len(a.Outputs) == 0:
				a.Outputs = []string{"occudiff.html"}
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			page, err := a.pageText(ctx)
			if err != nil {
				return nil, err
			}
			if f.Serve {
				return nil, a.servePage(ctx, page, f.Port)
			}
			err = a.stream(a.stdout, func(w io.Writer) error {
				_, err := io.WriteString(w, page)
				return err
			})
			if err != nil {
				return nil, err
			}
			a.printWrittenFiles()
			return nil, nil
		}})
}

// pageText returns the page that is included in this binary. If the binary does
// not include it, pageText compiles the program of the page from the checkout
// in which the command runs.
func (a *app) pageText(ctx context.Context) (string, error) {
	if site.Built != "" {
		return site.Built, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sources := site.Sources(folder)
	if sources == "" {
		return "", errors.New("this binary does not contain the page; use a released one, or run the " +
			"command within a checkout of occudiff, which compiles it")
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", errors.New("this binary does not contain the page, and there is no Go on PATH to " +
			"compile it; use a released binary, or install Go")
	}
	a.printMessage("compiling the page")
	return site.Compile(ctx, sources, version())
}

// servePage prints the address of the page and serves the page until the
// context ends. If port is 0, the system selects a free port.
func (a *app) servePage(ctx context.Context, page string, port int) error {
	// The server accepts connections only from this machine, because the
	// profiles that the page reads may be confidential.
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			// Reject other host names, which a foreign DNS server may resolve to
			// this address.
			if host := (&url.URL{Host: r.Host}).Hostname(); host != "127.0.0.1" && host != "localhost" {
				http.Error(w, "this server answers to "+l.Addr().String(), http.StatusMisdirectedRequest)
				return
			}
			if r.URL.Path != "/" {
				http.NotFound(w, r)
				return
			}
			// These headers prevent other pages from showing this page in a
			// frame, which a meta element in the page cannot do.
			w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
			w.Header().Set("X-Frame-Options", "DENY")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			// ServeContent supports range requests and HEAD. It gets no time,
			// so that browsers do not show an older page from their cache.
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
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
