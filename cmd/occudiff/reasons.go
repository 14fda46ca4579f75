package main

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/report"
)

// reasons are those that --accept-unjudged takes: all of them where it is given without one.
type reasons []string

// String implements pflag.Value.
func (r *reasons) String() string { return strings.Join(*r, ",") }

// Type implements pflag.Value.
func (r *reasons) Type() string { return "reasons" }

// Bare is what the flag means without a value; see cli.Declare.
func (r *reasons) Bare() string { return strings.Join(report.UnjudgedReasons(), ",") }

// Set implements pflag.Value. What is given again is added.
func (r *reasons) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); !slices.Contains(report.UnjudgedReasons(), word) {
			return fmt.Errorf("%q: expected %s, with commas between them", word, strings.Join(report.UnjudgedReasons(), ", "))
		}
		*r = append(*r, word)
	}
	return nil
}
