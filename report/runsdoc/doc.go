// Package runsdoc answers one question: how do several runs of one program stand beside each other? It puts first which
// runs stand out and why, then the kernels over all runs, then each run as package rundoc has it. It does not judge:
// what stands out, and by how much, comes from compare/rundiff.
package runsdoc
