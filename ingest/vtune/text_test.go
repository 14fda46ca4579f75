package vtune

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
)

func TestText(t *testing.T) {
	const (
		head = "Computing Task  Work Size:Global  Computing Task:Total Time  Computing Task:Instance Count  Transfer Size:Host-to-Device  XVE Threads Occupancy(%)\n"
		rule = "--------------  ----------------  -------------------------  -----------------------------  ----------------------------  ------------------------\n"
		k    = "K<int, 7>               2048 x 8                     1.071s                          2,047                         0.0 B                     62.7%\n"
		copy = "copy                                                38.5ms                              3                       1.05 MB                      0.0%\n"
	)
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"a report in a file: units and thousands separators; the lines are lines of the file", head + rule + k + copy + "AppendBarrier        \n", []string{
			"2 rows, 0 bad",
			"3|K<int, 7>|2048x8||-||n 2047|t 1.071|measured 62.7|threads -|barriers -|spill -",
			"4|copy|||-|host-to-device|n 3|t 0.0385|measured 0|threads -|barriers -|spill -"}},
		{"with progress messages of vtune, directly before the header, and Windows line ends",
			strings.ReplaceAll("vtune: Using result path `r000gh'\nvtune: Executing actions 19%\rvtune: Executing actions 75% Generating a report        "+
				head+rule+k+"vtune: Executing actions 100% done\n", "\n", "\r\n"), []string{
				"1 rows, 0 bad", "4|K<int, 7>|2048x8||-||n 2047|t 1.071|measured 62.7|threads -|barriers -|spill -"}},
		{"with decimal commas", head + rule + strings.NewReplacer("1.071", "1,071", "62.7", "62,7").Replace(k), []string{
			"1 rows, 0 bad", "3|K<int, 7>|2048x8||-||n 2047|t 1.071|measured 62.7|threads -|barriers -|spill -"}},
		{"a line that is not aligned with the columns is a bad row", head + rule + k + "a line that somebody else has printed between\n", []string{
			"1 rows, 1 bad", "3|K<int, 7>|2048x8||-||n 2047|t 1.071|measured 62.7|threads -|barriers -|spill -",
			"run.txt:4: error: bad row: 1 fields; expected 6 as in the header on line 1 (the file may be cut off: export it again)"}},
		{"no rows", head + rule, []string{"error: run.txt:1: the export has a header but no rows; expected a row per " +
			"computing task (" + collectHint + ")"}},
	} {
		if !Text.Sniff([]byte(c.text)) || Format.Sniff([]byte(c.text)) {
			t.Errorf("%s: must be sniffed only as a text report", c.reason)
		}
		src := &ingest.Source{Path: "run.txt", Size: -1, R: strings.NewReader(c.text)}
		if d := cmp.Diff(c.want, listed(Text.Read(context.Background(), src, ingest.ReadOptions{}))); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}
