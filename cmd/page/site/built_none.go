//go:build !page

package site

// Built is empty, because this binary contains no page. Without the build tag
// "page", a checkout can be built before the file of the page exists.
const Built = ""
