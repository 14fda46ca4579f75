package bug

import (
	"errors"
	"strings"
	"testing"
)

func TestCall(t *testing.T) {
	plain := errors.New("plain")
	var none map[string]int
	for _, c := range []struct {
		reason string
		f      func() error
		want   string // beginning of the error
	}{
		{"success", func() error { return nil }, ""},
		{"an error is not a panic", func() error { return plain }, "plain"},
		{"a panic of the program", func() error { panic("no such cell") }, "panic at internal/bug/bug_test.go:19: no such cell"},
		{"a panic of the runtime", func() error { none["a"] = 1; return nil }, "panic at internal/bug/bug_test.go:20: assignment to entry in nil map"},
		{"a slice that is too short", func() error { _ = make([]int, len(none))[len(none)]; return nil }, "panic at internal/bug/bug_test.go:21: runtime error: index out of range"},
		{"a function called by it", func() error { return fails(nil) }, "panic at internal/bug/bug_test.go:46: runtime error: invalid memory address"},
		{"a panic of another goroutine keeps its place", func() error {
			other := make(chan error)
			go func() { other <- Call(func() error { return fails(nil) }) }()
			return Raise(<-other)
		}, "panic at internal/bug/bug_test.go:46: "},
	} {
		err := Call(c.f)
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
		if p, ok := errors.AsType[*Panic](err); ok && len(p.Calls) < 3 {
			t.Errorf("%s: the calls are %q", c.reason, p.Calls)
		}
	}
	if err := Raise(plain); err != plain {
		t.Errorf("Raise returns %v", err)
	}
}

func fails(p *Panic) error {
	p.Calls[0] = ""
	return nil
}
