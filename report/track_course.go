package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Course is a value over time, with the levels that it settled on. Runs stand side by side in their order, whatever time lies
// between them: series are judged by runs.
type Course struct {
	Points []CoursePoint // oldest first
	Levels []CourseLevel
	// Threshold is what the newest point was held against, nil when there is none.
	Threshold *float64
	Large     bool // the one that a page begins with
}

// CoursePoint is one run.
type CoursePoint struct {
	Time  time.Time
	Value float64
	Name  string // what it is, for those who point at it
}

// CourseLevel is the mean of the points From to To, the last one excluded.
type CourseLevel struct {
	From, To int
	Mean     float64
	Name     string // what it is
	Status   Status // of the change that it begins with; Plain for the first
}

// Panel is a small picture of one course among others.
type Panel struct {
	Title, Detail string // what it is, and what tells it apart from others of the name
	Note          string // the newest value and the verdict
	Status        Status
	Link          string // key of the plot that shows it large; empty when there is none
	Course        *Course
}

const (
	// largeCourses is how many series are shown large, and get a sheet.
	largeCourses = 13
	// courseRuns is how many runs a large picture shows: more points than this cannot be told apart.
	courseRuns = 2000
	// panelRuns is the same for a small one.
	panelRuns = 200
)

// course gives the last runs of a series as a picture. Names of points cost more than their picture: small ones have none.
func (r *TrackReport) course(t *Tracked, most int, names bool) *Course {
	m := &r.Metric
	first := max(0, len(t.Points)-most)
	c := &Course{Points: make([]CoursePoint, 0, len(t.Points)-first)}
	for _, p := range t.Points[first:] {
		point := CoursePoint{Time: p.Time, Value: p.Value * m.scale()}
		if names {
			point.Name = "run " + strconv.FormatInt(p.Run, 10) + ", " + when(p.Time) + " UTC: " + m.print(p.Value)
		}
		c.Points = append(c.Points, point)
	}
	if x, ok := t.Gate.Threshold.Value(); ok {
		x *= m.scale()
		c.Threshold = &x
	}
	if len(t.Changes) == 0 {
		return c
	}
	for i := 0; i <= len(t.Changes); i++ {
		if level, ok := r.level(t, i, first); ok {
			c.Levels = append(c.Levels, level)
		}
	}
	return c
}

// level is the stretch before change point i, or after the last one; false when it lies before the first point shown.
func (r *TrackReport) level(t *Tracked, i, first int) (CourseLevel, bool) {
	from, to, mean := 0, len(t.Points), 0.0
	if t.Unmeasurable {
		to-- // the newest is of no level
	}
	if i < len(t.Changes) {
		to, mean = t.Changes[i].Index, t.Changes[i].MeanBefore
	}
	level := CourseLevel{}
	if i > 0 {
		c := &t.Changes[i-1]
		from, mean = c.Index, c.MeanAfter
		level.Status = r.changeStatus(c)
		level.Name = fmt.Sprintf("change point at run %d, %s UTC: %s -> %s (%s, p %s)", t.Points[c.Index].Run, when(c.Time),
			r.Metric.print(c.MeanBefore), r.Metric.print(c.MeanAfter), r.Metric.difference(c.MeanAfter-c.MeanBefore), probability(c.P))
	}
	level.From, level.To, level.Mean = max(from-first, 0), to-first, mean*r.Metric.scale()
	return level, to > first
}

// note is what a small picture says below its title.
func (r *TrackReport) note(t *Tracked) string {
	text := t.finding()
	if p, ok := t.newest(); ok {
		text = r.Metric.print(p.Value) + ", " + text
	}
	if n := len(t.Changes); n > 0 {
		text += ", " + Counted(n, "change", "changes")
	}
	return text
}

// plotTitle names a series above its picture.
func (t *Tracked) plotTitle() string {
	title := OneLine(t.Name)
	if w := t.where(); w != "" {
		title += " on " + w
	}
	return title
}

// drawn gives the series that are shown large: first the one with the largest last change, if any has changed, then the
// worst ones. The title says which one the first is.
func (r *TrackReport) drawn(series []*Tracked) (list []*Tracked, title string) {
	most, size := 0, 0.0
	for i, t := range series {
		if n := len(t.Changes); n > 0 {
			if d := math.Abs(t.Changes[n-1].MeanAfter - t.Changes[n-1].MeanBefore); d > size {
				most, size = i, d
			}
		}
	}
	title = "The series with the largest last change"
	if size == 0 {
		title = "The first series: none has a change point"
	}
	list = slices.Concat(series[most:min(most+1, len(series))], series[:most], series[min(most+1, len(series)):])
	return list[:min(len(list), largeCourses)], title
}

// courses shows some series, the first of them large.
func (r *TrackReport) courses(drawn []*Tracked, title string) []Section {
	var plots []Plot
	for i, t := range drawn {
		text := Counted(len(t.Points), "run", "runs") + ", oldest on the left."
		if n := len(t.Points); n > courseRuns {
			text = "The last " + Thousands(courseRuns) + " of " + Thousands(int64(n)) + " runs, oldest on the left."
		}
		if len(t.Changes) > 0 {
			text += " " + upperFirst(r.changeText(t))
		}
		c := r.course(t, courseRuns, true)
		c.Large = i == 0
		plots = append(plots, Plot{Key: courseKey(i), Title: t.plotTitle(), Unit: r.Metric.paper(), Text: text, Course: c})
	}
	if len(plots) == 0 {
		return nil
	}
	list := []Section{{Key: SectionCourse, Title: title, In: Page, Plots: plots[:1],
		Text: []string{"A point per run. Lines are the means between change points; the dashed one is the threshold of the newest run."}}}
	if len(plots) > 1 {
		list = append(list, Section{Key: SectionCourses, Title: "The next ones", In: Page, Plots: plots[1:],
			Text: []string{"The next " + Thousands(int64(len(plots)-1)) + ", drawn alike."}})
	}
	return list
}

func courseKey(i int) string { return "course-" + strconv.Itoa(i+1) }

// panels shows every series small.
func (r *TrackReport) panels(series, drawn []*Tracked) Section {
	links := make(map[*Tracked]string, len(drawn))
	for i, t := range drawn {
		links[t] = courseKey(i)
	}
	p := Plot{Key: SectionPanels, Title: "All series", Unit: r.Metric.paper(), Text: "The last " + Thousands(panelRuns) + " runs of each at most; the vertical axis is the series' own.",
		Panels: make([]Panel, len(series))}
	for i, t := range series {
		p.Panels[i] = Panel{Title: OneLine(t.Name), Detail: t.where(), Note: r.note(t), Status: t.status(), Link: links[t], Course: r.course(t, panelRuns, false)}
	}
	return Section{Key: SectionPanels, Title: "All series", In: Page, Plots: []Plot{p},
		Text: []string{"Every series small: " + startLower(p.Text)}}
}

// sheets gives each series that is drawn a sheet of a workbook: its runs, with a chart drawn from them.
func (r *TrackReport) sheets(drawn []*Tracked) []Section {
	var list []Section
	for i, t := range drawn {
		key := "runs-" + strconv.Itoa(i+1)
		table := r.runTable(key, t)
		s := Section{Key: key, Title: t.plotTitle(), Sheet: strconv.Itoa(i+1) + " " + OneLine(t.Name), In: Sheet, Tables: []*Table{table}}
		s.Text = []string{r.note(t)}
		if len(t.Changes) > 0 {
			s.Text = append(s.Text, upperFirst(r.changeText(t)))
		}
		keys := []string{"value", "level"}
		if t.Gate.Threshold.Present() {
			keys = append(keys, "threshold")
		}
		s.Plots = []Plot{{Key: "chart-" + strconv.Itoa(i+1), Title: t.plotTitle(), Table: key, Label: "time", Series: keys, Rows: table.Len, Unit: r.Metric.paper(), Lines: true}}
		list = append(list, s)
	}
	return list
}

// runTable lists the runs of a series with the level that each belongs to.
func (r *TrackReport) runTable(key string, t *Tracked) *Table {
	m := &r.Metric
	c := r.course(t, courseRuns, false)
	first := len(t.Points) - len(c.Points)
	level := make([]Cell, len(c.Points))
	for _, l := range c.Levels {
		for i := l.From; i < l.To; i++ {
			level[i] = NumCell(m.column("", "", "").Kind, l.Mean)
		}
	}
	table := Fixed(key, "", []Column{
		{Key: "time", Title: "Time", Unit: "UTC", Kind: Text, In: Sheet}, {Key: "run", Title: "Run", Kind: Integer, In: Sheet},
		m.column("value", "", m.title()), m.column("level", "", "Level"), m.column("threshold", "", "Threshold now"),
	}, nil)
	table.In, table.Len, table.Main = Sheet, len(c.Points), len(c.Points)
	table.Row = func(i int, dst []Cell) []Cell {
		p := &t.Points[first+i]
		return append(dst, TextCell(when(p.Time)), IntCell(p.Run), m.cell(p.Value), level[i], m.optCell(t.Gate.Threshold))
	}
	return table
}
