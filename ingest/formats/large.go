//go:build !js

package formats

import (
	"occudiff/ingest"
	"occudiff/ingest/vtuneresult"
)

// large are the formats that would make the page larger than its 4 MB: a result folder takes 250 KB of it, and its
// estimates 135 KB more.
func large() []ingest.Format { return []ingest.Format{vtuneresult.Format{}} }
