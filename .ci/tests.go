// Command tests reads the output of `go test -json` and fails when a test
// failed, and when one skipped that must run here. It prints what failed, and
// every skip with its reason. What may skip is in .ci/skips.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json.
// A package that does not build has an ImportPath and no Package.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of what does not build
}

func main() {
	if err := run(os.Stdin, ".ci/skips"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(in io.Reader, allowedFile string) error {
	allowed, err := readAllowed(allowedFile)
	if err != nil {
		return err
	}
	said := map[string][]string{} // by package and test
	var skips, red []string
	dec := json.NewDecoder(bufio.NewReader(in))
	for {
		var e event
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("this is not the output of go test -json: %w", err)
		}
		name := strings.TrimSpace(strings.TrimPrefix(e.Package, "occudiff/") + " " + e.Test)
		switch e.Action {
		case "output", "build-output":
			said[name] = append(said[name], e.Output)
		// What a test said is kept until it ends; of one that passed nobody
		// reads it.
		case "pass":
			delete(said, name)
		// The event of a package has no test to name; what it printed is alone.
		case "fail", "build-fail":
			fmt.Printf("%s%s", strings.Join(said[name], ""), map[bool]string{true: "",
				false: "FAIL " + name + "\n"}[e.Test == ""])
			red = append(red, "failed: "+name+e.ImportPath)
		case "skip":
			if e.Test == "" {
				continue // a package without tests
			}
			why := reason(said[name])
			skips = append(skips, name+": "+why)
			if missing.MatchString(why) ||
				!slices.ContainsFunc(allowed, func(re *regexp.Regexp) bool { return re.MatchString(name) }) {
				red = append(red, "must not skip here: "+name)
			}
		}
	}
	slices.Sort(skips)
	fmt.Printf("%d tests skipped\n", len(skips))
	for _, s := range skips {
		fmt.Println("  " + s)
	}
	if len(red) > 0 {
		return errors.New(strings.Join(red, "\n"))
	}
	return nil
}

// missing is the reason of a skip for want of a program that .ci/run installs.
// No test may have it, also not one that may skip for another reason. Its words
// are those with which the tests begin their reasons.
var missing = regexp.MustCompile(`(?i)^(chromium|soffice|postgresql|pgbouncer|ocloc|pdftoppm|node)\b`)

// place is what is before the text of a log line.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason finds why a test skipped in what it said.
func reason(lines []string) string {
	for _, l := range lines {
		if place.MatchString(l) {
			return strings.TrimSpace(place.ReplaceAllString(l, ""))
		}
	}
	return "no reason given"
}

// readAllowed reads the names of tests that may skip, a regular expression a
// line; # begins a comment.
func readAllowed(path string) ([]*regexp.Regexp, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*regexp.Regexp
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		re, err := regexp.Compile("^(?:" + line + ")$")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, re)
	}
	return list, nil
}
