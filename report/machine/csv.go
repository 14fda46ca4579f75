package machine

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"occudiff/report/rundoc"

	"github.com/gocarina/gocsv"

	"occudiff/ingest/formula"
)

// csvRow is a row of the CSV output. The tags are its stable column names; units are part of them.
type csvRow struct {
	Task            text    `csv:"task"`
	Global          size    `csv:"global"`
	Local           size    `csv:"local"`
	SIMD            count   `csv:"simd"`
	Direction       text    `csv:"direction"`
	File            text    `csv:"file"`
	Line            count   `csv:"line"`
	Instances       count   `csv:"instances"`
	Total           number  `csv:"total_seconds"`
	Average         number  `csv:"average_seconds"`
	Policy          text    `csv:"predicted_policy"`
	ThreadsPerGroup count   `csv:"threads_per_work_group"`
	Groups          count   `csv:"work_groups"`
	GroupsPerXeCore count   `csv:"work_groups_per_xe_core"`
	Limits          wordSet `csv:"limits"`
	XeCore          number  `csv:"predicted_xe_core_percent"`
	Peak            number  `csv:"predicted_peak_percent"`
	AverageOcc      number  `csv:"predicted_average_percent"`
	Waves           number  `csv:"waves"`
	Tail            number  `csv:"tail_percent"`
	ProfilerPeak    number  `csv:"profiler_peak_percent"`
	Measured        number  `csv:"measured_percent"`
	Idle            number  `csv:"idle_percent"`
	Loaded          number  `csv:"loaded_percent"`
	Threads         count   `csv:"threads_started"`
	ThreadLife      number  `csv:"thread_life_seconds"`
	Basis           text    `csv:"basis"`
	Difference      number  `csv:"difference_points"`
	ModelDifference number  `csv:"model_difference_points"`
	Verdict         text    `csv:"verdict"`
	Cause           text    `csv:"cause"`
	Confidence      text    `csv:"confidence"`
	Because         text    `csv:"because"`
}

// text is a cell that a spreadsheet must not take for a formula.
type text string

// MarshalCSV implements gocsv.TypeMarshaller.
func (t text) MarshalCSV() (string, error) { return formula.Guard(string(t)), nil }

// number is empty when absent.
type number struct{ x *float64 }

// MarshalCSV implements gocsv.TypeMarshaller.
func (n number) MarshalCSV() (string, error) {
	if n.x == nil {
		return "", nil
	}
	return strconv.FormatFloat(*n.x, 'f', -1, 64), nil
}

// count is empty when absent.
type count struct{ n *int64 }

// MarshalCSV implements gocsv.TypeMarshaller.
func (c count) MarshalCSV() (string, error) {
	if c.n == nil {
		return "", nil
	}
	return strconv.FormatInt(*c.n, 10), nil
}

// size is a launch size, 512x512.
type size []int64

// MarshalCSV implements gocsv.TypeMarshaller.
func (s size) MarshalCSV() (string, error) {
	var b []byte
	for i, n := range s {
		if i > 0 {
			b = append(b, 'x')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b), nil
}

// wordSet is a list in one cell, separated by spaces.
type wordSet []string

// MarshalCSV implements gocsv.TypeMarshaller.
func (w wordSet) MarshalCSV() (string, error) { return strings.Join(w, " "), nil }

// batchRows bounds what is held in memory while rows are written.
const batchRows = 512

// CSV writes one line per row at full precision, below a line of column names. Absent values are empty.
func CSV(w io.Writer, rows iter.Seq[rundoc.ValidateRow]) error {
	out := csv.NewWriter(w)
	batch := make([]csvRow, 0, batchRows)
	if err := gocsv.MarshalCSV(&batch, out); err != nil { // the column names, also of no rows
		return fmt.Errorf("writing CSV: %w", err)
	}
	for row := range rows {
		if batch = append(batch, flatten(&row)); len(batch) < batchRows {
			continue
		}
		if err := gocsv.MarshalCSVWithoutHeaders(&batch, out); err != nil {
			return fmt.Errorf("writing CSV: %w", err)
		}
		batch = batch[:0]
	}
	if err := gocsv.MarshalCSVWithoutHeaders(&batch, out); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func flatten(r *rundoc.ValidateRow) csvRow {
	row := csvRow{
		Task: text(r.Task), Global: r.Global, Local: r.Local, SIMD: widen(r.SIMD), Direction: said(r.Direction), File: said(r.File), Line: widen(r.Line),
		Instances: count{r.Instances}, Total: number{r.TotalSeconds}, Average: number{r.AverageSeconds},
		ProfilerPeak: number{r.ProfilerPeakPercent}, Measured: number{r.MeasuredPercent}, Idle: number{r.IdlePercent}, Loaded: number{r.LoadedPercent},
		Threads: count{r.ThreadsStarted}, ThreadLife: number{r.ThreadLifeSeconds},
		Basis: said(r.Basis), Difference: number{r.DifferencePoints}, ModelDifference: number{r.ModelDifferencePoints}, Verdict: text(r.Verdict),
	}
	if p := r.Predicted; p != nil {
		row.Policy, row.ThreadsPerGroup, row.Groups = text(p.Policy), count{&p.ThreadsPerWorkGroup}, count{p.WorkGroups}
		row.GroupsPerXeCore, row.Limits = count{&p.WorkGroupsPerXeCore}, p.Limits
		row.XeCore, row.Peak, row.AverageOcc = number{p.XeCorePercent}, number{p.PeakPercent}, number{p.AveragePercent}
		row.Waves, row.Tail = number{p.Waves}, number{p.TailPercent}
	}
	if c := r.Cause; c != nil {
		row.Cause, row.Confidence, row.Because = text(c.Name), text(c.Confidence), text(c.Because)
	}
	return row
}

func said(s *string) text {
	if s == nil {
		return ""
	}
	return text(*s)
}

func widen(n *int) count {
	if n == nil {
		return count{}
	}
	wide := int64(*n)
	return count{&wide}
}
