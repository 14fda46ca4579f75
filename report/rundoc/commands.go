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

// commandOf words what to run next about a row; "" where there is nothing.
func commandOf(r *compare.Result, row *compare.Row, next compare.Next) string {
	collect := ""
	switch next.Do {
	case compare.Advise:
		return report.CommandLine(append([]string{"occudiff", "advise"}, launchFlags(r, r.KnownLaunch(row))...))
	case compare.Probe:
		return report.CommandLine(append(append([]string{"occudiff", "advise"}, launchFlags(r, r.KnownLaunch(row))...),
			"--probe"))
	case compare.Grid:
		l, h := r.KnownLaunch(row), r.HelpFor(row)
		l.Global = unit.Size(h.At * l.Local.Dim(0))
		l.Local = l.Local.Trim()
		return report.CommandLine(append([]string{"occudiff", "predict"}, launchFlags(r, l)...))
	case compare.Trace:
		collect = "unitrace --chrome-kernel-logging"
	case compare.Query:
		collect = "unitrace -q"
	case compare.Binary:
		collect = "unitrace --device-timing --verbose"
	case compare.Interval:
		seconds := next.Setting.Or(0)
		if row.Certainty.Own {
			collect = fmt.Sprintf("oneprof -k -i --sampling-interval %.4g", seconds*1e6)
		} else {
			collect = fmt.Sprintf("vtune -collect gpu-hotspots -knob gpu-sampling-interval=%.4g --", seconds*1e3)
		}
	default:
		return ""
	}
	// unitrace takes the application without dashes before it.
	app := report.OneLine(r.Platform.Command)
	if app == "" || strings.ContainsAny(app, shellWords) {
		app = "./app"
	}
	return collect + " " + app
}

// launchFlags are the flags of predict and advise that say all that is known of a launch.
func launchFlags(r *compare.Result, l predict.Launch) []string {
	global := l.Global.String()
	if n := l.Global.Dim(0); l.Global.Rank() == 1 && n > 0 && n%1024 == 0 {
		global = strconv.FormatInt(n/1024, 10) + "K"
	}
	list := []string{"--device", r.Device.Key, "--global", global, "--local", l.Local.String(), "--simd",
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
	return list
}
