package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

// TestPage checks that the command writes the page in a checkout, and that it
// serves the page.
func TestPage(t *testing.T) {
	testenv.Long(t) // compiling the page
	t.Chdir(filepath.Join("..", ".."))
	file := filepath.Join(t.TempDir(), "occudiff.html")
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, []string{"page", "-o", file}); status != exitDone {
		t.Fatalf("exit %d: %s", status, errs.String())
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(want, []byte("default-src 'none'")) {
		t.Fatalf("%d bytes, %v", len(want), err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, lines := io.Pipe()
	served := make(chan int, 1)
	go func() {
		a := &app{stdin: strings.NewReader(""), stdout: lines, stderr: io.Discard, getenv: func(string) string { return "" }}
		served <- run(ctx, a, []string{"page", "--serve"})
	}()
	line := make([]byte, 64)
	n, err := address.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(string(line[:n]))
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("served at %s", url)
	}
	for path, status := range map[string]int{"": http.StatusOK, "other": http.StatusNotFound} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		if framed := r.Header.Get("X-Frame-Options"); status == http.StatusOK && framed != "DENY" {
			t.Errorf("frames: %q", framed)
		}
		got, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != status || status == http.StatusOK && !bytes.Equal(got, want) {
			t.Errorf("/%s: %d with %d bytes, want %d", path, r.StatusCode, len(got), status)
		}
	}
	rebound, _ := http.NewRequest(http.MethodGet, url, http.NoBody)
	rebound.Host = "evil.example"
	if r, err := http.DefaultClient.Do(rebound); err != nil || r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under another name: %v, %v", r, err)
	}
	cancel()
	if status := <-served; status != exitDone {
		t.Errorf("after an interrupt it ends with %d", status)
	}
}
