// Package trackdoc answers one question: how did occupancy develop over the stored runs? It turns what compare/track
// read and judged into answers: documents, the values of the track outputs, test cases and annotations.
//
// A check of a run (FromCheck) is the report (FromReport) of its last run: both go one path, see view. There are answers
// for a replay of the gate (FromBacktest) and for the list of runs (FromRuns), too. They share the words of a series
// (words.go), its columns (columns.go) and the way of printing a metric (metric.go).
//
// What needs attention comes first everywhere: regressions, alarms, then series that begin anew. JSON keeps the order
// in which series were first stored.
//
// It does not know databases or file formats, and it does not judge: that is compare/track's.
package trackdoc
