package main

import (
	"io"
	"slices"
	"strings"

	"occudiff/compare/history"
	"occudiff/ingest"
	"occudiff/report"
)

// provenance is what a report gives as its origin.
func (a *app) provenance() report.Provenance {
	return report.Provenance{Version: version(), CommandLine: a.commandLine(), Label: a.Label, Show: a.show}
}

// commandLine is what a report gives as its origin, without passwords: reports are handed on.
// A password can stand in a word of its own behind its flag (--token abc), so each word is also looked at together with
// the one before it.
func (a *app) commandLine() []string {
	if a.NoCommand {
		return nil
	}
	words := []string{"occudiff"}
	for i, w := range a.args {
		w = ingest.HideSecrets(history.Mask(w))
		if i > 0 && !strings.HasSuffix(ingest.HideSecrets(a.args[i-1]+" "+w), w) {
			w = "xxxxx" // of the flag before it
		}
		words = append(words, w)
	}
	return words
}

// maskSecrets keeps the passwords of the command line and of the history's name off standard error, whichever message
// quotes them, however they got there.
func (a *app) maskSecrets() {
	words := append(slices.Clone(a.args), a.getenv(settingVariable("db")))
	if file, err := readSettings(); err == nil { // another error is reported where the file is needed
		g, _ := file.setting("db", a.getenv)
		words = append(words, g.text)
	}
	// Whole words come before their parts: where both begin at one place a Replacer takes the first, and a masked word
	// still names its user and host.
	var pairs []string
	for _, w := range words {
		if safe := history.Mask(w); safe != w {
			pairs = append(pairs, w, safe)
		}
	}
	for _, w := range words {
		for _, secret := range history.Secrets(w) {
			if len(secret) >= 4 { // less would make other words unreadable, and guessing it takes no log
				pairs = append(pairs, secret, "xxxxx")
			}
		}
	}
	if len(pairs) > 0 {
		a.stderr = masked{a.stderr, strings.NewReplacer(pairs...)}
	}
}

// masked is a stream without secrets.
// A secret that is split over two writes gets through. Messages of the program are one write each.
type masked struct {
	io.Writer
	replace *strings.Replacer
}

// Write implements io.Writer.
func (m masked) Write(p []byte) (int, error) {
	if _, err := m.replace.WriteString(m.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
