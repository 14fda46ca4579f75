package summary

import (
	"path/filepath"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/internal/ingesttest"
)

const corpus = "../../../shared/corpus/vtune-summary"

// TestCorpus keeps what was understood of every real report.
func TestCorpus(t *testing.T) {
	var used []string
	for _, path := range ingesttest.Corpus(t, corpus) {
		name := filepath.Base(path)
		used = append(used, name+".golden")
		t.Run(name, func(t *testing.T) {
			f := ingesttest.ReadFile(t, Format{}, path, ingest.ReadOptions{})
			if f.BadRows != 0 {
				t.Errorf("%d bad rows in a real report", f.BadRows)
			}
			ingesttest.Golden(t, name+".golden", ingesttest.Describe(f))
		})
	}
	ingesttest.NoStale(t, used)
}
