package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentLinks checks that the file and the heading of each relative link
// in the documentation exist.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s:]*)(#[^)\s]+)?\)`)
	heading, other := regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "fixtures/*.md"} {
		found, _ := filepath.Glob(filepath.Join("..", "..", pattern))
		pages = append(pages, found...)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(read(page), -1) {
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if m[2] != "" {
				found := false
				for _, h := range heading.FindAllStringSubmatch(read(target), -1) {
					slug := strings.ReplaceAll(other.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
					found = found || "#"+slug == m[2]
				}
				if !found {
					t.Errorf("%s: %s has no heading %s", page, target, m[2])
				}
			}
		}
	}
	if len(pages) < 15 {
		t.Errorf("only %d pages", len(pages))
	}
}
