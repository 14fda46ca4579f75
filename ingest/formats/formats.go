// Package formats lists the formats that occudiff can read. A new reader is
// added only here, for both the program and the page.
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

// All returns the formats in the order in which a file is offered to them. The
// first format that recognizes a file reads it.
func All() []ingest.Format {
	return []ingest.Format{vtune.Format, summary.Format, vtune.Text, unitrace.Format, trace.Format,
		vecadd.Format, zebin.Format, zebin.Log, zebin.Triton, vtuneresult.Format}
}
