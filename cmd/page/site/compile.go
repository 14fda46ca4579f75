package site

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Sources finds the checkout of occudiff that a folder is in, "" when it is in none.
func Sources(folder string) string {
	for {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if line, _, _ := strings.Cut(string(text), "\n"); err == nil && strings.TrimSpace(line) == "module occudiff" {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// small are flags of the compiler: inlining everywhere makes the program a tenth larger, so only what reads exports,
// predicts and copies is inlined.
var small = []string{"all=-l", "occudiff/ingest/scan=", "occudiff/ingest/vtune=", "occudiff/ingest/unit=",
	"occudiff/predict=", "runtime=", "internal/runtime/...=", "internal/bytealg=", "internal/strconv=", "bytes=",
	"strconv=", "bufio=", "sync/...="}

// Compile builds the program from its sources with the Go on PATH and puts it into a page.
// The glue is that of the Go that compiles, since the two change together. Nothing of the build stays behind.
func Compile(ctx context.Context, sources, version string) (string, error) {
	dir, err := os.MkdirTemp("", "occudiff-page-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "page.wasm")
	args := []string{"build", "-trimpath", "-ldflags=-s -w -X main.version=" + version, "-o", out}
	for _, flag := range small {
		args = append(args, "-gcflags="+flag)
	}
	build := exec.CommandContext(ctx, "go", append(args, "./cmd/page")...)
	build.Dir = sources
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the page's program does not build: %w: %s", err, bytes.TrimSpace(said))
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return "", err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	glue, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return "", err
	}
	return write(wasm, string(glue))
}
