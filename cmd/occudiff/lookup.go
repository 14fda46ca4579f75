package main

import (
	"context"
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
	"occudiff/report/diffdoc"
	"occudiff/report/lookdoc"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
	"occudiff/report/rundoc"
	"occudiff/report/trackdoc"
)

// The commands that look things up: devices, the words of the answers, the schemas of JSON outputs.

// devicesCommand prints the device table, or one device with its sources.
// It shows the table as the models take it, and does not say which device a run has.
func (a *app) devicesCommand() *cobra.Command {
	return a.command(command{text: "devices", share: "xve device-file" + answerFlags, args: cobra.ArbitraryArgs,
		names: true, complete: a.completeDevices,
		answer: func(_ context.Context, args []string) (*report.Answer, error) {
			// Names of devices hold blanks, and who types one does not think of quotes: several arguments are one
			// name.
			return a.listDevices(strings.Join(args, " "))
		}})
}

func (a *app) listDevices(name string) (*report.Answer, error) {
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	if name == "" {
		return predictdoc.Devices(t.All()), nil
	}
	m, err := t.Find(arch.Query{Name: name, XVEs: a.XVE, Family: true})
	var several *arch.AmbiguousError
	switch {
	case errors.As(err, &several): // a list is the answer to a question about a family
		return predictdoc.Devices(several.Candidates), nil
	case err != nil:
		return nil, err
	}
	for _, n := range m.Notes {
		a.say("%s", n)
	}
	return predictdoc.Device(m.Device), nil
}

// explainCommand documents the words of the answers.
func (a *app) explainCommand() *cobra.Command {
	return a.command(command{text: "explain", share: answerFlags, args: cobra.ArbitraryArgs, names: true,
		complete: cli.CompleteWords(lookdoc.Names()),
		answer: func(_ context.Context, args []string) (*report.Answer, error) {
			if len(args) == 0 {
				return lookdoc.All(), nil
			}
			term := strings.Join(args, " ") // several arguments are one term with blanks
			ans, err := lookdoc.Explain(term)
			if err != nil {
				// A word of the reports comes first, then a device, then a member of JSON: people ask for any of the
				// three.
				if device, none := a.listDevices(term); none == nil {
					return device, nil
				}
				if field, none := lookdoc.Explain(term, machine.Fields(jsonOutputs())...); none == nil {
					return field, nil
				}
				err = fmt.Errorf("%w%s; 'occudiff explain' lists all terms", err,
					strings.TrimSuffix(cli.DidYouMean(strings.ReplaceAll(term, " ", "-"), terms()), "?"))
			}
			return ans, err
		}})
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
// Schemas come from the Go types that are written; see package schema.
func (a *app) schemaCommand() *cobra.Command {
	return a.command(command{text: "schema", share: "output quiet", output: "write the schema to this .json file, too",
		args: cobra.MaximumNArgs(1), names: true, endings: []string{".json"},
		complete: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return report.ListOf(jsonOutputs(), func(o report.Output) string {
				return cobra.CompletionWithDesc(o.Name, o.Text)
			}), cobra.ShellCompDirectiveNoFileComp
		},
		check: func(args []string) error {
			if len(args) == 0 && len(a.Outputs) > 0 {
				return cli.Errorf("-o %s: name the schema to write, as in 'occudiff schema validate -o %s'",
					a.Outputs[0], a.Outputs[0])
			}
			return nil
		},
		answer: func(_ context.Context, args []string) (*report.Answer, error) {
			if len(args) == 0 {
				// Lists and schemas are text of their own and no report, so they are printed here and give no answer.
				return nil, a.listSchemas()
			}
			return nil, a.printSchema(args[0])
		}})
}

// jsonOutputs lists the JSON outputs in the order of the commands.
// schema, explain and mcp all go by it: an output that is missing here has no schema, and nobody can look its fields
// up.
func jsonOutputs() []report.Output {
	return slices.Concat(rundoc.Outputs(), diffdoc.RunsOutputs(), predictdoc.Outputs(), diffdoc.Outputs(),
		trackdoc.Outputs(), binarydoc.Outputs(), lookdoc.Outputs())
}

func (a *app) listSchemas() error {
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
	s, err := machine.Schema(o, jsonOutputs())
	if err != nil {
		return err
	}
	// To the files first, as answers are: a pipe that closes must not leave them unwritten.
	if err := a.out.writeAll(func(w io.Writer) error { return machine.JSON(w, s) }); err != nil {
		return err
	}
	if err := machine.JSON(a.stdout, s); err != nil {
		return err
	}
	a.sayWrote()
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return a.command(command{text: "version", complete: cobra.NoFileCompletions,
		answer: func(context.Context, []string) (*report.Answer, error) {
			_, err := fmt.Fprintln(a.stdout, "occudiff", version()+builtFrom())
			return nil, err
		}})
}

// helpCommand prints the help of a command of a tree.
// It takes the place of cobra's own, which prints an unknown topic's error and succeeds.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return a.command(command{text: "help", args: cobra.ArbitraryArgs,
		complete: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			parent, _, _ := root.Find(args)
			return cli.CompleteWords(cli.Names(parent))(c, args, typed)
		},
		answer: func(_ context.Context, args []string) (*report.Answer, error) {
			// The only topic of help that is no command.
			if len(args) == 1 && args[0] == "flags" {
				return nil, cli.PrintFlags(a.stdout, "These flags mean the same in every command that has them. A "+
					"command takes only those that affect it.", a.sharedFlags)
			}
			if err := cli.UnknownCommand(root, args); err != nil {
				return nil, err
			}
			of, _, err := root.Find(args)
			if err != nil {
				return nil, cli.Errorf("%v", err)
			}
			return nil, of.Help()
		}})
}
