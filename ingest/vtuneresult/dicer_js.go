package vtuneresult

import "errors"

// dicer states that the tables of a finalized result, a SQLite database, are
// not read in a browser: SQLite would make the page larger than its 4 MB, and
// the traces of the program hold the same launches.
func (a *adapter) dicer(string) error {
	return errors.New("a browser does not read it, and the program does")
}
