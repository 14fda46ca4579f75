// Command tests reads the output of `go test -json`. It fails if a test failed or
// if a test was skipped that is not in .ci/skips. It prints the failures and all
// skipped tests with their reasons.
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
	ImportPath                    string // only if a package does not build
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
	output := map[string][]string{} // by package and test
	var skips, failures []string
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
			output[name] = append(output[name], e.Output)
		// The output of a test is kept until it ends. Passed tests print none.
		case "pass":
			delete(output, name)
		// The event of a package has no test. Its output already names it.
		case "fail", "build-fail":
			fmt.Printf("%s%s", strings.Join(output[name], ""), map[bool]string{true: "",
				false: "FAIL " + name + "\n"}[e.Test == ""])
			failures = append(failures, "failed: "+name+e.ImportPath)
		case "skip":
			if e.Test == "" {
				continue // a package without tests
			}
			why := reason(output[name])
			skips = append(skips, name+": "+why)
			if missing.MatchString(why) ||
				!slices.ContainsFunc(allowed, func(re *regexp.Regexp) bool { return re.MatchString(name) }) {
				failures = append(failures, "must not skip here: "+name)
			}
		}
	}
	slices.Sort(skips)
	fmt.Printf("%d tests skipped\n", len(skips))
	for _, s := range skips {
		fmt.Println("  " + s)
	}
	if len(failures) > 0 {
		return errors.New(strings.Join(failures, "\n"))
	}
	return nil
}

// missing matches the reason of a test that was skipped because a program is
// missing that .ci/run installs. No test may be skipped for this reason, even
// if it is in .ci/skips. The names are the first words of the reasons.
var missing = regexp.MustCompile(`(?i)^(chromium|soffice|postgresql|pgbouncer|ocloc|pdftoppm|node)\b`)

// place matches the position before the text of a log line.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason returns the reason why a test was skipped, from its output.
func reason(lines []string) string {
	for _, l := range lines {
		if place.MatchString(l) {
			return strings.TrimSpace(place.ReplaceAllString(l, ""))
		}
	}
	return "no reason given"
}

// readAllowed returns the tests that may be skipped, one regular expression per
// line. # begins a comment.
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
