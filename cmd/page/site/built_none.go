//go:build !page

package site

// Built is the page that this binary holds, "" if none. The build tag keeps a
// checkout buildable, which has no page.
const Built = ""
