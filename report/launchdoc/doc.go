// Package launchdoc answers one question: what occupancy can a launch reach on a device? It turns predictions, sweeps,
// timelines, advice and the device table into documents and into the values of their JSON outputs. It does not know file
// formats, and it computes no occupancy: that is predict's.
package launchdoc
