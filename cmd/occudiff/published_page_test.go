package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var commandAndText = regexp.MustCompile("(?s)```sh\n(.*?)```\n```text\n(.*?)```")

// TestPublishedPage runs each command of docs/published-tables.md and checks
// that it prints the lines below the command. The page lists published numbers
// that the program reproduces. A command may fail only if the lines below it
// are an error message.
func TestPublishedPage(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "published-tables.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	pairs := commandAndText.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "```sh"); len(pairs) != n || n == 0 {
		t.Fatalf("%d of %d commands have text below them", len(pairs), n)
	}
	oneBlank := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, p := range pairs {
		var out, messages strings.Builder
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &messages, getenv: func(name string) string {
			return map[string]string{"COLUMNS": "180"}[name]
		}}
		args := strings.Fields(strings.TrimPrefix(strings.TrimSpace(p[1]), "occudiff "))
		status := run(context.Background(), a, args)
		if fails := strings.HasPrefix(p[2], "occudiff: "); fails {
			out.WriteString(messages.String())
		} else if status != exitDone {
			t.Errorf("%s: exit %d: %s", p[1], status, messages.String())
		}
		printed := oneBlank(out.String())
		for line := range strings.Lines(p[2]) {
			if !strings.Contains(printed, oneBlank(line)) {
				t.Errorf("%s does not print %q:\n%s", strings.TrimSpace(p[1]), oneBlank(line), out.String())
			}
		}
	}
}
