//go:build !unix

package history

import "os"

// die ends this process without any cleanup.
func die() { os.Exit(9) }
