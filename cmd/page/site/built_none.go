//go:build !page

package site

// Built is empty: this binary contains no page. The build tag allows building a
// checkout without the file.
const Built = ""
