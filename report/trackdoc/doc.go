// Package trackdoc answers one question: how did occupancy develop over the stored runs? It turns series and what the gate
// says of them into documents, the values of the track outputs, test cases and annotations. It does not know databases or
// file formats, and it does not judge: that is trend's.
package trackdoc
