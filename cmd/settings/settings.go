// Package settings reads what a user need not repeat on the command line: the file of settings, and the variables of
// the environment that speak before it. A setting is a flag; the file also keeps the thresholds of the history's gate.
package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"occudiff/cmd/cli"
)

// Names are the flags that the file of settings and the environment give where the command line does not.
func Names() []string {
	return []string{"device", "xve", "device-file", "tolerance", "model-tolerance", "sampling-interval", "columns",
		"db"}
}

// Given is a setting that somebody gave, and where.
type Given struct{ Text, From string }

// Variable is the environment variable of a setting: OCCUDIFF_SAMPLING_INTERVAL.
func Variable(name string) string {
	return "OCCUDIFF_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Setting gives a setting from the environment, else from the file. A file that it names is beside the file of
// settings.
func (f *File) Setting(name string, getenv func(string) string) (g Given, ok bool, err error) {
	if text := getenv(Variable(name)); text != "" {
		return Given{text, "$" + Variable(name)}, true, nil
	}
	node := f.find(name)
	if node == nil || node.Tag == "!!null" {
		return Given{}, false, nil
	}
	path := f.Path()
	g = Given{node.Value, fmt.Sprintf("%s:%d", path, node.Line)}
	switch node.Kind {
	case yaml.ScalarNode:
	case yaml.SequenceNode:
		var words []string
		for _, word := range node.Content {
			words = append(words, word.Value)
		}
		g.Text = strings.Join(words, ",")
	default:
		return Given{}, false, cli.Errorf("%s: %s: expected a value", g.From, name)
	}
	if name == "device-file" || name == "db" && !strings.Contains(g.Text, "://") {
		if g.Text != "" && !filepath.IsAbs(g.Text) {
			g.Text = filepath.Join(filepath.Dir(path), g.Text)
		}
	}
	return g, g.Text != "", nil
}

// Unknown lists the keys that are no settings: a slip would otherwise go unnoticed.
func (f *File) Unknown() (keys []string) {
	top := f.find()
	if top == nil {
		return nil
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if key := top.Content[i]; key.Value != "track" && !slices.Contains(Names(), key.Value) {
			keys = append(keys, fmt.Sprintf("%s:%d: warning: %s is not a setting", f.Path(), key.Line,
				key.Value)+cli.DidYouMean(key.Value, append(Names(), "track")))
		}
	}
	return keys
}
