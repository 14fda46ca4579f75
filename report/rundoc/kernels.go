package rundoc

import (
	"math"
	"strconv"
	"strings"

	"occudiff/report"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
)

// rowSet is what the sections that show rows need to know of all of them.
type rowSet struct {
	result   *compare.Result
	kernels  int       // the first ones; what follows are tasks that are no kernels
	need     int       // the first ones that need attention
	labels   []string  // of the first rows, which plots show
	decimals int       // of times in seconds
	told     []toldRow // those that are explained
	tails    int       // those that a partial last wave holds back
	peakOnly int       // those that set one prediction against another
	devices  bool
	measured bool // any kernel
	spread   bool
}

func newRowSet(r *compare.Result) *rowSet {
	s := &rowSet{result: r}
	shortest := math.Inf(1)
	var shown []compare.Row
	alike := map[likeness]*likes{}
	for i, row := range r.Skim() {
		s.devices = s.devices || row.Device != ""
		s.spread = s.spread || row.Launches != nil
		if i < report.PlotRows {
			shown = append(shown, *row)
		}
		if row.Basis == compare.BasisPeak && matchable(row.Verdict) {
			s.peakOnly++
		}
		if row.Verdict == compare.NotAKernel { // the last ones
			continue
		}
		s.kernels = i + 1
		if needsAttention(row) {
			if s.need == i {
				s.need++
			}
			if !r.KeepsLaunches() || first(alike, likenessOf(row), len(s.told)) {
				s.told = append(s.told, toldRow{i, 1})
			}
		}
		if tailed(row) {
			s.tails++
		}
		s.measured = s.measured || row.Measured.Present()
		if t, ok := row.Total.Value(); ok && t > 0 {
			shortest = math.Min(shortest, float64(t))
		}
	}
	for _, a := range alike {
		s.told[a.item].n = a.n
	}
	s.decimals = secondsDecimals(shortest)
	s.labels = plotLabels(shown[:min(s.kernels, len(shown))])
	return s
}

// secondsDecimals gives the decimals that show the shortest time with three significant digits: at least 2, and at most
// the microsecond that profilers resolve.
func secondsDecimals(shortest float64) int {
	if math.IsInf(shortest, 1) {
		return 4
	}
	return min(max(2-int(math.Floor(math.Log10(shortest))), 2), 6)
}

// needsAttention says whether somebody should look at a row.
func needsAttention(r *compare.Row) bool {
	switch r.Verdict {
	case compare.Below, compare.Above, compare.Unmeasurable, compare.NoPrediction:
		return true
	case compare.NotAKernel:
		return false
	}
	return r.Cause != nil
}

// finding is the verdict with its cause: "below: dispatch".
func finding(r *compare.Row) report.Cell {
	text := string(r.Verdict)
	if r.Cause != nil {
		text += ": " + r.Cause.Name
	}
	return report.StatusCell(text, verdictStatus(r.Verdict))
}

// plotLabels names rows briefly; rows of one name are told apart by their shape.
func plotLabels(rows []compare.Row) []string {
	names := make([]string, len(rows))
	count := map[string]int{}
	for i := range rows {
		names[i] = report.OneLine(rows[i].Task)
		count[names[i]]++
	}
	labels := report.CutApart(names, report.LabelWidth)
	for i := range labels {
		if count[names[i]] > 1 {
			labels[i] += " " + shape(&rows[i])
		}
	}
	return labels
}

// shape prints the launch shape of a row: "2048x2048 in 1024x1, SIMD32"; empty when nothing is known.
func shape(r *compare.Row) string {
	text := r.Global.String()
	if l := r.Local.String(); l != "" {
		if text != "" {
			text += " in "
		}
		text += l
	}
	if n, ok := r.SIMD.Value(); ok {
		if text != "" {
			text += ", "
		}
		text += "SIMD" + strconv.Itoa(n)
	}
	return text
}

func kernelSection(r *compare.Result, rows *rowSet) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if r.Len() == 0 {
		s.Text = []string{"The inputs hold no kernel."}
		return s
	}
	if rows.kernels < r.Len() {
		s.Text = []string{"Those that need attention come first, then by time; tasks that are no kernels come last."}
	} else {
		s.Text = []string{"Those that need attention come first, then by time."}
	}
	s.Tables = []*report.Table{rows.kernelTable()}
	return s
}

// attentionSection says of each kernel that does not match why, with its reasoning and, for the first, a picture of its
// waves. Launches of one kernel that do not match for one cause are explained together.
func attentionSection(r *compare.Result, rows *rowSet) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: "Kernels that do not match", Sheet: "Summary", ItemsIn: report.Terminal | report.Page | report.Sheet}
	plots := 0
	for _, t := range rows.told {
		row := r.Row(t.row, nil)
		it := report.Item{Lead: report.OneLine(row.Task), Detail: shape(row), Text: sentence(row), Status: verdictStatus(row.Verdict), Table: report.SectionKernels, Row: t.row, Source: source(row.Pos),
			Steps: func() []report.Step {
				row := r.Row(t.row, nil)
				return append(predictionSteps(r, row), seenSteps(r, row)...)
			},
			Facts: func() string { return facts(r, r.Row(t.row, nil)) }}
		if t.n > 1 {
			it.Text += longestOf(t.n)
		}
		if plots < wavesRows {
			if p, ok := wavesPlot(row, "waves-"+strconv.Itoa(plots+1)); ok {
				it.Plot = &p
				plots++
			}
		}
		s.Items = append(s.Items, it)
	}
	if len(s.Items) == 0 {
		s.Text = []string{"None."}
	}
	return s
}

// source says where a row is from.
func source(at note.Pos) string {
	if at.File == "" || at.Line <= 0 {
		return report.OneLine(at.File)
	}
	return report.OneLine(at.File) + ", line " + report.Thousands(int64(at.Line))
}

// longestOf says of an explanation that it stands for others: rows are in the order of time.
func longestOf(n int) string {
	return " This is the longest of " + report.Thousands(int64(n)) + " such launches."
}

// toldRow is a row that is explained, and how many launches it stands for.
type toldRow struct{ row, n int }

// likeness is what launches have in common that are told of together.
type likeness struct {
	ingest.Key
	verdict compare.Verdict
	about   string // the cause, or the code of a note
}

func likenessOf(r *compare.Row) likeness {
	l := likeness{Key: r.Key(), verdict: r.Verdict}
	if r.Cause != nil {
		l.about = r.Cause.Name
	}
	return l
}

// likes counts launches that are alike, and says which item tells of them.
type likes struct{ item, n int }

// first counts a launch, and says whether it is the first of its kind, for which the next item is.
func first(alike map[likeness]*likes, l likeness, next int) bool {
	a := alike[l]
	if a == nil {
		a = &likes{item: next}
		alike[l] = a
	}
	a.n++
	return a.n == 1
}

// sentence says what is wrong with a row and why.
func sentence(r *compare.Row) string {
	var b strings.Builder
	b.WriteString(string(r.Verdict))
	if p, ok := r.Difference.Value(); ok && (r.Verdict == compare.Below || r.Verdict == compare.Above) {
		b.WriteString(" by " + report.Decimal(math.Abs(float64(p)), 1) + " points")
	}
	because := ""
	switch {
	case r.Cause != nil:
		b.WriteString(": " + report.OneLine(r.Cause.Name))
		because = report.OneLine(r.Cause.Because)
	case r.Predicted == nil:
		because = report.OneLine(r.NoPredictionWhy)
	}
	b.WriteByte('.')
	if because != "" {
		b.WriteString(" " + report.UpperFirst(because))
		if !strings.HasSuffix(because, ".") {
			b.WriteByte('.')
		}
	}
	return b.String()
}
