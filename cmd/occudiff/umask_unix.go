//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// umask gives the permissions that new files do not get. Temporary files are made for their owner alone; reports are to
// be readable like any other file. Reading it means setting it twice: done once, before any file is written in
// parallel.
func umask() fs.FileMode {
	m := syscall.Umask(0)
	syscall.Umask(m)
	return fs.FileMode(m)
}
