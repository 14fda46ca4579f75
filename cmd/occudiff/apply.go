package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
)

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
	file, err := readSettings()
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
			return cli.Errorf("%s: %q is not a value of %s; expected %s", g.from, g.text, name, expectedOf(flag))
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
