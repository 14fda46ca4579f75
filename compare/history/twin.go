package history

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
)

const (
	// folderKind and exportKind are the kinds of inputs that one collection leaves: VTune's result folder, and what
	// was exported of it.
	folderKind, exportKind = "vtune-result", "vtune"
	// twinRuns is how many runs are looked through, those added last: both forms of a run are added close together.
	twinRuns = 100
	// launchSlack and printSlack, in seconds, are how far the time of a launch of a folder was from that of its export
	// at most (2.3 us), and the digits that an export prints.
	launchSlack, printSlack = 2.5e-6, 1e-6
	// tellingShare is how near two times of the slowest kernel are at most to be of one run: those of two runs differ
	// by more in all but a few of a hundred cases.
	tellingShare = 1e-3
)

// twin looks for the run in its other form. A folder and its export have no byte in common, but their launches: as many
// of each kernel, and their times. It is 0 where there is none, and where launches are too short to tell.
func (d *DB) twin(ctx context.Context, tx *sql.Tx, run *Run) (int64, error) {
	form := func(kind string) bool {
		return slices.ContainsFunc(run.Inputs, func(in Input) bool { return in.Kind == kind })
	}
	folder := form(folderKind)
	if folder == form(exportKind) || len(run.Rows) == 0 {
		return 0, nil
	}
	slack := func(r *Row) float64 { return launchSlack*float64(r.Instances.Or(0)) + printSlack }
	slowest := slices.MaxFunc(run.Rows, func(a, b Row) int { return cmp.Compare(a.Total.Or(0), b.Total.Or(0)) })
	if slack(&slowest) > tellingShare*float64(slowest.Total.Or(0)) {
		return 0, nil
	}
	launched := map[Key]*Row{}
	plain := func(k Key) Key { return Key{Task: k.Task, Global: k.Global.Trim(), Local: k.Local.Trim()} }
	for i := range run.Rows {
		launched[plain(run.Rows[i].Key)] = &run.Rows[i]
	}
	kind := folderKind
	if folder {
		kind = exportKind
	}
	text := `SELECT k.run_id, k.instances, k.total_seconds, ` + keyColumns + ` FROM occudiff_kernel k
		JOIN occudiff_series s ON s.id = k.series_id WHERE k.run_id IN (SELECT id FROM occudiff_run r
		WHERE id > (SELECT MAX(id) FROM occudiff_run) - ? AND kernels = ? AND device = ? AND commit_id = ?
		AND branch = ? AND label = ? AND job = ? AND EXISTS (SELECT 1 FROM occudiff_input i
		WHERE i.run_id = r.id AND i.kind = ?))`
	args := []any{twinRuns, len(run.Rows), run.Device, run.Commit, run.Branch, run.Label, run.JobID, kind}
	alike := map[int64]int{}
	err := d.each(ctx, tx, text, args, func(rows *sql.Rows) error {
		var id int64
		var launches sql.NullInt64
		var seconds sql.NullFloat64
		k, err := scanKey(rows, &id, &launches, &seconds)
		r := launched[plain(k)]
		if err == nil && r != nil && launches.Int64 == r.Instances.Or(0) &&
			math.Abs(seconds.Float64-float64(r.Total.Or(0))) <= slack(r) {
			alike[id]++
		}
		return err
	})
	twin := int64(0)
	for id, n := range alike {
		if n == len(run.Rows) {
			twin = max(twin, id)
		}
	}
	return twin, err
}
