// Package formats lists what can be read. It is the one place where a reader is
// added, for the program and for the page.
package formats

import (
	"occudiff/ingest"
	"occudiff/ingest/summary"
	"occudiff/ingest/trace"
	"occudiff/ingest/unitrace"
	"occudiff/ingest/vecadd"
	"occudiff/ingest/vtune"
	"occudiff/ingest/vtuneresult"
	"occudiff/ingest/zebin"
)

// All lists the formats in the order in which files are offered to them.
func All() []ingest.Format {
	return []ingest.Format{vtune.Format{}, summary.Format{}, vtune.Text{}, unitrace.Format{}, trace.Format{},
		vecadd.Format{}, zebin.Format{}, zebin.Log{}, zebin.Triton{}, vtuneresult.Format{}}
}
