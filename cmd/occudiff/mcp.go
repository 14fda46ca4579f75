package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/ingest/zebin"
	"occudiff/internal/bug"
	"occudiff/report"
	"occudiff/report/machine"
)

// skill says to agents when to ask what, and what the answers allow to
// conclude. occudiff mcp --skill prints it whole, and occudiff mcp tells it to
// a client without its YAML head.
//
//go:embed skill.md
var skill string

// tool is a command as agents call it.
//
// An agent gets what the command prints, byte for byte: the server words
// refusals alone. What an agent may cause is bounded here and in
// agentCall.inside: no output files, no network, no VTune, no compiler, and of
// the files only those of the folder that the server was started in.
type tool struct {
	name    string
	command string // and what is always given
	operand string // what its argument that is no flag is called; "" where it takes none
	flags   string // those of the command that it takes; what writes, compiles or accepts damage is not among them
	text    string
}

// tools lists what agents may call. validate and diff answer with summaries,
// which are small and closed where nothing can be concluded. --no-vtune keeps
// validate from starting an installed vtune on a result folder.
func tools() []tool {
	const run = "device xve device-file tolerance sampling-interval local simd"
	const launch = "device xve device-file global local simd slm barriers grf registers"
	return []tool{
		{"predict", "predict --format json", "paths", launch + " sweep",
			"Predicts the occupancy of a launch (device, global, local, simd and what it uses), or of the kernels of " +
				"binaries (paths). JSON of the schema that it names"},
		{"validate", "validate --no-vtune --format summary", "paths", run,
			"Compares what VTune or unitrace measured with the prediction, kernel by kernel: verdict, cause and what " +
				"more threads would be worth. The paths are the files of one run. The summary; conclude nothing where " +
				"usable is false"},
		{"diff", "diff --format summary", "paths", run + " threshold noise",
			"Compares two runs, paths being OLD and NEW. The summary; conclude nothing where usable is false"},
		{"advise", "advise --format json", "", launch + " fix free probe",
			"Searches settings of higher occupancy for a launch. JSON of occudiff/advise/1"},
		{"explain", "explain --format json", "term", "",
			"Explains a word of an answer: a cause, a verdict, a limit, a field. Without a term it lists all"},
		{"track_check", "track check --format json", "", "db run last metric direction threshold window base-branch",
			"Says whether the last runs of a history regressed. JSON of occudiff/track-check/1"},
	}
}

// mostBytes is what the files of a call may hold: reading more takes too long
// to wait for. maxResult is what an answer may hold: more fills what an agent
// can keep in mind.
const (
	mostBytes = 1 << 30
	maxResult = 512 << 10
)

func (a *app) mcpCommand() *cobra.Command {
	var f struct {
		Skill bool `flag:"skill" help:"print instructions for an agent (a SKILL.md) instead"`
	}
	return a.command(command{text: "mcp", flags: []any{&f},
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			if f.Skill {
				_, err := io.WriteString(a.stdout, skill)
				return nil, err
			}
			folder, err := os.Getwd()
			if err == nil {
				folder, err = filepath.EvalSymlinks(folder)
			}
			if err != nil {
				return nil, fmt.Errorf("the folder that occudiff mcp starts in: %w", err)
			}
			summary, err := report.FindSchema(jsonSchemas(), "summary")
			if err != nil {
				return nil, err
			}
			summarySchema, err := machine.Schema(summary, jsonSchemas())
			if err != nil {
				return nil, err
			}
			_, instructions, _ := strings.Cut(strings.TrimPrefix(skill, "---\n"), "---\n")
			s := mcp.NewServer(&mcp.Implementation{Name: "occudiff", Version: version()},
				&mcp.ServerOptions{Instructions: instructions})
			for _, t := range tools() {
				c := &agentCall{tool: t, app: a, folder: folder, takes: t.schema()}
				add := &mcp.Tool{Name: t.name, Description: t.text, InputSchema: c.takes,
					Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}}
				if strings.HasSuffix(t.command, " summary") {
					add.OutputSchema = summarySchema
				}
				s.AddTool(add, c.run)
			}
			// Standard output is the protocol from here on; the commands print into
			// buffers.
			c := newClient(a.stdin, a.stdout)
			err = s.Run(ctx, &mcp.IOTransport{Reader: c.messages(), Writer: c})
			if ctx.Err() != nil || c.ended.Load() { // the usual ends of a server: an interrupt, and a client that is gone
				err = nil
			}
			return nil, err
		}})
}

// agentCall answers the calls of a tool.
type agentCall struct {
	tool
	app    *app
	folder string // which paths must lie in, without symbolic links
	takes  *jsonschema.Schema
}

// schema describes what a tool takes: the flags of its command, with their
// texts. It comes from the flags of the command, so that a help text is written
// once. A size is a text as on a command line, or its numbers.
func (t tool) schema() *jsonschema.Schema {
	of, _, _ := new(app).rootCommand().Find(strings.Fields(t.command))
	// The kinds of values in JSON that a type of a flag takes, those of the
	// elements of an array before it.
	kinds := map[string][]string{"int": {"integer"}, "int64": {"integer"}, "float64": {"number"}, "bool": {"boolean"},
		"count": {"string", "integer"}, "size": {"string", "integer", "array"}, "stringArray": {"string", "array"}}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, name := range strings.Fields(t.flags) {
		f := of.Flag(name)
		p := &jsonschema.Schema{Types: kinds[f.Value.Type()], Description: f.Usage}
		switch {
		case name == "slm" || name == "registers":
			p.Types = kinds["count"]
		case p.Types == nil:
			p.Types = []string{"string"}
		case slices.Contains(p.Types, "array"):
			p.Items = &jsonschema.Schema{Type: p.Types[len(p.Types)-2]}
		}
		if cli.NamesFile(f) {
			p.Description += "; in the folder of the server"
		}
		s.Properties[name] = p
	}
	switch t.operand {
	case "paths":
		s.Properties["paths"] = &jsonschema.Schema{Types: []string{"array"}, Items: &jsonschema.Schema{Type: "string"},
			Description: "files or folders, in the folder of the server"}
	case "term":
		s.Properties["term"] = &jsonschema.Schema{Types: []string{"string"}}
	}
	return s
}

// run runs the command of a call as the command line does, and gives what it
// prints. an error is a result with IsError and no error of the protocol, since
// an agent sees the former alone and can recover its call.
func (c *agentCall) run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args []string
	// The server survives a panic. run catches those of the command.
	err := bug.Call(func() (err error) {
		args, err = c.arguments(ctx, req.Params.Arguments)
		return err
	})
	var out, errs bytes.Buffer
	if err == nil {
		one := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: c.app.getenv,
			environ: c.app.environ}
		status := run(ctx, one, args)
		switch {
		// A gate that failed, or a summary that is not usable, is an answer.
		// What was printed before a panic is not.
		case out.Len() == 0 || status == exitBug:
			err = errors.New(strings.TrimSpace(errs.String()))
		case out.Len() > maxResult:
			err = fmt.Errorf("the answer has %d bytes, more than %d: ask for fewer runs or kernels, or run occudiff "+
				"in a shell and write it to a file", out.Len(), maxResult)
		}
	}
	if err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(out.Bytes()),
		Content: []mcp.Content{&mcp.TextContent{Text: out.String()}}}, nil
}

// arguments makes the command line of a call. What an agent names as a value
// stays one: values follow a = and operands a --, so that none is read as a
// flag.
func (c *agentCall) arguments(ctx context.Context, given json.RawMessage) (args []string, err error) {
	var size int64 // of all files
	values, err := c.values(given)
	if err != nil {
		return nil, err
	}
	args = append(strings.Fields(c.command), "-q")
	for _, name := range strings.Fields(c.flags) {
		words := values[name]
		if name == "db" && len(words) == 0 { // else settings could name a history on the network
			words = []string{"occudiff.db"}
		}
		for _, w := range words {
			if name == "db" || name == "noise" || name == "device-file" {
				if w, err = c.inside(ctx, name, w, &size); err != nil {
					return nil, err
				}
			}
			args = append(args, "--"+name+"="+w)
		}
	}
	args = append(args, "--")
	for _, w := range values[c.operand] {
		if c.operand == "paths" {
			if w, err = c.inside(ctx, "paths", w, &size); err != nil {
				return nil, err
			}
		}
		args = append(args, w)
	}
	return args, nil
}

// values returns the arguments of a call as the words of a command line, when
// they are what the schema says. A null is no value, and the numbers of a size
// are one word.
func (c *agentCall) values(given json.RawMessage) (map[string][]string, error) {
	var values map[string]any
	d := json.NewDecoder(bytes.NewReader(given))
	d.UseNumber() // a float64 of 1048576 would be printed as 1.048576e+06, which is no size
	if err := d.Decode(&values); err != nil && len(given) > 0 {
		return nil, fmt.Errorf("arguments: expected an object: %w", err)
	}
	words := map[string][]string{}
	for name, v := range values {
		takes, ok := c.takes.Properties[name]
		if !ok {
			return nil, fmt.Errorf("%s takes no argument %q; it takes %s", c.name, history.Mask(name),
				strings.Join(strings.Fields(c.flags+" "+c.operand), ", "))
		}
		list, several := v.([]any)
		if !several && v != nil {
			list = []any{v}
		}
		for _, x := range list {
			if kinds := takes.Types; several && (takes.Items == nil || !isKind(x, takes.Items.Type)) ||
				!several && !slices.ContainsFunc(kinds, func(kind string) bool { return isKind(x, kind) }) {
				text, _ := json.Marshal(v) // it was read from JSON
				return nil, fmt.Errorf("%s: expected %s, not %s", name, strings.Join(kinds, " or "),
					history.Mask(string(text)))
			}
			words[name] = append(words[name], fmt.Sprint(x))
		}
		if takes.Items != nil && takes.Items.Type == "integer" && several {
			words[name] = []string{strings.Join(words[name], "x")}
		}
	}
	return words, nil
}

// isKind reports whether a value is of a type of JSON Schema that has no parts.
func isKind(v any, kind string) bool {
	switch x := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		_, err := x.Int64()
		return kind == "number" || kind == "integer" && err == nil
	}
	return false
}

// inside returns a path as the commands get it, when it is a file or folder of
// the server's folder, with all that a folder links to, and of a size that can
// be waited for together with the others of the call. The size is checked
// before anything is read. It adds up over the files of a call as they are
// named: a file that is named twice is read twice.
func (c *agentCall) inside(ctx context.Context, name, path string, size *int64) (string, error) {
	wrong := func(why string) (string, error) { return "", fmt.Errorf("%s: %q %s", name, history.Mask(path), why) }
	if history.IsAddress(path) && name == "db" || strings.Contains(path, "://") {
		return wrong("is an address: occudiff mcp uses no network; name a file in its folder")
	}
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(c.folder, path)
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return wrong("cannot be read: there is no such file or folder in the folder of the server")
	}
	look := func(p string) error {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return err
		}
		if real != c.folder && !strings.HasPrefix(real, strings.TrimSuffix(c.folder, "/")+string(filepath.Separator)) {
			return errors.New("lies outside the folder that occudiff mcp was started in")
		}
		info, err := os.Stat(real)
		switch {
		case err == nil && info.IsDir() && real != p:
			// WalkDir does not follow it, but reading does: what is in there
			// nobody would have looked at.
			return errors.New("holds a link to a folder: name that folder itself")
		case err != nil || info.IsDir():
			return err
		case !info.Mode().IsRegular():
			return errors.New("is neither a file nor a folder")
		case zebin.IsSource(real):
			return errors.New("is source code: occudiff mcp compiles nothing; name a compiled binary")
		}
		if *size += info.Size(); *size > mostBytes {
			return fmt.Errorf("makes the call read more than %d MB: run occudiff in a shell", mostBytes>>20)
		}
		return nil
	}
	if err := filepath.WalkDir(real, func(p string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, ctx.Err(), look(p))
	}); err != nil {
		return wrong(err.Error())
	}
	relative, err := filepath.Rel(c.folder, real)
	if err != nil {
		return wrong(err.Error())
	}
	return "." + string(filepath.Separator) + relative, nil // a name may begin with - or be it
}

// client is the other side of the protocol, on streams that nobody closes.
//
// The SDK ends its session at a line that is no message, and at the end of
// input even while calls are answered. client stands between it and the streams
// to prevent both: it passes whole messages on, answers other lines itself, and
// keeps the end of input back until no call waits.
type client struct {
	in       io.Reader
	out      io.Writer
	mu       sync.Mutex          // of out and calls: writes are whole messages
	calls    map[jsonrpc.ID]bool // without an answer
	answered chan struct{}       // receives a value when a call is answered
	ended    atomic.Bool         // it is gone
}

func newClient(in io.Reader, out io.Writer) *client {
	return &client{in: in, out: out, calls: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
}

// lastResults is how long a client that has ended its messages is answered. The
// clients of the SDKs wait 2 s for the server to end before they kill it.
const lastResults = 1500 * time.Millisecond

// Write implements io.Writer: each write is a message.
func (c *client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(b)); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			delete(c.calls, r.ID)
			defer func() {
				select {
				case c.answered <- struct{}{}:
				default: // a value waits already
				}
			}()
		}
	}
	n, err := c.out.Write(b)
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		c.ended.Store(true)
	}
	return n, err
}

// Close implements io.Closer.
// The SDK closes its transport, and the streams are the process's own.
func (*client) Close() error { return nil }

// messages returns the lines that are messages, and answers the others, at
// which the SDK would end. A client that says all at once and ends is answered
// before the end is passed on.
func (c *client) messages() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		lines := bufio.NewReader(c.in)
		for {
			line, err := lines.ReadBytes('\n')
			if fault := c.pass(w, bytes.TrimSpace(line)); err == nil {
				err = fault // the server has ended
			}
			if err == io.EOF {
				c.ended.Store(true)
				c.waitForResults()
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
	}()
	return r
}

// waitForResults waits until all calls are answered, for at most lastResults.
func (c *client) waitForResults() {
	limit := time.After(lastResults)
	for {
		c.mu.Lock()
		left := len(c.calls)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-limit:
			return
		}
	}
}

// pass passes a line on if it is a message, and answers it otherwise: there is
// no number to answer to (JSON-RPC 2.0, section 5.1). It also answers a call
// with the id of a call that has no answer yet, which the SDK would drop.
func (c *client) pass(w io.Writer, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	m, fault := jsonrpc.DecodeMessage(line)
	if fault != nil {
		return c.reject(nil, jsonrpc.CodeParseError, "expected a message of JSON-RPC 2.0 on a line: "+fault.Error())
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		doubled := c.calls[call.ID]
		c.calls[call.ID] = true
		c.mu.Unlock()
		if doubled {
			return c.reject(call.ID.Raw(), jsonrpc.CodeInvalidRequest,
				fmt.Sprintf("id %v belongs to a call that has no "+
					"answer yet; expected an id that this client has not used", call.ID.Raw()))
		}
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// reject answers a line with an error. The id is nil if the line has none.
func (c *client) reject(id any, code int, text string) error {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(line, '\n'))
	return err
}
