package report

// TrackOutputs are the JSON outputs of this package.
func TrackOutputs() []Output {
	words := map[string][]string{
		"TrackGate.verdict":        {"regression", "alarm", "ok", "learning", "unmeasurable"},
		"TrackCheckOutput.verdict": {"regression", "alarm", "ok", "learning"},
		"TrackBegin.changed":       {"device", "driver", LaunchShape},
	}
	return []Output{
		{"track-add", TrackAddSchema, "occudiff track add --format json", "what was done with each run.",
			[]any{TrackAddOutput{}}, words},
		{"track-list", TrackListSchema, "occudiff track list --format json", "the stored runs.", []any{TrackListOutput{}}, words},
		{"track-check", TrackCheckSchema, "occudiff track check --format json", "the gate on the newest run, series by series.",
			[]any{TrackCheckOutput{}}, words},
		{"track", TrackSchema, "occudiff track report --format json", "every series with its change points.",
			[]any{TrackOutput{}}, words},
		{"track-backtest", TrackBacktestSchema, "occudiff track backtest --format json", "the gate over the stored history.",
			[]any{TrackBacktestOutput{}}, words},
	}
}
