package trackdoc

import (
	"slices"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
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
	m := metric{Metric: track.Metric{Metric: history.Measured}}
	list := []report.Output{
		{Name: "track-add", ID: addSchema, Text: "what was done with each run.", Values: []any{*NewAddValue(nil)}},
		{Name: "track-list", ID: runsSchema, Text: "the stored runs.", Values: []any{*runsValue(nil, nil, nil)}},
		{Name: "track-check", ID: checkSchema, Text: "the gate on the newest run, series by series.",
			Values: []any{*(&check{&track.Check{Metric: m.Metric}, m, nil}).value()}},
		{Name: "track", ID: reportSchema, Text: "every series with its change points.",
			Values: []any{*(&whole{&track.Report{Metric: m.Metric}, m, nil}).value()}},
		{Name: "track-backtest", ID: backtestSchema, Text: "the gate over the stored history.",
			Values: []any{*(&backtest{&track.Backtest{Metric: m.Metric}, m}).value()}},
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

func (r *whole) value() *ReportValue {
	lead, tail := r.reportColumns()
	return &ReportValue{reportSchema, r.rawSeries(r.Series, lead, tail), r.name(), r.Params}
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
	Clock       *report.Table `json:"clock" jsonschema:"runs whose date cannot be right"`
	Shared      *report.Table `json:"shared" jsonschema:"findings about many series of a device"`
	Renumbered  *report.Table `json:"renumbered" jsonschema:"kernels whose numbers moved with one of the last runs"`
	Series      *report.Table `json:"series"`
	NotMeasured int           `json:"not_measured"`
	Missing     []string      `json:"missing"`
	Gone        *report.Table `json:"gone" jsonschema:"kernels that the runs before had and the last one has not"`
}

// clocked is a run whose date cannot be right.
type clocked struct {
	track.Ref
	problem string
}

func (c *check) value() *CheckValue {
	wrong := report.ListOf(c.Clock.Future, func(r track.Ref) clocked { return clocked{r, "in the future"} })
	if r := c.Clock.Earlier; r != nil {
		wrong = append(wrong, clocked{*r, "before a run that was added earlier"})
	}
	var moved []renamed
	for _, r := range c.Renumbered {
		for _, names := range r.Names {
			moved = append(moved, renamed{r.Run, names})
		}
	}
	return &CheckValue{checkSchema, string(c.worst()), c.name(), string(c.Gate.Direction), report.One(&c.Run, runColumns),
		report.NewTable("runs", "", c.Runs, refColumns), report.NewTable("clock", "", wrong, clockColumns),
		report.NewTable("shared", "", c.Shared, sharedColumns), report.NewTable("renumbered", "", moved, renamedColumns),
		c.rawSeries(c.Series, nil, []report.Col[series]{leftOutColumn(column{})}), c.NotMeasured, c.Missing, report.NewTable("gone", "", c.Gone, goneColumns)}
}

// worst is the verdict of the run. A value that nobody can judge makes none bad.
func (c *check) worst() trend.Outcome {
	for _, o := range outcomes {
		if o != track.Unmeasurable && slices.ContainsFunc(c.Series, func(s *track.Series) bool { return s.Outcome() == o }) {
			return o
		}
	}
	return trend.Learning
}

var clockColumns = append(report.Within("", "", func(c *clocked) *track.Ref { return &c.Ref }, refColumns),
	define(column{Path: "problem", Always: true}, func(c *clocked) cell { return report.TextCell(c.problem) }))

// renamed is a kernel whose number moved with a run.
type renamed struct {
	run   track.Ref
	names [2]string
}

var renamedColumns = append(refPart("", "run", "", "with which it moved", func(r *renamed) *track.Ref { return &r.run }),
	define(column{Path: "name", Always: true}, func(r *renamed) cell { return report.TextCell(r.names[0]) }),
	define(column{Path: "before", Always: true}, func(r *renamed) cell { return report.TextCell(r.names[1]) }))

var sharedColumns = slices.Concat([]report.Col[track.Shared]{
	define(column{Path: "device"}, func(s *track.Shared) cell { return report.TextCell(s.Device) }),
	define(column{Path: "changed", Always: true, Kind: report.Array, Of: report.ColumnsOf(changedColumns)},
		func(s *track.Shared) cell { return report.RowsCell(report.NewTable("", "", s.Changed, changedColumns)) }),
}, refPart("", "first", "", "", func(s *track.Shared) *track.Ref { return &s.First }),
	refPart("", "before", "", "", func(s *track.Shared) *track.Ref { return &s.Before }),
	[]report.Col[track.Shared]{
		define(column{Path: "anew", Always: true, Kind: report.Bool}, func(s *track.Shared) cell { return report.BoolCell(s.Anew) }),
		define(column{Path: "series", Always: true, Kind: report.Array}, func(s *track.Shared) cell {
			return report.ListCell(report.ListOf(s.Series, func(t *track.Series) string { return t.Key.Name() }))
		}),
		define(column{Path: "of", Always: true, Kind: report.Integer, Doc: "series of the device"}, func(s *track.Shared) cell { return report.IntCell(s.Of) }),
		define(column{Path: "median_difference", Always: true, Kind: report.Number,
			Doc: "of the newest values from their medians; 0 where series begin anew"}, func(s *track.Shared) cell { return report.NumCell(report.Number, s.Median) }),
	})

var changedColumns = []report.Col[track.Change]{
	define(column{Path: "what", Always: true}, func(c *track.Change) cell { return report.TextCell(c.What) }),
	define(column{Path: "from", Always: true}, func(c *track.Change) cell { return report.TextCell(c.From) }),
	define(column{Path: "to", Always: true}, func(c *track.Change) cell { return report.TextCell(c.To) }),
}

var goneColumns = slices.Concat([]report.Col[track.Gone]{
	define(column{Path: "name", Always: true}, func(g *track.Gone) cell { return report.TextCell(g.Key.Name()) }),
}, refPart("", "last", "", "the last run that had it", func(g *track.Gone) *track.Ref { return &g.Last }), []report.Col[track.Gone]{
	define(column{Path: "share_percent", Kind: report.Percent, Doc: "of the time of that run"}, func(g *track.Gone) cell { return report.OptPercent(g.Share) }),
})

// BacktestValue is the JSON output of `occudiff track backtest`.
type BacktestValue struct {
	Schema    string        `json:"schema"`
	Metric    string        `json:"metric"`
	Direction string        `json:"direction"`
	Checks    int           `json:"checks" jsonschema:"that could be judged"`
	Opened    int           `json:"opened" jsonschema:"checks that opened a finding"`
	Red       int           `json:"red" jsonschema:"checks in which one was open"`
	Rate      float64       `json:"opened_per_100_checks"`
	LeftOut   int           `json:"left_out"`
	Power     *report.Table `json:"power"`
	Series    *report.Table `json:"series"`
	Proposal  ProposalValue `json:"proposal"`
}

// ProposalValue is the least threshold that keeps the budget, in the unit of --threshold: points, or percent.
type ProposalValue struct {
	Target    float64 `json:"target_per_100_checks"`
	Threshold float64 `json:"threshold"`
	Opened    int     `json:"opened"`
	Rate      float64 `json:"opened_per_100_checks"`
}

func (b *backtest) value() *BacktestValue {
	t := &b.Total
	columns := append(keyColumns(b.metric, func(s *series) *history.Key { return &s.Key }),
		define(column{Path: "runs", Always: true, Kind: report.Integer}, func(s *series) cell { return report.IntCell(len(s.Own())) }),
		define(column{Path: "findings", Always: true, Kind: report.Array, Of: report.ColumnsOf(b.findingColumns())}, func(s *series) cell {
			return report.RowsCell(report.NewTable("", "", b.findingsOf(s.Series), b.findingColumns()))
		}))
	return &BacktestValue{backtestSchema, b.name(), string(b.Gate.Direction), t.Checks, t.Opened, t.Red, t.Rate(), b.LeftOut,
		report.NewTable("power", "", b.Power, b.powerColumns()),
		report.NewTable("series", "", report.ListOf(b.Series, func(s *track.Series) series { return series{s} }), columns),
		ProposalValue{100 * b.Target, b.Threshold(b.Kept.Floor), b.KeptTotal.Opened, b.KeptTotal.Rate()}}
}

// runColumns are a stored run.
var runColumns = slices.Concat([]report.Col[history.Run]{
	define(column{Key: "id", Path: "id", Always: true, Title: "Run", Kind: report.Integer}, func(r *history.Run) cell { return report.IntCell(r.ID) })},
	timeColumns(column{Key: "time", Path: "time", Always: true, Title: "Time", Unit: "UTC"}, func(r *history.Run) time.Time { return r.Time }),
	[]report.Col[history.Run]{
		runWord("label", column{Title: "Label", Drop: 6}, func(r *history.Run) string { return r.Label }),
		runWord("device", column{Title: "Device"}, func(r *history.Run) string { return r.Device }),
		runWord("driver", column{Title: "Driver", Drop: 7}, func(r *history.Run) string { return r.Driver }),
		define(column{Key: "kernels", Path: "kernels", Always: true, Title: "Kernels", Kind: report.Integer}, func(r *history.Run) cell { return report.IntCell(r.Kernels) }),
		runWord("host", column{Title: "Host", Drop: 1}, func(r *history.Run) string { return r.Host }),
		runWord("job", column{Path: "job_id", Title: "Job", Drop: 2}, func(r *history.Run) string { return r.JobID }),
	},
	commitColumns(column{Key: "commit", Path: "commit", Title: "Commit", Drop: 3}, func(r *history.Run) string { return r.Commit }),
	[]report.Col[history.Run]{
		runWord("branch", column{Title: "Branch", Drop: 8}, func(r *history.Run) string { return r.Branch }),
		runWord("vtune", column{Path: "vtune_version", Title: "VTune", In: inFiles}, func(r *history.Run) string { return r.VTune }),
		define(column{Path: "inputs", Always: true, Kind: report.Array, Of: report.ColumnsOf(inputColumns)},
			func(r *history.Run) cell { return report.RowsCell(report.NewTable("", "", r.Inputs, inputColumns)) }),
		runWord("inputs", column{Path: "-", Title: "Inputs", Drop: 5}, inputNames),
		runWord("program", column{Title: "Program", Drop: 4}, func(r *history.Run) string { return r.Program }),
	})

// runWord is a column of a text, with a path as its key unless it has another or, as "-", none.
func runWord(key string, c column, of func(*history.Run) string) report.Col[history.Run] {
	switch c.Path {
	case "":
		c.Path = key
	case "-":
		c.Path = ""
	}
	c.Key, c.Cut = key, c.In == 0
	return define(c, func(r *history.Run) cell { return report.TextCell(of(r)) })
}

var inputColumns = []report.Col[history.Input]{
	define(column{Path: "path", Always: true}, func(in *history.Input) cell { return report.OptText(unit.Some(in.Path)) }),
	define(column{Path: "kind", Always: true, Doc: "vtune, vtune-summary, unitrace, vec_add or another format"},
		func(in *history.Input) cell { return report.OptText(unit.Some(in.Kind)) }),
	define(column{Path: "digest", Doc: "sha256:... or xxh3:... of the file"}, func(in *history.Input) cell { return report.TextCell(in.Digest) }),
	define(column{Path: "rows", Always: true, Kind: report.Integer}, func(in *history.Input) cell { return report.IntCell(in.Rows) }),
	define(column{Path: "bad_rows", Always: true, Kind: report.Integer}, func(in *history.Input) cell { return report.IntCell(in.BadRows) }),
}

// AddValue is the JSON output of `occudiff track add`.
type AddValue struct {
	Schema string        `json:"schema"`
	Runs   *report.Table `json:"runs"`
}

// NewAddValue gives the value of the JSON output.
func NewAddValue(runs []track.Added) *AddValue {
	stored := define(column{Path: "stored", Always: true, Kind: report.Bool, Doc: "false when its content was there already"},
		func(r *track.Added) cell { return report.BoolCell(r.Stored) })
	return &AddValue{addSchema, report.NewTable("runs", "", runs, append([]report.Col[track.Added]{stored},
		report.Within("", "", func(r *track.Added) *history.Run { return &r.Run }, runColumns)...))}
}

// RunsValue is the JSON output of `occudiff track list`.
type RunsValue struct {
	Schema   string        `json:"schema"`
	Runs     *report.Table `json:"runs"`
	Accepted *report.Table `json:"accepted"`
	Renamed  *report.Table `json:"renamed"`
}

func runsValue(runs []history.Run, accepted []history.Accept, moved []history.Rename) *RunsValue {
	return &RunsValue{runsSchema, report.NewTable("runs", "Runs", runs, runColumns),
		report.NewTable("accepted", "Accepted: the baseline begins there", accepted, acceptedColumns),
		report.NewTable("renamed", "Kernels with another name than before", moved, renameColumns)}
}

var acceptedColumns = slices.Concat([]report.Col[history.Accept]{
	define(column{Key: "run", Path: "run", Always: true, Title: "Run", Kind: report.Integer}, func(a *history.Accept) cell { return report.IntCell(a.Run) }),
	define(column{Key: "kernel", Path: "kernel", Title: "Kernel", Cut: true, Role: report.Code, Doc: "null for all of the run's program on its device"},
		func(a *history.Accept) cell { return report.TextCell(a.Key.Name()) }),
}, timeColumns(column{Key: "time", Path: "time", Always: true, Title: "Accepted", Unit: "UTC"}, func(a *history.Accept) time.Time { return a.Time }), []report.Col[history.Accept]{
	define(column{Key: "note", Path: "note", Title: "Note", Cut: true}, func(a *history.Accept) cell { return report.TextCell(a.Note) }),
})

var renameColumns = slices.Concat([]report.Col[history.Rename]{
	define(column{Key: "old", Path: "old", Always: true, Title: "Old name", Cut: true, Role: report.Code}, func(r *history.Rename) cell { return report.TextCell(r.Old) }),
	define(column{Key: "new", Path: "new", Always: true, Title: "New name", Cut: true, Role: report.Code}, func(r *history.Rename) cell { return report.TextCell(r.New) }),
	define(column{Key: "run", Path: "run", Title: "Run", Kind: report.Integer, Doc: "the run that brought it, null when track rename did"},
		func(r *history.Rename) cell { return report.OptInt(unit.NonZero(r.Run)) }),
}, timeColumns(column{Key: "time", Path: "time", Always: true, Title: "Time", Unit: "UTC"}, func(r *history.Rename) time.Time { return r.Time }))
