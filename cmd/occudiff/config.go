package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/compare/history"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// configCommand shows the settings that would apply here. It reads the file by itself, for it has none of the flags
// that settings reach. A setting that cannot be read is an error as it is in the commands, and a key that is none is
// part of the answer.
func (a *app) configCommand() *cobra.Command {
	return a.command(command{text: "config", share: answerFlags,
		answer: func(context.Context, []string) (*report.Answer, error) {
			file, err := readSettings()
			if err != nil {
				return nil, err
			}
			list, err := a.settings(file)
			return predictdoc.Settings(file.name(), list, file.unknown()), err
		}})
}

// settings lists what applies.
// Values are texts as they were given: whether a flag takes them is for the command that has it.
func (a *app) settings(file *settingsFile) ([]predictdoc.Setting, error) {
	var list []predictdoc.Setting
	for _, name := range settingNames() {
		// pflag prints an empty list as [].
		value := strings.Trim(a.sharedFlags.Lookup(name).DefValue, "[]")
		s := predictdoc.Setting{Name: name, Value: value, From: "default"}
		if name == "xve" { // none is given
			s.Value = ""
		}
		g, err := file.setting(name, a.getenv)
		if err != nil {
			return nil, err
		}
		if g.text != "" {
			s.Value, s.From = g.text, g.from
		}
		// A postgres:// URL may hold a password.
		s.Value = history.Mask(s.Value)
		list = append(list, s)
	}
	// In the order of the metrics, and not in that of the file, which is a map here.
	for _, m := range history.Followed() {
		if x, ok := file.thresholds[string(m)]; ok {
			list = append(list, predictdoc.Setting{Name: "track.threshold." + string(m), Value: fmt.Sprint(x),
				From: file.name()})
		}
	}
	return list, nil
}
