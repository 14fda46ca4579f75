// Package diffdoc answers one question: how do several runs, or several sides of repeats, stand beside each other? Sides
// are held against the first one: what changed, and which kernels got worse, a row for each kernel of each side. Runs of
// one program are kernels by runs; which of them stand out comes first. It does not know file formats, and it does not
// judge: verdicts and their figures come from compare/diff, and a run by itself is as rundoc has it.
package diffdoc
