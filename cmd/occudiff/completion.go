package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/compare/history"
	"occudiff/predict/arch"
	"occudiff/predict/computeunit"
)

// completion adds the command that prints completion scripts, and tells the shells what flags may hold. It runs over the whole
// tree, so that a flag completes alike wherever it is.
func (a *app) completion(root *cobra.Command) {
	root.SetOut(a.stdout) // its commands keep the stream that they find now
	root.InitDefaultCompletionCmd()
	complete := a.completers()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		register := func(f *pflag.Flag) {
			if fn := complete[f.Name]; fn != nil {
				_ = c.RegisterFlagCompletionFunc(f.Name, fn) // fails only where a command has registered its own, which then stands
			}
		}
		c.LocalNonPersistentFlags().VisitAll(register)
		c.PersistentFlags().VisitAll(register)
		switch c.Name() {
		case "completion":
			c.Use = "completion SHELL"
			c.Short = "Print the completion script of a shell: bash, zsh, fish or powershell"
			c.Long = "Print the completion script of a shell: bash, zsh, fish or powershell. The help of each says how to load it."
			c.Example = "  source <(occudiff completion bash)\n  occudiff completion zsh > \"${fpath[1]}/_occudiff\"\n  occudiff completion fish --help"
			c.Args = func(_ *cobra.Command, args []string) error {
				if len(args) == 0 {
					return usageErrorf("completion needs a shell: bash, zsh, fish or powershell")
				}
				return usageErrorf("no completion for %q; there is one for bash, zsh, fish and powershell", args[0])
			}
			c.RunE = func(*cobra.Command, []string) error { return nil } // never reached; without it cobra prints the help and succeeds
		case "demo", "version":
			c.ValidArgsFunction = cobra.NoFileCompletions
		case "devices":
			c.ValidArgsFunction = a.completeDevices
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// completers are the completions of flags by name.
func (a *app) completers() map[string]cobra.CompletionFunc {
	all := map[string]cobra.CompletionFunc{
		"device":        a.completeDevices,
		"platform":      completePlatforms,
		"device-file":   files("csv"),
		"platform-file": files("csv"),
		"batch":         files("csv"),
		"output":        files("xlsx", "md", "html", "json", "csv", "xml", "svg"),
		"digest":        words("auto", "sha256"),
		"policy":        words("auto", "free", "whole", "partial"),
		"sweep":         words("local", "slm", "simd"),
		"compat":        words("calculator"),
		"model":         words("intel", "compute-unit"),
		"simd":          words("8", "16", "32"),
		"grf":           words("128", "256"),
		"fix":           words("local", "simd", "slm", "grf"),
		"free":          words("local", "simd", "slm", "grf"),
		"metric":        words(metricWords()...),
		"direction":     words("down", "up", "both"),
	}
	for _, c := range a.choices() {
		all[c.flag] = words(c.words...)
	}
	for _, name := range []string{"xve", "tolerance", "model-tolerance", "sampling-interval", "driver", "vtune-version", "label", "local", "global", "slm",
		"barriers", "threshold", "window", "time", "commit"} {
		all[name] = cobra.NoFileCompletions // a value of the user's own: files would be misleading
	}
	return all
}

// words completes one of a list.
func words(list ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var fit []string
		for _, w := range list {
			if strings.HasPrefix(w, typed) {
				fit = append(fit, w)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

func metricWords() []string {
	var list []string
	for _, m := range history.Metrics() {
		list = append(list, string(m))
	}
	return list
}

func files(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeDevices completes the keys of the device table, those of --device-file included, with the devices' names. The last
// of a list is completed.
func (a *app) completeDevices(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	t, err := a.table()
	if err != nil {
		if t, err = arch.Builtin(); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var keys []string
	for _, d := range t.Devices() {
		if key := before + d.Key; strings.HasPrefix(strings.ToLower(key), strings.ToLower(typed)) {
			keys = append(keys, cobra.CompletionWithDesc(key, d.Name))
		}
	}
	if c.Name() == "predict" && strings.HasPrefix("all", typed) {
		keys = append(keys, cobra.CompletionWithDesc("all", "every device of the table"))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

func completePlatforms(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	t, err := computeunit.Builtin()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var keys []string
	for _, p := range t.Platforms() {
		keys = append(keys, p.Key)
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
