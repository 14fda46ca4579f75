package predictdoc

import (
	"fmt"
	"iter"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

const (
	// documentKernels is how many kernels of a run a document advises on: those that need attention first. JSON and CSV
	// have all of them.
	documentKernels = 1000
	// terminalKernels is up to how many a terminal shows all.
	terminalKernels = 50
	// keptSearches is how many searches are kept: many kernels have the same launch shape.
	keptSearches = 1 << 12
)

// adviser advises on the kernels of a run that are low. It keeps none of the advice on kernels: a search takes a
// thousand times the memory of its kernel.
type adviser struct {
	run      *compare.Result
	may      predict.Vary
	launchOf func(*compare.Row) predict.Launch
	known    map[search]predict.Advice
}

// search is what advice is searched for.
// Names of kernels are no part of it: kernels of one launch shape share an answer.
type search struct {
	launch predict.Launch
	may    predict.Vary
}

// AdviseRun answers what would raise the occupancy of those kernels of a run that are predicted or measured below a
// percentage, in the order of the run: those that need attention first. launchOf gives the launch of a row as it is to
// be advised on.
func AdviseRun(r *compare.Result, below float64, may predict.Vary,
	launchOf func(*compare.Row) predict.Launch) *report.Answer {
	a := &adviser{run: r, may: may, launchOf: launchOf, known: map[search]predict.Advice{}}
	kernels, least, low := 0, unit.FromPercent(below), []int{}
	// One pass counts, and holds the numbers of rows alone, 8 bytes each; advice is searched for when an output asks.
	for i := range r.Rows {
		row := &r.Rows[i]
		// Copies have no launch, and a launch that cannot be predicted has no neighbors that could.
		if row.Predicted == nil || row.Verdict == compare.NotAKernel {
			continue
		}
		kernels++
		// A kernel that was not measured is low by its prediction alone.
		if row.Predicted.Average < least || row.Measured.Or(1) < least {
			low = append(low, i)
		}
	}
	t := arch.Choice{Device: r.Device, By: r.ChosenBy}
	v := adviceList{Schema: adviseSchema, Kernels: report.NewStream("kernels", a.all(low), adviceColumns), Notes: report.Notes(r.Notes)}
	v.Device = report.One[arch.Choice](nil, deviceColumns)
	if len(low) > 0 {
		v.Device = deviceValue(&t)
	}
	ans := &report.Answer{Value: v, Table: report.NewStream("best", a.settings(low), settingColumns)}
	ans.Make = func() *report.Document {
		pg := page{title: "Advice", key: "advice", heading: "Advice by kernel", headline: []string{deviceLine(&t)},
			closing: fmt.Sprintf("Kernels below %s %%, predicted or measured: %s of %s. A prediction is an upper "+
				"bound: 'occudiff validate' shows what else costs occupancy.", number(below),
				report.Thousands(int64(len(low))), report.Thousands(int64(kernels)))}
		// The rows are in the order of what needs attention, so the first are those that matter.
		first := low[:min(len(low), documentKernels)]
		if len(first) < len(low) {
			pg.closing += fmt.Sprintf(" Advice is given here on the first %s; JSON and CSV have it for all.",
				report.Thousands(documentKernels))
		}
		var list []setting
		for c := range a.all(first) {
			list = append(list, c.settings(true)...)
			pg.items = append(pg.items, c.kernel())
		}
		pg.table = settingTable(list)
		if len(first) == 0 {
			pg.heading, pg.headline, pg.closing = "Advice", []string{pg.closing}, ""
			pg.table.In = report.Files
		}
		d := pg.document()
		d.Whole = len(first) <= terminalKernels
		return d
	}
	return ans
}

// all gives the advice on rows one by one, in their order.
func (a *adviser) all(rows []int) iter.Seq[*advice] {
	return func(yield func(*advice) bool) {
		for _, i := range rows {
			if one := a.advise(i); !yield(&one) {
				return
			}
		}
	}
}

// search is predict.Advise. The launch has a prediction, so it runs and there is no error.
func (a *adviser) search(l predict.Launch, may predict.Vary) predict.Advice {
	key := search{l, may}
	found, known := a.known[key]
	if known {
		return found
	}
	found, _ = predict.Advise(a.run.Device, l, may)
	found.Next = allowed(found.Next, may)
	// All at once, for which of them come again is not known; a run has few shapes or very many.
	if len(a.known) == keptSearches {
		clear(a.known)
	}
	a.known[key] = found
	return found
}

// settings are the rows of the table of settings.
func (a *adviser) settings(rows []int) iter.Seq[*setting] {
	return func(yield func(*setting) bool) {
		for c := range a.all(rows) {
			list := c.settings(true)
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}
