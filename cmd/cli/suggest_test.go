package cli

import "testing"

func TestDidYouMean(t *testing.T) {
	flags := []Choice{
		{"--tolerance", "largest difference that counts as a match"},
		{"--local", "work-group size"},
		{"--global", "number of work-items"},
		{"--allow-unreadable", "accept input with unreadable kernels"},
		{"--allow-unjudged", "let a gate pass kernels that it cannot judge"},
		{"--fail-on", "exit 1 on this"},
		{"--top", "show the first N kernels"},
	}
	terms := Choices([]string{"limited by something else", "occupancy is sufficient", "occupancy", "Xe-core occupancy",
		"balance the work", "more_threads_bound", "balancing_bound", "other_tasks_bound", "device", "count", "count"})
	for _, c := range []struct {
		typed   string
		choices []Choice
		want    string
		why     string
	}{
		{"tolerence", flags, "--tolerance", "one wrong letter"},
		{"--tol", flags, "--tolerance", "the beginning of a name"},
		{"unjudged", flags, "--allow-unjudged", "one word of a name"},
		{"accept-unjudged", flags, "--allow-unjudged", "half of the words: the old name"},
		{"accept-damaged", flags, "--allow-unreadable", "a word of the help: the old name"},
		{"allow", flags, "--allow-unreadable or --allow-unjudged", "two are a choice"},
		{"work-items", flags, "--global", "all words of the help count for more than one"},
		{"vocal", flags, "", "the first letter is rarely wrong"},
		{"accept-a-worse-run", flags, "", "less than half of the words"},
		{"kernels", flags, "", "three names are no help"},
		{"that", flags, "", "short words are in most texts"},
		{"weather", flags, "", "an unrelated word"},
		{"x", flags, "", "a letter"},
		{"", flags, "", "nothing"},
		{"Something else binds", terms, "limited by something else", "most of the words: the old name"},
		{"occupancy is enough", terms, "occupancy is sufficient", "more shared words than the others"},
		{"spread the work", terms, "balance the work", "most of the words: the old name"},
		{"balanced", terms, "balance the work or balancing_bound", "endings differ"},
		{"overlap", Choices([]string{"over_time"}), "", "a short beginning is not a word"},
		{"spread_bound", terms, "", "a word that many names share"},
		{"devcie", terms, "device", "swapped letters"},
		{"coun", terms, "count", "a name that occurs twice is one suggestion"},
		{"account", terms, "", "the first letter is rarely wrong"},
	} {
		want := c.want
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := DidYouMean(c.typed, c.choices); got != want {
			t.Errorf("%s: DidYouMean(%q) = %q, want %q", c.why, c.typed, got, want)
		}
	}
}
