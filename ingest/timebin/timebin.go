// Package timebin reads VTune's timeline table (vtune -report timeline): a metric over equal bins of time. No such
// table with a GPU metric is public, so it is known by its header alone: columns Bin Start Time and Bin End Time, in
// seconds, and a measured occupancy. Its bins are of whatever ran; the package does not know which launch that was.
package timebin

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/lines"
	"occudiff/ingest/note"
)

// Format is a timeline table.
type Format struct{}

// Kind implements ingest.Format.
func (Format) Kind() string { return "vtune-timeline" }

// What implements ingest.Format.
func (Format) What() string { return "a VTune timeline" }

// header is where the columns are that are read.
type header struct {
	delimiter        string
	start, end, used int
	percent          bool
}

// parse reads a header line; false when it is another line.
func parse(line string) (h header, ok bool) {
	for _, h.delimiter = range []string{",", "\t", ";"} {
		h.start, h.end, h.used = -1, -1, -1
		for i, name := range strings.Split(line, h.delimiter) {
			switch name := strings.ToLower(strings.Trim(name, "\" \r")); {
			case strings.HasPrefix(name, "bin start time"):
				h.start = i
			case strings.HasPrefix(name, "bin end time"):
				h.end = i
			case strings.HasPrefix(name, "xve threads occupancy"), strings.HasPrefix(name, "eu threads occupancy"):
				h.used, h.percent = i, strings.HasSuffix(name, "(%)")
			}
		}
		if h.start >= 0 && h.end >= 0 && h.used >= 0 {
			return h, true
		}
	}
	return h, false
}

// Sniff implements ingest.Format.
func (Format) Sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		if _, ok := parse(string(line)); ok {
			return true
		}
	}
	return false
}

// Read implements ingest.Format.
func (Format) Read(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	in := lines.NewReader(ctx, src, opt)
	var h header
	var bad lines.Bad
	var list []ingest.Moment
	found, highest := false, 0.0
	for in.Next() {
		text := string(lines.Plain(in.Text))
		if !found {
			h, found = parse(text)
			continue
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		m, value, ok := h.moment(text)
		if !ok {
			bad.Add(in.Pos(1), "", "the row has no start, end and occupancy: %s", lines.Quote(text))
		} else if len(list) < ingest.MaxSamples {
			list, highest = append(list, m), max(highest, value)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, note.Faultf("no-samples", note.Pos{File: src.Path}, "",
			"the timeline table has no bin that can be used")
	}
	scale := float32(1)
	if h.percent || highest > 1.001 {
		scale = 0.01
	}
	f := &ingest.File{Rows: int64(len(list)), BadRows: bad.Count, Digest: in.Digest(), Notes: bad.Notes()}
	for i := range list {
		list[i].Measured *= scale
	}
	if opt.Samples {
		f.Samples = []ingest.Samples{{List: list}}
	}
	return f, nil
}

// moment reads a bin.
func (h *header) moment(text string) (m ingest.Moment, value float64, ok bool) {
	cells := strings.Split(text, h.delimiter)
	number := func(i int) float64 {
		if i >= len(cells) {
			return math.NaN()
		}
		x, err := strconv.ParseFloat(strings.Trim(cells[i], "\" "), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	start, end, value := number(h.start), number(h.end), number(h.used)
	if !(start >= 0 && end > start && end < 1e9 && value >= 0 && value <= 100.5) {
		return m, 0, false
	}
	at := int64(math.Round(end * 1e9))
	return ingest.Moment{At: at, Length: at - int64(math.Round(start*1e9)), Measured: float32(value)}, value, true
}
