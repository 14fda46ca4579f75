package vtuneresult

import "errors"

// dicer returns an error, because the page does not read a finalized result's
// SQLite database. SQLite would make the page larger than its 4 MB limit, and
// the program's traces contain the same launches.
func (a *adapter) dicer(string) error {
	return errors.New("the page does not read it, but the command-line program does")
}
