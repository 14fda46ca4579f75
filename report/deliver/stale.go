package deliver

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// ours is what temporary files are called.
var ours = regexp.MustCompile(`^\.occudiff-[0-9]+(\.[a-z]+)?$`)

// staleAfter is how old a temporary file is at least before it counts as left behind: between making one and locking it
// there is a moment.
const staleAfter = time.Minute

// removeStale removes the temporary files of runs that were killed: those that nobody holds any more.
func removeStale(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !ours.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			removeUnheld(filepath.Join(folder, e.Name()))
		}
	}
}
