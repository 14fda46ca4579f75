//go:build page

package site

import _ "embed"

// Built is the page in this binary. .ci/release writes it before it builds the
// program.
//
//go:embed occudiff.html
var Built string
