package scan

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"occudiff/internal/bug"
)

// A Handler receives one worker's rows. Within a worker, the rows are in the
// file's order. Between workers there is no order, so the handlers' results
// must be merged in a way that does not depend on it.
type Handler interface {
	Row(r *Row)
}

// Threads returns how many handlers Rows requires.
func (s *Scanner) Threads() int { return s.opt.Threads }

// A turn is the state that a block needs from the blocks before it.
type turn struct {
	rec  *record // the record that began in an earlier block
	line int     // the block's first physical line
}

// A job is one Rows call.
type job struct {
	*Scanner
	ctx     context.Context
	stop    context.CancelFunc
	sel     []int
	columns int
	turns   []chan turn // block n uses turns[n % len(turns)]

	starts  *starters // how lines that begin another table start
	is      func(line []byte) bool
	checked bool          // the first line is known not to begin a table
	halt    chan struct{} // closed if such a line is found

	mu       sync.Mutex
	err      error
	halted   *chunk // block with that line
	haltAt   int
	haltLine int
	waiting  []*chunk // loaded blocks after it
}

// A Break describes lines that begin another table.
type Break struct {
	Starts []string               // possible beginnings of such a line, each at least two bytes long
	Is     func(line []byte) bool // reports whether a line with such a beginning begins a table
}

// starters indexes the possible beginnings by their first byte, with a bit for
// their first two bytes. That bit rejects most lines in a file.
type starters struct {
	texts [256][]string
	two   [1 << 10]uint64
}

func (b *Break) starters() *starters {
	s := new(starters)
	for _, text := range b.Starts {
		s.texts[text[0]] = append(s.texts[text[0]], text)
		two := binary.LittleEndian.Uint16([]byte(text))
		s.two[two>>6] |= 1 << (two & 63)
	}
	return s
}

// may reports whether a line, or its known part, has a known beginning.
func (s *starters) may(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	for _, text := range s.texts[line[0]] {
		n := min(len(text), len(line))
		if string(line[:n]) == text[:n] {
			return true
		}
	}
	return false
}

// Rows reads records up to the next line that begins another table, and passes
// them to the handlers, one goroutine per handler. It returns that line, or nil
// at the end of the input. selected are the columns whose cells are needed, in
// ascending order. columns is the header's column count.
//
// If the context ends, Rows returns its error at once. A reader that blocks may
// then still wait for its input, and the handlers' state must not be used.
func (s *Scanner) Rows(ctx context.Context, selected []int, columns int, handlers []Handler, b Break) (next []byte,
	err error) {
	if _, err := s.Head(); err != nil {
		return nil, err
	}
	starts := b.starters()
	for checked := false; ; checked = true {
		j := &job{Scanner: s, sel: selected, columns: columns, starts: starts, is: b.Is, checked: checked,
			halt: make(chan struct{})}
		if err := j.rows(ctx, handlers); err != nil {
			return nil, err
		}
		if j.halted == nil {
			return nil, nil
		}
		line, err := s.nextLine()
		if err != nil || b.Is(line) {
			return line, err
		}
	}
}

// rows reads records up to a line that may begin another table.
func (j *job) rows(ctx context.Context, handlers []Handler) error {
	j.ctx, j.stop = context.WithCancel(ctx)
	defer j.stop()
	j.turns = make([]chan turn, len(handlers))
	for i := range j.turns {
		j.turns[i] = make(chan turn, 1)
	}
	rec := newRecord(j.delim, j.sel, j.columns)
	rec.begin(j.line)
	j.turns[int(j.cur.index)%len(handlers)] <- turn{rec, j.line - bytes.Count(j.cur.buf[:j.pos], []byte{'\n'})}

	done := make(chan struct{})
	go j.run(handlers, done)
	select {
	case <-done:
	case <-ctx.Done():
		// Workers check the context between blocks. A worker that waits for a
		// pipe cannot.
		select {
		case <-done:
		case <-time.After(200 * time.Millisecond):
		}
		return ctx.Err()
	}
	if j.err != nil {
		return bug.Raise(j.err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c := j.halted; c != nil {
		j.cur, j.pos, j.line = c, j.haltAt, j.haltLine
		slices.SortFunc(j.waiting, func(a, b *chunk) int { return cmp.Compare(a.index, b.index) })
		j.ahead = append(j.waiting, j.ahead...)
		return nil
	}
	j.finish(handlers[0])
	if j.opt.Progress != nil {
		j.opt.Progress(j.read)
	}
	return nil
}

func (j *job) run(handlers []Handler, done chan struct{}) {
	var wg sync.WaitGroup
	for i, h := range handlers {
		c, loaded := newChunk(j.opt.Block), false
		if i == 0 {
			c, loaded = j.cur, true
		}
		// Each worker is created by its own goroutine, so that workers do not
		// share cache lines.
		wg.Go(func() {
			if err := bug.Call(func() error { newWorker(j, c, h).work(loaded); return nil }); err != nil {
				j.fail(err) // otherwise, other workers would wait for its turn
			}
		})
	}
	wg.Wait()
	close(done)
}

func (j *job) fail(err error) {
	j.mu.Lock()
	if j.err == nil {
		j.err = err
	}
	j.mu.Unlock()
	j.stop()
}

// A worker is one goroutine's state.
type worker struct {
	*job
	chunk   *chunk
	handler Handler
	spare   *record // for the record that the block's end interrupts
	row     Row
	ends    []uint32 // a record's ends in the chunk: see Row
}

func newWorker(j *job, c *chunk, h Handler) *worker {
	return &worker{job: j, chunk: c, handler: h, spare: newRecord(j.delim, j.sel, j.columns),
		ends: make([]uint32, len(c.buf)+1+64)} // as many as fit into a block; 64 are written at once
}

// work scans blocks until there are none. The block in which the header ends is
// loaded already.
func (w *worker) work(loaded bool) {
	for w.ctx.Err() == nil {
		from := 0
		if loaded {
			from = w.pos
		} else if err := w.next(); err == io.EOF {
			return
		} else if err != nil {
			w.fail(err)
			return
		}
		if !w.block(from, loaded) {
			return
		}
		loaded = false
	}
}

// next loads the next block. It returns io.EOF if there is none, or if none is
// needed.
func (w *worker) next() error {
	w.mu.Lock()
	halted, ahead := w.halted != nil, w.ahead
	if !halted && len(ahead) > 0 {
		w.chunk, w.ahead = ahead[0], ahead[1:]
	}
	w.mu.Unlock()
	switch {
	case halted:
		return io.EOF
	case len(ahead) > 0:
		return nil
	}
	return w.blocks.next(w.chunk)
}

// breaks reports whether the line at an offset in the chunk begins another
// table, or continues in the next block and may begin one.
func (w *worker) breaks(at int) bool {
	line := w.chunk.buf[min(at, w.chunk.n):w.chunk.n]
	if !w.starts.may(line) || w.checked && w.chunk == w.cur && at == w.pos {
		return false
	}
	end := bytes.IndexByte(line, '\n')
	return end < 0 || w.is(line[:end])
}

// firstBreak returns the first offset in a range at which a line begins another
// table. Both offsets begin a line.
func (w *worker) firstBreak(from, to int) (at int, found bool) {
	if w.breaks(from) {
		return from, true
	}
	c := w.chunk
	for word := from >> 6; word <= (to-1)>>6; word++ {
		lines := c.lines[word]
		if word == from>>6 {
			lines &= ^uint64(0) << (from & 63)
		}
		for ; lines != 0; lines &= lines - 1 {
			at := word<<6 | bits.TrailingZeros64(lines) + 1
			if at+1 < c.n {
				two := binary.LittleEndian.Uint16(c.buf[at : at+2])
				if w.starts.two[two>>6]>>(two&63)&1 == 0 {
					continue
				}
			}
			if w.breaks(at) {
				return at, true
			}
		}
	}
	return 0, false
}

// end ends the job at a line in the chunk.
func (w *worker) end(at, line int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halted, w.haltAt, w.haltLine = w.chunk, at, line
	close(w.halt)
}

// block scans the chunk from an offset. accounted reports whether the serial
// part has counted and hashed the chunk. block returns false if the context has
// ended or if another table begins.
func (w *worker) block(from int, accounted bool) bool {
	c := w.chunk
	masks := bestMasks
	if w.opt.plain {
		masks = plainMasks
	}
	c.mark(w.delim, masks)
	var sum xxh3.Uint128
	if w.digest != nil && !accounted {
		sum = xxh3.Hash128(c.bytes())
	}

	var t turn
	select {
	case t = <-w.turns[int(c.index)%len(w.turns)]:
	case <-w.halt:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waiting = append(w.waiting, c)
		return false
	case <-w.ctx.Done():
		return false
	}
	if !accounted {
		w.account(sum)
	}
	c.line, c.lineAt, c.lineNo = t.line, 0, t.line
	first, ends := from, false
	if t.rec.started() {
		var used int
		if used, ends = t.rec.feed(c.buf[from:c.n]); !ends {
			w.pass(t.rec)
			return true
		}
		first += used
	}
	last, ok := c.resolve(first)
	if !ok {
		rec := w.byBytes(t.rec, ends, first)
		if rec == nil {
			return false
		}
		w.pass(rec)
		return true
	}
	if at, found := w.firstBreak(first, last); found {
		if ends {
			deliver(w.handler, &w.row, t.rec)
		}
		w.rows(first, at)
		w.end(at, c.lineOf(at))
		return false
	}
	next := t.rec
	if ends {
		next, w.spare = w.spare, t.rec
	}
	next.begin(c.lineAfter(last))
	next.feed(c.buf[last:c.n])
	w.pass(next)

	if ends {
		deliver(w.handler, &w.row, t.rec)
	}
	w.rows(first, last)
	return true
}

// byBytes reads the block's records from an offset with the byte machine, while
// the block has its turn. It returns the record that is incomplete at the
// block's end, or nil if another table begins. ended reports whether the first
// record was complete before the offset.
func (w *worker) byBytes(rec *record, ended bool, from int) *record {
	for {
		if ended {
			deliver(w.handler, &w.row, rec)
		}
		if w.breaks(from) {
			w.end(from, rec.curLine)
			return nil
		}
		rec.begin(rec.curLine)
		var used int
		used, ended = rec.feed(w.chunk.buf[from:w.chunk.n])
		if from += used; !ended {
			return rec
		}
	}
}

// pass passes the turn to the next block.
func (w *worker) pass(rec *record) {
	c := w.chunk
	w.turns[int(c.index+1)%len(w.turns)] <- turn{rec, c.line + c.count}
}

// account counts and hashes the chunk in its turn, as Scanner.account does in
// the serial part.
func (w *worker) account(sum xxh3.Uint128) {
	before := w.read
	w.read += int64(w.chunk.n)
	if w.digest != nil {
		h := sum.Bytes()
		w.digest.Write(h[:])
	}
	const every = 4 << 20
	if w.opt.Progress != nil && before/every != w.read/every {
		w.opt.Progress(w.read)
	}
}

// deliver passes an assembled record to the handler, unless it is an empty
// line.
func deliver(h Handler, r *Row, rec *record) {
	if rec.blank {
		return
	}
	r.chunk, r.rec = nil, rec
	r.Fields, r.Extra, r.Open, r.Unended = rec.fields, rec.extra, rec.open(), rec.unended
	r.QuoteLine, r.QuoteColumn = rec.quoteAt[0], rec.quoteAt[1]
	r.buf, r.ends = rec.rowOf()
	h.Row(r)
	r.Open, r.Unended = false, false
}

// finish passes the input's last record to a handler.
func (j *job) finish(h Handler) {
	for _, c := range j.turns {
		select {
		case t := <-c:
			if t.rec.finish() {
				deliver(h, &Row{}, t.rec)
			}
		default:
		}
	}
}
