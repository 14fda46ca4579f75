package track_test

import (
	"os"
	"testing"
)

// TestMain places the histories in memory if the system has a folder there. On
// a disk, each stored run waits for the disk, which takes most of the time.
func TestMain(m *testing.M) {
	dir := ""
	if os.Getenv("TMPDIR") == "" {
		dir, _ = os.MkdirTemp("/dev/shm", "track")
		os.Setenv("TMPDIR", dir)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
