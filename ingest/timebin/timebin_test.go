package timebin

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
)

func read(text string) (*ingest.File, error) {
	return Format{}.Read(context.Background(), &ingest.Source{Path: "f", R: strings.NewReader(text)}, ingest.ReadOptions{Samples: true})
}

func TestRead(t *testing.T) {
	want := []ingest.Moment{{At: 1_000_000, Length: 1_000_000, Measured: 0.5}, {At: 2_000_000, Length: 1_000_000, Measured: 0.75}}
	for reason, text := range map[string]string{
		"percent":                "vtune: Executing actions\ntimeBin,Bin Start Time,Bin End Time,XVE Threads Occupancy(%)\n0,0,0.001,50\n1,0.001,0.002,75\n",
		"a bare name, fractions": "timeBin\tBin Start Time\tBin End Time\tEU Threads Occupancy\n0\t0\t0.001\t0.5\n1\t0.001\t0.002\t0.75\n",
		"a bare name, percent":   "timeBin;Bin Start Time;Bin End Time;EU Threads Occupancy\n0;0;0.001;50\n\n1;0.001;0.002;75\nx;0.002\n2;0.003;0.002;9\n",
	} {
		if !(Format{}).Sniff([]byte(text)) {
			t.Errorf("%s: not recognized", reason)
		}
		f, err := read(text)
		if err != nil {
			t.Fatalf("%s: %v", reason, err)
		}
		if d := cmp.Diff(want, f.Samples[0].List); d != "" || f.Rows != 2 || f.BadRows != int64(strings.Count(text, "x;")*2) {
			t.Errorf("%s: %d rows, %d bad (-want +got):\n%s", reason, f.Rows, f.BadRows, d)
		}
	}
	if _, err := read("timeBin,Bin Start Time,Bin End Time,XVE Threads Occupancy(%)\n"); err == nil || err.Error() != "f: the timeline table has no bin that can be used" {
		t.Errorf("an empty table: %v", err)
	}
	for _, text := range []string{"", "Bin Start Time,Bin End Time,Peak XVE Threads Occupancy(%)\n", "timeBin,XVE Threads Occupancy(%)\n"} {
		if (Format{}).Sniff([]byte(text)) {
			t.Errorf("%q is recognized", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("timeBin,Bin Start Time,Bin End Time,XVE Threads Occupancy(%)\n0,0,0.001,50\n")
	f.Fuzz(func(t *testing.T, text string) {
		(Format{}).Sniff([]byte(text))
		file, err := read(text)
		if err != nil {
			return
		}
		for _, m := range file.Samples[0].List {
			if m.At < 0 || m.Length < 0 || !(m.Measured >= 0 && m.Measured <= 1.0051) {
				t.Fatalf("%+v", m)
			}
		}
	})
}
