package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/binarydoc"
	"occudiff/report/deliver"
	"occudiff/report/diffdoc"
	"occudiff/report/launchdoc"
	"occudiff/report/lookdoc"
	"occudiff/report/machine"
	"occudiff/report/rundoc"
	"occudiff/report/runsdoc"
	"occudiff/report/schema"
	"occudiff/report/trackdoc"
)

// The commands that look things up: devices, the words of the answers, the schemas of JSON outputs.

// devicesCommand prints the device table, or one device with its sources.
func (a *app) devicesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "devices [NAME]",
		Short: "Print the device table, or one device with its sources",
		Long: `Print the device table, or one device with every figure that predictions use and its source. NAME is
a key, a name, an alias or a PCI id; --xve selects a binned part.`,
		Example: `  # All devices, or one family
  occudiff devices
  occudiff devices mtl

  # One device with its sources
  occudiff devices mtl --xve 112

  # The table for another program
  occudiff devices --format json`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.answer(deliver.Endings(), func() (*report.Answer, error) {
				return a.listDevices(strings.Join(args, " "))
			})
		},
	}
	a.share(c, "xve device-file", answerFlags)
	return c
}

func (a *app) listDevices(name string) (*report.Answer, error) {
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	if name == "" {
		return launchdoc.Devices(t.Devices()), nil
	}
	m, err := t.Find(arch.Query{Name: name, XVEs: a.xve})
	var several *arch.AmbiguousError
	switch {
	case errors.As(err, &several): // a list is the answer to a question about a family
		return launchdoc.Devices(several.Candidates), nil
	case err != nil:
		return nil, err
	}
	for _, n := range m.Notes {
		a.say("%s", n)
	}
	return launchdoc.Device(m.Device), nil
}

// explainCommand documents the words of the answers.
func (a *app) explainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "explain [WORD]",
		Short: "Explain a term of a report, and what to do about it",
		Long: `Explain a term of a report: a cause, a part of the account, a verdict, a limit or a column. The answer
says what it means, how it is recognized, what to do, and the source. A column is found by its
heading, its key in CSV or its name in JSON. Without a term, explain lists all of them, causes in the
order in which they are checked.`,
		Example: `  # A cause, a verdict, a part of the account
  occudiff explain dispatch
  occudiff explain unmeasurable
  occudiff explain foreign

  # A column, by its heading or its key
  occudiff explain VTune peak
  occudiff explain tail_percent

  # All of them
  occudiff explain -o words.html`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return cli.CompleteWords(lookdoc.Names())(nil, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.answer(deliver.Endings(), func() (*report.Answer, error) {
				if len(args) == 0 {
					return lookdoc.All(), nil
				}
				term := strings.Join(args, " ") // several arguments are one term with blanks
				ans, err := lookdoc.Explain(term)
				if err != nil {
					err = fmt.Errorf("%w%s; 'occudiff explain' lists all terms", err,
						strings.TrimSuffix(cli.DidYouMean(strings.ReplaceAll(term, " ", "-"), terms()), "?"))
				}
				return ans, err
			})
		},
	}
	a.share(c, answerFlags)
	return c
}

// terms are the words of the outputs, each an argument of its own.
func terms() (list []string) {
	for _, name := range lookdoc.Names() {
		list = append(list, strings.ToLower(strings.ReplaceAll(name, " ", "-")))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// schemaCommand prints the JSON Schema of an output.
func (a *app) schemaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a JSON output, or list them",
		Long: `Print the JSON Schema (draft 2020-12) of a JSON output; without a name, list the outputs. NAME is
the output's name or the value of its field "schema", as in validate or occudiff/validate/1. Absent
values are null, lists are never null, and percentages are 0..100.`,
		Example: `  # The outputs
  occudiff schema

  # One schema, printed or written to a file
  occudiff schema validate
  occudiff schema occudiff/validate/1 -o validate.schema.json`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return outputNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSchemas()
			}
			return a.printSchema(args[0])
		},
	}
	a.share(c, "output quiet")
	c.Flags().Lookup("output").Usage = "write the schema to this .json file, too"
	return c
}

// jsonOutputs lists the JSON outputs in the order of the commands.
func jsonOutputs() []report.Output {
	return slices.Concat(rundoc.Outputs(), runsdoc.Outputs(), launchdoc.Outputs(), diffdoc.Outputs(),
		trackdoc.Outputs(), binarydoc.Outputs(), lookdoc.Outputs())
}

// outputNames lists the names of the JSON outputs with what they are, for completion.
func outputNames() []string {
	var names []string
	for _, o := range jsonOutputs() {
		names = append(names, cobra.CompletionWithDesc(o.Name, o.Text))
	}
	return names
}

func (a *app) listSchemas() error {
	if len(a.outputs) > 0 {
		return cli.Errorf("-o %s: name the schema to write, as in 'occudiff schema validate -o %s'", a.outputs[0],
			a.outputs[0])
	}
	for _, o := range jsonOutputs() {
		if _, err := fmt.Fprintf(a.stdout, "%-14s %-24s %s\n", o.Name, o.ID, o.Command); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printSchema(name string) error {
	o, err := report.FindOutput(jsonOutputs(), name)
	if err != nil {
		return cli.Errorf("%v", err)
	}
	out, err := a.openOutputs(a.outputs, ".json")
	if err != nil {
		return err
	}
	defer out.Discard()
	s, err := schema.Of(o, jsonOutputs())
	if err != nil {
		return err
	}
	if err := out.WriteAll(func(w io.Writer) error { return machine.JSON(w, s) }); err != nil {
		return err
	}
	if err := machine.JSON(a.stdout, s); err != nil {
		return err
	}
	a.sayWrote(out)
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs, Example: "  occudiff version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "occudiff", version()+builtFrom())
			return err
		},
	}
}

// helpCommand prints the help of a command.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command, or of the flags that commands share",
		Example: "  occudiff help validate\n  occudiff help track add\n  occudiff help flags",
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			parent, _, _ := c.Root().Find(args)
			return cli.CompleteWords(cli.Names(parent))(c, args, typed)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "flags" {
				defer a.setDefaults()
				return cli.PrintFlags(a.stdout, "These flags mean the same in every command that has them. A command "+
					"takes only those that affect it.", a.sharedFlags())
			}
			if err := cli.UnknownCommand(c.Root(), args); err != nil {
				return err
			}
			of, _, err := c.Root().Find(args)
			if err != nil {
				return cli.Errorf("%v", err)
			}
			return of.Help()
		},
	}
}
