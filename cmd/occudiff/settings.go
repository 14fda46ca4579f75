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

// A setting is what a user need not repeat on the command line: a flag that a
// variable of the environment or the file of settings gives. The file also
// keeps the thresholds of the history's gate.

// runVariable is where the recipes of docs/ci keep the number of the run that
// they added.
const runVariable = "OCCUDIFF_RUN"

// settingsName is the file of settings, in the working folder or in the nearest
// parent that has one.
const settingsName = "occudiff.yaml"

// settingNames are the flags that the file of settings and the environment give
// where the command line does not. They are what holds for a team or a machine.
// The order is that of occudiff config.
func settingNames() []string {
	return []string{"device", "xve", "device-file", "tolerance", "sampling-interval", "columns",
		"fail-on", "db"}
}

// gates are what a command may fail on, each on some of them.
func gates() []string {
	return []string{"never", "mismatch", "model", "regression", "alarm", "missing"}
}

// given is a setting that somebody gave, and where.
type given struct{ text, from string }

// settingVariable is the environment variable of a setting:
// OCCUDIFF_SAMPLING_INTERVAL.
func settingVariable(name string) string {
	return "OCCUDIFF_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// applySettings returns the flags of a command that are not on the command line
// what the environment and the file of settings say. The number of XVEs belongs
// to the device, so a device on the command line leaves that of others out. A
// setting goes into the value of the flag and leaves Flag.Changed alone: to
// Refuse a flag that was not given is not there, so a device in the file does
// not keep predict from --model compute-unit.
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
	// A slip is a warning and no error: a newer version may know the setting,
	// and a shared file must not stop an older one.
	for _, line := range append(file.unknown(), a.unknownVariables()...) {
		a.printMessage("%s", line)
	}
	for _, name := range settingNames() {
		flag := a.flags.Lookup(name)
		// The order is that of the nearest: command line, environment, file,
		// default.
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
			// A file says fail-on once for validate, diff and track, which do
			// not all know each gate.
			if slices.Contains(gates(), g.text) {
				continue // of another command
			}
			return cli.Errorf("%s: %q is not a value of fail-on; expected one of %s", g.from, g.text,
				strings.Join(gates(), ", "))
		}
		if err := flag.Value.Set(g.text); err != nil {
			return cli.Errorf("%s: %q is not a value of %s; expected %s", g.from, g.text, name,
				cli.Expected(flag, g.text))
		}
		a.given[name] = g
	}
	return nil
}

// settingsFile is what the file says.
type settingsFile struct {
	thresholds map[string]float64 // the gate's of each metric, as --threshold takes it

	path  string     // "" when there is none
	words []string   // all that the file has, whether or not it can be read as settings
	top   *yaml.Node // the mapping that the document is
}

// name names the file as people and CI systems read it; empty when there is
// none.
func (f *settingsFile) name() string { return cli.RelativePath(f.path) }

// readSettings reads the nearest file of settings; without one all settings
// have their defaults. Only the nearest counts: files of further parents are
// not merged. A file that is there and cannot be read is an error, for going on
// without it would judge by other thresholds.
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

// mostSettings is the size of the largest file of settings in bytes. All of the
// settings take less than a thousandth of it.
const mostSettings = 1 << 20

// readSmall reads a file of settings.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a named pipe may never be written
		return nil, errors.New("expected a file")
	case info.Size() > mostSettings:
		return nil, fmt.Errorf("it has %d bytes, more than %d; is it the right file?", info.Size(), mostSettings)
	}
	return os.ReadFile(path)
}

// read takes the file apart. Of what it says only the thresholds are checked
// here; settings are when a command has the flag.
func (f *settingsFile) read(text []byte) error {
	// Whatever YAML makes of a line, an address has no blanks or quotes.
	f.words = strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',[]{}", r) })
	var doc yaml.Node      // nodes know their lines
	var all map[string]any // finds another root and duplicate keys
	d := yaml.NewDecoder(bytes.NewReader(text))
	switch err := cmp.Or(d.Decode(&doc), doc.Decode(&all)); {
	case err == io.EOF: // nothing but comments
		return nil
	case err != nil:
		return cli.Errorf("%s: expected settings as in 'device: max1100': %v", f.name(), err)
	case d.Decode(new(yaml.Node)) != io.EOF:
		return cli.Errorf("%s: the settings are one YAML document; remove what follows ---", f.name())
	}
	f.top = doc.Content[0]
	thresholds := valueOf(valueOf(f.top, "track"), "threshold")
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

// valueOf returns the value of a key in a mapping, nil when there is none.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; mapping != nil && i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// setting returns a setting from the environment, otherwise from the file. A
// file that it names is next to the file of settings. from names the place for
// people: $OCCUDIFF_DEVICE, or occudiff.yaml:2. A variable that is set and
// empty is none, and so is a key without a value: the text is empty for both.
func (f *settingsFile) setting(name string, getenv func(string) string) (g given, err error) {
	if text := getenv(settingVariable(name)); text != "" {
		return given{text, "$" + settingVariable(name)}, nil
	}
	node := valueOf(f.top, name)
	if node == nil || node.Tag == "!!null" {
		return given{}, nil
	}
	g = given{node.Value, fmt.Sprintf("%s:%d", f.name(), node.Line)}
	switch node.Kind {
	case yaml.ScalarNode:
	// As a flag takes a list: columns: [kernel, verdict].
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

// unknown lists the keys that are no settings: a slip would otherwise go
// unnoticed.
func (f *settingsFile) unknown() (keys []string) {
	for i := 0; i+1 < len(f.top.Content); i += 2 {
		if key := f.top.Content[i]; key.Value != "track" && !slices.Contains(settingNames(), key.Value) {
			keys = append(keys, fmt.Sprintf("%s:%d: warning: %s is not a setting", f.name(), key.Line,
				history.Mask(key.Value))+cli.DidYouMean(key.Value, cli.Choices(append(settingNames(), "track"))))
		}
	}
	return keys
}

// unknownVariables lists the variables of the environment that are called as
// settings are and that are none.
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

// configCommand shows the settings that would apply here. It reads the file by
// itself, for it has none of the flags that settings reach. A setting that
// cannot be read is an error as it is in the commands, and a key that is none
// is part of the answer.
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

// settings lists what applies. Values are texts as they were given: whether a
// flag takes them is for the command that has it.
func (a *app) settings(file *settingsFile) ([]predictdoc.Setting, error) {
	var list []predictdoc.Setting
	for _, name := range settingNames() {
		// pflag prints an empty list as [].
		value := strings.Trim(a.sharedFlags.Lookup(name).DefValue, "[]")
		s := predictdoc.Setting{Name: name, Value: value, From: "default"}
		if name == "xve" { // none is given
			s.Value = ""
		}
		g, err := file.setting(name, a.getenv)
		if err != nil {
			return nil, err
		}
		if g.text != "" {
			s.Value, s.From = g.text, g.from
		}
		// A postgres:// URL may hold a password.
		s.Value = history.Mask(s.Value)
		list = append(list, s)
	}
	// In the order of the metrics, and not in that of the file, which is a map
	// here.
	for _, m := range history.TrackedMetrics() {
		if x, ok := file.thresholds[string(m)]; ok {
			list = append(list, predictdoc.Setting{Name: "track.threshold." + string(m), Value: fmt.Sprint(x),
				From: file.name()})
		}
	}
	return list, nil
}
