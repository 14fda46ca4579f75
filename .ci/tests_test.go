package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJudge checks which skipped tests fail the check. A test that is skipped
// because a program is missing always does.
func TestJudge(t *testing.T) {
	allowed := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(allowed, []byte("# corpora\na TestCorpus\na TestFull(Disk)? # takes root\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	line := func(action, test, output string) string {
		return `{"Action":"` + action + `","Package":"occudiff/a","Test":"` + test + `","Output":"` + output + `"}` + "\n"
	}
	skip := func(test, why string) string {
		return line("output", test, `    a_test.go:7: `+why+`\n`) + line("skip", test, "")
	}
	for _, c := range []struct{ reason, in, want string }{
		{"all pass", line("pass", "TestA", ""), ""},
		{"may skip", skip("TestCorpus", "the real profiler output is not installed next to the project"), ""},
		{"may skip, by an expression", skip("TestFullDisk", "mounting takes root"), ""},
		{"is not in the list", skip("TestA", "no reason"), "must not skip here: a TestA"},
		{"a subtest of an allowed test", skip("TestCorpus/x", "no reason"), "must not skip here: a TestCorpus/x"},
		{"more than the expression", skip("TestFullDisks", "no reason"), "must not skip here: a TestFullDisks"},
		{"may skip, but not without Chromium", skip("TestCorpus", "Chromium is not installed, so pages cannot be opened"),
			"must not skip here: a TestCorpus"},
		{"may skip, but not without PostgreSQL", skip("TestCorpus", "PostgreSQL is not installed"), "must not skip here: a TestCorpus"},
		{"may skip, but not without LibreOffice", skip("TestCorpus", "soffice is not installed"), "must not skip here: a TestCorpus"},
		{"may skip, but not without ocloc", skip("TestCorpus", "ocloc is not installed"), "must not skip here: a TestCorpus"},
		{"a package without tests", line("skip", "", ""), ""},
		{"a failure", line("fail", "TestA", ""), "failed: a TestA"},
		{"a package that does not build", `{"Action":"build-fail","ImportPath":"occudiff/b"}`, "failed: occudiff/b"},
		{"no output of go test", "FAIL", "this is not the output"},
	} {
		got := ""
		if err := run(strings.NewReader(c.in), allowed); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	if _, err := readAllowed("skips"); err != nil {
		t.Error(err)
	}
}
