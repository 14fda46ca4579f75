package rundoc

// FirstKernels are the columns that people see first.
var FirstKernels = firstKernels
