package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
)

// TestFewFlags checks that the help of each common command shows at most 15
// flags. It also checks that every flag is documented, either in the help of
// its command or in the list of all flags.
func TestFewFlags(t *testing.T) {
	shown := regexp.MustCompile(`(?m)^ +(-\w, )?--(\S+)`)
	flags := func(args ...string) (names []string) {
		status, out, stderr := runCommand(args...)
		if status != exitDone {
			t.Fatalf("%v: exit %d, %s", args, status, stderr)
		}
		for line := range strings.Lines(out) {
			if len(line) > 81 {
				t.Errorf("%v: a line has %d columns, of which a terminal has 80: %s", args, len(line)-1, line)
			}
		}
		if i := strings.Index(out, "\nFlags"); i >= 0 {
			out = out[i:]
		}
		for _, m := range shown.FindAllStringSubmatch(out, -1) {
			names = append(names, m[2])
		}
		return names
	}
	for _, command := range []string{"validate", "diff", "predict", "collect", "demo"} {
		if list := flags(command, "--help"); len(list) < 5 || len(list) > 15 {
			t.Errorf("the help of %s shows %d flags, 15 are enough: %v", command, len(list), list)
		}
	}
	all := map[string]bool{"help": true}
	for _, name := range flags("help", "flags") {
		all[name] = true
	}
	for _, c := range cli.All((&app{}).rootCommand()) {
		if !c.IsAvailableCommand() {
			continue
		}
		help := map[string]bool{}
		for _, name := range flags(append(strings.Fields(c.CommandPath())[1:], "--help")...) {
			help[name] = true
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !all[f.Name] && !help[f.Name] {
				t.Errorf("no help text has --%s of %s", f.Name, c.CommandPath())
			}
		})
	}
}
