package ingest

import "testing"

func TestHideSecrets(t *testing.T) {
	for _, c := range []struct{ reason, line, want string }{
		{"nothing to hide", "./keyapp --size=3 a.key /opt/home", "./keyapp --size=3 a.key /opt/home"},
		{"a flag and its value", "./app --api-key abc -n 3 --hf_token=def x", "./app --api-key xxxxx -n 3 --hf_token=xxxxx x"},
		{"quotes", `./app --Password "a b" --client-secret='c d' x`, `./app --Password xxxxx --client-secret=xxxxx x`},
		{"VTune's colon", `./app --token: "1" x`, `./app --token: xxxxx x`},
		{"a switch, followed by a flag", "./app --no-token --size 3", "./app --no-token --size 3"},
		{"a variable", "env AWS_SECRET_ACCESS_KEY=abc MY_TOKEN=d ./app", "env AWS_SECRET_ACCESS_KEY=xxxxx MY_TOKEN=xxxxx ./app"},
		{"a URL", "./app --db postgres://me:a@b@host/x", "./app --db postgres://me:xxxxx@host/x"},
		{"homes", `"/home/me/a" --in=/Users/me/b /nfs/home/me C:\Users\Me\x.exe`, `"~/a" --in=~/b ~ ~\x.exe`},
	} {
		if got := HideSecrets(c.line); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.reason, got, c.want)
		}
	}
}
