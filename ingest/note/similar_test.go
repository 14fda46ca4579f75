package note_test

import (
	"testing"

	"occudiff/ingest/note"
)

func TestDidYouMean(t *testing.T) {
	for _, c := range []struct {
		typed  string
		names  []string
		want   string // empty for no suggestion
		reason string
	}{
		{"heder.csv", []string{"data.csv", "header.csv"}, "header.csv", "one letter is missing"},
		{"READM", []string{"readme"}, "readme", "upper and lower case are equal"},
		{"run", []string{"other", "run.hotspots.csv"}, "run.hotspots.csv", "the beginning of a name"},
		{"r", []string{"run.csv"}, "", "one letter is not a beginning"},
		{"devixe", []string{"device", "devine"}, "device", "the first of two equally near names"},
		{"tile", []string{"xves", "tiles"}, "tiles", "a prefix"},
		{"abcdefxyz", []string{"abcdefghi"}, "", "three wrong letters"},
		{"abx", []string{"abc"}, "abc", "one wrong letter of three"},
		{"ax", []string{"ab"}, "", "one wrong letter of two"},
		{"vocal", []string{"local"}, "", "the first letter is rarely wrong"},
		{"", []string{"a"}, "", "nothing is typed"},
		{"run.csv", nil, "", "no names"},
	} {
		want := c.want
		if want != "" {
			want = "; did you mean out/" + want + "?"
		}
		if got := note.DidYouMean("out/", c.typed, c.names); got != want {
			t.Errorf("%s: %q, want %q", c.reason, got, want)
		}
	}
}
