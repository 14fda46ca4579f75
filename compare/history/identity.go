package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"time"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// carrying gives the inputs that make a run known: those that carry its rows, or all.
func carrying(run Run) (list []Input) {
	carries := func(in Input) bool { return in.Carries && in.Digest != "" }
	some := slices.ContainsFunc(run.Inputs, carries)
	for _, in := range run.Inputs {
		if carries(in) || !some && in.Digest != "" {
			list = append(list, in)
		}
	}
	return list
}

// contents lists the digests that make a run known, one for each carrying input, of its rows and of what was said of
// the run: a copy that is compressed or has other line ends is the same. Without any it is a digest of the run itself.
func contents(run Run) (list []string) {
	for _, in := range carrying(run) {
		list = append(list, run.said(cmp.Or(in.Content, in.Digest)))
	}
	if len(list) == 0 {
		list = append(list, run.said(run.digest()))
	}
	return list
}

// said gives the digest of a content with all that was said of the run: a commit that is reverted measures the same,
// and is another run.
func (run *Run) said(content string) string {
	given := ""
	if run.TimeGiven {
		given = run.Time.UTC().Format(time.RFC3339Nano)
	}
	return digestOf(content, given, run.Label, run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit,
		run.Branch, run.Program)
}

// digest sums up the rows of a run that comes without files, and its time, which may be all that tells it from others.
func (run *Run) digest() string {
	h := sha256.New()
	put(h, run.Time.UTC().Format(time.RFC3339Nano))
	for i := range run.Rows {
		r := &run.Rows[i]
		numbers := make([]byte, 0, 8*len(columns))
		for _, o := range r.Values { // none of which is NaN
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(o.Or(math.NaN())))
		}
		put(h, r.identity(), r.Verdict, r.Cause, string(numbers))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identity is a digest of the whole key, kernelIdentity of the key without its program.
func (k Key) identity() string {
	return digestOf(k.Task, k.Global.String(), k.Local.String(), fmt.Sprint(k.SIMD), k.Direction, k.Device, k.Driver,
		k.Program)
}

func (k Key) kernelIdentity() string {
	k.Program = ""
	return k.identity()
}

// stableIdentity is a digest of the key without its program and without what moves in the task's name; "" when nothing
// moves in it.
func (k Key) stableIdentity() string {
	stable, _ := names.Stable(k.Task)
	if stable == k.Task {
		return ""
	}
	k.Task = stable
	return k.kernelIdentity()
}

// digestOf is SHA-256: identities are unique in a table, and nobody can make two kernels meet in one.
func digestOf(texts ...string) string {
	h := sha256.New()
	put(h, texts...)
	return hex.EncodeToString(h.Sum(nil))
}

// put writes texts with their lengths, so that "a", "bc" and "ab", "c" differ.
func put(h hash.Hash, texts ...string) {
	for _, s := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		io.WriteString(h, s)
	}
}

// orNil gives a value for the database, nil when it is not there.
func orNil[T any](o unit.Opt[T]) any {
	if v, ok := o.Value(); ok {
		return v
	}
	return nil
}
