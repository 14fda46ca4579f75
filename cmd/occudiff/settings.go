package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"occudiff/cmd/cli"
)

// A setting is what a user need not repeat on the command line: a flag that a variable of the environment or the file
// of settings gives. The file also keeps the thresholds of the history's gate.

// settingNames are the flags that the file of settings and the environment give where the command line does not.
func settingNames() []string {
	return []string{"device", "xve", "device-file", "tolerance", "model-tolerance", "sampling-interval", "columns",
		"db"}
}

// given is a setting that somebody gave, and where.
type given struct{ text, from string }

// settingVariable is the environment variable of a setting: OCCUDIFF_SAMPLING_INTERVAL.
func settingVariable(name string) string {
	return "OCCUDIFF_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// setting gives a setting from the environment, else from the file. A file that it names is beside the file of
// settings.
func (f *settingsFile) setting(name string, getenv func(string) string) (g given, ok bool, err error) {
	if text := getenv(settingVariable(name)); text != "" {
		return given{text, "$" + settingVariable(name)}, true, nil
	}
	node := f.find(name)
	if node == nil || node.Tag == "!!null" {
		return given{}, false, nil
	}
	path := f.name()
	g = given{node.Value, fmt.Sprintf("%s:%d", path, node.Line)}
	switch node.Kind {
	case yaml.ScalarNode:
	case yaml.SequenceNode:
		var words []string
		for _, word := range node.Content {
			words = append(words, word.Value)
		}
		g.text = strings.Join(words, ",")
	default:
		return given{}, false, cli.Errorf("%s: %s: expected a value", g.from, name)
	}
	if name == "device-file" || name == "db" && !strings.Contains(g.text, "://") {
		if g.text != "" && !filepath.IsAbs(g.text) {
			g.text = filepath.Join(filepath.Dir(path), g.text)
		}
	}
	return g, g.text != "", nil
}

// unknown lists the keys that are no settings: a slip would otherwise go unnoticed.
func (f *settingsFile) unknown() (keys []string) {
	top := f.find()
	if top == nil {
		return nil
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if key := top.Content[i]; key.Value != "track" && !slices.Contains(settingNames(), key.Value) {
			keys = append(keys, fmt.Sprintf("%s:%d: warning: %s is not a setting", f.name(), key.Line,
				key.Value)+cli.DidYouMean(key.Value, append(settingNames(), "track")))
		}
	}
	return keys
}
