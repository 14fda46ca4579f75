package rundoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// shellWords are what a shell does more with than start a program: people and agents paste the command of a run, and
// anybody may have written its file.
const shellWords = ";|&`$<>(){}\\!#*?\n"

// mostStakes is how many causes the first line of an answer has; mostDo is how long what to do may be there.
const (
	mostStakes = 3
	leastStake = 0.01 // of the GPU time: what is less is not worth to be the first thing to do
	mostDo     = 200
)

// answerLines are the answer before any table: which kernels lose the most slot time, and of the first of them the
// cause, what more threads are worth, what to do, and the command to run next. There are none where nothing is lost, or
// where the run carries no conclusion, and the first alone where next to nothing is.
func answerLines(r *compare.Result, rows *rowSet) []string {
	var stakes []string
	var lost unit.Seconds
	groups := rows.causeGroups()
	for i, g := range groups {
		lost += g.lost
		if i < mostStakes && g.lost > 0 && len(g.explained) > 0 {
			name := g.cause
			if name == "" {
				name = "no cause found"
			}
			stakes = append(stakes, SlotTime(g.lost)+" in "+rows.names(g)+" ("+name+")")
		}
	}
	if len(stakes) == 0 || unusable(r) != "" {
		return nil
	}
	row := &r.Rows[rows.first(groups[0])]
	worth := row.Worth
	lines := []string{"At stake, in slot time: " + strings.Join(stakes, ", ")}
	if share, ok := rows.shareOf(lost); ok && share < leastStake {
		return []string{lines[0] + ": less than 1 % of the GPU time"}
	}
	if c := row.Cause; c != nil {
		lines = append(lines, "Cause: "+c.Name+" ("+c.Confidence+" confidence)")
		why, _, _ := strings.Cut(report.OneLine(c.Because), ". ")
		if why, _, _ = strings.Cut(strings.TrimSuffix(why, "."), "; "); why != "" {
			lines[1] += ": " + report.StartLower(why)
		}
	}
	lines = append(lines, "Worth: "+worth.Words()+": "+worth.Because)
	if c := row.Cause; c != nil {
		terms := report.CauseTerms()
		if i := slices.IndexFunc(terms, func(t report.Term) bool { return t.Name == c.Name }); i >= 0 {
			do := *terms[i].Do
			if first, _, more := strings.Cut(do, ". "); more && len(do) > mostDo {
				do = first
			}
			lines = append(lines, "To do: "+report.OneLine(strings.TrimSuffix(do, ".")))
		}
	}
	if next, ok := nextCommand(r, row).Value(); ok {
		lines = append(lines, "Run: "+next)
	}
	return lines
}

// nextCommand words what to do next about a row as a command; "" where there is nothing.
func nextCommand(r *compare.Result, row *compare.Row) unit.Opt[string] {
	l := r.LaunchOf(row)
	advise := []string{"occudiff", "advise", "--device", "", "--global", l.Global.String(), "--local",
		l.Local.String(), "--simd", strconv.Itoa(l.SIMD)}
	if r.Device != nil {
		advise[3] = r.Device.Key
	}
	collect := ""
	switch row.Next.Do {
	case compare.Advise:
		return unit.Some(report.CommandLine(advise))
	case compare.Probe:
		return unit.Some(report.CommandLine(append(advise, "--probe")))
	case compare.Explain:
		return unit.Some(report.CommandLine([]string{"occudiff", "explain", row.Cause.Name}))
	case compare.Trace:
		collect = "unitrace --chrome-kernel-logging"
	case compare.Query:
		collect = "unitrace -q"
	case compare.Binary, compare.Properties:
		collect = "unitrace --device-timing --verbose"
	case compare.Interval:
		seconds := row.Next.Setting.Or(0)
		if row.Certainty.Own {
			collect = fmt.Sprintf("oneprof -k -i --sampling-interval %.4g", seconds*1e6)
		} else {
			collect = fmt.Sprintf("vtune -collect gpu-hotspots -knob gpu-sampling-interval=%.4g --", seconds*1e3)
		}
	default:
		return unit.Opt[string]{}
	}
	// unitrace takes the application without dashes before it.
	app := report.OneLine(r.Platform.Command)
	if app == "" || strings.ContainsAny(app, shellWords) {
		app = "<your application>"
	}
	return unit.Some(collect + " " + app)
}
