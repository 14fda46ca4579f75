package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	in      io.Reader
	mu      sync.Mutex // of the rest; writes are whole messages
	out     io.Writer
	waiting map[jsonrpc.ID]bool // calls without an answer
	ended   atomic.Bool         // it is gone
}

func newClient(in io.Reader, out io.Writer) *client {
	return &client{in: in, out: out, waiting: map[jsonrpc.ID]bool{}}
}

// mostMessage is how long a message may be: paths and flags, no files.
const mostMessage = 1 << 20

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
		for lines := bufio.NewReaderSize(c.in, mostMessage); ; {
			line, err := lines.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				c.refuse(fmt.Errorf("it has more than %d bytes", mostMessage))
				for line = nil; err == bufio.ErrBufferFull; {
					_, err = lines.ReadSlice('\n')
				}
			}
			if text := bytes.TrimSpace(line); len(text) > 0 {
				m, fault := jsonrpc.DecodeMessage(text)
				if call, ok := m.(*jsonrpc.Request); ok && fault == nil && call.IsCall() {
					c.mu.Lock()
					c.waiting[call.ID] = true
					c.mu.Unlock()
				}
				if fault == nil {
					// Clipped: text is part of the reader's buffer, into which append would write.
					_, fault = w.Write(append(slices.Clip(text), '\n'))
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

// refuse answers a line that is no message: there is no number to answer to (JSON-RPC 2.0, section 5.1).
func (c *client) refuse(fault error) {
	text, err := json.Marshal("expected a message of JSON-RPC 2.0 on a line: " + fault.Error())
	if err != nil {
		return // a text can always be written
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", jsonrpc.CodeParseError,
		text)
}
