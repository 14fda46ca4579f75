package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/ingest/note"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// This file is about settings. A setting is a flag whose value comes from the
// environment or the settings file. The settings file also contains the
// thresholds of the gate.

// runVariable is the variable in which the recipes of docs/ci store the number of
// the run that they added.
const runVariable = "OCCUDIFF_RUN"

// settingsName is the name of the settings file. It is in the working folder,
// or in the nearest parent folder that has such a file.
const settingsName = "occudiff.yaml"

// settingNames returns the flags that the settings file and the environment can
// set. These flags have the same values for a whole team or machine. occudiff
// config lists them in this order.
func settingNames() []string {
	return []string{"device", "xve", "device-file", "tolerance", "sampling-interval", "columns",
		"fail-on", "db"}
}

// gates returns all values of --fail-on. Each command accepts some of them.
func gates() []string {
	return []string{"never", "mismatch", "model", "regression", "alarm", "missing"}
}

// given is the value of a setting and its origin.
type given struct{ text, from string }

// settingVariable returns the environment variable of a setting. For example,
// OCCUDIFF_SAMPLING_INTERVAL.
func settingVariable(name string) string {
	return "OCCUDIFF_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// applySettings sets the flags that are not on the command line from the
// environment and the settings file. The number of XVEs belongs to the device.
// So if the device is on the command line, a number of XVEs from the
// environment or the file is ignored. A setting does not set Flag.Changed,
// because only flags on the command line may be rejected. For example, a device
// in the file does not conflict with predict --model compute-unit.
func (a *app) applySettings() error {
	a.given = map[string]given{}
	takes := func(name string) bool { return a.flags.Lookup(name) != nil }
	if !slices.ContainsFunc(settingNames(), takes) {
		return nil
	}
	file, err := readSettings()
	if err != nil {
		return err
	}
	// An unknown setting is a warning and not an error. A newer version may
	// know the setting, and a shared file must not prevent an older version
	// from running.
	for _, line := range append(file.unknown(), a.unknownVariables()...) {
		a.printMessage("%s", line)
	}
	for _, name := range settingNames() {
		flag := a.flags.Lookup(name)
		// The order of precedence is command line, environment, file, default.
		if flag == nil || flag.Changed || name == "xve" && a.flags.Changed("device") {
			continue
		}
		g, err := file.setting(name, a.getenv)
		if err != nil {
			return err
		}
		if g.text == "" {
			continue
		}
		if name == "fail-on" && !slices.Contains(flag.Annotations["words"], g.text) {
			// A file has one fail-on for validate, diff, and track, which accept
			// different values.
			if slices.Contains(gates(), g.text) {
				continue // the value is for another command
			}
			return cli.Errorf("%s: %q is not a value of fail-on; expected one of %s", g.from, g.text,
				strings.Join(gates(), ", "))
		}
		if err := flag.Value.Set(g.text); err != nil {
			return cli.Errorf("%s: %q is not a value of %s; expected %s", g.from, g.text, name,
				cli.Expected(flag, g.text))
		}
		if flag.Value.String() != flag.DefValue { // xve: 0 is the default, which means no number
			if err := cli.CheckFlag(flag); err != nil {
				return err
			}
		}
		a.given[name] = g
	}
	return nil
}

// settingsFile is the content of the settings file.
type settingsFile struct {
	thresholds map[string]float64 // thresholds of the gate by metric, in the unit of --threshold

	path  string     // path of the file; "" if none was found
	words []string   // all words of the file, even if it is not valid
	top   *yaml.Node // top-level mapping of the document
}

// name returns the relative path of the file, or "" if none was found.
func (f *settingsFile) name() string { return cli.RelativePath(f.path) }

// readSettings reads the nearest settings file. If there is none, all settings
// have their defaults. Files in parent folders further up are not merged. A
// file that cannot be read is an error, because ignoring it would apply other
// thresholds.
func readSettings() (*settingsFile, error) {
	f := &settingsFile{thresholds: map[string]float64{}, top: &yaml.Node{Kind: yaml.MappingNode}}
	folder, err := os.Getwd()
	for parent := ""; err == nil && folder != parent; folder = filepath.Dir(folder) {
		path := filepath.Join(folder, settingsName)
		switch text, err := readSmall(path); {
		case err == nil:
			f.path = path
			return f, f.read(text)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, cli.Errorf("%s cannot be read: %v", path, note.Reason(err))
		}
		parent = folder
	}
	return f, nil
}

// mostSettings is the maximum size of a settings file in bytes. A file with all
// settings has less than 0.1% of this size.
const mostSettings = 1 << 20

// readSmall reads a settings file.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // reading a named pipe may never end
		return nil, errors.New("expected a file, not a folder or pipe")
	case info.Size() > mostSettings:
		return nil, fmt.Errorf("it has %d bytes, more than %d; is it the right file?", info.Size(), mostSettings)
	}
	return os.ReadFile(path)
}

// read parses the file. It checks only the thresholds. applySettings checks the
// settings that a command has.
func (f *settingsFile) read(text []byte) error {
	// The words may be addresses with passwords. They are split without the
	// YAML syntax, because an address contains no blanks or quotes.
	f.words = strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',[]{}", r) })
	var doc yaml.Node      // nodes contain their line numbers
	var all map[string]any // detects a root that is not a mapping, and duplicate keys
	d := yaml.NewDecoder(bytes.NewReader(text))
	switch err := cmp.Or(d.Decode(&doc), doc.Decode(&all)); {
	case err == io.EOF: // the file contains only comments
		return nil
	case err != nil:
		return cli.Errorf("%s: expected settings, for example 'device: max1100': %v", f.name(), err)
	case d.Decode(new(yaml.Node)) != io.EOF:
		return cli.Errorf("%s: expected one YAML document; remove the text after ---", f.name())
	}
	f.top = doc.Content[0]
	track := valueOf(f.top, "track")
	thresholds := valueOf(track, "threshold")
	if thresholds == nil {
		if track != nil {
			return cli.Errorf("%s:%d: track has no threshold; expected track: {threshold: {measured: 2.5}}", f.path,
				track.Line)
		}
		return nil
	}
	if thresholds.Kind != yaml.MappingNode {
		return cli.Errorf("%s:%d: track.threshold is %q; expected a metric and a number, for example {measured: 2.5}",
			f.path, thresholds.Line, thresholds.Value)
	}
	for i := 0; i+1 < len(thresholds.Content); i += 2 {
		name, value := thresholds.Content[i], thresholds.Content[i+1]
		if _, err := history.ParseMetric(name.Value); err != nil {
			return cli.Errorf("%s:%d: track.threshold: %v", f.path, name.Line, err)
		}
		x, err := strconv.ParseFloat(value.Value, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return cli.Errorf("%s:%d: track.threshold.%s is %q; expected a number of at least 0, for example 2.5",
				f.path,
				value.Line, name.Value, value.Value)
		}
		f.thresholds[name.Value] = x
	}
	return nil
}

// valueOf returns the value of a key in a mapping, or nil if the mapping lacks
// the key or the key has no value.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; mapping != nil && i+1 < len(mapping.Content); i += 2 {
		if v := mapping.Content[i+1]; mapping.Content[i].Value == key && v.Tag != "!!null" {
			return v
		}
	}
	return nil
}

// setting returns a setting from the environment. If it is not set there,
// setting returns it from the file. A relative path in the file is relative to
// the folder of the file. The origin is for people, for example
// $OCCUDIFF_DEVICE or occudiff.yaml:2. The text is empty if there is no such
// setting, if the variable is empty, or if the key has no value.
func (f *settingsFile) setting(name string, getenv func(string) string) (g given, err error) {
	if text := getenv(settingVariable(name)); text != "" {
		return given{text, "$" + settingVariable(name)}, nil
	}
	node := valueOf(f.top, name)
	if node == nil {
		return given{}, nil
	}
	g = given{node.Value, fmt.Sprintf("%s:%d", f.name(), node.Line)}
	switch node.Kind {
	case yaml.ScalarNode:
	// A YAML list, for example columns: [kernel, verdict], is converted to the
	// form of a flag.
	case yaml.SequenceNode:
		var words []string
		for _, word := range node.Content {
			words = append(words, word.Value)
		}
		g.text = strings.Join(words, ",")
	default:
		return given{}, cli.Errorf("%s: %s: expected a value", g.from, name)
	}
	beside := name == "device-file" || name == "db" && !history.IsAddress(g.text)
	if beside && g.text != "" && !filepath.IsAbs(g.text) {
		g.text = filepath.Join(filepath.Dir(f.name()), g.text)
	}
	return g, nil
}

// unknown returns messages about the keys that are not settings, so that users
// notice a typing error.
func (f *settingsFile) unknown() (keys []string) {
	for i := 0; i+1 < len(f.top.Content); i += 2 {
		if key := f.top.Content[i]; key.Value != "track" && !slices.Contains(settingNames(), key.Value) {
			keys = append(keys, fmt.Sprintf("%s:%d: warning: %s is not a setting", f.name(), key.Line,
				history.Mask(key.Value))+cli.DidYouMean(key.Value, cli.Choices(append(settingNames(), "track"))))
		}
	}
	return keys
}

// unknownVariables returns messages about environment variables whose names
// begin like a setting but that are not settings.
func (a *app) unknownVariables() (lines []string) {
	var known []string
	for _, name := range settingNames() {
		known = append(known, settingVariable(name))
	}
	for _, v := range a.environ {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "OCCUDIFF_") && name != runVariable && !slices.Contains(known, name) {
			lines = append(lines, "warning: $"+name+" is not a setting"+cli.DidYouMean(name, cli.Choices(known)))
		}
	}
	return lines
}

// configCommand returns the command that prints the settings that are in
// effect. The command reads the settings file itself, because it has no flag
// that a setting can set. An unreadable setting is an error, as in the other
// commands. An unknown key is part of the output.
func (a *app) configCommand() *cobra.Command {
	return a.command(command{text: "config", share: outputFlags,
		run: func(context.Context, []string) (*report.Output, error) {
			file, err := readSettings()
			if err != nil {
				return nil, err
			}
			list, err := a.settings(file)
			return predictdoc.Settings(file.name(), list, file.unknown()), err
		}})
}

// settings returns the settings that are in effect, with their values as given.
// The values are not checked here, but in the commands that have the flags.
func (a *app) settings(file *settingsFile) ([]predictdoc.Setting, error) {
	var list []predictdoc.Setting
	for _, name := range settingNames() {
		// pflag prints an empty list as [].
		value := strings.Trim(a.sharedFlags.Lookup(name).DefValue, "[]")
		s := predictdoc.Setting{Name: name, Value: value, From: "default"}
		if name == "xve" { // the default 0 means that no number is set
			s.Value = ""
		}
		g, err := file.setting(name, a.getenv)
		if err != nil {
			return nil, err
		}
		if g.text != "" {
			s.Value, s.From = g.text, g.from
		}
		// A postgres:// URL may contain a password.
		s.Value = history.Mask(s.Value)
		list = append(list, s)
	}
	// The thresholds are a map, so they are listed in the order of the metrics.
	for _, m := range history.Metrics() {
		if x, ok := file.thresholds[string(m)]; ok {
			list = append(list, predictdoc.Setting{Name: "track.threshold." + string(m), Value: fmt.Sprint(x),
				From: file.name()})
		}
	}
	return list, nil
}
