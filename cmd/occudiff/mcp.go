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

// skill is a text for agents. It describes when to use each command and which
// conclusions the results allow. occudiff mcp --skill prints the text, and
// occudiff mcp sends it to clients without its YAML header.
//
//go:embed skill.md
var skill string

// tool is a command that agents can call.
//
// An agent receives exactly the text that the command prints. Only rejections
// of a call come from the server itself. tool and agentCall.inside limit what
// an agent can do: no output files, no network, no VTune, no compiler, and only
// files of the folder in which the server was started.
type tool struct {
	name    string
	command string // command with its fixed flags
	operand string // name of the argument that is not a flag; "" if there is none
	flags   string // allowed flags; none of them writes files, compiles, or allows unreadable input
	text    string
}

// tools returns all tools. The tools for validate and diff return summaries.
// Summaries are small, and they contain no findings if the input supports no
// conclusion. --no-vtune prevents validate from starting an installed vtune on
// a result folder.
func tools() []tool {
	const run = "device xve device-file tolerance sampling-interval local simd"
	const launch = "device xve device-file global local simd slm barriers grf registers"
	return []tool{
		{"predict", "predict --format json", "paths", launch + " sweep",
			"Predicts the occupancy of a launch (device, global, local, simd, and the resources that it uses), or of the " +
				"kernels of binaries (paths). Returns JSON with the name of its schema"},
		{"validate", "validate --no-vtune --format summary", "paths", run,
			"Compares what VTune or unitrace measured with the prediction, kernel by kernel: verdict, cause, and potential " +
				"speedup. The paths are the files of one run. Returns a summary. Conclude nothing if usable is false"},
		{"diff", "diff --format summary", "paths", run + " threshold noise base-branch",
			"Compares two runs. The paths are OLD and NEW. Returns a summary. Conclude nothing if usable is false"},
		{"advise", "advise --format json", "", launch + " fix free probe",
			"Finds settings with a higher occupancy for a launch. Returns JSON of occudiff/advise/1"},
		{"explain", "explain --format json", "term", "",
			"Explains a term of a result: a cause, a verdict, a limit, or a key. Without a term, it lists all terms"},
		{"track_check", "track check --format json", "", "db run last metric direction threshold window base-branch",
			"Checks whether the last runs of a history regressed. Returns JSON of occudiff/track-check/1"},
	}
}

// mostBytes limits the total size of the files of a call, because reading more
// takes too long. maxResult limits the size of a result, because an agent
// cannot process a larger one.
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
					Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true,
						OpenWorldHint: new(bool)}}
				if strings.HasSuffix(t.command, " summary") {
					add.OutputSchema = summarySchema
				}
				s.AddTool(add, c.run)
			}
			// Standard output now belongs to the protocol. The commands print into
			// buffers.
			c := newClient(a.stdin, a.stdout)
			err = s.Run(ctx, &mcp.IOTransport{Reader: c.messages(), Writer: c})
			if ctx.Err() != nil || c.ended.Load() { // no error after an interrupt, or if the client has ended
				err = nil
			}
			return nil, err
		}})
}

// agentCall handles the calls of one tool.
type agentCall struct {
	tool
	app    *app
	folder string // folder that contains all paths, without symbolic links
	takes  *jsonschema.Schema
}

// schema returns the JSON Schema of a tool's arguments: the flags of its
// command with their help. A size can be a string as on a command line, or one
// or several numbers.
func (t tool) schema() *jsonschema.Schema {
	of, _, _ := new(app).rootCommand().Find(strings.Fields(t.command))
	// kinds contains the JSON types that each flag type accepts. The element
	// types of an array come before "array".
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
			p.Description += ". It must be in the folder of the server"
		}
		s.Properties[name] = p
	}
	switch t.operand {
	case "paths":
		s.Properties["paths"] = &jsonschema.Schema{Types: []string{"array"}, Items: &jsonschema.Schema{Type: "string"},
			Description: "files or folders in the folder of the server"}
	case "term":
		s.Properties["term"] = &jsonschema.Schema{Types: []string{"string"}}
	}
	return s
}

// run runs the command of a call as a command line and returns its output. If
// the command fails, run returns a result with IsError and not an error of the
// protocol. An agent sees only results, and it can correct its call.
func (c *agentCall) run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args []string
	// bug.Call catches panics here, so that the server survives them. Panics of
	// the command itself are caught by the function run.
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
		// If the command printed an output, the output is the result, even if a
		// gate failed or the summary is unusable. Output that was printed
		// before a panic is not a result.
		case out.Len() == 0 || status == exitBug:
			err = errors.New(strings.TrimSpace(errs.String()))
		case out.Len() > maxResult:
			err = fmt.Errorf("the result has %d bytes, more than %d: request fewer runs or kernels, or run occudiff "+
				"in a shell and write the result to a file", out.Len(), maxResult)
		}
	}
	if err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(out.Bytes()),
		Content: []mcp.Content{&mcp.TextContent{Text: out.String()}}}, nil
}

// arguments returns the command line of a call. Values are written after a =
// and operands after --, so that none of them can be read as a flag.
func (c *agentCall) arguments(ctx context.Context, given json.RawMessage) (args []string, err error) {
	var size int64 // size of all files
	values, err := c.values(given)
	if err != nil {
		return nil, err
	}
	args = append(strings.Fields(c.command), "-q")
	for _, name := range strings.Fields(c.flags) {
		words := values[name]
		if name == "db" && len(words) == 0 { // required, because settings could name a history on the network
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

// values returns, for each argument of a call, the words for a command line. It
// returns an error if the arguments do not match the schema. Null means that
// the argument has no value. The numbers of a size become one word.
func (c *agentCall) values(given json.RawMessage) (map[string][]string, error) {
	var values map[string]any
	d := json.NewDecoder(bytes.NewReader(given))
	d.UseNumber() // the float64 1048576 would be printed as 1.048576e+06, which is not a size
	if err := d.Decode(&values); err != nil && len(given) > 0 {
		return nil, fmt.Errorf("arguments: expected an object: %w", err)
	}
	words := map[string][]string{}
	for name, v := range values {
		takes, ok := c.takes.Properties[name]
		if !ok {
			return nil, fmt.Errorf("%s has no argument %q; it accepts %s", c.name, history.Mask(name),
				strings.Join(strings.Fields(c.flags+" "+c.operand), ", "))
		}
		list, several := v.([]any)
		if !several && v != nil {
			list = []any{v}
		}
		for _, x := range list {
			if kinds := takes.Types; several && (takes.Items == nil || !isKind(x, takes.Items.Type)) ||
				!several && !slices.ContainsFunc(kinds, func(kind string) bool { return isKind(x, kind) }) {
				text, _ := json.Marshal(v) // no error, because it was read from JSON
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

// isKind reports whether a value has the given scalar type of JSON Schema.
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

// inside checks a path of a call and returns it in the form for the command. It
// returns an error if the path, or anything in it, is outside of the server's
// folder, or if the files of the call are too large together. The size is
// checked before anything is read. A file that is named twice counts twice,
// because it is read twice.
func (c *agentCall) inside(ctx context.Context, name, path string, size *int64) (string, error) {
	wrong := func(why string) (string, error) { return "", fmt.Errorf("%s: %q %s", name, history.Mask(path), why) }
	if history.IsAddress(path) && name == "db" || strings.Contains(path, "://") {
		return wrong("is an address, and occudiff mcp uses no network: name a file in its folder")
	}
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(c.folder, path)
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return wrong("cannot be read: the folder of the server has no such file or folder")
	}
	look := func(p string) error {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return err
		}
		if real != c.folder && !strings.HasPrefix(real, strings.TrimSuffix(c.folder, "/")+string(filepath.Separator)) {
			return errors.New("is outside the folder in which occudiff mcp was started")
		}
		info, err := os.Stat(real)
		switch {
		case err == nil && info.IsDir() && real != p:
			// A link to a folder is rejected, because WalkDir does not follow
			// it but readers do, so the content of the folder would not be
			// checked.
			return errors.New("contains a link to a folder: name that folder itself")
		case err != nil || info.IsDir():
			return err
		case !info.Mode().IsRegular():
			return errors.New("is neither a file nor a folder")
		case zebin.IsSource(real):
			return errors.New("is source code, and occudiff mcp compiles nothing: name a compiled binary")
		}
		if *size += info.Size(); *size > mostBytes {
			return fmt.Errorf("would make the call read more than %d MB: run occudiff in a shell", mostBytes>>20)
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
	return "." + string(filepath.Separator) + relative, nil // prefix, because a name may begin with -
}

// client represents the agent's side of the protocol, on streams that are never
// closed.
//
// The SDK ends its session at a line that is not a message, and at the end of
// input even if calls are in progress. client is between the SDK and the streams
// and prevents both: it forwards complete messages, answers other lines itself,
// and delays the end of input until no call is in progress.
type client struct {
	in       io.Reader
	out      io.Writer
	mu       sync.Mutex          // guards out and calls: each write is a complete message
	calls    map[jsonrpc.ID]bool // calls without a response
	answered chan struct{}       // receives a value when a call is answered
	ended    atomic.Bool         // whether the client has ended
}

func newClient(in io.Reader, out io.Writer) *client {
	return &client{in: in, out: out, calls: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
}

// lastResults is the time limit for the last responses after a client has ended
// its messages. The clients of the SDKs wait 2 s for the server before they
// kill it.
const lastResults = 1500 * time.Millisecond

// Write implements io.Writer. The SDK writes each message in one call.
func (c *client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(b)); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			delete(c.calls, r.ID)
			defer func() {
				select {
				case c.answered <- struct{}{}:
				default: // the channel already has a value, which is sufficient
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

// Close implements io.Closer. It does nothing: the SDK closes its transport,
// but the streams belong to the process.
func (*client) Close() error { return nil }

// messages returns a stream with the lines that are valid messages. It answers
// other lines itself, because the SDK would end its session at them. If a
// client sends all messages at once and ends, the messages are answered before
// the end is forwarded.
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

// waitForResults waits until all calls are answered, but at most for the time
// lastResults.
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

// pass forwards a line if it is a message. It answers any other line with an
// error that has no id (JSON-RPC 2.0, section 5.1). It also answers a call
// whose id is the id of a call in progress, because the SDK would drop such a
// call.
func (c *client) pass(w io.Writer, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	m, fault := jsonrpc.DecodeMessage(line)
	if fault != nil {
		return c.reject(nil, jsonrpc.CodeParseError, "expected one JSON-RPC 2.0 message per line: "+fault.Error())
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		doubled := c.calls[call.ID]
		c.calls[call.ID] = true
		c.mu.Unlock()
		if doubled {
			return c.reject(call.ID.Raw(), jsonrpc.CodeInvalidRequest,
				fmt.Sprintf("id %v belongs to a call in progress; expected an unused id", call.ID.Raw()))
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
