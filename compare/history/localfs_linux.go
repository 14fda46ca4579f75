package history

import (
	"path/filepath"
	"syscall"
)

// localFileSystem says whether the folder of path lies on a file system of this machine. Only known ones count: a name
// that is not in the list gets the rollback journal, which is right everywhere.
func localFileSystem(path string) bool {
	var s syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &s) != nil {
		return false
	}
	// Magic numbers of linux/magic.h and of the file systems' own headers. The sign differs between architectures.
	switch uint32(s.Type) {
	case 0xEF53, // ext2, ext3, ext4
		0x58465342, // XFS
		0x9123683E, // Btrfs
		0x01021994, // tmpfs
		0x858458F6, // ramfs
		0x2FC12FC1, // ZFS
		0xF2F52010, // F2FS
		0xCA451A4E, // bcachefs
		0x3153464A, // JFS
		0x52654973, // ReiserFS
		0x794C7630: // overlayfs, of containers
		return true
	}
	return false
}
