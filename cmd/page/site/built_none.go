//go:build !page

package site

// Built is the program that this binary holds, if any.
func Built() (Program, bool) { return Program{}, false }
