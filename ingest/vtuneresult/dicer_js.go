package vtuneresult

import "errors"

// dicer returns an error, because the page does not read the SQLite database of
// a finalized result. SQLite would make the page larger than its 4 MB limit,
// and the program's traces contain the same launches.
func (a *adapter) dicer(string) error {
	return errors.New("a browser does not read it, and the program does")
}
