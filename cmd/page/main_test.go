package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestVet looks at the program as it is for browsers: on any other system it has no files.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling for another system takes long; run without -short")
	}
	c := exec.Command("go", "vet", ".")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
