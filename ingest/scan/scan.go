// Package scan reads delimited text fast and exactly: rows, selected columns,
// quotes, and positions. It does not know column names, numbers, or profilers.
// The caller selects columns and receives their bytes.
//
// A file is divided into 256 KiB blocks. Each worker reads the next block and
// marks its delimiters, newlines, and quotes as bit masks, 64 bytes per word,
// with AVX2 if the machine supports it. Then it waits for its turn. The turn
// contains the state that only the previous block knows: whether the block
// begins inside a quote, the incomplete record, and the line number. Resolving
// a block's quotes during its turn takes a few percent of the time. Therefore
// no worker guesses and repeats work, and quotes that violate RFC 4180 have the
// same meaning in every block. After that, rows are read in parallel. All field
// ends in a row are found at once, with AVX-512 if the machine supports it,
// because almost every column in an export is used.
//
// Records agree with encoding/csv (FieldsPerRecord -1) if encoding/csv accepts
// the text:
//
//   - Records end at \n or \r\n.
//   - Lines without any byte are skipped.
//   - \r\n inside quotes becomes \n.
//   - "" inside quotes is a quote.
//
// If encoding/csv returns an error, the text is read like with its LazyQuotes.
// A quote inside a plain field is an ordinary byte. So is a quote inside a
// quoted field if it is followed by neither a quote nor the field's end.
//
// The memory does not depend on the file size: a record that crosses blocks
// keeps only its selected cells, and a cell keeps at most MaxCell bytes.
package scan

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"runtime"

	"github.com/zeebo/xxh3"
)

// blockSize is the block size in which a file is read, scanned, and hashed.
const blockSize = 256 << 10

// MaxCell is an unquoted cell's maximum length. Only a longer cell's beginning
// is kept (Row.Long).
const MaxCell = 64 << 10

// maxThreads limits the memory for buffers. With more threads, the memory
// bandwidth is the limit.
const maxThreads = 8

// An Input is where the bytes come from.
type Input struct {
	At   io.ReaderAt // random access, with Size; may be nil
	Size int64       // expected byte count if At is nil; 0 or less if unknown
	R    io.Reader   // the bytes from the start, used if At is nil
}

// Options are settings for reading. The zero value is correct for files.
type Options struct {
	Threads  int                    // 0: as many as the machine has, at most 8
	Hash     bool                   // compute Digest
	Progress func(bytesSoFar int64) // called regularly, never by two goroutines at once; may be nil
	// Block is the block size; 0 means blockSize. It exists for tests, because
	// any size from 1 returns the same rows.
	Block int
	plain bool // for tests: do not use vector instructions
	_     struct{}
}

// A Scanner reads one input. Call Head, then Begin, then Record for the header,
// then Rows.
type Scanner struct {
	opt    Options
	blocks blocks
	delim  byte
	cur    *chunk   // the serial part's current block
	pos    int      // offset in cur
	line   int      // the physical line at pos
	ahead  []*chunk // blocks after cur that are loaded, but neither hashed nor counted
	digest *xxh3.Hasher
	read   int64
}

// New returns a Scanner. It does not read anything yet.
func New(in Input, opt Options) *Scanner {
	if opt.Block <= 0 {
		opt.Block = blockSize
	}
	if opt.Threads <= 0 {
		opt.Threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	if in.At != nil || in.Size > 0 { // a small file needs fewer buffers and threads
		opt.Threads = int(min(int64(opt.Threads), max(1, (in.Size+int64(opt.Block)-1)/int64(opt.Block))))
		opt.Block = int(min(int64(opt.Block), max(1, in.Size)))
	}
	s := &Scanner{opt: opt, blocks: blocks{in: in, size: opt.Block}, line: 1}
	if opt.Hash {
		s.digest = xxh3.New()
	}
	return s
}

// Head returns the first block, in which the caller looks for a header. The
// bytes are valid until Record or Rows is called.
func (s *Scanner) Head() ([]byte, error) {
	if s.cur == nil {
		s.cur = newChunk(s.opt.Block)
		if err := s.load(); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return s.cur.bytes(), nil
}

// Begin sets the delimiter and skips bytes. The delimiter may be any byte
// except a quote, \r, and \n.
func (s *Scanner) Begin(delim byte, skip int) error {
	if delim == '"' || delim == '\n' || delim == '\r' {
		return errors.New("scan: a quote or a line end cannot be the delimiter")
	}
	s.delim = delim
	for {
		rest := s.cur.bytes()[s.pos:]
		n := min(skip, len(rest))
		s.line += bytes.Count(rest[:n], []byte{'\n'})
		s.pos += n
		if skip -= n; skip == 0 {
			return nil
		}
		if err := s.load(); err != nil {
			return err
		}
	}
}

// load reads the next block into cur.
func (s *Scanner) load() error {
	if len(s.ahead) > 0 {
		s.cur, s.ahead = s.ahead[0], s.ahead[1:]
	} else if err := s.blocks.next(s.cur); err != nil {
		return err
	}
	s.pos = 0
	s.account(s.cur)
	return nil
}

// nextLine returns the line at pos without its line end. It returns nothing if
// the line is longer than a block.
func (s *Scanner) nextLine() ([]byte, error) {
	line := bytes.Clone(s.cur.bytes()[s.pos:])
	for i := 0; ; i++ {
		if end := bytes.IndexByte(line, '\n'); end >= 0 || len(line) > blockSize {
			return line[:max(end, 0)], nil
		}
		if i == len(s.ahead) {
			c := newChunk(s.opt.Block)
			if err := s.blocks.next(c); err == io.EOF {
				return line, nil
			} else if err != nil {
				return nil, err
			}
			s.ahead = append(s.ahead, c)
		}
		line = append(line, s.ahead[i].bytes()...)
	}
}

// account counts and hashes a block. Blocks must be accounted in the file's
// order.
func (s *Scanner) account(c *chunk) {
	s.read += int64(c.n)
	if s.digest != nil {
		h := xxh3.Hash128(c.bytes()).Bytes()
		s.digest.Write(h[:])
	}
}

// Digest returns "xxh3:" followed by the hexadecimal 128-bit XXH3 over all
// blocks' XXH3 hashes, or "" if Options.Hash is not set. It is complete after
// Rows.
func (s *Scanner) Digest() string {
	if s.digest == nil {
		return ""
	}
	h := s.digest.Sum128().Bytes()
	return "xxh3:" + hex.EncodeToString(h[:])
}

// Record reads the next record without selecting columns, one field at a time,
// so that even a wide header needs no memory. It returns the physical line on
// which the record begins, or io.EOF at the end of the input. If the input ends
// inside a quote, the fields up to the end are passed to field, and the error
// is ErrQuote.
func (s *Scanner) Record(ctx context.Context, field func(column int, text []byte)) (line int, err error) {
	if _, err := s.Head(); err != nil {
		return 0, err
	}
	rec := newRecord(s.delim, nil, 0)
	rec.onField = field
	rec.begin(s.line)
	for {
		used, done := rec.feed(s.cur.bytes()[s.pos:])
		s.pos += used
		s.line = rec.curLine
		if done {
			if rec.blank {
				rec.begin(s.line)
				continue
			}
			return rec.line, nil
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		switch err := s.load(); {
		case err == io.EOF:
			s.cur.n, s.pos = 0, 0
			if !rec.finish() {
				return 0, io.EOF
			}
			if rec.open() {
				return rec.line, ErrQuote
			}
			return rec.line, nil
		case err != nil:
			return 0, err
		}
	}
}

// ErrQuote means that the input ends inside a quoted field.
var ErrQuote = errors.New("the file ends inside a quoted field")
