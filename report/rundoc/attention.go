package rundoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	// groupedRows is from how many explanations on readers see the causes first, and then the kernels of each.
	groupedRows = 40
	// smallShare is the part of the GPU time below which the kernels of one cause are one line.
	smallShare = 0.01
	// namedKernels is how many kernels such a line names.
	namedKernels = 3
	// fullItems is how many explanations have the parts of the account in words; others have the cause.
	fullItems = 200
	// mostItems is how many kernels of a cause are explained one by one: the table of kernels has the cause of all.
	mostItems = 1000
)

// causeGroup is the explained rows of one verdict and cause.
// Rows are held as places in a list and not themselves: a run may have millions, and a row has no text until it is
// asked for.
type causeGroup struct {
	verdict     compare.Verdict
	cause       string
	explained   []int // its rows
	kernels     int   // launches where they are kept
	total, lost unit.Seconds
}

func (g *causeGroup) add(r *compare.Row) {
	g.kernels++
	g.total += r.Total.Or(0)
	g.lost += r.Lost()
}

// group gives the one that a row belongs to.
func (s *rowSet) group(r *compare.Row) *causeGroup {
	name := causeName(r)
	// There are some ten groups, so a search is as good as a map.
	i := slices.IndexFunc(s.groups, func(g *causeGroup) bool { return g.verdict == r.Verdict && g.cause == name })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, &causeGroup{verdict: r.Verdict, cause: name})
	}
	return s.groups[i]
}

// first is the first row of a group that is explained.
func (s *rowSet) first(g *causeGroup) int { return g.explained[0] }

// causeGroups are the explained rows by verdict and cause, the most slot time lost first.
func (s *rowSet) causeGroups() []*causeGroup {
	// Lost slot time is what mending a cause can bring; the number of kernels is not.
	slices.SortStableFunc(s.groups, func(a, b *causeGroup) int { return cmp.Compare(b.lost, a.lost) })
	return s.groups
}

// attentionSections say of each kernel that does not match why, with its reasoning and, for the first, a picture of its
// waves. Launches of one kernel that do not match for one cause are explained together, and so are the kernels of a
// cause that take no time to speak of. Where there are many, a terminal has the causes and files have the first kernels
// of each.
func attentionSections(r *compare.Result, rows *rowSet) []report.Section {
	s := report.Section{Key: report.SectionAttention, Title: "Kernels that do not match", Sheet: "Summary",
		ItemsIn: report.Everywhere}
	var sections []report.Section
	var large []*causeGroup
	var small []report.Item
	var explained []int
	groups := rows.causeGroups()
	for _, g := range groups {
		// Many kernels that are too short to matter would bury those that do; a single one is as short by itself.
		if share, ok := rows.shareOf(g.total); ok && share < smallShare && len(g.explained) > 1 {
			small = append(small, rows.smallItem(g, share))
			continue
		}
		large = append(large, g)
		explained = append(explained, g.explained[:min(len(g.explained), mostItems)]...)
	}
	if len(explained) > groupedRows {
		s.ItemsIn &^= report.Terminal
		sections = append(sections, causesFirst(rows, groups))
		for _, g := range large {
			s.Items = append(s.Items, rows.items(g, len(s.Items))...)
		}
	} else {
		// Few enough to be read in one go: then they stand in the order of the table of kernels, whatever their cause.
		slices.Sort(explained)
		s.Items = rows.items(&causeGroup{explained: explained}, 0)
	}
	addWaves(r, s.Items)
	s.Items = append(s.Items, small...)
	if len(s.Items) == 0 {
		s.Text = []string{"None."}
	}
	return append(sections, s)
}

// items explain the first rows of a group and say how many there are besides; before is how many items come first.
func (s *rowSet) items(g *causeGroup, before int) []report.Item {
	var items []report.Item
	for i, at := range g.explained {
		if i == mostItems {
			rest := &causeGroup{verdict: g.verdict, cause: g.cause, kernels: len(g.explained) - i}
			return append(items, report.Item{Lead: s.counted(rest, "more "), Table: report.SectionKernels, Row: at,
				Text:   groupName(g) + ", like the kernels above; the table of kernels lists them.",
				Status: statusOf(g.verdict)})
		}
		it := attentionItem(s.result, at)
		// The parts in words take most of the time of a large report; the table has them for every kernel.
		if before+i >= fullItems {
			it.Text = sentence(&s.result.Rows[at])
		}
		items = append(items, it)
	}
	return items
}

// addWaves gives the first rows that have several waves a picture of them.
func addWaves(r *compare.Result, items []report.Item) {
	plots := 0
	for i := range items {
		if plots == wavesRows {
			return
		}
		if p, ok := wavesPlot(&r.Rows[items[i].Row], "waves-"+strconv.Itoa(plots+1)); ok {
			items[i].Plot = &p
			plots++
		}
	}
}

// attentionItem explains a row.
func attentionItem(r *compare.Result, at int) report.Item {
	row := &r.Rows[at]
	it := report.Item{Lead: report.KernelName(row.Task), Detail: Shape(&row.Kernel),
		Text: explanation(r, row), Status: statusOf(row.Verdict),
		Table: report.SectionKernels, Row: at, Source: source(row.Pos),
		// Made when a reader opens them: of most rows nobody does.
		Steps: func() []report.Step { return stepsOf(r, row) },
		Facts: func() string { return facts(r, row) }}
	return it
}

// causesFirst has a line for each cause.
func causesFirst(rows *rowSet, groups []*causeGroup) report.Section {
	s := report.Section{Key: "attention-causes", Title: "Causes", In: report.Terminal, ItemsIn: report.Terminal}
	for _, g := range groups {
		text := string(g.verdict) + ": " + rows.counted(g, "")
		if share, ok := rows.shareOf(g.total); ok {
			text += ", " + report.PercentText(100*share) + " of the GPU time"
		}
		if g.lost > 0 {
			text += ", " + SlotTime(g.lost) + " of slot time"
		}
		text += ". Mainly " + rows.names(g) + "."
		if why := because(&rows.result.Rows[rows.first(g)]); why != "" {
			text += " The first one: " + report.OneLine(why)
		}
		lead := g.cause
		if lead == "" {
			lead = "(none)"
		}
		s.Items = append(s.Items, report.Item{Lead: lead, Text: text, Status: statusOf(g.verdict),
			Table: report.SectionKernels, Row: rows.first(g)})
	}
	return s
}

// smallItem is the line of kernels that take no time to speak of.
func (s *rowSet) smallItem(g *causeGroup, share float64) report.Item {
	return report.Item{Lead: s.counted(g, ""),
		Text:   groupName(g) + ". Together " + report.PercentText(100*share) + " of the GPU time: " + s.names(g) + ".",
		Status: statusOf(g.verdict), Table: report.SectionKernels, Row: s.first(g)}
}

// groupName says what the rows of a group have in common.
func groupName(g *causeGroup) string {
	switch g.cause {
	case compare.CauseSampling:
		return "too short to measure"
	case "":
		return string(g.verdict)
	}
	return string(g.verdict) + ": " + g.cause
}

// counted says how many kernels a group has; which comes before the noun.
func (s *rowSet) counted(g *causeGroup, which string) string {
	return unit.Counted(g.kernels, which+"kernel", which+"kernels")
}

// names lists the first kernels of a group.
func (s *rowSet) names(g *causeGroup) string {
	var names []string
	explained := g.explained
	if !s.shapes { // the names of all kernels differ
		explained = explained[:min(len(explained), namedKernels)]
	}
	seen := map[string]bool{}
	for _, at := range explained {
		task := s.result.Rows[at].Task
		if !seen[task] && len(names) < namedKernels {
			names = append(names, cmp.Or(s.brief[task], report.CutMiddle(report.KernelName(task), report.LabelWidth)))
		}
		seen[task] = true
	}
	if more := len(seen) - len(names) + len(g.explained) - len(explained); more > 0 {
		return strings.Join(names, ", ") + " and " + report.Thousands(int64(more)) + " more"
	}
	return strings.Join(names, ", ")
}

// shareOf is a time as a share of all tasks' time, 0..1.
func (s *rowSet) shareOf(t unit.Seconds) (share float64, ok bool) {
	all := s.result.Summary.GPUTime.Or(0)
	return float64(t / all), all > 0
}

// source says where a row is from.
func source(at note.Pos) string {
	if at.File == "" || at.Line <= 0 {
		return report.OneLine(at.File)
	}
	return report.OneLine(at.File) + ", line " + report.Thousands(int64(at.Line))
}
