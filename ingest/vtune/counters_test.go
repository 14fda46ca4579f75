package vtune

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// TestCounters checks stall reasons and bandwidths, weighted by their rows'
// time. If two columns have the same name, the first is used. A cell that is
// not a number is unknown and affects nothing else.
func TestCounters(t *testing.T) {
	const head = `Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,` +
		`XVE Stall Reasons:Barrier(%),XVE Stall Reasons:SBID(%),"GPU Memory Bandwidth, GB/sec:Read","GPU L3:Average Bandwidth, GB/s:Write","GPU Memory Bandwidth, GB/sec:Read"` + "\n"
	f, err := readText(head+"K,64,64,0.3,3,20.0,80.0,10.5,1.25,99\nK,64,64,0.1,2,40.0,60.0,20.5,x,99\nL,64,64,0.1,1,,,,,\n", ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := &ingest.Counters{Stalls: []ingest.Stall{{Reason: "Barrier", Share: 0.25}, {Reason: "SBID", Share: 0.75}},
		MemoryRead: unit.Some(13.0), L3Write: unit.Some(1.25)}
	k, l := f.Kernels[0], f.Kernels[1]
	if diff := cmp.Diff(want, k.Counters, cmp.Comparer(func(a, b unit.Opt[float64]) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if b, ok := k.BarrierStall.Value(); !ok || b != 0.25 || l.Counters != nil {
		t.Errorf("barrier stalls %v, without any cell %+v", k.BarrierStall, l.Counters)
	}

	// The result does not depend on the worker, or on keeping single launches.
	rows := strings.Repeat("K,64,64,0.3,3,20.0,80.0,10.5,1.25,99\nK,64,64,0.1,2,40.0,60.0,20.5,x,99\n", 20000)
	f, err = readText(head+rows+"L,64,64,0.1,1,,,,,\n", ingest.ReadOptions{Instances: true, Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, f.Kernels[0].Counters, cmp.Comparer(func(a, b unit.Opt[float64]) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if l := f.Kernels[1]; l.Counters != nil {
		t.Errorf("without any cell %+v", l.Counters)
	}
}

// TestPipelines checks which columns are pipelines: shares of one pipeline, and
// neither shares of two nor counts.
func TestPipelines(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,\"GPU Memory Bandwidth, GB/sec:Read\",XVE Pipelines:ALU0 active(%),XVE Pipelines:ALU0 and XMX active(%)," +
		"XVE Pipelines:XMX active(%),XVE Pipelines:Send,XVE Stall Reasons:Send(%),XVE Stall Reasons:SBID,XVE Threads Occupancy(%)\n"
	f, err := readText(head+"K,64,1,12.5,50.0,30.0,40.0,20.0,10.0,5.0,90.0\n", ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := &ingest.Counters{Pipes: []ingest.Pipe{{Name: "ALU0", Active: 0.5}, {Name: "XMX", Active: 0.4}},
		Stalls: []ingest.Stall{{Reason: "Send", Share: 0.1}}, MemoryRead: unit.Some(12.5)}
	if d := cmp.Diff(want, f.Kernels[0].Counters, cmp.Comparer(func(a, b unit.Opt[float64]) bool { return a == b })); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
