// Package scan reads delimited text fast and exactly: rows, selected columns,
// quotes, positions. It knows no column name, no number and no profiler; a
// caller says which columns it wants and gets their bytes.
//
// A file is cut into blocks of 256 KiB, and each worker takes the next block,
// marks its delimiters, newlines and quotes as bit masks (64 bytes a word, with
// AVX2 where the machine has it), and waits for its turn. The turn hands over
// what only the block before can know: whether the block begins inside a quote,
// the record that is under way, the line number. Resolving the quotes of a
// block in its turn is a few percent of the work, so there is nothing to guess
// and to redo, and quotes that do not follow RFC 4180 mean the same in every
// block. Rows then run in parallel: the ends of all fields of a row are found
// at once (with AVX-512 where the machine has it), since an export has few
// columns that nobody reads.
//
// What a record is agrees with encoding/csv (FieldsPerRecord -1) wherever that
// accepts the text: records end at \n or \r\n, lines without any byte are
// skipped, \r\n inside quotes becomes \n, "" inside quotes is a quote. Where
// encoding/csv gives an error the text is taken as with its LazyQuotes: a quote
// inside a plain field is an ordinary byte, and so is a quote inside a quoted
// field that is followed by neither a quote nor the end of the field.
//
// Memory does not depend on the file: a record that spans blocks keeps only its
// selected cells, and a cell keeps at most MaxCell bytes.
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

// blockSize is the size of the blocks that a file is read, scanned and hashed
// in.
const blockSize = 256 << 10

// MaxCell is the longest cell, unquoted, that is kept; of a longer one only the
// beginning is (Row.Long).
const MaxCell = 64 << 10

// maxThreads bounds the memory that buffers take; more threads than this wait
// for memory, not for each other.
const maxThreads = 8

// Input is where the bytes come from.
type Input struct {
	At   io.ReaderAt // random access, with Size; nil when there is none
	Size int64       // without At only how many bytes to expect, 0 or less when it is unknown
	R    io.Reader   // the bytes from the start, used when At is nil
}

// Options say how to read. The zero value is right for files.
type Options struct {
	Threads  int                    // 0: as many as the machine has, at most 8
	Hash     bool                   // compute Digest
	Progress func(bytesSoFar int64) // called now and then, never by two goroutines at once; may be nil
	Block    int                    // block size; 0 means blockSize. For tests: any size from 1 gives the same rows
	plain    bool                   // for tests: as on machines without vector instructions
	_        struct{}
}

// Scanner reads one input: Head, then Begin, then Record for the header, then
// Rows.
type Scanner struct {
	opt    Options
	blocks blocks
	delim  byte
	cur    *chunk   // the block in which the serial part stands
	pos    int      // where in cur
	line   int      // physical line of pos
	ahead  []*chunk // blocks after cur that are loaded, but neither hashed nor counted
	digest *xxh3.Hasher
	read   int64
}

// New prepares a Scanner; nothing is read yet.
func New(in Input, opt Options) *Scanner {
	if opt.Block <= 0 {
		opt.Block = blockSize
	}
	if opt.Threads <= 0 {
		opt.Threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	if in.At != nil || in.Size > 0 { // a small file needs neither the buffers nor the threads of a large one
		opt.Threads = int(min(int64(opt.Threads), max(1, (in.Size+int64(opt.Block)-1)/int64(opt.Block))))
		opt.Block = int(min(int64(opt.Block), max(1, in.Size)))
	}
	s := &Scanner{opt: opt, blocks: blocks{in: in, size: opt.Block}, line: 1}
	if opt.Hash {
		s.digest = xxh3.New()
	}
	return s
}

// Head returns the first block, to look for a header in. The bytes are valid
// until Record or Rows is called.
func (s *Scanner) Head() ([]byte, error) {
	if s.cur == nil {
		s.cur = newChunk(s.opt.Block)
		if err := s.load(); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return s.cur.bytes(), nil
}

// Begin sets the delimiter, which may be any byte but a quote, \r and \n, and
// skips bytes.
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

// load brings the next block into cur.
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

// nextLine returns the line at pos, without its end, or nothing of a line that
// is longer than a block.
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

// account does what must happen to blocks in the order of the file.
func (s *Scanner) account(c *chunk) {
	s.read += int64(c.n)
	if s.digest != nil {
		h := xxh3.Hash128(c.bytes()).Bytes()
		s.digest.Write(h[:])
	}
}

// Digest returns "xxh3:" and the 128-bit XXH3 of the XXH3 hashes of all blocks,
// in hexadecimal; "" unless Options.Hash was set. It is complete after Rows.
func (s *Scanner) Digest() string {
	if s.digest == nil {
		return ""
	}
	h := s.digest.Sum128().Bytes()
	return "xxh3:" + hex.EncodeToString(h[:])
}

// Record reads the next record without selecting columns, a field at a time, so
// that a header of any width takes no memory. It returns the physical line on
// which the record begins, and io.EOF when there is no record. A record that
// the input ends in the middle of a quote of is given as far as it goes, with
// ErrQuote.
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

// ErrQuote states that the input ends inside a quoted field.
var ErrQuote = errors.New("the file ends inside a quoted field")
