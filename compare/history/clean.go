package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// clean checks a run and makes it such that both engines store it alike, rows in place: texts are valid UTF-8
// without NUL, times have microseconds, rows name their device and driver.
func clean(run Run) (Run, error) {
	switch y := run.Time.Year(); {
	case run.Time.IsZero():
		return run, fmt.Errorf("%w: it has no time, so it has no place in a history; give the time of the collection",
			errBadRun)
	case y < 1900 || y > 9999:
		return run, fmt.Errorf("%w: its time is in the year %d; give the time of the collection", errBadRun, y)
	case len(run.Rows) == 0:
		return run, fmt.Errorf("%w: it has no kernel; add an export with computing tasks", errBadRun)
	}
	run.Time = run.Time.UTC().Truncate(time.Microsecond)
	cleanTexts(&run.Label, &run.Host, &run.JobID, &run.Device, &run.Driver, &run.VTune, &run.Commit, &run.Branch,
		&run.Program)
	if hz := run.Frequency.Or(0); math.IsNaN(hz) || math.IsInf(hz, 0) {
		run.Frequency = unit.Opt[float64]{}
	}
	run.Inputs = slices.Clone(run.Inputs)
	for i := range run.Inputs {
		in := &run.Inputs[i]
		cleanTexts(&in.Path, &in.Kind, &in.Digest, &in.Content)
	}
	seen := make(map[Key]int, len(run.Rows))
	for i := range run.Rows {
		r := &run.Rows[i]
		cleanTexts(&r.Task, &r.Direction, &r.Device, &r.Driver, &r.Program, &r.Verdict, &r.Cause)
		r.Device, r.Driver = cmp.Or(r.Device, run.Device), cmp.Or(r.Driver, run.Driver)
		r.Program = cmp.Or(r.Program, run.Program)
		if first, twice := seen[r.Key]; twice {
			return run, fmt.Errorf("%w: its rows %d and %d are the same kernel (%s); merge the launches of a kernel"+
				" first", errBadRun, first+1, i+1, r.Name())
		}
		seen[r.Key] = i
		if err := checkNumbers(r); err != nil {
			return run, fmt.Errorf("%w: row %d (%s): %w", errBadRun, i+1, r.Name(), err)
		}
	}
	run.Kernels = len(run.Rows)
	return run, nil
}

// checkNumbers refuses NaN, which SQLite would turn into "absent" without a word, and infinite values.
func checkNumbers(r *Row) error {
	for i, o := range r.Values {
		if v, ok := o.Value(); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return fmt.Errorf("%s is %v; leave it absent", columns[i].Metric, v)
		}
	}
	return nil
}

// cleanText replaces what PostgreSQL refuses in a text.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func cleanTexts(list ...*string) {
	for _, s := range list {
		*s = cleanText(*s)
	}
}
