package excel

import (
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// The columns of the what-if sheet.
const (
	labelColumn  = 1
	valueColumn  = 2 // the kernel's own x, y and z; results
	changeColumn = 5 // what a person changes; results as the run had them
	usedColumn   = 8 // what the formulas use; explanations
	wordsColumn  = 11
)

// whatIf is the sheet being laid out: cells whose formulas name other cells, which are known at the end only.
// A formula is written with {names}, and becomes one of addresses when all lines are laid out: moving a line changes no
// formula.
type whatIf struct {
	page
	data    *report.WhatIf
	at      map[string]string // the cells that formulas name
	devices place
	runs    place
	inputs  []input
}

// newWhatIf lays the sheet out.
func (b *book) newWhatIf(name string, s *report.Section, data *report.WhatIf) *whatIf {
	w := &whatIf{page: page{book: b, sheet: name, widths: []float64{32, 11, 10, 10, 11, 10, 10, 11, 10, 10, 62}},
		data: data, at: map[string]string{}, devices: b.placed[data.Devices.Key], runs: b.placed[data.Launches.Key]}
	w.intro(s)
	w.launch()
	w.block("Result", "What if", "As it ran", resultLines())
	w.block("Compared with the measurement", "What if", "As it ran", seenLines())
	w.block("Steps", "Value", "", stepLines())
	w.block("Figures of the device", "Value", "", w.deviceLines())
	w.steps()
	w.constants()
	return w
}

// whatIfSheet writes the sheet. The tables that it looks up get sheets of their own at the end of the book.
func (b *book) whatIfSheet(name string, s *report.Section, data *report.WhatIf) error {
	w := b.newWhatIf(name, s, data)
	if w.err != nil {
		return w.err
	}
	sw, err := b.addSheet(name, false, 1)
	if err != nil {
		return err
	}
	if err := w.rules(); err != nil {
		return err
	}
	w.expand()
	return w.write(sw)
}

// put sets a cell of the line that is laid out.
func (w *whatIf) put(column int, c excelize.Cell) {
	l := &w.lines[len(w.lines)-1]
	for len(l.cells) < column {
		l.cells = append(l.cells, excelize.Cell{})
	}
	l.cells[column-1] = c
}

func (w *whatIf) words(column int, text string, s style) {
	w.put(column, w.cell(report.TextCell(text), s))
}

// formula is figure in the look of a column.
func (w *whatIf) formula(column int, name, formula string, c report.Column) {
	s := style{kind: c.Kind, decimals: c.Decimals, left: true}
	if name == "status" || name == "verdict" || name == "average" {
		s.role = strong
	}
	w.figure(column, name, formula, s)
}

// figure sets a cell that formulas name and that has one itself, with the value it has before anybody changes anything.
// The value is written as well: programs that do not calculate (viewers, pandas) show it, and it is what the test
// compares.
func (w *whatIf) figure(column int, name, formula string, s style) {
	cell := w.cell(w.data.Values[name], s)
	if cell.Value == nil {
		cell.Value = ""
	}
	cell.Formula = formula
	w.put(column, cell)
	w.name(column, name)
}

// name lets formulas call the cell in a column of the last line.
func (w *whatIf) name(column int, name string) { w.at[name] = absoluteCell(column, len(w.lines)) }

func (w *whatIf) intro(s *report.Section) {
	w.text(s.Title, title)
	for _, t := range w.data.Text {
		w.text(t, body)
	}
	w.blank()
	for _, p := range []struct{ name, label, start, title, prompt, source string }{
		{"device", "Device", w.data.Device, "Device", "Pick one; the sheet Devices has their values.",
			w.column(w.devices, w.data.Devices, "label")},
		{"kernel", "Kernel", w.data.Launch, "Kernel", "Pick one of the run, or the last line of the list for values " +
			"of your own.", w.column(w.runs, w.data.Launches, "label")},
	} {
		w.blank()
		w.words(labelColumn, p.label, style{role: strong})
		for c := valueColumn; c <= usedColumn+2; c++ {
			w.words(c, "", style{role: entry})
		}
		w.words(valueColumn, p.start, style{role: entry})
		w.name(valueColumn, p.name)
		// The list stands in cells of another sheet: one in the rule itself may have 255 characters.
		w.inputs = append(w.inputs, input{cell: address(valueColumn, len(w.lines)), title: p.title, prompt: p.prompt,
			source: p.source})
		w.merges = append(w.merges, [2]string{address(valueColumn, len(w.lines)), address(usedColumn+2, len(w.lines))})
	}
}

// block lays out values, a line each.
func (w *whatIf) block(name, value, run string, lines []formulaLine) {
	w.blank()
	w.blank()
	top := style{role: head, left: true}
	for c := labelColumn; c <= wordsColumn; c++ {
		w.words(c, "", top)
	}
	w.words(labelColumn, name, top)
	w.words(valueColumn, value, top)
	w.words(changeColumn, run, top)
	for _, l := range lines {
		w.blank()
		w.words(labelColumn, l.label, style{})
		formula := l.formula
		if column, ok := strings.CutPrefix(formula, "{r:"); ok {
			formula = w.lookUp(w.runs, w.data.Launches, strings.TrimSuffix(column, "}"), "run_row")
		}
		w.formula(valueColumn, l.name, formula, l.column)
		if l.run != "" {
			w.formula(changeColumn, l.run, w.lookUp(w.runs, w.data.Launches, l.run, "run_row"), l.column)
		}
		if l.how != "" {
			w.words(usedColumn, l.how, style{role: faint, left: true})
		}
	}
}

// deviceLines are the figures of the picked device and where they are found.
func (w *whatIf) deviceLines() []formulaLine {
	// A label begins with the number of its kernel, by which it is found: texts above 255 characters and wildcards
	// would not match.
	number := `VALUE(LEFT({kernel},FIND(".",{kernel})-1))`
	list := []formulaLine{
		countLine("device_row", "Row of the list of devices", "IFERROR(MATCH({device},"+w.column(w.devices,
			w.data.Devices, "label")+",0),0)", "0: none is picked"),
		countLine("run_row", "Row of the list of kernels", "IFERROR(MATCH("+number+","+w.column(w.runs, w.data.Launches,
			"number")+",0),0)", "0: none is picked"),
	}
	for _, c := range w.data.Devices.Columns {
		if c.Key == "label" || strings.HasPrefix(c.Key, "step") {
			continue
		}
		list = append(list, formulaLine{"d_" + c.Key, c.Heading(), w.lookUp(w.devices, w.data.Devices, c.Key,
			"device_row"), "", report.Column{Kind: c.Kind, Decimals: general}, ""})
	}
	return list
}

// steps are the sizes in which the device allocates SLM, beside each other.
// They are cells, so that rounding up is a COUNTIF over them.
func (w *whatIf) steps() {
	w.blank()
	w.words(labelColumn, "SLM steps [KB]", style{})
	column := valueColumn
	for _, c := range w.data.Devices.Columns {
		if strings.HasPrefix(c.Key, "step") {
			w.figure(column, "d_"+c.Key, w.lookUp(w.devices, w.data.Devices, c.Key, "device_row"),
				style{kind: report.Number, decimals: general, left: true})
			column++
		}
	}
	w.at["steps"] = absoluteCell(valueColumn, len(w.lines)) + ":" + absoluteCell(column-1, len(w.lines))
}

// constants are figures of the model and of the comparison that a person may change as well.
// They stand in cells, since a team may hold its runs to another tolerance.
func (w *whatIf) constants() {
	w.block("Constants", "Value", "", nil)
	for _, c := range []struct {
		name, label string
		value       float64
		how         string
	}{
		{"tail_points", "Last wave counts as a limit from [points]", w.data.TailPoints, "what it costs of the average"},
		{"tolerance", "Tolerance [points]", w.data.Tolerance, "of the difference from the prediction"},
	} {
		w.blank()
		w.words(labelColumn, c.label, style{})
		w.put(valueColumn, w.cell(report.NumCell(report.Number, c.value),
			style{role: entry, kind: report.Number, decimals: general, left: true}))
		w.name(valueColumn, c.name)
		w.words(usedColumn, c.how, style{role: faint, left: true})
	}
	w.blank()
	w.words(labelColumn, "Device of the run", style{})
	w.words(valueColumn, w.data.RunDevice, style{})
	w.name(valueColumn, "run_device")
}

// column gives the cells of a column of a table on its own sheet.
func (w *whatIf) column(at place, t *report.Table, key string) string {
	return absolute(at.sheet, at.columns[key], at.row, at.row+t.Len-1)
}

// lookUp gives the figure of the picked row, empty when there is none.
func (w *whatIf) lookUp(at place, t *report.Table, key, row string) string {
	found := "INDEX(" + w.column(at, t, key) + ",{" + row + "})"
	// INDEX gives 0 for an empty cell, and 0 is a figure.
	return `IF({` + row + `}=0,"",IF(` + found + `="","",` + found + `))`
}

// names puts the addresses of cells for their names.
// Formulas name cells above and below them, so names become addresses when all cells are laid out.
func (w *whatIf) names() *strings.Replacer {
	var pairs []string
	for name, cell := range w.at {
		pairs = append(pairs, "{"+name+"}", cell)
	}
	return strings.NewReplacer(pairs...)
}

// expand completes the formulas.
func (w *whatIf) expand() {
	r := w.names()
	for i := range w.lines {
		for k := range w.lines[i].cells {
			if f := &w.lines[i].cells[k].Formula; *f != "" {
				*f = r.Replace(*f)
			}
		}
	}
}
