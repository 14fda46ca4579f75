// Package batch predicts the occupancy of many launches: the rows in a CSV
// file, or the kernels in binaries and sources.
//
// For a CSV file, the output has the input columns followed by the columns that
// a model computes. A row that cannot be predicted does not stop the batch:
// instead of values, it has the status "error" and a message. This is the case
// if the line cannot be read, a cell is invalid, or the launch cannot run.
// Input cells are copied as they were written. Numbers have full precision. A
// resource that does not limit the launch has an empty cell, never 0.
//
// There are three models: the project's own model, Intel's calculator with its
// own names and errors, and the register-file model for compute units. A file
// may have any length, because the package keeps only one chunk of rows in
// memory.
//
// For binaries and sources, the package combines ingest/zebin, which reads and
// compiles them, with the model of package predict. [Read] predicts each kernel
// on the device that its image was compiled for. [Registers] predicts it in
// each register mode of that device.
//
// The package does not depend on flags, profilers, or runs.
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

// Run predicts all rows in r and writes the results to w. Messages refer to the
// input as file.
type Run func(ctx context.Context, file string, r io.Reader, w io.Writer) (Report, error)

// Report summarizes a finished batch.
type Report struct {
	Rows, Failed int
	Notes        []note.Note // notes on unknown columns and on the first row that failed
}

// Shared is the device of the rows that do not name a device.
type Shared struct {
	Device string
	XVEs   int // 0 means the device's XVE count
}

// The values in the column status.
const (
	statusOK    = "ok"
	statusError = "error"
)

// model describes the columns that a batch reads, the columns that it adds,
// including status and message, and the prediction for a row.
type model struct {
	in, required, out []string
	predict           func(r *row) ([]string, error) // returns the cells for out; an error rejects the row
}

// with returns the batch for a shared device. If such a device is set, the file
// may omit the device column, which is the first column in required.
func (m model) with(s Shared) Run {
	if s.Device != "" {
		m.required = m.required[1:]
	}
	return m.run
}

// chunkRows is the number of rows that are read, predicted, and written
// together. It is small, because all of these rows are in memory at once.
const chunkRows = 512

// run implements [Run]. It processes the rows in chunks.
func (m *model) run(ctx context.Context, file string, r io.Reader, w io.Writer) (report Report, err error) {
	lines := table.NewReader(file, r, table.Format{
		Code: "batch-header", What: "batch file", Columns: m.in, Required: m.required})
	if err := bug.Await(ctx, lines.Header); errors.Is(err, io.EOF) {
		return report, note.Errorf("batch-empty", note.InFile(file),
			"the first line contains the column names, and each following line a launch", "the batch file is empty")
	} else if err != nil {
		return report, err
	}
	for _, c := range lines.Unknown {
		report.Notes = append(report.Notes, note.Warningf("unknown-column", note.Pos{File: file, Line: 1},
			"see 'occudiff predict --help' for the columns", "the column %q is not known and was left out", c))
	}
	out := table.NewCSV(w)
	out.Write(slices.Concat(m.in, m.out)) // Flush returns the error
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
					report.Notes = append(report.Notes, note.Warningf("bad-row", sheet.Pos(i, ""), "", "%s",
						err.Error()))
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

// result returns the output cells of a row. An unreadable row is rejected in
// the same way as a launch that cannot run. An error in a cell takes precedence
// over an error of the model.
func (m *model) result(in *row, fault string) ([]string, error) {
	if fault != "" {
		return nil, errors.New(fault)
	}
	cells, err := m.predict(in)
	return cells, cmp.Or(in.err, err)
}

// rejection returns the output cells of a row without a prediction.
func (m *model) rejection(why error) []string {
	cells := make([]string, len(m.out))
	cells[slices.Index(m.out, "status")], cells[slices.Index(m.out, "message")] = statusError, why.Error()
	return cells
}

// maxKnown limits how many device look-ups are cached, because a file may name
// a million devices that do not exist.
const maxKnown = 1024

// remembered returns a function that finds the device of a row by its device
// column and its XVE count. The function caches look-ups, including failed
// ones.
func remembered[D any](
	column string, shared Shared, look func(name string, xves int) (D, error),
) func(*row) (D, error) {
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
			// The whole cache is cleared, because it is unknown which devices
			// occur again.
			if len(known) >= maxKnown {
				clear(known)
			}
			known[key] = f
		}
		return f.device, f.err
	}
}

// row is an input row. After the first invalid cell, the methods read no
// further cells. The model interprets the cells, and an invalid cell rejects
// only its own row.
type row struct {
	columns, cells []string
	err            error
}

// text returns a cell as it was written, or "" if the file does not have the
// column.
func (r *row) text(column string) string {
	if at := slices.Index(r.columns, column); at >= 0 {
		return r.cells[at]
	}
	return ""
}

// whole returns the whole number in a cell, or 0 for an empty cell. A number
// below least is invalid.
func (r *row) whole(column string, least int) (n int) {
	if r.err == nil {
		n, r.err = predict.ParseCount(column, r.text(column), least)
	}
	return n
}

// kilobytes returns an amount in KB, or 0 for an empty cell. A fraction such as
// 0.5 is valid, but a fraction of a byte is not.
func (r *row) kilobytes(column string) unit.Bytes {
	text := strings.TrimSpace(r.text(column))
	if text == "" || r.err != nil {
		return 0
	}
	b, err := unit.ParseBytes(text + "K")
	if err != nil {
		r.err = fmt.Errorf("%s %q: expected a whole number of bytes in KB, without the unit, as in 16 or 0.5",
			column, text)
	}
	return b
}

func integer[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// optional returns "" for an absent number.
func optional[T any](o unit.Opt[T], print func(T) string) string {
	if x, ok := o.Value(); ok {
		return print(x)
	}
	return ""
}

// launches returns a batch that predicts launches with a function.
func launches(s Shared, predict func(*row) ([]string, error)) Run {
	return model{
		in:       strings.Fields("id device xve global local simd slm_kb barriers grf"),
		required: []string{"device", "local", "simd"},
		out: strings.Fields("status message threads_per_wg limit_threads limit_slm limit_slots wg_total wg_per_core " +
			"limited_by core_pct peak_pct avg_pct waves full_waves tail_pct"),
		predict: predict,
	}.with(s)
}

// Launches returns a batch that uses the project's own model. The fields of all
// apply to every row, unless a column replaces them.
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
		l, err := predict.ParseLaunch(r.text)
		if err != nil {
			return nil, err
		}
		l.SLM = r.kilobytes("slm_kb")
		l.Policy, l.BarrierSlots, l.GroupSlots = all.Policy, all.BarrierSlots, all.GroupSlots
		p, err := predict.Predict(m.Device, l)
		if err != nil {
			return nil, err
		}
		return predicted(&l, &p, &m), nil
	})
}

func predicted(l *predict.Launch, p *predict.Prediction, m *arch.Match) []string {
	var messages []string
	for _, n := range m.Notes {
		messages = append(messages, n.Text)
	}
	groups, gpu := "", make([]string, 5)
	if p.HasGrid() {
		groups = integer(p.Groups)
		gpu = []string{
			decimal(p.Peak.Percent()), decimal(p.Average.Percent()), decimal(p.Waves), decimal(math.Floor(p.Waves)),
			decimal(p.LastWaveOccupancy.Percent()),
		}
		if p.Partial {
			messages = append(messages, fmt.Sprintf(
				"%s does not divide %s: the last work-groups are smaller but count as whole ones", l.Local, l.Global))
		}
	}
	slots := p.ByGroupSlots // the output has one column for both work-group slots and barriers
	if p.ByBarriers != predict.Unlimited && (slots == predict.Unlimited || p.ByBarriers < slots) {
		slots = p.ByBarriers
	}
	limit := func(n int64) string {
		if n == predict.Unlimited {
			return ""
		}
		return integer(n)
	}
	return slices.Concat([]string{
		statusOK, strings.Join(messages, "; "), integer(p.ThreadsPerGroup), limit(p.ByThreads), limit(p.BySLM),
		limit(slots), groups, integer(p.GroupsPerXeCore), strings.Join(p.Limits.Names(), "+"),
		decimal(p.XeCore.Percent()),
	}, gpu)
}

// Calculator returns a batch that reproduces Intel's calculator, including its
// names, rounding, and errors.
func Calculator(t calculator.Table, s Shared) Run {
	find := remembered("device", s, t.Find)
	return launches(s, func(r *row) ([]string, error) {
		d, err := find(r)
		if err != nil {
			return nil, err
		}
		// The calculator's form has SLM in whole KB, barriers as yes or no, and
		// two register file sizes.
		large, err := calculator.LargeGRF(r.whole("grf", 0))
		if err != nil {
			return nil, fmt.Errorf("grf %w", err)
		}
		o := calculator.Run(&d, calculator.Input{
			Global: r.text("global"), Local: r.text("local"), SIMD: r.whole("simd", 1),
			SLMKB: r.whole("slm_kb", 0), Barrier: r.whole("barriers", 0) > 0, LargeGRF: large,
		})
		if o.Rejection != 0 {
			return nil, errors.New(o.Rejection.String())
		}
		gpu := make([]string, 5)
		if g := o.GPU; g != nil {
			gpu = []string{
				decimal(g.PeakPercent), decimal(g.AveragePercent), decimal(g.Waves), decimal(g.FullWaves),
				decimal(g.TailPercent),
			}
		}
		return slices.Concat([]string{
			statusOK, "", decimal(o.ThreadsPerGroup), decimal(o.LimitThreads), optional(o.LimitSLM, decimal),
			decimal(o.LimitGroupSlots), optional(o.Groups, decimal), decimal(o.GroupsPerCore),
			strings.Join(o.LimitedBy, "+"), decimal(o.XeCorePercent),
		}, gpu), nil
	})
}

// ComputeUnits returns a batch that predicts kernels on compute units with the
// register-file model. platform is used for rows that do not name a platform.
// It may be empty.
func ComputeUnits(t computeunit.Table, platform string) Run {
	shared := Shared{Device: platform}
	find := remembered("platform", shared, func(name string, _ int) (computeunit.Platform, error) {
		return t.Find(name)
	})
	return model{
		in:       strings.Fields("id platform wg_size slm_bytes_per_wg subgroup_size reg_bytes_per_item"),
		required: []string{"platform", "wg_size", "subgroup_size"},
		out: strings.Fields("regs_available_bytes spilled reg_limit slm_limit subgroup_limit hw_limit final_limit " +
			"limited_by subgroups_per_wg active_subgroups total_subgroups subgroup_occ_pct thread_occ_pct " +
			"padded_threads reg_limit_padded status message"),
		predict: func(r *row) ([]string, error) {
			p, err := find(r)
			if err != nil {
				return nil, err
			}
			// An empty amount is 0: the kernel uses none of the resource.
			o, err := p.Predict(computeunit.Launch{
				GroupSize:     int64(r.whole("wg_size", 1)),
				SLM:           unit.Bytes(r.whole("slm_bytes_per_wg", 0)),
				SubgroupSize:  int64(r.whole("subgroup_size", 1)),
				RegisterBytes: unit.Bytes(r.whole("reg_bytes_per_item", 0)),
			})
			if err != nil {
				return nil, err
			}
			spilled := "0"
			if o.Spilled {
				spilled = "1"
			}
			return []string{
				integer(o.RegisterBytesAllowed), spilled, optional(o.ByRegisters, integer), optional(o.BySLM, integer),
				integer(o.BySubgroups), integer(o.ByHardware), integer(o.Groups), strings.Join(o.Limits, "+"),
				integer(o.SubgroupsPerGroup), integer(o.ActiveSubgroups), integer(o.TotalSubgroups),
				decimal(o.Occupancy.Percent()), decimal(o.Lanes.Percent()), integer(o.PaddedSize),
				optional(o.ByRegistersPadded, integer), statusOK, "",
			}, nil
		},
	}.with(shared)
}
