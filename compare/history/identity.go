package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"occudiff/ingest/symbol"
	"occudiff/ingest/unit"
)

// carrying gives the inputs that make a run known: those that carry its rows, or all.
func carrying(run Run) []Input {
	with := func(keep func(in *Input) bool) (list []Input) {
		for _, in := range run.Inputs {
			if in.Digest != "" && keep(&in) {
				list = append(list, in)
			}
		}
		return list
	}
	if list := with(func(in *Input) bool { return in.Carries }); len(list) > 0 {
		return list
	}
	return with(func(*Input) bool { return true })
}

// contents lists the digests that make a run known, each once, sorted: an input has one of its bytes and one of its
// rows, each together with what was said of the run. Without any it is a digest of the run itself.
func contents(run Run) []string {
	if run.contents != nil {
		return run.contents
	}
	var list []string
	for _, in := range carrying(run) {
		list = append(list, run.said(in.Digest))
		if in.Content != "" {
			list = append(list, run.said(in.Content))
		}
	}
	if len(list) == 0 {
		return []string{"rows:" + run.digest()}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// said gives the digest of a content with all that was said of the run: a commit that is reverted measures the same,
// and is another run.
func (run *Run) said(content string) string {
	given := ""
	if run.TimeGiven {
		given = run.Time.UTC().Format(time.RFC3339Nano)
	}
	return "run:" + digestOf(content, given, run.Label, run.Host, run.JobID, run.Device, run.Driver, run.VTune,
		run.Commit, run.Branch, run.Program)
}

// saysAsMuch says whether a run that was stored when runs were known by their files alone has all that is said of this
// one. It knows no branch.
func (run *Run) saysAsMuch(old *Run) bool {
	past := *old
	past.TimeGiven, past.Branch = run.TimeGiven, run.Branch
	return past.said("") == run.said("")
}

// digest sums up what a run says, for runs that come without files.
// Digests that are stored are compared with those of today, so a field that is new enters only where it has a value.
func (run *Run) digest() string {
	var parts []*number
	for _, m := range []Metric{Underfilled, Empty, Shortfall} {
		if n, err := m.number(); err == nil {
			parts = append(parts, n)
		}
	}
	h := sha256.New()
	put(h, run.Time.UTC().Format(time.RFC3339Nano), run.Label, run.JobID, run.Device, run.Driver)
	if run.Program != "" {
		put(h, "program "+run.Program)
	}
	for i := range run.Rows {
		r := &run.Rows[i]
		// These six, and the others only where there is one: a digest that is stored must come out again.
		put(h, run.memo.of(r.Key).whole, fmt.Sprint(absent(r.Measured), absent(r.Residual), absent(r.Loaded),
			absent(r.Average), absent(r.Total), orNil(r.Instances)))
		if r.Verdict != "" {
			put(h, "verdict "+r.Verdict)
		}
		if r.Spill.Present() {
			put(h, fmt.Sprint("spill ", absent(r.Spill)))
		}
		for _, n := range parts {
			if _, there := n.get(r); there {
				put(h, fmt.Sprint(string(n.metric)+" ", n.value(r)))
			}
		}
		if r.PredictedPeak.Present() && !r.Measured.Present() {
			put(h, fmt.Sprint("peak ", absent(r.PredictedPeak)))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identity is a digest of the whole key. Without a program it is that of histories which did not know programs.
func (k Key) identity() string {
	texts := []string{k.Task, k.Global.String(), k.Local.String(), fmt.Sprint(k.SIMD), k.Direction, k.Device, k.Driver}
	if k.Program != "" {
		texts = append(texts, k.Program)
	}
	return digestOf(texts...)
}

// kernelIdentity is a digest of the key without its program, taskIdentity of the task alone.
func (k Key) kernelIdentity() string {
	k.Program = ""
	return k.identity()
}

func (k Key) taskIdentity() string { return digestOf(k.Task) }

// stableIdentity is a digest of the key without its program and without what moves in the task's name; "" when nothing
// moves in it.
func (k Key) stableIdentity() string {
	stable, _ := symbol.Stable(k.Task)
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
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		io.WriteString(h, s)
	}
}

// absent gives a number, nil when it is not there.
func absent[T ~float64](o unit.Opt[T]) any {
	if v, ok := o.Value(); ok {
		return float64(v)
	}
	return nil
}

// orNil gives a value for the database, nil when it is not there.
func orNil[T any](o unit.Opt[T]) any {
	if v, ok := o.Value(); ok {
		return v
	}
	return nil
}
