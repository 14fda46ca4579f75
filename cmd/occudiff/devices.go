package main

import (
	"errors"
	"io"
	"strings"

	"occudiff/report/launchdoc"

	"github.com/spf13/cobra"

	"occudiff/predict/arch"
	"occudiff/report/machine"
	"occudiff/report/markdown"
	"occudiff/report/terminal"
)

// devicesCommand prints the device table, or one device with its sources.
func (a *app) devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "devices [NAME]",
		Short:   "Print the device table, or one device with its sources",
		Long:    "Print the device table, or one device with its sources. NAME is a key, a name, an alias or a PCI id; --xve picks a binned part.",
		Example: "  occudiff devices\n  occudiff devices tgl\n  occudiff devices mtl --xve 112",
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := openOutputs(a.outputs, ".md", ".json", ".csv")
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
			return a.emitDevices(devices, len(args) > 0, out)
		},
	}
}

func (a *app) emitDevices(devices []arch.Device, asked bool, out *outputs) error {
	doc, opt := launchdoc.FromDevices(devices, version()), terminal.Options{Width: a.width(), Color: a.useColor(), Rows: -1}
	if asked && len(devices) == 1 {
		doc, opt.Width = launchdoc.FromDevice(&devices[0], version()), 0
	}
	writers := map[string]writer{
		".md":   func(w io.Writer) error { return markdown.Render(w, doc) },
		".json": func(w io.Writer) error { return machine.JSON(w, launchdoc.DevicesValue(devices)) },
		".csv": func(w io.Writer) error {
			return machine.Table(w, launchdoc.FromDevices(devices, version()).Table("devices"))
		},
	}
	return a.deliver(doc, writers, out, opt)
}
