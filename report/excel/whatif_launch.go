package excel

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// launchField is a line of the launch: up to three figures, of the kernel, changed, used.
type launchField struct {
	label  string
	names  []string // of the used figures
	column report.Column
	used   func(w *whatIf, name string) string
	allow  input
	words  string // formula
}

// launchFields are in the order of the flags of predict; what a device admits stands beside each as a formula, for it
// changes with the device.
func launchFields(data *report.WhatIf) []launchField {
	count := report.Column{Kind: report.Integer}
	// A spreadsheet keeps 15 digits.
	most := 1e15
	return []launchField{
		{"Work-items (global)", []string{"gx", "gy", "gz"}, count, usedSize,
			input{title: "Work-items", prompt: "Of this dimension; empty keeps the kernel's.", least: 1, most: most,
				whole: true},
			`"all work-items of the launch, not those of a work-group"`},
		{"Work-group (local)", []string{"lx", "ly", "lz"}, count, usedSize,
			input{title: "Work-group", prompt: "Work-items of this dimension; empty keeps the kernel's.", least: 1,
				most: most, whole: true},
			`IF({group_max}="","","at most "&{group_max}&" work-items in all")`},
		{"Sub-group size (SIMD width)", []string{"simd"}, count, usedFigure(""),
			input{title: "Sub-group size", prompt: "Work-items per thread.",
				list: report.ListOf(data.SubGroups, strconv.Itoa)},
			`IF({d_simd}="","","one of "&{d_simd})`},
		{"SLM per work-group [KB]", []string{"slm"}, report.Column{Kind: report.Number, Decimals: 3}, usedFigure("0"),
			input{title: "SLM", prompt: "KB per work-group; 0 is none.", most: 1e9},
			`IF({d_slm_group}="","","at most "&MIN({d_slm_group},{d_slm})&" KB; an Xe-core has "&{d_slm}&" KB")`},
		{"Barriers", []string{"barriers"}, count, usedFigure("0"), input{title: "Barriers",
			prompt: "Named barriers of a work-group; 1 for an ordinary barrier().", most: 1e6, whole: true},
			`IF({d_barrier_slots}="","","at most "&{d_barrier_slots})`},
		{"Registers per thread (GRF)", []string{"grf"}, count, usedRegisters,
			input{title: "Registers", prompt: "A mode of the device.",
				list: report.ListOf(data.Registers, strconv.Itoa)},
			`IF({d_modes}="","","registers:threads per XVE are "&{d_modes})`},
		{"Dispatch policy", []string{"policy"}, report.Column{Kind: report.Text}, usedPolicy,
			input{title: "Policy", prompt: "auto: whole with SLM or barriers, else free.",
				list: []string{"auto", "free", "whole"}},
			`"free: a thread goes to any slot; whole: a work-group stays on one Xe-core; auto: whole with SLM or ` +
				`barriers"`},
	}
}

// launch lays out the figures of the launch.
func (w *whatIf) launch() {
	w.blank()
	w.blank()
	top := style{role: head, left: true}
	for c := labelColumn; c <= wordsColumn; c++ {
		w.words(c, "", top)
	}
	for column, text := range map[int]string{labelColumn: "Launch", valueColumn: "Of the kernel",
		changeColumn: "Change to", usedColumn: "In effect", wordsColumn: "Possible values"} {
		w.words(column, text, top)
	}
	for _, c := range []int{valueColumn, changeColumn, usedColumn} {
		w.merges = append(w.merges, [2]string{address(c, len(w.lines)), address(c+2, len(w.lines))})
	}
	w.blank()
	for _, c := range []int{valueColumn, changeColumn, usedColumn} {
		for i, axis := range []string{"x", "y", "z"} {
			w.words(c+i, axis, style{role: faint, right: true})
		}
	}
	for _, f := range launchFields(w.data) {
		w.field(f)
	}
}

// The kernel's figures stay beside what is changed: emptying a yellow cell takes the change back.
func (w *whatIf) field(f launchField) {
	w.blank()
	w.words(labelColumn, f.label, style{})
	look := style{kind: f.column.Kind, decimals: f.column.Decimals, right: true}
	if f.column.Kind == report.Number {
		look.decimals = general
	}
	for i, name := range f.names {
		own := name
		if name == "grf" || name == "policy" {
			own += "_asked"
		}
		w.figure(valueColumn+i, "own_"+own, w.lookUp(w.runs, w.data.Launches, "own_"+own, "run_row"), look)
		entered := look
		entered.role = entry
		w.put(changeColumn+i, w.cell(report.Cell{}, entered))
		w.name(changeColumn+i, "new_"+name)
		allowed := f.allow
		allowed.cell = address(changeColumn+i, len(w.lines))
		w.inputs = append(w.inputs, allowed)
		bold := look
		bold.role = strong
		w.figure(usedColumn+i, name, f.used(w, name), bold)
	}
	look = style{role: faint, left: true, indent: 1}
	// What needs no cell is a text and no formula.
	if f.words[0] == '"' {
		w.words(wordsColumn, strings.Trim(f.words, `"`), look)
	} else {
		w.figure(wordsColumn, "words_"+f.names[0], f.words, look)
	}
}

// usedSize is a dimension: 1 where another one of the size is given, empty where none is.
func usedSize(_ *whatIf, name string) string {
	p, axis := name[:1], name[1:]
	// A size is changed as a whole: the y of the kernel beside a new x would be a size that nobody asked for.
	entered := `AND({new_` + p + `x}="",{new_` + p + `y}="",{new_` + p + `z}="")`
	return `IF(` + entered + `,IF({own_` + p + `x}="","",IF({own_` + p + axis + `}="",1,{own_` + p + axis +
		`})),IF({new_` + name + `}="",1,{new_` + name + `}))`
}

// usedFigure is what was entered, else the kernel's own, else what a launch has that does not say.
func usedFigure(missing string) func(*whatIf, string) string {
	missing = cmp.Or(missing, `""`)
	return func(_ *whatIf, name string) string {
		return `IF({new_` + name + `}<>"",{new_` + name + `},IF({own_` + name + `}="",` + missing + `,{own_` + name +
			`}))`
	}
}

// usedRegisters are those of the usual mode where nobody says another.
func usedRegisters(*whatIf, string) string {
	return `IF(IF({new_grf}="",0,{new_grf})<>0,{new_grf},IF(AND({new_grf}="",{own_grf_asked}<>""),{own_grf_asked},` +
		`{d_grf}))`
}

// usedPolicy resolves auto.
func usedPolicy(*whatIf, string) string {
	const asked = `IF({new_policy}<>"",{new_policy},IF({own_policy_asked}="","auto",{own_policy_asked}))`
	return `IF(` + asked + `="auto",IF(OR({slm}>0,{barriers}>0),"whole","free"),` + asked + `)`
}

// input is a yellow cell and what it accepts.
type input struct {
	cell, title, prompt string
	list                []string
	source              string // of a list that stands in cells
	least, most         float64
	whole               bool
}

// rules sets what has to be set before the rows: what the yellow cells accept, and colors.
func (w *whatIf) rules() error {
	for _, in := range w.inputs {
		v := excelize.NewDataValidation(true)
		v.SetSqref(in.cell)
		v.SetInput(in.title, in.prompt)
		if err := in.accept(v); err != nil {
			return err
		}
		if err := w.book.file.AddDataValidation(w.sheet, v); err != nil {
			return err
		}
	}
	if err := w.grayOut(); err != nil {
		return err
	}
	plain := func(name string) string { return strings.ReplaceAll(w.at[name], "$", "") }
	words := w.data.Launches.Columns[w.data.Launches.Column("run_verdict")].Words
	for _, name := range []string{"verdict", "run_verdict"} {
		w.areas = append(w.areas, area{plain(name), words})
	}
	w.areas = append(w.areas, area{plain("status"), []report.Word{{Text: "runs", Status: report.Good}}})
	return nil
}

// grayOut takes the color from what compares the measurement with a launch or a device that was changed: it is of the
// launch as it ran.
func (w *whatIf) grayOut() error {
	text, _ := colors(report.Muted)
	gray, err := w.book.file.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: text}})
	if err != nil {
		return err
	}
	changed := w.names().Replace(`OR(COUNTA({new_gx}:{new_policy},{new_gy}:{new_lz})>0,` +
		`AND({run_device}<>"",{device}<>{run_device}))`)
	// StopIfTrue, and set before the colors of the verdict: the first rule that holds wins.
	return w.book.file.SetConditionalFormat(w.sheet, w.names().Replace("{basis}:{verdict}"),
		[]excelize.ConditionalFormatOptions{{Type: "formula", Criteria: changed, Format: &gray, StopIfTrue: true}})
}

// accept says what a cell takes.
// It stops wrong values at the cell, where the message is read; the formula of the status catches what is pasted.
func (in *input) accept(v *excelize.DataValidation) error {
	kind := excelize.DataValidationTypeDecimal
	if in.whole {
		kind = excelize.DataValidationTypeWhole
	}
	switch {
	case in.source != "":
		v.SetSqrefDropList(in.source)
		v.SetError(excelize.DataValidationErrorStyleStop, in.title, "Pick one from the list.")
	case in.list != nil:
		v.SetError(excelize.DataValidationErrorStyleStop, in.title, "One of "+strings.Join(in.list, ", ")+", or empty.")
		return v.SetDropList(in.list)
	default:
		v.SetError(excelize.DataValidationErrorStyleStop, in.title,
			fmt.Sprintf("A number of at least %g, or empty.", in.least))
		return v.SetRange(in.least, in.most, kind, excelize.DataValidationOperatorBetween)
	}
	return nil
}
