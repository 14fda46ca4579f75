//go:build !unix

package main

import "io/fs"

// umask: systems without one take the permissions from the folder.
func umask() fs.FileMode { return 0 }
