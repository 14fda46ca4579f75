package main

import (
	"errors"
	"strings"

	"occudiff/report/launchdoc"

	"github.com/spf13/cobra"

	"occudiff/predict/arch"
)

// devicesCommand prints the device table, or one device with its sources.
func (a *app) devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "devices [NAME]",
		Short:   "Print the device table, or one device with its sources",
		Long:    "Print the device table, or one device with its sources. NAME is a key, a name, an alias or a PCI id; --xve picks a binned part.",
		Example: "  occudiff devices\n  occudiff devices tgl\n  occudiff devices mtl --xve 112",
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := a.openOutputs(a.outputs, ".md", ".json", ".csv")
			if err != nil {
				return err
			}
			defer out.discard()
			t, err := a.table()
			if err != nil {
				return err
			}
			devices := t.Devices()
			if name := strings.Join(args, " "); name != "" {
				m, err := t.Find(arch.Query{Name: name, XVEs: a.xve})
				var several *arch.AmbiguousError
				switch {
				case errors.As(err, &several): // a list is the answer to a question about a family
					devices = several.Candidates
				case err != nil:
					return err
				default:
					devices = []arch.Device{*m.Device}
					for _, n := range m.Notes {
						a.say("%s", n)
					}
				}
			}
			if len(args) > 0 && len(devices) == 1 {
				return a.deliver(launchdoc.Device(&devices[0]), out)
			}
			return a.deliver(launchdoc.Devices(devices), out)
		},
	}
}
