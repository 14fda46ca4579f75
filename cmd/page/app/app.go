// Package app handles the requests of the page: a launch to predict, a run to
// validate, or runs to compare. It uses the same packages as the program and
// returns their results as HTML, so that the page has no texts or numbers of
// its own. Files are read from the file system. In a browser, it contains the
// files that the user dropped on the page.
//
// The package must not depend on the browser. Its tests run natively and
// compare its results with the outputs of the program.
package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/html"
)

// App handles requests. It keeps the last output for downloads. Its methods
// must not be called concurrently. The worker of the page sends one request
// after another.
type App struct {
	Progress func(read, total int64) // called while files are read; may be nil

	prov    report.Provenance // origin of reports
	devices *arch.Table
	// calculators returns the devices of Intel's calculator. It reads the
	// devices at the first call.
	calculators func() (calculator.Table, error)
	last        *report.Output
}

// Request is a request from the page's scripts, in JSON.
type Request struct {
	Kind     string // predict, others, validate, example, compare or download
	ID       int    // number that the response repeats
	State    Launch
	Paths    [][]string // paths of the files of each run
	Settings RunSettings
	Format   string // format of the requested download
}

// Response is the response to a request. Each request has exactly one, which may
// be an error.
type Response struct {
	Kind     string    `json:"kind"`
	ID       int       `json:"id"`
	Problems []Problem `json:"problems,omitempty"`
	Data     string    `json:"data,omitempty"` // content of a download
	*Result
}

// Respond returns the response to a request.
func (a *App) Respond(ctx context.Context, q *Request) *Response {
	out := &Response{Kind: q.Kind, ID: q.ID}
	var err error
	switch q.Kind {
	case "predict":
		out.Result, err = a.Predict(q.State)
	case "others":
		out.Result, err = a.PredictOthers(q.State)
	case "validate":
		out.Result, err = a.Validate(ctx, q.Paths[0], q.Settings)
	case "example":
		out.Result, err = a.Example(ctx)
	case "compare":
		out.Result, err = a.Compare(ctx, q.Paths, q.Settings)
	case "download":
		var b strings.Builder
		err = a.Download(&b, q.Format)
		out.Data = b.String()
	}
	if err != nil {
		return &Response{Kind: q.Kind, ID: q.ID, Problems: ProblemsOf(err)}
	}
	return out
}

// Result is an output in the page's form.
type Result struct {
	HTML   string            `json:"html"`   // text of the input is escaped
	Styles string            `json:"styles"` // style of the columns of its tables
	Fields map[string]string `json:"fields"` // text of elements by their ids
	Name   string            `json:"name"`   // file name of a download, without an ending
}

// New returns an App with the built-in device tables.
func New(version string) (*App, error) {
	devices, err := arch.Builtin()
	if err != nil {
		return nil, err
	}
	return &App{prov: report.Provenance{Version: version, CommandLine: []string{"occudiff", "page"}}, devices: devices,
		calculators: sync.OnceValues(calculator.Builtin)}, nil
}

// result returns an output as HTML and keeps it for downloads. An output without
// a value does not replace the last one: a download contains the prediction and
// not the result of PredictOthers below it.
func (a *App) result(ans *report.Output, name string) (*Result, error) {
	doc := ans.Document()
	if s := doc.Summary; s != nil { // the page has no paths for a command
		s.Confirm = slices.DeleteFunc(s.Confirm, func(c report.NextCommand) bool { return c.Reads })
		if len(s.Confirm) == 0 {
			s.ConfirmReason = ""
		}
	}
	var b strings.Builder
	styles, err := html.Fragment(&b, doc)
	if err != nil {
		return nil, err
	}
	if ans.Value != nil {
		a.last = ans
	}
	return &Result{HTML: b.String(), Styles: styles, Name: name}, nil
}

// Problem is an error in the page's form: the file that caused it, the text,
// and the remedy.
type Problem struct {
	Where string `json:"where"`
	Text  string `json:"text"`
	Hint  string `json:"hint"`
}

// byForm is the origin of a device from the form.
var byForm = arch.Source{Name: "the form"}

// ProblemsOf returns the parts of an error. If several inputs failed, the error
// joins their errors, and each becomes a problem with its own file.
func ProblemsOf(err error) []Problem {
	var list []Problem
	var several interface{ Unwrap() []error }
	if errors.As(err, &several) {
		for _, e := range several.Unwrap() {
			list = append(list, ProblemsOf(e)...)
		}
		return list
	}
	var f *note.InputError
	if errors.As(err, &f) {
		return []Problem{{f.Pos.String(), f.Text, f.Hint}}
	}
	return []Problem{{Text: err.Error()}}
}

// read reads the runs of the paths.
func (a *App) read(ctx context.Context, paths []string) ([]*ingest.Run, error) {
	opt := ingest.Options{Formats: formats.All()}
	// WebAssembly runs Go on one core.
	opt.Threads = 1
	if a.Progress != nil {
		total := ingest.Size(paths)
		opt.Progress = func(n int64) { a.Progress(n, total) }
	}
	return ingest.ReadRuns(ctx, paths, opt)
}
