package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/text"
)

// validation collects the content of docs/design/verification.md.
type validation struct {
	*testing.T
	root       string
	runs       []runRow
	breakdowns []slotsRow
	published  []publishedRow
	answers    map[truth]int
	// average and busy contain |measured - predicted| for each measurable row,
	// in points. average is over all XVEs, and busy is over busy XVEs. The
	// predicted value is the lower end of the predicted range. fromAverage and
	// fromBusy contain the same differences, but from the nearest point of the
	// range.
	average, busy, fromAverage, fromBusy []float64
}

// runRow is a kernel of a real run.
type runRow struct {
	Files     string               `col:"Files"`
	Kernel    string               `col:"Kernel"`
	Predicted unit.Opt[unit.Ratio] `col:"Predicted average [%]"`
	High      unit.Opt[unit.Ratio] `col:"to [%]"`
	Peak      unit.Opt[unit.Ratio] `col:"VTune peak [%]"`
	Measured  unit.Opt[unit.Ratio] `col:"Measured [%]"`
	Result    string               `col:"Result"`
	True      string               `col:"Is it true?"`
	Known     string               `col:"What is known"`
}

// slotsRow is a row of a table with the thread-slot breakdown of a kernel.
type slotsRow struct {
	Files         string               `col:"Files"`
	Kernel        string               `col:"Kernel"`
	Used          unit.Opt[float64]    `col:"Occupied [%]; decimals=1"`
	Underfilled   unit.Opt[float64]    `col:"Underfilled XVEs [%]; decimals=1"`
	Empty         unit.Opt[float64]    `col:"Idle XVEs [%]; decimals=1"`
	Shortfall     unit.Opt[float64]    `col:"Shortfall [%]; decimals=1"`
	Tail          unit.Opt[float64]    `col:"Last wave [%]; decimals=1"`
	Limits        unit.Opt[float64]    `col:"Launch limit [%]; decimals=1"`
	Busy          unit.Opt[unit.Ratio] `col:"Busy occupancy [%]"`
	Expected      unit.Opt[unit.Ratio] `col:"Predicted busy occupancy [%]"`
	Intervals     unit.Opt[float64]    `col:"Sampling intervals per launch; decimals=2"`
	OtherTasks    unit.Opt[unit.Ratio] `col:"Other tasks, up to [%]"`
	Misattributed unit.Opt[unit.Ratio] `col:"Misattributed [%]"`
	Causes        string               `col:"Causes"`
}

// publishedRow is a kernel of a published table.
type publishedRow struct {
	Pass     string     `col:"Pass"`
	Kernel   string     `col:"Kernel"`
	Peak     unit.Ratio `col:"VTune peak [%]"`
	Measured unit.Ratio `col:"Measured [%]"`
	Result   string     `col:"Result"`
	True     string     `col:"Is it true?"`
}

// check compares the results for a run with the known facts about its kernels.
func (v *validation) check(files []string, r *compare.Result, kernels []fact) {
	v.Helper()
	judged := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict == compare.NotAKernel {
			continue
		}
		judged++
		j := slices.IndexFunc(kernels, func(k fact) bool { return strings.HasPrefix(row.Task, k.task) })
		if j < 0 {
			v.Errorf("%v: kernel %s is not in the table", files, row.Task)
			continue
		}
		k := kernels[j]
		name := ""
		if row.Cause != nil {
			name = row.Cause.Name
		}
		if row.Verdict != k.verdict || name != k.cause {
			v.Errorf("%v %s: %s (%s), known: %s (%s), for %s", files, k.task, row.Verdict, name, k.verdict, k.cause, k.why)
		}
		v.sure(row, k.truth)
		v.runs = append(v.runs, runRow{strings.Join(files, " + "), shortName(row), averageOf(row, 0), averageOf(row, 1), row.Peak, row.Measured, answerOf(row), string(k.truth), k.why})
		v.breakdown(files, r, row)
	}
	if judged != len(kernels) {
		v.Errorf("%v: %d kernels, %d in the table", files, judged, len(kernels))
	}
}

// sure counts a result, and fails the test if the cause has a higher confidence
// than the known facts allow.
func (v *validation) sure(row *compare.Row, t truth) {
	v.Helper()
	if (t == "") != (row.Cause == nil && row.Verdict != compare.Match && row.Verdict != compare.MatchWhileBusy) {
		v.Errorf("%s: %s, and whether that is true: %q", row.Task, answerOf(row), t)
	}
	if row.Cause != nil && (t == untold && row.Cause.Confidence > compare.Low || t == probable && row.Cause.Confidence == compare.High) {
		v.Errorf("%s: %s with %s confidence, which is %s", row.Task, row.Cause.Name, row.Cause.Confidence, t)
	}
	if t != "" {
		v.answers[t]++
	}
}

// breakdown records the breakdown of a row, and the distance between its
// measured and predicted occupancy.
func (v *validation) breakdown(files []string, r *compare.Result, row *compare.Row) {
	a := row.Breakdown
	if a == nil {
		return
	}
	printed := a.Rounded()
	part := func(p compare.Part) unit.Opt[float64] {
		if x, told := printed.Of(p).Value(); told {
			return unit.Some(float64(x))
		}
		return unit.Opt[float64]{}
	}
	s := slotsRow{Files: strings.Join(files, " + "), Kernel: shortName(row), Used: part(compare.PartOccupied), Underfilled: part(compare.PartUnderfilled),
		Empty: part(compare.PartIdle), Shortfall: part(compare.PartShortfall), Tail: part(compare.PartLastWave), Limits: part(compare.PartLaunchLimit),
		Busy: row.BusyOccupancy, Intervals: a.Certainty.Intervals, OtherTasks: a.Certainty.OtherTasks, Misattributed: a.Certainty.Misattributed}
	var causes []string
	for _, c := range a.Causes {
		causes = append(causes, fmt.Sprintf("%s: %s (%s)", c.Part, c.Name, c.Confidence))
	}
	s.Causes = strings.Join(causes, ", ")
	if row.Predicted != nil {
		s.Expected = unit.Some(row.PredictedAt().BusyOccupancy)
		off := func(seen, predicted unit.Ratio) float64 { return math.Abs(float64(seen.Minus(predicted))) }
		m := row.Measured.Or(0)
		v.average, v.fromAverage = append(v.average, off(m, row.Predicted.Average)), append(v.fromAverage, off(m, row.Predicted.Nearest(m)))
		if l, ok := row.BusyOccupancy.Value(); ok {
			v.busy, v.fromBusy = append(v.busy, off(l, row.XVEs.Low.BusyOccupancy)), append(v.fromBusy, off(l, row.PredictedAt().BusyOccupancy))
		}
	}
	v.breakdowns = append(v.breakdowns, s)
}

func shortName(row *compare.Row) string {
	return report.CutMiddle(report.KernelName(row.Task), report.LabelWidth)
}

// averageOf returns the predicted average that is nearest to a value.
func averageOf(row *compare.Row, v unit.Ratio) unit.Opt[unit.Ratio] {
	if row.Predicted == nil {
		return unit.Opt[unit.Ratio]{}
	}
	return unit.Some(row.Predicted.Nearest(v))
}

// answerOf returns the verdict with its cause and confidence.
func answerOf(row *compare.Row) string {
	if row.Cause == nil {
		return string(row.Verdict)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s (%s)", row.Verdict, row.Cause.Name, row.Cause.Confidence), " ()")
}

// publishedRuns checks published occupancies. Their launch sizes are unknown,
// so the measured occupancy is compared with the measured peak, which is the
// third basis of a comparison. The rows of a pass belong to one run.
func (v *validation) publishedRuns() {
	text, err := os.ReadFile(filepath.Join(v.root, "published", "llama_low_occupancy.csv"))
	if err != nil {
		v.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n") // skip the first line, a comment
	lines, err := csv.NewReader(strings.NewReader(rest)).ReadAll()
	if err != nil {
		v.Fatal(err)
	}
	num := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			v.Fatal(err)
		}
		return x
	}
	passes := map[string][]ingest.Kernel{}
	var names []string
	for _, l := range lines[1:] {
		if passes[l[0]] == nil {
			names = append(names, l[0])
		}
		passes[l[0]] = append(passes[l[0]], ingest.Kernel{Task: l[1], Total: unit.Some(unit.Seconds(num(l[2]))), Peak: unit.Some(unit.FromPercent(num(l[3]))),
			Measured: unit.Some(unit.FromPercent(num(l[4])))})
	}
	for _, pass := range names {
		r := compare.Compare(&ingest.Run{Kernels: passes[pass]}, compare.Choice{}, compare.DefaultOptions())
		for i := range r.Rows {
			row := &r.Rows[i]
			t := untold
			if row.Verdict == compare.Unmeasurable {
				t = probable
			}
			v.sure(row, t)
			v.published = append(v.published, publishedRow{pass, row.Task, row.Peak.Or(0), row.Measured.Or(0), answerOf(row), string(t)})
		}
	}
}

// write writes the page of the documentation, and the tables for developers.
func (v *validation) write() {
	spread := func(list []float64) string {
		slices.Sort(list)
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		n := len(list)
		return fmt.Sprintf("n = %d, mean %.1f, median %.1f, maximum %.1f", n, sum/float64(n), (list[(n-1)/2]+list[n/2])/2, list[n-1])
	}
	doc := &report.Document{Title: "Validation on real runs", Sections: []report.Section{
		{Key: "real", Title: "Runs", Text: []string{
			"This table lists all files of real profiler output in the tests, with the predicted and measured occupancy, the result with its confidence, and whether the result is true. A test compares the results with the known facts and writes this page.",
			fmt.Sprintf("Including published tables, there are %d results: %d are known to be true, %d are probable, and %d state that the cause cannot be determined from the file. The test fails if a result has a higher confidence than the facts support.",
				v.answers[known]+v.answers[probable]+v.answers[untold], v.answers[known], v.answers[probable], v.answers[untold]),
			"A result is known to be true if other information confirms the result, such as another run of the program, a trace, or another table in the file. It is probable if nothing contradicts it. It is undetermined if the file is not sufficient to judge it, and the result states this. Some runs are read twice: with and without their summary, or for two GPUs."},
			Tables: []*report.Table{tagged("real", v.runs)}},
		{Key: "error", Title: "The error of the prediction", Text: []string{
			"The values are absolute differences in percentage points, over all rows with a breakdown and a prediction. Rows that do not match are included. No other measurable row has a prediction, except for the run that is read for a second GPU.",
			"Measured occupancy and the lower end of the predicted average, at which a partial last wave takes as long as a full wave: " + spread(v.average) + ". Measured occupancy and the nearest value of the predicted range: " + spread(v.fromAverage) + ".",
			"Busy occupancy and the lower end of its prediction: " + spread(v.busy) + ". Busy occupancy and the nearest value of its range: " + spread(v.fromBusy) + ".",
			"There are only a few rows from a few machines, and most rows belong to the same matrix multiplication."}},
		{Key: "calibration", Title: "Where confidence comes from", Text: []string{
			"The confidence of a cause depends on how often the cause is true in the runs of two simulators, which differ in their assumptions. The lower end of the 95% interval of this share determines the confidence. For high confidence, it must reach 90% on each simulator. For medium confidence, it must reach 80% for both simulators together. Otherwise, the confidence is low. Sampling is weak evidence if a large part of a value may come from other tasks.",
			"Some evidence does not occur in the simulators, or real runs contradict it. Such evidence has a fixed confidence."},
			Tables: []*report.Table{tagged("grounds", calibration(v.T))}},
		{Key: "remedies", Title: "What the remedies gain", Text: []string{
			"Each remedy was applied in the second simulator as the report prints it. The report calls a build for fewer registers a test, because no export shows whether this build spills."},
			Tables: []*report.Table{tagged("remedies", remediesOf(v.T))}},
		{Key: "published", Title: "Published low-occupancy tables", Text: []string{
			fmt.Sprintf("A published note contains the peak and measured occupancy of %d llama.cpp SYCL kernels. It contains no launch sizes, launch counts, or array state, so the measured occupancy is compared with VTune's peak. For %d of the kernels, the result is \"unmeasurable: sampling\", which is probable.", len(v.published), v.answered("unmeasurable: sampling"))}},
	}}
	testenv.Golden(v.T, filepath.Join("..", "..", "docs", "design", "verification.md"), []byte(v.page(doc)))
	// The table is for developers of the program.
	testenv.Golden(v.T, filepath.Join("testdata", "validation.md"), []byte(v.page(&report.Document{Title: "Validation on real runs: the thread-slot breakdowns", Sections: []report.Section{
		{Key: "accounts", Title: "Where the thread slots went", Text: []string{
			"In percent of the GPU's thread slots; the parts of a row add up to 100. Busy occupancy compared with its prediction is the most reliable value, because it excludes idle time between launches."},
			Tables: []*report.Table{tagged("accounts", v.breakdowns)}},
		{Key: "published", Title: "Published low-occupancy tables", Tables: []*report.Table{tagged("published", v.published)}},
	}})))
}

// answered returns the number of published rows that have the given result.
func (v *validation) answered(answer string) (n int) {
	for _, r := range v.published {
		if r.Result == answer {
			n++
		}
	}
	return n
}

// page returns a document as Markdown.
func (v *validation) page(doc *report.Document) string {
	var b strings.Builder
	if err := text.Markdown(&b, doc, nil); err != nil {
		v.Fatal(err)
	}
	return b.String()
}

// tagged returns a table of rows. The headings come from the struct tags of the
// row type: "Measured [%]; decimals=1".
func tagged[T any](key string, rows []T) *report.Table {
	var cols []report.Col[T]
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		if of.Field(i).Tag.Get("col") == "" {
			continue
		}
		tag, decimals, _ := strings.Cut(of.Field(i).Tag.Get("col"), "; decimals=")
		title, unitText, _ := strings.Cut(strings.TrimSuffix(tag, "]"), " [")
		c := report.Column{Key: of.Field(i).Name, Title: title, Unit: unitText, Kind: report.Text, In: report.Files}
		if c.Decimals, _ = strconv.Atoi(decimals); decimals != "" {
			c.Kind = report.Number
		} else if unitText == "%" {
			c.Kind = report.Percent
		}
		cols = append(cols, report.Col[T]{Column: c, Of: func(row *T) report.Cell {
			switch x := reflect.ValueOf(row).Elem().Field(i).Interface().(type) {
			case unit.Opt[unit.Ratio]:
				v, ok := x.Value()
				if !ok {
					return report.Cell{}
				}
				return report.ValueCell(v)
			case unit.Ratio:
				return report.ValueCell(x)
			case unit.Opt[float64]:
				return report.NumCell(c.Kind, x.Or(math.NaN()))
			default:
				return report.TextCell(fmt.Sprint(x))
			}
		}})
	}
	return report.NewTable(key, "", rows, cols)
}
