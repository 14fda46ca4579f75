package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"

	"occudiff/compare/history"
	"occudiff/report/outfile"
)

// configName is the file of settings, in the working folder or in the nearest parent that has one.
const configName = "occudiff.yaml"

// config is what the file says. Keys that this version does not know are kept.
type config struct {
	path string // "" when there is none
	doc  yaml.Node
	// threshold is the gate's of each metric, as --threshold takes it.
	threshold map[string]float64
}

// readConfig reads the nearest file of settings; without one all settings have their defaults.
func readConfig() (*config, error) {
	c := &config{threshold: map[string]float64{}}
	folder, err := os.Getwd()
	if err != nil {
		return c, nil
	}
	for {
		path := filepath.Join(folder, configName)
		text, err := os.ReadFile(path)
		if err == nil {
			c.path = path
			return c, c.read(text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, usageErrorf("%s cannot be read: %v", path, outfile.Reason(err))
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return c, nil
		}
		folder = parent
	}
}

func (c *config) read(text []byte) error {
	if err := yaml.Unmarshal(text, &c.doc); err != nil {
		return usageErrorf("%s: %v", c.path, err)
	}
	thresholds := c.find("track", "threshold")
	if thresholds == nil {
		return nil
	}
	for i := 0; i+1 < len(thresholds.Content); i += 2 {
		name, value := thresholds.Content[i], thresholds.Content[i+1]
		if _, err := history.ParseMetric(name.Value); err != nil {
			return usageErrorf("%s:%d: track.threshold: %v", c.path, name.Line, err)
		}
		x, err := strconv.ParseFloat(value.Value, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return usageErrorf("%s:%d: track.threshold.%s is %q; expected a number from 0, as in 2.5", c.path,
				value.Line,
				name.Value, value.Value)
		}
		c.threshold[name.Value] = x
	}
	return nil
}

// find gives the mapping under some keys, nil when there is none.
func (c *config) find(keys ...string) *yaml.Node {
	if len(c.doc.Content) == 0 {
		return nil
	}
	node := c.doc.Content[0]
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
func (c *config) setThreshold(m history.Metric, x float64) {
	if len(c.doc.Content) == 0 {
		c.doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	thresholds := child(child(c.doc.Content[0], "track", yaml.MappingNode), "threshold", yaml.MappingNode)
	value := child(thresholds, string(m), yaml.ScalarNode)
	value.Value, value.Tag, value.Style = strconv.FormatFloat(x, 'f', -1, 64), "", 0
}

// write writes the file, in the working folder when there was none.
func (c *config) write() error {
	if c.path == "" {
		c.path = configName
	}
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(&c.doc), e.Close()); err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	next := c.path + ".new"
	if err := os.WriteFile(next, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("%s cannot be written: %w", c.path, outfile.Reason(err))
	}
	return os.Rename(next, c.path)
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
