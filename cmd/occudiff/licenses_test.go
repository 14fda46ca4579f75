package main

import (
	"bytes"
	"fmt"
	"maps"
	"occudiff/internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licenseWords contains, for each license, its SPDX name and words that occur
// only in this license.
var licenseWords = []struct{ name, words string }{
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated"},
	{"Apache-2.0", "apache license version 2.0"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms.* neither the names? of.* may be used to endorse"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms"},
	{"BSL-1.0", "boost software license"},
	{"ISC", "permission to use, copy, modify, and(/or)? distribute this software for any purpose with or without fee"},
	{"public domain", "public domain|disclaims copyright to this source code"},
	{"SunPro", "developed at sun(pro|soft)"},
	{"W3C", "test suites and other documents"},
	{"a disclaimer", "ignace bogaert"},
	{"an image", "commons.wikimedia.org"},
	{"MPL-2.0", "mozilla public license"}, {"LGPL", "gnu lesser general public license"},
	{"GPL", "gnu (affero )?general public license"},
	{"EPL", "eclipse public license"}, {"CDDL", "common development and distribution"},
}

// copyleft matches the names of licenses that require publishing the source of
// linked programs.
var copyleft = regexp.MustCompile(`GPL|MPL|EPL|CDDL`)

var licenseFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|third_party_licenses)`)

// licensesOf returns the names of the licenses in a file, or in the license
// files of a folder.
func licensesOf(path string) (names []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		for _, e := range entries {
			more, ferr := licensesOf(filepath.Join(path, e.Name()))
			if ferr != nil {
				return nil, ferr
			}
			names = append(names, more...)
		}
		return names, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	plain := strings.ToLower(strings.Join(strings.FieldsFunc(string(text), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n*/#\"", r)
	}), " "))
	for _, l := range licenseWords {
		if l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
			continue
		}
		if regexp.MustCompile(l.words).MatchString(plain) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: a license that this test does not know: read it and add it", path)
	}
	return names, nil
}

// linked returns the modules that the program links on any released system,
// with the folders of their packages.
func linked(t *testing.T) map[string][]string {
	t.Helper()
	modules := map[string][]string{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		c := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
		c.Env = append(c.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			w := strings.Split(strings.TrimSpace(line), "\t")
			for dir := w[2]; len(dir) >= len(w[1]); dir = filepath.Dir(dir) { // a package may have its own license
				if !slices.Contains(modules[w[0]], dir) {
					modules[w[0]] = append(modules[w[0]], dir)
				}
			}
		}
	}
	return modules
}

// TestLicenses compares docs/licenses.md with the license files of the linked
// modules. -update rewrites its table.
func TestLicenses(t *testing.T) {
	modules := linked(t)
	var table bytes.Buffer
	table.WriteString("| module | licenses |\n|---|---|\n")
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		var names []string
		for _, dir := range modules[module] {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !licenseFile.MatchString(e.Name()) {
					continue
				}
				found, err := licensesOf(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Error(err)
				}
				names = append(names, found...)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
		if len(names) == 0 {
			t.Errorf("%s has no license", module)
		}
		fmt.Fprintf(&table, "| %s | %s |\n", module, strings.Join(names, ", "))
	}
	const path = "../../docs/licenses.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := bytes.Cut(page, []byte("| module |"))
	_, after, _ := bytes.Cut(rest, []byte("\n\n"))
	if testenv.Update() {
		page = slices.Concat(before, table.Bytes(), []byte("\n"), after)
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(page, table.Bytes()) {
		t.Errorf("%s does not list what is linked; read the licenses that are new, then run this test with -update:\n%s",
			path, table.Bytes())
	}
	for _, name := range copyleft.FindAllString(table.String(), -1) {
		if !bytes.Contains(after, []byte(name)) {
			t.Errorf("%s says nothing of %s, which asks for the source of what is linked with it", path, name)
		}
	}
}
