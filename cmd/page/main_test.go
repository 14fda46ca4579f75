package main

import (
	"os"
	"os/exec"
	"testing"

	"occudiff/internal/testenv"
)

// TestVet runs go vet for browsers. On any other system, the build constraints
// exclude all files, so the usual go vet does not check the program.
func TestVet(t *testing.T) {
	testenv.Long(t) // compiling for another system
	c := exec.Command("go", "vet", ".")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
