// Package diffdoc answers one question: what changed between two runs, or two sets of repeats? It turns a
// rundiff.Result into the document that people read, the values of occudiff/diff/1 and annotations. It does not
// know file formats, and it does not judge: verdicts and their figures come from compare.
package diffdoc
