//go:build !unix

package historytest

import (
	"os/exec"
)

// There is no other user to run the server as; the tests that need it on a Unix socket skip on Windows.
func giveToPostgres(string) error { return nil }

func asPostgres(*exec.Cmd) {}
