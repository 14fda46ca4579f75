package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/lookdoc"
)

// configCommand shows the
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that apply here, and where they come from",
		Long: `Show the settings that apply here, and where they come from. A setting is a flag that you do not have
to repeat. The command line wins, then the environment, then ` + settingsName + ` in the working folder
or the nearest parent that has one, then the default.

In the file, a setting has the name of its flag, and relative file names start at the file's folder. In the
environment, it has an upper-case name after OCCUDIFF_, as in OCCUDIFF_SAMPLING_INTERVAL. A table ignores columns that
it does not have. 'occudiff track backtest --save' writes its thresholds into the file.`,
		Example: `  # What applies here
  occudiff config

  # A file of settings
  printf 'device: max1100\nsampling-interval: 100us\n' > ` + settingsName + `

  # For one command
  OCCUDIFF_DEVICE=tgl occudiff validate run.hotspots.csv`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.answer(deliver.Endings(), func() (*report.Answer, error) {
				file, err := readSettings()
				if err != nil {
					return nil, err
				}
				list, err := a.settings(file)
				return lookdoc.Settings(file.name(), list, file.unknown()), err
			})
		},
	}
	a.share(c, answerFlags)
	return c
}

// settings lists what applies.
func (a *app) settings(file *settingsFile) ([]lookdoc.Setting, error) {
	defaults := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, d := range a.sharedFlags() {
		cli.Define(defaults, d)
	}
	var list []lookdoc.Setting
	for _, name := range settingNames() {
		s := lookdoc.Setting{Name: name, Value: defaultHistory, From: "default"}
		if flag := defaults.Lookup(name); flag != nil {
			s.Value = strings.Trim(flag.DefValue, "[]")
		}
		if name == "xve" { // none is given
			s.Value = ""
		}
		g, ok, err := file.setting(name, a.getenv)
		if err != nil {
			return nil, err
		}
		if ok {
			s.Value, s.From = g.text, g.from
		}
		s.Value = history.Mask(s.Value)
		list = append(list, s)
	}
	for _, m := range history.Metrics() {
		if x, ok := file.thresholds[string(m)]; ok {
			list = append(list, lookdoc.Setting{Name: "track.threshold." + string(m), Value: fmt.Sprint(x),
				From: file.name()})
		}
	}
	return list, nil
}
