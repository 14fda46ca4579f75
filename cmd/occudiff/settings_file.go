package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/ingest/note"
)

// settingsName is the file of settings, in the working folder or in the nearest parent that has one.
const settingsName = "occudiff.yaml"

// settingsFile is what the file says. Keys that this version does not know are kept.
type settingsFile struct {
	thresholds map[string]float64 // the gate's of each metric, as --threshold takes it

	path string // "" when there is none
	doc  yaml.Node
}

// name names the file as people and CI systems read it; empty when there is none.
func (f *settingsFile) name() string { return cli.FromHere(f.path) }

// readSettings reads the nearest file of settings; without one all settings have their defaults.
func readSettings() (*settingsFile, error) {
	f := &settingsFile{thresholds: map[string]float64{}}
	folder, err := os.Getwd()
	if err != nil {
		return f, nil
	}
	for {
		path := filepath.Join(folder, settingsName)
		text, err := os.ReadFile(path)
		if err == nil {
			f.path = path
			return f, f.read(text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, cli.Errorf("%s cannot be read: %v", path, note.Reason(err))
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return f, nil
		}
		folder = parent
	}
}

func (f *settingsFile) read(text []byte) error {
	if err := yaml.Unmarshal(text, &f.doc); err != nil {
		return cli.Errorf("%s: %v", f.path, err)
	}
	thresholds := f.find("track", "threshold")
	if thresholds == nil {
		return nil
	}
	for i := 0; i+1 < len(thresholds.Content); i += 2 {
		name, value := thresholds.Content[i], thresholds.Content[i+1]
		if _, err := history.ParseMetric(name.Value); err != nil {
			return cli.Errorf("%s:%d: track.threshold: %v", f.path, name.Line, err)
		}
		x, err := strconv.ParseFloat(value.Value, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return cli.Errorf("%s:%d: track.threshold.%s is %q; expected a number from 0, as in 2.5", f.path,
				value.Line, name.Value, value.Value)
		}
		f.thresholds[name.Value] = x
	}
	return nil
}

// find gives the mapping under some keys, nil when there is none.
func (f *settingsFile) find(keys ...string) *yaml.Node {
	if len(f.doc.Content) == 0 {
		return nil
	}
	node := f.doc.Content[0]
	for _, key := range keys {
		if node = valueOf(node, key); node == nil {
			return nil
		}
	}
	return node
}

// valueOf gives the value of a key in a mapping, nil when there is none.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// setThreshold changes the threshold of a metric. Everything else in the file stays, comments too.
func (f *settingsFile) setThreshold(m history.Metric, x float64) {
	if len(f.doc.Content) == 0 {
		f.doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	thresholds := child(child(f.doc.Content[0], "track", yaml.MappingNode), "threshold", yaml.MappingNode)
	value := child(thresholds, string(m), yaml.ScalarNode)
	value.Value, value.Tag, value.Style = strconv.FormatFloat(x, 'f', -1, 64), "", 0
}

// Write writes the file, in the working folder when there was none.
func (f *settingsFile) Write() error {
	f.path = cmp.Or(f.path, settingsName)
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(&f.doc), e.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	next := f.path + ".new"
	if err := os.WriteFile(next, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.path, note.Reason(err))
	}
	return os.Rename(next, f.path)
}

// child gives the value of a key in a mapping, making it when there is none of the kind.
func child(mapping *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	if node := valueOf(mapping, key); node != nil && node.Kind == kind {
		return node
	}
	node := &yaml.Node{Kind: kind}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, node)
	return node
}
