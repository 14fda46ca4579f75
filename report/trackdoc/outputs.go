package trackdoc

import (
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/report"
)

// The schemas of the outputs, with their versions.
const (
	reportSchema   = "occudiff/track/1"
	checkSchema    = "occudiff/track-check/1"
	runsSchema     = "occudiff/track-list/1"
	addSchema      = "occudiff/track-add/1"
	backtestSchema = "occudiff/track-backtest/2"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	m := track.Metric{Metric: history.Measured}
	v, b := newView(&track.Judgment{Metric: m}), &backtest{&track.Backtest{Metric: m}, metric{m}}
	list := []report.Output{
		{Name: "track-add", ID: addSchema, Text: "what was done with each run.", Values: []any{*NewAddValue(nil)}},
		{Name: "track-list", ID: runsSchema, Text: "the stored runs.", Values: []any{*runsValue(nil, nil, nil)}},
		{Name: "track-check", ID: checkSchema, Text: "the gate on the newest run, series by series.", Values: []any{*v.checkValue(&track.Check{})}},
		{Name: "track", ID: reportSchema, Text: "every series with its change points.", Values: []any{*v.reportValue(&track.Report{})}},
		{Name: "track-backtest", ID: backtestSchema, Text: "the gate over the stored history.",
			Values: []any{*b.value(b.findings(nil))}},
	}
	for i, command := range []string{"add", "list", "check", "report", "backtest"} {
		list[i].Command = "occudiff track " + command + " --format json"
	}
	return list
}

// ReportValue is the JSON output of `occudiff track report`: the series in the order in which they were first stored.
type ReportValue struct {
	Schema string        `json:"schema"`
	Series *report.Table `json:"series"`
	Metric string        `json:"metric"`
	Params trend.Params  `json:"parameters"`
}

func (v *view) reportValue(r *track.Report) *ReportValue {
	return &ReportValue{reportSchema, v.table(v.Series, true), v.name(), r.Params}
}

// CheckValue is the JSON output of `occudiff track check`, in the order of the history and not of attention, so that two
// checks can be compared line by line.
type CheckValue struct {
	Schema      string        `json:"schema"`
	Verdict     string        `json:"verdict"` // the worst of any series
	Metric      string        `json:"metric"`
	Direction   string        `json:"direction"`
	Run         *report.Table `json:"run"`
	Runs        *report.Table `json:"runs" jsonschema:"all that are judged; run is the last"`
	Series      *report.Table `json:"series"`
	NotMeasured int           `json:"not_measured"`
	Missing     []string      `json:"missing"`
	Gone        *report.Table `json:"gone" jsonschema:"kernels that the runs before had and the last one has not"`
	Notices     []string      `json:"notices" jsonschema:"what changed, what the run lacks, dates that cannot be right, numbers of kernels that moved"`
}

func (v *view) checkValue(c *track.Check) *CheckValue {
	return &CheckValue{checkSchema, string(v.worst()), v.name(), string(v.Gate.Direction), report.One(&c.Run, runColumns),
		report.NewTable("runs", "", v.Checked, refColumns),
		v.table(v.Series, false), c.NotMeasured, c.Missing, report.NewTable("gone", "", v.Gone, goneColumns), v.notices(c)}
}

var goneColumns = []report.Col[track.Gone]{
	word(column{Path: "name", Always: true}, func(g *track.Gone) string { return g.Key.Name() }),
	count(column{Path: "last_run", Doc: "the last one that had it"}, func(g *track.Gone) int64 { return g.Last.Run }),
	define(column{Path: "share_percent", Kind: report.Percent, Doc: "of the time of that run"}, func(g *track.Gone) cell { return report.OptPercent(g.Share) }),
}
