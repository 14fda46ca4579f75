package rundoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// shellWords are what a shell does more with than start a program: people and agents paste the command of a run, and
// anybody may have written its file.
const shellWords = ";|&`$<>(){}\\!#*?\n"

// runs are what to run next, and what comes of it.
var runs = map[compare.Action]struct{ command, gives string }{
	compare.Trace:  {"unitrace --chrome-kernel-logging", "give validate its .json, too"},
	compare.Query:  {"unitrace -q", "counters around each launch"},
	compare.Binary: {"unitrace --device-timing --verbose", "shows registers and SLM"},
	compare.Probe:  {gives: "settings with fewer threads, to be measured"},
}

// commandOf words what to run next about a row; "" where there is nothing.
func commandOf(r *compare.Result, row *compare.Row, next compare.Next) string {
	collect := runs[next.Do].command
	switch l, seconds := r.KnownLaunch(row), next.Setting.Or(0); next.Do {
	case compare.NoAction:
		return ""
	case compare.Advise:
		return launchCommand(r, l, "advise")
	case compare.Probe:
		return launchCommand(r, l, "advise", "--probe")
	case compare.Grid:
		l.Global = unit.Size(r.HelpFor(row).At * l.Local.Dim(0))
		l.Local = l.Local.Trim()
		return launchCommand(r, l, "predict")
	case compare.Interval:
		collect = fmt.Sprintf("vtune -collect gpu-hotspots -knob gpu-sampling-interval=%.4g --", seconds*1e3)
		if row.Certainty.Own {
			collect = fmt.Sprintf("oneprof -k -i --sampling-interval %.4g", seconds*1e6)
		}
	}
	// unitrace takes the application without dashes before it.
	app := report.OneLine(r.Platform.Command)
	if app == "" || strings.ContainsAny(app, shellWords) {
		app = "./app"
	}
	return collect + " " + app
}

// launchCommand is predict or advise with flags that say all that is known of a launch, and more.
func launchCommand(r *compare.Result, l predict.Launch, command string, more ...string) string {
	global := l.Global.String()
	if n := l.Global.Dim(0); l.Global.Rank() == 1 && n > 0 && n%1024 == 0 {
		global = strconv.FormatInt(n/1024, 10) + "K"
	}
	list := []string{"occudiff", command, "--device", r.Device.Key, "--global", global, "--local", l.Local.String(), "--simd",
		strconv.Itoa(l.SIMD)}
	add := func(flag string, n int64) {
		if n > 0 {
			list = append(list, flag, strconv.FormatInt(n, 10))
		}
	}
	add("--registers", int64(l.GRF))
	add("--slm", int64(l.SLM))
	add("--barriers", int64(l.Barriers))
	if whole := l.SLM > 0 || l.Barriers > 0; l.Policy == predict.Whole && !whole || l.Policy == predict.Free && whole {
		list = append(list, "--policy", l.Policy.String())
	}
	return report.CommandLine(append(list, more...))
}
