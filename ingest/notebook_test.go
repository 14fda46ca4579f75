package ingest

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// notebookOf returns a notebook as Jupyter writes it: each output line is a
// line in the file.
func notebookOf(t testing.TB, indent string, outputs ...any) string {
	t.Helper()
	cells := []any{map[string]any{"cell_type": "markdown", "source": []string{"Vector size: 1\n"}, "metadata": map[string]any{}}}
	for _, o := range outputs {
		cells = append(cells, map[string]any{"cell_type": "code", "source": []string{"! ./q run.sh\n"}, "outputs": []any{o}})
	}
	b, err := json.MarshalIndent(map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4}, "", indent)
	if err != nil {
		t.Fatal(err)
	}
	if indent == "" {
		b = []byte(strings.ReplaceAll(string(b), "\n", ""))
	}
	return string(b)
}

func printedBy(text string) (string, bool, error) {
	src := &Source{Path: "a.ipynb", R: bufio.NewReaderSize(strings.NewReader(text), sniffSize)}
	is, err := fromNotebook(src)
	if err != nil {
		return "", is, err
	}
	b, err := io.ReadAll(src.R)
	return string(b), is, err
}

func TestNotebook(t *testing.T) {
	stream := func(lines ...string) any {
		return map[string]any{"output_type": "stream", "name": "stdout", "text": lines}
	}
	for _, c := range []struct {
		reason, text, want string
	}{
		{"only outputs, not the other parts of a cell", notebookOf(t, " ", stream("a\n", "b\n"), stream("c")), "a\nb\nc\n"},
		{"an output that is one string", notebookOf(t, " ", map[string]any{"output_type": "stream", "text": "a\nb"}, stream("c\n")), "a\nb\nc\n"},
		{"only the plain text form of a result", notebookOf(t, " ",
			map[string]any{"output_type": "execute_result", "data": map[string]any{"text/html": "<b>", "text/plain": []string{"a"}}}), "a\n"},
		{"after a byte order mark", "\ufeff" + notebookOf(t, " ", stream("a\n")), "a\n"},
		{"in one line", notebookOf(t, "", stream("a\n", "b\n")), "a\nb\n"},
		{"worksheets of version 3", `{"worksheets": [{"cells": [{"cell_type": "code", "outputs": [{"text": ["a\n", "b"]}]}]}]}`, "a\nb\n"},
	} {
		got, is, err := printedBy(c.text)
		if err != nil || !is || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.reason, got, err, c.want)
		}
	}

	text := notebookOf(t, " ", stream("first\n"), stream("second\n", "third\n"))
	for _, c := range []struct{ reason, text, want string }{
		{"cut off", text[:len(text)-40], "a.ipynb:40: the notebook cannot be read: unexpected end of JSON input (save the notebook again)"},
		{"never run", notebookOf(t, " "), "a.ipynb: no cell of the notebook has printed anything (run its cells and save it, or give what they print as a file)"},
		{"brackets that never close", `{"cells": [{"cell_type":` + strings.Repeat("[", 1<<20), "a.ipynb:1: the notebook cannot be read: invalid character '[' exceeded max depth"},
		{"a number for a text", `{"cells": [{"cell_type": "code", "outputs": [{"text": 5}]}]}`, "a.ipynb: the notebook cannot be read: json: cannot unmarshal number"},
		{"invalid JSON", `{"cells": [{"cell_type": code}]}`, "a.ipynb:1: the notebook cannot be read: invalid character 'c' looking for beginning of value"},
	} {
		if _, _, err := printedBy(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
	for _, other := range []string{"", "{}", `{"traceEvents": [], "cells": 1}`, "Running on device: A", "\"cells\" \"cell_type\""} {
		if got, is, err := printedBy(other); is || err != nil || got != other {
			t.Errorf("%q is read as a notebook: %q, %v", other, got, err)
		}
	}
}

// FuzzNotebook checks that nothing panics, and that a file that is not a
// notebook is unchanged.
func FuzzNotebook(f *testing.F) {
	f.Add(notebookOf(f, " ", map[string]any{"text": []string{"a\n"}}))
	f.Add(`{"cells": [{"cell_type": "code", "outputs": [{"text": "a\r\nb"}, {"data": {"text/plain": ["x"]}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, is, err := printedBy(text)
		if !is && (err != nil || got != text) {
			t.Errorf("%q returned %q, %v", text, got, err)
		}
		if is && err == nil && strings.TrimSpace(got) == "" {
			t.Errorf("%q returned nothing", text)
		}
	})
}
