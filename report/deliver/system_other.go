//go:build !unix

package deliver

import (
	"io/fs"
	"os"
)

// umask: systems without one take the permissions from the folder.
func umask() fs.FileMode { return 0 }

// lock: an open file cannot be removed here.
func lock(*os.File) bool { return true }

// removeUnheld removes a temporary file unless a run holds it.
func removeUnheld(path string) { os.Remove(path) }
