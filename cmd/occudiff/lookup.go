package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
	"occudiff/report/rundoc"
	"occudiff/report/trackdoc"
)

// This file contains the commands for devices, the glossary, help, and the
// schemas of JSON outputs.

// devicesCommand returns the command that prints the device table, or one
// device with the sources of its values.
func (a *app) devicesCommand() *cobra.Command {
	return a.command(command{text: "devices", share: "xve device-file" + outputFlags, args: cobra.ArbitraryArgs,
		names: true, complete: a.completeDevices,
		run: func(_ context.Context, args []string) (*report.Output, error) {
			// Device names contain blanks, and users omit quotes, so several
			// arguments are one name.
			return a.listDevices(strings.Join(args, " "))
		}})
}

func (a *app) listDevices(name string) (*report.Output, error) {
	if name == "" {
		return predictdoc.Devices(a.devices.All()), nil
	}
	m, err := a.devices.Find(arch.Query{Name: name, XVEs: a.XVE, Family: true})
	if several, ok := errors.AsType[*arch.AmbiguousError](err); ok { // list the devices of an ambiguous name
		value := func(d *arch.Device) arch.Device { return *d }
		return predictdoc.Devices(report.ListOf(several.Candidates, value)), nil
	}
	if err != nil {
		return nil, err
	}
	a.printNotes(m.Notes)
	return predictdoc.Device(m.Device), nil
}

// explainCommand returns the command that explains the terms of the outputs.
func (a *app) explainCommand() *cobra.Command {
	return a.command(command{text: "explain", share: outputFlags, args: cobra.ArbitraryArgs, names: true,
		complete: cli.CompleteWords(predictdoc.Names()),
		run: func(_ context.Context, args []string) (*report.Output, error) {
			if len(args) == 0 {
				return predictdoc.Glossary(), nil
			}
			term := strings.Join(args, " ") // several arguments are one term with blanks
			ans, err := predictdoc.Explain(term, flagTerms()...)
			if err != nil {
				if device, none := a.listDevices(term); none == nil { // the name of a device is also accepted
					return device, nil
				}
				names := report.ListOf(append(predictdoc.Words(), flagTerms()...),
					func(t report.Term) string { return t.Name })
				err = fmt.Errorf("%w%s; 'occudiff explain' lists all terms", err,
					strings.TrimSuffix(cli.DidYouMean(term, cli.Choices(names)), "?"))
			}
			return ans, err
		}})
}

// flagTerms returns the flags of all commands as glossary terms, each help text
// once.
func flagTerms() (list []report.Term) {
	known := map[string]int{}
	for _, c := range cli.All(new(app).rootCommand()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			at, met := known[f.Name+f.Usage]
			if !met {
				at = len(list)
				known[f.Name+f.Usage] = at
				list = append(list, report.Term{Name: "--" + f.Name, Kind: predictdoc.FlagKind,
					Meaning: report.UpperFirst(f.Usage) + "."})
			}
			command := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
			list[at].With = strings.TrimPrefix(list[at].With+", "+command, ", ")
		})
	}
	return list
}

// jsonSchemas returns the JSON outputs in the order of the commands, for the
// commands help schema and mcp. An output that is missing here has no schema.
func jsonSchemas() []report.Schema {
	return slices.Concat(rundoc.Schemas(), diffdoc.Schemas(), predictdoc.Schemas(),
		trackdoc.Schemas())
}

func (a *app) listSchemas() error {
	for _, o := range jsonSchemas() {
		if _, err := fmt.Fprintf(a.stdout, "%-14s %-24s %s\n", o.Name, o.ID, o.Command); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printSchema(name string) error {
	o, err := report.FindSchema(jsonSchemas(), name)
	if err != nil {
		return cli.Errorf("%v", err)
	}
	s, err := machine.Schema(o, jsonSchemas())
	if err != nil {
		return err
	}
	return machine.JSON(a.stdout, s)
}

// helpCommand returns the command that prints the help of a command, all flags,
// or the schemas of JSON outputs. It replaces cobra's help command, which does
// not fail for an unknown topic.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return a.command(command{text: "help", args: cobra.ArbitraryArgs,
		complete: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if slices.Equal(args, []string{"schema"}) {
				return report.ListOf(jsonSchemas(), func(o report.Schema) string {
					return cobra.CompletionWithDesc(o.Name, o.Text)
				}), cobra.ShellCompDirectiveNoFileComp
			}
			parent, _, _ := root.Find(args)
			words := cli.Names(parent)
			if parent == root {
				words = append(words, "flags", "schema")
			}
			return cli.CompleteWords(words)(c, args, typed)
		},
		run: func(_ context.Context, args []string) (*report.Output, error) {
			switch topic := strings.Join(args, " "); {
			case topic == "flags":
				return nil, cli.PrintFlags(a.stdout, "These flags mean the same in every command that has them. A "+
					"command has only\nthe flags that affect it. Its help shows the most common ones.", root, a.sharedFlags)
			case topic == "schema":
				return nil, a.listSchemas()
			case len(args) == 2 && args[0] == "schema":
				return nil, a.printSchema(args[1])
			}
			if err := cli.UnknownCommand(root, args, instead); err != nil {
				return nil, err
			}
			of, _, err := root.Find(args)
			if err != nil {
				return nil, cli.Errorf("%v", err)
			}
			return nil, of.Help()
		}})
}

// completion adds the command that prints completion scripts. It must be called
// after all other commands were added.
func (a *app) completion(root *cobra.Command) {
	root.SetOut(a.stdout) // set before, because cobra's completion commands keep this stream
	root.InitDefaultCompletionCmd()
	for _, c := range cli.All(root) {
		// One line of cobra's text is wider than 80 columns.
		c.Long = strings.Replace(c.Long, "via your OS's package manager", "with a package manager", 1)
		if c.Name() == "completion" {
			own := a.command(command{text: "completion"})
			c.Use, c.Short, c.Long, c.Example = own.Use, own.Short, own.Long, own.Example
			c.RunE = func(*cobra.Command, []string) error {
				return cli.Errorf("completion needs a shell: bash, zsh, fish, or powershell")
			}
		}
	}
}

// completeFlags registers the completions of all flags. It is called only for a
// completion request. Cobra keeps completions in a global map, so if a server
// registered them for each call, the map would grow without limit.
func (a *app) completeFlags(root *cobra.Command) {
	for _, c := range cli.All(root) {
		// Registering fails only if the flag already has a completion function.
		register := func(f *pflag.Flag) {
			complete := cli.Complete(f)
			if f.Name == "device" {
				complete = a.completeDevices
			}
			_ = c.RegisterFlagCompletionFunc(f.Name, complete)
		}
		c.LocalNonPersistentFlags().VisitAll(register)
		c.PersistentFlags().VisitAll(register)
	}
}

// completeDevices completes a device key. The suggestions are the keys in the
// device table and in --device-file, with the names of the devices. In a list,
// it completes the last key.
func (a *app) completeDevices(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	// An invalid --device-file only removes its own devices from the completion.
	// The command reports the error.
	if _ = a.readDevices(); a.devices == nil {
		return nil, cobra.ShellCompDirectiveError
	}
	// Shells replace the whole word, so each key is returned with the text before
	// the last comma.
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var keys []string
	for _, d := range a.devices.Devices() {
		if key := before + d.Key; strings.HasPrefix(strings.ToLower(key), strings.ToLower(typed)) {
			keys = append(keys, cobra.CompletionWithDesc(key, d.Name))
		}
	}
	// Only the flag of predict accepts a list and "all".
	if f := c.Flag("device"); f != nil && f.Value.Type() == "stringArray" && strings.HasPrefix("all", typed) {
		keys = append(keys, cobra.CompletionWithDesc("all", "every device of the table"))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
