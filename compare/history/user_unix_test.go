//go:build unix

package history

import (
	"os"
	"syscall"
)

// die ends this process as a power cut would.
func die() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
