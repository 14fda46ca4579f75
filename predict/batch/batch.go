// Package batch predicts many launches: those of a CSV file, and the kernels of
// binaries and sources.
//
// Of a CSV file rows come in, and the same rows with what a model says of them
// go out.
//
// A row that cannot be predicted does not stop the rest. It comes back with the
// status error and a message in the place of figures, whether its line cannot
// be read, a cell makes no sense or the launch cannot run. Cells come back as
// they were written. Figures have full precision, and a resource that sets no
// limit has an empty cell, never a 0.
//
// Three models can be asked: the project's own, Intel's calculator with its own
// texts and errors, and the register-file model of compute units. Files may be
// of any length: a chunk of rows is in memory at a time.
//
// Of binaries each kernel is predicted on the device that its image was
// compiled for ([Read]), or in each register mode of it ([Registers]): what
// ingest/zebin reads and compiles, joined with the model of package predict.
//
// The package does not know flags, profilers or runs.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
	"occudiff/internal/bug"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
)

// Run predicts all rows of a file into a writer. The name of the file is for
// messages.
type Run func(ctx context.Context, file string, r io.Reader, w io.Writer) (Report, error)

// Report is what a batch says of itself when it is done.
type Report struct {
	Rows, Failed int
	Notes        []note.Note // columns that nothing reads, and the first row that failed
}

// Shared is the device of the rows that name none.
type Shared struct {
	Device string
	XVEs   int // 0 for the device's own
}

// The words of the column status.
const (
	statusOK    = "ok"
	statusError = "error"
)

// model is what a batch asks: the columns that it reads and those that it adds,
// which have status and message among them.
type model struct {
	in, required, out []string
	predict           func(r *row) ([]string, error) // gives the cells of out; an error refuses the row
}

// with is the batch with a device for the rows that name none: then the file
// may leave its column out, which stands first in required.
func (m model) with(s Shared) Run {
	if s.Device != "" {
		m.required = m.required[1:]
	}
	return m.run
}

// chunkRows is how many rows are read, predicted and written together: few
// enough that memory stays small.
const chunkRows = 512

// run implements Run, chunk by chunk.
func (m *model) run(ctx context.Context, file string, r io.Reader, w io.Writer) (report Report, err error) {
	lines := table.NewReader(file, r, table.Format{
		Code: "batch-header", What: "batch file", Columns: m.in, Required: m.required})
	if err := bug.Await(ctx, lines.Header); errors.Is(err, io.EOF) {
		return report, note.Errorf("batch-empty", note.Pos{File: file},
			"the first line names the columns, each further one is a launch", "the batch file is empty")
	} else if err != nil {
		return report, err
	}
	for _, c := range lines.Unknown {
		report.Notes = append(report.Notes, note.Note{Severity: note.Warning, Code: "unknown-column",
			Pos: note.Pos{File: file, Line: 1}, Text: fmt.Sprintf("the column %q is not known and was left out", c),
			Hint: "see 'occudiff predict --help' for the columns"})
	}
	out := table.NewCSV(w)
	out.Write(slices.Concat(m.in, m.out)) // an error is kept for Flush
	for {
		if out.Flush(); out.Error() != nil {
			return report, fmt.Errorf("writing the batch: %w", out.Error())
		}
		var sheet *table.Sheet
		err := bug.Await(ctx, func() (err error) {
			sheet, err = lines.Sheet(chunkRows)
			return err
		})
		if err != nil || len(sheet.Records) == 0 {
			return report, err
		}
		for i := range sheet.Records {
			in := row{columns: lines.Columns, cells: sheet.Records[i].Cells}
			cells, err := m.result(&in, sheet.Records[i].Problem)
			if err != nil {
				cells = m.rejection(err)
				if report.Failed++; report.Failed == 1 {
					report.Notes = append(report.Notes, note.Note{Severity: note.Warning, Code: "bad-row",
						Pos: sheet.Pos(i, ""), Text: err.Error()})
				}
			}
			asked := make([]string, len(m.in), len(m.in)+len(cells))
			for k, column := range m.in {
				asked[k] = in.text(column)
			}
			out.Write(append(asked, cells...))
		}
		report.Rows += len(sheet.Records)
	}
}

// result predicts a row; one that cannot be read is refused as one that cannot
// run is. What a model says of cells that make no sense does not count.
func (m *model) result(in *row, fault string) ([]string, error) {
	if fault != "" {
		return nil, errors.New(fault)
	}
	cells, err := m.predict(in)
	return cells, cmp.Or(in.err, err)
}

// rejection is what comes back for a row without figures.
func (m *model) rejection(why error) []string {
	cells := make([]string, len(m.out))
	cells[slices.Index(m.out, "status")], cells[slices.Index(m.out, "message")] = statusError, why.Error()
	return cells
}

// maxKnown bounds what is remembered of look-ups: a file may name a million
// devices that do not exist.
const maxKnown = 1024

// remembered finds the device that a row names in a column, and its XVE count,
// and remembers look-ups, failed ones too.
func remembered[D any](column string, shared Shared, look func(name string, xves int) (D, error)) func(*row) (D, error) {
	type found struct {
		device D
		err    error
	}
	known := map[[2]string]found{}
	return func(r *row) (D, error) {
		key := [2]string{r.text(column), r.text("xve")}
		f, ok := known[key]
		if !ok {
			xves := r.whole("xve", 1)
			if f.err = r.err; f.err == nil {
				f.device, f.err = look(cmp.Or(strings.TrimSpace(key[0]), shared.Device), cmp.Or(xves, shared.XVEs))
			}
			// All are forgotten at once: which of them come again is not known.
			if len(known) >= maxKnown {
				clear(known)
			}
			known[key] = f
		}
		return f.device, f.err
	}
}

// row is a row as a model reads it. After the first cell that makes no sense
// the others are not looked at. What a cell means is for the model to say, so
// that a bad one fails its row only.
type row struct {
	columns, cells []string
	err            error
}

// text is a cell as it was written, empty where the file does not have the
// column.
func (r *row) text(column string) string {
	if at := slices.Index(r.columns, column); at >= 0 {
		return r.cells[at]
	}
	return ""
}

// whole reads a whole number from least, 0 for an empty cell.
func (r *row) whole(column string, least int) int {
	text := strings.TrimSpace(r.text(column))
	if text == "" || r.err != nil {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		r.err = fmt.Errorf("%s %q: expected a whole number from %d", column, text, least)
	}
	return n
}

// size reads a launch size, absent for an empty cell. Counts may have a unit,
// as those of flags may.
func (r *row) size(column string) unit.Size3 {
	if r.err != nil {
		return unit.Size3{}
	}
	text := strings.TrimSpace(r.text(column))
	s, err := unit.ParseSize(text)
	if err != nil {
		s, err = unit.ParseSize(unit.ExpandCounts(text))
	}
	if err != nil {
		r.err = fmt.Errorf("%s: %w", column, err)
	}
	return s
}

// kilobytes reads an amount in KB, 0 for an empty cell. Half a KB is an amount,
// half a byte is none.
func (r *row) kilobytes(column string) unit.Bytes {
	text := strings.TrimSpace(r.text(column))
	if text == "" || r.err != nil {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	b := x * 1024
	switch {
	case err != nil || !(b >= 0 && b < 1<<40):
		r.err = fmt.Errorf("%s %q: expected an amount in KB without a unit, as in 16", column, text)
	case b != math.Trunc(b):
		r.err = fmt.Errorf("%s %q: %.6g is not a whole number of bytes; "+
			"expected an amount in KB of 1024 bytes, as in 16 or 0.5", column, text, b)
	default:
		return unit.Bytes(b)
	}
	return 0
}

func integer[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// optional is empty for an absent number.
func optional[T any](o unit.Opt[T], print func(T) string) string {
	if x, ok := o.Value(); ok {
		return print(x)
	}
	return ""
}

// launches is a batch of launches, whichever model predicts them.
func launches(s Shared, predict func(*row) ([]string, error)) Run {
	return model{
		in:       strings.Fields("id device xve global local simd slm_kb barriers grf"),
		required: []string{"device", "local", "simd"},
		out: strings.Fields("status message threads_per_wg limit_threads limit_slm limit_slots wg_total wg_per_core " +
			"limited_by core_pct peak_pct avg_pct waves full_waves tail_pct"),
		predict: predict,
	}.with(s)
}

// Launches predicts by the project's own model. The launch gives what holds for
// every row.
func Launches(t *arch.Table, all predict.Launch, s Shared) Run {
	find := remembered("device", s, func(name string, xves int) (arch.Match, error) {
		if name == "" {
			return arch.Match{}, errors.New("no device is named: fill the column, or give --device for all rows")
		}
		return t.Find(arch.Query{Name: name, XVEs: xves, Family: true})
	})
	return launches(s, func(r *row) ([]string, error) {
		m, err := find(r)
		if err != nil {
			return nil, err
		}
		l := all
		l.Global, l.Local = r.size("global"), r.size("local")
		l.SIMD, l.SLM = r.whole("simd", 1), r.kilobytes("slm_kb")
		l.Barriers, l.GRF = r.whole("barriers", 0), r.whole("grf", 1)
		p, err := predict.Predict(m.Device, l)
		if err != nil {
			return nil, err
		}
		return predicted(&l, &p, &m), nil
	})
}

func predicted(l *predict.Launch, p *predict.Prediction, m *arch.Match) []string {
	var says []string
	for _, n := range m.Notes {
		says = append(says, n.Text)
	}
	groups, gpu := "", make([]string, 5)
	if p.HasGrid() {
		groups = integer(p.Groups)
		gpu = []string{decimal(p.Peak.Percent()), decimal(p.Average.Percent()), decimal(p.Waves), decimal(math.Floor(p.Waves)),
			decimal(p.LastWaveOccupancy.Percent())}
		if p.Partial {
			says = append(says, fmt.Sprintf("%s does not divide %s: the last work-groups are smaller but count as whole ones",
				l.Local, l.Global))
		}
	}
	slots := p.ByGroupSlots // there is one column for those of work-groups and of barriers
	if p.ByBarriers != predict.Unlimited && (slots == predict.Unlimited || p.ByBarriers < slots) {
		slots = p.ByBarriers
	}
	limit := func(n int64) string {
		if n == predict.Unlimited {
			return ""
		}
		return integer(n)
	}
	return slices.Concat([]string{statusOK, strings.Join(says, "; "), integer(p.ThreadsPerGroup), limit(p.ByThreads), limit(p.BySLM),
		limit(slots), groups, integer(p.GroupsPerXeCore), strings.Join(p.Limits.Names(), "+"), decimal(p.XeCore.Percent())}, gpu)
}

// Calculator predicts as Intel's calculator does: texts, rounding and errors
// included.
func Calculator(t calculator.Table, s Shared) Run {
	find := remembered("device", s, t.Find)
	return launches(s, func(r *row) ([]string, error) {
		d, err := find(r)
		if err != nil {
			return nil, err
		}
		// Its SLM is in whole KB, its barriers are yes or no, its register
		// files are two.
		large, err := calculator.LargeGRF(r.whole("grf", 0))
		if err != nil {
			return nil, fmt.Errorf("grf %w", err)
		}
		o := calculator.Run(&d, calculator.Input{Global: r.text("global"), Local: r.text("local"), SIMD: r.whole("simd", 1),
			SLMKB: r.whole("slm_kb", 0), Barrier: r.whole("barriers", 0) > 0, LargeGRF: large})
		if o.Rejection != 0 {
			return nil, errors.New(o.Rejection.String())
		}
		gpu := make([]string, 5)
		if g := o.GPU; g != nil {
			gpu = []string{decimal(g.PeakPercent), decimal(g.AveragePercent), decimal(g.Waves), decimal(g.FullWaves), decimal(g.TailPercent)}
		}
		return slices.Concat([]string{statusOK, "", decimal(o.ThreadsPerGroup), decimal(o.LimitThreads), optional(o.LimitSLM, decimal),
			decimal(o.LimitGroupSlots), optional(o.Groups, decimal), decimal(o.GroupsPerCore), strings.Join(o.LimitedBy, "+"), decimal(o.XeCorePercent)}, gpu), nil
	})
}

// ComputeUnits predicts kernels on compute units by the register-file model.
// The platform is that of the rows that name none; it may be empty.
func ComputeUnits(t computeunit.Table, platform string) Run {
	shared := Shared{Device: platform}
	find := remembered("platform", shared, func(name string, _ int) (computeunit.Platform, error) { return t.Find(name) })
	return model{
		in:       strings.Fields("id platform wg_size slm_bytes_per_wg subgroup_size reg_bytes_per_item"),
		required: []string{"platform", "wg_size", "subgroup_size"},
		out: strings.Fields("regs_available_bytes spilled reg_limit slm_limit subgroup_limit hw_limit final_limit limited_by " +
			"subgroups_per_wg active_subgroups total_subgroups subgroup_occ_pct thread_occ_pct padded_threads reg_limit_padded " +
			"status message"),
		predict: func(r *row) ([]string, error) {
			p, err := find(r)
			if err != nil {
				return nil, err
			}
			// An empty amount is none used.
			o, err := p.Predict(computeunit.Launch{GroupSize: int64(r.whole("wg_size", 1)), SLM: unit.Bytes(r.whole("slm_bytes_per_wg", 0)),
				SubgroupSize: int64(r.whole("subgroup_size", 1)), RegisterBytes: unit.Bytes(r.whole("reg_bytes_per_item", 0))})
			if err != nil {
				return nil, err
			}
			spilled := "0"
			if o.Spilled {
				spilled = "1"
			}
			return []string{integer(int64(o.RegisterBytesAllowed)), spilled, optional(o.ByRegisters, integer), optional(o.BySLM, integer),
				integer(o.BySubgroups), integer(o.ByHardware), integer(o.Groups), strings.Join(o.Limits, "+"), integer(o.SubgroupsPerGroup),
				integer(o.ActiveSubgroups), integer(o.TotalSubgroups), decimal(o.Occupancy.Percent()), decimal(o.Lanes.Percent()),
				integer(o.PaddedSize), optional(o.ByRegistersPadded, integer), statusOK, ""}, nil
		},
	}.with(shared)
}
