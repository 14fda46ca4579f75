package ingest

import (
	"strings"
	"testing"
)

// TestUnplacedSamples has samples without a kernel, and no launch that ran when
// they were taken. The hint depends on whether there are any launches.
func TestUnplacedSamples(t *testing.T) {
	samples := Samples{List: []CounterSample{{At: 1000, Length: 500}, {At: 1500, Length: 500}}}
	for _, c := range []struct {
		reason     string
		start, end int64
		want       string // "" for no note
	}{
		{"no launches", 0, 0, "2 samples name no kernel, and no launch is known to have run when they were taken (add the kernel intervals"},
		{"launches between the samples", 1100, 1200, "2 samples name no kernel, and none was taken while a launch of the trace ran (if the launches are shorter"},
		{"a launch over one of them", 1100, 1600, ""},
	} {
		trace := &Trace{}
		if c.end > 0 {
			trace.AddLane("")
			trace.Add(Launch{Start: c.start, End: c.end, Task: trace.Task(Key{Task: "k"})})
		}
		run, err := Join([]File{{Samples: []Samples{samples}, Trace: trace}})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, n := range run.Notes {
			got += n.String()
		}
		if placed := run.Samples[0]; c.want == "" && (placed.Key.Task != "k" || len(placed.List) != 1 || placed.List[0].At != 1500 ||
			len(run.Samples) != 2) {
			t.Errorf("%s: the samples are %+v", c.reason, run.Samples)
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestTraceOrder adds unordered launches, more than one block.
func TestTraceOrder(t *testing.T) {
	const n = 2*launchBlock + 5
	tr := &Trace{}
	tr.AddLane("")
	task := tr.Task(Key{Task: "k"})
	for i := range int64(n) {
		at := i * 7 % n
		tr.Add(Launch{Start: at * 10, End: at*10 + 5, Task: task})
	}
	tr.Finish()
	at := 0
	for l := range tr.All() {
		if l.Start != int64(at)*10 || tr.At(at) != l {
			t.Fatalf("launch %d starts at %d", at, l.Start)
		}
		at++
	}
	if l, ran := tr.During(-1, 123450); at != n || tr.Len() != n || !ran || l.Start != 123450 {
		t.Errorf("%d launches of %d; %+v", at, tr.Len(), l)
	}
}
