package vecadd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

func read(t testing.TB, text string) (*ingest.File, error) {
	t.Helper()
	return Format.Read(context.Background(), &ingest.Source{Path: "log", Size: int64(len(text)), R: strings.NewReader(text)}, ingest.ReadOptions{})
}

// notebook is the output of the thread-mapping notebook's sample, with the
// default stream formatting, 6 significant digits.
const notebook = `Running on device: Intel(R) UHD Graphics P630 [0x3e96]
Vector size: 13762560
VectorAdd<1> completed on device - 0.215764 seconds
VectorAdd<2> completed on device - 0.0312 seconds
VectorAdd<12> completed on device - 1e-05 seconds
VectorAdd<1024> completed on device - 2 seconds
`

// guide is the output of the optimization guide's sample. It prints clock ticks
// and calls them u-secs.
const guide = `Running on device: Intel(R) Iris(R) Xe Graphics
Vector size: 13762560
VectorAdd1 completed on device - took 285763441 u-secs
VectorAdd2<1> completed on device - took 46253100 u-secs
VectorAdd2<12> completed on device - took 5 u-secs
VectorAdd3<8> completed on device - took 1000000000 u-secs
VectorAdd4<8> completed on device - took 2500000000 u-secs
`

// devCloud is a job's output file. The frame, the oneAPI environment's output,
// and the compiler's output surround the sample's output.
const devCloud = `
########################################################################
#      Date:           Wed Jun 12 10:18:22 AM PDT 2024
#    Job ID:           2555039.v-qsvr-1.aidevcloud
#      User:           u222228
# Resources:           cput=75:00:00,neednodes=1:gen9:ppn=2,nodes=1:gen9:ppn=2,walltime=06:00:00
########################################################################

 
:: initializing oneAPI environment ...
   run_vec_add.sh: BASH_VERSION = 5.0.17(1)-release
:: compiler -- latest
:: oneAPI environment initialized ::
src/vec_add.cpp:19:3: warning: VectorAdd<groups> hides a declaration [-Wshadow]
1 warning generated.
Running on device: Intel(R) UHD Graphics P630 [0x3e96]
Vector size: 13762560
VectorAdd<1> completed on device - 0.215764 seconds
VectorAdd<8> completed on device - 0.0123 seconds

########################################################################
# End of output for job 2555039.v-qsvr-1.aidevcloud
# Date: Wed Jun 12 10:18:33 AM PDT 2024
########################################################################
`

type row struct {
	Kernel  string
	Groups  int64 // 0 if absent
	Seconds unit.Seconds
	Printed string
	Unit    string
	Pos     string
}

func rows(f *ingest.File) []row {
	var out []row
	for _, t := range f.Timings {
		out = append(out, row{t.Kernel, t.Groups.Or(0), t.Seconds, t.Printed, t.UnitAsPrinted, t.Pos.String()})
	}
	return out
}

func notes(f *ingest.File) []string {
	var out []string
	for _, n := range f.Notes {
		out = append(out, n.Code+" "+n.String())
	}
	return out
}

const (
	boundsNote = ` and all kernels with more than one work-group read and write beyond their buffers: work-group g starts at g times the vector size, but each buffer has the size of one vector (the sample has this error; its times and occupancies include the out-of-bounds access)`
	ticksHint  = ` (all u-secs of this log are read this way; the printed numbers are kept, too)`
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, reason, text string
		want               []row
		notes              []string
		bad                int64
	}{
		{
			name: "notebook", reason: "seconds in default stream formatting, also with exponents; more than one work-group exceeds the buffers",
			text: notebook,
			want: []row{
				{"VectorAdd<1>", 1, 0.215764, "0.215764", "seconds", "log:3:1"},
				{"VectorAdd<2>", 2, 0.0312, "0.0312", "seconds", "log:4:1"},
				{"VectorAdd<12>", 12, 1e-05, "1e-05", "seconds", "log:5:1"},
				{"VectorAdd<1024>", 1024, 2, "2", "seconds", "log:6:1"},
			},
			notes: []string{"out-of-bounds log:4:1: warning: VectorAdd<2>" + boundsNote},
		},
		{
			name: "guide", reason: "ticks are nanoseconds; the number of work-groups of VectorAdd1 is unknown; the guide's kernels stay within their buffers",
			text: guide,
			want: []row{
				{"VectorAdd1", 0, 0.285763441, "285763441", "u-secs", "log:3:1"},
				{"VectorAdd2<1>", 1, 0.0462531, "46253100", "u-secs", "log:4:1"},
				{"VectorAdd2<12>", 12, 5e-9, "5", "u-secs", "log:5:1"},
				{"VectorAdd3<8>", 8, 1, "1000000000", "u-secs", "log:6:1"},
				{"VectorAdd4<8>", 8, 2.5, "2500000000", "u-secs", "log:7:1"},
			},
			notes: []string{"ticks-as-usecs log:3:1: warning: the sample prints clock ticks, which are nanoseconds, and calls them u-secs: 285763441 u-secs is read as 0.285763 s" + ticksHint},
		},
		{
			name: "job file", reason: "the text around the sample's output is not a timing, not even a compiler's warning about VectorAdd",
			text: devCloud,
			want: []row{
				{"VectorAdd<1>", 1, 0.215764, "0.215764", "seconds", "log:18:1"},
				{"VectorAdd<8>", 8, 0.0123, "0.0123", "seconds", "log:19:1"},
			},
			notes: []string{"out-of-bounds log:19:1: warning: VectorAdd<8>" + boundsNote},
		},
		{
			name: "windows", reason: "CRLF line ends and a BOM are not part of names and units, and the last line end may be missing",
			text: "\ufeffVectorAdd<1> completed on device - 0.5 seconds\r\nVectorAdd<1> completed on device - 0.25 seconds",
			want: []row{
				{"VectorAdd<1>", 1, 0.5, "0.5", "seconds", "log:1:1"},
				{"VectorAdd<1>", 1, 0.25, "0.25", "seconds", "log:2:1"},
			},
		},
		{
			name: "colors and NULs", reason: "escape sequences and NULs are invisible; columns refer to the raw line",
			text: "\x00\x00\x1b[32mVectorAdd<1>\x1b[0m completed on device - \x1b[1m0.5\x1b[0m seconds\x00\n[host] VectorAdd<1> completed on device - 1.5 seconds\n",
			want: []row{
				{"VectorAdd<1>", 1, 0.5, "0.5", "seconds", "log:1:8"},
				{"VectorAdd<1>", 1, 1.5, "1.5", "seconds", "log:2:8"},
			},
		},
		{
			name: "bad rows", reason: "a malformed line is reported with its position and does not stop the reading",
			text: strings.Join([]string{
				"VectorAdd<1> completed on device - 0.5 seconds",
				"VectorAdd<2> completed on device - 0,5 seconds",
				"VectorAdd<3> completed on device - seconds",
				"VectorAdd<4> completed on device - -0.5 seconds",
				"VectorAdd<x> completed on device - 0.5 seconds",
				"VectorAdd<0> completed on device - 0.5 seconds",
				"VectorAdd<7 completed on device - 0.5 seconds",
				"VectorAdd<8> completed on device - 0.5",
				"VectorAdd<9> completed on device - took 5 fortnights",
				"VectorAdd<10> completed on device - inf seconds",
				"VectorAdd<11> completed on device - 1e999 seconds",
				"VectorAdd<12> completed on device 0.5 seconds",
				"VectorAdd<13> completed on device - ",
				"VectorAdd<14> complet",
			}, "\n"),
			want: []row{{"VectorAdd<1>", 1, 0.5, "0.5", "seconds", "log:1:1"}},
			bad:  13,
			notes: []string{
				`bad-row log:2:36: error: time "0,5" is not a number of 0 or more; ` + expected,
				`bad-row log:3:36: error: time "seconds" is not a number of 0 or more; ` + expected,
				`bad-row log:4:36: error: time "-0.5" is not a number of 0 or more; ` + expected,
				`bad-row log:5:1: error: number of work-groups "x" is not a whole number above 0; ` + expected,
				`bad-row log:6:1: error: number of work-groups "0" is not a whole number above 0; ` + expected,
				`bad-row log:7:1: error: kernel "VectorAdd<7" is not VectorAdd<N>, VectorAdd1 or VectorAdd2<N>; ` + expected,
				`bad-row log:8:39: error: unit "" is unknown; expected seconds or u-secs; ` + expected,
				`bad-row log:9:43: error: unit "fortnights" is unknown; expected seconds or u-secs; ` + expected,
				`bad-row log:10:37: error: time "inf" is not a number of 0 or more; ` + expected,
				`bad-row log:11:37: error: time "1e999" is not a number of 0 or more; ` + expected,
				`bad-row log:12:35: error: "-" is missing after "completed on device"; ` + expected,
				`bad-row log:13:37: error: time "" is not a number of 0 or more; ` + expected,
				`bad-row log:14:1: error: the timing line ends early: "VectorAdd<14> complet"; ` + expected,
			},
		},
		{
			name: "wrong sums", reason: "the guide's own check prints a line per wrong element",
			text: "add2 Did not match\nadd2 Did not match\nVectorAdd2<1> completed on device - took 1000 u-secs\n",
			want: []row{{"VectorAdd2<1>", 1, 1e-6, "1000", "u-secs", "log:3:1"}},
			notes: []string{
				"ticks-as-usecs log:3:1: warning: the sample prints clock ticks, which are nanoseconds, and calls them u-secs: 1000 u-secs is read as 1e-06 s" + ticksHint,
				"wrong-result log:1:1: warning: the sample reported wrong sums in 2 lines (the times of a wrong calculation are not meaningful: fix the run first)",
			},
		},
		{
			name: "two devices", reason: "one of them has no timing",
			text: "Running on device: A\nVectorAdd<1> completed on device - 1 seconds\nRunning on device: B\nVector size: many\n",
			want: []row{{"VectorAdd<1>", 1, 1, "1", "seconds", "log:2:1"}},
			bad:  1,
			notes: []string{
				`bad-row log:4:1: error: vector size "many" is not a whole number above 0`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !Format.Sniff([]byte(c.text)) {
				t.Error("not recognized")
			}
			f, err := read(t, c.text)
			if err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
			if d := cmp.Diff(c.want, rows(f)); d != "" {
				t.Errorf("%s: timings (-want +got):\n%s", c.reason, d)
			}
			if d := cmp.Diff(c.notes, notes(f)); d != "" {
				t.Errorf("%s: notes (-want +got):\n%s", c.reason, d)
			}
			if f.Rows != int64(len(c.want)) || f.BadRows != c.bad {
				t.Errorf("%s: rows %d, bad %d, want %d and %d", c.reason, f.Rows, f.BadRows, len(c.want), c.bad)
			}
		})
	}
}

func TestPlatform(t *testing.T) {
	f, err := read(t, devCloud)
	if err != nil {
		t.Fatal(err)
	}
	want := ingest.Platform{
		Device: "Intel(R) UHD Graphics P630 [0x3e96]", DeviceFrom: "the log", NodeProperty: "gen9",
		JobID: "2555039.v-qsvr-1.aidevcloud", VectorSize: unit.Some[int64](13762560),
		Collected: time.Date(2024, 6, 12, 17, 18, 22, 0, time.UTC), // 10:18:22 at UTC-7
		Pos:       note.Pos{File: "log", Line: 16, Column: 1},
	}
	if f.Platform != want {
		t.Errorf("platform\n got %+v\nwant %+v", f.Platform, want)
	}
}

func TestJobFrame(t *testing.T) {
	for _, c := range []struct {
		reason, line         string
		property, host, when string
	}{
		{"the US locale of the newer nodes", "#      Date:           Mon Oct 24 01:02:03 PM PDT 2022", "", "", "2022-10-24T20:02:03Z"},
		{"24 hours", "#      Date:           Tue Mar  2 07:30:37 PST 2021", "", "", "2021-03-02T15:30:37Z"},
		{"the day before the month", "#      Date:           Tue 02 Mar 2021 07:30:37 AM PST", "", "", "2021-03-02T15:30:37Z"},
		{"an unknown time zone returns no date instead of a wrong one", "# Date: Tue Mar  2 07:30:37 XYZ 2021", "", "", ""},
		{"no date at all", "# Date: soon", "", "", ""},
		{"a device property", "# Resources: neednodes=1:iris_xe_max:ppn=2,walltime=06:00:00", "iris_xe_max", "", ""},
		{"a general property next to the device", "# Resources: nodes=1:gpu:gen11:ppn=2", "gen11", "", ""},
		{"a general property alone names no device", "# Resources: nodes=1:gpu:ppn=2", "", "", ""},
		{"the host of a running job", "# Resources: neednodes=s001-n157:ppn=2,nodes=1:gen9:ppn=2", "gen9", "s001-n157", ""},
		{"no node requested", "# Resources: walltime=06:00:00", "", "", ""},
	} {
		var p ingest.Platform
		var j job
		if !j.line(c.line, &p) {
			t.Errorf("%s: %q is not recognized as a line of the frame", c.reason, c.line)
		}
		when := ""
		if !p.Collected.IsZero() {
			when = p.Collected.Format(time.RFC3339)
		}
		if p.NodeProperty != c.property || p.Host != c.host || when != c.when {
			t.Errorf("%s: %q has property %q, host %q, date %q; want %q, %q, %q", c.reason, c.line, p.NodeProperty, p.Host, when, c.property, c.host, c.when)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"nothing at all", "", "log: the log is empty; " + expected + " (run the sample again and keep its standard output)"},
		{"blank lines only", "\n \n", "log: the log is empty; " + expected + " (run the sample again and keep its standard output)"},
		{"a job without output", "#####\n# Job ID: 5\n#####\n", "log: the log contains no timing; " + expected + " (the program may have failed: look at what it wrote to standard error)"},
		{"only bad timings", "VectorAdd<1> completed on device - x seconds\nVectorAdd<2> completed on device - y seconds\n",
			`log:1:36: none of the 2 timing lines of the log can be used; the first: time "x" is not a number of 0 or more; ` + expected + " (run the sample again and keep its standard output as it is)"},
	} {
		f, err := read(t, c.text)
		if err == nil {
			t.Errorf("%s: no error, %d rows", c.reason, f.Rows)
			continue
		}
		var fault *note.InputError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestLogWithoutTimings reads another program's log, or a failed program's. Its
// device belongs to the same run as the files next to it.
func TestLogWithoutTimings(t *testing.T) {
	f, err := read(t, "Running on device: Arc\nVector size: 5\nterminate called after throwing\n# Date: x\n")
	want := `the log names the device Arc but contains no timing; its last line is "terminate called after throwing"; ` + expected
	if err != nil || f.Platform.Device != "Arc" || f.Traits.NotARun != want {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		reason, head string
		want         bool
	}{
		{"a device line alone: the error that no timing follows is better than an unknown format", "Running on device: Arc\n", true},
		{"timings without a header", "VectorAdd2<8> completed on device - took 5 u-secs\n", true},
		{"a VTune export with the same kernel", "Computing Task,Work Size:Global\n\"VectorAdd<(int)12>\",512\n", false},
		{"source code", "template <int groups> int VectorAdd(sycl::queue &q)\n", false},
		{"another sample", "Matrix multiply completed on device - 5 seconds\n", false},
		{"nothing", "", false},
	} {
		if got := Format.Sniff([]byte(c.head)); got != c.want {
			t.Errorf("%s: Sniff = %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestManyBadRows(t *testing.T) {
	f, err := read(t, notebook+strings.Repeat("VectorAdd<1> completed on device - x seconds\n", 1000))
	if err != nil {
		t.Fatal(err)
	}
	if f.BadRows != 1000 || len(f.Notes) != 22 {
		t.Errorf("%d bad rows, %d notes; want 1000 and 22: 20 shown, one for the rest, one on the buffers", f.BadRows, len(f.Notes))
	}
	if got, want := f.Notes[20].String(), "log: error: 980 more bad rows, the last in line 1006"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLongLines checks that a line longer than any line in the sample is
// skipped.
func TestLongLines(t *testing.T) {
	f, err := read(t, strings.Repeat("x", 2*table.MaxLine)+"\n"+notebook)
	if err != nil || f.Rows != 4 || f.Timings[0].Pos.Line != 4 {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Format.Read(ctx, &ingest.Source{Path: "log", R: strings.NewReader(notebook)}, ingest.ReadOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{notebook, guide, devCloud, "Running on device: A\nno timing\n", "VectorAdd<", "\x1b[", "\x1b]0;x\aVectorAdd<1> completed on device - 1 s"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Format.Sniff(data)
		file, err := read(t, string(data))
		if err != nil {
			var fault *note.InputError
			if !errors.As(err, &fault) || fault.Text == "" {
				t.Fatalf("not an InputError: %v", err)
			}
			return
		}
		if file.Rows != int64(len(file.Timings)) {
			t.Fatalf("%d rows, %d timings", file.Rows, len(file.Timings))
		}
		if (file.Rows == 0) != (file.Traits.NotARun != "") {
			t.Fatalf("%d timings, but not a run because %q: a log without timings must say why", file.Rows, file.Traits.NotARun)
		}
		for _, x := range file.Timings {
			if !(x.Seconds >= 0) || x.Groups.Or(1) < 1 || x.Pos.Line < 1 || x.Pos.Column < 1 || x.Printed == "" {
				t.Fatalf("timing %+v", x)
			}
		}
	})
}

// TestSeveralDevices reads a log whose program used one device after the other.
// Each device is a run.
func TestSeveralDevices(t *testing.T) {
	const text = "Running on device: A\nVectorAdd<1> completed on device - 1 seconds\nRunning on device: B\n" +
		"VectorAdd<1> completed on device - 2 seconds\nRunning on device: A\nVectorAdd<2> completed on device - 3 seconds\n"
	_, err := read(t, text)
	const want = "log:3:1: the log has timings of several devices: A and B (pass it to occudiff validate, which reads each device as a separate run, or split the log)"
	if ingest.ResultCount(err) != 2 || err.Error() != want {
		t.Fatalf("%d sides, %v, want %s", ingest.ResultCount(err), err, want)
	}
	for side, want := range []string{"", "A log:1:1 [log:2:1 log:6:1]", "B log:3:1 [log:4:1]"} {
		if side == 0 {
			continue
		}
		f, err := Format.Read(context.Background(), &ingest.Source{Path: "log", R: strings.NewReader(text)}, ingest.ReadOptions{Result: side})
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, x := range f.Timings {
			at = append(at, x.Pos.String())
		}
		if got := fmt.Sprint(f.Platform.Device, " ", f.Platform.Pos, " ", at); got != want {
			t.Errorf("side %d: %s, want %s", side, got, want)
		}
	}
}

// TestDeviceWithoutTimings reads a log that names a device and then runs on the
// next one. The times belong to the second device.
func TestDeviceWithoutTimings(t *testing.T) {
	f, err := read(t, "Running on device: A\nRunning on device: B\nVectorAdd<1> completed on device - 1 seconds\n")
	if err != nil || f.Platform.Device != "B" || f.Platform.Pos.Line != 2 {
		t.Errorf("%+v, %v; want device B of line 2", f, err)
	}
}
