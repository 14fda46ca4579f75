// Package binarydoc answers one question: what do kernels' binaries say of occupancy, and what did a new compilation
// change? It turns the kernels of compare/binary into documents, the values of their JSON outputs, test cases and
// annotations. It does not know file formats, and it neither predicts nor judges.
package binarydoc
