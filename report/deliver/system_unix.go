//go:build unix

package deliver

import (
	"io/fs"
	"os"
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

// lock tells other runs that a temporary file is held. Where the file system has no locks none of them is removed.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// removeUnheld removes a temporary file unless a run holds it.
func removeUnheld(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) {
		os.Remove(path)
	}
}
