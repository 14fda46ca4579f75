package vtune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/scan"
)

// linesOf returns a text's kernels and notes, printed. It also checks that
// several workers with short blocks return the same.
func linesOf(t *testing.T, text string, opt ingest.ReadOptions) []string {
	t.Helper()
	if !Format.Sniff([]byte(text[:min(len(text), 64<<10)])) {
		t.Error("not sniffed as an export")
	}
	got := listed(readText(text, opt))
	header, _, _ := findHeader([]byte(text))
	s := scan.New(scan.Input{R: strings.NewReader(text)}, scan.Options{Threads: 3, Block: header + 64})
	if d := cmp.Diff(got, listed(read(context.Background(), "run.csv", s, opt))); d != "" {
		t.Errorf("one block and several differ:\n%s", d)
	}
	return got
}

// listed returns a file's kernels and notes, or the error, printed.
func listed(f *ingest.File, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	got := []string{fmt.Sprintf("%d rows, %d bad", f.Rows, f.BadRows)}
	return append(append(got, content(f)...), noteLines(f.Notes)...)
}

// content returns a file's kernels and launches, printed.
func content(f *ingest.File) (got []string) {
	for i := range f.Kernels {
		got = append(got, line(&f.Kernels[i]))
	}
	for _, l := range f.Launches.All() {
		text := fmt.Sprintf("launch %d of %s|t %v", l.Line, f.Kernels[l.Kernel].Task, opt(l.Time))
		if m, ok := l.Measured.Value(); ok {
			text += fmt.Sprintf("|measured %v", m.Percent())
		}
		got = append(got, text+fmt.Sprintf("|threads %v", opt(l.Threads)))
	}
	return got
}

func TestRead(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width,XVE Threads Occupancy(%)\n"
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"rows of one key: times and counts added, occupancy weighted by time: (50*0.3+90*0.1)/0.4 = 60",
			head + "K,512 x 2,64,0.3,2,16,50.0\nK,512 x 2,64,0.1,3,16,90.0\nK,512 x 2,64,0.1,3,32,90.0\n", []string{
				"3 rows, 0 bad",
				"2|K|512x2|64|16||n 5|t 0.4|measured 60|threads -|barriers -|spill -",
				"4|K|512x2|64|32||n 3|t 0.1|measured 90|threads -|barriers -|spill -"}},
		{"a size that is unknown to VTune is absent, like an empty one",
			head + "zeCommandListAppendMemoryCopy,[Unknown],[Unknown],0.3,2,[Unknown],50.0\n", []string{
				"1 rows, 0 bad",
				"2|zeCommandListAppendMemoryCopy|||-||n 2|t 0.3|measured 50|threads -|barriers -|spill -"}},
		{"two spellings of a size are the same key",
			head + "K,512x2,64,0.3,2,16,50.0\nK,512 x 2,\"64\",0.1,3,16,90.0\n", []string{
				"2 rows, 0 bad",
				"2|K|512x2|64|16||n 5|t 0.4|measured 60|threads -|barriers -|spill -"}},
		{"rows without time keep their values: the plain mean",
			head + "[Outside any task],,,0.0,0,,20.0\n[Outside any task],,,0.0,0,,30.0\n", []string{
				"2 rows, 0 bad",
				"2|[Outside any task]|||-||n 0|t 0|measured 25|threads -|barriers -|spill -"}},
		{"an empty cell is absent and is not part of the mean",
			head + "K,64,64,0.3,1,16,\nK,64,64,0.1,1,16,90.0\nL,64,64,,,,\n", []string{
				"3 rows, 0 bad",
				"2|K|64|64|16||n 2|t 0.4|measured 90|threads -|barriers -|spill -|spread 0.1 0.2 0.3 90 90 90",
				// in an export by computing instance, a row is a launch
				"4|L|64|64|-||n 1|t -|threads -|barriers -|spill -"}},
		{"launches without a time: the mean is over those that have one",
			head + "K,64,64,0.01,1,16,50.0\nK,64,64,,1,16,50.0\nK,64,64,,1,16,50.0\nK,64,64,0.01,1,16,50.0\n", []string{
				"4 rows, 0 bad",
				"2|K|64|64|16||n 4|t 0.02|a launch 0.01 true|measured 50|threads -|barriers -|spill -|spread 0.01 0.01 0.01 50 50 50"}},
		{"rows without a count in an export by computing instance are launches; the time outside any task has none",
			head + "K,64,64,0.01,1,16,50.0\nK,64,64,0.02,,16,50.0\nK,64,64,0.03,,16,50.0\n[Outside any task],,,0,,,20.0\n", []string{
				"4 rows, 0 bad",
				"2|K|64|64|16||n 3|t 0.06|measured 50|threads -|barriers -|spill -|spread 0.01 0.02 0.03 50 50 50",
				"5|[Outside any task]|||-||n -|t 0|measured 20|threads -|barriers -|spill -|spread 0 0 0 20 20 20"}},
		{"in an export by computing task the number of launches of such a row is unknown: the mean is over the other rows",
			head + "K,64,64,0.04,4,16,50.0\nK,64,64,0.02,,16,50.0\nK,64,64,,7,16,50.0\nL,64,64,0.04,,16,50.0\nL,64,64,,4,16,50.0\nM,64,64,,4,16,50.0\n", []string{
				"6 rows, 0 bad",
				"2|K|64|64|16||n 11|t 0.06|a launch 0.01 true|measured 50|threads -|barriers -|spill -",
				"5|L|64|64|16||n 4|t 0.04|a launch - true|measured 50|threads -|barriers -|spill -",
				"7|M|64|64|16||n 4|t -|measured 50|threads -|barriers -|spill -"}},
		{"an average alone is the mean, but not a total; in rows of one key it is the time of one launch per row: (0.5*0.01 + 0.7*0.03) / 0.04",
			"Computing Task,Global,Average Time,EU Threads Occupancy\nK,64,0.01,0.5\nK,64,0.03,0.7\n", []string{
				"2 rows, 0 bad",
				"2|K|64||-||n 2|t 0.04|measured 65|threads -|barriers -|spill -|spread 0.01 0.02 0.03 50 60 70"}},
		{"an average of a key with one row",
			"Computing Task,Global,Average Time,Instance Count,EU Threads Occupancy\nK,64,0.00001,,0.9\nL,64,0.01,5,0.9\nM,64,0.01,5,0.9\nM,64,0.04,,0.9\nN,64,0.01,,0.9\nN,64,0.02,,0.9\n", []string{
				"6 rows, 0 bad",
				"2|K|64||-||n -|t -|a launch 1e-05 false|measured 90|threads -|barriers -|spill -",
				"3|L|64||-||n 5|t 0.05|measured 90|threads -|barriers -|spill -",
				"4|M|64||-||n 5|t 0.05|a launch 0.01 true|measured 90|threads -|barriers -|spill -",
				"6|N|64||-||n -|t -|measured 90|threads -|barriers -|spill -"}},
		{"an average next to a total without a count is the time of a launch; one that was rounded to 0 is not",
			"Computing Task,Global,Total Time,Average Time,EU Threads Occupancy(%)\nK,64,0.020000,0.000020,60\nL,64,3,0.0,60\n", []string{
				"2 rows, 0 bad",
				"2|K|64||-||n -|t 0.02|a launch 2e-05 false|measured 60|threads -|barriers -|spill -",
				"3|L|64||-||n -|t 3|measured 60|threads -|barriers -|spill -"}},
		{"for several rows it is the mean over the computed launches: (0.02 + 2.2) / (1000 + 110)",
			"Computing Task,Total Time,Average Time\nK,0.020000,0.000020\nK,2.200000,0.020000\n", []string{
				"2 rows, 0 bad", "2|K|||-||n -|t 2.22|a launch 0.002 false|threads -|barriers -|spill -"}},
		{"a total below half of the average is one launch: (0.001 + 0.039) / (1 + 2)",
			"Computing Task,Total Time,Average Time\nK,0.001,0.020\nK,0.039,0.020\n", []string{
				"2 rows, 0 bad", "2|K|||-||n -|t 0.04|a launch 0.013333333333333334 false|threads -|barriers -|spill -"}},
		{"with a count the average is not read, because it is rounded",
			"Computing Task,Total Time,Average Time,Instance Count\nK,0.037689,0.000018,2047\n", []string{
				"1 rows, 0 bad", "2|K|||-||n 2047|t 0.037689|threads -|barriers -|spill -"}},
		{"no instance count in an export by computing instance: a row is a launch",
			"Computing Task,Work Size:Global,Total Time,EU Threads Occupancy(%)\nK,64,0.000003,10.0\nK,64,0.000001,30.0\nK,64,0.000002,15.0\nL,64,1.5,5\n", []string{
				"4 rows, 0 bad",
				"2|K|64||-||n 3|t 6e-06|measured 15|threads -|barriers -|spill -|spread 1e-06 2e-06 3e-06 10 15 30",
				"5|L|64||-||n 1|t 1.5|measured 5|threads -|barriers -|spill -|spread 1.5 1.5 1.5 5 5 5"}},
		{"more than a quarter of 5 launches have at least the second highest value",
			head + "K,64,64,1,1,16,50\nK,64,64,1,1,16,40\nK,64,64,1,1,16,30\nK,64,64,1,1,16,20\nK,64,64,1,1,16,10\n", []string{
				"5 rows, 0 bad",
				"2|K|64|64|16||n 5|t 5|measured 30|threads -|barriers -|spill -|spread 1 1 1 10 30 50 upper 40"}},
		{"two copies of one name, whose directions are in no column, are not an export by computing instance",
			"Computing Task,Work Size:Global,Total Time,EU Threads Occupancy(%)\nK,64,0.267795,90.3\nzeCommandListAppendMemoryCopy,,0.03,36.5\nzeCommandListAppendMemoryCopy,,0.01,80.5\n", []string{
				"3 rows, 0 bad",
				"2|K|64||-||n -|t 0.267795|measured 90.3|threads -|barriers -|spill -",
				"3|zeCommandListAppendMemoryCopy|||-||n -|t 0.04|measured 47.5|threads -|barriers -|spill -"}},
		{"two rows of a kernel without launch size columns are not an export by computing instance, either",
			"Computing Task,Total Time,EU Threads Occupancy(%)\nK,0.3,90\nK,0.1,50\n", []string{
				"2 rows, 0 bad", "2|K|||-||n -|t 0.4|measured 80|threads -|barriers -|spill -"}},
		{"with one launch per row they are an export by computing instance",
			"Computing Task,Total Time,Instance Count,EU Threads Occupancy(%)\nK,0.3,1,90\nK,0.1,1,50\n", []string{
				"2 rows, 0 bad", "2|K|||-||n 2|t 0.4|measured 80|threads -|barriers -|spill -|spread 0.1 0.2 0.3 50 70 90"}},
		{"no instance count and no repeated key: the number of launches of a row is unknown",
			"Computing Task,Work Size:Global,Total Time\nK,64,0.000003\n", []string{
				"1 rows, 0 bad", "2|K|64||-||n -|t 3e-06|threads -|barriers -|spill -"}},
		{"text before the header: messages, one glued to it, blank lines; lines are counted from the top",
			"war:Column filter is ON.\n\nvtune: Executing actions 75% Generating a report\nvtune: Executing actions 100% doneComputing Task,Total Time,Instance Count\nK,1.5,3\nvtune: Warning: a, b\n", []string{
				"1 rows, 0 bad", "5|K|||-||n 3|t 1.5|threads -|barriers -|spill -"}},
		{"a progress line that the header overwrites", "75 %\rComputing Task,Total Time,Instance Count\nK,1.5,3\n", []string{
			"1 rows, 0 bad", "2|K|||-||n 3|t 1.5|threads -|barriers -|spill -"}},
		{"BOM, CRLF, blank lines, no last newline",
			"\ufeffComputing Task,Total Time,Instance Count\r\n\r\nK,1.5,3\r\nL,2,1\r", []string{
				"2 rows, 0 bad", "3|K|||-||n 3|t 1.5|threads -|barriers -|spill -", "4|L|||-||n 1|t 2|threads -|barriers -|spill -"}},
		{"semicolons", strings.ReplaceAll(head, ",", ";") + "f(int, int);64;8;1;1;8;12.5\n", []string{
			"1 rows, 0 bad", "2|f(int, int)|64|8|8||n 1|t 1|measured 12.5|threads -|barriers -|spill -"}},
		{"saved by a spreadsheet with decimal commas", strings.ReplaceAll(head, ",", ";") + "K;64;8;1,070996;2;8;62,7\r\nL;64;8;1,8E-05;1;8;5\r\nM;64;8;1,234;1;8;5\r\n", []string{
			"3 rows, 0 bad",
			"2|K|64|8|8||n 2|t 1.070996|measured 62.7|threads -|barriers -|spill -",
			"3|L|64|8|8||n 1|t 1.8e-05|measured 5|threads -|barriers -|spill -",
			"4|M|64|8|8||n 1|t 1.234|measured 5|threads -|barriers -|spill -"}},
		{"decimal commas, with commas between fields", head + "K,64,8,\"1,070996\",2,8,\"62,7\"\n", []string{
			"1 rows, 0 bad", "2|K|64|8|8||n 2|t 1.070996|measured 62.7|threads -|barriers -|spill -"}},
		{"grouped by adapter first", "GPU Adapter," + head + "GPU 0,K,64,8,1,1,8,50\nGPU 1,K,64,8,1,1,8,60\n", []string{
			"2 rows, 0 bad",
			"2|K|64|8|8||n 1|t 1|measured 50|threads -|barriers -|spill -|device GPU 0",
			"3|K|64|8|8||n 1|t 1|measured 60|threads -|barriers -|spill -|device GPU 1"}},
		{"grouped by adapter and stack", "GPU Adapter,GPU Stack," + head + "GPU 0,0,K,64,8,1,1,8,50\nGPU 0,1,K,64,8,1,1,8,0.0\n", []string{
			"2 rows, 0 bad",
			"2|K|64|8|8||n 1|t 1|measured 50|threads -|barriers -|spill -|device GPU 0 stack 0",
			"3|K|64|8|8||n 1|t 1|measured 0|threads -|barriers -|spill -|device GPU 0 stack 1"}},
		{"a row per stack with a name", "GPU Stack;Computing Task;Total Time\nStack 1;K;1\n", []string{
			"1 rows, 0 bad", "2|K|||-||n -|t 1|threads -|barriers -|spill -|device Stack 1"}},
		{"the name of the task in the grouping by adapter", "GPU Adapter,GPU Computing Task,Total Time,Global\nGPU 0,K,1,64\n", []string{
			"1 rows, 0 bad", "2|K|64||-||n -|t 1|threads -|barriers -|spill -|device GPU 0"}},
		{"saved from a data frame with its index", "," + head + "0,K,64,8,1,1,8,50\n", []string{
			"1 rows, 0 bad", "2|K|64|8|8||n 1|t 1|measured 50|threads -|barriers -|spill -"}},
		{"tabs, header in quotes", "\"Computing Task\"\t\"Total Time\"\nK\t1\n", []string{
			"1 rows, 0 bad", "2|K|||-||n -|t 1|threads -|barriers -|spill -"}},
		{"colons: names with a colon are quoted", "Computing Task:\"Work Size:Global\":\"Computing Task:Total Time\"\n\"a::b\":64:1\n", []string{
			"1 rows, 0 bad", "2|a::b|64||-||n -|t 1|threads -|barriers -|spill -"}},
		{"any other byte", "Computing Task|Total Time|Instance Count\nK|1|2\n", []string{
			"1 rows, 0 bad", "2|K|||-||n 2|t 1|threads -|barriers -|spill -"}},
		{"quoted names: newline, \"\", commas; bare quotes are text; a record of several lines has the line number of its first line",
			head + "\"f<int,\nint>\",64,8,1,1,8,10\n\"say \"\"x\"\", y\",64,8,1,1,8,20\n5\" disk,64,8,1,1,8,30\nK,64,8,1,1,8,40\n", []string{
				"4 rows, 0 bad",
				"2|f<int,\nint>|64|8|8||n 1|t 1|measured 10|threads -|barriers -|spill -",
				"4|say \"x\", y|64|8|8||n 1|t 1|measured 20|threads -|barriers -|spill -",
				"5|5\" disk|64|8|8||n 1|t 1|measured 30|threads -|barriers -|spill -",
				"6|K|64|8|8||n 1|t 1|measured 40|threads -|barriers -|spill -"}},
		{"a GUI export: bare names, fractions",
			"Computing Task,Global,Local,Total Time,Instance Count,SIMD Width,Active,Stalled,Idle,EU Threads Occupancy,Peak EU Threads Occupancy,Work Size Limit\nK,64,8,1,1,8,0.333,0.435,0.231,0.627,1,0.143\n", []string{
				"1 rows, 0 bad",
				"2|K|64|8|8||n 1|t 1|measured 62.7|peak 100|work 14.3|active 33.3|stalled 43.5|idle 23.1|threads -|barriers -|spill -"}},
		{"a bare name above 1.001 is a percentage, in all rows",
			"Computing Task,Work Size:Global,Total Time,EU Threads Occupancy\nK,64,1,62.7\nL,64,1,0.9\n", []string{
				"2 rows, 0 bad",
				"2|K|64||-||n -|t 1|measured 62.7|threads -|barriers -|spill -",
				"3|L|64||-||n -|t 1|measured 0.9|threads -|barriers -|spill -",
				"run.csv:1: warning: the column \"EU Threads Occupancy\" has no (%) in its name, so it should " +
					"contain fractions, but contains 62.7: read as percent (check it against the profiler)"}},
		{"a column without any value above 1 next to it is a percentage, too: 0.9 is not 90%",
			"Computing Task,Work Size:Global,Total Time,Idle,EU Threads Occupancy\nK,64,1,0.9,62.7\n", []string{
				"1 rows, 0 bad",
				"2|K|64||-||n -|t 1|measured 62.7|idle 0.9|threads -|barriers -|spill -",
				"run.csv:1: warning: the column \"EU Threads Occupancy\" has no (%) in its name, so it should " +
					"contain fractions, but contains 62.7: read as percent (check it against the profiler)",
				"run.csv:1: warning: the column \"Idle\" has no (%) in its name, so it should contain fractions, but " +
					"other columns of the file contain percentages: read as percent (check it against the profiler)"}},
		{"a name twice with equal values is read once; with different ones the first is used, with a note",
			"Computing Task,Total Time,XVE Threads Occupancy(%),XVE Threads Occupancy(%),Instance Count,Instance Count\nK,1,50.0,50.0,2,2\nL,1,50.0,51.0,2,2\n", []string{
				"2 rows, 0 bad",
				"2|K|||-||n 2|t 1|measured 50|threads -|barriers -|spill -",
				"3|L|||-||n 2|t 1|measured 50|threads -|barriers -|spill -",
				"run.csv:3: warning: the column \"XVE Threads Occupancy(%)\" occurs twice, as field 3 and 4, with different values: \"50.0\" and \"51.0\"; the first is used (select the column once when exporting)"}},
		{"a single name twice, with different values",
			"Computing Task,Total Time,XVE Threads Occupancy(%),XVE Threads Occupancy(%)\nK,1,50.0,51.0\n", []string{
				"1 rows, 0 bad", "2|K|||-||n -|t 1|measured 50|threads -|barriers -|spill -",
				"run.csv:2: warning: the column \"XVE Threads Occupancy(%)\" occurs twice, as field 3 and 4, with different values: \"50.0\" and \"51.0\"; the first is used (select the column once when exporting)"}},
		{"a name that no counter has", "Computing Task,Total Time," + strings.Repeat("x", 300) + "\nK,1,50.0\n", []string{
			"1 rows, 0 bad", "2|K|||-||n -|t 1|threads -|barriers -|spill -"}},
		{"average x count replaces a missing total", "Computing Task,Computing Task:Average Time,Computing Task:Instance Count\nK,0.000523,2047\n", []string{
			"1 rows, 0 bad", "2|K|||-||n 2047|t 1.070581|threads -|barriers -|spill -"}},
		{"source-computing-task, barriers, stall reasons, an adapter", "Source Computing Task,Source Computing Task:Total Time,XVE Stall Reasons:Barrier(%),GPU Barriers,GPU Adapter\nK,1,12.5,77,GPU 1\n", []string{
			"1 rows, 0 bad", "2|K|||-||n -|t 1|barrierstall 12.5|threads -|barriers 77|spill -|device GPU 1"}},
		{"Task Type with columns of the GPU is per kernel", "Task Type,Work Size:Global,Task Count\nK,64,7\n", []string{
			"1 rows, 0 bad", "2|K|64||-||n 7|t -|threads -|barriers -|spill -"}},
		{"numbers in other spellings: exponent, many places, spaces, [Unknown] as in text tables",
			head + "K,64,8,1e-05,1e3,[Unknown],5.0e1\nL,64,8, 0.12345678901 ,7,8,100\n", []string{
				"2 rows, 0 bad",
				"2|K|64|8|-||n 1000|t 1e-05|measured 50|threads -|barriers -|spill -",
				"3|L|64|8|8||n 7|t 0.123456789|measured 100|threads -|barriers -|spill -"}},
		{"names that are not valid text", head + "a\x00\xffb,64,8,1,1,8,10\n", []string{
			"1 rows, 0 bad",
			"2|a\ufffd\ufffdb|64|8|8||n 1|t 1|measured 10|threads -|barriers -|spill -",
			"run.csv:2: warning: a name contains bytes that are not UTF-8 text, here and perhaps below; they are shown as \ufffd (the file may be damaged or in another encoding: export it again)"}},
		{"empty fields beyond the header are ignored", head + "K,64,8,1,1,8,10,,\n", []string{
			"1 rows, 0 bad", "2|K|64|8|8||n 1|t 1|measured 10|threads -|barriers -|spill -"}},
	} {
		if d := cmp.Diff(c.want, linesOf(t, c.text, ingest.ReadOptions{})); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestDirections reads copies, whose direction is the one with transferred
// bytes. A task with a launch size is a kernel and has no direction.
func TestDirections(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,Host-to-Device,Device-to-Host\n"
	for _, c := range []struct{ reason, size, in, out, want string }{
		{"to the device", "", "4096", "0", "host-to-device"},
		{"from the device", "", "0", "4096", "device-to-host"},
		{"one byte", "", "1", "", "host-to-device"},
		{"one byte back", "", "", "1", "device-to-host"},
		{"with a unit, as a summary prints it", "", "65.5 KB", "0.0 B", "host-to-device"},
		{"with a unit, back", "", "0 B", "1.2 MB", "device-to-host"},
		{"both", "", "1", "1", ""},
		{"neither", "", "0", "0", ""},
		{"an unknown launch size", "[Unknown]", "1", "0", "host-to-device"},
		{"a kernel", "64", "1", "0", ""},
		{"a kernel with one work-item", "1", "1", "0", ""},
		{"a kernel whose size ends in 9", "9", "1", "0", ""},
		{"a kernel in quotes", `"64 x 8"`, "1", "0", ""},
	} {
		f, err := readText(head+"K,64,1,0,0\ncopy,"+c.size+",1,"+c.in+","+c.out+"\n", ingest.ReadOptions{})
		if err != nil || len(f.Kernels) != 2 || f.Kernels[1].Direction != c.want || len(f.Notes) > 0 {
			t.Errorf("%s: %+v, %v; want %q", c.reason, f, err, c.want)
		}
	}
	want := []string{"2 rows, 0 bad", "2|K|64||-||n -|t 1|threads -|barriers -|spill -",
		"3|copy|||-|device-to-host|n -|t 1|threads -|barriers -|spill -",
		`run.csv:3:9: warning: "Host-to-Device" is "x"; expected a whole number, 0 or above; the row is used without this ` +
			`cell (correct the cell or export the file again)`}
	if d := cmp.Diff(want, linesOf(t, head+"K,64,1,0,0\ncopy,,1,x,1\n", ingest.ReadOptions{})); d != "" {
		t.Errorf("a size that cannot be read: -want +got:\n%s", d)
	}
}

// TestDifferenceReport reads one result of a difference report. A task that
// only the other result has is left out, with its launches.
func TestDifferenceReport(t *testing.T) {
	text := "Computing Task,Work Size:Global,Difference:Total Time,Result 1:Total Time,Result 2:Total Time," +
		"Result 1:Instance Count,Result 2:Instance Count,Result 1:XVE Threads Occupancy(%),Result 2:XVE Threads Occupancy(%)\n" +
		"other,64,1,,1,,1,,50.0\ntime,64,0,1,1,,,,\ntime,64,0,1,1,,,,\ncount,64,0,,,1,1,,\nzero,64,0,0,1,,1,0.0,50.0\nmeasured,64,0,0,0,,,0.5,50.0\n"
	want := []string{"4 rows, 0 bad",
		"3|time|64||-||n 2|t 2|threads -|barriers -|spill -|spread 1 1 1",
		"5|count|64||-||n 1|t -|threads -|barriers -|spill -",
		"7|measured|64||-||n 1|t 0|measured 0.5|threads -|barriers -|spill -|spread 0 0 0 0.5 0.5 0.5",
		"launch 3 of time|t 1|threads -", "launch 4 of time|t 1|threads -", "launch 5 of count|t -|threads -",
		"launch 7 of measured|t 0|measured 0.5|threads -"}
	if _, err := readText(text, ingest.ReadOptions{}); ingest.ResultCount(err) != 2 {
		t.Errorf("without a chosen result: %v", err)
	}
	if d := cmp.Diff(want, linesOf(t, text, ingest.ReadOptions{Result: 1, Instances: true})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestInstructions reads an instruction count in every form. The instruction
// share in kernel rows decides whether a run can be evaluated at all.
func TestInstructions(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Computing Task:Total Time,XVE Instructions:ALU1 Instructions\n"
	for _, c := range []struct {
		reason, kernel, outside string
		want                    ingest.Instructions
	}{
		{"plain", "9359678768", "3056841152", ingest.Instructions{Kernels: 9359678768, All: 12416519920}},
		{"short", "96", "4", ingest.Instructions{Kernels: 96, All: 100}},
		{"in quotes, as a spreadsheet writes all cells", `"9359678768"`, `"3056841152"`,
			ingest.Instructions{Kernels: 9359678768, All: 12416519920}},
		{"short and in quotes", `"96"`, `"4"`, ingest.Instructions{Kernels: 96, All: 100}},
		{"padded", " 9359678768 ", "  4", ingest.Instructions{Kernels: 9359678768, All: 9359678772}},
		{"with an exponent or a decimal point", "9.5e9", "500000000.0", ingest.Instructions{Kernels: 95e8, All: 1e10}},
		{"seventeen digits", "10000000000000000", "90000000000000000", ingest.Instructions{Kernels: 1e16, All: 1e17}},
		{"a row without a count", "96", "", ingest.Instructions{Kernels: 96, All: 96}},
		{"unknown for a row", "96", "[Unknown]", ingest.Instructions{Kernels: 96, All: 96}},
		{"a count that cannot be read: the share is unknown", `"9,6"`, "4", ingest.Instructions{}},
		{"a word", "96", "many", ingest.Instructions{}},
		{"a negative count", "96", "-4", ingest.Instructions{}},
	} {
		f, err := readText(head+"K,64,0.3,"+c.kernel+"\n[Outside any task],,0.0,"+c.outside+"\n", ingest.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if f.Rows != 2 || f.BadRows != 0 || f.Instructions != c.want {
			t.Errorf("%s: %d rows, %d bad, instructions %v; want 2, 0, %v", c.reason, f.Rows, f.BadRows, f.Instructions, c.want)
		}
	}
}

func TestBadRows(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width,XVE Threads Occupancy(%)\n"
	const good = "K,64,8,1,1,8,10\n"
	const row = "2|K|64|8|8||n 1|t 1|measured 10|threads -|barriers -|spill -"
	const correct = " (correct the cell or export the file again)"
	for _, c := range []struct{ reason, text, want string }{
		{"percentage too large, of a kernel that has no other row", "L,64,8,1,1,8,100.6\n",
			`run.csv:3:14: error: bad row: "XVE Threads Occupancy(%)" is "100.6"; expected a percentage from 0 to 100.5` + correct},
		{"percentage below 0", "L,64,8,1,1,8,-0.1\n",
			`run.csv:3:14: error: bad row: "XVE Threads Occupancy(%)" is "-0.1"; expected a percentage from 0 to 100.5` + correct},
		{"percentage that is a word", "L,64,8,1,1,8,nan\n",
			`run.csv:3:14: error: bad row: "XVE Threads Occupancy(%)" is "nan"; expected a percentage from 0 to 100.5` + correct},
		{"time with two commas is not a number at all", "L,64,8,\"1,000,5\",1,8,10\n",
			`run.csv:3:8: error: bad row: "Computing Task:Total Time" is "1,000,5"; expected a time in seconds, 0 or above` + correct},
		{"negative time", "L,64,8,-1,1,8,10\n",
			`run.csv:3:8: error: bad row: "Computing Task:Total Time" is "-1"; expected a time in seconds, 0 or above` + correct},
		{"negative count", "L,64,8,1,-1,8,10\n",
			`run.csv:3:10: error: bad row: "Computing Task:Instance Count" is "-1"; expected 0 or above` + correct},
		{"count with a fraction", "L,64,8,1,1.5,8,10\n",
			`run.csv:3:10: error: bad row: "Computing Task:Instance Count" is "1.5"; expected a whole number, 0 or above` + correct},
		{"more launches than any run has", "L,64,8,1,9007199254740993,8,10\n",
			`run.csv:3:10: error: bad row: "Computing Task:Instance Count" is "9007199254740993"; expected at most 9,007,199,254,740,992` + correct},
		{"size with a word", "L,64 y 2,8,1,1,8,10\n",
			`run.csv:3:3: error: bad row: "Work Size:Global": size "64 y 2": "64 y 2" is not a whole number; expected one to three numbers as in 512x512` + correct},
		{"SIMD width of 0", "L,64,8,1,1,0,10\n",
			`run.csv:3:12: error: bad row: "Computing Task:SIMD Width" is "0"; expected the number of work-items of a sub-group` + correct},
		{"too few fields", "L,64,8,1\n",
			`run.csv:3:1: error: bad row: 4 fields; expected 7 as in the header on line 1 (the file may be cut off: export it again)`},
		{"a delimiter in a name without quotes", "f(int, int),64,8,1,1,8,10\n",
			`run.csv:3:1: error: bad row: 8 fields; expected 7 as in the header on line 1 (a name that contains the delimiter must be quoted)`},
		{"no name", ",64,8,1,1,8,10\n",
			`run.csv:3:1: error: bad row: "Computing Task" is empty; expected the name of a computing task` + correct},
		{"a record of several lines is reported on its first line", "\"L\nM\",64,8,1,1,8,200\n",
			`run.csv:3:1: error: bad row: "XVE Threads Occupancy(%)" is "200"; expected a percentage from 0 to 100.5 (the cell is on line 4, column 15)` + correct},
		{"the file ends inside a quote: the rows before it are kept", "\"L,64,8,1,1,8,10\nM,64,8,1,1,8,10\n",
			`run.csv:3:1: error: bad row: the file ends inside the quotes that open on line 3, column 1; the rows after them cannot be separated (the file may be cut off: export it again)`},
	} {
		want := []string{"1 rows, 1 bad", row, c.want}
		if strings.Contains(c.reason, "percentage") && !strings.Contains(c.reason, "word") || strings.Contains(c.text, "200") {
			want = append(want, "run.csv: 1 of the bad rows are wrong only in a percentage out of range: if their "+
				"kernel has other rows, the time and counts of the bad rows are added to it")
		}
		if d := cmp.Diff(want, linesOf(t, head+good+c.text, ingest.ReadOptions{})); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestLastLine reads files whose last line has no line end. VTune ends every
// line, but users join lines and paste text, so such a file may be truncated or
// complete.
func TestLastLine(t *testing.T) {
	const (
		head = "Computing Task,Work Size:Global,Total Time,Instance Count,XVE Threads Occupancy(%)\n"
		rows = "K,64,1.000000,1,50.0\nL,64,1.000000,1,60.0\n"
		cut  = "error: bad row: the file ends in the last cell, %q, without a line end, and other rows have more decimals there"
		open = "warning: the file ends in the last cell, %q, without a line end: the file may be cut off, and rows " +
			"may be missing"
		hint = " (the file may be cut off: export it again; if the file is complete, add a line end)"
	)
	for _, c := range []struct {
		reason, text string
		bad          int64
		note         string
	}{
		{"the decimals of the other rows", head + rows + "M,64,1.000000,1,70.0", 0, ""},
		{"fewer of them", head + rows + "M,64,1.000000,1,70.", 1, "run.csv:4:17: " + fmt.Sprintf(cut, "70.")},
		{"no point", head + rows + "M,64,1.000000,1,7", 1, "run.csv:4:17: " + fmt.Sprintf(cut, "7")},
		{"nothing after the last delimiter", head + rows + "M,64,1.000000,1,", 1, "run.csv:4:17: " + fmt.Sprintf(cut, "")},
		{"empty, like in another row", head + rows + "copy,,1.000000,1,\nM,64,1.000000,1,", 0,
			"run.csv:5:17: " + fmt.Sprintf(open, "")},
		{"empty, in a row that is not a kernel", head + rows + "[Outside any task],,1.000000,1,", 0, "run.csv:4:32: " + fmt.Sprintf(open, "")},
		{"decimal commas", strings.ReplaceAll(head+rows, ",", ";") + "M;64;1,000000;1;7", 1,
			"run.csv:4:17: " + fmt.Sprintf(cut, "7")},
		{"whole numbers end anywhere", "Computing Task,Total Time,Instance Count\nK,1.0,12\nL,1.0,15\nM,1.0,1", 0,
			"run.csv:4:7: " + fmt.Sprintf(open, "1")},
		{"no other row", head + "M,64,1.000000,1,70.0", 0, "run.csv:2:17: " + fmt.Sprintf(open, "70.0")},
		{"other rows differ", head + "K,64,1.000000,1,50.25\nL,64,1.000000,1,60.0\nM,64,1.000000,1,70", 0,
			"run.csv:4:17: " + fmt.Sprintf(open, "70")},
		{"a column that is not read", "Computing Task,Total Time,New\nK,1.0,1.250000\nL,1.0,1.250000\nM,1.0,1.25", 1,
			"run.csv:4:7: " + fmt.Sprintf(cut, "1.25")},
		{"a quoted cell ends with its quote", "Computing Task,Total Time,New\nK,1.0,\"1\"\nL,1.0,\"2\"", 0, ""},
		{"CR ends the line", head + rows + "M,64,1.000000,1,7\r", 0, ""},
	} {
		if c.note != "" {
			c.note += hint
		}
		f, err := readText(c.text, ingest.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got := strings.Join(noteLines(f.Notes), "\n"); f.BadRows != c.bad || got != c.note {
			t.Errorf("%s: %d bad rows, %s\nwant %d, %s", c.reason, f.BadRows, got, c.bad, c.note)
		}
	}
}

// TestRepeatedRows adds rows that have the same values, and reports that they
// may be one row. Launches may be equal.
func TestRepeatedRows(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,Instance Count,XVE Threads Occupancy(%),Peak XVE Threads Occupancy(%)," +
		"Work Size Limit(%),SLM Use Limit(%),Barriers Use Limit(%)\n"
	const hint = " (if the file has its rows twice, export it again)"
	for _, c := range []struct{ reason, rows, want string }{
		{"every row twice, of a task with one launch as well", "K,64,1.5,3,50.0\nL,64,1.5,1,50.0\nK,64,1.5,3,50.0\nL,64,1.5,1,50.0\n",
			`run.csv:4: warning: task "K": the row on line 4 repeats the values of the row on line 2; both are added up, as are the rows of 1 more task` + hint},
		{"one row three times", "K,64,1.5,3,50.0\nK,64,1.5,3,50.0\nK,64,1.5,3,50.0\nL,64,1.5,3,50.0\n",
			`run.csv:3: warning: task "K": the row on line 3 repeats the values of the row on line 2; both are added up` + hint},
		{"so many that the peak is not read again", strings.Repeat("K,64,1.5,3,50.0\n", 5),
			`run.csv:3: warning: task "K": the row on line 3 repeats the values of the row on line 2; both are added up` + hint},
		{"eight rows", strings.Repeat("K,64,1.5,3,50.0\n", 8),
			`run.csv:3: warning: task "K": the row on line 3 repeats the values of the row on line 2; both are added up` + hint},
		{"nine rows are a loop", strings.Repeat("K,64,1.5,3,50.0\n", 9), ""},
		{"other values", "K,64,1.5,3,50.0\nK,64,1.5,3,50.1\n", ""},
		{"another launch size", "K,64,1.5,3,50.0\nK,32,1.5,3,50.0\n", ""},
		{"launches", "K,64,1.5,1,50.0\nK,64,1.5,1,50.0\n", ""},
		{"no time", "K,64,0,3,50.0\nK,64,0,3,50.0\n", ""},
	} {
		for _, block := range []int{0, 300} {
			f, err := read(context.Background(), "run.csv", scan.New(scan.Input{R: strings.NewReader(head + strings.ReplaceAll(c.rows, "\n", ",90.0,100.0,90.0,100.0\n"))},
				scan.Options{Threads: 2, Block: block}), ingest.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(noteLines(f.Notes), "\n"); got != c.want {
				t.Errorf("%s: got %s\nwant %s", c.reason, got, c.want)
			}
		}
	}
}

// TestShareOutOfRange checks that a launch whose occupancy is out of range
// still counts as a launch.
func TestShareOutOfRange(t *testing.T) {
	text := "Computing Task,Work Size:Global,Total Time,XVE Threads Occupancy(%),Computing Threads Started\nK,64,1,101.0,7\nK,64,2,50.0,8\nK,64,1,80.0,9\n"
	want := []string{"2 rows, 1 bad",
		"3|K|64||-||n 3|t 4|measured 60|threads 24|barriers -|spill -|spread 1 1 2 50 65 80",
		`run.csv:2:8: error: bad row: "XVE Threads Occupancy(%)" is "101.0"; expected a percentage from 0 to 100.5 (correct the cell or export the file again)`,
		"run.csv: 1 of the bad rows are wrong only in a percentage out of range: if their kernel has other rows, the " +
			"time and counts of the bad rows are added to it"}
	if d := cmp.Diff(want, linesOf(t, text, ingest.ReadOptions{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestManyBadRows(t *testing.T) {
	text := "Computing Task,Total Time\nK,1\n" + strings.Repeat("K,x\n", 30)
	got := linesOf(t, text, ingest.ReadOptions{})
	if len(got) != 2+20+1 || !strings.HasPrefix(got[2], "run.csv:3:3: ") || !strings.HasPrefix(got[21], "run.csv:22:3: ") {
		t.Errorf("got %d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	if want := "run.csv: error: 10 more rows were not used; 30 of 31 rows were bad (export the file again)"; got[22] != want {
		t.Errorf("got %s\nwant %s", got[22], want)
	}
}

func TestErrors(t *testing.T) {
	const export = " (export it with: vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR)"
	for _, c := range []struct{ reason, text, want string }{
		{"empty", "", `run.csv: the file is empty; expected a VTune export with a header line that begins with "Computing Task" (the collection or the export failed: run it again and look at what vtune printed)`},
		{"BOM and blank lines", "\ufeff\n \r\n", `run.csv: the file is empty; expected a VTune export with a header line that begins with "Computing Task" (the collection or the export failed: run it again and look at what vtune printed)`},
		{"messages only", "vtune: Error: no data\n\n", `run.csv: the file contains only messages of the vtune command and no table; expected a header line that begins with "Computing Task"` + export},
		{"another file", "a,b\n1,2\n", `run.csv: no header line; expected one whose first field is "Computing Task", "Source Computing Task" or "Task Type"` + export},
		{"header only", "war:Column filter is ON.\nComputing Task,Total Time\n", "run.csv:2: the export has a header " +
			"but no rows; expected a row per computing task (the collection saw no GPU work: collect again with " +
			"vtune -collect gpu-hotspots -- PROGRAM and look at what it prints)"},
		{"grouped by host task", "Task Type,CPU Time,Task Time,Task Count\nclFinish,1,1,2\n", "run.csv:1: this export is grouped by host task, not per kernel: it has no launch size and no occupancy; expected one grouped by computing-task or computing-instance" + export},
		{"a column, but no useful one", "Computing Task,Computing Task:SIMD Width\nK,8\n", `run.csv:1: the export has no column with a work size, a time or an occupancy; expected names like "Work Size:Global" and "XVE Threads Occupancy(%)"` + export},
		{"no usable row", "Computing Task,Total Time\nK,x\nL,y\n", `run.csv:2:3: none of the 2 rows can be used; the first: bad row: "Total Time" is "x"; expected a time in seconds, 0 or above (correct the cell or export the file again)`},
		{"a quote opens in the header", "Computing Task,Total Time,\"X\nK,1,1\n", "run.csv:1: the header line opens a quote that is never closed (the file may be cut off: export it again)"},
	} {
		if _, err := readText(c.text, ingest.ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         bool
	}{
		{"an export", "Computing Task,Total Time\n", true},
		{"the error for host tasks comes from this format", "Task Type,CPU Time\n", true},
		{"messages of the command", "vtune: Error\n", true},
		{"a text table has blanks between its columns", "Computing Task  Total Time  SIMD Width\n", false},
		{"only a key column", "Computing Task\n", false},
		{"another table that contains the name", "Computing Task:Foo,Bar\n", false},
		{"a letter is not a delimiter", "Computing TaskzTotal TimezSIMD Width\n", false},
		{"a digit is not a delimiter", "Computing Task0Total Time0SIMD Width\n", false},
		{"the last digit is not a delimiter", "Computing Task9Total Time9SIMD Width\n", false},
		{"a byte beyond ASCII is not a delimiter", "Computing Task\x80Total Time\x80SIMD Width\n", false},
		{"a line end is not a delimiter", "Computing Task\rTotal Time\rSIMD Width\r\n", false},
		{"a bar is a delimiter", "Computing Task|Total Time|SIMD Width\n", true},
		{"a tracer's table", "Kernel,Calls,Time (ns)\n", false},
		{"nothing", "", false},
	} {
		if got := Format.Sniff([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestInstancesWithoutTotal checks that a single launch has its own time, and
// that an average alone contributes no total to a row with several launches.
func TestInstancesWithoutTotal(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Average Time,Instance Count\n"
	for _, c := range []struct {
		rows string
		want []string
	}{
		{"K,64,0.3,\nK,64,0.1,1\n", []string{"2 rows, 0 bad", "2|K|64||-||n 2|t 0.4|threads -|barriers -|spill -|spread 0.1 0.2 0.3",
			"launch 2 of K|t 0.3|threads -", "launch 3 of K|t 0.1|threads -"}},
		{"K,64,0.3,\nL,64,0.1,3\n", []string{"2 rows, 0 bad", "2|K|64||-||n -|t -|a launch 0.3 false|threads -|barriers -|spill -", "3|L|64||-||n 3|t 0.3|threads -|barriers -|spill -"}},
	} {
		if d := cmp.Diff(c.want, linesOf(t, head+c.rows, ingest.ReadOptions{Instances: true})); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}

// TestLaunchesWithoutNumbers checks that a row is a launch if the file has a
// row per launch, even if it has no numbers, for any block size.
func TestLaunchesWithoutNumbers(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Work Size:Local\n"
	want := []string{"3 rows, 0 bad", "2|K|64|16|-||n 2|t -|threads -|barriers -|spill -",
		"3|L|64|16|-||n 1|t -|threads -|barriers -|spill -"}
	if d := cmp.Diff(want, linesOf(t, head+"K,64,16\nL,64,16\nK,64,16\n", ingest.ReadOptions{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestInstances(t *testing.T) {
	text := "Computing Task,Work Size:Global,Total Time,XVE Threads Occupancy(%)\nK,64,0.3,50.0\nL,64,1,\nK,64,0.1,90.0\n"
	want := []string{"3 rows, 0 bad",
		"2|K|64||-||n 2|t 0.4|measured 60|threads -|barriers -|spill -|spread 0.1 0.2 0.3 50 70 90",
		"3|L|64||-||n 1|t 1|threads -|barriers -|spill -|spread 1 1 1",
		"launch 2 of K|t 0.3|measured 50|threads -", "launch 3 of L|t 1|threads -", "launch 4 of K|t 0.1|measured 90|threads -"}
	if d := cmp.Diff(want, linesOf(t, text, ingest.ReadOptions{Instances: true})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestInstancesOfFractions checks that launches have the same unit as their
// kernel if the column's name has no (%).
func TestInstancesOfFractions(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,EU Threads Occupancy\n"
	for _, c := range []struct{ reason, cells, want string }{
		{"fractions", "0.5 0.7", "launch 2 of K|t 1|measured 50|threads -, launch 3 of K|t 1|measured 70|threads -"},
		{"percentages", "0.5 70.0", "launch 2 of K|t 1|measured 0.5|threads -, launch 3 of K|t 1|measured 70|threads -"},
	} {
		a, b, _ := strings.Cut(c.cells, " ")
		got := linesOf(t, head+"K,64,1,"+a+"\nK,64,1,"+b+"\n", ingest.ReadOptions{Instances: true})
		if text := strings.Join(got[2:4], ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.reason, text, c.want)
		}
	}
}

// TestUnweighted checks that means over launches are weighted by time. Without
// times they are plain means, and one note reports this.
func TestUnweighted(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Computing Task:Total Time,Computing Task:Instance Count,XVE Threads Occupancy(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%)\n"
	const hint = " (export the total time and the counters in one file, or use --instances)"
	for _, c := range []struct {
		reason, rows string
		keep         bool
		want         string
	}{
		{"launches without time", "B,64,,1,50.0,,\nK,64,,1,90.0,,\nK,64,,1,10.0,,\n", false,
			`run.csv:3: warning: task "K": the mean over its 2 rows is not weighted by time, because the rows have no time` + hint},
		{"several such kernels are one note, for any share that differs by launch", "K,64,,1,90.0,,\nK,64,,1,10.0,,\nL,64,,1,,1.0,\nL,64,,1,,3.0,\n", false,
			`run.csv:2: warning: task "K": the mean over its 2 rows is not weighted by time, because the rows have no time, also for 1 more task` + hint},
		{"and in the plural", "K,64,,1,90.0,,\nK,64,,1,10.0,,\nL,64,,1,,1.0,\nL,64,,1,,3.0,\nM,64,,1,,1.0,\nM,64,,1,,3.0,\n", false,
			`run.csv:2: warning: task "K": the mean over its 2 rows is not weighted by time, because the rows have no time, also for 2 more tasks` + hint},
		{"the same note if single launches are kept", "K,64,,1,90.0,,\nK,64,,1,10.0,,\n", true,
			`run.csv:2: warning: task "K": the mean over its 2 rows is not weighted by time, because the rows have no time` + hint},
		{"no note for one row", "K,64,,2,90.0,,\nL,64,,2,10.0,,\n", false, ""},
		{"no note for one value", "K,64,,1,90.0,,\nK,64,,1,,,\n", false, ""},
		{"the profiler's peak is the same for every launch", "K,64,,1,,,40.0\nK,64,,1,,,40.0\n", false, ""},
		{"times are weights, even if only some launches have one", "K,64,0.1,1,90.0,,\nK,64,,1,10.0,,\n", false, ""},
		{"there are no launches outside of kernels", "[Outside any task],,,,90.0,,\n[Outside any task],,,,10.0,,\n", false, ""},
	} {
		f, err := readText(head+c.rows, ingest.ReadOptions{Instances: c.keep})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got := strings.Join(noteLines(f.Notes), "\n"); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

// TestSteadyShares checks the profiler's peak and its limits. They are usually
// the same in all of a kernel's launches and are then summed in a different
// way.
func TestSteadyShares(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,Peak XVE Threads Occupancy(%),Peak XVE Threads Occupancy:Work Size Limit(%),Peak XVE Threads Occupancy:SLM Use Limit(%),Peak XVE Threads Occupancy:Barriers Use Limit(%)\n"
	for _, c := range []struct{ reason, rows, want string }{
		{"the same in all rows, one of them without time", "K,64,0.1,40.0,40.0,,100.0\nK,64,0.2,40.0,40.0,,100.0\nK,64,0,40.0,40.0,,100.0\n",
			"2|K|64||-||n 3|t 0.3|peak 40|work 40|barrier 100|threads -|barriers -|spill -|spread 0 0.1 0.2"},
		{"(0.3*40 + 0.1*60) / 0.4 = 45, and a cell that is empty in some rows", "K,64,0.1,40.0,40.0,,100.0\nK,64,0.2,40.0,40.0,,100.0\nK,64,0.1,60.0,40.0,20.0,100.0\n",
			"2|K|64||-||n 3|t 0.4|peak 45|work 40|slm 20|barrier 100|threads -|barriers -|spill -|spread 0.1 0.1 0.2"},
		{"no time at all: the plain mean (40+40+70)/3", "K,64,0,40.0,40.0,,100.0\nK,64,0,40.0,40.0,,100.0\nK,64,0,70.0,40.0,,100.0\n",
			"2|K|64||-||n 3|t 0|peak 50|work 40|barrier 100|threads -|barriers -|spill -|spread 0 0 0"},
	} {
		if d := cmp.Diff([]string{"3 rows, 0 bad", c.want}, linesOf(t, head+c.rows, ingest.ReadOptions{})); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestOrderOfColumns checks that the profiler's peak and its limits have the
// same values for any column order, although they are read in one step if they
// are adjacent.
func TestOrderOfColumns(t *testing.T) {
	fixed := []string{"Computing Task", "Work Size:Global", "Total Time"}
	shares := []string{"Peak XVE Threads Occupancy(%)", "Peak XVE Threads Occupancy:Work Size Limit(%)", "Peak XVE Threads Occupancy:SLM Use Limit(%)",
		"Peak XVE Threads Occupancy:Barriers Use Limit(%)", "XVE Threads Occupancy(%)"}
	rows := [][]string{{"K", "64", "0.1", "40.0", "41.0", "42.0", "43.0", "10.0"}, {"K", "64", "0.1", "40.0", "41.0", "42.0", "43.0", "20.0"},
		{"K", "64", "0.2", "60.0", "41.0", "42.0", "47.0", "30.0"}, {"K", "64", "0.1", "40.0", "61.0", "42.0", "43.0", "10.0"}, {"K", "64", "0.1", "40.0", "41.0", "90.0", "43.0", "0.0"}}
	const want = "2|K|64||-||n 5|t 0.6|measured 16.666666666666664|peak 46.666666666666664|work 44.333333333333336|slm 50|barrier 44.333333333333336|threads -|barriers -|spill -|spread 0.1 0.1 0.2 0 10 30 upper 20"
	for first := range shares {
		for second := range shares {
			order := []int{0, 1, 2, 3, 4}
			order[first], order[second] = order[second], order[first]
			names := slices.Clone(fixed)
			for _, i := range order {
				names = append(names, shares[i])
			}
			text := strings.Join(names, ",") + "\n"
			for _, row := range rows {
				cells := slices.Clone(row[:3])
				for _, i := range order {
					cells = append(cells, row[3+i])
				}
				text += strings.Join(cells, ",") + "\n"
			}
			if d := cmp.Diff([]string{"5 rows, 0 bad", want}, linesOf(t, text, ingest.ReadOptions{Threads: 1})); d != "" {
				t.Errorf("%v: -want +got:\n%s", names, d)
			}
		}
	}
}

// TestMedianOfMany checks that for an even number of launches, the median is
// between the middle two, and that for an odd number it is the middle one. This
// is also true beyond the number of values that are kept exactly.
func TestMedianOfMany(t *testing.T) {
	for _, c := range []struct {
		short, long int // launches that take 10 us and 1 ms
		want        float64
	}{{2000, 2000, 505e-6}, {2001, 2000, 10e-6}, {2000, 2001, 1e-3}} {
		text := "Computing Task,Work Size:Global,Total Time\n" + strings.Repeat("K,64,0.00001\n", c.short) + strings.Repeat("K,64,0.001\n", c.long)
		f, err := readText(text, ingest.ReadOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if k := f.Kernels[0]; math.Abs(float64(k.Launches.MedianSeconds)/c.want-1) > 0.01 {
			t.Errorf("%d short and %d long launches: median %v, want %v", c.short, c.long, k.Launches.MedianSeconds, c.want)
		}
	}
}

// TestManyKeys has more kernels than a worker's first hash table has slots.
func TestManyKeys(t *testing.T) {
	var text strings.Builder
	text.WriteString("Computing Task,Work Size:Global,Total Time\n")
	const n = 3000
	for i := range 2 * n {
		fmt.Fprintf(&text, "K%d,64,0.5\n", i%n)
	}
	f, err := readText(text.String(), ingest.ReadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	list := f.Kernels
	for i := range list {
		if list[i].Task != fmt.Sprint("K", i) || list[i].Total.Or(0) != 1 {
			t.Fatalf("kernel %d is %s with %v", i, list[i].Task, list[i].Total)
		}
	}
	if len(list) != n {
		t.Errorf("%d kernels, want %d", len(list), n)
	}
}

// TestSameForAllThreadsAndBlocks checks that the result does not depend on the
// thread count or the block size, with and without random access.
func TestSameForAllThreadsAndBlocks(t *testing.T) {
	var b strings.Builder
	b.WriteString("Computing Task,Work Size:Global,Total Time,XVE Threads Occupancy(%),Computing Threads Started,EU Array:Idle," +
		"Peak EU Threads Occupancy(%),Peak EU Threads Occupancy:Work Size Limit(%),Peak EU Threads Occupancy:SLM Use Limit(%),Peak EU Threads Occupancy:Barriers Use Limit(%)\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "\"k<%d,\n\"\"x\"\">\",%d,%d.%06d,%d.%d,%d,0.%d,", i%7, 64<<(i%3), i%2, i*i%1000003%1000000, i%100, i%10, i*31, i%10)
		fmt.Fprintf(&b, "%d.5,%d.5,,100.0\n", 40+i%9/8, 40+i%7)
	}
	b.WriteString("bad,1\n")
	text := b.String()
	for _, keep := range []bool{false, true} {
		var want string
		for _, block := range []int{0, 61, 64, 1000, 4096} {
			for threads := 1; threads <= 4; threads++ {
				for _, in := range []scan.Input{{R: strings.NewReader(text)}, {At: strings.NewReader(text), Size: int64(len(text))}} {
					f, err := read(context.Background(), "run.csv", scan.New(in, scan.Options{Threads: threads, Block: block}), ingest.ReadOptions{Instances: keep})
					if err != nil {
						t.Fatal(err)
					}
					s := content(f)
					got := strings.Join(append(s, noteLines(f.Notes)...), "\n")
					if want == "" {
						want = got
					}
					if got != want {
						t.Fatalf("blocks of %d, %d threads: %s", block, threads, cmp.Diff(want, got))
					}
				}
			}
		}
	}
}

// TestQuotedCells checks that a cell has the same meaning with and without
// quotes, in rows within one block and in rows that cross its end. Two quotes
// without text are an empty cell.
func TestQuotedCells(t *testing.T) {
	for _, c := range []struct{ reason, head string }{
		{"the key side by side, the profiler's peak and its limits too", "Computing Task,Work Size:Global,Work Size:Local,Computing Task:SIMD Width,Computing Task:Total Time,Computing Task:Instance Count," +
			"Transfer Size:Host-to-Device,Transfer Size:Device-to-Host,Computing Task:Spill Memory Size,Peak XVE Threads Occupancy(%),Peak XVE Threads Occupancy:Work Size Limit(%)," +
			"Peak XVE Threads Occupancy:SLM Use Limit(%),Peak XVE Threads Occupancy:Barriers Use Limit(%),XVE Threads Occupancy(%),Computing Threads Started"},
		{"the SIMD width on its own, a column twice, the limits not adjacent", "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width," +
			"Transfer Size:Host-to-Device,Transfer Size:Device-to-Host,XVE Threads Occupancy(%),XVE Threads Occupancy(%),Computing Task:Spill Memory Size,Peak XVE Threads Occupancy(%),Computing Threads Started"},
		{"the key in pieces, fractions, an average", "Computing Task,Global,Average Time,Local,Instance Count,SIMD Width,Host-to-Device,GPU Adapter,Device-to-Host,EU Threads Occupancy,GPU Barriers"},
	} {
		cells := map[string][]string{
			"Computing Task":        {"zeCommandListAppendMemoryCopy", "K", "f(int)", "K", " ", "zeCommandListAppendMemoryCopy", "[Outside any task]", "vtune: x"},
			"Global":                {"", "512 x 512", "1024", "", " ", "", "64 y", "1024"},
			"Local":                 {"", "64", "8 x 8", "", " "},
			"SIMD Width":            {"", "32", "8", "", "[Unknown]", "128", "16"},
			"Total Time":            {"0.000123", "0.010000", "1.5", "", "12.000001", "1e-05"},
			"Average Time":          {"0.000123", "0.010000", "1.5", "", "12.000001", "1e-05"},
			"Instance Count":        {"1", "12", "", "12345678", "1", "123456789", "-1"},
			"Host-to-Device":        {"0", "4096", "", "4096"},
			"Device-to-Host":        {"4096", "0", "", " ", "4096"},
			"Spill Memory Size":     {"0", "", "64"},
			"XVE Threads Occupancy": {"50.0", "9.5", "100.0", "", "7", "101.0", " 5.0", "62.75"},
			"EU Threads Occupancy":  {"0.5", "1", "0.627", ""},
			"GPU Barriers":          {"0", "", "77"}, "Computing Threads Started": {"0", "1234567", "", "123456789012"},
			"GPU Adapter": {"GPU 0", "", "GPU 1"},
		}
		names := strings.Split(c.head, ",")
		write := func(quoted func(row, column int) bool) string {
			var b strings.Builder
			b.WriteString(c.head + "\n")
			for i := range 600 {
				for j, name := range names {
					short := strings.TrimSuffix(name, "(%)")
					of := cells[short]
					if at := strings.LastIndexByte(short, ':'); of == nil && at >= 0 {
						of = cells[short[at+1:]]
					}
					text := "100.0" // a limit's value
					if len(of) > 0 {
						text = of[(i*(j+3)/7+i*i/11)%len(of)]
					}
					if quoted(i, j) {
						text = `"` + text + `"`
					}
					if j > 0 {
						b.WriteByte(',')
					}
					b.WriteString(text)
				}
				b.WriteByte('\n')
			}
			return b.String()
		}
		for _, keep := range []bool{false, true} {
			var want string
			for form, quoted := range []func(row, column int) bool{
				func(int, int) bool { return false }, func(int, int) bool { return true },
				func(row, column int) bool { return row%2 == 0 }, func(row, column int) bool { return (row*7+column*3)%5 < 2 },
			} {
				text := write(quoted)
				for _, block := range []int{0, 97, 128, 333, 1000} {
					f, err := read(context.Background(), "run.csv", scan.New(scan.Input{At: strings.NewReader(text), Size: int64(len(text))}, scan.Options{Threads: 2, Block: block}), ingest.ReadOptions{Instances: keep})
					if err != nil {
						t.Fatal(err)
					}
					s := content(f)
					for _, n := range f.Notes {
						n.Pos.Column = 0 // quotes change the column
						s = append(s, n.String())
					}
					got := strings.Join(s, "\n")
					if want == "" {
						want = got
					}
					if got != want {
						t.Fatalf("%s, keep %v: form %d in blocks of %d: -want +got:\n%s", c.reason, keep, form, block, cmp.Diff(want, got))
					}
				}
			}
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Format.Read(ctx, &ingest.Source{Path: "run.csv", R: strings.NewReader("Computing Task,Total Time\nK,1\n")}, ingest.ReadOptions{})
	if err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
