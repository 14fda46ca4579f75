package main

import (
	"fmt"
	"runtime/debug"
)

// release is the version of the program; a build from a module proxy has its own.
const release = "0.1.0"

// version is that of the program.
// Main.Sum is there only for a module that was downloaded. Without it Main.Version is what go build made of the state
// of a checkout.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return release
}

// builtFrom names the commit that the program was built from and its time, as far as the build knows them.
// It is empty for a build without -buildvcs or outside of a repository; "with changes" says that the commit alone does
// not make this program again.
func builtFrom() string {
	info, _ := debug.ReadBuildInfo()
	known := map[string]string{}
	for i := 0; info != nil && i < len(info.Settings); i++ {
		known[info.Settings[i].Key] = info.Settings[i].Value
	}
	if known["vcs.revision"] == "" {
		return ""
	}
	changed := map[string]string{"true": ", with changes"}[known["vcs.modified"]]
	return fmt.Sprintf(" (commit %s, %s%s)", known["vcs.revision"], known["vcs.time"], changed)
}
