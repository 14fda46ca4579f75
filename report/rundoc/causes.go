package rundoc

import (
	"math"
	"sync"

	"occudiff/report"

	"occudiff/compare"
)

const (
	// SectionCauses is the sheet of the causes; SectionExplanations is the key of its table of kernels.
	SectionCauses       = "causes-sheet"
	SectionExplanations = "explanations"

	// explainedRows is how many kernels are explained beside the table of kernels, and linked with it: links make a
	// workbook slow to open, and nobody follows more.
	explainedRows = 65000
)

// explained lists rows that need attention, those of one cause together.
type explained struct {
	result *compare.Result
	told   []toldRow
	order  func() (to, at []int) // to[i] is the line of told[i], told[at[k]] stands in line k
}

func newExplained(rows *rowSet) *explained {
	e := &explained{result: rows.result}
	for _, t := range rows.told {
		if t.row < rows.need && len(e.told) < explainedRows {
			e.told = append(e.told, t)
		}
	}
	e.order = sync.OnceValues(e.sorted)
	return e
}

// sorted counts the rows of each cause, then gives each row its place: it keeps the order within a cause.
func (e *explained) sorted() (to, at []int) {
	causes := append(compare.Causes(), "")
	rank := make(map[string]int, len(causes))
	for i, name := range causes {
		rank[name] = i
	}
	var into compare.Row
	of := make([]int, len(e.told))
	next := make([]int, len(causes)+1)
	for i, t := range e.told {
		c, ok := rank[causeName(e.result.Row(t.row, &into))]
		if !ok {
			c = len(causes) - 1
		}
		of[i] = c
		next[c+1]++
	}
	for i := range causes {
		next[i+1] += next[i]
	}
	to, at = make([]int, len(e.told)), make([]int, len(e.told))
	for i, c := range of {
		to[i], at[next[c]] = next[c], i
		next[c]++
	}
	return to, at
}

func causeName(r *compare.Row) string {
	if r.Cause == nil {
		return ""
	}
	return r.Cause.Name
}

// linkKernels leads from the kernels to their explanations, where each has one of its own.
func (e *explained) linkKernels(t *report.Table) {
	if len(e.told) == 0 || t == nil || e.result.KeepsLaunches() {
		return
	}
	t.Linked = len(e.told)
	t.Link = func(i int) (string, int) {
		to, _ := e.order()
		return SectionExplanations, to[i]
	}
}

// causesSection counts the causes, says what each means and what to do, and lists the kernels of each.
func causesSection(rows *rowSet, e *explained) report.Section {
	s := report.Section{Key: SectionCauses, Title: "Causes", Sheet: "Causes", In: report.Sheet}
	if rows.need == 0 {
		s.Text = []string{"No kernel needs a cause."}
		return s
	}
	s.Text = []string{"Why what was seen differs from the prediction; occudiff explain tells how each cause is recognised and where that is from."}
	s.Tables = []*report.Table{causeTextTable(rows), explanationTable(e)}
	if e.result.KeepsLaunches() {
		s.Text = append(s.Text, "Launches of one kernel that have one verdict and one cause are one line below, that of the first.")
	} else if n := rows.need - len(e.told); n > 0 {
		s.Text = append(s.Text, "The first "+report.Thousands(explainedRows)+" kernels are listed below; the sheet of the kernels has the reasons of "+report.Thousands(int64(n))+" more.")
	}
	return s
}

// causeSums adds up the kernels of one cause.
type causeSums struct {
	kernels       int
	seconds, most float64 // most: the largest difference in size, NaN when there is none
	timed         bool
}

func causeTextTable(rows *rowSet) *report.Table {
	sums := map[string]*causeSums{}
	all := 0.0
	for i, r := range rows.result.Skim() {
		if i == rows.kernels {
			break
		}
		t, timed := r.Total.Value()
		all += float64(t)
		if i >= rows.need {
			continue
		}
		c := sums[causeName(r)]
		if c == nil {
			c = &causeSums{most: math.NaN()}
			sums[causeName(r)] = c
		}
		c.kernels++
		c.seconds += float64(t)
		c.timed = c.timed || timed
		if d, ok := r.Difference.Value(); ok && !(math.Abs(c.most) >= math.Abs(float64(d))) {
			c.most = float64(d)
		}
	}
	var cells [][]report.Cell
	add := func(key string, t compare.CauseText) {
		c := sums[key]
		if c == nil {
			return
		}
		row := []report.Cell{report.TextCell(t.Name), report.IntCell(c.kernels), {}, {}, report.NumCell(report.Points, c.most), report.TextCell(t.Means), report.TextCell(t.Do)}
		if c.timed && all > 0 {
			row[2], row[3] = report.NumCell(report.Number, c.seconds), report.NumCell(report.Percent, 100*c.seconds/all)
		}
		cells = append(cells, row)
	}
	for _, t := range compare.CauseTexts() {
		add(t.Name, t)
	}
	add("", compare.CauseText{Name: "(none)", Means: "Nothing could be compared, so there is no difference to explain.", Do: "Because says what is missing or why the launch cannot run."})
	return report.Fixed("cause_texts", "", []report.Column{
		{Key: "cause", Title: "Cause", Kind: report.Text, In: report.Sheet},
		{Key: "rows", Title: "Kernels", Kind: report.Integer, In: report.Sheet},
		{Key: "time", Title: "Time", Unit: "s", Kind: report.Number, Decimals: rows.decimals, In: report.Sheet},
		{Key: "share", Title: "Of all kernels' time", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "largest", Title: "Largest difference", Unit: "points", Kind: report.Points, In: report.Sheet},
		{Key: "means", Title: "What it means", Kind: report.Text, In: report.Sheet, Wrap: true},
		{Key: "do", Title: "What to do", Kind: report.Text, In: report.Sheet, Wrap: true},
	}, cells)
}

// explanationTable has a row for each kernel that does not match, under the columns of causeTextTable.
func explanationTable(e *explained) *report.Table {
	t := &report.Table{
		Key: SectionExplanations, Title: "Kernels by cause", Len: len(e.told), Main: len(e.told), In: report.Sheet, Linked: len(e.told),
		Columns: []report.Column{
			{Key: "task", Title: "Kernel", Kind: report.Text, In: report.Sheet, Cut: true},
			{Key: "cause", Title: "Cause", Kind: report.Text, In: report.Sheet},
			{Key: "verdict", Title: "Verdict", Kind: report.Text, In: report.Sheet, Words: verdictWords()},
			{Key: "confidence", Title: "Confidence", Kind: report.Text, In: report.Sheet},
			{Key: "difference", Title: "Difference", Unit: "points", Kind: report.Points, In: report.Sheet},
			{Key: "because", Title: "Because", Kind: report.Text, In: report.Sheet, Wrap: true},
			{Key: "launch", Title: "Launch", Kind: report.Text, In: report.Sheet, Wrap: true},
		},
	}
	if e.result.KeepsLaunches() {
		t.Columns = append(t.Columns, report.Column{Key: "alike", Title: "Launches alike", Kind: report.Integer, In: report.Sheet})
	}
	t.Row = func(k int, dst []report.Cell) []report.Cell {
		_, at := e.order()
		told := e.told[at[k]]
		r := e.result.Row(told.row, nil)
		confidence := report.Cell{}
		if r.Cause != nil {
			confidence = report.TextCell(r.Cause.Confidence)
		}
		dst = append(dst, report.TextCell(report.KernelName(r.Task)), report.TextCell(causeName(r)), report.StatusCell(string(r.Verdict), verdictStatus(r.Verdict)),
			confidence, report.OptPoints(r.Difference), report.TextCell(because(r)), report.TextCell(shape(r)))
		if e.result.KeepsLaunches() {
			dst = append(dst, report.IntCell(told.n))
		}
		return dst
	}
	t.Link = func(k int) (string, int) {
		_, at := e.order()
		return report.SectionKernels, e.told[at[k]].row
	}
	return t
}
