// Package rundoc answers one question: how does a compared run stand? It turns a compare.Result into the document that
// people read, the values of occudiff/validate/1, test cases and annotations: the kernels and what is said of each, the
// account of the thread slots, and the run over time where a trace or samples tell it.
// What comes first, which words, which unit and how many decimals is decided here, so that every renderer says the
// same. It does not know file formats, and it neither joins nor judges: verdicts and causes come from compare.
package rundoc
