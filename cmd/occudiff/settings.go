package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/report/deliver"
	"occudiff/report/setupdoc"
)

// settingNames are the flags that the file of settings and the environment give where the command line does not.
func settingNames() []string {
	return []string{"device", "xve", "device-file", "tolerance", "model-tolerance", "sampling-interval", "columns",
		"db"}
}

// given is a setting that somebody gave, and where.
type given struct{ text, from string }

// variable is the environment variable of a setting: OCCUDIFF_SAMPLING_INTERVAL.
func variable(name string) string {
	return "OCCUDIFF_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// setting gives a setting from the environment, else from the file. A file that it names is beside the file of
// settings.
func (c *config) setting(name string, getenv func(string) string) (g given, ok bool, err error) {
	if text := getenv(variable(name)); text != "" {
		return given{text, "$" + variable(name)}, true, nil
	}
	node := c.find(name)
	if node == nil || node.Tag == "!!null" {
		return given{}, false, nil
	}
	path := fromHere(c.path)
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
		return given{}, false, usageErrorf("%s: %s: expected a value", g.from, name)
	}
	if name == "device-file" || name == "db" && !strings.Contains(g.text, "://") {
		if g.text != "" && !filepath.IsAbs(g.text) {
			g.text = filepath.Join(filepath.Dir(path), g.text)
		}
	}
	return g, g.text != "", nil
}

// unknown lists the keys that are no settings: a slip would otherwise go unnoticed.
func (c *config) unknown() (keys []string) {
	top := c.find()
	if top == nil {
		return nil
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if key := top.Content[i]; key.Value != "track" && !slices.Contains(settingNames(), key.Value) {
			keys = append(keys, fmt.Sprintf("%s:%d: warning: %s is no setting", fromHere(c.path), key.Line,
				key.Value)+cli.DidYouMean(key.Value, append(settingNames(), "track")))
		}
	}
	return keys
}

// applySettings gives the flags of a command that are not on the command line what the environment and the file of
// settings say. The number of XVEs belongs to the device, so a device on the command line leaves that of others out.
// The demo is of a built-in run on a device of its own.
func (a *app) applySettings(c *cobra.Command) error {
	a.given = map[string]given{}
	f := c.Flags()
	takes := func(name string) bool { return f.Lookup(name) != nil }
	if c.Name() == "demo" || !slices.ContainsFunc(settingNames(), takes) {
		return nil
	}
	file, err := readConfig()
	if err != nil {
		return err
	}
	for _, line := range file.unknown() {
		a.say("%s", line)
	}
	for _, name := range settingNames() {
		flag := f.Lookup(name)
		if flag == nil || flag.Changed || name == "xve" && f.Changed("device") {
			continue
		}
		g, ok, err := file.setting(name, a.getenv)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := flag.Value.Set(g.text); err != nil {
			return usageErrorf("%s: %q is no value of %s; expected %s", g.from, g.text, name, expectedOf(flag))
		}
		a.given[name] = g
	}
	return nil
}

// expectedOf says what a flag takes.
func expectedOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration as in 100us or 1ms"
	}
	return "a text"
}

// chosenBy words who named the device when it was not the command line.
func (a *app) chosenBy(by string) string {
	if g, ok := a.given["device"]; ok {
		return strings.Replace(by, "--device", g.from, 1)
	}
	return by
}

// configCommand shows the settings.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that apply here, and where each is from",
		Long: `Show the settings that apply here, and where each is from. A setting is a flag that you need not
repeat. What is on the command line wins, then the environment, then ` + configName + ` in the working folder
or the nearest parent that has one, then the default.

In the file a setting has the name of its flag, and files that it names are beside it; in the environment it is in
capitals after OCCUDIFF_, as OCCUDIFF_SAMPLING_INTERVAL. Columns are those of any table: what a table does not have is
left out. 'occudiff track backtest --save' keeps its thresholds in the file.`,
		Example: `  # What applies here
  occudiff config

  # A file of settings
  printf 'device: max1100\nsampling-interval: 100us\n' > ` + configName + `

  # For one command
  OCCUDIFF_DEVICE=tgl occudiff validate run.hotspots.csv`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			out, err := a.openOutputs(a.outputs, deliver.Endings()...)
			if err != nil {
				return err
			}
			defer out.Discard()
			file, err := readConfig()
			if err != nil {
				return err
			}
			list, err := a.settings(file)
			if err != nil {
				return err
			}
			return a.deliver(setupdoc.Settings(fromHere(file.path), list, file.unknown()), out)
		},
	}
	a.share(c, answerFlags)
	return c
}

// settings lists what applies.
func (a *app) settings(file *config) ([]setupdoc.Setting, error) {
	defaults := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, d := range a.sharedFlags() {
		cli.Define(defaults, d)
	}
	var list []setupdoc.Setting
	for _, name := range settingNames() {
		s := setupdoc.Setting{Name: name, Value: defaultHistory, From: "default"}
		if flag := defaults.Lookup(name); flag != nil {
			s.Value = strings.Trim(flag.DefValue, "[]")
		}
		if name == "xve" { // none is given
			s.Value = ""
		}
		g, ok, err := file.setting(name, a.getenv)
		if err != nil {
			return nil, err
		}
		if ok {
			s.Value, s.From = g.text, g.from
		}
		s.Value = history.Mask(s.Value)
		list = append(list, s)
	}
	for _, m := range history.Metrics() {
		if x, ok := file.threshold[string(m)]; ok {
			list = append(list, setupdoc.Setting{Name: "track.threshold." + string(m), Value: fmt.Sprint(x),
				From: fromHere(file.path)})
		}
	}
	return list, nil
}
