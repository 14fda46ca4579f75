package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"occudiff/internal/testenv"
	"occudiff/report"
)

// agentFolder makes an agent's working folder with two runs and a history. Next
// to it are files that the server must not read.
func agentFolder(t *testing.T) (outside string) {
	t.Helper()
	fixture, err := os.ReadFile("../../fixtures/max1100_mix.hotspots.csv")
	if err != nil {
		t.Fatal(err)
	}
	outside = filepath.Join(t.TempDir(), "other.csv")
	write(t, outside, string(fixture))
	t.Chdir(t.TempDir())
	write(t, "a.csv", string(fixture))
	write(t, "b.csv", strings.ReplaceAll(string(fixture), "58.3", "48.3"))
	write(t, "-q", string(fixture))
	write(t, "k.cl", "kernel void f() {}")
	write(t, "folder/run.csv", string(fixture))
	for link, to := range map[string]string{"link.csv": outside, "links/run.csv": outside, "inner.csv": "a.csv",
		"deep/d": "../hidden", "hidden/run.csv": outside} {
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for name, size := range map[string]int64{"large.csv": 2 << 30, "half.csv": 600 << 20} {
		write(t, name, "")
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
	if run(t.Context(), a, strings.Fields("track add --device max1100 --time 2026-03-01T02:00:00Z a.csv")) != exitDone {
		t.Fatal(out.String())
	}
	return outside
}

// connect starts the server on pipes and returns a client of the SDK.
func connect(t *testing.T, opt *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectWith(t, opt, func(string) string { return "" })
}

// connectWith is like connect, but also sets the environment of the server.
func connectWith(t *testing.T, opt *mcp.ClientOptions, getenv func(string) string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan int, 1)
	go func() {
		a := &app{stdin: in, stdout: out, stderr: io.Discard, getenv: getenv}
		served <- run(context.Background(), a, []string{"mcp"})
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opt)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		select {
		case status := <-served:
			if status != exitDone {
				t.Errorf("the server ended with %d", status)
			}
		case <-time.After(time.Minute):
			t.Error("the server lives on without its client")
		}
	})
	return s
}

// listing returns all files in the working folder with their times. It leaves
// out an empty write-ahead log and its index, which SQLite creates when it
// reads a history and which a reader cannot remove.
func listing(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.Walk(".", func(p string, info os.FileInfo, err error) error {
		if strings.HasSuffix(p, "-shm") || strings.HasSuffix(p, "-wal") && info.Size() == 0 {
			return err
		}
		b.WriteString(p)
		if !info.IsDir() {
			b.WriteString(" " + info.ModTime().String() + "\n")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAgent calls every tool with the client of the SDK. It checks that right
// calls return the same text as the command line, and that wrong calls return
// one clear error. The server must continue and must not write files.
func TestAgent(t *testing.T) {
	schemas := compileSchemas(t)
	outside := agentFolder(t)
	s := connect(t, nil)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"advise", "diff", "explain", "predict", "track_check", "validate"}; !slices.Equal(names, want) {
		t.Errorf("got tools %v", names)
	}
	before := listing(t)
	type arguments = map[string]any
	for _, c := range []struct {
		reason, tool string
		args         arguments
		want         string // schema of the result, or words in the error
	}{
		{"a launch", "predict", arguments{"device": "max1100", "global": "1M", "local": 256, "simd": 32}, "occudiff/predict/1"},
		{"a run", "validate", arguments{"paths": []string{"a.csv"}, "device": "max1100"}, "occudiff/summary/1"},
		{"a folder", "validate", arguments{"paths": []string{"folder"}, "device": "max1100"}, "occudiff/summary/1"},
		{"a name like a flag is a file", "validate", arguments{"paths": []string{"-q"}, "device": "max1100"}, "occudiff/summary/1"},
		{"an absolute path inside", "validate", arguments{"paths": []string{must(filepath.Abs("a.csv"))}, "device": "max1100"}, "occudiff/summary/1"},
		{"a link inside", "validate", arguments{"paths": []string{"inner.csv"}, "device": "max1100"}, "occudiff/summary/1"},
		{"two runs", "diff", arguments{"paths": []string{"a.csv", "b.csv"}, "device": "max1100"}, "occudiff/summary/1"},
		{"noise", "diff", arguments{"paths": []string{"a.csv", "b.csv"}, "device": "max1100", "noise": "occudiff.db"}, "no kernel has at least 8 runs"},
		{"advice", "advise", arguments{"device": "max1100", "global": "1M", "local": "256", "simd": 32, "slm": "24K"}, "occudiff/advise/1"},
		{"an experiment", "advise", arguments{"device": "max1100", "global": "1M", "local": "256", "simd": 32, "probe": true}, "occudiff/advise/1"},
		{"a word", "explain", arguments{"term": "limited by something else"}, "occudiff/explain/1"},
		{"all words", "explain", nil, "occudiff/explain/1"},
		{"a history", "track_check", arguments{}, "occudiff/track-check/1"},
		{"no device is no conclusion", "validate", arguments{"paths": []string{"a.csv"}}, "occudiff/summary/1"},

		{"outside", "validate", arguments{"paths": []string{outside}}, "outside the folder"},
		{"above", "validate", arguments{"paths": []string{"../" + filepath.Base(filepath.Dir(outside))}}, "outside the folder"},
		{"the folder above", "validate", arguments{"paths": []string{".."}}, "outside the folder"},
		{"a link out", "validate", arguments{"paths": []string{"link.csv"}}, "outside the folder"},
		{"a link out behind a link to a folder", "validate", arguments{"paths": []string{"deep"}}, "link to a folder"},
		{"a link to a folder by its own name", "validate", arguments{"paths": []string{"deep/d"}}, "outside the folder"},
		{"a link out in a folder", "validate", arguments{"paths": []string{"links"}}, "outside the folder"},
		{"NUL", "validate", arguments{"paths": []string{"a.csv\x00"}}, "no such file"},
		{"standard input is the protocol", "validate", arguments{"paths": []string{"-"}}, "no such file"},
		{"a flag", "validate", arguments{"paths": []string{"--output=x.md"}}, "no such file"},
		{"a flag in a value", "predict", arguments{"device": "--output=x.md"}, "--output=x.md"},
		{"another flag of the command", "validate", arguments{"output": "x.md"}, `no argument "output"`},
		{"a device that is none", "predict", arguments{"device": "rtx", "local": "256", "simd": 32}, "rtx"},
		{"2 GB", "validate", arguments{"paths": []string{"large.csv"}}, "more than 1024 MB"},
		{"1.2 GB together", "validate", arguments{"paths": []string{"half.csv", "half.csv"}}, "read more than 1024 MB"},
		{"a source", "predict", arguments{"paths": []string{"k.cl"}}, "compiles nothing"},
		{"the network", "track_check", arguments{"db": "postgres://host/db"}, "no network"},
		{"a password", "track_check", arguments{"db": "postgres//me:s3cr3tPW@host/db"}, `db: "postgres//..." is an address`},
		{"a password as a path", "validate", arguments{"paths": []string{"x/me:s3cr3tPW@host"}}, `paths: "x/me:xxxxx@host" cannot be read`},
		{"a password in an object", "track_check", arguments{"db": arguments{"a": "postgres://me:s3cr3tPW@host"}}, `db: expected string, not {"a":"postgres://me@host`},
		{"a password as a name", "predict", arguments{"me:s3cr3tPW@host": 1}, `no argument "me:xxxxx@host"`},
		{"a new history", "track_check", arguments{"db": "new.db"}, "no such file"},
		{"a size by its dimensions", "predict", arguments{"device": "max1100", "global": []int{22528, 2}, "local": []int{256, 1}, "simd": 32}, "occudiff/predict/1"},
		{"two values of one flag", "predict", arguments{"device": "max1100", "global": "1M", "local": 256, "simd": []int{16, 32}}, "simd: expected string or integer, not [16,32]"},
		{"a text in the place of a number", "predict", arguments{"device": "max1100", "global": "1M", "local": 256, "simd": 32, "barriers": "1"}, `barriers: expected integer, not "1"`},
		{"a number in the place of a text", "predict", arguments{"device": 1100, "global": "1M"}, "device: expected string or array, not 1100"},
		{"half a work-item", "predict", arguments{"device": "max1100", "global": []any{22528.5, 2}}, "global: expected string or integer or array, not [22528.5,2]"},
		{"a text in the place of a list", "validate", arguments{"paths": "a.csv"}, `paths: expected array, not "a.csv"`},
		{"no arguments", "predict", arguments{"device": "max1100", "global": nil, "local": 256, "simd": 32, "slm": 4096}, "occudiff/predict/1"},
		{"an object for a text", "predict", arguments{"device": arguments{}}, "device: expected string or array, not {}"},
		{"no object", "validate", arguments{"paths": []any{[]string{}}}, "paths: expected array, not [[]]"},
	} {
		params := &mcp.CallToolParams{Name: c.tool, Arguments: c.args}
		if c.args == nil {
			params.Arguments = nil
		}
		r, err := s.CallTool(t.Context(), params)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if strings.Contains(text, "s3cr3tPW") {
			t.Errorf("%s: a password is in %s", c.reason, text)
		}
		switch isSchema := strings.HasPrefix(c.want, "occudiff/"); {
		case r.IsError == isSchema:
			t.Errorf("%s: got %.300s", c.reason, text)
		case isSchema:
			checkSchema(t, schemas, c.want, []byte(text))
		case !strings.Contains(text, c.want) || strings.Contains(text, "\n"):
			t.Errorf("%s: got %s", c.reason, text)
		}
	}
	if after := listing(t); after != before {
		t.Errorf("the folder was\n%s and is\n%s", before, after)
	}
}

// TestAgentCanceled cancels a call while the tool reads a file, and checks that
// the server handles the next call.
func TestAgentCanceled(t *testing.T) {
	agentFolder(t)
	f := must(os.OpenFile("big.csv", os.O_CREATE|os.O_WRONLY, 0o666))
	text := must(os.ReadFile("a.csv"))
	for range 200 << 20 / len(text) {
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	s := connect(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "validate",
		Arguments: map[string]any{"paths": []string{"big.csv"}, "device": "max1100"}}); err == nil {
		t.Errorf("got %+v", r.Content[0])
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "validate",
		Arguments: map[string]any{"paths": []string{"a.csv"}, "device": "max1100"}})
	if err != nil || r.IsError {
		t.Errorf("%v %+v", err, r)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// nodeClient is a program for Node. It lists the tools with the official
// JavaScript client and calls each tool.
const nodeClient = `
const {Client} = require("@modelcontextprotocol/sdk/client/index.js");
const {StdioClientTransport} = require("@modelcontextprotocol/sdk/client/stdio.js");
(async () => {
	const client = new Client({name: "test", version: "1"});
	await client.connect(new StdioClientTransport({command: "occudiff", args: ["mcp"], env: {PATH: process.env.PATH}}));
	const launch = {device: "max1100", local: "256", simd: 32};
	const calls = {predict: launch, validate: {paths: ["a.csv"], device: "max1100"}, advise: launch, explain: {term: "below"},
		diff: {paths: ["a.csv", "b.csv"], device: "max1100"}, track_check: {}};
	const schemas = {};
	for (const {name} of (await client.listTools()).tools) {
		const r = await client.callTool({name, arguments: calls[name]});
		schemas[name] = r.isError ? r.content[0].text : r.structuredContent.schema;
	}
	const bad = await client.callTool({name: "validate", arguments: {paths: ["../a.csv"]}});
	console.log(JSON.stringify({schemas, bad: bad.isError}));
	await client.close();
})();
`

// TestAgentOfNode runs nodeClient, which checks summaries against the schema
// that the server sends with each tool.
func TestAgentOfNode(t *testing.T) {
	node := testenv.Program(t, "node")
	if exec.Command(node, "-e", `require("@modelcontextprotocol/sdk/client/index.js")`).Run() != nil {
		t.Skip("@modelcontextprotocol/sdk is not in NODE_PATH")
	}
	agentFolder(t)
	c := exec.CommandContext(t.Context(), node, "-e", nodeClient)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var got struct {
		Schemas map[string]string
		Bad     bool
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"predict": "occudiff/predict/1", "validate": report.AgentSummarySchema, "diff": report.AgentSummarySchema,
		"advise": "occudiff/advise/1", "explain": "occudiff/explain/1", "track_check": "occudiff/track-check/1"} {
		if got.Schemas[tool] != want {
			t.Errorf("%s: got %s", tool, got.Schemas[tool])
		}
	}
	if !got.Bad || len(got.Schemas) != 6 {
		t.Errorf("got %s", out)
	}
}

// seen is an output stream that can also be read. A read blocks until the text
// was written to the stream, and then returns the end of input.
type seen struct {
	bytes.Buffer
	text string
	done chan struct{}
	once sync.Once
}

func (s *seen) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), s.text) {
		s.once.Do(func() { close(s.done) })
	}
	return n, err
}

func (s *seen) Read([]byte) (int, error) {
	<-s.done
	return 0, io.EOF
}

// TestAgentOnPipe checks that a line that is not a message gets a response and
// does not end the session. It also checks that a client that sends all its
// messages at once gets all responses.
func TestAgentOnPipe(t *testing.T) {
	agentFolder(t)
	out := &seen{text: "occudiff/summary/1", done: make(chan struct{})}
	a := &app{stdin: io.MultiReader(strings.NewReader(`hello
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
[1
{"a":1}
{"jsonrpc":"2.0","id":{},"method":"ping"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"validate","arguments":{"paths":["a.csv"],"device":"max1100"}}}
`), out), stdout: out, stderr: io.Discard, getenv: os.Getenv, environ: os.Environ()}
	if status := run(t.Context(), a, []string{"mcp"}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if n := strings.Count(out.String(), `"code":-32700`); n != 4 || !strings.Contains(out.String(), "occudiff/summary/1") {
		t.Errorf("%d lines are refused, want 4:\n%s", n, out)
	}
}

// TestAgentPanic makes one call panic. It checks that the error of the call
// contains the place of the panic, and that the next call succeeds.
func TestAgentPanic(t *testing.T) {
	agentFolder(t)
	var broken atomic.Bool
	s := connectWith(t, nil, func(string) string {
		if broken.Load() {
			panic("the environment is broken")
		}
		return ""
	})
	call := &mcp.CallToolParams{Name: "validate", Arguments: map[string]any{"paths": []string{"a.csv"}, "device": "max1100"}}
	broken.Store(true)
	r, err := s.CallTool(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if !r.IsError || !strings.Contains(text, "cmd/occudiff/mcp_test.go:") || !strings.Contains(text, "the environment is broken") {
		t.Errorf("got %s", text)
	}
	broken.Store(false)
	if r, err := s.CallTool(t.Context(), call); err != nil || r.IsError {
		t.Errorf("the next call: %v %+v", err, r)
	}
}

// TestAgentMemory calls a tool 200 times and checks that the memory does not
// grow.
func TestAgentMemory(t *testing.T) {
	agentFolder(t)
	s := connect(t, nil)
	heap := func(calls int) uint64 {
		for range calls {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "explain", Arguments: map[string]any{"term": "below"}})
			if err != nil || r.IsError {
				t.Fatal(err, r)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // memory that finalizers freed
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, after := heap(5), heap(200)
	if grown := int64(after) - int64(before); grown > 20<<20 {
		t.Errorf("200 calls keep %d bytes, %d each", grown, grown/200)
	}
}

// TestAgentIDs checks that each of two calls with the same ID gets a response.
func TestAgentIDs(t *testing.T) {
	for _, c := range []struct {
		reason, first, second string
		want                  string // error of the second response
	}{
		{"a number", `7`, `7`, "id 7 belongs to a call in progress"},
		{"a text", `"a"`, `"a"`, "id a belongs to a call in progress"},
		{"a number and a text differ", `7`, `"7"`, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			release := make(chan struct{})
			var held atomic.Bool
			a := &app{stderr: io.Discard, getenv: func(string) string {
				if held.Load() {
					<-release // the first call continues after the second is sent
				}
				return ""
			}}
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			a.stdin, a.stdout = in, out
			served := make(chan int, 1)
			go func() { served <- run(t.Context(), a, []string{"mcp"}) }()
			answers := bufio.NewScanner(fromServer)
			say := func(line string) { fmt.Fprintln(toServer, line) }
			hear := func() (m struct {
				ID     any
				Result any
				Error  struct{ Message string }
			}) {
				if !answers.Scan() {
					t.Fatal(answers.Err())
				}
				if err := json.Unmarshal(answers.Bytes(), &m); err != nil {
					t.Fatal(err)
				}
				return m
			}
			say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			hear()
			say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			held.Store(true)
			call := `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"explain","arguments":{"term":"below"}}}`
			say(fmt.Sprintf(call, c.first))
			say(fmt.Sprintf(call, c.second))
			failed := ""
			if c.want != "" {
				failed = hear().Error.Message
			}
			close(release)
			for range 2 {
				if m := hear(); m.Result == nil {
					failed = m.Error.Message
				} else if c.want != "" {
					break
				}
			}
			if !strings.HasPrefix(failed, c.want) || c.want == "" && failed != "" {
				t.Errorf("the second response is %q, want %q", failed, c.want)
			}
			toServer.Close()
			if status := <-served; status != exitDone {
				t.Errorf("the server ended with %d", status)
			}
		})
	}
}

// TestAgentEnds ends a client's messages during a call. It checks that the end
// is forwarded after the response, or after the time limit if there is no
// response.
func TestAgentEnds(t *testing.T) {
	for _, answered := range []bool{true, false} {
		c := newClient(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), io.Discard)
		r := bufio.NewReader(c.messages())
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if answered {
			if _, err := c.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := io.ReadAll(r); err != nil || len(text) > 0 {
			t.Errorf("%q, %v after the only message", text, err)
		}
	}
}
