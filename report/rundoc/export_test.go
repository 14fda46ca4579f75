package rundoc

// FirstKernels exports firstKernels, the columns that people see first, for
// tests.
var FirstKernels = firstKernels
