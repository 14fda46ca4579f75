package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
)

// completion adds the command that prints completion scripts, and tells the shells what flags may hold. It runs over
// the whole tree, so that a flag completes alike wherever it is.
// It must come last in making the tree: a command that is added later has no completion of its flags.
func (a *app) completion(root *cobra.Command) {
	root.SetOut(a.stdout) // its commands keep the stream that they find now
	root.InitDefaultCompletionCmd()
	for _, c := range cli.All(root) {
		// One line of cobra is wider than a terminal.
		c.Long = strings.Replace(c.Long, "via your OS's package manager", "with a package manager", 1)
		// Registering fails only where there is one.
		register := func(f *pflag.Flag) {
			complete := cli.Complete(f)
			if f.Name == "device" {
				complete = a.completeDevices
			}
			_ = c.RegisterFlagCompletionFunc(f.Name, complete)
		}
		c.LocalNonPersistentFlags().VisitAll(register)
		c.PersistentFlags().VisitAll(register)
		if c.Name() == "completion" {
			own := a.command(command{text: "completion"})
			c.Use, c.Short, c.Long, c.Example = own.Use, own.Short, own.Long, own.Example
			c.RunE = func(*cobra.Command, []string) error {
				return cli.Errorf("completion needs a shell: bash, zsh, fish or powershell")
			}
		}
	}
}

// completeDevices completes the keys of the device table, those of --device-file included, with the devices' names. The
// last of a list is completed.
func (a *app) completeDevices(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	// A broken --device-file costs its own devices and not all completion; the error is told when the command runs.
	if _ = a.readDevices(); a.devices == nil {
		return nil, cobra.ShellCompDirectiveError
	}
	// Shells replace the whole word, so what stands before the last comma is given back with each key.
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var keys []string
	for _, d := range a.devices.Devices() {
		if key := before + d.Key; strings.HasPrefix(strings.ToLower(key), strings.ToLower(typed)) {
			keys = append(keys, cobra.CompletionWithDesc(key, d.Name))
		}
	}
	// Only predict takes a list there, and only it takes all.
	if f := c.Flag("device"); f != nil && f.Value.Type() == "stringArray" && strings.HasPrefix("all", typed) {
		keys = append(keys, cobra.CompletionWithDesc("all", "every device of the table"))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
