package compare

import "occudiff/ingest"

// estimated has nothing to estimate in a browser: result folders are not read there.
func estimated(kernels *ingest.Kernels, _ *ingest.Mix) *ingest.Kernels { return kernels }
