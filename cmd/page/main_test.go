package main

import (
	"os"
	"os/exec"
	"testing"

	"occudiff/internal/testenv"
)

// TestVet vets the program for browsers, because on any other system it has no
// files.
func TestVet(t *testing.T) {
	testenv.Long(t) // compiling for another system
	c := exec.Command("go", "vet", ".")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
