package rundoc

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	// sectionCauses is the sheet of the causes; sectionExplanations is the key of its table of kernels.
	sectionCauses       = "causes-sheet"
	sectionExplanations = "explanations"

	// explainedRows is how many kernels are explained beside the table of kernels, and linked with it: links make a
	// workbook slow to open, and nobody follows more.
	explainedRows = 65000
)

// explanations are the rows of the table of kernels by cause.
// Causes come first and kernels within them, as somebody reads who mends one cause at a time.
type explanations struct {
	result *compare.Result
	list   []explainedRow // by cause; those of one cause in the order of the kernels
	line   []int          // in list of each row that needs attention, in the order of the kernels
}

func newExplanations(rows *rowSet) *explanations {
	e := &explanations{result: rows.result}
	// The order of compare.Causes is that in which causes are tried; rows without one come last.
	causes := append(compare.Causes(), "")
	var rank []int
	var into compare.Row
	var places []int // in the order of the list
	for _, t := range rows.explained {
		if t.row < rows.attention && len(places) < explainedRows {
			places = append(places, len(places))
			rank = append(rank, slices.Index(causes, causeName(rows.result.Bare(t.row, &into))))
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	e.list, e.line = make([]explainedRow, len(places)), make([]int, len(places))
	for line, i := range places {
		e.list[line], e.line[i] = rows.explained[i], line
	}
	return e
}

func causeName(r *compare.Row) string {
	if r.Cause == nil {
		return ""
	}
	return r.Cause.Name
}

// linkKernels leads from the kernels to their explanations, where each has one of its own.
// With every launch a row many rows share an explanation, and a link from each would lead to another launch.
func (e *explanations) linkKernels(t *report.Table) {
	if t != nil && !e.result.PerLaunch() {
		t.LinkTable, t.LinkRows = sectionExplanations, e.line
	}
}

// causesSection counts the causes, says what each means and what to do, and lists the kernels of each.
func causesSection(rows *rowSet, e *explanations) report.Section {
	s := report.Section{Key: sectionCauses, Title: "Causes", Sheet: "Causes", In: report.Sheet}
	if rows.attention == 0 {
		s.Text = []string{"No kernel needs an explanation."}
		return s
	}
	s.Text = []string{"Why measurements differ from the predictions. 'occudiff explain' says how each cause is " +
		"recognized and where that comes from."}
	s.Tables = []*report.Table{causeTextTable(rows), explanationTable(e)}
	if e.result.PerLaunch() {
		s.Text = append(s.Text, "Launches of one kernel with the same verdict and cause share a line below, that of "+
			"the first.")
	} else if n := rows.attention - len(e.list); n > 0 {
		s.Text = append(s.Text, "The first "+report.Thousands(explainedRows)+" kernels are listed below; the sheet "+
			"of the kernels has the reasons for "+report.Thousands(int64(n))+" more.")
	}
	return s
}

// causeSums adds up the kernels of one cause.
type causeSums struct {
	kernels       int
	seconds, most float64 // most: the largest difference in size, NaN when there is none
	timed         bool
}

// causeTextTable adds up in one pass over rows without their texts, which would be made for nothing.
func causeTextTable(rows *rowSet) *report.Table {
	sums := map[string]*causeSums{}
	all := 0.0
	for i, r := range rows.result.AllWithoutText() {
		if i == rows.kernels {
			break
		}
		t, timed := r.Total.Value()
		all += float64(t)
		if i >= rows.attention {
			continue
		}
		c := sums[causeName(r)]
		if c == nil {
			c = &causeSums{most: math.NaN()}
			sums[causeName(r)] = c
		}
		c.kernels++
		c.seconds += float64(t)
		// A log has no time of kernels, and a sum of nothing is no 0.
		c.timed = c.timed || timed
		// Written with a not, since nothing compares with the NaN that most begins with.
		if d, ok := r.Difference.Value(); ok && !(math.Abs(c.most) >= math.Abs(float64(d))) {
			c.most = float64(d)
		}
	}
	var list []causeRow
	add := func(key string, t report.Term) {
		c := sums[key]
		if c == nil {
			return
		}
		row := causeRow{Name: t.Name, Kernels: int64(c.kernels), Largest: unit.Some(unit.Points(c.most)),
			Means: t.Means, Do: *t.Do}
		if c.timed && all > 0 {
			row.Time, row.Share = unit.Some(unit.Seconds(c.seconds)), unit.Some(100*c.seconds/all)
		}
		list = append(list, row)
	}
	// Causes stand in the order of their explanations, so that two reports can be laid side by side.
	for _, t := range report.CauseTerms() {
		add(t.Name, t)
	}
	add("", report.Term{Name: "(none)", Means: "Nothing could be compared, so there is no difference to explain.",
		Do: report.Filled("The column Because says what is missing, or why the launch cannot run.")})
	t := report.List("cause_texts", "", list)
	t.In = report.Sheet
	t.Columns[t.Column("time")].Decimals = rows.decimals
	return t
}

// causeRow is a cause with what it means, and what the kernels that have it come to.
type causeRow struct {
	Name    string            `json:"cause" col:"Cause"`
	Kernels int64             `json:"rows" col:"Kernels"`
	Time    seconds           `col:"Time"`
	Share   unit.Opt[float64] `col:"Share of kernel time [%]"`
	Largest points            `col:"Largest difference"`
	Means   string            `col:"What it means; wrap"`
	Do      string            `col:"What to do; wrap"`
}

// explanationRow is a kernel that does not match, under the columns of causeRow.
type explanationRow struct {
	Task       report.Symbol `col:"Kernel; cut"`
	Cause      string        `col:"Cause"`
	Verdict    verdictWord   `col:"Verdict"`
	Confidence string        `col:"Confidence"`
	Difference points        `col:"Difference"`
	Because    string        `col:"Because; wrap"`
	Launch     string        `col:"Launch; wrap"`
	Alike      int64         `col:"Launches like it"`

	row compare.Row // memory
}

func explanationTable(e *explanations) *report.Table {
	columns := []string{"task", "cause", "verdict", "confidence", "difference", "because", "launch"}
	if e.result.PerLaunch() {
		columns = append(columns, "alike")
	}
	t := report.RowsInto(sectionExplanations, len(e.list), func(k int, into *explanationRow) {
		r := e.result.Row(e.list[k].row, &into.row)
		into.Task, into.Cause, into.Confidence = report.Symbol(report.OneLine(r.Task)), causeName(r), ""
		into.Verdict, into.Difference, into.Because = verdictWord(r.Verdict), r.Difference, because(r)
		into.Launch, into.Alike = Shape(&r.Kernel), int64(e.list[k].launches)
		if r.Cause != nil {
			into.Confidence = r.Cause.Confidence
		}
	}, columns...)
	t.Title, t.In, t.LinkTable = "Kernels by cause", report.Sheet, report.SectionKernels
	for _, x := range e.list {
		t.LinkRows = append(t.LinkRows, x.row)
	}
	return t
}
