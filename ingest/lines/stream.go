package lines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"occudiff/ingest"
)

// A Stream is the bytes of a source: it stops when the context is cancelled, reports progress and takes the digest of
// what passes when the options ask for one.
type Stream struct {
	ctx   context.Context
	r     io.Reader
	hash  hash.Hash
	opt   ingest.ReadOptions
	read  int64
	shown int64
	ended error
}

// NewStream reads the source from its start.
func NewStream(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Stream {
	s := &Stream{ctx: ctx, r: src.R, opt: opt}
	if opt.Hash {
		s.hash = sha256.New()
	}
	return s
}

// Read implements io.Reader. It reads little at a time, so that cancelling stops at once.
func (s *Stream) Read(p []byte) (int, error) {
	if s.ended != nil {
		return 0, s.ended
	}
	if err := s.ctx.Err(); err != nil {
		s.ended = err
		return 0, err
	}
	n, err := s.r.Read(p[:min(len(p), checkEvery)])
	s.read += int64(n)
	if s.hash != nil {
		s.hash.Write(p[:n])
	}
	if s.opt.Progress != nil && (s.read-s.shown >= checkEvery || err == io.EOF) {
		s.shown = s.read
		s.opt.Progress(s.read)
	}
	s.ended = err
	return n, err
}

// Digest gives the digest of all that was read when the options asked for one, else "".
func (s *Stream) Digest() string {
	if s.hash == nil {
		return ""
	}
	return "sha256:" + hex.EncodeToString(s.hash.Sum(nil))
}
