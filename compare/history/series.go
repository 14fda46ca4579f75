package history

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// stored is a series that is in the tables.
type stored struct {
	id      int64
	program string
}

// seriesIDs are rows with their series.
type seriesIDs struct {
	ids      []int64
	programs []string // see Added
	moved    []Rename
}

// seriesOf gives the number of each row's series, making those that are new.
//
// The program is part of a series, where it is known. Rows that do not name one join the only program that has their
// kernels. A program that is named for the first time takes over the series of its kernels that name none, so that what
// was stored before programs were known goes on. Where several programs have the kernels nobody can tell: the rows make
// series without a program, and the programs are returned.
func (d *DB) seriesOf(ctx context.Context, tx *sql.Tx, rows []Row) (p seriesIDs, err error) {
	kernels := make([]string, len(rows))
	for i := range rows {
		kernels[i] = rows[i].kernelIdentity()
	}
	known, err := d.lookUp(ctx, tx, kernels)
	if err != nil {
		return p, err
	}
	program := rows[0].Program // all rows of a run have the same, or none
	if program == "" {
		if p.programs = programsOf(kernels, known); len(p.programs) == 1 {
			program, p.programs = p.programs[0], nil
		}
	}
	p.ids = make([]int64, len(rows))
	for i, kernel := range kernels {
		id, adopt := find(known[kernel], program)
		if p.ids[i] = id; adopt {
			k := rows[i].Key
			k.Program = program
			if err := d.mergeSeries(ctx, tx, id, k); err != nil {
				return p, err
			}
		}
	}
	if slices.Contains(p.ids, 0) {
		if p.moved, err = d.findRenamed(ctx, tx, rows, program, p.ids); err != nil {
			return p, err
		}
	}
	return p, d.makeSeries(ctx, tx, rows, kernels, program, p.ids)
}

// makeSeries makes the series of the rows that have none.
func (d *DB) makeSeries(ctx context.Context, tx *sql.Tx, rows []Row, kernels []string, program string, ids []int64) error {
	type series struct {
		identity string
		row      int
	}
	var fresh []series
	var missing []string
	for i, kernel := range kernels {
		if ids[i] == 0 {
			k := rows[i].Key
			k.Program = program
			missing, fresh = append(missing, kernel), append(fresh, series{k.identity(), i})
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	// In one order for all: two writers that make the same series in different orders would block each other.
	slices.SortFunc(fresh, func(a, b series) int { return strings.Compare(a.identity, b.identity) })
	// ON CONFLICT, since another writer may make the same series between the look-up and this.
	for part := range slices.Chunk(fresh, rowsAtOnce) {
		var list [][]any
		for _, s := range part {
			k := rows[s.row].Key
			k.Program = program
			list = append(list, []any{s.identity, kernels[s.row], k.stableIdentity(), k.Task, k.Global.String(), k.Local.String(),
				k.SIMD, k.Direction, k.Device, k.Driver, k.Program})
		}
		if err := d.insert(ctx, tx, "occudiff_series (identity, kernel_identity, stable_identity, "+keyColumns+")", list,
			" ON CONFLICT (identity) DO NOTHING"); err != nil {
			return err
		}
	}
	known, err := d.lookUp(ctx, tx, missing)
	for i, kernel := range kernels {
		if ids[i] == 0 {
			ids[i], _ = find(known[kernel], program)
		}
	}
	return err
}

// programsOf lists the programs that have one of the kernels.
func programsOf(kernels []string, known map[string][]stored) []string {
	var list []string
	for _, kernel := range kernels {
		for _, s := range known[kernel] {
			if s.program != "" {
				list = append(list, s.program)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// find gives the series of a program among those of a kernel, 0 when there is none yet. With adopt it is the only one
// there is, and names no program.
func find(of []stored, program string) (id int64, adopt bool) {
	for _, s := range of {
		if s.program == program {
			return s.id, false
		}
	}
	if len(of) == 1 && of[0].program == "" {
		return of[0].id, true
	}
	return 0, false
}

// lookUp finds the series of kernels.
func (d *DB) lookUp(ctx context.Context, tx *sql.Tx, kernels []string) (map[string][]stored, error) {
	known := make(map[string][]stored, len(kernels))
	for part := range slices.Chunk(kernels, d.engine.batch) {
		args := make([]any, len(part))
		for i, s := range part {
			args[i] = s
		}
		text := `SELECT kernel_identity, id, program FROM occudiff_series WHERE kernel_identity IN (` +
			marks(len(part)) + `) ORDER BY id`
		err := d.each(ctx, tx, text, args, func(rows *sql.Rows) error {
			var kernel string
			var s stored
			err := rows.Scan(&kernel, &s.id, &s.program)
			if !slices.Contains(known[kernel], s) { // two rows of one kernel, in two chunks
				known[kernel] = append(known[kernel], s)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}
