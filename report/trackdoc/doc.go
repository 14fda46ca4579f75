// Package trackdoc answers one question: how did occupancy develop over the stored runs? It turns what compare/track
// read and judged into answers: documents, the values of the track outputs, test cases and annotations.
//
// There is an answer for a check of one run (FromCheck), for the whole history (FromReport), for a replay of the gate
// (FromBacktest) and for the list of runs (FromRuns). They share the words and figures of a series (series.go) and the
// way of printing a metric (metric.go): a value, a distance in points, a threshold.
//
// What needs attention comes first everywhere: regressions, alarms, then series that begin anew. JSON keeps the order
// in which series were first stored.
//
// It does not know databases or file formats, and it does not judge: that is compare/track's.
package trackdoc
