//go:build !js

package formats

import (
	"occudiff/ingest"
	"occudiff/ingest/vtuneresult"
)

// large are the formats that would make the page larger than its 4 MB: with result folders, of zip archives alone and
// with the estimates, it has 4,234,694 bytes.
func large() []ingest.Format { return []ingest.Format{vtuneresult.Format{}} }
