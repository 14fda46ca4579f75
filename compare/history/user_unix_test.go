//go:build unix

package history

import (
	"os"
	"syscall"
)

// die ends this process at once, as a power failure would.
func die() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
