// Package app answers what the page asks: a launch to predict, a run to
// validate, runs to hold side by side. It asks the same packages as the program
// does and gives what they say as HTML, so that the page has no words or
// numbers of its own. Where a file lies is for the system to say: in a browser
// that is a store of dropped files.
//
// The package does not know the browser. Its tests run natively, against the
// program's own outputs.
package app

import (
	"context"
	"errors"
	"strconv"
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

// App answers. It holds what was answered last, for downloads, and is for one
// caller at a time. The worker asks one question after the other, so nothing is
// locked.
type App struct {
	Progress func(read, total int64) // called now and then while files are read; may be nil

	prov    report.Provenance // how the page names itself in a report
	devices *arch.Table
	// calculators are the devices of Intel's calculator, read when they are
	// asked for.
	calculators func() (calculator.Table, error)
	last        *report.Output
}

// Request is what the page asks. Its scripts write it as JSON, and read the
// answer so.
type Request struct {
	Kind     string // predict, others, validate, example, compare or download
	ID       int    // by which the page knows what an answer belongs to
	State    Launch
	Paths    [][]string // of each run
	Settings RunSettings
	Format   string // of a download
}

// Response is what a question gets. an error is an answer too, so that each
// question has exactly one.
type Response struct {
	Kind     string    `json:"kind"`
	ID       int       `json:"id"`
	Problems []Problem `json:"problems,omitempty"`
	Data     string    `json:"data,omitempty"` // of a download
	*Result
}

// Respond answers a question.
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

// Result is an answer for the page.
type Result struct {
	HTML   string            `json:"html"`   // of the answer; every text of the input is escaped
	Styles string            `json:"styles"` // of the columns of its tables
	Fields map[string]string `json:"fields"` // texts of the elements that have these ids
	Name   string            `json:"name"`   // of a download, without an ending
}

// New makes what answers, with the built-in device tables.
func New(version string) (*App, error) {
	devices, err := arch.Builtin()
	if err != nil {
		return nil, err
	}
	return &App{prov: report.Provenance{Version: version, CommandLine: []string{"occudiff", "page"}}, devices: devices,
		calculators: sync.OnceValues(calculator.Builtin)}, nil
}

// result returns an answer as HTML and keeps it for downloads. One without a
// value leaves the one before: what PredictOthers says belongs to the
// prediction above it, which is what a download is of.
func (a *App) result(ans *report.Output, name string) (*Result, error) {
	var b strings.Builder
	styles, err := html.Fragment(&b, ans.Document())
	if err != nil {
		return nil, err
	}
	if ans.Value != nil {
		a.last = ans
	}
	return &Result{HTML: b.String(), Styles: styles, Name: name}, nil
}

// Problem is what a page shows of an error: the file that caused it, and what
// to do, apart.
type Problem struct {
	Where string `json:"where"`
	Text  string `json:"text"`
	Hint  string `json:"hint"`
}

// hint is what a page advises where the program names a flag. The codes are
// those of predict/arch; a text with a flag in it would be of no use in a form.
func hint(f *note.InputError) string {
	switch f.Code {
	case "no-device":
		return "choose the device, or add the VTune summary: vtune -report summary -r RESULT_DIR"
	case "unknown-device":
		return "take a key of the list, as in max1100"
	}
	return f.Hint
}

// ProblemsOf takes an error apart, as a terminal prints it line by line.
// Several inputs fail with one error that joins theirs: each becomes an error
// of its own, with its own file.
func ProblemsOf(err error) []Problem {
	if several, ok := errors.AsType[*arch.AmbiguousError](err); ok {
		var keys []string
		for _, d := range several.Candidates {
			keys = append(keys, d.Key)
		}
		return []Problem{{Text: "there are several devices " + strconv.Quote(several.Name),
			Hint: "take one of " + strings.Join(keys, ", ")}}
	}
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
		return []Problem{{f.Pos.String(), f.Text, hint(f)}}
	}
	return []Problem{{Text: err.Error()}}
}

// read reads the runs of the paths.
func (a *App) read(ctx context.Context, paths []string) ([]*ingest.Run, error) {
	opt := ingest.Options{Formats: formats.All()}
	// WebAssembly runs Go on one core: more threads would only take turns.
	opt.Threads = 1
	if a.Progress != nil {
		total := ingest.Size(paths)
		opt.Progress = func(n int64) { a.Progress(n, total) }
	}
	return ingest.ReadRuns(ctx, paths, opt)
}
