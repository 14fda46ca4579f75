package history

import (
	"database/sql"
	"maps"
	"slices"
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
func (w *writing) seriesOf(rows []Row) (p seriesIDs) {
	kernels := make([]string, len(rows))
	for i := range rows {
		kernels[i] = rows[i].kernelIdentity()
	}
	known := w.lookUp(kernels)
	program := rows[0].Program // all rows of a run have the same, or none
	if program == "" {
		if p.programs = programsOf(known); len(p.programs) == 1 {
			program, p.programs = p.programs[0], nil
		}
	}
	p.ids = make([]int64, len(rows))
	for i, kernel := range kernels {
		id, adopt := find(known[kernel], program)
		if p.ids[i] = id; adopt {
			k := rows[i].Key
			k.Program = program
			w.mergeSeries(id, k)
		}
	}
	if slices.Contains(p.ids, 0) {
		p.moved = w.findRenamed(rows, program, p.ids)
		w.makeSeries(rows, kernels, program, p.ids)
	}
	return p
}

// makeSeries makes the series of the rows that have none.
func (w *writing) makeSeries(rows []Row, kernels []string, program string, ids []int64) {
	var fresh [][]any
	var missing []string
	for i, kernel := range kernels {
		if ids[i] == 0 {
			k := rows[i].Key
			k.Program = program
			missing = append(missing, kernel)
			fresh = append(fresh, []any{k.identity(), kernel, k.stableIdentity(), k.Task, k.Global.String(), k.Local.String(),
				k.SIMD, k.Direction, k.Device, k.Driver, k.Program})
		}
	}
	w.insert("occudiff_series (identity, kernel_identity, stable_identity, "+keyColumns+")", fresh)
	known := w.lookUp(missing)
	for i, kernel := range kernels {
		if ids[i] == 0 {
			ids[i], _ = find(known[kernel], program)
		}
	}
}

// programsOf lists the programs that have one of the kernels that were looked up.
func programsOf(known map[string][]stored) []string {
	programs := map[string]bool{}
	for _, of := range known {
		for _, s := range of {
			programs[s.program] = true
		}
	}
	delete(programs, "")
	return slices.Sorted(maps.Keys(programs))
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
func (w *writing) lookUp(kernels []string) map[string][]stored {
	known := make(map[string][]stored, len(kernels))
	for part := range slices.Chunk(kernels, w.engine.batch) {
		text := `SELECT kernel_identity, id, program FROM occudiff_series WHERE kernel_identity IN (` +
			marks(len(part)) + `) ORDER BY id`
		w.each(text, anyOf(part), func(rows *sql.Rows) error {
			var kernel string
			var s stored
			err := rows.Scan(&kernel, &s.id, &s.program)
			if !slices.Contains(known[kernel], s) { // two rows of one kernel, in two chunks
				known[kernel] = append(known[kernel], s)
			}
			return err
		})
	}
	return known
}

// anyOf gives values as arguments.
func anyOf[T any](list []T) []any {
	args := make([]any, len(list))
	for i, x := range list {
		args[i] = x
	}
	return args
}
