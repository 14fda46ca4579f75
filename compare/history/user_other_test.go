//go:build !unix

package history

import "os"

// die ends this process without any clean-up.
func die() { os.Exit(9) }
