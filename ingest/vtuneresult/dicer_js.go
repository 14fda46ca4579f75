package vtuneresult

import (
	"errors"
	"io/fs"
	"path"
)

// dicer says that a browser reads no database.
func (a *adapter) dicer() (found bool, err error) {
	if _, err := fs.Stat(a.fs, path.Join(a.dir, "sqlite-db", "dicer.db")); err == nil {
		return false, errors.New("a database is not readable in a browser")
	}
	return false, nil
}
