package history

import (
	"testing"

	"occudiff/ingest/unit"
)

// TestTwin adds the export of a run whose result folder is stored.
func TestTwin(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		folder := sample(0, 2)
		folder.Inputs = []Input{{Path: "r000gh", Kind: folderKind, Digest: "sha256:f", Carries: true}}
		for i, seconds := range []unit.Seconds{10.138147, 0.004399} {
			folder.Rows[i].Instances, folder.Rows[i].Total = unit.Some(int64(20)), unit.Some(seconds)
		}
		stored := add(t, d, folder)
		for _, c := range []struct {
			why  string
			edit func(run *Run)
			same bool
		}{
			{"its launches, to 2 us each", func(run *Run) {
				run.Rows[0].Total, run.Rows[1].Total = unit.Some(unit.Seconds(10.138187)), unit.Some(unit.Seconds(0.004361))
			}, true},
			{"another run takes another time", func(run *Run) { run.Rows[0].Total = unit.Some(unit.Seconds(10.1385)) }, false},
			{"a kernel was launched once more", func(run *Run) { run.Rows[1].Instances = unit.Some(int64(21)) }, false},
			{"it has a kernel less", func(run *Run) { run.Rows = run.Rows[:1] }, false},
			{"it is of another commit", func(run *Run) { run.Commit = "c2" }, false},
			{"launches of 0.2 ms are alike by chance", func(run *Run) { run.Rows = run.Rows[1:] }, false},
			{"a second folder is a second run", func(run *Run) { run.Inputs[0].Kind = folderKind }, false},
		} {
			export := sample(0, 2)
			export.Host, export.Program, export.VTune = "", "", ""
			export.Inputs = []Input{{Path: "run.csv", Kind: exportKind, Digest: "sha256:" + c.why, Carries: true}}
			for i := range export.Rows {
				export.Rows[i].Instances, export.Rows[i].Total = folder.Rows[i].Instances, folder.Rows[i].Total
			}
			c.edit(&export)
			done, err := d.Add(bg, export)
			if err != nil || done.Stored == c.same || c.same && (done.ID != stored || !done.Whole || !done.Twin) {
				t.Errorf("%s: %+v, %v", c.why, done, err)
			}
			if done.Stored {
				if err := d.Remove(bg, done.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
