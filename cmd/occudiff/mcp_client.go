package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// client is the other side of the protocol, on streams that nobody closes.
type client struct {
	in      io.Reader
	mu      sync.Mutex // of the rest; writes are whole messages
	out     io.Writer
	waiting map[jsonrpc.ID]bool // calls without an answer
	ended   atomic.Bool
}

func newClient(in io.Reader, out io.Writer) *client {
	return &client{in: in, out: out, waiting: map[jsonrpc.ID]bool{}}
}

// lastAnswers is how long a client that has ended its messages is answered.
const lastAnswers = time.Minute

// Write implements io.Writer: each write is a message.
func (c *client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(b)); err == nil {
		if answer, ok := m.(*jsonrpc.Response); ok {
			delete(c.waiting, answer.ID)
		}
	}
	return c.out.Write(b)
}

// Close implements io.Closer.
func (*client) Close() error { return nil }

// messages gives the lines that are messages, and answers the others, at which the SDK would end. A client that says
// all at once and ends is answered before the end is passed on.
func (c *client) messages() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for lines := bufio.NewReader(c.in); ; {
			line, err := lines.ReadBytes('\n')
			if text := bytes.TrimSpace(line); len(text) > 0 {
				m, fault := jsonrpc.DecodeMessage(text)
				if call, ok := m.(*jsonrpc.Request); ok && fault == nil && call.IsCall() {
					c.mu.Lock()
					c.waiting[call.ID] = true
					c.mu.Unlock()
				}
				if fault == nil {
					_, fault = w.Write(append(text, '\n'))
					err = cmp.Or(err, fault) // the server has ended
				} else {
					c.refuse(fault)
				}
			}
			c.ended.Store(err == io.EOF)
			for end := time.Now().Add(lastAnswers); err == io.EOF && c.waits() && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
	}()
	return r
}

func (c *client) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) > 0
}

// refuse answers a line that is no message: it has no number to answer to (JSON-RPC 2.0, section 5.1).
func (c *client) refuse(fault error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", jsonrpc.CodeParseError,
		"expected a message of JSON-RPC 2.0 on a line: "+fault.Error())
}
