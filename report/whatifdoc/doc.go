// Package whatifdoc answers one question: what would another launch of a kernel, or another device, be predicted to
// reach? It lists the devices and the launches that the What-if sheet of a workbook lets people choose from, and the
// values that its formulas have at first. The formulas themselves are those of report/excel, held against package
// predict by a test; this package knows neither cells nor styles.
package whatifdoc
