package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mount mounts a small file system until the test ends. It requires root.
func mount(t *testing.T, options string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting a small file system takes root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(mount(t, "size=2m"), "history.db")
	d := open(t, path)
	stored := 0
	var err error
	for i := range 200 {
		if _, err = d.Add(bg, sample(i, 200)); err != nil {
			break
		}
		stored++
	}
	want := "adding a run to " + path + ": the disk is full, nothing was changed; free some space and try again ("
	if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), want) || stored == 0 {
		t.Fatalf("after %d runs: %v\nwant %s", stored, err, want)
	}
	check := func(d *DB) {
		t.Helper()
		whole(t, d)
		if list, err := d.List(bg); err != nil || len(list) != stored {
			t.Fatalf("%d runs are there, %v; want %d", len(list), err, stored)
		}
	}
	check(d)
	d.Close()
	// With more space, the same add succeeds.
	if err := syscall.Mount("tmpfs", filepath.Dir(path), "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	check(d)
	add(t, d, sample(stored, 200))
	stored++
	check(d)
}

// TestFullDiskAtFirst checks that a full disk leaves no partial file that would
// later be accepted as a history.
func TestFullDiskAtFirst(t *testing.T) {
	dir := mount(t, "size=16k")
	path := filepath.Join(dir, "history.db")
	if _, err := Open(bg, path, Options{}); !errors.Is(err, errFull) {
		t.Fatalf("Open on a disk of 16 KiB = %v, want a full disk", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	add(t, open(t, path), sample(0, 5))
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mount(t, "size=4m")
	path := filepath.Join(dir, "history.db")
	d := open(t, path)
	add(t, d, sample(0, 3))
	d.Close()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("remounting is not possible here: %v", err)
	}
	_, err := Open(bg, path, Options{})
	want := "the history cannot be written: " + path + ", nothing was changed; check its permissions, or name another file with --db ("
	if !errors.Is(err, errReadOnly) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Open = %v\nwant %s", err, want)
	}
	// Reading still works.
	d, err = Open(bg, path, Options{MustExist: true, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if list, err := d.List(bg); err != nil || len(list) != 1 {
		t.Errorf("List = %v, %v; want one run", list, err)
	}
	if _, err := d.Add(bg, sample(1, 3)); !errors.Is(err, errReadOnly) {
		t.Errorf("Add = %v, want an error of a history that cannot be written", err)
	}
}

// TestReadOnlyFile checks a file that the user cannot write. The test starts
// itself as another user, because root may write every file.
func TestReadOnlyFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "occro") // other users cannot enter a folder that t.TempDir made
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "history.db")
	d := open(t, path)
	add(t, d, sample(0, 3))
	d.Close()
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(dir, 0o755)
	// The test binary must be readable by the other user, too.
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	copied, err := os.MkdirTemp("", "occexe")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(copied)
	os.Chmod(copied, 0o755)
	binary := filepath.Join(copied, "history.test")
	if err := os.WriteFile(binary, self, 0o755); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	run := func(verb string) (string, error) {
		c := again(t, verb, 1, path)
		c.Path, c.Dir = binary, "/"
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		var out, complaint strings.Builder
		c.Stdout, c.Stderr = &out, &complaint
		if err := c.Run(); err != nil {
			return complaint.String(), err
		}
		return out.String(), nil
	}
	out, err := run("add")
	want := "the history cannot be written: " + path + ", nothing was changed; check its permissions, or name another file with --db ("
	if err == nil || !strings.HasPrefix(out, want) {
		t.Errorf("add says %q, %v\nwant %s", out, err, want)
	}
	if out, err := run("list"); err != nil || out != "1" {
		t.Errorf("list says %q, %v; want one run", out, err)
	}
	if after := snapshot(t, dir); after != before {
		t.Error("a file that must not be written was changed")
	}
}

// TestPragmas checks that committed data survives a power failure, and that a
// writer waits for another writer.
func TestPragmas(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "history.db"))
	for pragma, want := range map[string]string{"journal_mode": "delete", "synchronous": "2", "busy_timeout": "30000"} {
		var got string
		if err := d.sql.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
		}
	}
}
