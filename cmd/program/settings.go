package program

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/cmd/cli"
	"occudiff/cmd/settings"
)

// applySettings gives the flags of a command that are not on the command line what the environment and the file of
// settings say. The number of XVEs belongs to the device, so a device on the command line leaves that of others out.
// The demo is of a built-in run on a device of its own.
func (e *Env) applySettings(c *cobra.Command) error {
	e.given = map[string]settings.Given{}
	f := c.Flags()
	takes := func(name string) bool { return f.Lookup(name) != nil }
	if c.Name() == "demo" || !slices.ContainsFunc(settings.Names(), takes) {
		return nil
	}
	file, err := settings.Read()
	if err != nil {
		return err
	}
	for _, line := range file.Unknown() {
		e.Say("%s", line)
	}
	for _, name := range settings.Names() {
		flag := f.Lookup(name)
		if flag == nil || flag.Changed || name == "xve" && f.Changed("device") {
			continue
		}
		g, ok, err := file.Setting(name, e.Getenv)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := flag.Value.Set(g.Text); err != nil {
			return cli.Errorf("%s: %q is not a value of %s; expected %s", g.From, g.Text, name, expectedOf(flag))
		}
		e.given[name] = g
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
func (e *Env) chosenBy(by string) string {
	if g, ok := e.given["device"]; ok {
		return strings.Replace(by, "--device", g.From, 1)
	}
	return by
}
