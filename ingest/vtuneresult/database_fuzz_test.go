package vtuneresult

import (
	"maps"
	"testing"
	"testing/fstest"

	"occudiff/ingest"
)

// FuzzDatabases reads a finalized result's databases with arbitrary bytes. It
// checks that launches end after they start and that nothing panics.
func FuzzDatabases(f *testing.F) {
	f.Add([]byte("SQLite format 3\x00"), []byte{}, "9")
	f.Add([]byte{}, make([]byte, 200), "9")
	few := mixed()
	few.reports = 20
	files := few.files("x")
	delete(files, "x/data.0/1-2.0-2.0.th.aux")
	const db = "x/sqlite-db/timelinedb/"
	f.Fuzz(func(t *testing.T, dicer, instances []byte, version string) {
		list := maps.Clone(files)
		list["x/sqlite-db/dicer.db"] = &fstest.MapFile{Data: dicer}
		list[db+"directory.xml"] = &fstest.MapFile{Data: []byte(`<bag xmlns:int="i" int:version="` + version + `">` +
			`<dbEntry key="GROUP_DEF(type:2 gpu_compute_task_data /a::b/c::d)" value="dbint-1"/></bag>`)}
		list[db+"dbint-1/instance/0/0"] = &fstest.MapFile{Data: instances}
		file, err := read(t.Context(), FS{FS: list, Path: "r.zip", Archive: true}, ingest.ReadOptions{})
		if err != nil {
			return
		}
		for l := range file.Trace.All() {
			if l.End <= l.Start {
				t.Errorf("%+v", l)
			}
		}
	})
}
