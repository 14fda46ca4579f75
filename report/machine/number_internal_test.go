package machine

import "testing"

func TestNumber(t *testing.T) {
	tenth, fifth := 0.1, 0.2
	for _, test := range []struct {
		reason string
		x      float64
		want   string
	}{
		{"a difference that is short to a person", 60.8 - float64(60.5), "0.3"},
		{"a sum", tenth + fifth, "0.3"},
		{"a computed value keeps its digits", 99.51409135082604, "99.51409135082604"},
		{"small", 7.755434740393886e-5, "0.00007755434740393886"},
		{"whole", 20, "20"},
		{"none", 0, "0"},
	} {
		if got := number(test.x); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}
