package vtuneresult

import (
	"fmt"

	"occudiff/ingest/note"
)

// readLaunches takes the launches from the first of the places that has them.
func (a *adapter) readLaunches() error {
	a.failed = "data.* holds no trace of a Level Zero program"
	for _, dir := range a.folders {
		list, err := processes(a.fs, dir)
		if err != nil {
			return note.Faultf(codeUnreadable, a.fs.pos(dir), "", "cannot be read: %v", note.Reason(err))
		}
		for _, p := range list {
			d := decoder{tasks: &a.tasks, device: &a.device}
			launches, err := a.decode(&d, p)
			if err != nil {
				if a.ctx.Err() != nil {
					return a.ctx.Err()
				}
				a.launches, a.failed = nil, fmt.Sprintf("%s: %v", p.trace, err)
				return nil
			}
			a.launches = append(a.launches, launches...)
		}
		a.from = "the traces of the program"
	}
	return nil
}

func (a *adapter) decode(d *decoder, p process) ([]launch, error) {
	if err := d.read(a.ctx, a.fs, p); err != nil {
		return nil, err
	}
	return d.launches(&a.clock, nil)
}
