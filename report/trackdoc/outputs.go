package trackdoc

import "occudiff/report"

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	words := map[string][]string{
		"TrackGate.verdict":        {"regression", "alarm", "ok", "learning", "unmeasurable"},
		"TrackCheckOutput.verdict": {"regression", "alarm", "ok", "learning"},
		"TrackBegin.changed":       {"device", "driver", LaunchShape},
	}
	return []report.Output{
		{Name: "track-add", ID: TrackAddSchema, Command: "occudiff track add --format json", Text: "what was done with each run.",
			Values: []any{TrackAddOutput{}}, Words: words},
		{Name: "track-list", ID: TrackListSchema, Command: "occudiff track list --format json", Text: "the stored runs.", Values: []any{TrackListOutput{}}, Words: words},
		{Name: "track-check", ID: TrackCheckSchema, Command: "occudiff track check --format json", Text: "the gate on the newest run, series by series.",
			Values: []any{TrackCheckOutput{}}, Words: words},
		{Name: "track", ID: TrackSchema, Command: "occudiff track report --format json", Text: "every series with its change points.",
			Values: []any{TrackOutput{}}, Words: words},
		{Name: "track-backtest", ID: TrackBacktestSchema, Command: "occudiff track backtest --format json", Text: "the gate over the stored history.",
			Values: []any{TrackBacktestOutput{}}, Words: words},
	}
}
