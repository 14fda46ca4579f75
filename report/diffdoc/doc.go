// Package diffdoc answers one question: how do several runs, or several sides of repeats, stand beside each other? Two
// sides are a diff: what changed, and which kernels got worse. More sides, and runs of one program, are kernels by
// columns, a column for each side or run; which of them stand out comes first. It does not know file formats, and it
// does not judge: verdicts and their figures come from compare/diff, and a run by itself is as rundoc has it.
package diffdoc
