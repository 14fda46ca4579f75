package formats

import "occudiff/ingest"

func large() []ingest.Format { return nil }
