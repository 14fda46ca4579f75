package main

import (
	"errors"
	"strings"

	"occudiff/report"
	"occudiff/report/launchdoc"

	"github.com/spf13/cobra"

	"occudiff/predict/arch"
)

// devicesCommand prints the device table, or one device with its sources.
func (a *app) devicesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "devices [NAME]",
		Short: "Print the device table, or one device with its sources",
		Long: `Print the device table, or one device with every figure that predictions take from it, and where that is from. NAME is a
key, a name, an alias or a PCI id; --xve picks a binned part.`,
		Example: `  # All devices, or those of a family
  occudiff devices
  occudiff devices mtl

  # One device with its sources
  occudiff devices mtl --xve 112

  # The table for another program
  occudiff devices --format json`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.answer(reportEndings, func() (*report.Answer, error) { return a.listDevices(strings.Join(args, " ")) })
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
