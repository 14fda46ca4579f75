package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"occudiff/report/binarydoc"
	"occudiff/report/diffdoc"
	"occudiff/report/launchdoc"
	"occudiff/report/rundoc"
	"occudiff/report/setupdoc"
	"occudiff/report/trackdoc"

	"github.com/spf13/cobra"

	"occudiff/report"
	"occudiff/report/machine"
)

// schemaCommand prints the JSON Schema of an output.
func (a *app) schemaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a JSON output, or list them",
		Long: `Print the JSON Schema (draft 2020-12) of a JSON output; without a name, list the outputs. NAME is the output's name or the
value of its field "schema", as in validate or occudiff/validate/1. What may be absent is
null, lists are never null, percentages are 0..100.`,
		Example: `  # The outputs
  occudiff schema

  # The schema of one, to print or to keep
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
	return c
}

// jsonOutputs lists the JSON outputs in the order of the commands.
func jsonOutputs() []report.Output {
	return slices.Concat(rundoc.Outputs(), launchdoc.Outputs(), diffdoc.Outputs(), trackdoc.Outputs(), binarydoc.Outputs(), setupdoc.Outputs())
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
		return usageErrorf("-o %s: name the schema to write, as in 'occudiff schema validate -o %s'", a.outputs[0], a.outputs[0])
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
		return usageErrorf("%v", err)
	}
	out, err := a.openOutputs(a.outputs, ".json")
	if err != nil {
		return err
	}
	defer out.discard()
	s, err := report.SchemaOf(o, jsonOutputs())
	if err != nil {
		return err
	}
	if err := out.write(map[string]writer{".json": func(w io.Writer) error { return machine.JSON(w, s) }}); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := machine.JSON(&b, s); err != nil {
		return err
	}
	if _, err := a.stdout.Write(b.Bytes()); err != nil {
		return err
	}
	if len(a.outputs) > 0 {
		a.say("wrote %s", out.names())
	}
	return nil
}
