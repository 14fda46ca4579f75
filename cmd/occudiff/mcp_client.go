package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// client is the other side of the protocol, on streams that nobody closes.
//
// The SDK ends its session at a line that is no message, and at the end of input even while calls are answered. client
// stands between it and the streams to prevent both: it passes whole messages on, answers other lines itself, and keeps
// the end of input back until no call waits.
type client struct {
	in    io.Reader
	out   io.Writer
	mu    sync.Mutex     // of out: writes are whole messages
	calls sync.WaitGroup // without an answer
	ended atomic.Bool    // it is gone
}

// lastAnswers is how long a client that has ended its messages is answered.
const lastAnswers = time.Minute

// Write implements io.Writer: each write is a message.
func (c *client) Write(b []byte) (int, error) {
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(b)); err == nil {
		if _, ok := m.(*jsonrpc.Response); ok {
			defer c.calls.Done()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.out.Write(b)
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		c.ended.Store(true)
	}
	return n, err
}

// Close implements io.Closer.
// The SDK closes its transport, and the streams are the process's own.
func (*client) Close() error { return nil }

// messages gives the lines that are messages, and answers the others, at which the SDK would end. A client that says
// all at once and ends is answered before the end is passed on.
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
				answered := make(chan struct{})
				go func() { c.calls.Wait(); close(answered) }()
				select {
				case <-answered:
				case <-time.After(lastAnswers):
				}
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
	}()
	return r
}

// pass passes a line on if it is a message, and answers it otherwise: there is no number to answer to (JSON-RPC 2.0,
// section 5.1).
func (c *client) pass(w io.Writer, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	m, fault := jsonrpc.DecodeMessage(line)
	if fault != nil {
		text, err := json.Marshal("expected a message of JSON-RPC 2.0 on a line: " + fault.Error())
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		_, err = fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n",
			jsonrpc.CodeParseError, text)
		return err
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.calls.Add(1)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}
