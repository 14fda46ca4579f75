//go:build !unix

package history

import (
	"os"
	"os/exec"
)

func giveToPostgres(string) error { return nil }

func asPostgres(*exec.Cmd) {}

// die ends this process without any clean-up.
func die() { os.Exit(9) }
