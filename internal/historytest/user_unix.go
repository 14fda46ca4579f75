//go:build unix

package historytest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// postgresUser gives the ids to run the server as, when this process is root.
func postgresUser() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, err
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, nil
}

// giveToPostgres makes a folder that of the user that the server runs as: initdb writes into it and the server makes
// its socket there.
func giveToPostgres(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := postgresUser()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

// asPostgres makes a command run as that user. Without root it stays the user of the tests.
func asPostgres(c *exec.Cmd) {
	if os.Getuid() != 0 {
		return
	}
	if uid, gid, err := postgresUser(); err == nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
