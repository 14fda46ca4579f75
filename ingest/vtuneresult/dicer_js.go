package vtuneresult

import (
	"errors"
	"io/fs"
	"path"
)

// dicer says that the tables of a finalized result, a SQLite database, are not read in a browser: SQLite would make the
// page larger than its 4 MB, and the traces of the program hold the same launches.
func (a *adapter) dicer() (found bool, err error) {
	name := path.Join(a.dir, "sqlite-db", "dicer.db")
	if info, err := fs.Stat(a.fs, name); err != nil || info.Size() == 0 {
		return false, nil
	}
	return false, errors.New("a browser does not read it, and the program does")
}
