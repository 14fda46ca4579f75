// Package rowtext puts one row of a comparison into words: its launch shape, its verdict with a status, what is wrong
// with it and why, the parts of its account, and the steps of the reasoning that led there. The sentences take their
// evidence from package compare; which rows are explained, and where, is up to the packages that use it.
package rowtext
